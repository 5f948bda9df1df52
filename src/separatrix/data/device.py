"""Rows that stay where they are: arrays of torch, CuPy or JAX, on any device, as a source of blocks.

A block's X, codes and weight are arrays of that library on that device. Passes over them return NumPy summaries or arrays of the same
kind; nothing else crosses to the host. Integers become float64 and half precision float32, block by block; X itself is never copied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..array_types import Indices
from ..errors import CapacityError, InputError
from .arrays import refuse_empty
from .labels import TABLE_LIMIT, Labels, check_classes, check_labels, encode
from .namespaces import (
    compute_type,
    counted,
    detached,
    device_of,
    is_foreign,
    is_out_of_memory,
    library,
    like,
    namespace,
    place_name,
    refuse_foreign,
    require_float64,
    to_host,
)
from .source import Block, Source
from .stored_block import StoredBlock

R = TypeVar("R")

DEVICE_VALUES, CPU_VALUES = 2**25, 2**20
"""Values that are computed with at a time on an accelerator, whose kernels want many, and on a CPU, whose caches do not."""
UNTOUCHED_VALUES = 2**30
"""Values of a block on an accelerator that is a view of the rows."""
LEAST_ROWS = 256
"""Rows of a block that is not halved again where memory runs out."""


class DeviceSource(Source):
    """Rows of an array of another library than NumPy.

    Parameters
    ----------
    X : array (n, p) of torch, CuPy, JAX or another library that follows the array API

    Examples
    --------
    >>> import array_api_strict as strict
    >>> source = DeviceSource(strict.asarray([[1.0, 2.0], [3.0, 4.0]])).labelled(["no", "yes"])
    >>> [(block.X.shape, block.codes.shape) for block in source.blocks()], source.classes.tolist()
    ([((2, 2), (2,))], ['no', 'yes'])
    """

    n_rows: int

    def __init__(self, X: Any) -> None:
        X = detached(X, "X")
        self.xp = namespace(X)
        if X.ndim != 2:
            raise InputError(
                f"Expected 2D array, got {X.ndim}D array instead (shape={tuple(X.shape)}). Reshape your data: one row per sample."
            )
        refuse_empty(tuple(X.shape))
        if self.xp.isdtype(X.dtype, "complex floating"):
            raise InputError("Complex data not supported: X must hold real numbers; use X.real or split it into two columns.")
        require_float64(X)
        self.X, self.type = X, compute_type(X)
        self.n_rows, self.n_features = (int(s) for s in X.shape)
        self.index: Any = None
        self.codes: Any = None
        self.weight: Any = None

    @property
    def whole(self) -> Any:
        """The rows in one array on the device, or None where they are not."""
        return self.X if self.index is None else None

    @property
    def example(self) -> Any:
        """A row in the type in which the rows are computed."""
        return self.part(0, 1).X

    @property
    def most_at_once(self) -> int:
        """Rows of a sample, at most."""
        return self.n_rows

    def labelled(self, y: Any, sample_weight: Any = None, classes: Any = None) -> DeviceSource:
        """Return the same rows with labels and weights, each given on the rows' device or on the host."""
        if y is None:
            raise InputError(
                "This classifier requires y to be passed, but the target y is None: pass one label per row of X, as in fit(X, y)."
            )
        other = copy(self)
        other.classes, other.codes = self._coded(y, classes)
        labels = int(other.codes.shape[0])
        if labels != self.n_rows:
            raise InputError(
                f"Found input variables with inconsistent numbers of samples: X has {self.n_rows} rows, y has {labels} "
                "labels. Pass one label per row."
            )
        other.weight = self._weights(sample_weight)
        return other

    def with_classes(self, classes: Any) -> DeviceSource:
        """Return the same rows with codes in terms of the classes given; a label outside them is an error."""
        known = check_classes(classes)
        other = copy(self)
        assert self.classes is not None
        moved = encode(self.classes, known, None)
        other.classes = known
        other.codes = self.xp.take(like(moved.astype(np.int64), self.X), self.codes)
        return other

    def without_labels(self) -> DeviceSource:
        """Return rows to predict."""
        other = copy(self)
        other.classes = other.codes = other.weight = None
        return other

    def require_host(self) -> None:
        """Raise an error: the rows are not in NumPy."""
        refuse_foreign(self.X)

    def take(self, rows: Indices) -> DeviceSource:
        """Return some of the rows, by number: a view, of which passes gather a block at a time."""
        other, index = copy(self), like(rows.astype(np.int64), self.X)
        other.n_rows = len(rows)
        other.index = index if self.index is None else self.xp.take(self.index, index)
        other.codes = None if self.codes is None else self.xp.take(self.codes, index)
        other.weight = None if self.weight is None else self.xp.take(self.weight, index)
        return other

    def every(self, step: int) -> Block:
        """Return every so many-th row, as it is stored."""
        X = self.X[::step, :] if self.index is None else self.xp.take(self.X, self.index[::step], axis=0)
        codes = None if self.codes is None else self.codes[::step]
        return Block(X, codes, None if self.weight is None else self.weight[::step])

    def blocks(self) -> Iterator[Block]:
        """Yield all rows, block by block, converted to floats where they are none."""
        for begin in range(0, self.n_rows, self.chunk_rows):
            yield self.part(begin, min(begin + self.chunk_rows, self.n_rows))

    def part(self, begin: int, end: int) -> Block:
        """Return rows begin to end, converted to floats where they are none."""
        X = self.X[begin:end, :] if self.index is None else self.xp.take(self.X, self.index[begin:end], axis=0)
        X = X if X.dtype == self.type else self.xp.astype(X, self.type)
        codes = None if self.codes is None else self.codes[begin:end]
        return Block(X, codes, None if self.weight is None else self.weight[begin:end], begin)

    @property
    def chunk_rows(self) -> int:
        """Rows of a block."""
        if "cpu" in str(device_of(self.X)).lower():
            values = CPU_VALUES
        else:  # rows that are converted are copied; others are looked at, and what is done with them cuts them up
            values = UNTOUCHED_VALUES if self.X.dtype == self.type and self.index is None else DEVICE_VALUES // 2
        return max(values // self.n_features, LEAST_ROWS)

    def map(self, function: Callable[[Block], R]) -> Iterator[R]:
        """Yield function(block) for every block, in order; a block that does not fit into memory is halved."""
        for begin in range(0, self.n_rows, self.chunk_rows):  # not by `blocks`: a block is let go before the next one is converted
            yield from in_parts(function, self.part(begin, min(begin + self.chunk_rows, self.n_rows)))

    def _refuse_first(self, blocks: Iterator[Block]) -> None:
        for block in blocks:
            bad = ~self.xp.isfinite(block.X)
            if bool(self.xp.any(bad)):
                rows = self.xp.any(bad, axis=1)
                row = int(self.xp.argmax(self.xp.astype(rows, self.xp.int32)))
                host = Block(to_host(block.X[row : row + 1, :]), start=self._number_of(block.start + row))
                super()._refuse_first(iter([host]))

    def _number_of(self, row: int) -> int:
        """Return the number that a row of this view has among all."""
        return row if self.index is None else int(self.index[row])

    def _coded(self, y: Any, classes: Any) -> tuple[NDArray[Any], Any]:
        """Return the classes in NumPy and the codes of the rows on the device."""
        if not is_foreign(y):
            labels = Labels.of(y, classes)
            return labels.classes, like(labels.codes(0, len(labels)).astype(np.int64), self.X)
        y = self._beside(detached(y, "y"), "y")
        if y.ndim != 1:
            raise InputError(f"y should be a 1d array, got an array of shape {tuple(y.shape)} instead. One label per row is needed.")
        xp = self.xp
        if xp.isdtype(y.dtype, "bool"):
            return check_labels(np.array([False, True])) if classes is None else check_classes(classes), xp.astype(y, xp.int64)
        found = self._found_labels(y)
        known = check_labels(found) if classes is None else check_classes(classes)
        encode(found, known, None)  # refuses what is not among those announced
        if classes is None and np.array_equal(found, np.arange(len(found))):
            return known, xp.astype(y, xp.int64, copy=False)
        return known, xp.astype(xp.searchsorted(like(known.astype(found.dtype), y), y), xp.int64)

    def _found_labels(self, y: Any) -> NDArray[Any]:
        """Return the sorted distinct labels in NumPy; whole numbers of a small range are counted, not sorted."""
        xp = self.xp
        if xp.isdtype(y.dtype, "integral"):
            low, high = int(xp.min(y)), int(xp.max(y))
            if high - low < TABLE_LIMIT:
                counts = counted(xp.astype(y, xp.int64, copy=False) - low, high - low + 1)
                return (np.flatnonzero(counts) + low).astype(to_host(y[:1]).dtype)
        return np.sort(to_host(xp.unique_values(y)))

    def _weights(self, sample_weight: Any) -> Any:
        from .opening import check_weights

        if not is_foreign(sample_weight):
            weight = check_weights(sample_weight, self.n_rows)
            return None if weight is None else like(weight, self.X)
        xp, w = self.xp, self._beside(detached(sample_weight, "sample_weight"), "sample_weight")
        w = xp.astype(w, xp.float64)
        total = float(xp.sum(w)) if tuple(w.shape) == (self.n_rows,) else np.nan
        if not (0.0 < total < np.inf) or bool(xp.any(w < 0)):
            check_weights(to_host(w), self.n_rows)  # says what is wrong with them
        return w

    def _beside(self, values: Any, name: str) -> Any:
        """Return values that lie where the rows do; others are an error, since to move them is the user's decision."""
        if library(values) != library(self.X) or device_of(values) != device_of(self.X):
            to = f"{name}.to(X.device)" if library(values) == library(self.X) == "torch" else f"{name} where X is, or as NumPy"
            raise InputError(f"X is an array of {place_name(self.X)}, {name} of {place_name(values)}; pass {to}.")
        return values


def in_parts(function: Callable[[Block], R], block: Block) -> Iterator[R]:
    """Yield function(block); where memory runs out, of its halves."""
    try:
        found = [function(block)]
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        if block.n_rows <= LEAST_ROWS:
            raise CapacityError(
                f"{place_name(block.X)} has no memory left for {block.n_rows} rows of {block.n_features} columns and what is computed from "
                "them; free some (del, torch.cuda.empty_cache()), or pass fewer rows."
            ) from error
        found = []
    if found:
        yield found[0]
        return
    middle = block.n_rows // 2
    yield from in_parts(function, block.part(0, middle))
    yield from in_parts(function, block.part(middle, block.n_rows))


def is_on_device(block: Block) -> bool:
    """Whether the rows of a block are of another library than NumPy and SciPy."""
    # A block of files is asked first: looking at its X would put all columns together.
    return not isinstance(block, StoredBlock) and not isinstance(block.X, np.ndarray) and is_foreign(block.X)
