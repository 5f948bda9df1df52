"""L1-penalised softmax loss with many columns: proximal Newton on the pairs of class and column that may matter.

    minimise Σ_i s_i [log Σ_k e^(z_ik) − z_i,y_i] + λ₂/2 ‖W‖² + λ₁ ‖W‖₁,   z_k = X w_k + b_k,   Σ s_i = 1

Each round takes the gradient in all columns, with intercepts whose own gradient is 0: that gives the duality gap. Then a model of the loss
on the pairs used and those near |g_kj| = λ₁ is minimised, and a line search on the scores ends the step:

| rows | model |
|---|---|
| few columns in question | the Hessian of all classes (`gram_proximal`) |
| dense, or sparse with few columns | the columns' covariance and the last steps (`class_covariance`), or, where that is less work, |
| sparse | walks through the columns, class by class (`class_columns`); of crowded ones the Hessian of the pairs |
| dense | the Hessian of the pairs (`class_pairs`) |
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from ...array_types import Bools, Codes, Floats, Indices
from ...data.arrays import ArraySource
from ..problem import Problem
from ..products import Products
from ..rows import Rows
from ..solution import Solution, Status
from ..stopping import still_to_gain
from ..work import ADDED, FACTORED, PASS
from .class_columns import ClassColumns
from .class_covariance import ClassCovariance
from .class_intercepts import intercept_inverse, shifted
from .class_pairs import ClassPairs
from .gram_proximal import ProximalNewton
from .l1_ending import DRIFT, Distance, Progress, asked, column_units, distance, ended, spilled
from .working_set import LOOSE, NEAR, SLACK, products_of_used

IDLE = 20
"""Rounds without progress after which rounding is at work."""
ARMIJO, SHORTEST = 1e-4, 1e-6
ROUNDING = 1e-12
"""Share of the objective that a predicted fall may be off by."""
FAR = 100.0
"""Change of a score beyond which no step is tried: a model of rows that are nearly certain knows nothing there."""
CENTRING = 50
EARLY, TIGHT = 8, 1e-3
"""Rounds after which columns must hang together so much that models solved loosely lead nowhere, and how far they are solved then."""
ENTERING = 64
"""Pairs of class and column that may come in at once where the problem is crowded."""
CROWDED = 0.3
"""Pairs of class and column that ask to come in at W = 0, for each row and class, from which on the penalty is lowered step by step."""
CHEAP = 5
"""Steps by the covariance that count as a round."""
DIGIT, LEAST_STEP, SWEPT = 13.0, 8e-4, 1.2e-8
"""Steps by the covariance for a digit of the gap, and their seconds: of any, and for each pair and column."""
AHEAD = 4.0
"""Steps like the last ones that a rough fit expects to be still ahead, at least: the first ones fall faster than they promise."""
NEAREST, FURTHER = 3.0, 1.5
"""Steps with the true curvature once the last fall was below 1e-4 of the objective, and for each digit that it was above."""
COVARIED = 2_000
"""Sparse columns whose covariance has room."""
SYSTEMS, SWEEPS, TURN, WALKED = 6.0, 60.0, 2e-5, 4e-9
"""Systems of such a step where it forms a Hessian, or its walks through the columns, and their seconds: of a class, and of a value."""
FALL, ROUGH = 10.0, 1e-2
"""By how much the penalty falls in a step, and the tolerance on the way."""


@dataclass(slots=True, eq=False)
class Point:
    """W (K, p), b (K,), scores Z (n, K), and at them: mean loss, its slopes U (n, K) in the scores; codes and shares (n,) of the rows."""

    W: Floats
    b: Floats
    Z: Floats
    loss: float
    U: Floats
    codes: Codes
    share: Floats
    found: Floats | None = None

    @property
    def probabilities(self) -> Floats:
        """Probabilities (K, n), found when first asked for: points that a line search leaves need none."""
        if self.found is None:
            self.found = self.U / np.where(self.share > 0.0, self.share, 1.0)[:, None]
            self.found[np.arange(len(self.codes)), self.codes] += self.share > 0.0
        return self.found.T


class SoftmaxColumns:
    """A problem of K classes by columns.

    Parameters
    ----------
    problem : Problem
    products : Products
        X (n, p).
    few : int
        Coefficients up to which the Hessian of all is formed.
    """

    def __init__(self, problem: Problem, products: Products, few: int) -> None:
        self.problem, self.products, self.few = problem, products, few
        weight, n = problem.rows.weight, products.shape[0]
        self.share = np.full(n, 1.0 / problem.total) if weight is None else weight / problem.total
        self.l1, self.l2 = problem.strength * problem.l1_ratio, problem.strength * (1.0 - problem.l1_ratio)
        self.is_crowded = False
        self.units = column_units(products, problem)
        self.steps = self.passes = 0
        self.rounds, self.cheap_steps, self.falls = 0.0, 0, list[float]()
        has_room = not products.is_sparse or products.shape[1] <= COVARIED
        self.covariance = ClassCovariance(products, self.share, problem.fit_intercept) if has_room else None
        self.threshold = self.l1
        self.random = np.random.default_rng(problem.seed).integers(1, 2**62, 1)

    def solve(self) -> Solution:
        """Return the minimum."""
        problem, theta = self.problem, self.problem.beginning()
        W = np.ascontiguousarray(theta[:, :-1])
        b = theta[:, -1] if theta.any() else self.shares()
        point, progress = self.start(W, b), Progress(IDLE)
        while True:
            G, found = self.looked_at(point)
            is_late = self.rounds >= problem.max_iter
            ends = is_late or progress.has_ended(found)
            if ends or found.is_small(problem):
                point, G, found = self.certified(point, G, found)
                if ends or found.is_small(problem):
                    break
            if problem.is_rough and self._is_near(found):
                break
            new = self.improved(point, G, found, LOOSE if self.rounds < EARLY else TIGHT)
            if new is point:
                point, G, found = self.certified(point, G, found)
                break
            point = new
            del new  # and with it the last point
            point = self.centred(point)
            self.falls.append(found.objective - self.value(point))
        is_done = found.is_small(problem) or (problem.is_rough and self._is_near(found))
        status = Status.CONVERGED if is_done else Status.MAX_ITER if is_late else Status.STALLED
        return ended(point.W, point.b - point.b.mean(), found, status, self.steps, self.passes)

    def _is_near(self, found: Distance) -> bool:
        """Whether the last steps tell that little is left to gain."""
        left = max(still_to_gain(self.falls), AHEAD * max(self.falls[-2:], default=np.inf))
        return len(self.falls) > 1 and left <= self.problem.tol * found.objective

    def shares(self) -> Floats:
        """Return the intercepts that suit W = 0: logarithms of the classes' shares."""
        counts = self.problem.counts
        return np.log(np.maximum(counts, np.finfo(float).tiny)) if self.problem.fit_intercept else np.zeros(len(counts))

    def start(self, W: Floats, b: Floats) -> Point:
        """Return the point at W with the best intercepts, its scores computed from the coefficients."""
        self.passes += 1
        return self.centred(self.at(W, b, products_of_used(self.products, W) + b))

    def certified(self, point: Point, G: Floats, found: Distance) -> tuple[Point, Floats, Distance]:
        """Return the point, gradient and distance by scores from the coefficients, and not from the steps that led there."""
        self.passes += 1
        new = self.at(point.W, point.b, products_of_used(self.products, point.W) + point.b)
        # Equal changes of all classes change nothing.
        drift = float(np.ptp(new.Z - point.Z, axis=1).max())
        if drift <= DRIFT:
            return new, G, found.with_scores(self.value(new), drift)
        new = self.centred(new)
        return new, *self.looked_at(new)

    def at(self, W: Floats, b: Floats, Z: Floats) -> Point:
        """Return the point with its loss and slopes."""
        from ...kernels.softmax import residuals

        assert self.problem.rows.codes is not None
        U = np.array(Z, order="C")  # steps add up to scores in either order
        loss = float(residuals(U, self.problem.rows.codes, self.share))
        return Point(W, b, Z, loss, U, self.problem.rows.codes, self.share)

    def centred(self, point: Point) -> Point:
        """Return the point with intercepts whose own gradient is 0; it is changed, so that no more than two are held."""
        for _ in range(CENTRING if self.problem.fit_intercept else 0):
            g = point.U.sum(axis=0)
            if np.abs(g).max() <= 1e-15:
                break
            d = np.clip(-(intercept_inverse(point.probabilities, self.share) @ g), -2.0, 2.0)
            new = self.at(point.W, point.b + d, point.Z + d)
            if np.abs(new.U.sum(axis=0)).max() >= np.abs(g).max():
                break
            point.b, point.Z, point.loss, point.U, point.found = new.b, new.Z, new.loss, new.U, None
        return point

    def looked_at(self, point: Point) -> tuple[Floats, Distance]:
        """Return the gradient (K, p) of the mean loss, and the distance from the minimum; one pass."""
        self.passes += 1
        G = np.ascontiguousarray(self.products.transposed_times(point.U).T)
        return G, self.distance(point, G)

    def distance(self, point: Point, G: Floats) -> Distance:
        """Return the distance from the minimum."""
        g_b = point.U.sum(axis=0) * self.problem.fit_intercept
        rest = float(g_b @ intercept_inverse(point.probabilities, self.share) @ g_b) if g_b.any() else 0.0

        def spill(t: float) -> float:
            assert self.problem.rows.codes is not None
            own = point.U[np.arange(len(self.share)), self.problem.rows.codes]
            return spilled(self.share, -own / np.where(self.share > 0.0, self.share, 1.0), t)

        return distance(self.problem, point.W, point.loss, G, g_b, self.units[None], spill, rest)

    def pairs(self, point: Point, G: Floats) -> Bools:
        """Return which pairs (K, p) to work on: those used and those near |g| = λ₁; of a crowded problem, only the worst of these."""
        used = point.W != 0.0
        near = (np.abs(G) >= self.threshold) & ~used
        count = max(ENTERING, int(used.sum()) // 2)
        if self.is_crowded and np.count_nonzero(near) > count:
            over = np.where(near, (np.abs(G) - self.l1) / self.units, -np.inf)
            near &= over >= np.partition(over, -count, axis=None)[-count]
        chosen: Bools = used | near
        return chosen

    def improved(self, point: Point, G: Floats, found: Distance, share: float) -> Point:
        """Return a better point, or the point itself where none is found; a model is solved to a `share` of the largest violation."""
        pairs = self.pairs(point, G)
        columns = np.flatnonzero(pairs.any(axis=0))
        if self.covariance is not None and not self._curvature_is_cheaper(int(pairs.sum()), len(columns), found):
            new = self._by_covariance(self.covariance, point, G)
            if new is not point:
                self.rounds, self.cheap_steps = self.rounds + 1.0 / CHEAP, self.cheap_steps + 1
                return new
            self.covariance.forget()
        self.rounds += 1.0
        if self._is_explicit(int(pairs.sum())):
            model: ClassPairs | ClassColumns = self._class_pairs(point, pairs, columns)
        elif len(G) * (len(columns) + 1) <= self.few:
            return self._jointly(point, columns)
        else:
            self.threshold = NEAR * self.l1
            fits, chosen = self.problem.fit_intercept, [np.flatnonzero(own) for own in pairs]
            model = ClassColumns(self.products.by_columns, chosen, point.probabilities, self.share, self.l1, self.l2, fits, self.random)
        x, g, g_b = point.W[pairs], (G + self.l2 * point.W)[pairs], point.U.sum(axis=0) * self.problem.fit_intercept
        end, shift, V = model.minimise(g, g_b, x, min(share, found.gap / found.objective), SLACK * asked(self.problem) * self.l1)
        self.steps += 1
        fall = -float(g @ (end - x)) - float(g_b @ shift) - self.l1 * float(np.abs(end).sum() - np.abs(x).sum())
        return self._searched(point, pairs, x, end, shift, V.T, fall)

    def _by_covariance(self, model: ClassCovariance, point: Point, G: Floats) -> Point:
        """Return a better point by the columns' covariance and the last steps, or the point itself."""
        self.threshold = NEAR * self.l1
        pairs = self.pairs(point, G)
        model.see(point.W, G)
        x, g = point.W[pairs], (G + self.l2 * point.W)[pairs]
        end, shift, V = model.minimise(point.W, G + self.l2 * point.W, point.probabilities, pairs, self.l1, self.l2)
        self.steps, self.passes = self.steps + 1, self.passes + 1
        fall = -float(g @ (end - x)) - self.l1 * float(np.abs(end).sum() - np.abs(x).sum())
        return self._searched(point, pairs, x, end, shift, V.T, fall)

    def _curvature_is_cheaper(self, count: int, columns: int, found: Distance) -> bool:
        """Whether steps with the true curvature of so many pairs are the less work until the end, the fewer of them the nearer it is."""
        K, (n, p), values = len(self.problem.counts), self.products.shape, self.problem.rows.values
        walks = TURN * K + WALKED * values / p * count
        step = SWEEPS * walks
        if self._is_explicit(count):
            step = min(step, ADDED * n * count**2 + SYSTEMS * FACTORED * count**3)
        last = self.falls[-1] / found.objective if self.falls else 1.0
        steps = NEAREST + FURTHER * max(0.0, float(np.log10(max(last, 1e-4) / 1e-4)))
        digits = 1.0 if self.problem.is_rough else max(1.0, float(np.log10(found.gap / (asked(self.problem) * found.objective))))
        # What took more steps than a digit mostly does may take as many again.
        others = max(DIGIT * digits, self.cheap_steps)
        return bool(steps * step <= others * (LEAST_STEP + PASS * values * K + SWEPT * count * columns))

    def _is_explicit(self, count: int) -> bool:
        """Whether the Hessian of so many pairs is worth its work: where columns are crowded or dense."""
        return (self.is_crowded or not self.products.is_sparse) and count + len(self.problem.counts) <= self.few

    def _class_pairs(self, point: Point, pairs: Bools, columns: Indices) -> ClassPairs:
        part = self.products.columns(columns)
        part = sp.csc_array(part) if self.products.is_sparse else np.asarray(part, dtype=np.float64)
        return ClassPairs(part, pairs[:, columns], point.probabilities, self.share, self.l1, self.l2, self.problem.fit_intercept)

    def _searched(self, point: Point, pairs: Bools, x: Floats, end: Floats, shift: Floats, V: Floats, fall: float) -> Point:
        """Return the first point on the way to the model's minimum, t = 1, ½, …, that lowers the objective enough."""
        value = self.value(point)
        rounding = ROUNDING * value
        if fall < -rounding:
            return point
        point.found = None  # the model was made of them
        t = min(1.0, FAR / max(float(V.max()), -float(V.min()), FAR))
        shortest = SHORTEST * t
        while t > shortest:
            W = point.W.copy()
            W[pairs] = end if t == 1.0 else x + t * (end - x)
            # Scores miss the equal change of all classes, which changes nothing else.
            Z = t * V
            Z += point.Z
            new = self.at(shifted(W, self.problem.l1_ratio), point.b + t * shift, Z)
            if self.value(new) <= value - ARMIJO * t * fall or (fall <= rounding and self.value(new) <= value + rounding):
                return new
            del new, Z
            t *= 0.5
        return point

    def value(self, point: Point) -> float:
        """Return the objective."""
        W = point.W
        return point.loss + 0.5 * self.l2 * float(np.vdot(W, W)) + self.l1 * float(np.abs(W).sum())

    def _jointly(self, point: Point, columns: Indices) -> Point:
        """Return the minimum for all classes on some columns."""
        part, rows = self.products.columns(columns), self.problem.rows
        assert rows.codes is not None
        own = Rows.of_arrays(part, rows.codes, rows.weight, ArraySource(part, n_jobs=rows.source.n_jobs))
        newton = ProximalNewton(replace(self.problem, rows=own, start=(point.W[:, columns], point.b)))
        newton.run()
        W, b = point.W.copy(), newton.objective.intercept(newton.theta)
        W[:, columns] = newton.theta[:, :-1]
        self.steps, self.passes = self.steps + newton.iterations, self.passes + newton.objective.passes
        return self.at(W, b, np.asarray(part @ W[:, columns].T) + b)


def may_be_crowded(problem: Problem) -> bool:
    """Whether several classes have rows in memory and so many columns that it is worth a pass to see how many ask to come in."""
    K, X = problem.n_scores, problem.rows.X
    return K > 1 and X is not None and K * problem.n_features > CROWDED * X.shape[0] * (K - 1)


def from_the_strongest(problem: Problem, products: Products, few: int) -> Solution | None:
    """Return the solution of a crowded problem by way of stronger penalties; None where the problem is not crowded.

    Crowded: far more pairs of class and column ask to come in at once than the rows can settle. Most would have to leave again one by one,
    as the many ways to separate the rows are told apart; along a falling penalty they come in one by one instead.
    """
    n, K = products.shape[0], problem.n_scores
    whole = SoftmaxColumns(problem, products, few)
    size = np.abs(whole.looked_at(whole.start(np.zeros((K, products.shape[1])), whole.shares()))[0])
    if np.count_nonzero(size > whole.l1) <= CROWDED * n * (K - 1):
        return None
    ratio = float(size.max()) / whole.l1
    strengths = problem.strength * np.geomspace(ratio, 1.0, int(np.ceil(np.log(ratio) / np.log(FALL))) + 1)[1:-1]
    start, steps, passes = problem.start, 0, whole.passes
    for strength in [*strengths, problem.strength]:
        last = strength == problem.strength
        stage = replace(problem, strength=float(strength), tol=problem.tol if last else ROUGH, start=start)
        columns = SoftmaxColumns(stage, products, few)
        columns.is_crowded = True
        found = columns.solve()
        start, steps, passes = (found.coef, found.intercept), steps + found.iterations, passes + found.passes
    return replace(found, iterations=steps, passes=passes)
