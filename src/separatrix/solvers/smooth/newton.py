"""Newton's method with the exact Hessian: few columns, dense or sparse, any number of rows.

With f, g and H at θ from one pass, d = H⁻¹g and the step θ − t d, t = 1, ½, ¼ … until f falls by a share of t g'd. The decrement
½ g'd estimates the gap f − min f, and with the exact Hessian it does so to second order.

Where a Hessian costs as much as many passes, it serves several steps: L-BFGS around it goes on until it is near the minimum, or until
another Hessian is cheaper.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import lapack

from ...array_types import Floats, Ints
from ...losses import CrossEntropy, Logistic
from ..accepted_losses import require_loss
from ..dependence import dependent_columns
from ..problem import Problem
from ..solution import Solution, Status
from ..stopping import GAP_SHARE, finish, is_separated, least_weight, small_enough, without_step
from . import lbfgs
from .column_centre import column_centre, streamed_centre
from .line_search import answered, backtrack
from .objective import Objective

PRECISION = 1e-20
"""Share of f below which the decrement must come: the last step of a quadratic convergence doubles the digits of the coefficients."""
ARMIJO = 1e-4
SINGULAR = 1e-13
"""Reciprocal condition number, in units of each column, below which a Hessian counts as singular."""
RIDGE = 1e-10
"""What is then added to its unit diagonal: directions in which no score moves stay where they began."""
DEAR, PASSES, MOST_PASSES = 60, 0.1, 100
"""Coefficients from which a Hessian costs as much as several passes, how many of these for each coefficient of dense rows, and at most."""
NEAR = 1e-11
"""Share of f that may be left to gain when L-BFGS around a Hessian ends: a step with the Hessian there gives all digits."""
FLAT, DIVERGING = 1e-9, 0.3
"""A step that lowers f by less than a share FLAT of it but moves a score by more than DIVERGING: coefficients without bound."""


@dataclass(slots=True)
class Ended:
    """Where Newton's method ended."""

    theta: Floats
    f: float
    gradient: Floats
    hessian: Floats
    status: Status
    iterations: int
    dependent: Ints | None


def solve(problem: Problem) -> Solution:
    """Minimise a smooth problem.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> from separatrix.losses import Logistic
    >>> from separatrix.solvers.rows import Rows
    >>> rows = Rows.of(as_source([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]))
    >>> found = solve(Problem(rows, np.array([2.0, 2.0]), Logistic(), strength=0.25))
    >>> found.status.value, found.coef.round(4).tolist(), found.gradient_norm < 1e-9
    ('converged', [[0.4529]], True)
    """
    require_loss(problem, "newton")
    objective = Objective(problem, *column_means(problem))
    theta = problem.beginning()
    theta[:, -1] += theta[:, :-1] @ objective.centre
    end = minimise(objective, theta)
    return finish(
        objective,
        end.theta,
        end.f,
        end.gradient,
        status=end.status,
        iterations=end.iterations,
        solver="newton",
        dependent=end.dependent,
        hessian=end.hessian,
    )


def column_means(problem: Problem, also_streamed: bool = False) -> tuple[Floats | None, bool]:
    """Return the means of dense rows, and whether they are far from zero; None for sparse rows, and those not held unless asked: a pass."""
    rows = problem.rows
    if rows.is_sparse or not problem.fit_intercept:
        return None, False
    if rows.X is not None:
        centre, far = column_centre(rows.X)
    elif also_streamed and rows.held is None:
        found = streamed_centre(rows)
        if found is None:
            return None, False
        centre, far = found
    else:
        return None, False
    if not np.isfinite(centre).all():
        rows.source.refuse_nonfinite()
    return centre, far


def minimise(objective: Objective, theta: Floats, precision: float = PRECISION) -> Ended:
    """Return where Newton's method ends from θ; the gap left is an estimated `precision` f at most."""
    problem = objective.problem
    lightest = least_weight(problem) if problem.strength == 0.0 else 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        f, g, H = objective.curved(theta)
    if not (np.isfinite(f) and np.isfinite(H).all()):
        problem.rows.source.refuse_nonfinite()
    if problem.units is None:
        problem = problem.in_units(np.einsum("aa->a", H).reshape(theta.shape))
    q = theta.shape[1]
    dependent = _dependent(objective, H[:q, :q]) if problem.strength == 0.0 else None
    iterations, spared = 0, _spared(problem)
    while True:
        factor = Factor(H, problem.n_scores)
        step = factor.solve(g)
        decrement = 0.5 * float(np.vdot(g, step))
        if problem.strength == 0.0 and (is_separated(problem, f, lightest) or _diverges(objective, step, decrement, f)):
            status = Status.SEPARABLE
            break
        if small_enough(problem, f, g, decrement, precision):
            status = Status.CONVERGED
            break
        if iterations == problem.max_iter:
            status = Status.MAX_ITER
            break
        if spared and decrement > NEAR * f:
            theta, steps = _around(objective, replace(problem, max_iter=spared), theta, f, g, factor)
            if steps:
                f, g, H = objective.curved(theta)
                iterations += 1  # so many passes cost as much as a step with a Hessian of its own
                continue
        found = _search(objective, theta, f, g, step, decrement)
        if found is None:
            status = without_step(problem, f, g, decrement)
            break
        theta, f, g, H = found
        iterations += 1
    return Ended(theta, f, g, H, status, iterations, dependent)


def _spared(problem: Problem) -> int:
    """Return the passes that cost as much as a Hessian; 0 where that is cheap, as it is for sparse rows with few values."""
    rows, size = problem.rows, problem.n_scores * (problem.n_features + 1)
    if size < DEAR or rows.X is None:
        return 0
    filled = rows.values / (rows.X.shape[0] * rows.X.shape[1]) if rows.is_sparse else 1.0
    return min(int(PASSES * size * filled), MOST_PASSES)


def _around(objective: Objective, problem: Problem, theta: Floats, f: float, g: Floats, factor: Factor) -> tuple[Floats, int]:
    """Return where L-BFGS around a Hessian arrives, and its steps."""
    asking = lbfgs.iterations(replace(problem, tol=NEAR / GAP_SHARE), theta, f, g, lbfgs.Pairs(factor.solve, scales=False), rough=True)
    theta, _, _, _, steps = answered(asking, objective.at)
    return theta, steps


def _dependent(objective: Objective, H: Floats) -> Ints | None:
    """Return the columns that others determine, from the Hessian (q, q) of a score; only some rows may be curved by another loss."""
    problem = objective.problem
    if not isinstance(objective.loss, CrossEntropy):
        # The logistic Hessian at 0 is a quarter of the second moments.
        moments = Objective(replace(problem, loss=Logistic()), objective.centre, objective.shifts)
        H = moments.curved(np.zeros((1, len(H))))[2]
    return dependent_columns(H, objective.centre, problem.fit_intercept)


def _search(
    objective: Objective, theta: Floats, f: float, g: Floats, step: Floats, decrement: float
) -> tuple[Floats, float, Floats, Floats] | None:
    """Return the whole step if it lowers f enough, else a shorter one that does, or None."""
    # A small mean loss is what is left of scores of the order of 1 and more, and has their rounding.
    rounding = 4.0 * np.finfo(float).eps * max(abs(f), 1.0)
    trial = theta - step
    value, gradient, H = objective.curved(trial)
    if value <= f - 2.0 * ARMIJO * decrement:
        return trial, value, gradient, H
    # In the last digits f no longer tells points apart, the gradient still does.
    if abs(value - f) <= rounding and np.abs(gradient).max() < 0.5 * np.abs(g).max():
        return trial, value, gradient, H
    shorter = backtrack(objective.at, theta, f, 0.5 * step, decrement)
    return None if shorter is None else (shorter[0], *objective.curved(shorter[0]))


class Factor:
    """The inverse of a Hessian that may be singular along shifts of all scores and along dependent columns.

    Parameters
    ----------
    H : (Rq, Rq), ordered as θ.ravel()
    n_scores : R
    """

    def __init__(self, H: Floats, n_scores: int) -> None:
        A = self._scaled(H, n_scores)
        norm = np.abs(A).sum(axis=0).max()
        # The transpose of a symmetric matrix is in the order LAPACK wants: it is factored in place, and its upper triangle left as it is.
        self.factor, info = lapack.dpotrf(A.T, lower=1, overwrite_a=1, clean=0)
        if info != 0 or lapack.dpocon(self.factor, norm, uplo="L")[0] < SINGULAR:
            A = self._scaled(H, n_scores)
            # A Hessian is positive semidefinite but for rounding, which this outweighs.
            np.einsum("aa->a", A)[:] += RIDGE
            self.factor, info = lapack.dpotrf(A, lower=1)
            if info != 0 and not (np.abs(A) <= 4.0).all():
                # In units of its diagonal no entry of a Hessian is above 1 (2 with the gauge); no ridge mends one that overflowed.
                raise np.linalg.LinAlgError("The Hessian is not finite.")
            ridge = RIDGE * len(A)
            while info != 0:
                # Growing: where 1 − p has cancelled, more than rounding is missing; entries of 4 at most end it in a few rounds.
                np.einsum("aa->a", A)[:] += ridge
                ridge *= 10.0
                self.factor, info = lapack.dpotrf(A, lower=1)

    def _scaled(self, H: Floats, n_scores: int) -> Floats:
        """Return H with a unit diagonal and, of several scores, with curvature along shifts of all of them."""
        A, self.units = unit_diagonal(H)
        if n_scores > 1:
            self._add_gauge(A, n_scores)
        return A

    def _add_gauge(self, A: Floats, n_scores: int) -> None:
        # With Σ_k θ_k = 0 neither gradient nor step has a part along shifts of all scores, so that curvature added there,
        # (Σ_k d_k)² in the units of A, changes nothing but the rank.
        grid = A.reshape(n_scores, -1, n_scores, len(A) // n_scores)
        u = 1.0 / self.units.reshape(n_scores, -1)
        u /= np.sqrt(np.einsum("kj,kj->j", u, u))
        for j in range(u.shape[1]):
            grid[:, j, :, j] += u[:, j, None] * u[:, j]

    def solve(self, g: Floats) -> Floats:
        """Return H⁻¹g in the shape of g."""
        return np.asarray(lapack.dpotrs(self.factor, g.ravel() / self.units, lower=1)[0] / self.units).reshape(g.shape)

    def inverse(self) -> Floats:
        """Return H⁻¹ (Rq, Rq) itself: a quarter of the time for each g, where there are a hundred."""
        lower = np.tril(lapack.dpotri(self.factor, lower=1)[0])
        inverse: Floats = (lower + np.tril(lower, -1).T) / self.units / self.units[:, None]
        return inverse


def unit_diagonal(H: Floats) -> tuple[Floats, Floats]:
    """Return H scaled to a unit diagonal, and the square roots of its diagonal (1 where that is 0, or its inverse would overflow)."""
    diagonal = np.einsum("aa->a", H)
    units = np.sqrt(np.where(diagonal > 1e-280, diagonal, 1.0))
    A: Floats = H / units
    A /= units[:, None]
    np.einsum("aa->a", A)[:] = 1.0
    return A, units


def _diverges(objective: Objective, step: Floats, decrement: float, f: float) -> bool:
    """Whether f hardly falls any more although some score still moves: there is no finite minimum in that direction.

    Towards a minimum a step shrinks with the root of the decrement; along a direction that separates rows, f falls like e^(−t)
    and Newton's step moves their scores by 1 for ever.
    """
    return objective.loss.separated_below > 0.0 and decrement <= FLAT * f and objective.reach(step) > DIVERGING
