"""The gap that a Newton step proves, where the gradient alone proves next to nothing: columns in units far apart, or hardly a penalty.

As in `proven_gap.py` residuals are shifted until they are dual variables, but by a step d of all coefficients instead of the intercept's:

    p_i' = p_i − D_i d x_i,    gap ≤ d'Bd + ‖(g − Bd)_W‖²/2λ,    B = (1/S) Σ s_i D_i ⊗ x_i x_i',    (g − Bd)_c = 0,

while no two scores of a row move apart by more than 1. The least such bound is g'd at (B + 2λ)d = g, twice the decrement or less.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse.linalg import LinearOperator, cg

from ...array_types import Floats
from ..problem import Problem
from ..rows import Rows
from ..stopping import GAP_SHARE
from .direction import preconditioner
from .newton import Factor
from .objective import Objective
from .proven_gap import EXACT, shift
from .system import Point, System

USEFUL = 1e4
"""Multiple of the gap asked up to which the one that a gradient proves is left as it is."""
LARGEST, ENOUGH = 1_500, 20_000
"""Coefficients up to which a Hessian is formed, and the rows that it then takes."""
ADDED, FACTORED, PASS = 3e-11, 4e-11, 5e-10
"""Seconds: of a Hessian for rows × coefficients², of its factor for coefficients³, and of a pass for rows × coefficients."""
LITTLE, SHARE = 5e-3, 0.3
"""Seconds that a proof may always take, and the share of those of the passes before it."""
SPARED = 20
"""One product more for so many that were needed, at most."""


def useful(problem: Problem, f: float) -> float:
    """Return the gap below which no better bound is worth its price."""
    return USEFUL * GAP_SHARE * problem.tol * f


def by_hessian(objective: Objective, theta: Floats, gradient: Floats, H: Floats | None = None) -> float:
    """Return the bound at θ from the gradient (R, p + 1) and the Hessian (Rq, Rq), of some rows where none is given; infinite if none."""
    problem = objective.problem
    if problem.strength == 0.0 or theta.size > LARGEST:
        return np.inf
    if H is not None:
        return _by_factor(objective, gradient, H)
    if not _is_worth(objective, theta.size):
        return np.inf
    stride = 1 if problem.rows.X is None else problem.rows.X.shape[0] // ENOUGH
    for step in dict.fromkeys((max(stride, 1), 1)):
        some = objective if step == 1 else Objective(_every(problem, step), objective.centre, objective.shifts)
        gap = _by_factor(some, gradient, some.curved(theta)[2])
        if np.isfinite(gap):
            return gap
    return np.inf


def _is_worth(objective: Objective, size: int) -> bool:
    """Whether a Hessian of so many coefficients, of some rows, costs little beside the passes that led to θ."""
    n = objective.problem.rows.n_rows or ENOUGH
    seconds = ADDED * min(n, ENOUGH) * size**2 + FACTORED * size**3
    return seconds <= max(LITTLE, SHARE * objective.passes * PASS * n * size)


def _every(problem: Problem, step: int) -> Problem:
    """Return the problem with every few rows, their weights as they are: its total remains that of all."""
    rows = problem.rows
    assert rows.codes is not None
    weight = None if rows.weight is None else np.ascontiguousarray(rows.weight[::step])
    X = rows.X[::step] if rows.is_sparse else np.ascontiguousarray(rows.X[::step])
    return replace(problem, rows=Rows.of_arrays(X, np.ascontiguousarray(rows.codes[::step]), weight, rows.source))


def _by_factor(objective: Objective, gradient: Floats, H: Floats) -> float:
    R, q = gradient.shape
    lam, ridge = objective.problem.strength, np.tile(np.append(np.ones(q - 1), 0.0), (R, 1)) * objective.problem.strength
    g = gradient - gradient.mean(axis=0) if R > 1 else gradient
    H = H.copy()
    np.einsum("aa->a", H)[:] += ridge.ravel()
    factor = Factor(H, R)
    d = factor.solve(g)

    def times(d: Floats) -> Floats:
        return (H @ d.ravel()).reshape(R, q) - 2.0 * ridge * d

    d += factor.solve(g - times(d) - 2.0 * ridge * d)
    if R > 1:
        d -= d.mean(axis=0)
    if objective.problem.fit_intercept:
        columns = H.reshape(R, q, R, q)[:, -1, :, -1]
        last = shift(columns, (g - times(d))[:, -1])
        if last is None:
            return np.inf
        d[:, -1] += last
    return bound(lam, (g, d, times(d)), objective.reach(d))


def by_products(system: System, point: Point, g: Floats) -> float:
    """Return the bound at a point with gradient g (p, R) from a few products with the Hessian; infinite if these are not enough."""
    problem, lam, most = system.problem, system.problem.strength, system.passes // SPARED
    if lam == 0.0 or most == 0:
        return np.inf
    full = np.vstack([g, (point.gc - point.gc.mean() * (g.shape[1] > 1))[None]])
    d = _step(system, point, full, most)
    done = _times(system, point, d)
    if problem.fit_intercept:
        P, s = point.P, (system.weight if system.weight.size else np.ones(len(point.P)))[:, None] / problem.total
        own = (s * P).sum(axis=0)
        last = shift(np.atleast_2d((s * P * (1.0 - P)).sum()) if len(own) == 1 else np.diag(own) - (s * P).T @ P, full[-1] - done[-1])
        if last is None:
            return np.inf
        move = np.vstack([np.zeros_like(g), last[None]])
        d, done = d + move, done + _times(system, point, move)
    scores = system.products.times(np.ascontiguousarray(d[:-1])) + d[-1]
    reach = float(np.abs(scores).max() if g.shape[1] == 1 else np.ptp(scores, axis=1).max())
    return bound(lam, (full.T, d.T, done.T), reach)


def _times(system: System, point: Point, d: Floats) -> Floats:
    """Return Bd (p + 1, R), the intercepts in the last row."""
    U = system.curved(point.P, system.products.times(np.ascontiguousarray(d[:-1])) + d[-1])
    return np.vstack([system.products.transposed_times(U), system.problem.fit_intercept * U.sum(axis=0)[None]]) / system.problem.total


def _step(system: System, point: Point, g: Floats, most: int) -> Floats:
    """Return d (p + 1, R) with (B + 2λ)d ≈ g by conjugate gradients, the intercepts in the last row."""
    problem, scales = system.problem, preconditioner(system, point)
    ridge = np.full(g.shape, 2.0 * problem.strength)
    ridge[-1] = 0.0 if problem.fit_intercept else 1.0  # nothing there to solve

    def ridged(v: Floats) -> Floats:
        d = v.reshape(g.shape)
        return np.asarray(_times(system, point, d) + ridge * d).ravel()

    def preconditioned(v: Floats) -> Floats:
        r = v.reshape(g.shape)
        return np.vstack(scales.inverse(r[:-1], r[-1])).ravel() / problem.strength

    operator = LinearOperator((g.size, g.size), matvec=ridged, dtype=np.float64)
    inverse = LinearOperator(operator.shape, matvec=preconditioned, dtype=np.float64)
    least = float(np.sqrt(0.2 * problem.strength * useful(problem, point.f)))
    return np.asarray(cg(operator, g.ravel(), rtol=0.0, atol=least, maxiter=most, M=inverse)[0]).reshape(g.shape)


def bound(lam: float, step: tuple[Floats, Floats, Floats], reach: float) -> float:
    """Return the bound from g, d and Bd (R, p + 1), infinite where scores move apart by more than 1 or the intercept is not met."""
    g, d, done = step
    off = g - done
    is_met = np.abs(off[:, -1]).max() <= EXACT * np.abs(g[:, -1]).max() + np.finfo(float).eps
    if not (reach <= 1.0 and is_met):
        return np.inf
    return float(np.vdot(d, done)) + float(np.vdot(off[:, :-1], off[:, :-1])) / (2.0 * lam)
