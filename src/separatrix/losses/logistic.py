"""The logistic loss."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, xlogy

from .base import Floats, Loss


class Logistic(Loss):
    """ℓ(z, y) = log(1 + e^(−yz)), y = ±1: minus the log-likelihood of a sigmoid.

    With q = 1/(1 + e^(yz)): slope −yq, curvature q(1 − q) ≤ ¼, and ℓ*(a) = t log t + (1 − t) log(1 − t) for t = −ya in [0, 1].

    Examples
    --------
    >>> Logistic().value(np.array([0.0]), np.array([1.0]))
    array([0.69314718])
    """

    name = "logistic"
    offers = ("value", "slope", "curvature", "curvature_bound", "conjugate")
    curvature_bound = 0.25

    def value(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return log(1 + e^(−yz))."""
        return np.logaddexp(0.0, -y * z)

    def slope(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return −y/(1 + e^(yz))."""
        return -y * expit(-y * z)

    def curvature(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return q(1 − q)."""
        return expit(z) * expit(-z)

    def conjugate(self, a: Floats, y: NDArray[Any]) -> Floats:
        """Return the negative entropy of t = −ya."""
        t = -y * a
        inside = (t >= 0.0) & (t <= 1.0)
        s = np.where(inside, t, 0.5)
        return np.where(inside, xlogy(s, s) + xlogy(1.0 - s, 1.0 - s), np.inf)
