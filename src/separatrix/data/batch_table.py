"""A table that was read whole, as a source of column batches."""

from __future__ import annotations

from typing import Any

from .columns import ColumnBatch
from .source import ChunkedSource


class BatchTable(ChunkedSource):
    """Rows of one batch of columns, cut into chunks.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.data.columns import Column
    >>> BatchTable(ColumnBatch((Column("age", np.array([31, 47])),))).chunk(0).numbers([0]).tolist()
    [[31.0], [47.0]]
    """

    def __init__(self, batch: ColumnBatch, *, n_jobs: int | None = None) -> None:
        self.batch, self.n_jobs = batch, n_jobs
        self.n_rows, self.n_features = batch.shape
        self.feature_names = tuple(batch.column(j).name for j in range(batch.n_features))

    def rows(self, begin: int, end: int) -> Any:
        """Return rows begin to end."""
        return self.batch.take(slice(begin, end))

    def chunk(self, begin: int) -> Any:
        """Return the chunk that begins at a row, as a column batch."""
        end = min(begin + self.chunk_rows, self.n_rows)
        codes = None if self.labels is None else self.labels.codes(begin, end)
        weight = None if self.weight is None else self.weight[begin:end]
        return ColumnBatch(self.rows(begin, end).columns, None, codes, weight, begin)
