"""The softmax (multinomial logistic) loss."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

from ..array_types import Codes, Floats
from .cross_entropy import CrossEntropy
from .smooth_loss import weighted


class Softmax(CrossEntropy):
    """ℓ(z, y) = log Σ_k e^(z_k) − z_y for class codes y: minus the log-likelihood of the softmax.

    With p = softmax(z) and e_y the unit vector: slope p − e_y, curvature diag(p) − pp' ≤ ½; ρ of the passes is √s p.

    Examples
    --------
    >>> Softmax().value(np.zeros((1, 3)), np.array([0])).round(6)
    array([1.098612])
    """

    name = "softmax"
    is_multiclass = True

    def value(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return log Σ e^(z_k) − z_y."""
        others = z - z[np.arange(len(z)), y][:, None]
        others[np.arange(len(z)), y] = -np.inf
        losses: Floats = np.logaddexp(0.0, logsumexp(others, axis=1))
        return losses

    def slope(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return p − e_y."""
        p: Floats = softmax(z, axis=1)
        p[np.arange(len(z)), y] = 0.0
        p[np.arange(len(z)), y] = -p.sum(axis=1)  # not p_y − 1, which has none of their digits where the others are tiny
        return p

    def curvature(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return diag(p) − pp'."""
        p = softmax(z, axis=1)
        matrices: Floats = p[:, :, None] * (np.eye(z.shape[1]) - p[:, None, :])
        return matrices

    def residuals(self, S: Floats, codes: Codes, weight: Floats, root: Floats | None = None, compiled: bool = False) -> float:
        """Do as the kernels do, or let them."""
        if compiled:
            from ..kernels import softmax as kernels

            return float(kernels.residuals(S, codes, weight) if root is None else kernels.curved_residuals(S, codes, weight, root))
        own = np.arange(len(S)), codes
        S -= S.max(axis=1, keepdims=True)
        z = S[own]
        np.exp(S, out=S)
        first = S[own]
        S[own] = 0.0
        others = S.sum(axis=1)  # without the own class: where they are tiny, 1 − p_y would have none of their digits
        excess = others + (first - 1.0)
        values = np.log1p(excess) - z
        S[own] = first
        S /= 1.0 + excess[:, None]
        if root is not None:
            root[:] = S
        S[own] = -others / (1.0 + excess)
        return weighted(values, S, weight, root)

    def add_rows(self, X: NDArray[Any], codes: Codes, weight: Floats, W: Floats, c: Floats, gradient: Floats) -> float:
        """Read the rows once."""
        from ..kernels.cross_entropy import softmax_rows

        return float(softmax_rows(X, codes, weight, W, c, gradient))

    def curvature_times(self, B: Floats, weight: Floats, V: Floats) -> Floats:
        """Return s_i (diag(p_i) − p_i p_i') v_i."""
        from ..kernels.softmax import curvature_times

        curvature_times(B, weight, V)
        return V
