"""What tells one kind of column from another, in one pass over a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from ..array_types import Bools, Floats, Indices
from ..data import Block
from ..data.columns import ColumnBatch
from ..errors import InputError


@dataclass(frozen=True, slots=True, eq=False)
class ColumnRanges:
    """What tells one kind of column from another: text or numbers, whole numbers or not, their range, mean and variance.

    Attributes
    ----------
    text, whole : (p,) booleans; a column without any value counts as whole
    low, high : (p,) smallest and largest value
    count, total, squares : (p,) weighted sums of 1, x and x²
    """

    text: Bools
    whole: Bools
    low: Floats
    high: Floats
    count: Floats
    total: Floats
    squares: Floats

    @classmethod
    def of(cls, block: Block | ColumnBatch) -> Self:
        """Summarise a batch; rows of weight 0 do not count. Columns seen not to be whole are not looked at further."""
        batch = ColumnBatch.of(block)
        _refuse_dates(batch)
        p = batch.n_features
        weight = np.ones(batch.n_rows) if batch.weight is None else batch.weight
        text = np.array([type_ == "text" for type_ in batch.types()])
        found = cls(text, np.ones(p, dtype=bool), np.full(p, np.inf), np.full(p, -np.inf), np.zeros(p), np.zeros(p), np.zeros(p))
        columns = np.flatnonzero(~text)
        X = batch.numbers(columns.tolist())
        for begin, end in _pieces(X):
            found._include(columns, _dense(X[begin:end]), weight[begin:end])
            still = found.whole[columns]
            columns, X = columns[still], X if still.all() else X[:, np.flatnonzero(still)]
        return found

    def _include(self, columns: Indices, X: Floats, weight: Floats) -> None:
        X, weight = X[weight > 0], weight[weight > 0]
        known = np.isfinite(X)
        values = np.where(known, X, 0.0)
        self.whole[columns] &= (np.floor(values) == values).all(axis=0)
        self.low[columns] = np.minimum(self.low[columns], np.where(known, X, np.inf).min(axis=0, initial=np.inf))
        self.high[columns] = np.maximum(self.high[columns], np.where(known, X, -np.inf).max(axis=0, initial=-np.inf))
        with np.errstate(over="ignore", invalid="ignore"):  # what is infinite is no variance of counts, and refused where it is used
            for sums, terms in ((self.count, known), (self.total, values), (self.squares, values**2)):
                sums[columns] += weight @ terms

    def merge(self, other: Self) -> Self:
        """Return the ranges over both sets of rows."""
        sums = (getattr(self, name) + getattr(other, name) for name in ("count", "total", "squares"))
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return type(self)(self.text | other.text, self.whole & other.whole, low, high, *sums)


def _refuse_dates(batch: ColumnBatch) -> None:
    for column in batch.columns or ():
        if column.type == "date":
            raise InputError(
                f"Column {column.name!r} holds dates, which are neither numbers nor categories. Turn them into numbers, such as the year "
                "or the days since a date, or leave them out: X.drop(columns=[…]), or for files open_table(…, columns=[…])."
            )


def _pieces(X: Any) -> Iterator[tuple[int, int]]:
    """Yield a few rows first, which tell most columns of measurements, then pieces of a megabyte."""
    step = max(1, 125_000 // max(1, X.shape[1]))
    bounds = [0, *range(min(100, X.shape[0]), X.shape[0], step), X.shape[0]]
    return pairwise(bounds)


def _dense(X: Any) -> Floats:
    return np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
