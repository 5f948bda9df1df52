"""Least squares of rows fewer than columns, from their Gram matrix: n × n in place of p × p.

With rows z_i = (x_i − x̄)/s, weights w_i, Z̃ = √w z and T̃ = √w(t − t̄),

    A = Z̃'(Z̃Z̃' + αI)⁻¹T̃,   and without a penalty the A of least norm:  Z̃'(Z̃Z̃')⁺T̃
"""

from __future__ import annotations

import numpy as np

from ...array_types import Floats
from ...data import Block
from ...summaries import ClassMoments
from ...summaries.class_moments import require_memory
from .least_squares import Regression
from .pseudo_inverse import pseudo_solve
from .row_span import centred_gram
from .whitening import total_spread


def solve_wide_least_squares(
    rows: Block, moments: ClassMoments, factors: Floats | None, targets: Floats, alpha: float
) -> tuple[Regression, int]:
    """Return the regression of class targets on the columns, and the number of directions in which no row varies where they matter.

    Parameters
    ----------
    rows : all rows, with codes
    moments : ClassMoments of kind "diagonal", class weights applied
    factors : (K,) class weights, optional
    targets : (K, T)
    alpha : float

    Examples
    --------
    >>> rows = Block(np.array([[0.0, 0.0], [2.0, 2.0]]), np.array([0, 1], dtype=np.int32))
    >>> moments = ClassMoments.summarise(np.array([0, 1]), "diagonal")(rows)
    >>> found, flat = solve_wide_least_squares(rows, moments, None, np.array([[-1.0], [1.0]]), 0.0)
    >>> found.coef.round(12).tolist(), found.intercept.round(12).tolist(), flat
    ([[0.5, 0.5]], [-1.0], 1)
    """
    assert rows.codes is not None
    require_memory((rows.n_rows, rows.n_rows))
    centre, spread = total_spread(moments.counts, moments.means, moments.to_diagonal_sums())
    # The units in which the solution is to have the least norm: the penalty's, or those of the total spread without one.
    scale = np.ones(len(centre)) if alpha > 0 else np.where(spread > 0, spread, 1.0)
    weight = np.ones(rows.n_rows) if rows.weight is None else rows.weight
    root = np.sqrt(weight if factors is None else weight * factors[rows.codes])
    gram = centred_gram(rows.X, centre, scale)
    if (root != 1.0).any():
        gram *= root * root[:, None]
    mean = moments.counts @ targets / moments.counts.sum()
    gram.flat[:: len(gram) + 1] += alpha
    # Rows minus their mean sum to 0: without a penalty the Gram matrix is 0 along √w.
    null = (root / np.linalg.norm(root))[:, None][:, : 0 if alpha > 0 else 1]
    solved, rank = pseudo_solve(gram, root[:, None] * (targets[rows.codes] - mean), null)
    mix = root[:, None] * solved
    back = np.asarray((rows.X.T @ mix).T) - mix.sum(axis=0)[:, None] * centre
    coef = back if alpha > 0 else back / scale**2
    return Regression(np.ascontiguousarray(coef), mean - coef @ centre, np.empty((len(centre), 0))), 0 if alpha > 0 else len(centre) - rank
