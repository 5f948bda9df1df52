"""Penalties on the coefficients, without their strength λ."""

from __future__ import annotations

import numpy as np

from .base import Floats


class Penalty:
    """A convex penalty Ω(w) ≥ 0 with Ω(0) = 0.

    `slope` is a gradient, or on a kink a subgradient; `prox(w, t)` = argmin_u ½‖u − w‖² + tΩ(u); `conjugate(u)` = sup_w u'w − Ω(w).
    """

    name: str
    is_smooth: bool

    def value(self, w: Floats) -> float:
        """Return Ω(w)."""
        raise TypeError(f"{type(self).__name__} must define value")

    def slope(self, w: Floats) -> Floats:
        """Return a subgradient."""
        raise TypeError(f"{type(self).__name__} must define slope")

    def prox(self, w: Floats, t: float) -> Floats:
        """Return the minimiser of ½‖u − w‖² + tΩ(u)."""
        raise TypeError(f"{type(self).__name__} must define prox")

    def conjugate(self, u: Floats) -> float:
        """Return Ω*(u)."""
        raise TypeError(f"{type(self).__name__} must define conjugate")


class ElasticNet(Penalty):
    """Ω(w) = (1 − r)/2 ‖w‖² + r‖w‖₁, r = `l1_ratio` in [0, 1].

    Examples
    --------
    >>> ElasticNet(0.5).value(np.array([3.0, -4.0]))
    9.75
    >>> ElasticNet(0.5).prox(np.array([3.0, -0.1]), 1.0)
    array([ 1.66666667, -0.        ])
    """

    name = "elastic net"

    def __init__(self, l1_ratio: float) -> None:
        self.l1_ratio = l1_ratio
        self.is_smooth = l1_ratio == 0.0

    def value(self, w: Floats) -> float:
        """Return (1 − r)/2 ‖w‖² + r‖w‖₁."""
        r = self.l1_ratio
        return float(0.5 * (1.0 - r) * np.sum(w * w) + r * np.abs(w).sum())

    def slope(self, w: Floats) -> Floats:
        """Return (1 − r)w + r sign(w), 0 on the kink."""
        return (1.0 - self.l1_ratio) * w + self.l1_ratio * np.sign(w)

    def prox(self, w: Floats, t: float) -> Floats:
        """Return soft thresholding by tr, divided by 1 + t(1 − r)."""
        r = self.l1_ratio
        return np.sign(w) * np.maximum(np.abs(w) - t * r, 0.0) / (1.0 + t * (1.0 - r))

    def conjugate(self, u: Floats) -> float:
        """Return Σ max(0, |u| − r)²/(2(1 − r)); for r = 1, 0 inside the unit box and infinity outside."""
        over = np.maximum(np.abs(u) - self.l1_ratio, 0.0)
        if self.l1_ratio == 1.0:
            return np.inf if (over > 0.0).any() else 0.0
        return float(np.sum(over * over) / (2.0 * (1.0 - self.l1_ratio)))


class L2(ElasticNet):
    """Ω(w) = ½‖w‖²."""

    name = "L2"

    def __init__(self) -> None:
        super().__init__(0.0)


class L1(ElasticNet):
    """Ω(w) = ‖w‖₁."""

    name = "L1"

    def __init__(self) -> None:
        super().__init__(1.0)


class NoPenalty(Penalty):
    """Ω(w) = 0."""

    name = "none"
    is_smooth = True

    def value(self, w: Floats) -> float:
        """Return 0."""
        return 0.0

    def slope(self, w: Floats) -> Floats:
        """Return zeros."""
        return np.zeros_like(w)

    def prox(self, w: Floats, t: float) -> Floats:
        """Return w."""
        return w.copy()

    def conjugate(self, u: Floats) -> float:
        """Return 0 at 0, else infinity."""
        return np.inf if np.any(u) else 0.0
