"""What a formula reads: columns of numbers as they are, or a table that a recipe turns into numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...array_types import Floats
from ...data.columns import Column, ColumnBatch
from ...data.source import Block
from ...errors import InputError, did_you_mean
from ...prepare.recipe import Recipe
from ...prepare.steps import Dropped, Numbers

TILE = 8_192
"""Rows whose numbers are put side by side at a time: those of a few dozen columns stay in a core's cache."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """What is read.

    Attributes
    ----------
    names : of the columns, in the order of the numbers; of a recipe, those of the table
    recipe : what is done with the columns of a table, or None where they are numbers already
    as_columns : whether columns stay columns, cleaned as the recipe says: for naive Bayes on tables
    mean, scale : (p,) of a standardisation behind the recipe, or None
    is_named : whether the names are those of the training, or numbers of columns that had none
    centre : (p,) a row in the middle of those of the training, where the model knows one
    """

    names: tuple[str, ...]
    recipe: Recipe | None = None
    as_columns: bool = False
    mean: Floats | None = None
    scale: Floats | None = None
    is_named: bool = True
    centre: Floats | None = None

    @property
    def columns(self) -> list[str]:
        """The columns of a table that are read."""
        return list(self.names) if self.recipe is None else self.recipe.columns

    def blocks(self, rows: Any) -> Iterator[Any]:
        """Yield rows as blocks of numbers, or as batches of columns: an array or CSR array of numbers, or a batch of columns."""
        if not isinstance(rows, ColumnBatch):
            if self.recipe is not None:
                raise InputError("This model reads a table; pass its columns by name, not an array of numbers.")
            X = rows if sp.issparse(rows) else np.asarray(rows)
            if X.ndim != 2 or X.shape[1] != len(self.names):
                raise InputError(f"This model reads {len(self.names)} columns; got an array of shape {X.shape}.")
            yield Block(X)
        elif self.as_columns:
            yield self._cleaned(rows)
        elif self.recipe is not None and self.recipe.is_sparse:
            Z = self.recipe.block(rows).X
            yield Block(Z if self.scale is None else self._standardised(Z))
        else:
            yield from self._tiles(rows)

    def _standardised(self, Z: Any) -> Any:
        assert self.scale is not None
        if sp.issparse(Z):
            return sp.csr_array(Z.multiply(1.0 / self.scale)) if self.mean is None else (Z.toarray() - self.mean) / self.scale
        Z = Z if self.mean is None else Z - self.mean
        return Z / self.scale

    def _tiles(self, rows: ColumnBatch) -> Iterator[Block]:
        own = self._columns_of(rows)
        values = [_numbers(column) for column in own] if self.recipe is None or self._plain else []
        for begin in range(0, rows.n_rows, TILE):
            end = min(begin + TILE, rows.n_rows)
            if self.recipe is None:
                # Column after column, and read as rows: what is scored next stays in the cache.
                Z: Any = np.stack([x[begin:end] for x in values]).T
            elif values:
                Z = self._filled([x[begin:end] for x in values], end - begin)
            else:
                Z = np.asarray(self.recipe.block(ColumnBatch(tuple(_part(column, begin, end) for column in own))).X)
            yield Block(Z if self.scale is None else self._standardised(Z), start=rows.start + begin)

    def _filled(self, parts: list[Floats], n: int) -> Floats:
        Z = np.empty((self._width, n))
        at = 0
        for step, x in zip(self._steps, parts, strict=True):
            gaps = ~np.isfinite(x) if not np.isfinite(x.sum()) else None
            np.divide(x if gaps is None else np.where(gaps, step.fill, x), step.per, out=Z[at])
            if step.indicator:
                Z[at + 1] = 0.0 if gaps is None else gaps
            at += 1 + step.indicator
        return Z.T

    @cached_property
    def _steps(self) -> list[Any]:
        assert self.recipe is not None
        return [step for step in self.recipe.steps if not isinstance(step, Dropped)]

    @cached_property
    def _width(self) -> int:
        assert self.recipe is not None
        return len(self.recipe.outputs)

    @cached_property
    def _plain(self) -> bool:
        """Whether all columns are numbers that become themselves, with gaps filled in."""
        assert self.recipe is not None
        return not self.recipe.interactions and all(
            isinstance(step, Numbers) and step.transform == "none" and step.shape == "line" and not step.spikes and not step.flat
            for step in self._steps
        )

    def _columns_of(self, rows: ColumnBatch) -> list[Column]:
        if self.recipe is not None:
            own = list(self.recipe.columns_of(rows).values())
            if self._plain and any(column.type != "number" for column in own):
                return [
                    Column(step.column, step.encode_values(column)) if column.type != "number" else column
                    for step, column in zip(self._steps, own, strict=True)
                ]
            return own
        given = {rows.column(j).name: j for j in range(rows.n_features)} if rows.columns is not None else {}
        if not self.is_named:
            if rows.n_features != len(self.names):
                raise InputError(f"This model was fitted on {len(self.names)} columns without names; the table has {rows.n_features}.")
            return [rows.column(j) for j in range(rows.n_features)]
        lost = [name for name in self.names if name not in given]
        if lost:
            raise InputError(
                f"The table lacks column {lost[0]!r}, which the model reads.{did_you_mean(lost[0], given)} "
                f"It has {', '.join(map(repr, list(given)[:8]))}."
            )
        return [rows.column(given[name]) for name in self.names]

    def _cleaned(self, rows: ColumnBatch) -> ColumnBatch:
        if self.recipe is None:
            return ColumnBatch(tuple(self._columns_of(rows)), start=rows.start)
        from ...prepare.cleaned_columns import cleaned_columns

        return ColumnBatch(cleaned_columns(self.recipe, rows), start=rows.start)


def _numbers(column: Column) -> Floats:
    """Return numbers, NaN where missing; as they are where they are floats already."""
    as_they_are = column.levels is None and column.missing is None and column.values.dtype == np.float64
    return column.values if as_they_are else column.numbers()


def _part(column: Column, begin: int, end: int) -> Column:
    return column.take(slice(begin, end))
