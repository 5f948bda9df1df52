"""A sample of rows that merges: the rows with the smallest hashes, so that neither blocks nor threads change it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..array_types import Floats, Indices
from ..data import Block
from ..data.row_hash import row_hash


@dataclass(frozen=True, slots=True, eq=False)
class RowSample:
    """At most `limit` rows of some columns, with their weights; all rows of positive weight where there are no more.

    Attributes
    ----------
    limit : int
    keys : (m,) hashes of the rows' places, sorted
    rows : (m, c) array or CSR array
    weight : (m,)

    Examples
    --------
    >>> RowSample.summarise(3, np.array([1]))(Block(np.arange(20.0).reshape(10, 2))).rows.shape
    (3, 1)
    """

    limit: int
    keys: NDArray[np.uint64]
    rows: Any
    weight: Floats

    @classmethod
    def summarise(cls, limit: int, columns: Indices) -> Callable[[Block], RowSample]:
        """Return the pass: a function from a block to its sample."""

        def of(block: Block) -> RowSample:
            keys = row_hash(block.start, block.start + block.n_rows)
            weight = np.ones(block.n_rows) if block.weight is None else block.weight
            kept = np.flatnonzero(weight > 0)
            kept = kept[np.argsort(keys[kept])[:limit]]
            return cls(limit, keys[kept], block.X[kept][:, columns], weight[kept])

        return of

    def merge(self, other: Self) -> Self:
        """Return the sample of both sets of rows together."""
        keys = np.concatenate([self.keys, other.keys])
        kept = np.argsort(keys)[: self.limit]
        stack = sp.vstack([self.rows, other.rows], format="csr") if sp.issparse(self.rows) else np.concatenate([self.rows, other.rows])
        return type(self)(self.limit, keys[kept], stack[kept], np.concatenate([self.weight, other.weight])[kept])

    def columns(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield, of each column, the distinct values in rising order and the sum of the weights of each."""
        by_column = sp.csc_array(self.rows) if sp.issparse(self.rows) else None
        for c in range(self.rows.shape[1]):
            if by_column is None:
                values, weight = self.rows[:, c].astype(np.float64), self.weight
            else:
                own = slice(by_column.indptr[c], by_column.indptr[c + 1])
                stored = self.weight[by_column.indices[own]]
                # What is not stored is 0, once for all; rounding may leave a weight of it where every row is stored.
                absent = self.weight.sum() - stored.sum() if len(stored) < len(self.keys) else 0.0
                values, weight = np.append(by_column.data[own].astype(np.float64), 0.0), np.append(stored, absent)
            distinct, places = np.unique(values, return_inverse=True)
            total = np.bincount(places, weight).astype(np.float64)
            yield distinct[total > 0], total[total > 0]
