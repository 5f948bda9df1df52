"""Rows in Parquet, Arrow or CSV files, streamed block by block."""

from __future__ import annotations

import copy
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..argument_types import check_arguments
from ..array_types import Codes
from ..errors import InputError
from .arrow_columns import column, distinct_labels, numbers, text_codes, weights
from .batches import Batch, Piece, cut, read_ahead
from .features import choose_features, refuse_differences
from .formats import Stamp, count_rows, is_single, kind_of, kinds_of, read_file, schema_of, stamp_of
from .labels import check_classes, code_table, encode, find_classes
from .paths import find_files
from .source import Block, Source, chunk_rows
from .threads import ordered_map, single_threaded_blas, thread_count

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
        A file, a folder or a glob: Parquet (.parquet, .pq), Arrow (.arrow, .feather, .ipc) or text (.csv, .tsv, also .gz).
        The rows come in the order of the sorted files; those of a list in the order of the list.
    target : str, optional
        Column of the labels: whole numbers, text, categories or booleans. Not needed to predict.
    columns : list of str, optional
        Columns of the features, in this order; all but `target` and `weight` if not given. They must hold numbers or booleans.
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
    schemas = {file: schema_of(file, kind, target) for file in files}
    schema = schemas[files[0]]
    features = choose_features(kinds_of(schema, kind), columns, target, weight)
    used = [*features, *(name for name in (target, weight) if name is not None)]
    refuse_differences(schemas, None if columns is None else used)
    table = FileTable(stamps, kind, schema, features, target, weight)
    table.batch_rows = batch_rows or table.batch_rows
    table.n_jobs = n_jobs
    return table if classes is None else table.with_classes(classes)


class FileTable(Source):
    """Rows of files, as :func:`open_table` gives them.

    A thread reads ahead; what it reads is turned into blocks on the threads that run the pass. Rows keep their order, and
    blocks begin at multiples of `batch_rows`, so neither the threads nor the way the files are cut change a result.
    """

    feature_names: tuple[str, ...]

    def __init__(
        self, stamps: Mapping[str, Stamp], kind: str, schema: Any, features: Sequence[str], target: str | None, weight: str | None
    ) -> None:
        self.files, self.stamps, self.kind, self.schema = tuple(stamps), stamps, kind, schema
        self.n_rows = sum(map(count_rows, self.files)) if kind == "parquet" else None
        self.feature_names, self.n_features = tuple(features), len(features)
        self.target, self.weight = target, weight
        self.dtype = self._dtype()
        self.batch_rows = chunk_rows(self.n_features)
        self._classes: NDArray[Any] | None = None

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
        coder = self._coder()
        with closing(self._pieces()) as pieces:
            for batch in cut(pieces, self.batch_rows):
                yield self._block(batch, coder)

    def map(self, function: Callable[[Block], R]) -> Iterator[R]:
        """Yield function(block) in order; what is read becomes a block on the threads as well."""
        coder = self._coder()
        # closing: an error in the function must stop the reading thread even while its traceback keeps this frame alive.
        with single_threaded_blas(), closing(self._pieces()) as pieces:
            batches = cut(pieces, self.batch_rows)
            yield from ordered_map(lambda batch: function(self._block(batch, coder)), batches, thread_count(self.n_jobs))

    def _pieces(self) -> Generator[Piece]:
        """Read the columns needed, ahead of who takes them."""
        threads = thread_count(self.n_jobs)
        names = [*self.feature_names, *(name for name in (self.target, self.weight) if name is not None)]
        read = (
            piece
            for file in self.files
            for piece in read_file(file, self.stamps[file], self.kind, self._types(names), chunk_rows(self.n_features), threads > 1)
        )
        return read if threads == 1 else read_ahead(read, READ_AHEAD)

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
        """Return the distinct labels, reading no other column, several files at a time."""
        is_text = kind_of(self.schema.field(name).type) == "text"

        def distinct(file: str) -> list[NDArray[Any]]:
            pieces = read_file(file, self.stamps[file], self.kind, self._types([name]), chunk_rows(1), use_threads=False)
            return [distinct_labels(piece, name, is_text) for piece in pieces]

        found = [part for parts in ordered_map(distinct, self.files, thread_count(self.n_jobs)) for part in parts]
        if not found:
            raise InputError("There are no rows in the data; at least one is needed.")
        return find_classes(np.concatenate(found))
