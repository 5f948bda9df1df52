"""The distinct values of columns, as far as they are not too many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp

from ..array_types import Floats, Indices
from ..data import Block


@dataclass(frozen=True, slots=True, eq=False)
class DistinctValues:
    """Distinct values of each of some columns, in rising order, in rows of positive weight; None for a column with more than `limit`.

    Examples
    --------
    >>> block = Block(np.array([[1.5, 0.0], [1.5, 1.0], [0.5, 2.0]]))
    >>> DistinctValues.summarise(2, np.array([0, 1]))(block).values
    (array([0.5, 1.5]), None)
    """

    limit: int
    values: tuple[Floats | None, ...]

    @classmethod
    def summarise(cls, limit: int, columns: Indices) -> Callable[[Block], DistinctValues]:
        """Return the pass: a function from a block to its distinct values."""

        def of(block: Block) -> DistinctValues:
            X = block.X if block.weight is None else block.X[np.flatnonzero(block.weight > 0)]
            part = X[:, columns]
            part = part.toarray() if sp.issparse(part) else part
            return cls(limit, tuple(_limited(part[:, c].astype(np.float64), limit) for c in range(len(columns))))

        return of

    def merge(self, other: Self) -> Self:
        """Return the distinct values of both sets of rows together."""
        pairs = zip(self.values, other.values, strict=True)
        found = (None if a is None or b is None else _limited(np.concatenate([a, b]), self.limit) for a, b in pairs)
        return type(self)(self.limit, tuple(found))


def _limited(values: Floats, limit: int) -> Floats | None:
    found = np.unique(values)
    return found if len(found) <= limit else None
