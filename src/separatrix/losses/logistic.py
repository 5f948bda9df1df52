"""The logistic loss."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ..array_types import Codes, Floats
from .cross_entropy import CrossEntropy
from .smooth_loss import weighted


class Logistic(CrossEntropy):
    """ℓ(z, y) = log(1 + e^(−yz)), y = ±1: minus the log-likelihood of a sigmoid.

    With q = 1/(1 + e^(yz)): slope −yq, curvature q(1 − q) ≤ ¼.

    Examples
    --------
    >>> Logistic().value(np.array([0.0]), np.array([1.0]))
    array([0.69314718])
    """

    name = "logistic"

    def value(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return log(1 + e^(−yz))."""
        return np.logaddexp(0.0, -y * z)

    def slope(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return −y/(1 + e^(yz))."""
        slopes: Floats = -y * expit(-y * z)
        return slopes

    def curvature(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return q(1 − q)."""
        curvatures: Floats = expit(z) * expit(-z)
        return curvatures

    def residuals(self, S: Floats, codes: Codes, weight: Floats, root: Floats | None = None, compiled: bool = False) -> float:
        """Do as the kernels do, or let them."""
        if compiled:
            from ..kernels import logistic as kernels

            return float(kernels.residuals(S, codes, weight) if root is None else kernels.curved_residuals(S, codes, weight, root))
        z = np.where(codes == 1, S[:, 0], -S[:, 0])
        e = np.exp(-np.abs(z))
        values = np.log1p(e) + np.maximum(-z, 0.0)
        q = np.where(z < 0.0, 1.0, e) / (1.0 + e)
        S[:, 0] = np.where(codes == 1, -q, q)
        if root is not None:
            root[:, 0] = np.sqrt(e) / (1.0 + e)
        return weighted(values, S, weight, root)

    def add_rows(self, X: NDArray[Any], codes: Codes, weight: Floats, W: Floats, c: Floats, gradient: Floats) -> float:
        """Read the rows once."""
        from ..kernels.cross_entropy import logistic_rows

        total = np.zeros(1)
        logistic_rows(X, codes, weight, np.ones(1, dtype=np.int32), W, c, total, gradient)
        return float(total[0])

    def add_curved_rows(self, X: NDArray[Any], codes: Codes, weight: Floats, W: Floats, c: Floats, gradient: Floats, Z: Floats) -> float:
        """Read the rows once."""
        from ..kernels.cross_entropy import curved_logistic_rows

        return float(curved_logistic_rows(X, codes, weight, W, c, gradient, Z))

    def curvature_times(self, B: Floats, weight: Floats, V: Floats) -> Floats:
        """Return s_i p_i (1 − p_i) v_i."""
        V *= B * (1.0 - B)
        return V if weight.size == 0 else V * weight[:, None]
