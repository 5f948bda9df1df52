"""A bound on f − min f that holds for every convex loss ℓ ≥ 0 of two classes, with an L2 penalty and an intercept that has none.

Slopes a_i = dℓ_i/dz of a point are dual variables of it, feasible if Σ s_i a_i = 0: that is what the gradient of the intercept says. Where
it is not quite 0, the slopes of one class (k, that of the larger sum) are scaled by κ ≤ 1 until it is. Since ℓ*(κa) ≤ κ ℓ*(a), that costs
(1 − κ)ℓ_i a row, and the duality gap is at most

    (1 − κ)/S Σ_(i of k) s_i ℓ_i + ‖g_W − (1 − κ)/S Σ_(i of k) s_i a_i x_i‖²/2λ.

Cross-entropies have bounds of their own, which are of second order in the intercept's gradient (`proven_gap.py`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...array_types import Floats
from ...data import Block
from ..accepted_losses import smooth_loss
from ..problem import Problem
from ..products import Products
from .objective import TILE_VALUES, Objective
from .proven_gap import without_intercept


def from_rows(objective: Objective, theta: Floats, gradient: Floats) -> float:
    """Return the bound from the gradient (1, p + 1) at θ (1, p + 1), both in centred coordinates; one pass."""
    problem = objective.problem
    if problem.strength == 0.0 or not problem.fit_intercept:
        return without_intercept(problem.strength, gradient[:, :-1])

    def of_block(block: Block) -> tuple[Floats, Floats]:
        losses, sums = np.zeros(2), np.zeros((2, theta.size))
        for tile in block.tiles(max(TILE_VALUES // block.n_features, 256)):
            X = np.asarray(tile.dense(), dtype=np.float64) - objective.centre
            Z = X @ theta[:, :-1].T + theta[:, -1]
            assert tile.codes is not None
            for k in range(2):
                own = tile.codes == k
                S = Z[own]
                weight = np.empty(0) if tile.weight is None else tile.weight[own]
                losses[k] += objective.loss.residuals(S, tile.codes[own], weight)
                sums[k] += np.append(S[:, 0] @ X[own], S.sum())
        return losses, sums

    losses, sums = (np.sum(part, axis=0) for part in zip(*problem.rows.map(of_block)))
    objective.passes += 1
    return bound(problem, gradient[:, :-1], losses, sums[:, -1], lambda k: sums[k, :-1])


def from_point(problem: Problem, slopes: Floats, products: Products, Z: Floats) -> float:
    """Return the bound from the gradient (1, p) and the scores (n, 1) of all rows held."""
    if problem.strength == 0.0 or not problem.fit_intercept:
        return without_intercept(problem.strength, slopes)
    codes, weight = problem.rows.codes, problem.rows.weight
    assert codes is not None
    values, a = np.zeros(2), Z.copy()
    for k in range(2):
        own = codes == k
        S = Z[own]
        values[k] = smooth_loss(problem).residuals(S, codes[own], np.empty(0) if weight is None else weight[own])
        a[own] = S
    sums = np.array([a[codes == k].sum() for k in range(2)])
    return bound(problem, slopes, values, sums, lambda k: products.transposed_times(a * (codes == k)[:, None])[:, 0])


def bound(problem: Problem, slopes: Floats, losses: Floats, sums: Floats, coupling: Callable[[int], Floats]) -> float:
    """Return the bound from the gradient (1, p); of each class Σ s_i ℓ_i and Σ s_i a_i (2,), and the function k ↦ Σ s_i a_i x_i (p,)."""
    k = int(np.abs(sums).argmax())
    if sums[k] == 0.0:
        return without_intercept(problem.strength, slopes)
    scale = -float(sums[1 - k] / sums[k])
    if scale < 0.0:
        return np.inf
    off = slopes - (1.0 - scale) / problem.total * coupling(k)
    return (1.0 - scale) * float(losses[k]) / problem.total + without_intercept(problem.strength, off)
