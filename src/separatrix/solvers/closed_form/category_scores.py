"""Log-probabilities of categories, and their sums over the columns of each row."""

from __future__ import annotations

import numpy as np

from ...array_types import Floats, Ints
from ...data import Block
from ...summaries.categories import CategoryCounts
from ...summaries.grouped import tile_rows
from ...thresholds import SCORES
from .smoothing import LogProbability, log_share


def category_logs(counts: CategoryCounts, alpha: float) -> LogProbability:
    """Return log((N_kjc + α)/(n_kj + α L_j)) of all cells, (K, cells)."""
    sizes = counts.n_categories
    whole = np.repeat(counts.present + alpha * sizes, sizes, axis=1)
    return log_share(counts.cells + alpha, whole, np.repeat(sizes, sizes))


def category_scores(block: Block, starts: Ints, table: Floats, skip_missing: bool) -> tuple[Floats, Ints]:
    """Return Σ_j table[k, starts_j + x_ij] of each row, (n, K), and how many rows of each column hold a category beyond its cells.

    Those add nothing, as missing values do if skipped. A value that is no category makes the row's scores NaN.

    Examples
    --------
    >>> category_scores(Block(np.array([[1.0], [5.0]])), np.array([0, 2]), np.array([[10.0, 20.0]]), False)
    (array([[20.], [ 0.]]), array([1]))
    """
    scores, unknown = np.zeros((block.n_rows, len(table))), np.zeros(block.n_features, dtype=np.int64)
    by_cell = np.ascontiguousarray(table.T)
    small = not SCORES.reached(block.n_rows * block.n_features)
    for tile in block.tiles(tile_rows(block.n_features)):
        own = scores[tile.start - block.start :][: tile.n_rows]
        X = np.ascontiguousarray(tile.dense(), dtype=np.float64)
        if small:
            _add_small(X, starts, by_cell, skip_missing, own, unknown)
        else:
            from ...kernels.counts import add_category_scores

            add_category_scores(X, starts, by_cell, skip_missing, own, unknown)
    return scores, unknown


def _add_small(X: Floats, starts: Ints, by_cell: Floats, skip_missing: bool, scores: Floats, unknown: Ints) -> None:
    """The kernel's reference: all at once where every value is a known category, else one column after the other."""
    gaps = np.isnan(X)
    whole = (X >= 0) & (np.floor(X) == X) & np.isfinite(X)
    known = whole & (np.diff(starts) > X)
    if known.all():
        scores += by_cell[starts[:-1] + X.astype(np.int64)].sum(axis=1)
        return
    scores[~(whole | gaps if skip_missing else whole).all(axis=1)] = np.nan
    unknown += np.count_nonzero(whole & ~known, axis=0)
    for j in range(X.shape[1]):
        own = known[:, j]
        scores[own] += by_cell[starts[j] + X[own, j].astype(np.int64)]
