"""The direction in which columns together say what the intercept says: conjugate gradients see it late, and stop before.

Counts, words and levels add up to nearly the same in every row, so that some v has Xv ≈ 1, and a step along (v, −1) hardly changes a
score: the Hessian has next to no curvature there, and the diagonal that preconditions it does not know. Of 44,856 texts a step that had
left 1e-6 of f by that diagonal had left 2e-5. So v is found once, by a few steps of conjugate gradients on the regression of 1 on the
columns, and every step ends with the best move in the plane of v and the intercept, class by class, which costs no product: Xv is known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...array_types import Floats
from .system import Point, System, cuts

STEPS = 4
"""Products in the regression of 1 on the columns."""


@dataclass(frozen=True, eq=False, slots=True)
class Move:
    """A step (p, R) and (R,), and what the quadratic model gains by it."""

    d: Floats
    dc: Floats
    gain: float


@dataclass(frozen=True, eq=False, slots=True)
class ConstantDirection:
    """v (p,) with Xv = u (n,) near 1 in every row."""

    v: Floats
    u: Floats

    @classmethod
    def of(cls, system: System) -> ConstantDirection:
        """Return min over v of Σ s_i (x_i'v − 1)²/S + ρ‖v‖², nearly, ρ being the penalty in units of the largest curvature of a loss."""
        S, weight, ridge = system.problem.total, system.weight[:, None] if system.weight.size else 1.0, 4.0 * system.ridge
        v, u = np.zeros((system.products.shape[1], 1)), np.zeros((len(system.codes), 1))
        r = system.products.transposed_times(np.ones_like(u) * weight) / S
        M = system.squares[:, None] + ridge
        p = r / M
        rz = float(np.vdot(r, p))
        for _ in range(STEPS):
            Xp = system.products.times(p)
            Hp = system.products.transposed_times(Xp * weight) / S + ridge * p
            system.passes += 1
            curvature = float(np.vdot(p, Hp))
            if not curvature > 0.0:
                break
            v, u, r = v + rz / curvature * p, u + rz / curvature * Xp, r - rz / curvature * Hp
            new = float(np.vdot(r, r / M))
            p, rz = r / M + new / rz * p, new
        return cls(v[:, 0], u[:, 0])

    def move(self, system: System, point: Point, r: Floats, rc: Floats) -> Move:
        """Return the best step against the gradient r (p, R), rc (R,) in the plane of v and the intercept.

        Classes by themselves give its direction, c_k = A_k⁻¹(v'r_k, rc_k) with A_k (2, 2) the curvature of class k; all give its length.
        """
        S, lam = system.problem.total, system.problem.strength
        parts, vv = cuts(len(self.u)), float(self.v @ self.v)
        # Sums of 1, u and u² times the diagonals of the curvature, part by part: with many classes these are much more than the rows.
        sums = np.zeros((3, len(rc)))
        for own in parts:
            sums += np.array([self.u[own] ** k for k in range(3)]) @ system.diagonal(point.P, own) / S
        A = np.array([[sums[2] + lam * vv, sums[1]], [sums[1], sums[0]]])
        q = np.array([self.v @ r, rc])
        determinant = A[0, 0] * A[1, 1] - A[0, 1] ** 2
        sound = determinant > np.finfo(float).eps * A[0, 0] * A[1, 1]
        c = np.where(sound, np.array([A[1, 1] * q[0] - A[0, 1] * q[1], A[0, 0] * q[1] - A[0, 1] * q[0]]), 0.0) / np.where(
            sound, determinant, 1.0
        )
        slope, curvature = float((q * c).sum()), lam * vv * float(c[0] @ c[0])
        for own in parts:
            scores = self.u[own, None] * c[0] + c[1]
            curvature += float(np.vdot(scores, system.curved(point.P, scores.copy(), own))) / S
        t = slope / curvature if curvature > 0.0 else 0.0
        return Move(t * np.outer(self.v, c[0]), t * c[1], 0.5 * t * slope)
