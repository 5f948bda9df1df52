"""The rows of a table as a fitted step of a pipeline turns them, block by block: scaled, selected, in another basis."""

from __future__ import annotations

import copy
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .merging import M
from .source import Block, Source

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class OnTransformed:
    """A function of blocks that sees them transformed."""

    function: Callable[[Block], Any]
    transform: Callable[[Any], Any]

    def __call__(self, block: Block) -> Any:
        """Return the function's value for the transformed block."""
        return self.function(replace(block, X=self.transform(block.X)))


@dataclass(frozen=True, slots=True)
class ColumnsTaken:
    """A transformer that takes some columns, by number."""

    columns: tuple[int, ...]

    def transform(self, X: Any) -> Any:
        """Return these columns."""
        return X[:, list(self.columns)]


class Transformed(Source):
    """The rows of a source behind a fitted transformer. Nothing is stored: every pass transforms the blocks as they come.

    Parameters
    ----------
    source : rows, of numbers
    transformer : fitted, with `transform` of an array, row by row

    Examples
    --------
    >>> from sklearn.preprocessing import StandardScaler
    >>> from separatrix.data import as_source
    >>> X = np.array([[0.0], [2.0]])
    >>> rows = Transformed(as_source(X, ["ham", "spam"]), StandardScaler().fit(X))
    >>> [block.X.tolist() for block in rows.blocks()], rows.n_features
    ([[[-1.0], [1.0]]], 1)
    """

    def __init__(self, source: Source, transformer: Any) -> None:
        self.source, self.transformer = source, _nameless(transformer)
        self.n_features = int(self._transform(np.zeros((1, source.n_features))).shape[1])
        self.n_rows, self.n_jobs, self.is_remote = source.n_rows, source.n_jobs, source.is_remote
        self.origin = (*(source.origin or ()), "transformed", id(self.transformer))

    @property
    def classes(self) -> NDArray[Any] | None:  # type: ignore[override]
        """Sorted labels."""
        return self.source.classes

    def _transform(self, X: Any) -> Any:
        return self.transformer.transform(X)

    def blocks(self) -> Iterator[Block]:
        """Yield all rows, block by block."""
        return (replace(block, X=self._transform(block.X)) for block in self.source.blocks())

    def map(self, function: Callable[[Block], R]) -> Iterator[R]:
        """Yield function(block) in order, computed where the source computes."""
        return self.source.map(OnTransformed(function, self.transformer.transform))

    def told(self, function: Callable[[Block], R]) -> Generator[R]:
        """Yield function(block) in order, and tell how many rows are read."""
        return self.source.told(OnTransformed(function, self.transformer.transform))

    def reduce(self, pass_: Callable[[Block], M]) -> M:
        """Run a pass on every block and merge what comes back, in the order of the blocks."""
        return self.source.reduce(OnTransformed(pass_, self.transformer.transform)) if self.is_remote else super().reduce(pass_)

    def only(self, columns: Any) -> Source:
        """Return the same rows with some of their columns, by number."""
        return Transformed(self, ColumnsTaken(tuple(int(j) for j in columns)))

    def with_classes(self, classes: Any) -> Source:
        """Return the same rows with codes in terms of the classes given."""
        return self._of(self.source.with_classes(classes))

    def without_labels(self) -> Source:
        """Return the rows to predict."""
        return self._of(self.source.without_labels())

    def persisted(self) -> Source:
        """Return the same rows for many passes."""
        return self._of(self.source.persisted())

    def _of(self, source: Source) -> Transformed:
        other = copy.copy(self)
        other.source = source
        return other

    def no_rows(self) -> InputError:
        """Return the error that there are no rows."""
        return self.source.no_rows()

    def refuse_nonfinite(self) -> None:
        """Raise the error that names the first NaN or infinity, by its row and column in the table."""
        self.source.refuse_nonfinite()


def _nameless(transformer: Any) -> Any:
    """Return a fitted transformer that takes blocks, which have no names of columns, without a warning."""
    if not hasattr(transformer, "feature_names_in_"):
        return transformer
    found = copy.copy(transformer)
    del found.feature_names_in_
    return found
