"""Some rows of a table, or the same rows with other labels or weights: what a fold is fitted on where rows are not held in memory."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..array_types import Bools, Codes, Floats
from ..errors import InputError
from .columns import ColumnBatch
from .merging import M
from .source import Block, Source
from .threads import ended

R = TypeVar("R")


@dataclass(frozen=True, slots=True, eq=False)
class Rewritten:
    """What is said of the rows of a table, by their numbers: which stay, their class codes, their weights; None leaves it as it is."""

    keep: Bools | None = None
    codes: Codes | None = None
    weight: Floats | None = None

    def block(self, block: Block) -> Any:
        """Return a block as it is rewritten, or a batch of columns; None where none of its rows stays."""
        own = slice(block.start, block.start + block.n_rows)
        codes = block.codes if self.codes is None else self.codes[own]
        weight = block.weight if self.weight is None else self.weight[own]
        whole: Any = block
        is_batch = isinstance(whole, ColumnBatch)
        if self.keep is None:
            return replace(whole, codes=codes, weight=weight) if is_batch else Block(block.X, codes, weight, block.start)
        kept = self.keep[own]
        if not kept.any():
            return None
        start = int(np.count_nonzero(self.keep[: block.start]))
        codes, weight = None if codes is None else codes[kept], None if weight is None else weight[kept]
        if is_batch:
            return replace(whole.take(np.flatnonzero(kept)), codes=codes, weight=weight, start=start)
        return Block(block.X[kept], codes, weight, start)


@dataclass(frozen=True, slots=True)
class OnRewritten:
    """A function of blocks that sees them rewritten; None for a block of which no row stays."""

    function: Callable[[Block], Any]
    rewritten: Rewritten

    def __call__(self, block: Block) -> Any:
        """Return the function's value for the rewritten block."""
        found = self.rewritten.block(block)
        return None if found is None else self.function(found)


class RowView(Source):
    """The rows of a source, numbers or batches of columns, as they are rewritten. Nothing is copied; a pass reads all rows of the source.

    Parameters
    ----------
    source : labelled rows
    classes : labels of the codes
    rewritten : Rewritten

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> rows = as_source([[1.0], [2.0], [3.0]], ["ham", "spam", "ham"])
    >>> view = RowView(rows, rows.classes, Rewritten(keep=np.array([True, False, True])))
    >>> [(block.X.tolist(), block.codes.tolist(), block.start) for block in view.blocks()], view.n_rows
    ([([[1.0], [3.0]], [0, 0], 0)], 2)
    """

    classes: NDArray[Any]

    def __init__(self, source: Source, classes: NDArray[Any], rewritten: Rewritten) -> None:
        self.source, self.classes, self.rewritten = source, classes, rewritten
        self.n_features, self.feature_names, self.n_jobs = source.n_features, source.feature_names, source.n_jobs
        self.n_rows = source.n_rows if rewritten.keep is None else int(np.count_nonzero(rewritten.keep))
        self.origin = (*(source.origin or ()), "view", id(rewritten))
        self.is_remote, self.is_columns = source.is_remote, source.is_columns

    def blocks(self) -> Iterator[Block]:
        """Yield the rows that stay, block by block."""
        with ended(self.source.blocks()) as blocks:
            yield from (block for block in map(self.rewritten.block, blocks) if block is not None)

    def map(self, function: Callable[[Block], R]) -> Iterator[R]:
        """Yield function(block) in order, computed where the source computes."""
        with ended(self.source.map(OnRewritten(function, self.rewritten))) as values:
            yield from (value for value in values if value is not None)

    def told(self, function: Callable[[Block], R]) -> Generator[R]:
        """Yield function(block) in order, and tell how many of all rows are read."""
        with ended(self.source.told(OnRewritten(function, self.rewritten))) as values:
            yield from (value for value in values if value is not None)

    def reduce(self, pass_: Callable[[Block], M]) -> M:
        """Run a pass on every block and merge what comes back, in the order of the blocks."""
        return self.source.reduce(OnRewritten(pass_, self.rewritten)) if self.is_remote else super().reduce(pass_)

    def only(self, columns: Any) -> Source:
        """Return the same rows with some of their columns, by number."""
        return RowView(self.source.only(columns), self.classes, self.rewritten)

    def as_columns(self) -> Source:
        """Return the same rows as batches of columns."""
        return RowView(self.source.as_columns(), self.classes, self.rewritten)

    def with_text(self, names: Sequence[str]) -> Source:
        """Return the same rows with some columns as text."""
        return RowView(self.source.with_text(names), self.classes, self.rewritten)

    def require_numbers(self) -> None:
        """Raise an error where columns are not numbers."""
        self.source.require_numbers()

    def persisted(self) -> Source:
        """Return the same rows for many passes."""
        return RowView(self.source.persisted(), self.classes, self.rewritten)

    def with_classes(self, classes: Any) -> Source:
        """Return the same rows with codes in terms of more classes; a label outside them is an error."""
        given = np.asarray(classes)
        if np.array_equal(given, self.classes):
            return self
        places = np.searchsorted(given, self.classes)
        if (places >= len(given)).any() or (given[np.minimum(places, len(given) - 1)] != self.classes).any():
            raise InputError(f"These rows have the classes {self.classes.tolist()}; {given.tolist()} are others.")
        codes = self.rewritten.codes
        if codes is None:
            return RowView(self.source.with_classes(given), given, self.rewritten)
        return RowView(self.source, given, Rewritten(self.rewritten.keep, places.astype(np.int32)[codes], self.rewritten.weight))

    def without_labels(self) -> Source:
        """Return the rows to predict."""
        return self

    def no_rows(self) -> InputError:
        """Return the error that there are no rows."""
        return self.source.no_rows()

    def refuse_nonfinite(self) -> None:
        """Raise the error that names the first NaN or infinity, by its row and column in the table."""
        self.source.refuse_nonfinite()
