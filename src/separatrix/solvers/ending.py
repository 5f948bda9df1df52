"""From the last point of a smooth solver to its Solution: when to stop, what to report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .problem import Problem
from .solution import Solution, Status

if TYPE_CHECKING:
    from .smooth.objective import Objective

Floats = NDArray[np.float64]

GAP_SHARE = 0.01
"""Relative gap asked, as a share of tol: at the default tol = 1e-4 the objective is right to six digits."""


def small_enough(problem: Problem, f: float, gradient: Floats, decrement: float, precision: float | None = None) -> bool:
    """Whether max |gradient| ≤ tol and the estimated gap ½ g'H⁻¹g is below GAP_SHARE tol f (or `precision` f)."""
    share = GAP_SHARE * problem.tol if precision is None else min(precision, GAP_SHARE * problem.tol)
    return bool(np.abs(gradient).max() <= problem.tol and decrement <= share * max(f, np.finfo(float).tiny))


def is_separated(problem: Problem, f: float, least_weight: float) -> bool:
    """Whether a mean loss without penalty proves that every row is on its side.

    A row on the wrong side loses at least log 2, so a sum of losses below that of the lightest row leaves none there.
    """
    return problem.strength == 0.0 and f * problem.total < least_weight * np.log(2.0)


def least_weight(problem: Problem) -> float:
    """Return the smallest positive weight of a row."""
    if problem.rows.held is None:
        return min(problem.rows.map(lambda block: _least(block.weight)))
    return _least(problem.rows.weight)


def _least(weight: Floats | None) -> float:
    return 1.0 if weight is None else float(weight[weight > 0].min(initial=np.inf))


def finish(
    objective: Objective,
    theta: Floats,
    f: float,
    gradient: Floats,
    *,
    status: Status,
    iterations: int,
    solver: str,
    passes: int = 0,
    dependent: NDArray[np.int64] | None = None,
) -> Solution:
    """Return the solution at θ, its gradient being that of the centred coordinates; `passes` adds to those of the objective."""
    problem = objective.problem
    if problem.n_scores > 1:
        theta = theta - theta.mean(axis=0)
    slopes = gradient[:, :-1]
    gap = float(np.vdot(slopes, slopes) / (2.0 * problem.strength)) if problem.strength > 0.0 else np.inf
    return Solution(
        coef=np.ascontiguousarray(theta[:, :-1]),
        intercept=objective.intercept(theta) if problem.fit_intercept else np.zeros(len(theta)),
        status=status,
        iterations=iterations,
        passes=objective.passes + passes,
        objective=f,
        gradient_norm=float(np.abs(gradient).max()),
        gap=gap,
        solver=solver,
        dependent=dependent,
    )
