"""L1-penalised logistic loss with many columns: proximal Newton on the columns that may matter.

    minimise (1/S) Σ s_i log(1 + e^(−y_i z_i)) + λ₂/2 ‖w‖² + λ₁‖w‖₁,   z = offset + Xw + b

Each round takes the gradient in all columns, which also gives the duality gap, and then works on those that are used or violate
|g_j| ≤ λ₁ most: their Gram matrix with the rows' curvatures as weights is small, and so is the penalised quadratic
(`l1_quadratic`). Sparse columns, and dense ones that are too many for a Gram matrix, are walked through (`column_descent`), all that are
near |g_j| = λ₁ at once.

References
----------
Johnson and Guestrin (2015), Blitz: a principled meta-algorithm for scaling sparse optimization, ICML.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...array_types import Bools, Floats, Indices
from ...data.arrays import ArraySource
from ..problem import Problem
from ..products import Products
from ..rows import Rows
from ..smooth.centred_rows import CentredRows
from ..work import ADDED, CALL, FACTORED, PASS
from .column_descent import ColumnDescent
from .l1_ending import DRIFT, Distance, asked, column_units, distance, spilled
from .l1_quadratic import Quadratic, violation

FIRST = 200
"""Columns of the first round."""
GRAM = 2_500
"""Columns up to which their Gram matrix is formed."""
STEPS = 8
FEW_LEFT = 0.75
"""Share of the columns from which on all that violate their condition are taken: a further round would need another matrix."""
TIGHTER = 0.1
"""Share of the largest violation to which a round solves its columns."""
LOOSE = 0.1
"""Share of the largest violation to which a step through the columns solves its model; the relative gap, where that is less."""
NEAR = 0.9
"""Share of λ₁ from which on a column's gradient makes it worth a look."""
SLACK = 1e-2


@dataclass(slots=True, eq=False)
class Point:
    """w (p,), b, scores z (n,), and at them: mean loss, its slopes u (n,) and curvatures h (n,) in the scores."""

    w: Floats
    b: float
    z: Floats
    loss: float
    u: Floats
    h: Floats


class ColumnProblem:
    """Two classes, or one class against fixed scores of the others.

    Parameters
    ----------
    problem : Problem
        λ, r, tolerance, rows held in memory.
    products : Products
        X (n, p).
    positive : (n,) bool
    offset : (n,) fixed part of the scores, or None
    """

    def __init__(self, problem: Problem, products: Products, positive: Bools, offset: Floats | None = None) -> None:
        self.problem, self.products = problem, products
        self.y = np.where(positive, 1.0, -1.0)
        weight = problem.rows.weight
        self.share = np.full(len(self.y), 1.0 / problem.total) if weight is None else weight / problem.total
        self.offset = np.zeros(len(self.y)) if offset is None else offset
        self.l1, self.l2 = problem.strength * problem.l1_ratio, problem.strength * (1.0 - problem.l1_ratio)
        self.units = column_units(products, problem)
        self.passes = self.steps = 0
        self.chosen: Indices | None = None
        self.threshold = self.l1
        self.model: GramModel | None = None
        self.random = np.random.default_rng(problem.seed).integers(1, 2**62, 1)

    def change_strength(self, strength: float, point: Point, G: Floats) -> None:
        """Go on with another λ, on the columns that the strong rule keeps:

        |g_j| ≥ 2λ₁(new) − λ₁(old). The next gradient finds any it missed.
        """
        before, r = self.l1, self.problem.l1_ratio
        self.problem = replace(self.problem, strength=strength)
        self.l1, self.l2 = strength * r, strength * (1.0 - r)
        kept = (np.abs(G + self.l2 * point.w) >= 2.0 * self.l1 - before) | (point.w != 0.0)
        self.chosen, self.model, self.threshold = np.flatnonzero(kept), None, max(2.0 * self.l1 - before, 0.0)

    def at(self, w: Floats, b: float, z: Floats) -> Point:
        """Return the point with its loss, slopes and curvatures."""
        m = self.y * z
        e = np.exp(-np.abs(m))
        q = np.where(m < 0.0, 1.0, e) / (1.0 + e)
        loss = float(self.share @ (np.log1p(e) + np.maximum(-m, 0.0)))
        return Point(w, b, z, loss, -self.share * self.y * q, self.share * q * (1.0 - q))

    def start(self, w: Floats, b: float) -> Point:
        """Return the point at w, b with the best intercept."""
        self.passes += 1
        return self.centred(self.at(w, b, self.offset + products_of_used(self.products, w[None])[:, 0] + b))

    def centred(self, point: Point) -> Point:
        """Return the point with an intercept whose own gradient is 0."""
        if not self.problem.fit_intercept:
            return point
        for _ in range(50):
            slope, curvature = float(point.u.sum()), float(point.h.sum())
            if abs(slope) <= 1e-15 or curvature <= 0.0:
                break
            d = float(np.clip(-slope / curvature, -2.0, 2.0))
            new = self.at(point.w, point.b + d, point.z + d)
            if abs(new.u.sum()) >= abs(slope):
                break
            point = new
        return point

    def gradient(self, point: Point) -> Floats:
        """Return the gradient (p,) of the mean loss; one pass."""
        self.passes += 1
        return self.products.transposed_times(point.u[:, None])[:, 0]

    def slopes(self, point: Point, G: Floats, chosen: Indices) -> Floats:
        """Return the gradient (q,) of the smooth part in w and b of some columns, from that of the mean loss in all."""
        return np.append(G[chosen] + self.l2 * point.w[chosen], point.u.sum() * self.problem.fit_intercept)

    def distance(self, point: Point, G: Floats) -> Distance:
        """Return the distance from the minimum."""
        g_b = np.array([point.u.sum()]) * self.problem.fit_intercept
        rest = float(g_b[0] ** 2 / point.h.sum()) if g_b.any() else 0.0

        def spill(t: float) -> float:
            return spilled(self.share, np.abs(point.u) / np.where(self.share > 0.0, self.share, 1.0), t)

        return distance(self.problem, point.w[None], point.loss, G[None], g_b, self.units[None], spill, rest)

    def columns(self, point: Point, G: Floats, count: int) -> Indices:
        """Return the columns to work on.

        Sparse: those used and those whose gradient is near λ₁. Dense: those used, those chosen last, and the `count` that violate their
        condition most.
        """
        used = point.w != 0.0
        if self.products.is_sparse:
            used |= np.abs(G) >= self.threshold
            self.threshold = NEAR * self.l1
            return np.flatnonzero(used)
        if self.chosen is not None:
            used[self.chosen] = True
        over = np.where(used, -np.inf, (np.abs(G) - self.l1) / self.units)
        count = len(over) if count + np.count_nonzero(used) >= FEW_LEFT * len(over) else count
        most = np.argpartition(over, -count)[-count:] if count < len(over) else np.arange(len(over))
        used[most[over[most] > 0.0]] = True
        return np.flatnonzero(used)

    def improve(self, point: Point, G: Floats, chosen: Indices, found: Distance) -> Point:
        """Take proximal Newton steps on some columns until their subgradient is a digit less; G is the gradient in all."""
        if len(chosen) == 0:
            return point
        wanted = TIGHTER * found.subgradient
        if self.products.is_sparse or len(chosen) > GRAM:
            model = ColumnModel(self, chosen, min(LOOSE, found.gap / found.objective))
            return self._stepped(point, chosen, model, self.slopes(point, G, chosen), wanted) or point
        if self.model is None or self.chosen is None or not np.array_equal(chosen, self.chosen):
            self.chosen, self.model = chosen, GramModel(self, self.products.columns(chosen))
        for _ in range(STEPS):
            new = self._stepped(point, chosen, self.model, self.model.slope(point), wanted)
            if new is None:
                break
            point = new
        return point

    def _stepped(self, point: Point, chosen: Indices, model: GramModel | ColumnModel, slope: Floats, wanted: float) -> Point | None:
        """Return the point after one step, or None where none is needed or possible."""
        x = np.append(point.w[chosen], point.b)
        missed = violation(slope, x, np.append(np.full(len(chosen), self.l1), 0.0)) / np.append(self.units[chosen], 1.0)
        worst = float(missed.max())
        if worst <= wanted:
            return None
        self.steps += 1
        end, dz = model.step(point, x, slope, worst)
        return self.searched(point, chosen, x, end, dz, slope)

    def searched(self, point: Point, chosen: Indices, x: Floats, end: Floats, dz: Floats, slope: Floats) -> Point | None:
        """Return the first point on the way from x to end, t = 1, ½, …, that lowers the objective enough; None if there is none."""
        d = end - x
        kinks = float(np.abs(end[:-1]).sum() - np.abs(x[:-1]).sum())
        fall = -float(slope @ d) - self.l1 * kinks
        value = self.value(point)
        rounding = 64.0 * np.finfo(float).eps * value
        if fall < -rounding:
            return None
        t = 1.0
        while t > 1e-6:
            w = point.w.copy()
            w[chosen] = end[:-1] if t == 1.0 else x[:-1] + t * d[:-1]
            new = self.at(w, point.b + t * float(d[-1]), point.z + t * dz)
            if self.value(new) <= value - 1e-4 * t * fall or (fall <= rounding and self.value(new) <= value + rounding):
                return new
            t *= 0.5
        return None

    def certified(self, point: Point, G: Floats, found: Distance) -> tuple[Point, Floats, Distance]:
        """Return the point, gradient and distance by scores from the coefficients, and not from the steps that led there."""
        self.passes += 1
        new = self.at(point.w, point.b, self.offset + products_of_used(self.products, point.w[None])[:, 0] + point.b)
        drift = float(np.abs(new.z - point.z).max())
        if drift <= DRIFT:
            return new, G, found.with_scores(self.value(new), drift)
        new = self.centred(new)
        G = self.gradient(new)
        return new, G, self.distance(new, G)

    def value(self, point: Point) -> float:
        """Return the objective."""
        return point.loss + 0.5 * self.l2 * float(point.w @ point.w) + self.l1 * float(np.abs(point.w).sum())


class GramModel:
    """The quadratic model of some columns with an explicit matrix.

    The intercept is that about the columns' mean until the end of a step.
    """

    def __init__(self, problem: ColumnProblem, part: Floats) -> None:
        self.problem = problem
        codes = np.zeros(len(part), dtype=np.int32)
        source = ArraySource(part, n_jobs=problem.problem.rows.source.n_jobs)
        self.rows = CentredRows.of(Rows.of_arrays(part, codes, None, source), problem.problem.fit_intercept)
        self.quadratic: Quadratic | None = None
        self.worst, self.fresh = np.inf, _worth_a_matrix(*part.shape)

    def slope(self, point: Point) -> Floats:
        """Return the gradient (q,) of the smooth part in w and b of the columns."""
        g = self.rows.sums(point.u)
        assert self.problem.chosen is not None
        g[:-1] += g[-1] * self.rows.centre + self.problem.l2 * point.w[self.problem.chosen]
        g[-1] *= self.problem.problem.fit_intercept
        return g

    def step(self, point: Point, x: Floats, slope: Floats, worst: float) -> tuple[Floats, Floats]:
        """Return where the model is least, and the scores' change on the way there; `worst` is the largest violation."""
        rows, problem = self.rows, self.problem
        # As long as steps take off digits quickly enough, the last matrix serves: the gradient is exact, the matrix need not be.
        if self.quadratic is None or worst > self.fresh * self.worst:
            self.quadratic = self._quadratic(point)
        self.worst = worst
        g = slope.copy()
        g[:-1] -= g[-1] * rows.centre
        start = x.copy()
        start[-1] += x[:-1] @ rows.centre
        penalty = np.append(np.full(len(x) - 1, problem.l1), 0.0)
        end = self.quadratic.minimise(g, start, penalty, SLACK * asked(problem.problem) * problem.l1)
        dz = rows.scores(end - start)
        end[-1] -= end[:-1] @ rows.centre
        return end, dz

    def _quadratic(self, point: Point) -> Quadratic:
        H = self.rows.gram(point.h)
        np.einsum("jj->j", H)[:-1] += self.problem.l2
        if not self.problem.problem.fit_intercept:
            H[-1], H[:, -1] = 0.0, 0.0
            H[-1, -1] = 1.0
        return Quadratic(H)


class ColumnModel:
    """The quadratic model of sparse columns, or of too many dense ones, by walking through them."""

    def __init__(self, problem: ColumnProblem, chosen: Indices, share: float) -> None:
        self.problem, self.chosen, self.share = problem, chosen, share

    def step(self, point: Point, x: Floats, slope: Floats, worst: float) -> tuple[Floats, Floats]:
        """Do as `GramModel.step`, to the digits that a step of Newton's method is worth."""
        problem, fits = self.problem, bool(self.problem.problem.fit_intercept)
        model = ColumnDescent(problem.products.by_columns, self.chosen, point.h, problem.l1, problem.l2, fits, problem.random)
        return model.minimise(slope, x, self.share, SLACK * asked(problem.problem) * problem.l1)


def _worth_a_matrix(n: int, q: int) -> float:
    """Return the share of the last violation above which a step needs a fresh matrix, by the work of both.

    With a fresh one a step takes off a digit or more, for the seconds of both: a step with the last one is worth its own where it takes off
    as large a part of a digit.
    """
    step, matrix = CALL + 2.0 * PASS * n * q + FACTORED * q**3, 0.5 * ADDED * n * float(q) ** 2
    return float(10.0 ** (-step / (step + matrix)))


def products_of_used(products: Products, W: Floats) -> Floats:
    """Return XW' (n, K) for W (K, p) with few coefficients in use."""
    if not products.is_sparse:
        return products.times(np.ascontiguousarray(W.T)) if W.any() else np.zeros((products.shape[0], len(W)))
    from ...kernels.proximal import add_columns

    out = np.zeros((len(W), products.shape[0]))
    for w, z in zip(W, out):
        used = np.flatnonzero(w)
        add_columns(*products.by_columns, used, w[used], z)
    return np.ascontiguousarray(out.T)
