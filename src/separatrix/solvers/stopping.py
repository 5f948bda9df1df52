"""When a smooth solver stops, and the Solution it then returns: tolerance, what is left to gain, separable classes, the certificate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..array_types import Floats, Ints
from ..losses import CrossEntropy
from .accepted_losses import smooth_loss
from .problem import Problem
from .solution import Solution, Status

if TYPE_CHECKING:
    from .smooth.objective import Objective


GAP_SHARE = 0.01
"""Relative gap asked, as a share of tol: at the default tol = 1e-4 the objective is right to six digits."""
ROUNDING = 8.0 * np.finfo(float).eps
"""Share of f that is its rounding."""
SLOWEST = 100.0
"""Steps like the last that may be still to come, at most."""


def small_enough(problem: Problem, f: float, gradient: Floats, decrement: float, precision: float | None = None) -> bool:
    """Whether max |gradient| ≤ tol in units of each column and the estimated gap ½ g'H⁻¹g is below GAP_SHARE tol f (or `precision` f)."""
    share = GAP_SHARE * problem.tol if precision is None else min(precision, GAP_SHARE * problem.tol)
    if not decrement <= share * max(f, np.finfo(float).tiny):
        return False
    sizes = np.abs(gradient)
    return bool((sizes if problem.units is None else sizes / problem.units).max() <= problem.tol)


def without_step(problem: Problem, f: float, gradient: Floats, decrement: float) -> Status:
    """Return the status where no step lowers f: converged if the tolerance is met, or if what is left to gain is the rounding of f."""
    is_rounding = 0.0 <= decrement <= ROUNDING * f
    return Status.CONVERGED if is_rounding or small_enough(problem, f, gradient, decrement) else Status.STALLED


def still_to_gain(gains: Sequence[float]) -> float:
    """Return what is left to gain after steps with these gains, real or promised.

    Gains that add up to A over some steps and to B = qA over as many before the end go on to Bq/(1 − q): a Hessian known badly promises
    little at every step, for ever. Sums over a quarter of the steps, because single gains of conjugate gradients go up and down.

    Examples
    --------
    >>> still_to_gain([4e-3, 2e-3, 1e-3]), still_to_gain([1e-3])
    (0.001, 0.0)
    """
    m = max(1, len(gains) // 4)
    if len(gains) < 2 * m:
        return 0.0
    last, before = sum(gains[-m:]), sum(gains[-2 * m : -m])
    slowest = SLOWEST * last / m
    return min(last**2 / (before - last), slowest) if 0.0 < last < before else slowest


def is_separated(problem: Problem, f: float, least_weight: float) -> bool:
    """Whether a mean loss without penalty proves that every row is on its side.

    A row on the wrong side loses at least log 2 (of a cross-entropy), so a sum of losses below that of the lightest row leaves none there.
    """
    return problem.strength == 0.0 and f * problem.total < least_weight * smooth_loss(problem).separated_below


def least_weight(problem: Problem) -> float:
    """Return the smallest positive weight of a row."""
    if problem.rows.held is None:
        return min(problem.rows.map(lambda block: _least(block.weight)))
    return _least(problem.rows.weight)


def _least(weight: Floats | None) -> float:
    return 1.0 if weight is None else float(weight[weight > 0].min(initial=np.inf))


def _gap(objective: Objective, theta: Floats, f: float, gradient: Floats, hessian: Floats | None, status: Status) -> float:
    """Return a bound on f − min f that holds: by the mathematics of cross-entropies where the loss is one, else that of any loss."""
    from .smooth import newton_gap, proven_gap, scaled_gap

    problem = objective.problem
    if not isinstance(objective.loss, CrossEntropy):
        return scaled_gap.from_rows(objective, theta, gradient)
    gap = proven_gap.from_rows(objective, theta, gradient) if hessian is None else proven_gap.from_hessian(problem, gradient, hessian)
    if gap > newton_gap.useful(problem, f) and status is not Status.MAX_ITER:
        gap = min(gap, newton_gap.by_hessian(objective, theta, gradient, hessian))
    return gap


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
    dependent: Ints | None = None,
    hessian: Floats | None = None,
    gap: float | None = None,
) -> Solution:
    """Return the solution at θ, its gradient being that of the centred coordinates; `passes` adds to those of the objective."""
    problem = objective.problem
    gap = _gap(objective, theta, f, gradient, hessian, status) if gap is None else gap
    if problem.n_scores > 1:
        theta = theta - theta.mean(axis=0)
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
