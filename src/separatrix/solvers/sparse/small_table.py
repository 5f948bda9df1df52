"""Logistic loss with an L1 part on a small dense table: one compiled call from the first step to the last, then the certificate.

The method is that of `gram_proximal` on the columns that have a coefficient or may want one. What it leaves short of the tolerance
(separated rows with hardly a penalty, columns of no curvature) goes on there, from where it stopped.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import expit

from ...array_types import Floats
from ...losses import Logistic
from ...summaries.grouped import NO_WEIGHT
from ...thresholds import L1_STEPS, THREADS
from ..checkpoint import active
from ..problem import Problem
from ..solution import Solution, Status
from . import gram_proximal
from .gram_proximal import SLACK
from .l1_ending import Distance, asked, distance, spilled

CUBES, SQUARES = 3.0, 60.0
"""Multiplications of a step's systems and sweeps beside those of its Hessian, in units of k³ for k columns with coefficients and of q²."""


def serves(problem: Problem) -> bool:
    """Whether rows and loss are those of this method, and the work is so little that calls from Python would be most of it."""
    rows, q = problem.rows, problem.n_features + 1
    if not (isinstance(rows.X, np.ndarray) and isinstance(problem.loss, Logistic)) or active(problem) is not None:
        return False
    n = len(rows.X)
    k = min(n, q)  # no more columns than rows need a coefficient
    return not (THREADS.reached(rows.values) or L1_STEPS.reached(k * k * (n + CUBES * k) + SQUARES * q * q))


def solve(problem: Problem) -> Solution:
    """Minimise a problem that this method serves.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> from separatrix.solvers.rows import Rows
    >>> rows = Rows.of(as_source([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [3.0, 1.0]], [0, 1, 0, 1]))
    >>> found = solve(Problem(rows, np.array([2.0, 2.0]), Logistic(), strength=0.15, l1_ratio=1.0))
    >>> found.status.value, found.coef.round(4).tolist(), found.gap < 1e-9
    ('converged', [[0.3258, 0.0]], True)
    """
    found = _at_once(problem)
    if found is None or not np.isfinite(found.objective):
        return gram_proximal.solve(problem)  # which says what is wrong with the rows
    left = problem.max_iter - found.iterations
    if found.is_converged or left == 0:
        return found
    further = gram_proximal.solve(replace(problem, start=(found.coef, found.intercept), max_iter=left))
    return replace(further, iterations=found.iterations + further.iterations, passes=found.passes + further.passes)


def _at_once(problem: Problem) -> Solution | None:
    """Return what the compiled call finds, or None where sums over the rows are not finite."""
    from ...kernels import small_l1 as kernels

    rows, (n, p) = problem.rows, problem.rows.X.shape
    weight = NO_WEIGHT if rows.weight is None else rows.weight
    q = p + problem.fit_intercept
    Z, centre, units = np.empty((q, n)), np.zeros(p), np.zeros(q)
    units[p:] = 1.0
    if not kernels.turn(np.ascontiguousarray(rows.X, dtype=np.float64), rows.codes, weight, problem.fit_intercept, Z, centre, units[:p]):
        return None
    t = problem.strength * problem.l1_ratio / units
    ridge = problem.strength * (1.0 - problem.l1_ratio) / units**2
    t[p:] = ridge[p:] = 0.0
    theta, g, margin, work, bits, out = np.zeros(q), np.empty(q), np.empty(n), np.empty((3, n)), np.empty(n, dtype=np.int64), np.empty(2)
    if problem.start is not None:
        W, b = problem.start
        theta[:p], theta[p:] = W[0] * units[:p], b[0] + W[0] @ centre
    else:
        theta[p:] = Logistic().constant_scores(problem.counts)
    total, slack = problem.total, SLACK * asked(problem)

    def evaluate() -> float:
        kernels.margins(Z, theta, margin)
        return float(kernels.evaluate(Z, weight, total, t, ridge, theta, margin, work, bits, g))

    out[0] = evaluate()
    steps = kernels.minimise(Z, weight, total, t, ridge, problem.strength, slack, problem.max_iter, theta, g, margin, work, bits, out)
    evaluate()
    w = theta[:p] / units[:p]
    slopes = (g - ridge * theta)[:p] * units[:p]
    found = _distance(problem, w, slopes, g[p:], units[:p], margin, float(work[1].sum()) / total)
    small = found.is_small(problem)
    return Solution(
        coef=w[None],
        intercept=theta[p:] - w @ centre if problem.fit_intercept else np.zeros(1),
        status=Status.CONVERGED if small else Status.MAX_ITER if steps == problem.max_iter else Status.STALLED,
        iterations=steps,
        passes=int(out[1]) + 2,
        objective=found.objective,
        gradient_norm=found.subgradient,
        gap=found.gap,
        solver="gram proximal newton",
    )


def _distance(problem: Problem, w: Floats, slopes: Floats, g_b: Floats, units: Floats, margin: Floats, curvature: float) -> Distance:
    """Return the distance of coefficients from the minimum, by the margins of the rows and their mean curvature."""
    weight = problem.rows.weight
    losses = np.logaddexp(0.0, -margin)
    loss = float(losses.sum() if weight is None else weight @ losses) / problem.total

    def spill(t: float) -> float:
        return spilled(np.ones(len(margin)) if weight is None else weight, expit(-margin), t) / problem.total

    rest = float(g_b @ g_b) / max(curvature, np.finfo(float).tiny)  # twice ½ g_b²/h, as in gram_proximal
    return distance(problem, w[None], loss, slopes[None], g_b, units[None], spill, rest)
