"""The means of dense columns, as a point about which rows are taken, and whether they are far from zero."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...array_types import Floats
from .objective import FAR

ENOUGH = 1_000_000
"""Values that tell about where the columns lie: of more rows, every few are looked at."""
TILE_VALUES = 100_000
"""Values turned over at a time, in a core's cache: along rows of a dozen values, NumPy's sums and extremes take ten times as long."""


def column_centre(X: NDArray[Any]) -> tuple[Floats, bool]:
    """Return the means (p,) of some rows, exact for columns of equal values, and whether any is far from zero beside its range.

    Examples
    --------
    >>> column_centre(np.array([[0.1, 1e6], [0.1, 1e6 + 1.0]]))
    (array([1.0000000e-01, 1.0000005e+06]), True)
    """
    some = X if X.size < ENOUGH else X[:: X.size // ENOUGH + 1]
    n, p = some.shape
    total, low, high = np.zeros(p), np.full(p, np.inf), np.full(p, -np.inf)
    with np.errstate(invalid="ignore", over="ignore"):
        for begin in range(0, n, max(TILE_VALUES // p, 1)):
            turned = some[begin : begin + max(TILE_VALUES // p, 1)].T.astype(np.float64, order="C")
            total += turned.sum(axis=1)
            np.minimum(low, turned.min(axis=1), out=low)
            np.maximum(high, turned.max(axis=1), out=high)
        # The mean of equal values is off by rounding: a constant 0.1 would become a column of 1e-17 with weights of 1e14.
        centre = np.where(low == high, low, total / n)
        return centre, bool((np.abs(centre) > FAR * (high - low)).any())
