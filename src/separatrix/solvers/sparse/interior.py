"""L1-penalised logistic loss under a weak penalty: a primal–dual interior point.

    minimise (1/S) Σ s_i log(1 + e^(−y_i z_i)) + λ₂/2 ‖w‖² + λ₁ Σ (p_j + m_j),   w = p − m,  p, m ≥ 0

With slopes v of the smooth part, the multipliers of p ≥ 0 and m ≥ 0 are λ₁ + v and λ₁ − v ≥ 0. Newton's method goes towards v = the
gradient at w, p (λ₁ + v) = μ and m (λ₁ − v) = μ, first at a μ that hardly holds coefficients back, until the gradient fits between ±λ₁;
then μ falls. A walk by columns takes steps in proportion to √C and more; this takes 25 to 40 for any C, separable classes or not, because
no step decides which coefficients are 0. In the end those that go there are set to 0, and the others to where their slopes are 0.

References
----------
Koh, Kim and Boyd (2007), An interior-point method for large-scale l1-regularized logistic regression, JMLR 8.
Mehrotra (1992), On the implementation of a primal-dual interior point method, SIAM Journal on Optimization 2.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Floats
from .interior_system import InteriorSystem
from .l1_ending import ROUNDING, Distance, asked
from .working_set import ColumnProblem, Point, products_of_used

INSIDE = 0.99
"""Share of the way to the boundary that a step may go."""
FITS = 1.0
"""Miss of v, as a share of λ₁, from which on μ may fall."""
FALL, LEAST_FALL = 0.1, 1e-3
"""By how much μ falls where no predictor tells, and at most."""
LAST = 0.05
"""Share of the gap asked that μ is to leave in the end."""
ROUGH, FINE = 0.1, 1e-2
"""Residual of a step's system, as a share of that before, where v does not fit and where it does."""
LIFT = 3.0
"""By how much p and m are raised at most, as a share of the larger: what a step far from the end asks for may be far too much."""
SETTLING = 6
"""Newton steps on the coefficients in use, in the end."""
ARMIJO, HALVINGS = 1e-4, 30


class InteriorPoint:
    """w = p − m with multipliers above and below, and the smooth part's slopes at w.

    Parameters
    ----------
    columns : ColumnProblem
    point : Point
        Of w = 0.
    """

    def __init__(self, columns: ColumnProblem, point: Point) -> None:
        self.columns, self.point = columns, point
        self.system = InteriorSystem(columns.products, columns.problem.fit_intercept)
        self.G = columns.gradient(point)
        size = np.full(len(point.w), 1.0 / float(np.median(columns.units)))
        v = np.clip(self.G, -0.5 * columns.l1, 0.5 * columns.l1)
        self.p, self.m, self.above, self.below = size, size.copy(), columns.l1 + v, columns.l1 - v
        self.steps = 0

    def distance(self) -> Distance:
        """Return the distance from the minimum."""
        return self.columns.distance(self.point, self.G)

    def step(self, objective: float) -> bool:
        """Go towards the next μ; return whether the objective with its barrier fell."""
        columns, point = self.columns, self.point
        theta = 1.0 / (1.0 / (self.p / self.above + self.m / self.below) + columns.l2)
        self.system.weigh(point.h, theta)
        mu = float(self.p @ self.above + self.m @ self.below) / (2.0 * len(point.w))
        missed = self.G + columns.l2 * point.w - 0.5 * (self.above - self.below)
        # What sums over rows cannot tell counts as none, as in the certificate.
        noise = ROUNDING * columns.units * np.sqrt(min(point.loss, 1.0))
        missed = np.sign(missed) * np.maximum(np.abs(missed) - noise, 0.0)
        fits = float(np.abs(missed).max()) <= FITS * columns.l1
        if fits:
            least = max(LEAST_FALL, min(1.0, LAST * asked(columns.problem) * objective / (2.0 * len(point.w) * mu)))
            if self.system.factor is not None:
                dp, dm, dv = self._direction(missed, 0.0, 0.0, 0.0, FINE)
                a, t = self._lengths(dp, dm, dv)
                left = float((self.p + a * dp) @ (self.above + t * dv) + (self.m + a * dm) @ (self.below - t * dv)) / (2.0 * len(dp))
                target, bend = mu * max(least, (left / mu) ** 3), a * t
                dp, dm, dv = self._direction(missed, target, bend * dp * dv, -bend * dm * dv, FINE)
            else:
                target = mu * max(least, FALL)
                dp, dm, dv = self._direction(missed, target, 0.0, 0.0, FINE)
        else:
            target = mu
            dp, dm, dv = self._direction(missed, target, 0.0, 0.0, ROUGH)
            # p and m too small for the coefficients to come are raised, both by as much, which leaves w.
            lift = 2.0 * np.maximum(np.maximum(-(self.p + dp), -(self.m + dm)), 0.0)
            lift = np.minimum(lift, LIFT * np.maximum(np.maximum(self.p, self.m), mu / columns.l1))
            self.p, self.m = self.p + lift, self.m + lift
        self.steps += 1
        return self._moved(dp, dm, dv, target)

    def _direction(
        self, missed: Floats, mu: float, bend_p: Floats | float, bend_m: Floats | float, share: float
    ) -> tuple[Floats, Floats, Floats]:
        """Return Newton's step in p, m and v towards μ, products of steps being `bend`.

        With θ = p/above + m/below and c = what w would change by if v stayed: dw = c − θ dv.
        """
        up, down = (mu - bend_p) / self.above - self.p, (mu - bend_m) / self.below - self.m
        held = self.p / self.above + self.m / self.below
        dw = self.system.solve((up - down) / held - missed, share)
        dv = (up - down - dw) / held
        return up - self.p / self.above * dv, down + self.m / self.below * dv, dv

    def _lengths(self, dp: Floats, dm: Floats, dv: Floats) -> tuple[float, float]:
        """Return how far p and m, and their multipliers, may go."""
        return min(_reach(self.p, dp), _reach(self.m, dm)), min(_reach(self.above, dv), _reach(self.below, -dv))

    def _moved(self, dp: Floats, dm: Floats, dv: Floats, mu: float) -> bool:
        """Move as far as the objective with the barrier −μ Σ log falls enough; return whether it does."""
        columns, point = self.columns, self.point
        a, t = (length if length == 1.0 else INSIDE * length for length in self._lengths(dp, dm, dv))
        dw = dp - dm
        columns.passes += 1
        dz = products_of_used(columns.products, dw[None])[:, 0]
        shift = (
            -float(point.u.sum() + point.h @ dz) / max(float(point.h.sum()), np.finfo(float).tiny) if columns.problem.fit_intercept else 0.0
        )
        dz += shift
        slope = float((self.G + columns.l2 * point.w) @ dw) + float(point.u.sum()) * shift
        slope += float((columns.l1 - mu / self.p) @ dp + (columns.l1 - mu / self.m) @ dm)
        value = self._value(point, self.p, self.m, mu)
        for _ in range(HALVINGS):
            p, m = self.p + a * dp, self.m + a * dm
            new = columns.at(p - m, point.b + a * shift, point.z + a * dz)
            if self._value(new, p, m, mu) <= value + ARMIJO * a * min(slope, 0.0) + 1e-13 * abs(value):
                self.point, self.p, self.m = columns.centred(new), p, m
                self.above, self.below = self.above + t * dv, self.below - t * dv
                self.G = columns.gradient(self.point)
                return True
            a *= 0.5
        return False

    def _value(self, point: Point, p: Floats, m: Floats, mu: float) -> float:
        columns = self.columns
        smooth = point.loss + 0.5 * columns.l2 * float(point.w @ point.w)
        return smooth + columns.l1 * float(p.sum() + m.sum()) - mu * float(np.log(p).sum() + np.log(m).sum())

    def settled(self) -> Point:
        """Return the point with the coefficients at 0 that go there, and the others where their own slopes are 0, by Newton's method.

        θ h_jj, with h_jj the curvature along a column, goes to infinity for those that stay and to 0 for the others.
        """
        columns, problem, w = self.columns, self.columns.problem, self.point.w
        theta = 1.0 / (1.0 / (self.p / self.above + self.m / self.below) + columns.l2)
        theta[theta * columns.products.column_squares(self.point.h) <= 1.0] = 0.0
        point = columns.start(np.where(theta > 0.0, w, 0.0), self.point.b)
        for _ in range(SETTLING):
            G = columns.gradient(point)
            if columns.distance(point, G).is_small(problem):
                break
            signs, used = np.sign(point.w), point.w != 0.0
            self.system.weigh(point.h, np.where(used, theta, 0.0))
            d = self.system.solve(-(G + columns.l2 * point.w + columns.l1 * signs) * used, FINE)
            point = columns.start(np.where(signs * (point.w + d) > 0.0, point.w + d, 0.0), point.b)
        return point


def walk(columns: ColumnProblem, point: Point) -> tuple[Point, int]:
    """Return a point at or near the minimum, and how many steps led there, from w = 0."""
    inside, problem = InteriorPoint(columns, point), columns.problem
    found = inside.distance()
    while found.gap > asked(problem) * found.objective and inside.steps < problem.max_iter and inside.step(found.objective):
        found = inside.distance()
    if found.gap > asked(problem) * found.objective:
        return inside.point, inside.steps
    settled = inside.settled()
    other = columns.distance(settled, columns.gradient(settled))
    is_better = other.is_small(problem) or (not found.is_small(problem) and other.objective <= found.objective + found.gap)
    return (settled if is_better else inside.point), inside.steps


def _reach(x: Floats, dx: Floats) -> float:
    """Return the largest t ≤ 1 for which x + t dx ≥ 0."""
    falling = dx < 0.0
    return min(1.0, float((-x[falling] / dx[falling]).min(initial=1.0)))
