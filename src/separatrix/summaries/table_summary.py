"""What a table holds: a summary of every column, and a sample of rows for quantiles, words and columns that repeat each other.

Both merge. The sample has the rows with the smallest hashes of their content, so that neither blocks, threads nor the order of the rows
change it; equal rows are one row of it, with their weights added. As long as all different rows fit, it is the table itself, and what is
read off it is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ..array_types import Floats
from ..data.columns import Column, ColumnBatch
from ..data.value_hash import Hashes, content_hashes
from .column_summary import ColumnSummary

SAMPLE_ROWS = 50_000
SAMPLE_VALUES = 8_000_000
"""Bounds of the sample: different rows, and values (64 megabytes of numbers)."""


@dataclass(frozen=True, slots=True, eq=False)
class TableSample:
    """Rows of a table with the smallest hashes, and how often each stands there.

    Attributes
    ----------
    rows : ColumnBatch of m rows
    weight : (m,) weights
    keys : (m,) hashes of the rows, rising and each once; None as long as the rows stand there as they came
    is_whole : whether these are all different rows of the table
    """

    rows: ColumnBatch
    weight: Floats
    keys: Hashes | None
    is_whole: bool

    @classmethod
    def of(cls, batch: ColumnBatch, weight: Floats) -> Self:
        """Return the sample of a batch."""
        found = cls(batch, weight, None, True)
        return found if batch.n_rows <= _most_rows(batch) else found.settled()

    def settled(self) -> Self:
        """Return the sample with every different row once, in the order of the hashes: the same however the rows came."""
        if self.keys is not None:
            return self
        return self._smallest(content_hashes(self.rows), self.weight, self.rows, self.is_whole)

    @classmethod
    def _smallest(cls, keys: Hashes, weight: Floats, rows: ColumnBatch, is_whole: bool) -> Self:
        keys, first, place = np.unique(keys, return_index=True, return_inverse=True)
        if len(keys) == len(place):
            weight = weight[first]
        else:
            weight = np.bincount(place, weight, minlength=len(keys)).astype(np.float64)
        limit = _most_rows(rows)
        kept = slice(None, limit)
        taken = rows.take(first[kept])
        columns = tuple(taken.column(j).only_present_levels() for j in range(taken.n_features))
        return cls(ColumnBatch(columns), weight[kept], keys[kept], is_whole and len(keys) <= limit)

    def merge(self, other: Self) -> Self:
        """Return the sample of both sets of rows."""
        one, two = self.settled(), other.settled()
        assert one.keys is not None and two.keys is not None
        rows = ColumnBatch.joined([one.rows, two.rows])
        keys, weight = np.concatenate([one.keys, two.keys]), np.concatenate([one.weight, two.weight])
        return self._smallest(keys, weight, rows, one.is_whole and two.is_whole)

    def column(self, j: int) -> Column:
        """Return a column of the sampled rows."""
        return self.rows.column(j)

    def without(self, name: str | None) -> Self:
        """Return the same rows without the column of a name; rows that differ in it alone stay apart."""
        columns = tuple(own for own in map(self.rows.column, range(self.rows.n_features)) if own.name != name)
        return type(self)(ColumnBatch(columns), self.weight, self.keys, self.is_whole)


def _most_rows(rows: ColumnBatch) -> int:
    return min(SAMPLE_ROWS, max(1_000, SAMPLE_VALUES // max(1, rows.n_features)))


@dataclass(frozen=True, slots=True, eq=False)
class TableSummary:
    """A summary of every column, a sample of rows, and the number of rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from separatrix.data.whole_tables import whole_table
    >>> found = TableSummary.of(whole_table(pd.DataFrame({"age": [31, 47, 31], "city": ["Oslo", None, "Oslo"]})))
    >>> found.rows, [(own.name, own.type, own.missing) for own in found.columns], sorted(found.sample.settled().weight.tolist())
    (3.0, [('age', 'number', 0.0), ('city', 'text', 1.0)], [1.0, 2.0])
    """

    rows: float
    columns: tuple[ColumnSummary, ...]
    sample: TableSample

    @classmethod
    def of(cls, batch: ColumnBatch) -> Self:
        """Summarise a batch; rows of weight 0 are no rows."""
        if batch.weight is not None and not batch.weight.all():
            batch = batch.take(np.flatnonzero(batch.weight))
        weight = np.ones(batch.n_rows) if batch.weight is None else batch.weight
        columns = tuple(ColumnSummary.of(batch.column(j), weight) for j in range(batch.n_features))
        return cls(float(weight.sum()), columns, TableSample.of(batch, weight))

    @property
    def names(self) -> Sequence[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]

    def merge(self, other: Self) -> Self:
        """Return the summary of both sets of rows."""
        columns = tuple(one.merge(two) for one, two in zip(self.columns, other.columns, strict=True))
        return type(self)(self.rows + other.rows, columns, self.sample.merge(other.sample))
