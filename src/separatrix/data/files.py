"""Rows in Parquet, Arrow, CSV or JSON files, streamed block by block."""

from __future__ import annotations

import copy
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..argument_types import check_arguments
from ..array_types import Codes
from ..errors import InputError
from .arrow_columns import column, distinct_labels, numbers, text_codes, weights
from .arrow_types import is_single, kind_of
from .batches import Batch, Piece, cut, read_ahead
from .features import choose_features, refuse_differences, refuse_text
from .formats import (
    Stamp,
    count_rows,
    joined_rows,
    kinds_of,
    read_file,
    refuse_other_encodings,
    schema_of,
    settled_schema,
    shared_types,
    stamp_of,
)
from .labels import check_classes, code_table, encode, find_classes
from .paths import find_files
from .source import Block, Source, chunk_rows
from .threads import ordered_map, single_threaded_blas, thread_count

if TYPE_CHECKING:
    from .column_files import ColumnTable

R = TypeVar("R")

READ_AHEAD = 1
"""Batches read and not yet taken by a pass, the one under way included."""


def open_table(
    path: Any,
    target: str | None = None,
    *,
    columns: Sequence[str] | None = None,
    weight: str | None = None,
    classes: Any = None,
    batch_rows: int | None = None,
    n_jobs: int | None = None,
) -> FileTable:
    r"""Open files as a table that is read in blocks whenever a model needs its rows, and never held in memory.

    Parameters
    ----------
    path : str, path, or a list of them
        A file, a folder or a glob: Parquet (.parquet, .pq), Arrow (.arrow, .feather, .ipc), text with a header (.csv, .tsv; delimited
        by , ; | or tabs, as the header is) or JSON lines (.jsonl, .ndjson); the last two also with .gz, .bz2, .zst or .xz after it.
        The rows come in the order of the sorted files; those of a list in the order of the list.
    target : str, optional
        Column of the labels: whole numbers, text, categories or booleans. Not needed to predict.
    columns : list of str, optional
        Columns of the features, in this order; all but `target` and `weight` if not given. Most models need numbers or booleans;
        text, dates and missing values are there for those that take tables, as batches of columns: see `FileTable.as_columns`.
    weight : str, optional
        Column of the weights.
    classes : list of labels, optional
        All labels there are. If not given they are found by reading the target column alone, once, when they are needed.
    batch_rows : int, optional
        Rows of a block, about 12 megabytes of them by default.
    n_jobs : int, optional
        Threads, see :func:`separatrix.data.threads.thread_count`. With one, nothing is read ahead.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = Path(folder.name, "visits.csv").write_text("age,pages,buys\n31,4,no\n47,9,yes\n")
    >>> table = open_table(folder.name + "/*.csv", target="buys")
    >>> table.feature_names, table.classes.tolist(), [block.X.tolist() for block in table.blocks()]
    (('age', 'pages'), ['no', 'yes'], [[[31.0, 4.0], [47.0, 9.0]]])
    >>> folder.cleanup()
    """
    check_arguments(open_table, locals())
    if batch_rows is not None and batch_rows < 1:
        raise InputError(f"batch_rows={batch_rows}: a block needs at least one row; leave it out for about 12 megabytes.")
    files, kind = find_files(path)
    stamps = {file: stamp_of(file) for file in files}
    read = {file: schema_of(file, kind, target) for file in files}
    schemas = shared_types(read, kind)
    schema = schemas[files[0]]
    refuse_other_encodings(read, kind, [name for name in (target, weight) if name is not None])
    features = choose_features(kinds_of(schema), columns, target, weight)
    used = [*features, *(name for name in (target, weight) if name is not None)]
    refuse_other_encodings(read, kind, used)
    refuse_differences(schemas, None if columns is None else used)
    table = FileTable(stamps, kind, schema, features, target, weight)
    table.batch_rows = batch_rows or table.batch_rows
    table.n_jobs = n_jobs
    return table if classes is None else table.with_classes(classes)


class FileTable(Source):
    """Rows of files, as :func:`open_table` gives them: blocks of numbers, or by `as_columns` batches of columns of any types.

    A thread reads ahead; what it reads is turned into blocks on the threads that run the pass. Rows keep their order, and
    blocks begin at multiples of `batch_rows`, so neither the threads nor the way the files are cut change a result.
    """

    feature_names: tuple[str, ...]
    _as_codes: bool = False
    """Whether text is read as codes of its distinct values."""
    beside: tuple[str, ...] = ()
    """Columns that are read as they are stored."""

    def __init__(
        self, stamps: Mapping[str, Stamp], kind: str, schema: Any, features: Sequence[str], target: str | None, weight: str | None
    ) -> None:
        self.files, self.stamps, self.kind, self.schema = tuple(stamps), stamps, kind, schema
        self.stored_rows = sum(map(count_rows, self.files)) if kind == "parquet" else None
        self.feature_names, self.n_features = tuple(features), len(features)
        self.target, self.weight = target, weight
        self.dtype = self._dtype()
        self.batch_rows = chunk_rows(self.n_features)
        self._classes: NDArray[Any] | None = None
        self._settled: Any = None
        self._unlabelled: int | None = None

    @property
    def n_rows(self) -> int | None:  # type: ignore[override]
        """Number of rows, which only Parquet files say before they are read."""
        return self.stored_rows

    def _dtype(self) -> np.dtype[Any]:
        single = all(is_single(self.schema.field(name).type) for name in self.feature_names)
        return np.dtype(np.float32 if single else np.float64)

    @property
    def origin(self) -> tuple[Any, ...]:  # type: ignore[override]
        """The files and what is read from them as labels and weights."""
        return self.files, self.target, self.weight

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
            read = [*self.feature_names, *([] if self.target is None else [self.target])]  # weights are numbers or refused
            self._settled = settled_schema(self.stamps, self.kind, self.schema, read)
        return ColumnTable(self, self._settled)

    def arrow(self) -> Any:
        """Return all rows as an Arrow table in memory, the columns of labels and weights among them; a frame, as `compare` takes one."""
        with closing(self.as_columns()._pieces()) as pieces:
            return joined_rows((piece.rows for piece in pieces), self.target)

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
        with closing(self._pieces()) as pieces:
            for batch in cut(pieces, self.batch_rows):
                yield self._block(batch, coder)

    def map(self, function: Callable[[Block], R]) -> Iterator[R]:
        """Yield function(block) in order; what is read becomes a block on the threads as well."""
        self._require_kinds()
        coder = self._coder()
        # closing: an error in the function must stop the reading thread even while its traceback keeps this frame alive.
        with single_threaded_blas(), closing(self._pieces()) as pieces:
            batches = cut(pieces, self.batch_rows)
            yield from ordered_map(lambda batch: function(self._block(batch, coder)), batches, thread_count(self.n_jobs))

    def with_beside(self, names: Sequence[str]) -> Self:
        """Return the same rows with columns that `map_beside` gives as they are stored, beside what is made of the others."""
        table = copy.copy(self)
        table.beside = tuple(name for name in names)
        return table

    def map_beside(self, function: Callable[[Block], R]) -> Iterator[tuple[R, dict[str, list[Any]]]]:
        """Yield function(block) in order, and the columns of `with_beside` as lists of Arrow arrays."""
        self._require_kinds()
        used = set(self.beside)

        def both(batch: Batch) -> tuple[R, dict[str, list[Any]]]:
            return function(self._block(batch, None)), {name: [piece.rows.column(name) for piece in batch.pieces] for name in used}

        with single_threaded_blas(), closing(self._pieces()) as pieces:
            yield from ordered_map(both, cut(pieces, self.batch_rows), thread_count(self.n_jobs))

    def _pieces(self) -> Generator[Piece]:
        """Read the columns needed, ahead of who takes them."""
        threads = thread_count(self.n_jobs)
        read = self._read(threads > 1)
        return read if threads == 1 else read_ahead(read, READ_AHEAD)

    def _read(self, use_threads: bool) -> Generator[Piece]:
        types, as_codes = self._types(self._names()), self._as_codes
        for file in self.files:
            for piece in read_file(file, self.stamps[file], self.kind, types, self._piece_rows(), use_threads, as_codes):
                yield self._kept(piece)

    def _piece_rows(self) -> int:
        """Return about how many rows are read at once."""
        return chunk_rows(self.n_features)

    def _require_kinds(self) -> None:
        self.require_numbers()

    def _kept(self, piece: Piece) -> Piece:
        """Return the rows of a piece that are there for a pass: here all."""
        return piece

    def _names(self) -> list[str]:
        own = [*self.feature_names, *(name for name in (self.target, self.weight) if name is not None)]
        return list(dict.fromkeys([*own, *self.beside]))

    def _types(self, names: Sequence[str]) -> dict[str, Any]:
        return {name: self.schema.field(name).type for name in names}

    def _block(self, batch: Batch, coder: Callable[[Piece], Codes] | None) -> Block:
        # Columns are copied whole into an array that keeps columns together (Fortran order): 0.9 ms for 31,250 × 50, and the pass
        # turns its tiles over in cache, 2.1 ms. Keeping rows together at once takes 3.7 ms, pyarrow's to_tensor 2.7 to 3.7.
        X = np.empty((len(batch), self.n_features), dtype=self.dtype, order="F")
        row = 0
        for piece in batch.pieces:
            for j, name in enumerate(self.feature_names):
                X[row : row + len(piece), j] = numbers(column(piece, name))
            row += len(piece)
        codes = None if coder is None else np.concatenate([coder(piece) for piece in batch.pieces])
        weight = None if self.weight is None else np.concatenate([weights(piece, self.weight) for piece in batch.pieces])
        return Block(X, codes, weight, batch.start)

    def _coder(self) -> Callable[[Piece], Codes] | None:
        """Return the function from a piece to the codes of its labels."""
        if self.target is None or self.classes is None:
            return None
        name, classes = self.target, self.classes
        if kind_of(self.schema.field(name).type) == "text":
            by_label = {label: code for code, label in enumerate(classes.tolist())}
            return lambda piece: text_codes(column(piece, name), classes, by_label)
        table = code_table(classes)
        return lambda piece: encode(numbers(column(piece, name)), classes, table)

    def _find_classes(self, name: str) -> NDArray[Any]:
        """Return the distinct labels, reading no other column, several files at a time; rows left out for want of a label are counted."""
        is_text = kind_of(self.schema.field(name).type) == "text"

        def distinct(file: str) -> list[tuple[int, NDArray[Any]]]:
            pieces = read_file(file, self.stamps[file], self.kind, self._types([name]), chunk_rows(1), use_threads=False)
            with_labels = ((len(piece), self._kept(piece)) for piece in pieces)
            return [(n - len(kept), distinct_labels(kept, name, is_text)) for n, kept in with_labels]

        found = [part for parts in ordered_map(distinct, self.files, thread_count(self.n_jobs)) for part in parts]
        self._unlabelled = sum(n for n, _ in found)
        labels = [each for _, each in found if len(each)]
        if not labels and self._unlabelled:
            raise InputError(f"All {self._unlabelled} rows lack a label: column {name!r} is empty; name that of the labels as target.")
        if not labels:
            raise InputError("There are no rows in the data; at least one is needed.")
        return find_classes(np.concatenate(labels))
