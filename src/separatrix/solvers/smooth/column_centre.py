"""The means of dense columns, as a point about which rows are taken, and whether they are far from zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...array_types import Floats
from ...data import Block
from ..rows import Rows
from .objective import FAR

ENOUGH = 1_000_000
"""Values that tell about where the columns lie: of more rows, every few are looked at."""
TILE_VALUES = 100_000
"""Values turned over at a time, in a core's cache: along rows of a dozen values, NumPy's sums and extremes take ten times as long."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnRanges:
    """Sums and extremes (p,) of the columns of some rows, and whether all of the rows are dense.

    Examples
    --------
    >>> one, two = (ColumnRanges.of(np.array([[0.1, 1e6 + step]])) for step in (0.0, 1.0))
    >>> one.merge(two).centre()
    (array([1.0000000e-01, 1.0000005e+06]), True)
    """

    rows: int
    total: Floats
    low: Floats
    high: Floats
    is_dense: bool = True

    @classmethod
    def of(cls, X: NDArray[Any]) -> Self:
        """Return those of an array."""
        n, p = X.shape
        total, low, high = np.zeros(p), np.full(p, np.inf), np.full(p, -np.inf)
        with np.errstate(invalid="ignore", over="ignore"):
            for begin in range(0, n, max(TILE_VALUES // p, 1)):
                turned = X[begin : begin + max(TILE_VALUES // p, 1)].T.astype(np.float64, order="C")
                total += turned.sum(axis=1)
                np.minimum(low, turned.min(axis=1), out=low)
                np.maximum(high, turned.max(axis=1), out=high)
        return cls(n, total, low, high)

    @classmethod
    def of_block(cls, block: Block) -> Self:
        """Return those of a block; sparse rows are not centred."""
        if block.is_sparse:
            p = block.n_features
            return cls(block.n_rows, np.zeros(p), np.zeros(p), np.zeros(p), is_dense=False)
        return cls.of(block.X)

    def merge(self, other: Self) -> Self:
        """Return those of both sets of rows."""
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return type(self)(self.rows + other.rows, self.total + other.total, low, high, self.is_dense and other.is_dense)

    def centre(self) -> tuple[Floats, bool]:
        """Return the means, exact for columns of equal values, and whether any is far from zero beside its range."""
        with np.errstate(invalid="ignore", over="ignore"):
            # The mean of equal values is off by rounding: a constant 0.1 would become a column of 1e-17 with weights of 1e14.
            centre = np.where(self.low == self.high, self.low, self.total / self.rows)
            return centre, bool((np.abs(centre) > FAR * (self.high - self.low)).any())


def column_centre(X: NDArray[Any]) -> tuple[Floats, bool]:
    """Return the means (p,) of some rows, exact for columns of equal values, and whether any is far from zero beside its range.

    Examples
    --------
    >>> column_centre(np.array([[0.1, 1e6], [0.1, 1e6 + 1.0]]))
    (array([1.0000000e-01, 1.0000005e+06]), True)
    """
    return ColumnRanges.of(X if X.size < ENOUGH else X[:: X.size // ENOUGH + 1]).centre()


def streamed_centre(rows: Rows) -> tuple[Floats, bool] | None:
    """Return the same of rows that are read anew, which takes a pass; None for sparse ones."""
    found = rows.reduce(ColumnRanges.of_block)
    return found.centre() if found.is_dense else None
