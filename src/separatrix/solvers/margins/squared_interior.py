"""The squared hinge by interior points, for costs and columns that leave Newton's method to rounding.

Newton's method has its multipliers from the margins, α = 2c(1 − m), which loses them where they are below the rounding of 2c. Here they
are unknowns of their own, with slacks s:

    Dθ = Σ α_i y_i x̃_i,    s_i = m_i + α_i/2c_i − 1,    α_i s_i = μ → 0

A step is Mehrotra's and has one system of q equations, D + Σ d_i x̃_i x̃_i' with 1/d_i = s_i/α_i + 1/2c_i.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Floats
from .machine import Ended
from .small_margins import Certified, Table

STEPS, LONG = 50, 0.995
FIRST = 1e-2
"""First multipliers and slacks, as a share of their natural sizes, at the least."""


def solve(table: Table, theta: Floats, tol: float) -> Ended | None:
    """Return the end of one machine from θ (1, q), or None where the gap asked is not reached."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        inner, best = Interior(table, theta), None
        for step in range(1, STEPS + 1):
            if not inner.step():
                break
            found = inner.certified()
            best = found if best is None else best.better(found)
            if best.is_done(tol):
                return best.ended(table.about, step)[0]
    return None


class Interior:
    """θ (1, q), α and s (1, n)."""

    def __init__(self, table: Table, theta: Floats) -> None:
        self.table, self.theta, self.half = table, theta, 0.5 / table.cost
        self.across = table.Z.T.copy()
        natural = 1.0 / (self.half + table.squares)
        short = 1.0 - self._margins(theta)
        self.alpha = np.maximum(natural * np.minimum(short, 1.0), FIRST * natural)
        self.s = np.maximum(self.alpha * self.half - short, FIRST)

    def _margins(self, theta: Floats) -> Floats:
        return self.table.Y * (theta @ self.across)

    def step(self) -> bool:
        """Take a step; return whether its numbers are sound."""
        alpha, s, table = self.alpha, self.s, self.table
        off = table.D * self.theta - (alpha * table.Y) @ table.Z
        missed = s - self._margins(self.theta) - alpha * self.half + 1.0
        d = 1.0 / (s / alpha + self.half)
        inverse = table.inverses(d)

        def move(target: Floats | float) -> tuple[Floats, Floats, Floats]:
            wanted = target / alpha - s + missed
            dtheta = inverse((d * wanted * table.Y) @ table.Z - off)
            rise = self._margins(dtheta)
            dalpha = d * (wanted - rise)
            return dtheta, dalpha, rise + dalpha * self.half - missed

        products = float(np.vdot(alpha, s))
        _, dalpha, ds = move(0.0)
        t = self._length(dalpha, ds, 1.0)
        then = float(np.vdot(alpha + t * dalpha, s + t * ds))
        dtheta, dalpha, ds = move((then / products) ** 3 * products / alpha.size - dalpha * ds)
        t = self._length(dalpha, ds, LONG)
        self.theta, self.alpha, self.s = self.theta + t * dtheta, alpha + t * dalpha, s + t * ds
        return bool(np.isfinite(self.theta).all() and (self.alpha > 0.0).all() and (self.s > 0.0).all())

    def _length(self, dalpha: Floats, ds: Floats, share: float) -> float:
        """Return the longest step, at most 1, that leaves α and s positive, or a share of it."""
        return share / max(share, -float((dalpha / self.alpha).min()), -float((ds / self.s).min()))

    def certified(self) -> Certified:
        """Certify the point, the multipliers of rows beyond the margin put to 0."""
        alpha = np.where(self.alpha * (self.half + self.table.squares) > self.s, self.alpha, 0.0)
        return self.table.certified(self.theta.copy(), self._margins(self.theta), alpha, True)
