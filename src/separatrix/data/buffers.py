"""Memory for arrays that come one after the other: the next takes that of the last, once nobody has it any more.

New memory is mapped page by page, which costs as much as reading a file from the page cache. The C library keeps what it had, but not in
the workers of a Dask cluster, which tell it to give everything back at once.
"""

from __future__ import annotations

import math
import sys
import sysconfig
import threading
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

MOST = 8
"""Arrays whose memory is watched; beyond, somebody keeps them, and there is nothing to take over."""
_probe = [np.empty(0)]
# Without a global lock, or in another Python, the number of references says nothing: every array then has memory of its own.
_counts = hasattr(sys, "getrefcount") and not sysconfig.get_config_var("Py_GIL_DISABLED")
_refcount = sys.getrefcount if _counts else lambda _: math.inf
ALONE = _refcount(_probe[0])
"""References to an array that nobody but a list has, the question itself among them."""


class Buffers:
    """Arrays whose memory is taken over from earlier ones that are gone: a view of an array keeps its memory, so that none is ever shared.

    Examples
    --------
    >>> buffers = Buffers()
    >>> first = buffers.take((2, 3), np.float64)
    >>> place = first.ctypes.data
    >>> buffers.take((2, 3), np.float64).ctypes.data == place  # first is still there
    False
    >>> del first
    >>> buffers.take((3, 2), np.float64).ctypes.data == place
    True
    """

    def __init__(self) -> None:
        self.owned: list[NDArray[Any]] = []
        self.lock = threading.Lock()

    def take(self, shape: tuple[int, int], dtype: Any, order: Literal["C", "F"] = "C") -> NDArray[Any]:
        """Return an array of any values."""
        size = math.prod(shape)
        with self.lock:  # two threads must not find the same array free
            for i in range(len(self.owned)):
                if _refcount(self.owned[i]) == ALONE < math.inf and self.owned[i].dtype == dtype and len(self.owned[i]) >= size:
                    return self.owned[i][:size].reshape(shape, order=order)
        own = np.empty(size, dtype=dtype)
        if len(self.owned) < MOST:
            self.owned.append(own)
        return own.reshape(shape, order=order)

    def by_rows(self, X: NDArray[Any]) -> NDArray[Any]:
        """Return X itself where its rows lie together, else a copy in which they do."""
        if X.flags.c_contiguous:
            return X
        copy = self.take((X.shape[0], X.shape[1]), X.dtype)
        np.copyto(copy, X)
        return copy
