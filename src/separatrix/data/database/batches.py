"""Rows of a query as batches of columns: text by codes, dates, and numbers with gaps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

from ...array_types import Codes
from ...errors import InputTypeError
from ..batches import Batch, Piece, cut
from ..columns import ColumnBatch
from ..features import refuse_other_kinds
from ..files.arrow_columns import read_column
from ..merging import M, merge_neighbours
from ..source import Block, Source
from .column_kinds import as_read
from .table import DatabaseTable

READ = ("number", "text", "date")
"""Kinds of columns that can be read."""


class DatabaseColumns(DatabaseTable):
    """Rows of a query whose blocks are column batches: numbers (NaN where missing), text by codes, dates as datetime64[us]."""

    def __init__(self, table: DatabaseTable) -> None:
        vars(self).update(vars(table))
        self.batch_rows = max(1, table.batch_rows // 8)
        self.kinds = as_read(self.columns.kinds)
        refuse_other_kinds(self.feature_names, self.kinds, READ)

    def as_columns(self) -> DatabaseColumns:
        """Return the table itself."""
        return self

    def require_numbers(self) -> None:
        """Raise an error: batches of columns are no blocks of numbers."""
        raise InputTypeError("X is a table of columns, and numbers are needed here; pass the table that open_table gave.")

    def sum_engine(self) -> None:
        """Return nothing: columns of any kind are read."""

    def _merged(self, first: M, others: Iterator[M]) -> M:
        return merge_neighbours(first, others)

    def reduce(self, pass_: Callable[[Block], M]) -> M:
        """Run a pass over the rows."""
        return Source.reduce(self, pass_)

    @property
    def unlabelled(self) -> int:  # type: ignore[override]
        """How many rows have no label and are left out."""
        return 0 if self.target is None else self.known.unlabelled

    def _require_labels(self) -> None:
        pass

    def blocks(self) -> Iterator[Any]:
        """Stream all rows that have a label, batch by batch."""
        coder = self._coder()
        with closing(self._pieces()) as pieces:
            for batch in cut((self._with_label(piece) for piece in pieces), self.batch_rows):
                yield self._block(batch, coder)

    def _with_label(self, piece: Piece) -> Piece:
        if self.target is None:
            return piece
        known = piece.rows.column(self.n_features).is_valid()
        return piece if known.true_count == len(known) else piece.only(known)

    def _block(self, batch: Batch, coder: Callable[[Any], Codes] | None) -> Any:
        columns = []
        for j, name in enumerate(self.feature_names):
            parts = [piece.rows.column(j) for piece in batch.pieces]
            columns.append(read_column(name, self.kinds[name], parts))
        return ColumnBatch(tuple(columns), None, *self._labelled(batch, coder), batch.start)
