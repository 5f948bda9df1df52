"""Rows of files as a recipe's numbers: a source whose blocks are made of batches of columns as they are read."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager
from copy import copy
from typing import Any, TypeVar

from numpy.typing import NDArray

from ..data import Block, Source
from ..data.columns import ColumnBatch
from ..errors import InputError
from .recipe import Recipe

R = TypeVar("R")


class PreparedTable(Source):
    """Rows of a table in files, prepared by a recipe whenever they are read; nothing is held in memory.

    Parameters
    ----------
    table : Source whose blocks are batches of columns
    recipe : Recipe
    is_training : bool
        Whether the recipe was learned from these rows, so that shares of classes come from other rows than the row itself.
    """

    def __init__(self, table: Source, recipe: Recipe, is_training: bool = False) -> None:
        self.table, self.recipe, self.is_training = table, recipe, is_training
        self.n_features, self.n_rows, self.n_jobs = len(recipe.outputs), table.n_rows, table.n_jobs

    @property
    def classes(self) -> NDArray[Any] | None:  # type: ignore[override]
        """Sorted labels."""
        return self.table.classes

    @property
    def origin(self) -> tuple[Any, ...] | None:  # type: ignore[override]
        """The files, and what is made of them."""
        return None if self.table.origin is None else (*self.table.origin, self.recipe.to_json(None))

    def with_classes(self, classes: Any) -> PreparedTable:
        """Return the same rows with their labels coded by the classes announced."""
        other = copy(self)
        other.table = self.table.with_classes(classes)
        return other

    def unchanged(self) -> AbstractContextManager[None]:
        """Let all passes within read the rows as they are now."""
        return self.table.unchanged()

    def blocks(self) -> Iterator[Block]:
        """Yield all rows, block by block."""
        return (self._block(batch) for batch in self.table.blocks())

    def map(self, function: Callable[[Block], R]) -> Iterator[R]:
        """Yield function(block) in order; batches become blocks on the threads as well."""
        return self.table.map(lambda batch: function(self._block(batch)))

    def told(self, function: Callable[[Block], R]) -> Generator[R]:
        """Yield function(block) in order, and tell how many rows are read."""
        return self.table.told(lambda batch: function(self._block(batch)))

    def no_rows(self) -> InputError:
        """Return the error that there are no rows."""
        return self.table.no_rows()

    def _block(self, batch: Any) -> Block:
        own: ColumnBatch = batch
        if not self.is_training:
            return self.recipe.block(own)
        return Block(self.recipe.transform_training(own, by_place=True), own.codes, own.weight, own.start)
