"""A bound on f − min f that holds, over rows of any library: what `proven_gap.py` and `scaled_gap.py` say, in array-API code.

Cross-entropies: residuals are made feasible on some of the rows, evenly spread. Squared hinges of several machines: each machine's slopes
of one sign are scaled, in one more pass; the gap of all is the sum of theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import numpy as np

from ...array_types import Floats
from ...data import Block
from ...data.device import is_on_device
from ...data.namespaces import add_to_own, like
from ...data.threads import spread
from ...losses.array_losses import signs
from .array_objective import ArrayObjective, host, some_rows, tiles
from .proven_gap import bound, without_intercept

ENOUGH = 4_096
"""Rows on which residuals are made feasible, at least; 128 for each class where classes are many."""


FLATTER = 3.0
"""How much flatter the loss is, in its intercepts, at the end than where no column counts."""


def bound_at(objective: ArrayObjective, theta: Any, g: Any) -> float:
    """Return the bound from θ and the gradient there (R, p + 1), both in float64 and centred coordinates."""
    problem = objective.problem
    slopes, gc = host(g[:, :-1]), host(g[:, -1])
    if not problem.fit_intercept:
        return without_intercept(problem.strength, slopes)
    if not objective.loss.is_cross_entropy:
        return _scaled(objective, theta, slopes)
    n = problem.rows.n_rows or ENOUGH
    for size in dict.fromkeys((min(_enough(objective), n), n)):
        rows = some_rows(problem, size)
        M = _intercept_curvature(objective, theta, rows)
        found = bound(problem.strength, slopes, gc, M, partial(_turned, objective, theta, rows))
        if found is not None:
            return found
    return np.inf


def likely_bound(objective: ArrayObjective, g: Any, shares: Any) -> float:
    """Return about what `bound_at` will say, from the gradient and the curvature of the intercepts where no column counts."""
    xp, problem = objective.xp, objective.problem
    W, gc = g[:, :-1], g[:, -1:]
    found = float(xp.sum(W * W)) / (2.0 * problem.strength)
    if objective.loss.is_cross_entropy:
        n = problem.rows.n_rows or ENOUGH
        found += FLATTER * max(1.0, n / _enough(objective)) * float(xp.sum(gc * gc / shares))
    return found


def _enough(objective: ArrayObjective) -> int:
    return max(ENOUGH, 128 * objective.problem.n_classes)


def _probabilities(objective: ArrayObjective, theta: Any, tile: Block) -> tuple[Any, Any, Any]:
    """Return centred rows in float64, their probabilities (m, R), and these times s_i/S."""
    xp, total = objective.xp, objective.problem.total
    own = Block(_centred(objective, tile), tile.codes, tile.weight)
    P = objective.slopes_of(own, theta)[1]
    P = P + xp.astype(own.codes, xp.float64)[:, None] if theta.shape[0] == 1 else add_to_own(xp, P, own.codes, 1.0)
    return own.X, P, P / total if own.weight is None else P * (own.weight / total)[:, None]


def _summed(objective: ArrayObjective, rows: Block, n_scores: int, function: Callable[[Block], Any]) -> Any:
    """Return the sum of a function over the tiles of some rows: in NumPy on threads."""
    parts = tiles(rows, n_scores, 32)
    values = (function(part) for part in parts) if is_on_device(rows) else spread(function, list(parts), objective.rows.threads)
    return reduce(lambda a, b: a + b, values)


def _intercept_curvature(objective: ArrayObjective, theta: Any, rows: Block) -> Floats:
    """Return M = (1/S) Σ s_i (diag(p_i) − p_i p_i') of some rows, (R, R)."""
    xp = objective.xp

    def of(tile: Block) -> Any:
        _, P, sP = _probabilities(objective, theta, tile)
        return xp.concat([sP.T @ P, xp.sum(sP, axis=0)[None, :]])

    found = host(_summed(objective, rows, theta.shape[0], of))
    return np.diag(found[-1]) - found[:-1]


def _turned(objective: ArrayObjective, theta: Any, rows: Block, a: Floats) -> Floats:
    """Return (1/S) Σ s_i (D_i a) x_i' of some rows, (R, p)."""
    step = like(a, objective.example)

    def of(tile: Block) -> Any:
        X, P, sP = _probabilities(objective, theta, tile)
        U = sP * (1.0 - P) * step if P.shape[1] == 1 else sP * (step - (P @ step)[:, None])
        return U.T @ X

    return host(_summed(objective, rows, theta.shape[0], of))


def _scaled(objective: ArrayObjective, theta: Any, slopes: Floats) -> float:
    """Return the sum of the bounds of all machines: of each, the slopes of one sign are scaled until they add up to 0."""
    losses, sums = _by_sign(objective, theta)
    total, side = objective.problem.total, np.abs(sums).argmax(axis=0)
    machines = np.arange(len(side))
    larger, smaller = sums[side, machines], sums[1 - side, machines]
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.where(larger == 0.0, 1.0, -smaller / larger)
    if (scale < 0.0).any():
        return np.inf
    rest = (1.0 - scale)[:, None] / total * _coupling(objective, theta, 2.0 * side - 1.0)
    return float(((1.0 - scale) * losses[side, machines]).sum()) / total + without_intercept(objective.problem.strength, slopes - rest)


def _by_sign(objective: ArrayObjective, theta: Any) -> tuple[Floats, Floats]:
    """Return Σ s_i ℓ_i and Σ s_i a_i of each sign and machine, (2, R) each."""
    xp = objective.xp

    def of(block: Block) -> Floats:
        parts: Any = 0.0
        for tile in tiles(block, theta.shape[0], 32):
            y, a = _slopes(objective, tile, theta)
            values = a * a / 4.0
            weight = 1.0 if tile.weight is None else tile.weight[:, None]
            masks = [xp.astype(y < 0, xp.float64) * weight, xp.astype(y > 0, xp.float64) * weight]
            parts = parts + xp.stack([xp.sum(part * mask, axis=0) for part in (values, a) for mask in masks])
        return host(parts)

    found = np.sum(objective.rows.collect(of), axis=0)
    objective.passes += 1
    return found[:2], found[2:]


def _coupling(objective: ArrayObjective, theta: Any, side: Floats) -> Floats:
    """Return Σ s_i a_i (x_i − m) over the rows of one sign, which `side` (R,) names for each machine; (R, p)."""
    xp, sign = objective.xp, like(side, objective.example)

    def of(block: Block) -> Floats:
        parts: Any = 0.0
        for tile in tiles(block, theta.shape[0], 32):
            y, a = _slopes(objective, tile, theta)
            a = a * xp.astype(y == sign, xp.float64)
            a = a if tile.weight is None else a * tile.weight[:, None]
            parts = parts + a.T @ _centred(objective, tile)
        return host(parts)

    objective.passes += 1
    return np.asarray(np.sum(objective.rows.collect(of), axis=0))


def _centred(objective: ArrayObjective, tile: Block) -> Any:
    return objective.xp.astype(tile.X, objective.xp.float64) - like(objective.centre, objective.example)


def _slopes(objective: ArrayObjective, tile: Block, theta: Any) -> tuple[Any, Any]:
    """Return targets ±1 and slopes of a squared hinge, (n, R) each."""
    rows = Block(_centred(objective, tile), tile.codes, tile.weight)
    a = objective.slopes_of(rows, theta)[1]
    return signs(objective.xp, a, tile.codes), a
