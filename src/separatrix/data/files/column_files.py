"""Rows of files as batches of columns: text by codes, dates, and numbers with gaps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...array_types import Codes
from ...errors import InputTypeError
from ..batches import Batch, Piece
from ..buffers import Buffers
from ..columns import ColumnBatch
from ..features import refuse_other_kinds
from ..merging import M, merge_neighbours
from ..source import chunk_rows
from .arrow_columns import labelled, read_column, weights
from .arrow_types import COLUMN_KINDS
from .file_table import FileTable
from .formats import kinds_of


class ColumnTable(FileTable):
    r"""Rows of files whose blocks are column batches: numbers (NaN where missing), text by codes, dates as datetime64[us].

    Decimals are float64, times of day and durations numbers of seconds. Rows without a label are left out as they are read, and
    `unlabelled` says how many they are; batches begin at multiples of `batch_rows` among the others.

    Parameters
    ----------
    table : FileTable
    schema : its columns, of types that suit all rows

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from separatrix import open_table
    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = Path(folder.name, "visits.csv").write_text("town,pages,buys\nUlm,4,no\nRom,,yes\nUlm,3,\n")
    >>> table = open_table(folder.name, target="buys").as_columns()
    >>> [batch] = table.blocks()
    >>> batch.column(0).categories(), batch.column(1).numbers().tolist(), batch.codes.tolist(), table.unlabelled
    ((array([0, 1], dtype=int32), ['Ulm', 'Rom']), [4.0, nan], [0, 1], 1)
    >>> folder.cleanup()
    """

    is_columns = True

    def __init__(self, table: FileTable, schema: Any) -> None:
        vars(self).update(vars(table))
        self.schema = schema
        self.kinds = kinds_of(schema)
        # Numbers alone, with their gaps, are read as fast as blocks are.
        self._as_codes = any(self.kinds[name] != "number" for name in self._names())
        if table.batch_rows == chunk_rows(table.n_features):  # none were asked for
            self.batch_rows = min(self.batch_rows, self._piece_rows())
        refuse_other_kinds(self.feature_names, self.kinds, COLUMN_KINDS)

    def as_columns(self) -> ColumnTable:
        """Return the table itself."""
        return self

    def require_numbers(self) -> None:
        """Raise an error: batches of columns are no blocks of numbers."""
        raise InputTypeError("X is a table of columns, and numbers are needed here; pass the table that open_table gave.")

    @property
    def unlabelled(self) -> int:  # type: ignore[override]
        """How many rows have no label and are left out, found with the classes by reading the target column."""
        if self.target is None:
            return 0
        if self._unlabelled is None:
            self._find_classes(self.target)
        assert self._unlabelled is not None
        return self._unlabelled

    @property
    def n_rows(self) -> int | None:  # type: ignore[override]
        """Number of rows that have a label, where files say their rows before they are read."""
        return None if self.stored_rows is None else self.stored_rows - self.unlabelled

    def _piece_rows(self) -> int:
        # An eighth of the rows of a block: they are held as Arrow's, as arrays, and text as Python's strings too.
        return min(super()._piece_rows(), max(1, chunk_rows(self.n_features) // 8)) if self._as_codes else super()._piece_rows()

    def _require_kinds(self) -> None:
        pass

    def _kept(self, piece: Piece) -> Piece:
        return piece if self.target is None else labelled(piece, self.target)

    def _merged(self, first: M, others: Iterator[M]) -> M:
        return merge_neighbours(first, others)

    def _block(self, batch: Batch, coder: Callable[[Piece], Codes] | None, buffers: Buffers) -> Any:
        columns = tuple(
            read_column(name, self.kinds[name], [piece.rows.column(name) for piece in batch.pieces]) for name in self.feature_names
        )
        codes = None if coder is None else np.concatenate([coder(piece) for piece in batch.pieces])
        weight = None if self.weight is None else np.concatenate([weights(piece, self.weight) for piece in batch.pieces])
        return ColumnBatch(columns, None, codes, weight, batch.start)
