"""Newton's method without forming the Hessian: many columns, sparse or dense, held in memory.

Scores Z = XW + c are kept, so that f along a direction d costs no product once Xd is known, and Xd adds up during conjugate gradients.
A product with the Hessian is H V = X'(D ∘ (XV + v_c))/S + λV, D_i = s_i (diag(p_i) − p_i p_i'). W is stored p × R: the R numbers a
stored value of X meets lie side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...losses import require
from ...summaries.grouped import NO_WEIGHT
from ..ending import GAP_SHARE, is_separated, least_weight, small_enough, still_to_gain, without_step
from ..problem import Problem
from ..products import Products
from ..solution import Solution, Status
from ..sparse.compression import Compression
from . import proven_gap

Floats = NDArray[np.float64]

REQUIRES = ("value", "slope", "curvature")
FORCING = 0.25
"""Largest share of the gradient that conjugate gradients may leave."""
NEAR, ENOUGH = 1e-2, 0.3
"""Estimated gap, as a share of f, below which a step goes for the tolerance; and the share of the gap asked that it leaves."""
LEFT_SPARSE, LEFT_DENSE = 0.9, 0.3
"""Share of tol that a last step leaves of the gradient. Dense columns may lie far from 0, where M says little of what is left to gain."""
INNER = 2_000
"""Most products within one step."""
MANY, CARE = 30, 5.0
"""Products above which conjugate gradients are slow, and the factor by which their gains then understate what is left."""
LEFT_SLOW = 1e-2
"""Share of a direction's gain that it may then miss."""
ARMIJO = 1e-4
SWEEP = 200_000
"""Coefficients that one thread sweeps over in one go."""


Direction = tuple[Floats, Floats, Floats, float, float]
"""d, its intercept part, X d + d_c, ½ g'd, and what of that gain the direction misses."""
Scales = tuple[Floats, Floats, Floats]
"""a (p, 1) or (p, R), h (R,) and the intercepts' part (R,) of the preconditioner M/λ = 1 + a h."""


@dataclass(slots=True)
class Point:
    """W (p, R) and c (R,), the scores there, f, residuals s_i dℓ_i/dz_i (n, R), probabilities and the gradient."""

    W: Floats
    c: Floats
    Z: Floats
    f: float
    P: Floats
    g: Floats
    gc: Floats


class System:
    """f, gradients and Hessian products of one problem."""

    def __init__(self, problem: Problem) -> None:
        rows = problem.rows
        assert rows.codes is not None
        self.problem, self.codes = problem, rows.codes
        self.weight = NO_WEIGHT if rows.weight is None else rows.weight
        self.compression = Compression.of(rows.X) if rows.is_sparse and problem.n_scores > 1 and problem.strength > 0.0 else None
        self.products = Products(rows, self.compression)
        self.squares = self.products.column_squares(rows.weight) / problem.total
        self.sweeps = [slice(j, j + SWEEP // problem.n_scores) for j in range(0, self.products.shape[1], SWEEP // problem.n_scores)]
        # Without a penalty M has no 1 of its own: one far below every column keeps it positive.
        self.ridge = problem.strength or 1e-12 * float(self.squares.min(initial=1.0, where=self.squares > 0.0))
        self.units = problem.in_units(self.squares).units
        self.passes, self.last, self.is_slow = 1, 0, False

    def expand(self, W: Floats) -> Floats:
        """Return coefficients of the columns as they were given."""
        return W if self.compression is None else self.compression.expand(W, self.problem.n_features)

    def loss(self, Z: Floats) -> tuple[float, Floats]:
        """Return the mean loss of scores and the residuals."""
        from ...kernels import logistic, softmax

        R = Z.copy()
        kernel = logistic.residuals if R.shape[1] == 1 else softmax.residuals
        cuts = _cuts(len(R))
        losses = self.products.run(lambda ab: kernel(R[ab[0] : ab[1]], self.codes[ab[0] : ab[1]], self._part(ab)), cuts)
        return float(sum(losses) / self.problem.total), R

    def point(self, W: Floats, c: Floats, Z: Floats, loss: float, R: Floats) -> Point:
        """Return everything at W, c from the scores and residuals there: one product."""
        problem = self.problem
        g = np.empty_like(W)
        self.products.penalised(R, 1.0 / problem.total, W, problem.strength, g)
        gc = R.sum(axis=0) / problem.total if problem.fit_intercept else np.zeros(len(c))
        f = loss + 0.5 * problem.strength * float(np.vdot(W, W))
        self.passes += 1
        return Point(W, c, Z, f, self.probabilities(R), g, gc)

    def probabilities(self, R: Floats) -> Floats:
        """Return p_i (n, R) from the residuals s_i (p_i − e_y)."""
        s = self.weight
        P = R if s.size == 0 else np.divide(R, s[:, None], out=np.zeros_like(R), where=s[:, None] > 0)
        if P.shape[1] == 1:
            return P + (self.codes == 1)[:, None]
        P = P.copy()
        P[np.arange(len(P)), self.codes] += 1.0
        return P

    def curved(self, P: Floats, V: Floats) -> Floats:
        """Replace V (n, R) by D_i v_i."""
        if P.shape[1] == 1:
            V *= P * (1.0 - P)
            return V if self.weight.size == 0 else V * self.weight[:, None]
        from ...kernels.softmax import curvature_times

        self.products.run(lambda ab: curvature_times(P[ab[0] : ab[1]], self._part(ab), V[ab[0] : ab[1]]), _cuts(len(V)))
        return V

    def _part(self, ab: tuple[int, int]) -> Floats:
        return self.weight if self.weight.size == 0 else self.weight[ab[0] : ab[1]]


def _cuts(n: int) -> list[tuple[int, int]]:
    return [(a, min(a + 4096, n)) for a in range(0, n, 4096)]


def solve(problem: Problem) -> Solution:
    """Minimise a smooth problem whose rows are held in memory.

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
    require(problem.loss, REQUIRES, "newton-cg")
    system = System(problem)
    return ended(system, *iterate(system, begin(system)), system.passes)


def begin(system: System) -> Point:
    """Return the point at which a problem begins: its start, or no columns and the log-odds of the classes."""
    problem = system.problem
    theta = problem.beginning()
    W, c = np.ascontiguousarray(theta[:, :-1].T), theta[:, -1].copy()
    if system.compression is not None:
        W = system.compression.shorten(W)
    if problem.start is None and problem.fit_intercept:
        c = _prior_scores(problem)
    Z = (system.products.times(W) if W.any() else np.zeros((len(system.codes), len(c)))) + c
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
    gap = proven_gap.from_point(problem, g.T, point.gc, system.products.X, point.P)
    norm = max(float(np.abs(g).max()), float(np.abs(point.gc).max()))
    coef = np.ascontiguousarray(system.expand(W).T)
    return Solution(coef, intercept, status, iterations, passes, f, norm, gap, "newton-cg")


def _prior_scores(problem: Problem) -> Floats:
    """Return the intercepts that are optimal with W = 0: the log-odds of the classes."""
    logs = np.log(problem.counts)
    return logs[1:] - logs[:1] if problem.n_scores == 1 else logs - logs.mean()


def iterate(system: System, point: Point) -> tuple[Point, Status, int]:
    """Return where Newton's method ends, how, and after how many steps."""
    problem = system.problem.in_units(np.append(np.repeat(system.squares, len(point.c)), np.ones(len(point.c))))
    first, last, decrement, missed = 0.0, 1.0, np.inf, 0.0
    falls: list[float] = []
    lightest = least_weight(problem) if problem.strength == 0.0 else 1.0
    for iteration in range(problem.max_iter + 1):
        scales = _scales(system, point)
        norm = _norm(point, scales)
        first = first or norm
        if iteration > 0 or problem.strength > 0.0:
            # The decrement of the last step was exact; the gradient has fallen since, and the gap with its square.
            estimate = max(decrement * (norm / last) ** 2, missed)
            if problem.strength > 0.0:
                estimate = min(estimate, float(np.vdot(point.g, point.g)) / (2.0 * problem.strength))
            gradient = np.append(point.g.ravel(), point.gc)
            if small_enough(problem, point.f, gradient, estimate):
                return point, Status.CONVERGED, iteration
        if iteration == problem.max_iter or is_separated(problem, point.f, lightest):
            break
        d, dc, Xd, decrement, missed = _direction(system, point, scales, min(FORCING, np.sqrt(norm / first)))
        last = norm
        found = _search(system, point, d, dc, Xd, decrement)
        if found is None:
            return point, without_step(problem, point.f, np.append(point.g.ravel(), point.gc), decrement), iteration
        falls.append(point.f - found.f)
        missed = max(missed, still_to_gain(falls))
        point = found
    return point, Status.MAX_ITER, problem.max_iter


def _scales(system: System, point: Point) -> Scales:
    """Return the preconditioner: M/λ = 1 + squares_j h_k/λ, h_k the mean curvature of score k; once directions have been slow, the
    diagonal of the Hessian itself, which costs a product. Rows all but certain have next to no curvature, and columns may be theirs alone.
    """
    P, s = point.P, system.weight
    bent = P * (1.0 - P) if s.size == 0 else s[:, None] * P * (1.0 - P)
    h = bent.sum(axis=0) / system.problem.total
    hc = np.maximum(h / system.ridge, 1e-300) if system.problem.fit_intercept else np.ones_like(h)
    if not system.is_slow:
        return system.squares[:, None] / system.ridge, h, hc
    return system.products.squares_times(bent) / (system.problem.total * system.ridge), np.ones_like(h), hc


def _norm(point: Point, scales: Scales) -> float:
    """Return √(g'M⁻¹g), in the units of M/λ."""
    a, h, hc = scales
    return float(np.sqrt(np.sum(point.g**2 / (1.0 + a * h)) + np.sum(point.gc**2 / hc)))


def _direction(system: System, point: Point, scales: Scales, forcing: float) -> Direction:
    """Return d ≈ H⁻¹g by preconditioned conjugate gradients."""
    from ...kernels.conjugate import advance, turn

    problem, (a, h, hc) = system.problem, scales
    lam, S = system.ridge, problem.total
    d, dc, Xd = np.zeros_like(point.W), np.zeros_like(point.c), np.zeros_like(point.Z)
    r, rc = point.g.copy(), point.gc.copy()
    p, pc, Hp = np.zeros_like(r), np.zeros_like(rc), np.empty_like(r)
    turn(0.0, r, a, h, p)
    pc = rc / hc
    rz = float(np.vdot(r, p) + rc @ pc)
    # ½ r'M⁻¹r estimates what the quadratic model would still gain: beyond the gap asked for, more products are wasted; and near the
    # minimum, where the model is exact, fewer would cost another step.
    left = problem.tol * (LEFT_SPARSE if problem.rows.is_sparse else LEFT_DENSE)
    gap = ENOUGH * GAP_SHARE * problem.tol * point.f
    asked = 2.0 * lam * gap
    near = rz <= 2.0 * lam * NEAR * point.f
    target = asked if near else max(asked, forcing**2 * rz)
    gains: list[float] = []
    for _ in range(INNER):
        Xp = system.products.times(p) + pc
        U = system.curved(point.P, Xp.copy())
        pHp = system.products.penalised(U, 1.0 / S, p, problem.strength, Hp)
        Hpc = U.sum(axis=0) / S if problem.fit_intercept else np.zeros_like(pc)
        pHp += float(pc @ Hpc)
        system.passes += 1
        if pHp <= 0.0:
            break
        alpha = rz / pHp
        gains.append(0.5 * alpha * rz)
        new = float(sum(system.products.run(_sweep(advance, alpha, (p, Hp, a), h, (d, r)), system.sweeps)))
        dc += alpha * pc
        rc -= alpha * Hpc
        Xd += alpha * Xp
        new += float(rc @ (rc / hc))
        # Directions of little curvature come last: a step much shorter than others before it has not seen them.
        # Where they are slow, a model that is not exact yet is not worth all of them.
        asked_of = max(gap, LEFT_SLOW * sum(gains)) if len(gains) > MANY else gap
        is_far = near and (_missed(gains) > asked_of or (len(gains) <= MANY and _largest(system, r, rc) > left))
        if new <= target and not is_far and len(gains) >= system.last // 4:
            break
        system.products.run(_sweep(turn, new / rz, (r, a), h, (p,)), system.sweeps)
        pc = rc / hc + new / rz * pc
        rz = new
    system.last, system.is_slow = len(gains), system.is_slow or len(gains) > MANY
    return d, dc, Xd, 0.5 * float(np.vdot(point.g, d) + point.gc @ dc), _missed(gains)


def _largest(system: System, r: Floats, rc: Floats) -> float:
    """Return the largest entry of a gradient, in units of each column."""
    return max(float(np.abs(r / system.units[:, None]).max()), float(np.abs(rc).max()))


def _missed(gains: list[float]) -> float:
    """Return what conjugate gradients have left of the quadratic model's gain; with care where they are slow, since they pause then."""
    return still_to_gain(gains) * (CARE if len(gains) > MANY else 1.0)


def _sweep(kernel: Any, factor: float, read: tuple[Floats, ...], h: Floats, written: tuple[Floats, ...]) -> Callable[[slice], Any]:
    """Return the function that runs a kernel on some rows of its arrays."""
    return lambda j: kernel(factor, *[x[j] for x in read], h, *[x[j] for x in written])


def _search(system: System, point: Point, d: Floats, dc: Floats, Xd: Floats, decrement: float) -> Point | None:
    """Return the first point along −d, from the whole step down, that lowers f enough; scores are kept, so this costs no product."""
    lam = system.problem.strength
    ww, wd, dd = (float(np.vdot(x, y)) for x, y in ((point.W, point.W), (point.W, d), (d, d)))
    t = 1.0
    for _ in range(30):
        Z = point.Z - t * Xd
        loss, R = system.loss(Z)
        f = loss + 0.5 * lam * (ww - 2.0 * t * wd + t * t * dd)
        if f <= point.f - 2.0 * ARMIJO * t * decrement:
            return system.point(point.W - t * d, point.c - t * dc, Z, loss, R)
        if 2.0 * t * decrement <= 4.0 * np.finfo(float).eps * abs(point.f):
            return None
        t *= 0.5
    return None
