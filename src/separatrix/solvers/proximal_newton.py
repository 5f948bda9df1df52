"""Logistic losses with an L1 part: which proximal Newton method runs.

Few coefficients, R(p + 1) ≤ 1,500, or rows read anew on every pass: the Hessian of all of them (`gram_proximal`). More: working sets of
columns (`working_set`), for K classes together where these are few, else one class at a time with the scores of the others held.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import logsumexp

from ..data.arrays import ArraySource
from ..data.threads import single_threaded_blas
from ..losses import require
from . import gram_proximal
from .l1_ending import Distance, distance
from .problem import Problem
from .products import Products
from .rows import Rows
from .solution import Solution, Status
from .working_set import FIRST, ColumnProblem, Point

Floats = NDArray[np.float64]

REQUIRES = ("value", "slope", "curvature", "conjugate")
FEW = 1_500
"""Coefficients up to which the Hessian of all is formed."""
IDLE = 4
"""Rounds without a smaller subgradient after which rounding is at work."""
TIGHTER = 0.1
"""Share of the largest violation to which a round solves its columns."""


def solve(problem: Problem) -> Solution:
    """Minimise a problem with an L1 part.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from separatrix.data import as_source
    >>> from separatrix.losses import Logistic
    >>> from separatrix.solvers.rows import Rows
    >>> rows = Rows.of(as_source(sp.csr_array([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [3.0, 1.0]]), [0, 1, 0, 1]))
    >>> solve(Problem(rows, np.array([2.0, 2.0]), Logistic(), strength=0.15, l1_ratio=1.0)).coef.round(4).tolist()
    [[0.3258, 0.0]]
    """
    require(problem.loss, REQUIRES, "proximal newton")
    if problem.rows.X is None or problem.n_scores * (problem.n_features + 1) <= FEW:
        return gram_proximal.solve(problem)
    with single_threaded_blas():
        return _two_classes(problem) if problem.n_scores == 1 else _several_classes(problem)


def _columns_of(problem: Problem) -> Products:
    """Return X as an operator; raise the error that names the first NaN or infinity."""
    X = problem.rows.X
    if not np.isfinite(X.data.sum() if sp.issparse(X) else X.sum()):
        problem.rows.source.refuse_nonfinite()
    return Products(problem.rows)


def _two_classes(problem: Problem) -> Solution:
    columns, point = start_columns(problem)
    return run_columns(columns, point)[0]


def start_columns(problem: Problem) -> tuple[ColumnProblem, Point]:
    """Return the problem by columns and the point where it begins."""
    codes = problem.rows.codes
    assert codes is not None
    columns = ColumnProblem(problem, _columns_of(problem), codes == 1)
    theta = problem.beginning()[0]
    return columns, columns.start(theta[:-1], theta[-1] or _log_odds(problem))


def run_columns(columns: ColumnProblem, point: Point) -> tuple[Solution, Point, Floats]:
    """Return the solution, the point behind it, and the gradient of the mean loss there."""
    problem, count, rounds = columns.problem, FIRST, 0
    passes, steps = columns.passes, columns.steps
    least, idle = np.inf, 0
    while True:
        G = columns.gradient(point)
        found = columns.distance(point, G)
        least, idle = (found.subgradient, 0) if found.subgradient < 0.9 * least else (least, idle + 1)
        if found.is_small(problem) or rounds == problem.max_iter or idle == IDLE:
            break
        chosen = columns.columns(point, G, count)
        new = columns.improve(point, G, chosen, TIGHTER * found.subgradient)
        if new is point:
            break
        new = columns.centred(new)
        point, count, rounds = new, max(count, 2 * int(np.count_nonzero(new.w))), rounds + 1
    status = Status.CONVERGED if found.is_small(problem) else Status.MAX_ITER if rounds == problem.max_iter else Status.STALLED
    work = columns.steps - steps, columns.passes - passes
    return _solution(point.w[None], np.array([point.b]), found, status, *work), point, G


def _log_odds(problem: Problem) -> float:
    return float(np.log(problem.counts[1] / problem.counts[0])) if problem.fit_intercept else 0.0


def _several_classes(problem: Problem) -> Solution:
    """All classes on the columns that matter, or one class at a time:

    given the other scores, its loss is that of two classes with an offset.
    """
    X, codes = _columns_of(problem), problem.rows.codes
    assert codes is not None
    theta, K = problem.beginning(), problem.n_scores
    W, b = theta[:, :-1].copy(), theta[:, -1].copy()
    Z = X.times(np.ascontiguousarray(W.T)) + b
    steps, passes, least, idle = 0, 1, np.inf, 0
    for rounds in range(problem.max_iter + 1):
        Z, b, found, G = _looked_at(problem, X, Z, W, b)
        passes += 1
        least, idle = (found.subgradient, 0) if found.subgradient < least else (least, idle + 1)
        if found.is_small(problem) or rounds == problem.max_iter or idle == 5 * IDLE:
            break
        together = _columns_together(problem, W, G)
        if K * (len(together) + 1) <= FEW:
            part = X.columns(together)
            newton = _joint(problem, part, W[:, together], b)
            W[:, together], b = newton.theta[:, :-1], newton.objective.intercept(newton.theta)
            Z = np.asarray(part @ W[:, together].T) + b
            steps, passes = steps + newton.iterations, passes + newton.objective.passes
            continue
        for k in range(K):
            others = logsumexp(np.delete(Z, k, axis=1), axis=1)
            columns = ColumnProblem(problem, X, codes == k, -others)
            point = columns.at(W[k], b[k], Z[:, k] - others)
            gradient = G[k] if k == 0 else columns.gradient(point)
            chosen = columns.columns(point, gradient, max(FIRST, 2 * int(np.count_nonzero(W[k]))))
            point = columns.centred(columns.improve(point, gradient, chosen, 0.3 * TIGHTER * found.subgradient))
            W[k], b[k], Z[:, k] = point.w, point.b, point.z + others
            steps, passes = steps + columns.steps, passes + columns.passes
    status = Status.CONVERGED if found.is_small(problem) else Status.MAX_ITER if rounds == problem.max_iter else Status.STALLED
    return _solution(W, b - b.mean(), found, status, steps, passes)


def _columns_together(problem: Problem, W: Floats, G: Floats) -> NDArray[np.intp]:
    """Return the columns that some class uses, and as many of those that violate their condition in some class most."""
    used = (W != 0.0).any(axis=0)
    over = np.where(used, -np.inf, np.abs(G).max(axis=0) - problem.strength * problem.l1_ratio)
    count = min(max(FIRST // len(W), 2 * int(used.sum())), len(over))
    most = np.argpartition(over, -count)[-count:]
    used[most[over[most] > 0.0]] = True
    return np.flatnonzero(used)


def _joint(problem: Problem, part: Any, W: Floats, b: Floats) -> gram_proximal.ProximalNewton:
    """Return the end of proximal Newton for all classes on some columns."""
    assert problem.rows.codes is not None
    source = ArraySource(part, n_jobs=problem.rows.source.n_jobs)
    rows = Rows.of_arrays(part, problem.rows.codes, problem.rows.weight, source)
    newton = gram_proximal.ProximalNewton(replace(problem, rows=rows, start=(W, b)))
    newton.run()
    return newton


def _looked_at(problem: Problem, X: Products, Z: Floats, W: Floats, b: Floats) -> tuple[Floats, Floats, Distance, Floats]:
    """Return scores and intercepts whose own gradient is 0, the distance from the minimum, and the gradient (K, p) of the mean loss."""
    codes, weight = problem.rows.codes, problem.rows.weight
    assert codes is not None
    share = (np.ones(len(Z)) if weight is None else weight) / problem.total
    for _ in range(50):
        top = logsumexp(Z, axis=1)
        P = np.exp(Z - top[:, None])
        U = P * share[:, None]
        U[np.arange(len(Z)), codes] -= share
        g = U.sum(axis=0)
        if not problem.fit_intercept or np.abs(g).max() <= 1e-14:
            break
        H = np.diag(share @ P) - (P * share[:, None]).T @ P
        d = np.clip(-np.linalg.lstsq(H, g, rcond=1e-12)[0], -2.0, 2.0)
        b, Z = b + d, Z + d
    loss = float(share @ (top - Z[np.arange(len(Z)), codes]))
    G = np.ascontiguousarray(X.transposed_times(U).T)
    return Z, b, distance(problem, W, loss, G, g * problem.fit_intercept), G


def _solution(W: Floats, b: Floats, found: Distance, status: Status, steps: int, passes: int) -> Solution:
    return Solution(
        coef=W,
        intercept=b,
        status=status,
        iterations=steps,
        passes=passes,
        objective=found.objective,
        gradient_norm=found.subgradient,
        gap=found.gap,
        solver="proximal newton on working sets",
    )
