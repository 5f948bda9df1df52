"""Newton's method without forming the Hessian: many columns, sparse or dense, held in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...array_types import Floats
from ...losses import CrossEntropy
from ..accepted_losses import require_loss, smooth_loss
from ..problem import Problem
from ..solution import Solution, Status
from ..stopping import is_separated, least_weight, small_enough, still_to_gain, without_step
from . import doubt, newton_gap, proven_gap, scaled_gap
from .direction import constant_direction, direction, norm, preconditioner, strengthened
from .system import Point, System

FORCING = 0.25
"""Largest share of the gradient that conjugate gradients may leave."""
ARMIJO = 1e-4
STEEP = 0.25
"""Share of its first slope that f must still have at the end of a step for a longer one to be tried."""
REFINED = 4
"""Further trials of a step's length where directions are dear: each costs about a product."""
LEAST_SHARE = 1e-3
"""Share of the gap asked below which directions are not followed for the sake of a bound."""
EXACT = 0.8
"""Share of its promise that a step must keep for the quadratic model to be worth following to its minimum."""


def solve(problem: Problem, products: int = 0) -> Solution:
    """Minimise a smooth problem whose rows are held in memory, with about so many `products` at most where a number is given.

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
    require_loss(problem, "newton_cg")
    system = System(problem)
    system.most = products or system.most
    return ended(system, *iterate(system, begin(system)), system.passes)


def begin(system: System) -> Point:
    """Return the point at which a problem begins: its start, or no columns and the log-odds of the classes."""
    problem = system.problem
    theta = problem.beginning()
    W, c = np.ascontiguousarray(theta[:, :-1].T), theta[:, -1].copy()
    if system.compression is not None:
        W = system.compression.shorten(W)
    if problem.start is None and problem.fit_intercept:
        c = smooth_loss(problem).constant_scores(problem.counts)
    Z = system.products.times(W) if W.any() else np.zeros((len(system.codes), len(c)))
    Z += c
    point = system.point(W, c, Z, *system.loss(Z))
    if not (np.isfinite(point.f) and np.isfinite(point.g).all() and np.isfinite(system.squares).all()):
        problem.rows.source.refuse_nonfinite()
    return point


def ended(system: System, point: Point, status: Status, iterations: int, passes: int) -> Solution:
    """Return the solution at the last point."""
    problem = system.problem
    if problem.strength == 0.0 and is_separated(problem, point.f, least_weight(problem)):
        status = Status.SEPARABLE
    W, g, f, intercept = point.W, point.g, point.f, point.c
    if problem.n_scores > 1:
        # Scores that shift together change no probability: without that shift the penalty is a little less.
        mean = W.mean(axis=1, keepdims=True)
        W, g, intercept = W - mean, g - problem.strength * mean, intercept - intercept.mean()
        f -= 0.5 * problem.strength * problem.n_scores * float(np.vdot(mean, mean))
    gap = _gap(system, point, g, f, status)
    norm = max(float(np.abs(g).max()), float(np.abs(point.gc).max()))
    coef = np.ascontiguousarray(system.expand(W).T)
    return Solution(coef, intercept, status, iterations, passes, f, norm, gap, "newton-cg")


def _gap(system: System, point: Point, g: Floats, f: float, status: Status) -> float:
    """Return a bound on f − min f that holds."""
    problem = system.problem
    if not isinstance(system.loss_function, CrossEntropy):
        return scaled_gap.from_point(problem, g.T, system.products, point.Z)
    gap = proven_gap.from_point(problem, g.T, point.gc, system.products.X, point.P)
    if gap > newton_gap.useful(problem, f) and status is not Status.MAX_ITER:
        gap = min(gap, newton_gap.by_products(system, point, g))
    return gap


def iterate(system: System, point: Point) -> tuple[Point, Status, int]:
    """Return where Newton's method ends, how, and after how many steps."""
    problem = system.problem.in_units(np.append(np.repeat(system.squares, len(point.c)), np.ones(len(point.c))))
    first, last, decrement, missed = 0.0, 1.0, np.inf, 0.0
    falls: list[float] = []
    lightest = least_weight(problem) if problem.strength == 0.0 else 1.0
    for iteration in range(problem.max_iter + 1):
        scales = preconditioner(system, point)
        size = norm(point, scales)
        first = first or size
        if iteration > 0 or problem.strength > 0.0:
            # The decrement of the last step was exact; the gradient has fallen since, and the gap with its square.
            estimate = max(decrement * (size / last) ** 2, missed)
            if problem.strength > 0.0:
                estimate = min(estimate, float(np.vdot(point.g, point.g)) / (2.0 * problem.strength))
            gradient = np.append(point.g.ravel(), point.gc)
            is_small = small_enough(problem, point.f, gradient, estimate)
            if is_small and small_enough(problem, point.f, gradient, _unseen(system, point)) and not _is_doubtful(system, point):
                return point, Status.CONVERGED, iteration
        if is_separated(problem, point.f, lightest):
            return point, Status.SEPARABLE, iteration
        if iteration == problem.max_iter or system.passes >= system.most:
            return point, Status.MAX_ITER, iteration
        if strengthened(system, point):
            scales = preconditioner(system, point)
            size = norm(point, scales)
        was_slow = system.is_slow
        # A block preconditions so well that a quarter of the gradient is near the model's minimum; while the model is off, that is enough.
        forcing = FORCING if system.block is not None and not system.is_exact else min(FORCING, np.sqrt(size / first))
        d, dc, Xd, decrement, missed = direction(system, point, scales, forcing)
        found = _search(system, point, d, dc, Xd, decrement)
        if found is None:
            return point, without_step(problem, point.f, np.append(point.g.ravel(), point.gc), decrement), iteration
        system.is_exact = point.f - found.f >= EXACT * decrement
        # Sizes by another preconditioner do not compare: the next step tells how much is left.
        last, decrement = size, decrement if system.is_slow == was_slow else np.inf
        falls.append(point.f - found.f)
        missed = max(missed, still_to_gain(falls))
        point = found
    return point, Status.MAX_ITER, problem.max_iter


def _unseen(system: System, point: Point) -> float:
    """Return what is left to gain where columns together say what the intercept says, of which norms by a diagonal see next to nothing."""
    return constant_direction(system).move(system, point, point.g, point.gc).gain if system.problem.fit_intercept else 0.0


def _is_doubtful(system: System, point: Point) -> bool:
    """Whether a bound close to the gap asked is above it: directions are then followed further."""
    problem = system.problem
    if problem.strength == 0.0 or not isinstance(system.loss_function, CrossEntropy) or system.share < LEAST_SHARE:
        return False
    found = doubt.share(problem, point.f, proven_gap.from_point(problem, point.g.T, point.gc, system.products.X, point.P))
    system.share *= found
    return found < 1.0


def _search(system: System, point: Point, d: Floats, dc: Floats, Xd: Floats, decrement: float) -> Point | None:
    """Return a point along −d that lowers f enough; scores are kept, so this costs no product.

    The first that does, from the whole step down; where directions are dear, near the lowest: f may fall by little at a step that is
    too long by half, rows on their side by a wide margin losing it.
    """
    t, tried = 1.0, _Trial(0.0, point.f, -2.0 * decrement)
    along = _along(system, point, d, Xd)
    longer = None
    for _ in range(30):
        trial = along(t)
        if trial.f <= point.f - 2.0 * ARMIJO * t * decrement:
            if longer is None and trial.slope < STEEP * tried.slope:
                trial, longer = _further(along, trial, STEEP * tried.slope)
            if system.is_slow:
                trial = _lowest(along, (tried, trial) if trial.slope > 0.0 else (trial, longer), trial)
            # The last point is done with its probabilities, and the search with the step: the arrays of rows and classes are few.
            Z = np.multiply(Xd, -trial.t, out=Xd)
            Z += point.Z
            return system.point(point.W - trial.t * d, point.c - trial.t * dc, Z, *system.loss(Z, out=point.P))
        if 2.0 * t * decrement <= 4.0 * np.finfo(float).eps * abs(point.f):
            return None
        longer, t = trial, 0.5 * t
    return None


def _further(along: Callable[[float], _Trial], trial: _Trial, steep: float) -> tuple[_Trial, _Trial | None]:
    """Return the longest step, doubled while f falls steeply at its end, and one too long: rows that it separates go on gaining."""
    while trial.slope < steep:
        double = along(2.0 * trial.t)
        if not double.f < trial.f:
            return trial, double
        trial = double
    return trial, None


@dataclass(slots=True)
class _Trial:
    """A step t along a direction: f there and its slope."""

    t: float
    f: float
    slope: float


def _along(system: System, point: Point, d: Floats, Xd: Floats) -> Callable[[float], _Trial]:
    """Return the function from t to what is known at θ − t d."""
    lam = system.problem.strength
    ww, wd, dd = (float(np.vdot(x, y)) for x, y in ((point.W, point.W), (point.W, d), (d, d)))

    def at(t: float) -> _Trial:
        loss, slope = system.along(point.Z, Xd, t)
        return _Trial(t, loss + 0.5 * lam * (ww - 2.0 * t * wd + t * t * dd), slope - lam * (wd - t * dd))

    return at


def _lowest(along: Callable[[float], _Trial], between: tuple[_Trial, _Trial | None], best: _Trial) -> _Trial:
    """Return the lowest of a few trials between one where f falls and one where it rises, by slopes; `best` where f falls to the end."""
    low, high = between
    for k in range(REFINED if high is not None else 0):
        assert high is not None
        rise = high.slope - low.slope
        share = -low.slope / rise if k % 2 == 0 and 0.0 < rise < np.inf else 0.5
        trial = along(low.t + share * (high.t - low.t))
        if trial.f < best.f:
            best = trial
        low, high = (low, trial) if trial.slope > 0.0 else (trial, high)
    return best
