"""The squared loss on ±1 targets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .base import Floats, Loss


class Squared(Loss):
    """ℓ(z, y) = ½(z − y)², y = ±1: least-squares classification. Slope z − y, curvature 1, ℓ*(a) = ½a² + ay.

    Examples
    --------
    >>> Squared().value(np.array([0.0]), np.array([1.0]))
    array([0.5])
    """

    name = "squared"
    offers = ("value", "slope", "curvature", "curvature_bound", "conjugate")
    curvature_bound = 1.0

    def value(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return ½(z − y)²."""
        return 0.5 * (z - y) ** 2

    def slope(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return z − y."""
        return z - y

    def curvature(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return 1."""
        return np.ones_like(z)

    def conjugate(self, a: Floats, y: NDArray[Any]) -> Floats:
        """Return ½a² + ay."""
        return 0.5 * a * a + a * y
