"""The softmax (multinomial logistic) loss."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax, xlogy

from .base import Floats, Loss


class Softmax(Loss):
    """ℓ(z, y) = log Σ_k e^(z_k) − z_y for class codes y: minus the log-likelihood of the softmax.

    With p = softmax(z) and e_y the unit vector: slope p − e_y, curvature diag(p) − pp' ≤ ½, and ℓ*(a) = Σ q_k log q_k for q = a + e_y
    in the simplex.

    Examples
    --------
    >>> Softmax().value(np.zeros((1, 3)), np.array([0])).round(6)
    array([1.098612])
    """

    name = "softmax"
    offers = ("value", "slope", "curvature", "curvature_bound", "conjugate")
    is_multiclass = True
    curvature_bound = 0.5

    def value(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return log Σ e^(z_k) − z_y."""
        others = z - z[np.arange(len(z)), y][:, None]
        others[np.arange(len(z)), y] = -np.inf
        return np.logaddexp(0.0, logsumexp(others, axis=1))

    def slope(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return p − e_y."""
        p = softmax(z, axis=1)
        p[np.arange(len(z)), y] = 0.0
        p[np.arange(len(z)), y] = -p.sum(axis=1)  # not p_y − 1, which has none of their digits where the others are tiny
        return p

    def curvature(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return diag(p) − pp'."""
        p = softmax(z, axis=1)
        return p[:, :, None] * (np.eye(z.shape[1]) - p[:, None, :])

    def conjugate(self, a: Floats, y: NDArray[Any]) -> Floats:
        """Return the negative entropy of q = a + e_y."""
        q = a.copy()
        q[np.arange(len(a)), y] += 1.0
        rounding = 1e-12 * a.shape[1]
        inside = (q >= -rounding).all(axis=1) & (np.abs(q.sum(axis=1) - 1.0) <= rounding)
        q = np.maximum(q, 0.0)
        return np.where(inside, xlogy(q, q).sum(axis=1), np.inf)
