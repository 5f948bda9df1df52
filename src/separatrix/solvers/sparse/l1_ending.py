"""How far a point is from the minimum of a loss with an L1 part: subgradient and duality gap.

With ℓ̄ the mean loss, G its gradient in W, and an intercept whose own gradient is 0, the slopes of the loss, scaled by t ≤ 1, are a
point of the dual, and ℓ*(tu) ≤ tℓ*(u) gives

    gap = ℓ̄ + λΩ(W) − t(ℓ̄ − ⟨G, W⟩) + λΩ*(−tG/λ),   t = 1, or min(1, λ/‖G‖∞) where the penalty is L1 alone (then Ω* = 0)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...losses import ElasticNet
from ..problem import Problem
from ..solution import Solution, Status

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Distance:
    """Objective, bound on what is left, and the largest entry of the least subgradient."""

    objective: float
    gap: float
    subgradient: float

    def is_small(self, problem: Problem) -> bool:
        """Whether subgradient ≤ tol and gap ≤ tol² objective."""
        return self.subgradient <= problem.tol and self.gap <= problem.tol**2 * self.objective


def distance(problem: Problem, W: Floats, loss: float, G: Floats, g_b: Floats) -> Distance:
    """Return the distance from the minimum.

    Parameters
    ----------
    W, G : (R, p) coefficients, and the gradient of the mean loss in them
    loss : float
        ℓ̄.
    g_b : (R,) gradient in the intercepts

    Examples
    --------
    >>> from separatrix.losses import Logistic
    >>> problem = Problem(None, np.ones(2), Logistic(), strength=1.0, l1_ratio=1.0)
    >>> distance(problem, np.zeros((1, 1)), np.log(2.0), np.full((1, 1), 0.2), np.zeros(1)).gap
    0.0
    """
    lam, r = problem.strength, problem.l1_ratio
    penalty = ElasticNet(r)
    objective = loss + lam * penalty.value(W)
    t, rest = 1.0, 0.0
    if r == 1.0:
        t = min(1.0, lam / max(float(np.abs(G).max(initial=0.0)), np.finfo(float).tiny))
    else:
        rest = lam * penalty.conjugate(G / lam)
    gap = objective - t * (loss - float(np.vdot(G, W))) + rest
    smooth = G + lam * (1.0 - r) * W
    kink = np.where(W != 0.0, np.abs(smooth + lam * r * np.sign(W)), np.maximum(np.abs(smooth) - lam * r, 0.0))
    return Distance(float(objective), max(float(gap), 0.0), float(max(kink.max(initial=0.0), np.abs(g_b).max(initial=0.0))))


def ended(W: Floats, b: Floats, found: Distance, status: Status, steps: int, passes: int) -> Solution:
    """Return the solution of a method on working sets."""
    return Solution(
        coef=W,
        intercept=b,
        status=status,
        iterations=steps,
        passes=passes,
        objective=found.objective,
        gradient_norm=found.subgradient,
        gap=found.gap,
        solver="proximal newton on working sets",
    )
