"""The rows of a table under other classes: what one of several two-class machines is fitted on."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..array_types import Codes, Floats
from ..errors import InputError
from .files.reading import ReadingSize
from .merging import M
from .source import Block, Source
from .threads import ended

R = TypeVar("R")


def recoded(block: Block, codes: Codes, factors: Floats | None = None) -> Block | None:
    """Return a block with the new code of each class, without the rows of code −1; None where no row is left.

    `factors` (K,) multiply the weights of the rows by the classes they had.
    """
    assert block.codes is not None
    own, weight = codes[block.codes], block.weight
    if factors is not None:
        weight = factors[block.codes] if weight is None else factors[block.codes] * weight
    kept = own >= 0
    if kept.all():
        return Block(block.X, own, weight, block.start)
    weight = None if weight is None else weight[kept]
    return Block(block.X[kept], own[kept], weight, block.start) if kept.any() else None


@dataclass(frozen=True, slots=True)
class OnRecoded:
    """A function of blocks that sees other codes; None for a block of which no row is left."""

    function: Callable[[Block], Any]
    codes: Codes
    factors: Floats | None = None

    def __call__(self, block: Block) -> Any:
        """Return the function's value for the block under its other codes."""
        found = recoded(block, self.codes, self.factors)
        return None if found is None else self.function(found)


class Recoded(Source):
    """The rows of a source with other class codes and without names of columns; rows of some classes may be left out.

    Parameters
    ----------
    source : labelled rows
    codes : (K,) new code of each of its classes, −1 to leave its rows out
    classes : labels of the new codes
    factors : (K,) factors on the weights of rows by the classes they have in the source, optional

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> rows = Recoded(as_source([[1.0], [2.0], [3.0]], ["ham", "junk", "spam"]), np.array([0, -1, 1]), np.array([0, 1]))
    >>> [(block.X.tolist(), block.codes.tolist()) for block in rows.blocks()]
    [([[1.0], [3.0]], [0, 1])]
    """

    classes: NDArray[Any]

    def __init__(self, source: Source, codes: NDArray[np.integer], classes: NDArray[Any], factors: Floats | None = None) -> None:
        self.source, self.codes, self.classes, self.factors = source, codes.astype(np.int32), classes, factors
        self.n_features, self.n_jobs = source.n_features, source.n_jobs
        self.n_rows = source.n_rows if (codes >= 0).all() else None
        self.origin = None if source.origin is None else (*source.origin, tuple(codes.tolist()))
        self.is_remote = source.is_remote

    def blocks(self) -> Iterator[Block]:
        """Yield the rows that stay, block by block."""
        start = 0
        with ended(self.source.blocks()) as blocks:
            for block in blocks:
                found = recoded(block, self.codes, self.factors)
                if found is not None:
                    yield replace(found, start=start)
                    start += found.n_rows

    def reading(self) -> ReadingSize | None:
        """Return what the next pass has to read; how many rows stay of it is not known before."""
        whole = self.source.reading()
        return whole if whole is None or self._in_place else replace(whole, rows=None)

    def told(self, function: Callable[[Block], R]) -> Generator[R]:
        """Yield function(block) in order, and tell how many rows are read."""
        return self.source.told(OnRecoded(function, self.codes, self.factors)) if self._in_place else super().told(function)

    def map(self, function: Callable[[Block], R]) -> Iterator[R]:
        """Yield function(block) in order; rows on other machines stay there, and keep their numbers."""
        return self.source.map(OnRecoded(function, self.codes, self.factors)) if self._in_place else super().map(function)

    def reduce(self, pass_: Callable[[Block], M]) -> M:
        """Run a pass on every block and merge what comes back, in the order of the blocks."""
        return self.source.reduce(OnRecoded(pass_, self.codes, self.factors)) if self._in_place else super().reduce(pass_)

    @property
    def _in_place(self) -> bool:
        """Whether passes run as the source runs its own, by the numbers of its rows: none is left out, or they are elsewhere."""
        return self.is_remote or bool((self.codes >= 0).all())

    def persisted(self) -> Source:
        """Return the same rows for many passes."""
        return Recoded(self.source.persisted(), self.codes, self.classes, self.factors)

    def with_classes(self, classes: Any) -> Source:
        """Return the same rows: their classes stay."""
        if not np.array_equal(classes, self.classes):
            raise InputError(f"These rows have the classes {self.classes.tolist()}; {np.asarray(classes).tolist()} are others.")
        return self

    def no_rows(self) -> InputError:
        """Return the error that there are no rows."""
        return self.source.no_rows()

    def refuse_nonfinite(self) -> None:
        """Raise the error that names the first NaN or infinity, by its row and column in the table."""
        self.source.refuse_nonfinite()
