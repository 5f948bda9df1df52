"""How often each category of each column occurs in each class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..array_types import Floats, Ints
from ..data import Block, as_source
from ..data.source import as_float
from ..data.sum_engine import SumEngine
from ..errors import InputError
from ..thresholds import SUMS
from .grouped import NO_WEIGHT, rows_per_class, tile_rows
from .remainder import emptied, remaining, subtracted
from .stored import Stored, announce, require_array, require_classes

LARGEST = 10_000_000
"""Largest category number: a count is kept for every number up to it, so a larger one is an identifier by mistake."""


@dataclass(frozen=True, slots=True, eq=False)
class CategoryCounts(Stored):
    """Weighted number of rows counts_k = Σ w_i and of each category within them, the cells of all p columns side by side.

        cells[k, starts_j + c] = Σ w_i [x_ij = level c of column j]        (i in class k)

    A missing value adds to no cell, so a column's cells add up to the rows in which it is known.

    Attributes
    ----------
    classes : (K,) labels in sorted order
    counts : (K,) sums of weights
    rows : (K,) numbers of rows that have a weight
    starts : (p + 1,) where each column's cells begin
    cells : (K, starts_p)
    levels : (starts_p,) the categories, sorted within each column; None where they are the numbers 0, 1, …
    feature_names, recipe : as in :class:`ClassMoments`

    Examples
    --------
    >>> counts = CategoryCounts.from_data([[0, 1], [0, 2], [1, 1]], ["no", "no", "yes"])
    >>> [counts.column(j).tolist() for j in range(2)]
    [[[2.0, 0.0], [0.0, 1.0]], [[0.0, 1.0, 1.0], [0.0, 1.0, 0.0]]]
    """

    classes: NDArray[Any]
    counts: Floats
    rows: Ints
    starts: Ints
    cells: Floats
    levels: NDArray[Any] | None = None
    feature_names: tuple[str, ...] | None = None
    recipe: str | None = None
    _labels: ClassVar[tuple[str, ...]] = ("classes", "levels")

    @classmethod
    def from_data(cls, X: Any, y: Any = None, sample_weight: Any = None) -> CategoryCounts:
        """Summarise rows of category numbers, in memory or a table (then without y)."""
        source = as_source(X, y, sample_weight)
        counts = source.reduce(cls.summarise(source.classes))
        if not counts.is_finite:
            raise InputError("X holds values that are not category numbers; categories are whole numbers 0, 1, … up to 10 million.")
        return replace(counts, feature_names=source.feature_names)

    @classmethod
    def summarise(cls, classes: Any, skip_missing: bool = False) -> CategoriesPass:
        """Return the pass: a function from a block of category numbers to its counts, in which NaN is left out or no category."""
        return CategoriesPass(classes, skip_missing)

    @classmethod
    def empty(cls, classes: Any, n_features: int) -> Self:
        """Return the counts of no rows."""
        K = len(classes)
        rows, starts = np.zeros(K, dtype=np.int64), np.zeros(n_features + 1, dtype=np.int64)
        return cls(np.asarray(classes), np.zeros(K), rows, starts, np.zeros((K, 0)))

    @property
    def n_features(self) -> int:
        """Number of columns p."""
        return len(self.starts) - 1

    @property
    def n_categories(self) -> Ints:
        """Number of categories of each column, (p,)."""
        return np.diff(self.starts)

    @property
    def is_finite(self) -> bool:
        """False if a value was no category."""
        return bool(np.isfinite(self.counts.sum()))

    @property
    def columns(self) -> Ints:
        """Column of each cell."""
        return np.repeat(np.arange(self.n_features), self.n_categories)

    @property
    def ranks(self) -> Ints:
        """Position of each cell within its column."""
        return np.arange(self.starts[-1]) - np.repeat(self.starts[:-1], self.n_categories)

    @property
    def present(self) -> Floats:
        """Weighted number of rows with a value in each column, (K, p)."""
        found = np.zeros((len(self.counts), self.n_features))
        some = self.n_categories > 0
        if some.any():
            found[:, some] = np.add.reduceat(self.cells, self.starts[:-1][some], axis=1)
        return found

    def column(self, j: int) -> Floats:
        """Return the cells of one column, (K, categories)."""
        return self.cells[:, self.starts[j] : self.starts[j + 1]]

    def merge(self, other: Self) -> Self:
        """Return the counts of both sets of rows together; each may have categories that the other has not."""
        self._check_fits(other)
        both, mine, theirs = self._common(other)
        both.cells[:, mine] += self.cells
        both.cells[:, theirs] += other.cells
        names, recipe = self._same_columns(other)
        return replace(both, counts=self.counts + other.counts, rows=self.rows + other.rows, feature_names=names, recipe=recipe)

    def subtract(self, other: Self) -> Self:
        """Return the counts without rows that are among those counted; categories that no row is left of go too."""
        self._check_fits(other)
        both, mine, theirs = self._common(other)
        taken = np.zeros_like(both.cells)
        both.cells[:, mine] = self.cells
        taken[:, theirs] = other.cells
        counts, rows = remaining(self.classes, self.counts, self.rows, other.counts, other.rows)
        left = replace(both, counts=counts, rows=rows, cells=emptied(rows, subtracted(both.cells, taken)))
        return left.compact()

    def scaled(self, factors: Floats) -> Self:
        """Return the counts after multiplying the weights of class k by factors_k."""
        return replace(self, counts=self.counts * factors, cells=self.cells * factors[:, None])

    def compact(self) -> Self:
        """Return the counts without categories that no row has (of numbered ones: without those at the end)."""
        kept = self.cells.any(axis=0)
        if self.levels is None:
            last = np.full(self.n_features, -1)
            np.maximum.at(last, self.columns[kept], self.ranks[kept])
            kept = self.ranks <= last[self.columns]
        if kept.all():
            return self
        starts = starts_of(np.bincount(self.columns[kept], minlength=self.n_features))
        return replace(self, starts=starts, cells=self.cells[:, kept], levels=None if self.levels is None else self.levels[kept])

    def widened(self, least: Ints) -> Self:
        """Return the counts with at least so many numbered categories in each column."""
        wide = starts_of(np.maximum(self.n_categories, least))
        if wide[-1] == self.starts[-1]:
            return self
        cells = np.zeros((len(self.counts), int(wide[-1])))
        cells[:, wide[self.columns] + self.ranks] = self.cells
        return replace(self, starts=wide, cells=cells)

    def _common(self, other: Self) -> tuple[Self, Any, Any]:
        """Return zero counts that have the categories of both, and the places of both there."""
        if self.levels is None or other.levels is None:
            starts = starts_of(np.maximum(self.n_categories, other.n_categories))
            mine, theirs = (starts[one.columns] + one.ranks for one in (self, other))
            return replace(self, starts=starts, cells=np.zeros((len(self.counts), int(starts[-1])))), mine, theirs
        if np.array_equal(self.starts, other.starts) and self.levels.tolist() == other.levels.tolist():
            return replace(self, cells=np.zeros_like(self.cells)), slice(None), slice(None)
        names = [sorted({*self.names(j), *other.names(j)}) for j in range(self.n_features)]
        starts = starts_of(np.array([len(found) for found in names], dtype=np.int64))
        where = [{name: starts[j] + c for c, name in enumerate(found)} for j, found in enumerate(names)]
        mine, theirs = (
            np.array([where[j][name] for j in range(self.n_features) for name in one.names(j)], dtype=np.int64) for one in (self, other)
        )
        cells, levels = np.zeros((len(self.counts), int(starts[-1]))), as_objects([name for found in names for name in found])
        return replace(self, starts=starts, cells=cells, levels=levels), mine, theirs

    def names(self, j: int) -> list[Any]:
        """Return the categories of one column."""
        if self.levels is None:
            return list(range(int(self.n_categories[j])))
        return list(self.levels[self.starts[j] : self.starts[j + 1]])

    def _require_shapes(self) -> None:
        K, starts = require_classes(self.classes, self.counts, self.rows), self.starts
        require_array(starts, (len(starts),), "places of the columns", 0)
        fits = starts.dtype.kind == "i" and starts[0] == 0 and (np.diff(starts) >= 0).all()
        require_array(self.cells, (K, int(starts[-1])) if fits else (), "cells", 0.0)
        if self.levels is not None and len(self.levels) != starts[-1]:
            raise ValueError("levels")
        self._require_names()

    def _check_fits(self, other: Self) -> None:
        if (self.levels is None) != (other.levels is None):
            raise InputError("Numbered categories and named ones do not go together; count both in the same way.")
        if self.n_features != other.n_features or not np.array_equal(self.classes, other.classes):
            raise InputError(
                f"Categories of {self.n_features} columns and classes {self.classes.tolist()} do not go together with {other.n_features} "
                f"columns and classes {other.classes.tolist()}; count both with the same columns and classes."
                + announce(self.classes, other.classes)
            )


@dataclass(frozen=True, slots=True, eq=False)
class CategoriesPass:
    """The pass from a block of category numbers to its counts, for which an engine that holds the rows may be asked instead."""

    classes: NDArray[Any]
    skip_missing: bool

    def __call__(self, block: Block) -> CategoryCounts:
        """Summarise a block."""
        assert block.codes is not None
        counts = np.bincount(block.codes, block.weight, minlength=len(self.classes)).astype(np.float64)
        rows, top = rows_per_class(block.codes, block.weight, len(self.classes)), top_categories(block, self.skip_missing)
        if top is None:
            return self._none(counts, rows, block.n_features)
        starts = starts_of(top + 1)
        cells = np.zeros((len(counts), int(starts[-1])))
        _add_cells(block, starts, cells)
        return CategoryCounts(self.classes, counts, rows, starts, cells).compact()

    def ask(self, engine: SumEngine) -> CategoryCounts:
        """Return the counts as an engine counts them."""
        found = engine.levels()
        values = np.concatenate([own for own, _ in found.columns])
        whole = bool(((values >= 0) & (np.floor(values) == values) & (values <= LARGEST)).all())
        if not whole or (found.has_gaps and not self.skip_missing):
            return self._none(found.counts, found.rows, len(found.columns))
        starts = starts_of(np.array([int(own.max(initial=-1.0)) + 1 for own, _ in found.columns], dtype=np.int64))
        cells = np.zeros((len(found.counts), int(starts[-1])))
        for start, (own, weights) in zip(starts, found.columns):
            cells[:, start + own.astype(np.int64)] = weights
        return CategoryCounts(self.classes, found.counts, found.rows, starts, cells).compact()

    def _none(self, counts: Floats, rows: Ints, n_features: int) -> CategoryCounts:
        nothing = np.zeros(n_features + 1, dtype=np.int64)
        return CategoryCounts(self.classes, np.full_like(counts, np.nan), rows, nothing, np.zeros((len(counts), 0)))


def starts_of(sizes: Ints) -> Ints:
    """Return where each of several consecutive runs begins, and the end of the last."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def as_objects(values: list[Any]) -> NDArray[Any]:
    """Return an array of objects, whatever their types."""
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def top_categories(block: Block, skip_missing: bool) -> Ints | None:
    """Return the largest category of each column (-1: none), or None if a value is no category."""
    top, good = np.full(block.n_features, -1.0), True
    small = _is_small(block)
    for tile in _dense_tiles(block):
        if small:
            X = tile.X
            good &= bool(((X >= 0) & (np.floor(X) == X) | (skip_missing & np.isnan(X))).all())
            np.maximum(top, np.where(np.isnan(X), -1.0, X).max(axis=0, initial=-1.0), out=top)
        else:
            from ..kernels import counts

            good &= counts.top_categories(tile.X, skip_missing, top)
    return top.astype(np.int64) if good and top.max() <= LARGEST else None


def _is_small(block: Block) -> bool:
    return not SUMS.reached(block.n_rows * block.n_features)


def _dense_tiles(block: Block) -> Iterator[Block]:
    for tile in block.tiles(block.n_rows if _is_small(block) else tile_rows(block.n_features)):
        yield Block(as_float(tile.dense()), tile.codes, tile.weight, tile.start) if tile.is_sparse else tile


def _add_cells(block: Block, starts: Ints, cells: Floats) -> None:
    small = _is_small(block)
    for tile in _dense_tiles(block):
        assert tile.codes is not None
        if not small:
            from ..kernels import counts

            counts.add_categories(tile.X, tile.codes, NO_WEIGHT if tile.weight is None else tile.weight, starts, cells)
            continue
        known = ~np.isnan(tile.X)
        place = (tile.codes.astype(np.int64) * cells.shape[1])[:, None] + starts[:-1] + np.where(known, tile.X, 0).astype(np.int64)
        weight = np.broadcast_to(1.0 if tile.weight is None else tile.weight[:, None], known.shape)
        cells += np.bincount(place[known], weight[known], minlength=cells.size).reshape(cells.shape)
