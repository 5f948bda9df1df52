"""How often the values of each column fall between given cuts, by class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..array_types import Codes, Floats, Indices, Ints
from ..data import Block
from ..thresholds import SUMS
from .categories import CategoryCounts, starts_of
from .grouped import NO_WEIGHT, rows_per_class, tile_rows


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """Where columns are cut: a value lies in the cell numbered by how many cuts of its column are below it.

    Attributes
    ----------
    columns : (c,) numbers of the columns that are cut
    points : list of c arrays, each in rising order

    Examples
    --------
    >>> block = Block(np.array([[0.5], [1.0], [9.0]]), np.array([0, 0, 1], dtype=np.int32))
    >>> Cuts(np.array([0]), [np.array([1.0, 2.0])]).summarise(np.arange(2))(block).cells.tolist()
    [[2.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """

    columns: Indices
    points: list[Floats]

    def summarise(self, classes: Any) -> Callable[[Block], CategoryCounts]:
        """Return the pass: a function from a block to the counts of the cells."""
        starts = starts_of(np.array([len(points) + 1 for points in self.points], dtype=np.int64))
        flat = np.concatenate([*self.points, np.empty(0)])

        def of(block: Block) -> CategoryCounts:
            assert block.codes is not None
            counts = np.bincount(block.codes, block.weight, minlength=len(classes)).astype(np.float64)
            cells = np.zeros((len(counts), int(starts[-1])))
            if block.is_sparse:
                self._add_stored(block, counts, starts, cells)
            elif not SUMS.reached(block.X.size):
                self._add(block, starts, cells)
            else:
                self._add_tiles(block, starts, flat, cells)
            return CategoryCounts(classes, counts, rows_per_class(block.codes, block.weight, len(classes)), starts, cells)

        return of

    def _add(self, block: Block, starts: Ints, cells: Floats) -> None:
        """The kernel's reference."""
        assert block.codes is not None
        for c, points in enumerate(self.points):
            place = np.searchsorted(points, block.X[:, self.columns[c]])
            _add_column(cells[:, starts[c] : starts[c + 1]], block.codes, place, block.weight)

    def _add_tiles(self, block: Block, starts: Ints, flat: Floats, cells: Floats) -> None:
        from ..kernels.columns import add_cells

        columns = self.columns.astype(np.int64)
        for tile in block.tiles(tile_rows(block.n_features)):
            add_cells(tile.X, tile.codes, NO_WEIGHT if tile.weight is None else tile.weight, columns, starts, flat, cells)

    def _add_stored(self, block: Block, counts: Floats, starts: Ints, cells: Floats) -> None:
        assert block.codes is not None
        X = sp.csc_array(block.X[:, self.columns])
        for c, points in enumerate(self.points):
            own = slice(X.indptr[c], X.indptr[c + 1])
            rows, target = X.indices[own], cells[:, starts[c] : starts[c + 1]]
            weight = None if block.weight is None else block.weight[rows]
            _add_column(target, block.codes[rows], np.searchsorted(points, X.data[own]), weight)
            # What is not stored is 0.
            target[:, np.searchsorted(points, 0.0)] += counts - np.bincount(block.codes[rows], weight, minlength=len(counts))


def _add_column(target: Floats, codes: Codes, place: Indices, weight: Floats | None) -> None:
    size = target.shape[1]
    target += np.bincount(codes.astype(np.int64) * size + place, weight, minlength=target.size).reshape(target.shape)


def quantile_cuts(values: Floats, weight: Floats, bins: int) -> Floats:
    """Return cuts that part distinct values, given in rising order, into at most `bins` cells of about equal weight.

    Where there are no more values than bins, every value has a cell of its own.

    Examples
    --------
    >>> quantile_cuts(np.array([1.0, 2.0, 3.0, 4.0]), np.ones(4), bins=2), quantile_cuts(np.array([1.0, 2.0]), np.ones(2), bins=8)
    (array([2.]), array([1.]))
    """
    if len(values) <= bins:
        return values[:-1]
    reached = np.cumsum(weight)
    wanted = reached[-1] * np.arange(1, bins) / bins
    # The last cut that is not beyond: a value that alone has the weight of several cells keeps one of its own.
    places = np.unique(np.searchsorted(reached, wanted * (1.0 - 1e-12)))
    cuts: Floats = values[places[places < len(values) - 1]]
    return cuts
