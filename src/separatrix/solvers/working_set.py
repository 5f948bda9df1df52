"""L1-penalised logistic loss with many columns: proximal Newton on the columns that may matter.

    minimise (1/S) Σ s_i log(1 + e^(−y_i z_i)) + λ₂/2 ‖w‖² + λ₁‖w‖₁,   z = offset + Xw + b

Each round takes the gradient in all columns, which also gives the duality gap, and then works on those that are used or violate
|g_j| ≤ λ₁ most: their Gram matrix with the rows' curvatures as weights is small, and so is the penalised quadratic
(`l1_quadratic`). Where too many are used for a Gram matrix, coordinate descent walks through the columns themselves.

References
----------
Johnson and Guestrin (2015), Blitz: a principled meta-algorithm for scaling sparse optimization, ICML.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..data.arrays import ArraySource
from .centred_rows import CentredRows
from .l1_ending import Distance, distance
from .l1_quadratic import Quadratic, violation
from .problem import Problem
from .rows import Rows

Floats = NDArray[np.float64]

FIRST = 200
"""Columns of the first round."""
GRAM = 2_500
"""Columns up to which their Gram matrix is formed."""
STEPS = 8
FRESH = 0.1
"""Share of the last violation above which a step needs a fresh matrix."""
SWEEPS, SETTLED = 20, 0.01
"""Most sweeps of a step through the columns, and the share of the first one's largest slope that ends them."""
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
    X : CSC array or dense (n, p)
    positive : (n,) bool
    offset : (n,) fixed part of the scores, or None
    """

    def __init__(self, problem: Problem, X: Any, positive: NDArray[np.bool_], offset: Floats | None = None) -> None:
        self.problem, self.X = problem, X
        self.y = np.where(positive, 1.0, -1.0)
        weight = problem.rows.weight
        self.share = np.full(len(self.y), 1.0 / problem.total) if weight is None else weight / problem.total
        self.offset = np.zeros(len(self.y)) if offset is None else offset
        self.l1, self.l2 = problem.strength * problem.l1_ratio, problem.strength * (1.0 - problem.l1_ratio)
        self.passes = self.steps = 0
        self.chosen: NDArray[np.intp] | None = None
        self.model: _Gram | _Sweeps | None = None

    def change_strength(self, strength: float, point: Point, G: Floats) -> None:
        """Go on with another λ, on the columns that the strong rule keeps:

        |g_j| ≥ 2λ₁(new) − λ₁(old). The next gradient finds any it missed.
        """
        before, r = self.l1, self.problem.l1_ratio
        self.problem = replace(self.problem, strength=strength)
        self.l1, self.l2 = strength * r, strength * (1.0 - r)
        kept = (np.abs(G + self.l2 * point.w) >= 2.0 * self.l1 - before) | (point.w != 0.0)
        self.chosen, self.model = np.flatnonzero(kept), None

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
        return self.centred(self.at(w, b, self.offset + self.X @ w + b))

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
        return np.asarray(self.X.T @ point.u)

    def distance(self, point: Point, G: Floats) -> Distance:
        """Return the distance from the minimum."""
        return distance(self.problem, point.w[None], point.loss, G[None], np.array([point.u.sum()]) * self.problem.fit_intercept)

    def columns(self, point: Point, G: Floats, count: int) -> NDArray[np.intp]:
        """Return the columns used, those chosen last, and the `count` that violate their condition most."""
        used = point.w != 0.0
        if self.chosen is not None:
            used[self.chosen] = True
        over = np.where(used, -np.inf, np.abs(G) - self.l1)
        most = np.argpartition(over, -count)[-count:] if count < len(over) else np.arange(len(over))
        used[most[over[most] > 0.0]] = True
        return np.flatnonzero(used)

    def improve(self, point: Point, chosen: NDArray[np.intp], wanted: float) -> Point:
        """Take proximal Newton steps on some columns until their subgradient is at most `wanted`."""
        if len(chosen) == 0:
            return point
        if self.chosen is None or self.model is None or not np.array_equal(chosen, self.chosen):
            part = self.X[:, chosen]
            self.chosen, self.model = chosen, _Gram(self, part) if len(chosen) <= GRAM else _Sweeps(self, part)
        model = self.model
        penalty = np.append(np.full(len(chosen), self.l1), 0.0)
        for _ in range(STEPS):
            x = np.append(point.w[chosen], point.b)
            slope = model.slope(point, x)
            worst = float(violation(slope, x, penalty).max())
            if worst <= wanted:
                break
            self.steps += 1
            end, dz = model.step(point, x, slope, worst)
            new = self.searched(point, chosen, x, end, dz, slope)
            if new is None:
                break
            point = new
        return point

    def searched(self, point: Point, chosen: NDArray[np.intp], x: Floats, end: Floats, dz: Floats, slope: Floats) -> Point | None:
        """Return the first point on the way from x to end, t = 1, ½, …, that lowers the objective enough; None if there is none."""
        d = end - x
        kinks = float(np.abs(end[:-1]).sum() - np.abs(x[:-1]).sum())
        fall = -float(slope @ d) - self.l1 * kinks
        value = self.value(point)
        rounding = 64.0 * np.finfo(float).eps * value
        t = 1.0
        while t > 1e-6:
            w = point.w.copy()
            w[chosen] = end[:-1] if t == 1.0 else x[:-1] + t * d[:-1]
            new = self.at(w, point.b + t * float(d[-1]), point.z + t * dz)
            if self.value(new) <= value - 1e-4 * t * fall or (fall <= rounding and self.value(new) <= value + rounding):
                return new
            t *= 0.5
        return None

    def value(self, point: Point) -> float:
        """Return the objective."""
        return point.loss + 0.5 * self.l2 * float(point.w @ point.w) + self.l1 * float(np.abs(point.w).sum())


class _Gram:
    """The quadratic model of some columns with an explicit matrix.

    The intercept is that about the columns' mean until the end of a step.
    """

    def __init__(self, problem: ColumnProblem, part: Any) -> None:
        self.problem = problem
        held = part.tocsr() if sp.issparse(part) else np.ascontiguousarray(part)
        codes = np.zeros(held.shape[0], dtype=np.int32)
        source = ArraySource(held, n_jobs=problem.problem.rows.source.n_jobs)
        self.rows = CentredRows.of(Rows.of_arrays(held, codes, None, source), problem.problem.fit_intercept)
        self.quadratic: Quadratic | None = None
        self.worst = np.inf

    def slope(self, point: Point, x: Floats) -> Floats:
        """Return the gradient (q,) of the smooth part in w and b of the columns."""
        g = self.rows.sums(point.u)
        g[:-1] += g[-1] * self.rows.centre + self.problem.l2 * x[:-1]
        g[-1] *= self.problem.problem.fit_intercept
        return g

    def step(self, point: Point, x: Floats, slope: Floats, worst: float) -> tuple[Floats, Floats]:
        """Return where the model is least, and the scores' change on the way there; `worst` is the largest violation."""
        rows, problem = self.rows, self.problem
        # As long as it takes off a digit a step, the last matrix serves: the gradient is exact, the matrix need not be.
        if self.quadratic is None or worst > FRESH * self.worst:
            self.quadratic = self._quadratic(point)
        self.worst = worst
        g = slope.copy()
        g[:-1] -= g[-1] * rows.centre
        start = x.copy()
        start[-1] += x[:-1] @ rows.centre
        penalty = np.append(np.full(len(x) - 1, problem.l1), 0.0)
        end = self.quadratic.minimise(g, start, penalty, SLACK * problem.problem.tol**2 * problem.l1)
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


class _Sweeps:
    """The quadratic model of many sparse columns, by walking through them."""

    def __init__(self, problem: ColumnProblem, part: Any) -> None:
        self.problem = problem
        part = sp.csc_array(part)
        kind = np.uint32 if part.indices.dtype == np.int32 and part.indptr.dtype == np.int32 else np.uint64
        self.parts = np.asarray(part.data, dtype=np.float64), part.indices.astype(kind, copy=False), part.indptr.astype(kind, copy=False)
        self.part = part
        self.squares = part.multiply(part).tocsc()

    def slope(self, point: Point, x: Floats) -> Floats:
        """Return the gradient (q,) of the smooth part in w and b of the columns."""
        return np.append(self.part.T @ point.u + self.problem.l2 * x[:-1], point.u.sum() * self.problem.problem.fit_intercept)

    def step(self, point: Point, x: Floats, slope: Floats, worst: float) -> tuple[Floats, Floats]:
        """Do as `_Gram.step`, with a few sweeps in place of the exact minimum."""
        from ..kernels.proximal import column_sweep

        problem = self.problem
        start, end, v = x, x.copy(), np.zeros(len(point.z))
        square = np.append(self.squares.T @ point.h + problem.l2, 0.0)
        total, fits, first = np.array([point.h.sum()]), bool(problem.problem.fit_intercept), 0.0
        for _ in range(SWEEPS):
            most = column_sweep(*self.parts, point.h, slope, square, start, problem.l1, problem.l2, fits, end, v, total)
            first = max(first, most)
            if most <= SETTLED * first:
                break
        return end, v
