"""L-BFGS to the neighbourhood of the minimum, one exact Hessian there, and L-BFGS around it.

With some hundreds of coefficients a Hessian costs as much as a hundred passes: Newton's method, which forms one at every step of its way,
spends nearly all of them far from the minimum, where they are soon forgotten.

1. L-BFGS in units of the columns' standard deviations, from the model without columns: to a few percent of the minimum.
2. H, factored once. L-BFGS around H⁻¹ goes on as Newton's method would, its pairs (s, y) correcting what has changed since. The
   decrement ½ g'H⁻¹g, H thus corrected, is what the stop asks for.
3. Newton's method, where that does not arrive: nearly separable rows in odd units.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...array_types import Floats
from ..accepted_losses import require_loss
from ..problem import Problem
from ..solution import Solution, Status
from ..stopping import finish
from . import lbfgs, newton
from .doubt import believed
from .line_search import answered
from .objective import Objective
from .whitened import KRONECKER_RIDGE, inverse, walk

NEAR_STEPS, NEAR_TOL = 50, 0.1
"""Steps before the Hessian: at most so many, or until f is right to about GAP_SHARE · NEAR_TOL."""
LAST_STEPS = 25
"""Steps around one Hessian, after which a new one is cheaper."""


def solve(problem: Problem) -> Solution:
    """Minimise a smooth problem over rows held in memory, with a penalty; others are `newton`'s.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> from separatrix.losses import Logistic
    >>> from separatrix.solvers.rows import Rows
    >>> rows = Rows.of(as_source([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]))
    >>> found = solve(Problem(rows, np.array([2.0, 2.0]), Logistic(), strength=0.25))
    >>> found.status.value, found.coef.round(3).tolist()
    ('converged', [[0.453]])
    """
    require_loss(problem, "curved")
    if problem.strength == 0.0 or problem.rows.X is None:
        return newton.solve(problem)
    centre, far = newton.column_means(problem)
    variances = _variances(problem, centre)
    objective = Objective(problem.in_units(variances), centre, far)
    problem = objective.problem
    theta, before = _near(objective, variances)
    f, g, H = objective.curved(theta)
    if not (np.isfinite(f) and np.isfinite(H).all()):
        problem.rows.source.refuse_nonfinite()
    around = replace(problem, max_iter=min(LAST_STEPS, max(problem.max_iter - before, 0)))
    pairs = lbfgs.Pairs(inverse(H, problem.n_scores), scales=False)
    theta, f, g, status, last = believed(objective, answered(lbfgs.iterations(around, theta, f, g, pairs), objective.at), pairs)
    # A step of L-BFGS is a pass, one of Newton's method a Hessian and more: where the latter is needed, two of the former count as one.
    iterations = before + last if status is Status.CONVERGED else -(-(before + last) // 2)
    if status is not Status.CONVERGED and iterations < problem.max_iter:
        objective.problem = replace(problem, max_iter=problem.max_iter - iterations)
        end = newton.minimise(objective, theta, precision=1.0)
        theta, f, g, status, iterations = end.theta, end.f, end.gradient, end.status, iterations + end.iterations
    return finish(objective, theta, f, g, status=status, iterations=iterations, solver="curved L-BFGS")


def _near(objective: Objective, variances: Floats) -> tuple[Floats, int]:
    """Return a point near the minimum, and the steps to it: half of those allowed at most."""
    problem = objective.problem
    theta = problem.beginning()
    theta[:, -1] += theta[:, :-1] @ objective.centre
    rough = replace(problem, max_iter=min(NEAR_STEPS, problem.max_iter // 2), tol=max(NEAR_TOL, problem.tol))
    pairs = lbfgs.Pairs(_by_column(problem, variances), scales=True)
    theta, _, _, _, steps = answered(walk(rough, theta, pairs, rough=True), objective.at)
    return theta, steps


def _variances(problem: Problem, centre: Floats | None) -> Floats:
    """Return the mean squares of the columns about the centre, and 1 for the intercept (p + 1,)."""
    X = problem.rows.X
    with np.errstate(invalid="ignore", over="ignore"):
        if problem.rows.is_sparse:
            return np.append(np.bincount(X.indices, np.square(X.data, dtype=np.float64), X.shape[1]) / X.shape[0], 1.0)
        return np.append(np.square(X if centre is None else X - centre, dtype=np.float64).mean(axis=0), 1.0)


def _by_column(problem: Problem, variances: Floats) -> Callable[[Floats], Floats]:
    """Return the function g ↦ g / (v + cλ), v the variances of the columns, and 1 for the intercept."""
    sizes = variances.copy()
    sizes[:-1] += KRONECKER_RIDGE * problem.strength
    return lambda g: g / sizes
