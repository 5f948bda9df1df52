"""The source and its blocks: where rows are, in which pieces they come, how a pass runs over them and how what comes back is merged."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from copy import copy
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..array_types import Codes, Floats, Ints
from ..errors import InputError, InputTypeError, no_rows
from ..thresholds import THREADS
from .buffers import Buffers
from .files.reading import ReadingSize, told
from .labels import Labels
from .merging import M, merge_each
from .sum_engine import SumEngine
from .threads import ended, ordered_map, single_threaded_blas, thread_count

Rows = Any
"""A float32/float64 array of two dimensions, or a scipy CSR array."""


@dataclass(frozen=True, slots=True)
class Block:
    """Rows n × p, the codes of their classes, their weights, and where in the source they begin.

    Parameters
    ----------
    X : ndarray of float32 or float64 in any memory order, or csr_array
    codes : ndarray of int32 or None
        Position of each row's label in the source's `classes`.
    weight : ndarray of float64 or None
        None means that every row counts once.
    start : int
        Number of the first row within the source.

    Examples
    --------
    >>> block = Block(np.eye(3), np.array([0, 1, 1], dtype=np.int32))
    >>> [tile.X.shape for tile in block.tiles(2)]
    [(2, 3), (1, 3)]
    """

    X: Rows
    codes: Codes | None = None
    weight: Floats | None = None
    start: int = 0

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.X.shape[1])

    @property
    def is_sparse(self) -> bool:
        """Whether X is a CSR array."""
        sparse: bool = sp.issparse(self.X)
        return sparse

    @property
    def columns(self) -> Sequence[NDArray[Any]] | None:
        """The columns of dense rows, where the values of each lie together in memory; else None."""
        X = self.X
        by_columns = isinstance(X, np.ndarray) and X.shape[1] > 1 and X.strides[0] == X.itemsize
        return list(X.T) if by_columns else None

    def part(self, begin: int, end: int) -> Block:
        """Return rows begin to end without copying them."""
        X = csr_rows(self.X, begin, end) if self.is_sparse else self.X[begin:end, :]
        codes = None if self.codes is None else self.codes[begin:end]
        weight = None if self.weight is None else self.weight[begin:end]
        return Block(X, codes, weight, self.start + begin)

    def tiles(self, rows: int) -> Iterator[Block]:
        """Yield parts of at most `rows` rows whose dense X is C-contiguous float32 or float64, copied only if it is not."""
        buffers = Buffers()
        for begin in range(0, self.n_rows, rows):
            tile = self.part(begin, min(begin + rows, self.n_rows))
            if isinstance(tile.X, np.ndarray):
                X = buffers.by_rows(as_float(tile.X))
                tile = Block(X, tile.codes, tile.weight, tile.start)
            yield tile

    def dense(self) -> NDArray[np.floating]:
        """Return X as a dense float array."""
        return self.X.toarray() if self.is_sparse else as_float(self.X)


def as_float(X: NDArray[Any]) -> NDArray[np.floating]:
    """Return X itself if it is float32 or float64 in native byte order, else a float64 copy.

    Examples
    --------
    >>> as_float(np.array([1, 2], dtype=np.int16)).dtype
    dtype('float64')
    """
    if X.dtype in (np.float64, np.float32) and X.dtype.isnative:
        return X
    return X.astype(np.float64)


def csr_rows(X: Any, begin: int, end: int) -> sp.csr_array:
    """Return rows begin to end of a CSR array as views of its data (scipy's own slicing copies).

    Examples
    --------
    >>> csr_rows(sp.csr_array(np.eye(4)), 1, 3).toarray()
    array([[0., 1., 0., 0.],
           [0., 0., 1., 0.]])
    """
    if begin == 0 and end == X.shape[0] and len(X.data) == X.indptr[end]:
        return X
    low, high = X.indptr[begin], X.indptr[end]
    part = sp.csr_array((end - begin, X.shape[1]), dtype=X.dtype)
    # Set directly: the constructor from a triple would scan and may copy the index arrays.
    part.data, part.indices = X.data[low:high], X.indices[low:high]
    part.indptr = X.indptr[begin : end + 1] - low
    return part


R = TypeVar("R")

CHUNK_BYTES = 12_500_000
"""Rows cut for one thread: 31,250 rows of 50 float64 columns."""


FEW = 16
"""Columns whose dense rows a chunk of sparse ones may equal in number at most: scores of all classes are made of each."""


def chunk_rows(n_features: int, stored: float | None = None) -> int:
    """Return the rows of a chunk: enough to outweigh a p × p summary of it, and a few megabytes where p is small.

    Parameters
    ----------
    n_features : int
    stored : values stored of a sparse row, on average

    Examples
    --------
    >>> chunk_rows(50), chunk_rows(5_000), chunk_rows(5_000, stored=30)
    (31250, 5000, 25201)
    """
    dense = max(CHUNK_BYTES // (8 * max(1, n_features)), n_features, 1)
    return dense if stored is None else max(dense, min(int(CHUNK_BYTES / (16 * (stored + 1.0))), CHUNK_BYTES // (8 * FEW)))


class Source(ABC):
    """Rows somewhere: an array, a frame, files. Blocks come in a fixed order with fixed boundaries.

    Attributes
    ----------
    n_features : int
    feature_names : tuple of str, or None
    classes : sorted labels, or None for rows without labels
    n_rows : int or None where it is not known before a pass
    n_jobs : int or None
        Threads a pass may use, see :func:`separatrix.data.threads.thread_count`.
    unlabelled : int
        Rows left out because they have no label.
    origin : tuple or None
        What tells this table from others without reading it, such as its files; None for rows in memory.
    is_remote : bool
        Whether rows lie on other machines: passes travel there, and only what merges should come back.
    is_streamed : bool
        Whether rows come from the host to a device in every pass, so that what is said of them comes back.
    is_columns : bool
        Whether what comes of files are batches of columns in place of blocks of numbers.
    """

    n_features: int
    feature_names: tuple[str, ...] | None = None
    classes: NDArray[Any] | None = None
    n_rows: int | None = None
    n_jobs: int | None = None
    unlabelled: int = 0
    origin: tuple[Any, ...] | None = None
    is_remote: bool = False
    is_streamed: bool = False
    is_columns: bool = False

    @abstractmethod
    def blocks(self) -> Iterator[Block]:
        """Yield all rows, block by block."""

    @abstractmethod
    def with_classes(self, classes: Any) -> Source:
        """Return the same rows with codes in terms of the classes given; a label outside them is an error."""

    def __array__(self, *_: Any, **__: Any) -> NDArray[Any]:
        """Raise an error: whoever asks for an array, such as a step of scikit-learn, would have all rows in memory without being told."""
        raise InputTypeError(
            "A table stays where it is, and an array is needed here. make_pipeline(TablePrep(), model) reads tables, and scales them; "
            "evaluate, tune and compare take other steps of scikit-learn; and table.arrow() of files has all rows in memory."
        )

    def as_columns(self) -> Source:
        """Return the same rows as batches of columns, where blocks of numbers would not hold them; else as they are."""
        return self

    def with_text(self, names: Sequence[str]) -> Source:
        """Return the same rows with some columns as text, where files would be read as numbers; rows in memory are what they are."""
        return self

    def without_labels(self) -> Source:
        """Return rows to predict, whose labels and weights are not asked for."""
        return self

    def persisted(self) -> Source:
        """Return the same rows for many passes: those on other machines stay in memory there from now on, where they fit."""
        return self

    def unchanged(self) -> AbstractContextManager[None]:
        """Let all passes within read the rows as they are now, where others may write to them meanwhile: a database has snapshots."""
        return nullcontext()

    def require_numbers(self) -> None:  # noqa: B027
        """Raise an error where columns are not numbers, before any row is read; those in memory are looked at when they are opened."""

    def require_host(self) -> None:  # noqa: B027
        """Raise an error where blocks are no arrays of NumPy or SciPy."""

    def only(self, columns: Any) -> Source:
        """Return the same rows with some of their columns, by number."""
        raise InputError(f"A {type(self).__name__} cannot leave out columns; transform the rows it was made of.")

    def settled(self, key: str | None = None) -> Source:
        """Return the same rows in an order that is the same in every pass, with a column to take keys from: here the rows themselves."""
        return self

    def key_numbers(self, name: str, seed: int = 0) -> Ints:
        """Return a number for each row by the hash of its key, a column of the table; see :mod:`separatrix.data.key_hash`."""
        raise InputError(f"The rows have no column {name!r} to take keys from; pass a frame or a table that has one, or groups=keys.")

    def for_totals(self, totals: int) -> Source:
        """Return the same rows in blocks that outweigh a summary of so many numbers, where blocks are cut at will."""
        return self

    def sum_engine(self) -> SumEngine | None:
        """Return what sums the rows where they are; None where a pass has to read them."""
        return None

    def reading(self) -> ReadingSize | None:
        """Return what the next pass has to read, where that is worth telling: of rows in memory it is not."""
        return None

    def map(self, function: Callable[[Block], R]) -> Iterator[R]:
        """Yield function(block) for every block, in order, computed on several threads."""
        with single_threaded_blas(), ended(self.blocks()) as blocks:
            yield from ordered_map(function, blocks, thread_count(self.n_jobs))

    def reduce(self, pass_: Callable[[Block], M]) -> M:
        """Run a pass on every block and merge what comes back, in the order of the blocks."""
        if not callable(pass_):
            raise InputTypeError(f"pass_={pass_!r:.60} must be a function of a block that returns a summary, such as lambda block: ….")
        with closing(self.told(pass_)) as values:
            return self._reduced(values)

    def told(self, function: Callable[[Block], R]) -> Generator[R]:
        """Yield function(block) in order, as `map` does, and tell the listeners how far the pass is where that is worth telling."""
        reading = self.reading()
        yield from self.map(function) if reading is None else told(self.map, function, reading)

    def _reduced(self, values: Iterator[M]) -> M:
        try:
            first = next(values)
        except StopIteration:
            raise self.no_rows() from None
        return self._merged(first, values)

    def _merged(self, first: M, others: Iterator[M]) -> M:
        return merge_each(first, others)

    def no_rows(self) -> InputError:
        """Return the error that there are no rows."""
        return no_rows()

    def refuse_nonfinite(self) -> None:
        """Raise the error that names the first NaN or infinity. Called when a summary of the rows came out non-finite."""
        with ExitStack() as stack:
            blocks = self.blocks()
            if hasattr(blocks, "close"):
                stack.callback(blocks.close)  # a reader of files stops here, not when the error is forgotten
            self._refuse_first(blocks)
        is_weighted = getattr(self, "weight", None) is not None
        what, which = (", or sample_weight weights,", " or the weights") if is_weighted else ("", "")
        raise InputError(
            f"Input X contains values{what} too large to square in float64 (above about 1e150), which leads to infinity; "
            f"rescale the columns{which}."
        )

    def _refuse_first(self, blocks: Iterator[Block]) -> None:
        for block in blocks:
            X = block.X.tocoo() if block.is_sparse else block.X
            bad = ~np.isfinite(X.data if block.is_sparse else X)
            if bad.any():
                place = np.argwhere(bad)[0]
                row, column = (X.row[place[0]], X.col[place[0]]) if block.is_sparse else place
                value = X.data[place[0]] if block.is_sparse else X[row, column]
                kind = "NaN" if np.isnan(value) else "infinity"
                raise InputError(
                    f"Input X contains {kind}: first at row {self.row_label(block.start + int(row))}, {self.column(int(column))}. "
                    "Drop such rows, fill them in, or have it done: make_pipeline(TablePrep(), model)."
                )

    def row_label(self, i: int) -> str:
        """Return how messages name row i: its number, and its label in a frame with an index of its own."""
        return str(i)

    def column(self, j: int) -> str:
        """Return how messages name column j."""
        if isinstance(j, bool) or not isinstance(j, int | np.integer) or not 0 <= j < self.n_features:
            raise InputError(f"j={j!r:.60} must be the number of a column, from 0 to {self.n_features - 1}.")
        return f"column {self.feature_names[j]!r}" if self.feature_names else f"column {j}"


def unchanged(X: Any) -> AbstractContextManager[None]:
    """Let all passes within read the rows of a table as they are now; whatever else X is stays what it is anyway."""
    return X.unchanged() if isinstance(X, Source) else nullcontext()


class ChunkedSource(Source):
    """Rows in memory, cut into chunks whose boundaries depend on the shape alone."""

    n_rows: int
    labels: Labels | None = None
    weight: Floats | None = None
    least_rows: int = 1
    """Rows of a chunk, at least."""

    @abstractmethod
    def rows(self, begin: int, end: int) -> Any:
        """Return rows begin to end as a block's X."""

    @property
    def classes(self) -> NDArray[Any] | None:  # type: ignore[override]
        """Sorted labels."""
        return None if self.labels is None else self.labels.classes

    def with_classes(self, classes: Any) -> ChunkedSource:
        """Return the same rows with codes in terms of the classes given."""
        other = copy(self)
        other.labels = None if self.labels is None else self.labels.coded_by(classes)
        return other

    def for_totals(self, totals: int) -> ChunkedSource:
        """Return the same rows in chunks of as many values as a summary has, at least; of sparse rows, stored ones count."""
        other = copy(self)
        other.least_rows = totals * self.n_rows // max(self.values, 1)
        return other

    def chunk(self, begin: int) -> Block:
        """Return the chunk that begins at a row."""
        end = min(begin + self._step, self.n_rows)
        codes = None if self.labels is None else self.labels.codes(begin, end)
        weight = None if self.weight is None else self.weight[begin:end]
        return Block(self.rows(begin, end), codes, weight, begin)

    @property
    def chunk_rows(self) -> int:
        """Rows of a chunk."""
        return chunk_rows(self.n_features)

    @property
    def values(self) -> int:
        """Values that a pass reads."""
        return self.n_rows * self.n_features

    def blocks(self) -> Iterator[Block]:
        """Yield the chunks in order."""
        return map(self.chunk, range(0, self.n_rows, self._step))

    @property
    def _step(self) -> int:
        return max(self.chunk_rows, self.least_rows)

    def map(self, function: Callable[[Block], R]) -> Iterator[R]:
        """Yield function(block) in order; labels are encoded and frames converted on the threads as well."""
        starts = range(0, self.n_rows, self._step)
        if len(starts) == 1:
            return iter((function(self.chunk(0)),))
        return self._map_chunks(function, starts)

    def _map_chunks(self, function: Callable[[Block], R], starts: range) -> Iterator[R]:
        threads = thread_count(self.n_jobs) if THREADS.reached(self.values) else 1
        with single_threaded_blas():
            yield from ordered_map(lambda begin: function(self.chunk(begin)), starts, threads)
