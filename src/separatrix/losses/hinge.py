"""The hinge loss and its square."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..array_types import Floats
from .base import Loss
from .smooth_loss import SmoothLoss


class Hinge(Loss):
    """ℓ(z, y) = max(0, 1 − yz), y = ±1: the loss of the support vector machine.

    Slope −y where yz < 1, else 0 (on the kink any value between is a subgradient).

    Examples
    --------
    >>> Hinge().value(np.array([0.5, 2.0]), np.array([1.0, 1.0]))
    array([0.5, 0. ])
    """

    name = "hinge"

    def value(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return max(0, 1 − yz)."""
        return np.maximum(0.0, 1.0 - y * z)

    def slope(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return −y where yz < 1, else 0."""
        return np.where(y * z < 1.0, -y, 0.0)


class SquaredHinge(SmoothLoss):
    """ℓ(z, y) = max(0, 1 − yz)², y = ±1.

    Slope −2y max(0, 1 − yz); curvature 2 where yz < 1, else 0 (a generalised second derivative: on the kink either serves).

    Examples
    --------
    >>> SquaredHinge().value(np.array([0.5, 2.0]), np.array([1.0, 1.0]))
    array([0.25, 0.  ])
    """

    name = "squared hinge"

    def value(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return max(0, 1 − yz)²."""
        return np.maximum(0.0, 1.0 - y * z) ** 2

    def slope(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return −2y max(0, 1 − yz)."""
        return -2.0 * y * np.maximum(0.0, 1.0 - y * z)

    def curvature(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return 2 where yz < 1, else 0."""
        return np.where(y * z < 1.0, 2.0, 0.0)
