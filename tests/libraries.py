"""Array libraries that tests run on without a GPU: how NumPy arrays become theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from separatrix.data.namespaces import to_host

WITHOUT_TORCH = "torch is not installed; type: pip install 'separatrix[torch]'"


def strict(values: Any) -> Any:
    import array_api_strict

    return array_api_strict.asarray(np.ascontiguousarray(values))


def torch(values: Any) -> Any:
    library = pytest.importorskip("torch", reason=WITHOUT_TORCH)
    library.set_num_threads(1)  # tests run side by side
    return library.as_tensor(np.array(values))


LIBRARIES: dict[str, Callable[[Any], Any]] = {"strict": strict, "torch": torch}

each_library = pytest.mark.parametrize("convert", LIBRARIES.values(), ids=LIBRARIES.keys())


def back(values: Any) -> Any:
    """Return an array of any library in NumPy."""
    return to_host(values)
