"""A `.moments` file of whatever summary: the class of the summary is told by the file."""

from __future__ import annotations

from typing import Any

from ..errors import DamagedFileError, short_text
from ..storage import path_text, read_container
from .categories import CategoryCounts
from .class_moments import ClassMoments
from .counts import Counts
from .moments import Moments

KINDS = {kind.__name__: kind for kind in (ClassMoments, Counts, CategoryCounts, Moments)}


def load_summary(path: Any) -> Any:
    """Return the summary that a file holds, of whichever class it is.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     Moments.from_data([[0.0], [2.0]]).save(f"{folder}/a.moments", minimum=1)
    ...     load_summary(f"{folder}/a.moments").mean
    array([1.])
    """
    document = read_container(path, "moments").document
    kind = document.get("summary") if isinstance(document, dict) else None
    if kind not in KINDS:
        raise DamagedFileError(f"{path_text(path)!r} holds {short_text(kind)}, which is no summary that is known here; write it anew.")
    return KINDS[kind].load(path)
