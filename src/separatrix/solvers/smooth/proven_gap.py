"""A bound on f − min f that holds, for logistic and softmax losses with an L2 penalty and an intercept that has none.

Residuals r_i = p_i − e_y of a point are dual variables of it, feasible if they add up to zero over the rows: that is what the gradient g_c
of the intercept says, and where it is not zero ‖g_W‖²/2λ alone is no bound. They are made feasible on some of the rows (any set will do):

    p_i' = p_i − D_i a,    D_i = diag(p_i) − p_i p_i',    M a = g_c,    M = (1/S) Σ s_i D_i

which are probabilities while no two entries of a differ by more than 1. The duality gap is then

    (1/S) Σ s_i KL(p_i' ‖ p_i) + ‖g_W − (1/S) Σ s_i (D_i a) x_i'‖²/2λ    ≤    g_c'a + the same square,

KL being at most the χ² distance a'D_i a. All sums are over the rows chosen; over all of them, both M and the last sum are blocks of the
Hessian.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.special import expit

from ...array_types import Floats
from ...data import Block
from ..problem import Problem
from ..scores import posteriors_of
from .objective import Objective

FEW, SPARED = 20_000, 50
"""Values that are read in any case; of more values one in so many is, at least."""
TRAVELLING = 4_096
"""Rows that are fetched where they lie on other machines."""
EXACT = 1e-8
"""Share of g_c that M a may miss for rounding."""


def stride_of(values: int) -> int:
    """Return the step from row to row, of rows with so many values, that makes reading them cost next to nothing."""
    return min(SPARED, max(1, values // FEW))


def from_hessian(problem: Problem, gradient: Floats, H: Floats) -> float:
    """Return the bound from gradient (R, p + 1) and Hessian (Rq, Rq) at a point."""
    if problem.strength == 0.0 or not problem.fit_intercept:
        return without_intercept(problem.strength, gradient[:, :-1])
    R, q = gradient.shape
    columns = H.reshape(R, q, R, q)[..., -1]
    gap = bound(problem.strength, gradient[:, :-1], gradient[:, -1], columns[:, -1], lambda a: columns[:, :-1] @ a)
    return np.inf if gap is None else gap


def from_longest(problem: Problem, gradient: Floats, curvature: float, longest: float) -> float:
    """Return the bound of two classes from the gradient (1, p + 1), M of all rows and the largest ‖x_i‖, without a look at the rows.

    The last sum is then no longer than |g_c| times that length. Infinite where the residuals cannot be made feasible.

    Examples
    --------
    >>> problem = Problem(None, np.ones(2), None, strength=0.5)
    >>> from_longest(problem, np.array([[0.3, 0.4, 0.0]]), 0.25, 1.0), from_longest(problem, np.array([[0.3, 0.4, 0.5]]), 0.25, 1.0)
    (0.25, inf)
    """
    if problem.strength == 0.0 or not problem.fit_intercept:
        return without_intercept(problem.strength, gradient[:, :-1])
    gc = abs(float(gradient[0, -1]))
    if gc > curvature:
        return np.inf
    off = float(np.linalg.norm(gradient[:, :-1])) + gc * longest
    return (gc * gc / curvature if gc > 0.0 else 0.0) + off * off / (2.0 * problem.strength)


def from_rows(objective: Objective, theta: Floats, gradient: Floats) -> float:
    """Return the bound from the gradient at θ and some of the rows; of all of them where these do not do."""
    problem = objective.problem
    if problem.strength == 0.0 or not problem.fit_intercept:
        return without_intercept(problem.strength, gradient[:, :-1])
    X, weight = problem.rows.X, problem.rows.weight
    stride = stride_of(problem.rows.values)
    samples: Iterator[tuple[Any, Floats | None]]
    if X is None and problem.rows.source.is_remote:
        samples = iter([_few_rows(problem)])
    elif X is None:
        samples = iter([problem.rows.first(lambda block: (_dense(block), block.weight))])
    else:
        every = dict.fromkeys((stride, 1))
        samples = ((X[::step], None if weight is None else weight[::step]) for step in every)
    for some, s in samples:
        some = some - objective.centre if objective.is_centred and isinstance(some, np.ndarray) else some
        Z = np.asarray(some @ theta[:, :-1].T) + theta[:, -1]
        P = expit(Z) if len(theta) == 1 else posteriors_of(Z)
        gap = from_probabilities(problem, gradient[:, :-1], gradient[:, -1], some, P, s)
        if gap is not None:
            return gap
    return np.inf


def from_point(problem: Problem, slopes: Floats, gc: Floats, X: Any, P: Floats) -> float:
    """Return the bound from the gradient (R, p) and (R,), all rows held and their probabilities (n, R); every few rows, if these do."""
    if problem.strength == 0.0 or not problem.fit_intercept:
        return without_intercept(problem.strength, slopes)
    s = problem.rows.weight
    for step in dict.fromkeys((stride_of(problem.rows.values), 1)):
        gap = from_probabilities(problem, slopes, gc, X[::step], P[::step], None if s is None else s[::step])
        if gap is not None:
            return gap
    return np.inf


def from_probabilities(problem: Problem, slopes: Floats, gc: Floats, X: Any, P: Floats, weight: Floats | None) -> float | None:
    """Return the bound from the gradient (R, p) and (R,), some rows and their probabilities (m, R); None where they do not do."""
    sP = P / problem.total if weight is None else P * (weight / problem.total)[:, None]
    if P.shape[1] == 1:
        M = np.array([[float(np.vdot(sP, 1.0 - P))]])
    else:
        M = np.diag(sP.sum(axis=0)) - sP.T @ P

    def coupling(a: Floats) -> Floats:
        U = sP * (1.0 - P) * a if P.shape[1] == 1 else sP * (a - (P @ a)[:, None])
        return np.asarray((X.T @ U).T)

    return bound(problem.strength, slopes, gc, M, coupling)


def bound(strength: float, slopes: Floats, gc: Floats, M: Floats, coupling: Callable[[Floats], Floats]) -> float | None:
    """Return the bound from the gradient (R, p) and (R,), M (R, R), and the function from a to the last sum; None if there is no a."""
    a = shift(M, gc)
    if a is None:
        return None
    off = slopes - coupling(a)
    return float(gc @ a) + float(np.vdot(off, off)) / (2.0 * strength)


def shift(M: Floats, gc: Floats) -> Floats | None:
    """Return a with M a = g_c, if there is one whose probabilities are such."""
    if len(gc) == 1:
        return gc / M[0, 0] if abs(gc[0]) <= M[0, 0] and M[0, 0] > 0.0 else None
    # M is singular along (1, …, 1), where g_c has nothing but rounding.
    gc = gc - gc.mean()
    try:
        a = np.linalg.solve(M + np.trace(M) / len(M) ** 2, gc)
    except np.linalg.LinAlgError:
        return None
    met = np.abs(M @ a - gc).max() <= EXACT * np.abs(gc).max()
    return a if met and np.ptp(a) <= 1.0 else None


def without_intercept(strength: float, slopes: Floats) -> float:
    """Return the bound ‖g‖²/2λ from the gradient g in W, which holds for every convex loss where no intercept is left to gain by."""
    return float(np.vdot(slopes, slopes)) / (2.0 * strength) if strength > 0.0 else np.inf


def _few_rows(problem: Problem) -> tuple[Floats, Floats | None]:
    """Return about TRAVELLING rows that lie on other machines, evenly spaced, and their weights: no more of them travel."""
    step = max(1, (problem.rows.n_rows or 1) // TRAVELLING)

    def spaced(block: Block) -> tuple[Floats, Floats | None]:
        rows = np.arange(-block.start % step, block.n_rows, step)
        X = block.X[rows]
        X = np.asarray(X.toarray() if block.is_sparse else X, dtype=np.float64)
        return X, None if block.weight is None else block.weight[rows]

    parts = list(problem.rows.map(spaced))
    weights = [weight for _, weight in parts if weight is not None]
    return np.concatenate([X for X, _ in parts]), np.concatenate(weights) if weights else None


def _dense(block: Block) -> Any:
    return block.X if block.is_sparse else np.asarray(block.dense(), dtype=np.float64)
