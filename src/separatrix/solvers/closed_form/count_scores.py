"""Scores that are linear in what is counted, for dense and sparse rows, with missing values left out."""

from __future__ import annotations

import numpy as np

from ...array_types import Floats
from ...data import Block
from ...summaries.counting import CountingRule, stored
from ...summaries.grouped import tile_rows
from ...thresholds import SCORES
from ..scores import linear_scores


def count_scores(block: Block, reading: CountingRule, coef: Floats, intercept: Floats, offset: Floats | None) -> Floats:
    """Return intercept_k + Σ_j coef_kj x_ij of each row, x as read; NaN for a row with a value that cannot be counted.

    Parameters
    ----------
    coef, intercept : (K, p), (K,)
    offset : (K, p) or None
        The part of the intercept that belongs to each column: taken back where the column's value is missing.

    Returns
    -------
    scores : (n, K)

    Examples
    --------
    >>> block = Block(np.array([[1.0, 2.0], [np.nan, 1.0]]))
    >>> count_scores(block, CountingRule(skip_missing=True), np.array([[1.0, 10.0]]), np.array([5.0]), np.array([[2.0, 3.0]])).tolist()
    [[26.0], [13.0]]
    """
    add = _add_stored if block.is_sparse else _add_dense
    scores = np.empty((block.n_rows, len(coef)))
    scores[:] = intercept
    add(block, reading, coef, offset, scores)
    return scores


def _add_dense(block: Block, reading: CountingRule, coef: Floats, offset: Floats | None, scores: Floats) -> None:
    zero = np.zeros(len(coef))
    small = not SCORES.reached(block.X.size)
    for tile in (block,) if small else block.tiles(tile_rows(block.n_features)):
        own = scores[tile.start - block.start :][: tile.n_rows]
        X, gaps = reading.values(np.asarray(tile.X))
        own += linear_scores(Block(X), coef, zero)
        if X.min(initial=0.0) < reading.floor:
            own[np.less(X, reading.floor).any(axis=1)] = np.nan
        if gaps is not None and offset is not None:
            own -= gaps @ offset.T


def _add_stored(block: Block, reading: CountingRule, coef: Floats, offset: Floats | None, scores: Floats) -> None:
    small = not SCORES.reached(block.X.nnz)
    few = small and block.n_rows == 1
    weights = coef.T if few else np.ascontiguousarray(coef.T)
    for piece in stored(block, reading):
        own = scores[piece.begin : piece.end]
        if small:
            # Of one row only its own columns: turning all coefficients over would cost more.
            own += piece.data @ weights[piece.indices] if few else piece.matrix(block.n_features) @ weights
            if piece.data.min(initial=0.0) < reading.floor:
                own[np.repeat(np.arange(len(own)), np.diff(piece.indptr))[piece.data < reading.floor]] = np.nan
        else:
            from ...kernels.counts import add_sparse_scores

            add_sparse_scores(piece.data, piece.indices, piece.indptr, weights, reading.floor, own)
        if piece.gaps is not None and offset is not None:
            rows = np.repeat(np.arange(len(own)), np.diff(piece.indptr))[piece.gaps]
            np.subtract.at(own, rows, offset.T[piece.indices[piece.gaps]])
