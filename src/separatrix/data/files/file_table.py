"""Rows in Parquet, Arrow, CSV or JSON files, streamed block by block."""

from __future__ import annotations

import copy
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...array_types import Codes, Ints
from ...errors import InputError, no_rows
from ..batches import Batch, Piece, cut, read_ahead
from ..buffers import Buffers
from ..features import refuse_text, require_column
from ..key_hash import key_numbers
from ..labels import check_classes, code_table, encode, find_classes, joined_labels
from ..source import Block, Source, chunk_rows
from ..stored_block import Columns, StoredBlock
from ..threads import ordered_map, single_threaded_blas, thread_count
from .arrow_columns import LEAVE_OUT, column, distinct_labels, key_values, label_numbers, numbers, text_codes, weights
from .arrow_types import is_single, kind_of
from .file_parts import FilePart, read_part
from .formats import Stamp, as_text, joined_rows, kinds_of, settled_schema
from .reading import ReadingSize, counted
from .row_filter import RowFilter

if TYPE_CHECKING:
    from .column_files import ColumnTable

R = TypeVar("R")

PORTION = 8
"""Blocks of a piece of a table that a worker of a cluster reads: 100 megabytes."""
LEAST_READ = 4_096
"""Rows that are read at once however few a block has."""
PIECE = 2
"""Blocks whose rows are read at once, 25 megabytes: half a page of a Parquet column. Whole pages take the same time, and more memory, which
grows with what the allocator leaves between them: 370 to 440 MB for LDA on 5,000,000 × 50 in place of 350."""
READ_AHEAD = 1
"""Batches read and not yet taken by a pass, the one under way included."""


class FileTable(Source):
    """Rows of files, as :func:`open_table` gives them: blocks of numbers, or by `as_columns` batches of columns of any types.

    A thread reads ahead; what it reads is turned into blocks on the threads that run the pass. Rows keep their order, and
    blocks begin at multiples of `batch_rows`, so neither the threads nor the way the files are cut change a result.
    """

    feature_names: tuple[str, ...]
    _as_codes: bool = False
    """Whether text is read as codes of its distinct values."""
    one_decoder: bool = False
    """Whether one thread decodes, which holds less memory: where others have enough to do meanwhile."""
    beside: tuple[str, ...] = ()
    """Columns that are read as they are stored, see `map_beside`."""
    is_portion: bool = False
    """Whether these are some rows of a table, which may well all have weight 0."""

    def __init__(
        self,
        stamps: Mapping[str, Stamp],
        kind: str,
        schema: Any,
        features: Sequence[str],
        target: str | None,
        weight: str | None,
        parts: Sequence[FilePart],
        where: RowFilter | None = None,
    ) -> None:
        self.files, self.stamps, self.kind, self.schema = tuple(stamps), stamps, kind, schema
        self.parts, self.where = tuple(parts), where
        self.feature_names, self.n_features = tuple(features), len(features)
        self.target, self.weight = target, weight
        self.dtype = self._dtype()
        self.batch_rows = chunk_rows(self.n_features)
        self._classes: NDArray[Any] | None = None
        self._settled: Any = None
        self._unlabelled: int | None = None

    @property
    def stored_rows(self) -> int | None:
        """Number of rows in the files, which only Parquet says before they are read; None where some of them are left out."""
        rows = [part.rows for part in self.parts]
        return None if self.where is not None or None in rows else sum(n for n in rows if n is not None)

    @property
    def n_rows(self) -> int | None:  # type: ignore[override]
        """Number of rows, where it is known before they are read."""
        return self.stored_rows

    def reading(self) -> ReadingSize:
        """Return the rows and the bytes of the files, all columns among them."""
        return ReadingSize(self.stored_rows, sum(size for size, _ in self.stamps.values()))

    def portions(self) -> list[Self]:
        """Return the table in pieces of some row groups, or a file, each: what the workers of a cluster read."""
        return [self._portion([part]) for whole in self.parts for part in whole.pieces(PORTION * self.batch_rows)]

    def _portion(self, parts: Sequence[FilePart]) -> Self:
        table = copy.copy(self)
        table.parts, table.n_jobs, table.is_portion = tuple(parts), 1, True
        table.stamps = {part.file: part.stamp for part in parts}
        table.files = tuple(table.stamps)
        return table

    def key_numbers(self, name: str, seed: int = 0) -> Ints:
        """Return a number for each row by the hash of its key, read from a column that need be no feature."""
        require_column("key", name, self.schema.names)
        found = [key_numbers(key_values(column(piece, name)), seed, name) for piece in self._pieces_of(self._with_target(name))]
        return np.concatenate(found) if found else np.empty(0, dtype=np.int64)

    def row_label(self, i: int) -> str:
        """Return how messages name row i: its number within its file, which is read up to there."""
        for piece in self._pieces_of(self._with_target(self.feature_names[0])):
            if i < len(piece):
                return f"{piece.row_of(i)} of {piece.file!r}"
            i -= len(piece)
        return super().row_label(i)

    def _with_target(self, name: str) -> list[str]:
        """Return a column and that of the labels, which says what rows are left out."""
        return [name] if self.target in (None, name) else [name, str(self.target)]

    def counted(self) -> tuple[int, NDArray[Any] | None]:
        """Return the number of rows and the distinct labels, by reading no more than the target column."""
        stored = self.stored_rows
        if self.target is None and stored is not None:
            return stored, None
        name = self.target or self.feature_names[0]
        is_text = kind_of(self.schema.field(name).type) == "text"
        found = [(len(piece), distinct_labels(piece, name, is_text) if self.target else None) for piece in self._pieces_of([name])]
        labels = [each for _, each in found if each is not None and len(each)]
        return sum(n for n, _ in found), joined_labels(labels, name) if labels else None

    def _dtype(self) -> np.dtype[Any]:
        single = all(is_single(self.schema.field(name).type) for name in self.feature_names)
        return np.dtype(np.float32 if single else np.float64)

    @property
    def origin(self) -> tuple[Any, ...]:  # type: ignore[override]
        """The files and what is read from them as labels, weights and rows."""
        return self.files, self.target, self.weight, str(self.where)

    def only(self, columns: Any) -> Self:
        """Return the same rows with some of their columns, by number; the others are no longer read."""
        table = copy.copy(self)
        table.feature_names = tuple(self.feature_names[j] for j in columns)
        table.n_features, table.dtype = len(table.feature_names), table._dtype()
        return table

    def as_columns(self) -> ColumnTable:
        """Return the same rows as batches of columns: text by codes, dates, numbers with gaps.

        What the first part of a CSV tells of its columns is checked on all of it first: a column of numbers that holds text later on is
        text from its first row.
        """
        from .column_files import ColumnTable

        if self._settled is None:
            labels = [] if self.target is None else [self.target]
            read = list(dict.fromkeys([*self.feature_names, *labels, *self.beside]))  # weights are numbers or refused
            self._settled = settled_schema(self.stamps, self.kind, self.schema, read)
        return ColumnTable(self, self._settled)

    def with_text(self, names: Sequence[str]) -> Self:
        """Return the table with some columns of a CSV read as text, also where all of them look like numbers: 01234 is not 1234."""
        table = copy.copy(self)
        table.schema, table._settled = as_text(self.schema, self.kind, names), None
        return table

    def arrow(self) -> Any:
        """Return all rows as an Arrow table in memory, the columns of labels and weights among them; a frame, as `compare` takes one."""
        table = self.as_columns()
        with closing(table._pieces()) as pieces:
            return joined_rows((piece.rows for piece in pieces), table.schema, self.target)

    def without_labels(self) -> Self:
        """Return the rows alone, all of them: neither labels nor weights are read."""
        table = copy.copy(self)
        table.target = table.weight = table._classes = None
        return table

    def require_numbers(self) -> None:
        """Raise an error that names the columns which are not numbers, before any row is read."""
        refuse_text(self.feature_names, kinds_of(self.schema))

    @property
    def classes(self) -> NDArray[Any] | None:  # type: ignore[override]
        """Sorted labels, found by reading the target column when first asked for."""
        if self._classes is None and self.target is not None:
            self._classes = self._find_classes(self.target)
        return self._classes

    def with_classes(self, classes: Any) -> Self:
        """Return the same rows with their labels coded by the `classes` announced."""
        if self.target is None:
            raise InputError(f"classes={classes!r} needs a target; name its column: open_table(…, target='y').")
        known = check_classes(classes)
        type_ = self.schema.field(self.target).type
        if (kind_of(type_) == "text") != all(isinstance(label, str) for label in known.tolist()):
            raise InputError(
                f"classes={known.tolist()} are not of the type of the target column {self.target!r}, which is {type_}; "
                "list the labels as they stand in the table."
            )
        table = copy.copy(self)
        table._classes = known
        return table

    def blocks(self) -> Iterator[Block]:
        """Yield all rows, block by block."""
        self._require_kinds()
        coder = self._coder()
        buffers, sums = Buffers(), list[float]()
        with closing(self._pieces()) as pieces:
            for batch in cut(pieces, self.batch_rows):
                block = self._block(batch, coder, buffers)
                sums.append(_sum(block.weight))
                yield block
        self._require_weight(sums)

    def map(self, function: Callable[[Block], R]) -> Iterator[R]:
        """Yield function(block) in order; what is read becomes a block on the threads as well."""
        self._require_kinds()
        coder = self._coder()
        buffers, sums = Buffers(), list[float]()

        def on_block(batch: Batch) -> R:
            block = self._block(batch, coder, buffers)
            sums.append(_sum(block.weight))
            return function(block)

        # closing: an error in the function must stop the reading thread even while its traceback keeps this frame alive.
        with single_threaded_blas(), closing(self._pieces()) as pieces:
            yield from ordered_map(on_block, cut(pieces, self.batch_rows), thread_count(self.n_jobs))
        self._require_weight(sums)

    def _require_weight(self, sums: Sequence[float]) -> None:
        """Raise an error where the weights of all blocks, by their sums, leave no row, or more than numbers hold."""
        total = _sum(np.array(sums))
        if self.is_portion or not sums or 0.0 < total < np.inf:
            return
        if total == 0.0:
            raise InputError(
                f"All weights in column {self.weight!r} are zero, so no row would count; name a column with some positive weights, or "
                "leave weight= out."
            )
        raise InputError(f"The sum of the weights in column {self.weight!r} is infinite in float64; divide them by a large number.")

    def with_beside(self, names: Sequence[str]) -> Self:
        """Return the same rows with columns that `map_beside` gives as they are stored."""
        table = copy.copy(self)
        table.beside, table._settled = tuple(names), None
        return table

    def map_beside(self, function: Callable[[Block], R]) -> Iterator[tuple[R, dict[str, list[Any]]]]:
        """Yield function(block) in order, labels aside, and the columns of `with_beside` as lists of Arrow arrays."""
        self._require_kinds()

        def both(batch: Batch) -> tuple[R, dict[str, list[Any]]]:
            stored = {name: [piece.rows.column(name) for piece in batch.pieces] for name in self.beside}
            return function(self._block(batch, None, Buffers())), stored

        with single_threaded_blas(), closing(self._pieces()) as pieces:
            yield from ordered_map(both, cut(pieces, self.batch_rows), thread_count(self.n_jobs))

    def _pieces(self) -> Generator[Piece]:
        """Read the columns needed, ahead of who takes them."""
        threads = thread_count(self.n_jobs)
        read = self._read(threads > 1 and not self.one_decoder)
        return read if threads == 1 else read_ahead(read, READ_AHEAD)

    def _read(self, use_threads: bool) -> Generator[Piece]:
        for part in self.parts:
            for piece in self._part(part, self._names(), use_threads, self._as_codes):
                yield self._kept(piece)

    def _part(self, part: FilePart, names: Sequence[str], use_threads: bool, as_codes: bool = False) -> Generator[Piece]:
        return read_part(part, self.kind, self.schema, names, self.where, self._piece_rows(), use_threads, as_codes)

    def _pieces_of(self, names: Sequence[str]) -> Iterator[Piece]:
        return (self._kept(piece) for part in self.parts for piece in self._part(part, names, False))

    def _piece_rows(self) -> int:
        """Return about how many rows are read at once: those of a few blocks."""
        return min(PIECE * chunk_rows(self.n_features), max(PIECE * self.batch_rows, LEAST_READ))

    def _require_kinds(self) -> None:
        self.require_numbers()

    def _kept(self, piece: Piece) -> Piece:
        """Return the rows of a piece that are there for a pass: here all."""
        return piece

    def _names(self) -> list[str]:
        about = [name for name in (self.target, self.weight) if name is not None]
        return list(dict.fromkeys([*self.feature_names, *about, *self.beside]))

    def _block(self, batch: Batch, coder: Callable[[Piece], Codes] | None, buffers: Buffers) -> Block:
        arrays = [_joined([numbers(column(piece, name)) for piece in batch.pieces]) for name in self.feature_names]
        codes = None if coder is None else np.concatenate([coder(piece) for piece in batch.pieces])
        weight = None if self.weight is None else np.concatenate([weights(piece, self.weight) for piece in batch.pieces])
        return StoredBlock(Columns(arrays, self.dtype, buffers), codes, weight, batch.start)

    def no_rows(self) -> InputError:
        """Return the error that there are no rows, or none that meet the conditions."""
        return no_rows() if self.where is None else self.where.nothing()

    def _coder(self) -> Callable[[Piece], Codes] | None:
        """Return the function from a piece to the codes of its labels."""
        if self.target is None or self.classes is None:
            return None
        name, classes = self.target, self.classes
        if kind_of(self.schema.field(name).type) == "text":
            by_label = {label: code for code, label in enumerate(classes.tolist())}
            return lambda piece: text_codes(column(piece, name, LEAVE_OUT), classes, by_label)
        table = code_table(classes)
        return lambda piece: encode(label_numbers(column(piece, name, LEAVE_OUT)), classes, table)

    def _find_classes(self, name: str) -> NDArray[Any]:
        """Return the distinct labels, reading no other column, several files at a time; rows left out for want of a label are counted."""
        is_text = kind_of(self.schema.field(name).type) == "text"

        def distinct(part: FilePart) -> tuple[int, list[tuple[int, NDArray[Any]]]]:
            rows, found = 0, []
            for piece in read_part(part, self.kind, self.schema, [name], self.where, chunk_rows(1), use_threads=False):
                kept = self._kept(piece)
                found.append((len(piece) - len(kept), distinct_labels(kept, name, is_text)))
                rows += len(piece)
            return rows, found

        parts = ordered_map(distinct, self.parts, thread_count(self.n_jobs))
        found = [each for own in counted(parts, self.reading(), "find classes") for each in own]
        self._unlabelled = sum(n for n, _ in found)
        labels = [each for _, each in found if len(each)]
        if not labels and self._unlabelled:
            raise InputError(f"All {self._unlabelled} rows lack a label: column {name!r} is empty; name that of the labels as target.")
        if not labels:
            raise self.no_rows()
        return find_classes(joined_labels(labels, name))


def _sum(weight: NDArray[Any] | None) -> float:
    """Return the sum of weights, infinite where it is too large; 1 where every row counts once."""
    with np.errstate(over="ignore"):
        return 1.0 if weight is None else float(weight.sum())


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
