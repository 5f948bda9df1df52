"""Rows that solvers read again and again: those of files stay in memory after the first pass, where they fit."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from ..errors import InputError
from ..thresholds import KEPT
from .files.reading import ReadingSize
from .source import Block, Source
from .threads import ended, ordered_map, single_threaded_blas, thread_count

R = TypeVar("R")


class Kept(Source):
    """A source that keeps its blocks: the first whole pass reads them, later ones find them in memory.

    Blocks are the same as without it, and so are results. Rows that turn out to be too many are read anew in every pass.

    Parameters
    ----------
    source : rows
    form : function from the rows of a block to the form in which they are kept, optional

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> rows = Kept(as_source([[1.0], [2.0]], [0, 1]))
    >>> [first], [second] = list(rows.map(lambda block: block)), list(rows.blocks())
    >>> first is second
    True
    """

    def __init__(self, source: Source, form: Callable[[Any], Any] | None = None) -> None:
        self.source, self.form, self.held = source, form, list[Block]()
        self.n_features, self.feature_names, self.classes = source.n_features, source.feature_names, source.classes
        self.n_rows, self.n_jobs, self.origin = source.n_rows, source.n_jobs, source.origin
        self.is_whole, self.too_many = False, False

    def blocks(self) -> Iterator[Block]:
        """Yield all rows, block by block."""
        return iter(self.held) if self.is_whole else self.source.blocks()

    def reading(self) -> ReadingSize | None:
        """Return what the next pass has to read: nothing, once the rows are in memory."""
        return None if self.is_whole else self.source.reading()

    def map(self, function: Callable[[Block], R]) -> Iterator[R]:
        """Yield function(block) in order; the first pass keeps the blocks."""
        return self._pass(function, self.source.map)

    def told(self, function: Callable[[Block], R]) -> Generator[R]:
        """Yield function(block) in order, and tell how many rows are read as long as they are not in memory."""
        return self._pass(function, self.source.told)

    def _pass(self, function: Callable[[Block], R], run: Callable[[Callable[[Block], Any]], Iterator[Any]]) -> Generator[R]:
        if self.is_whole:
            with single_threaded_blas():
                yield from ordered_map(function, self.held, thread_count(self.n_jobs))
            return
        held, size = list[Block](), 0
        keeps = function if self.too_many else lambda block: self._with_value(block, function)
        with ended(run(keeps)) as found:
            if self.too_many:
                yield from found
                return
            for block, value in found:
                size += _bytes(block)
                self.too_many = self.too_many or KEPT.reached(size)
                if self.too_many:
                    held.clear()
                else:
                    held.append(block)
                yield value
        self.held, self.is_whole = held, not self.too_many

    def _with_value(self, block: Block, function: Callable[[Block], R]) -> tuple[Block, R]:
        formed = block if self.form is None else replace(block, X=self.form(block.X))
        return formed, function(formed)

    def with_classes(self, classes: Any) -> Source:
        """Return the same rows with other codes, not yet read."""
        return Kept(self.source.with_classes(classes), self.form)

    def no_rows(self) -> InputError:
        """Return the error that there are no rows."""
        return self.source.no_rows()

    def refuse_nonfinite(self) -> None:
        """Raise the error that names the first NaN or infinity."""
        self.source.refuse_nonfinite()


def kept(source: Source, form: Callable[[Any], Any] | None = None) -> Source:
    """Return a source for many passes over the rows of another one: that itself where it is in memory, or keeps its rows by itself."""
    if source.is_remote:
        return source.persisted()
    return source if source.origin is None or isinstance(source, Kept) else Kept(source, form)


def _bytes(block: Block) -> int:
    stored = block.X.data.nbytes + block.X.indices.nbytes if block.is_sparse else block.X.nbytes
    return int(stored) + sum(part.nbytes for part in (block.codes, block.weight) if part is not None)
