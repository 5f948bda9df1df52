"""A partition of a table on the worker that holds or reads it: its rows become blocks, and a pass runs over them.

Nothing here knows which engine runs it: a loader and a pass are values that travel, and what a pass gives is all that comes back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..array_types import Ints
from ..errors import InputError, no_rows
from .arrays import ArraySource
from .batch_table import BatchTable
from .key_hash import key_numbers
from .labels import Labels, find_classes, joined_labels
from .merging import merge_each
from .opening import as_source, check_weights
from .source import Block, ChunkedSource, Source
from .stored_block import by_rows
from .threads import single_threaded_blas


class Loader(Protocol):
    """How partitions become rows: a small value that travels to the workers."""

    def source(self, part: Any) -> Source | None:
        """Return the rows of a partition; None where it has none."""
        ...

    def labels(self, part: Any) -> tuple[int, NDArray[Any] | None]:
        """Return the number of rows, and the distinct labels if there are any."""
        ...


@dataclass(frozen=True, slots=True)
class FileLoader:
    """Partitions that are parts of a table of files."""

    classes: NDArray[Any] | None = None
    as_columns: bool = False

    def source(self, part: Any) -> Source | None:
        """See `Loader.source`."""
        table = part if self.classes is None else part.with_classes(self.classes)
        return table.as_columns() if self.as_columns else table  # type: ignore[no-any-return]

    def labels(self, part: Any) -> tuple[int, NDArray[Any] | None]:
        """See `Loader.labels`."""
        found: tuple[int, NDArray[Any] | None] = part.counted()
        return found


@dataclass(frozen=True, slots=True)
class FrameLoader:
    """Partitions that are pandas frames."""

    features: tuple[str, ...]
    target: str | None
    weight: str | None
    classes: NDArray[Any] | None = None
    as_columns: bool = False

    def source(self, part: Any) -> Source | None:
        """See `Loader.source`."""
        if not len(part):
            return None
        from .frames import FrameSource

        own = part[self._there(part, self.features)]
        rows = _batches(own) if self.as_columns else FrameSource(own, n_jobs=1)
        rows.labels = None if self.target is None else Labels.of(part[self.target], self.classes)
        rows.weight = None if self.weight is None else _weights(part[self.weight], len(part))
        return rows

    def labels(self, part: Any) -> tuple[int, NDArray[Any] | None]:
        """See `Loader.labels`."""
        known = len(part) and self.target is not None
        return len(part), Labels.of(part[self._there(part, [self.target])[0]]).classes if known else None

    def _there(self, part: Any, names: Sequence[Any]) -> list[Any]:
        """Return names of columns; a partition may lack one that the frame was said to have."""
        lacking = [name for name in names if name not in part.columns]
        if lacking:
            held = ", ".join(repr(name) for name in part.columns[:8])
            raise InputError(f"Column {lacking[0]!r} is not in the rows, which have {held}; give all partitions the columns of the frame.")
        return list(names)


@dataclass(frozen=True, slots=True)
class ArrayLoader:
    """Partitions that are arrays of rows, of labels and of weights, the last two where there are any."""

    classes: NDArray[Any] | None = None
    columns: tuple[int, ...] | None = None
    labelled: bool = True
    as_columns: bool = False

    def source(self, part: Any) -> Source | None:
        """See `Loader.source`."""
        X, y, weight = part
        if not X.shape[0]:
            return None
        X = X if self.columns is None else X[:, list(self.columns)]
        rows = _batches(X) if self.as_columns else ArraySource(X, n_jobs=1)
        if y is None or not self.labelled:
            return rows
        labelled = as_source(rows, y, classes=self.classes)
        rows.weight = None if weight is None else _weights(weight, rows.n_rows)
        return labelled

    def labels(self, part: Any) -> tuple[int, NDArray[Any] | None]:
        """See `Loader.labels`."""
        X, y, _ = part
        return X.shape[0], Labels.of(y).classes if y is not None and X.shape[0] else None


def _batches(part: Any) -> ChunkedSource:
    """Return the rows of a partition as batches of columns: those that the same rows in memory would be."""
    from .whole_tables import whole_table

    return BatchTable(whole_table(part), n_jobs=1)


def _weights(given: Any, n_rows: int) -> NDArray[Any] | None:
    """Return the weights of a partition, which may all be 0 there."""
    values = np.asarray(given, dtype=np.float64)
    return values if len(values) == n_rows and not values.any() else check_weights(values, n_rows)


def blocks_of(part: Any, loader: Loader, number: int, start: int) -> list[Block]:
    """Return the blocks of a partition whose first row has the number `start` in the table, as many passes read them: rows together."""
    blocks = _streamed(part, loader, number, start)
    return [replace(block, X=by_rows(block.X)) if isinstance(block, Block) else block for block in blocks]


def _streamed(part: Any, loader: Loader, number: int, start: int) -> Iterator[Block]:
    try:
        source = loader.source(part)
        for block in () if source is None else source.blocks():
            yield replace(block, start=block.start + start)
    except InputError as error:
        raise type(error)(f"Partition {number}: {error}") from None


def over_part(part: Any, loader: Loader, number: int, start: int, over: Callable[..., Any], function: Callable[[Block], Any]) -> Any:
    """Return what a pass gives on a partition that is read for it, block by block, and not kept."""
    return over(_streamed(part, loader, number, start), function)


def labels_of(part: Any, loader: Loader, number: int) -> tuple[int, NDArray[Any] | None]:
    """Return the number of rows of a partition and its distinct labels."""
    try:
        return loader.labels(part)
    except InputError as error:
        raise type(error)(f"Partition {number}: {error}") from None


def keys_of(part: Any, name: str, seed: int) -> Ints:
    """Return the numbers of the keys of a partition: part of a table of files, or a frame of the one column."""
    if hasattr(part, "key_numbers"):
        found: Ints = part.key_numbers(name, seed)
        return found
    values = part[name]
    if values.isna().any():
        raise InputError(f"Column {name!r}, the key of the folds, misses a value; every row needs one.")
    return key_numbers(values.to_numpy(), seed, name)


def joined_classes(found: Iterable[NDArray[Any] | None]) -> NDArray[Any]:
    """Return the sorted labels of all partitions.

    Examples
    --------
    >>> joined_classes([np.array(["b"]), None, np.array(["a", "b"])]).tolist()
    ['a', 'b']
    """
    parts = [labels for labels in found if labels is not None and len(labels)]
    if not parts:
        raise no_rows()
    return find_classes(joined_labels(parts))


def values_of(blocks: Iterable[Block], function: Callable[[Block], Any]) -> list[Any]:
    """Return function(block) of each block, as a pass on this machine would."""
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        return [function(block) for block in blocks]


def merged_values(blocks: Iterable[Block], function: Callable[[Block], Any]) -> Any:
    """Return function(block) of all blocks, merged in their order; one block is held at a time."""
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        return merged(function(block) for block in blocks)


def merged(values: Iterable[Any]) -> Any:
    """Return values merged in their order; None, which stands for no rows, adds nothing.

    Examples
    --------
    >>> from separatrix.summaries import Moments
    >>> merged([None, Moments.from_data([[1.0]]), Moments.from_data([[3.0]])]).mean.tolist()
    [2.0]
    """
    there = (value for value in values if value is not None)
    first = next(there, None)
    return None if first is None else merge_each(first, there)
