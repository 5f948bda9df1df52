"""Smooth losses with many coefficients, on arrays of any library: L-BFGS around a Kronecker product, in rising precision.

Where no column counts yet, the Hessian of K classes is (diag(π) − ππ') ⊗ G + λI, G the covariance of the columns. Its inverse, with λ
shared out evenly, is two small matrices:

    H₀⁻¹ g = C diag(1/π) C g (G + (λ/ā) I)⁻¹,    C = I − 11'/K,    ā = mean curvature of a class

1. G from some rows; start at the model without columns. After a few steps H₀ is that of the weights found so far, corrected along them
   (`class_curvature.py`), which halves the passes.
2. L-BFGS, one pass per step: in TF32 where the device has it, until what is left is near its rounding; then in the rows' own type.
3. A pass in float64 gives f, the gradient and the certificate; in the rare case that it says more than the passes before, steps in
   float64 follow.
A path of strengths keeps G, the start and the last pairs. Rows held in NumPy that have not arrived half-way are left to Newton-CG.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...array_types import Floats
from ...data import Block
from ...data.device import DeviceSource
from ...data.namespaces import compute_type, device_of, is_foreign, like, namespace
from ..problem import Problem
from ..solution import Solution, Status
from ..stopping import GAP_SHARE, small_enough, still_to_gain, without_step
from . import array_gap, newton_cg
from .array_objective import ArrayObjective, Precision, host, some_rows
from .class_curvature import CurvedInverse, KroneckerInverse, curved_inverse, flat_inverse
from .whitened import continued

GRAM_ROWS = 8
"""Rows for the covariance, in units of its columns."""
LEAST_GRAM = 4_096
"""Rows for the covariance, at least."""
MEMORY = 20
"""Pairs kept."""
CURVED = (4, 16, 48)
"""Steps from the model without columns after which its weights tell the curvature along them, and after which they do so anew."""
KEPT = 8
"""Pairs that the next strength of a path begins with."""
FAST_END = 3e-5
"""What is left of f, relatively, where the products of TF32 are given up: their rounding shows next."""
BEYOND = 3e-2
"""Share of the gap asked to which the estimate must have fallen before passes in float64 see to the certificate, for a small λ."""
FURTHER = 12
"""Steps in float64 for the certificate alone, at most: for a tiny λ it cannot be had."""
STUCK = 3
"""Steps in TF32 without a fall of f after which its rounding is reached."""
CORRECTED_END, ROUNDS = 1e-3, 4
"""Share of what was left at its beginning where a round of corrected passes in TF32 ends, and how many there may be."""
TIGHTER = (0.1, 0.03, 0.0)
"""Shares of the gap asked that the likely bound may have where the proven one is not as low yet."""
NOISE = {Precision.FAST: 1e-6, Precision.OWN: 1e-8, Precision.FULL: 1e-15}
"""Rounding of f by a pass, relatively: what a step may seem to lose by it."""
HALVINGS = 12


def solve(problem: Problem) -> Solution:
    """Minimise a softmax, logistic or squared hinge loss with an L2 penalty or none, over dense rows of any library.

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
    if problem.rows.held is None:
        return next(solve_path(problem, [problem.strength]))
    found = next(solve_path(replace(problem, max_iter=-(-problem.max_iter // 2)), [problem.strength]))
    return continued(problem, found, newton_cg.solve)


def solve_path(problem: Problem, strengths: Sequence[float]) -> Iterator[Solution]:
    """Yield the solutions for strengths λ in the order given, each from the last."""
    walk = _Walk.begin(problem)
    for strength in strengths:
        yield walk.to(strength)


class _Pairs:
    """The pairs (s, y) of the last steps around H₀⁻¹, all of them arrays beside the rows."""

    def __init__(self, objective: ArrayObjective, covariance: Floats, shares: Floats) -> None:
        self.objective, self.xp, self.type, self.scale = objective, objective.xp, objective.example.dtype, 1.0
        self.covariance, self.shares, self.curved_at = covariance, shares, 0
        self.inverse: KroneckerInverse | CurvedInverse = flat_inverse(objective, covariance, shares)
        self.kept: deque[tuple[Any, Any, Any]] = deque(maxlen=MEMORY)

    def curve(self, theta: Any, iterations: int) -> None:
        """Go on around the curvature at θ, after so many steps; the pairs stay."""
        self.curved_at = iterations
        if not self.objective.loss.is_cross_entropy:
            return
        self.inverse = curved_inverse(self.objective, self.covariance, self.shares, theta)
        if self.kept:
            _, y, curvature = self.kept[-1]
            self.scale = curvature / float(_dot(self.xp, y, self.inverse(y)))

    def add(self, s: Any, y: Any) -> None:
        """Keep a pair, in the type of the rows, unless rounding has left no curvature in it."""
        curvature, size = (float(_dot(self.xp, a, b)) for a, b in ((s, y), (s, s)))
        size *= float(_dot(self.xp, y, y))
        if curvature <= 1e-12 * size**0.5:
            return
        self.kept.append((self.xp.astype(s, self.type, copy=False), self.xp.astype(y, self.type, copy=False), curvature))
        self.scale = curvature / float(_dot(self.xp, y, self.inverse(y)))

    def direction(self, g: Any) -> Any:
        d, shares = g, []
        for s, y, curvature in reversed(self.kept):
            shares.append(_dot(self.xp, s, d) / curvature)  # stays on the device: reading each would stop its queue
            d = d - shares[-1] * y
        d = self.scale * self.inverse(d)
        for (s, y, curvature), share in zip(self.kept, reversed(shares)):
            d = d + (share - _dot(self.xp, y, d) / curvature) * s
        return d


@dataclass(slots=True, eq=False)
class _Walk:
    """Where the solver stands: θ, what is known of the Hessian without λ, and the pairs of the last strength."""

    objective: ArrayObjective
    covariance: Floats
    shares: Floats
    theta: Any
    pairs: list[tuple[Any, Any]]
    moved: bool
    """Whether θ has weights that tell the curvature."""

    @classmethod
    def begin(cls, problem: Problem) -> _Walk:
        centre, G = _covariance(some_rows(problem, max(GRAM_ROWS * problem.n_features, LEAST_GRAM)))
        deviations = np.sqrt(np.einsum("jj->j", G))
        own = problem.in_units(np.append(deviations**2, 1.0))
        objective = ArrayObjective(own, _example(problem), centre, deviations)
        theta = own.beginning()
        theta[:, -1] += theta[:, :-1] @ objective.centre
        if own.start is None and own.fit_intercept:
            theta[:, -1] = objective.loss.loss.constant_scores(own.counts)
        shares = objective.loss.flat_curvature(own.counts)
        return cls(objective, G, shares, like(theta, objective.example), [], own.start is not None and bool(theta[:, :-1].any()))

    def to(self, strength: float) -> Solution:
        """Return the solution for another strength, from where the walk stands."""
        objective = self.objective
        objective.problem, objective.passes = replace(objective.problem, strength=strength), 0
        pairs = _Pairs(objective, self.covariance, self.shares)
        if self.moved:
            pairs.curve(self.theta, CURVED[0])
        for s, y in self.pairs:
            pairs.add(s, y + strength * _penalised(objective.xp, s))
        end = _descend(objective, self.theta, pairs)
        self.theta, self.moved = end.theta, True
        self.pairs = [(s, y - strength * _penalised(objective.xp, s)) for s, y, _ in pairs.kept][-KEPT:]
        theta = host(end.theta)
        if len(theta) > 1 and objective.loss.is_cross_entropy:
            theta -= theta.mean(axis=0)
        problem = objective.problem
        return Solution(
            coef=np.ascontiguousarray(theta[:, :-1]),
            intercept=objective.intercept(theta) if problem.fit_intercept else np.zeros(len(theta)),
            status=end.status,
            iterations=end.iterations,
            passes=objective.passes,
            objective=end.f,
            gradient_norm=float(np.abs(_largest(objective.xp, end.g)).max()),
            gap=end.gap,
            solver="Kronecker-whitened L-BFGS",
        )


@dataclass(frozen=True, slots=True, eq=False)
class _End:
    theta: Any
    f: float
    g: Any
    status: Status
    iterations: int
    gap: float


def _descend(objective: ArrayObjective, theta: Any, pairs: _Pairs) -> _End:
    """Return where L-BFGS ends, through all precisions; the last one has the certificate."""
    problem = objective.problem
    walk = _Descent(objective, pairs, theta)
    for precision in objective.precisions:
        if precision is Precision.FAST:
            walk.evaluate(precision)
            walk.run(precision)
            walk.run_corrected()
        else:
            if walk.seen is not precision:
                walk.evaluate(precision)
            walk.run(precision)
    gap = np.inf
    for share in TIGHTER if problem.strength > 0.0 else ():
        gap, before = array_gap.bound_at(objective, walk.theta, walk.g), walk.iterations
        if gap <= GAP_SHARE * problem.tol * walk.f or walk.status is not Status.CONVERGED or not is_foreign(objective.example):
            break
        walk.share = share
        walk.run(Precision.FULL)
        if walk.iterations == before:
            break
    return _End(walk.theta, walk.f, walk.g, walk.status, walk.iterations, gap)


@dataclass(slots=True, eq=False)
class _Descent:
    """θ with f and g there, by a pass of the precision `seen`, and how L-BFGS goes on from it."""

    objective: ArrayObjective
    pairs: _Pairs
    theta: Any
    f: float = np.inf
    g: Any = None
    seen: Precision | None = None
    status: Status = Status.MAX_ITER
    iterations: int = 0
    further: int = 0
    """Steps that the certificate alone asked for."""
    share: float = 0.25
    """Of the gap asked, what the likely bound may have."""

    def evaluate(self, precision: Precision) -> None:
        """Look at θ once more, with another precision."""
        self.f, self.g = self.objective.at(self.theta, precision)
        self.seen = precision
        if not np.isfinite(self.f):
            self.objective.problem.rows.source.refuse_nonfinite()

    def run_corrected(self) -> None:
        """Take rounds of steps in TF32, each corrected by a pass in the rows' own type at its beginning."""
        for _ in range(ROUNDS):
            self.f, self.g = self.objective.correct(self.theta, self.f, self.g)
            self.seen, before = Precision.OWN, self.iterations
            if self._is_done(0.5 * float(self.objective.xp.sum(self.g * self.pairs.direction(self.g)))):
                break
            self.run(Precision.FAST)
            if self.iterations == before:
                break
        self.objective.correction = None

    def run(self, precision: Precision) -> None:
        """Take steps at one precision until it has given what it can."""
        promised: list[float] = []
        falls: list[float] = []
        for _ in range(self.objective.problem.max_iter - self.iterations + 1):
            if self.iterations in CURVED and self.pairs.curved_at < self.iterations:
                self.pairs.curve(self.theta, self.iterations)
            d = self.pairs.direction(self.g)
            slope = float(self.objective.xp.sum(self.g * d))
            promised.append(0.5 * slope)
            left = max(promised[-1] + still_to_gain(promised), still_to_gain(falls))
            self.status = Status.CONVERGED
            if self._has_given(precision, left, promised, falls) or self._is_done(left):
                return
            self.status = Status.MAX_ITER
            if self.iterations == self.objective.problem.max_iter:
                return
            found = _search(self.objective, self.theta, self.f, d, slope, precision)
            if found is None:
                # A slope upwards is no sign of a minimum: rounding has left no inverse.
                left = left if slope > 0.0 else -1.0
                self.status = without_step(self.objective.problem, self.f, _largest(self.objective.xp, self.g), left)
                return
            new, value, slopes = found
            falls.append(max(self.f - value, 0.0))
            self.pairs.add(new - self.theta, slopes - self.g)
            self.theta, self.f, self.g = new, value, slopes
            self.seen, self.iterations = precision, self.iterations + 1

    def _has_given(self, precision: Precision, left: float, promised: list[float], falls: list[float]) -> bool:
        """Whether passes in TF32 are near their rounding: little is left, or steps have stopped to lower f."""
        if precision is not Precision.FAST:
            return False
        stuck = len(falls) >= STUCK and max(falls[-STUCK:]) <= 1e-9 * self.f
        return stuck or left <= (FAST_END * self.f if self.objective.correction is None else CORRECTED_END * promised[0])

    def _is_done(self, left: float) -> bool:
        """Whether what is left, by its estimate and by the certificate where the rows lie on a device, is as little as asked."""
        problem, xp = self.objective.problem, self.objective.xp
        if not small_enough(problem, self.f, _largest(xp, self.g), left):
            return False
        if problem.strength == 0.0 or not is_foreign(self.objective.example):
            return True
        asked = GAP_SHARE * problem.tol * self.f
        likely = array_gap.likely_bound(self.objective, self.g, self.pairs.inverse.shares)
        if likely <= self.share * asked:
            return True
        if self.seen is not Precision.FULL:
            return left <= BEYOND * asked
        self.further += 1
        return self.further > FURTHER


def _search(objective: ArrayObjective, theta: Any, f: float, d: Any, slope: float, precision: Precision) -> tuple[Any, float, Any] | None:
    """Return the first point θ − t d, from t = 1 down, that is lower by its share of the slope, up to rounding; None if there is none."""
    noise, t = NOISE[precision] * abs(f), 1.0
    if not slope > 0.0:
        return None
    for _ in range(HALVINGS):
        new = theta - t * d
        value, g = objective.at(new, precision)
        if value <= f - 1e-4 * t * slope + noise:
            return new, value, g
        curvature = 2.0 * (value - f + t * slope) / t**2
        best = slope / curvature if np.isfinite(curvature) and curvature > 0.0 else 0.1 * t
        t = float(np.clip(best, 0.1 * t, 0.5 * t))
        if t * slope <= noise:
            return None
    return None


def _dot(xp: Any, a: Any, b: Any) -> Any:
    """Return Σ ab; in NumPy without an array of products."""
    return np.vdot(a, b) if isinstance(a, np.ndarray) else xp.sum(a * b)


def _largest(xp: Any, g: Any) -> Floats:
    """Return the largest gradient of each column (1, p + 1), in NumPy."""
    return host(xp.max(xp.abs(g), axis=0))[None]


def _penalised(xp: Any, theta: Any) -> Any:
    """Return W with 0 for the intercepts: the gradient of ½‖W‖²."""
    return xp.concat([theta[:, :-1], xp.zeros_like(theta[:, -1:])], axis=1)


def _example(problem: Problem) -> Any:
    """Return the first rows, which tell library, device and type."""
    rows = problem.rows
    if isinstance(rows.source, DeviceSource):
        return rows.source.example
    block: Block = rows.held[0] if rows.held is not None else next(iter(rows.source.blocks()))
    return block.X[:1, :]


def _covariance(rows: Block) -> tuple[Floats, Floats]:
    """Return mean and covariance of the columns; their products in the type of the rows, which is enough to walk by."""
    xp, X = namespace(rows.X), namespace(rows.X).astype(rows.X, compute_type(rows.X), copy=False)
    weight = xp.ones(rows.n_rows, dtype=xp.float64, device=device_of(rows.X)) if rows.weight is None else rows.weight
    share = weight / xp.sum(weight)
    centre = share @ xp.astype(X, xp.float64)
    D = (X - xp.astype(centre, X.dtype)) * xp.astype(xp.sqrt(share), X.dtype)[:, None]
    return host(centre), host(D.T @ D)
