"""What the logistic and the softmax loss share: both are minus the log-likelihood of probabilities."""

from __future__ import annotations

import numpy as np

from ..array_types import Codes, Floats
from .smooth_loss import SmoothLoss


class CrossEntropy(SmoothLoss):
    """ℓ = −log p_y, p the probabilities that the scores stand for: slope p − e_y, curvature diag(p) − pp'.

    B of the passes are the probabilities (n, R), that of class 1 for R = 1. Duality gaps, Firth's correction and likelihoods are
    mathematics of these losses and no others.
    """

    has_row_kernels = True
    separated_below = float(np.log(2.0))

    def bend(self, Z: Floats, residuals: Floats, codes: Codes, weight: Floats) -> Floats:
        """Return the probabilities, from the residuals s_i (p_i − e_y): no exponential is taken twice."""
        P, s = residuals, weight
        if s.size > 0:
            np.divide(P, s[:, None], out=P, where=s[:, None] > 0)
        if P.shape[1] == 1:
            P += (codes == 1)[:, None]
        else:
            P[np.arange(len(P)), codes] += 1.0
        return P

    def curvature_diagonal(self, B: Floats, weight: Floats) -> Floats:
        """Return s_i p_ik (1 − p_ik)."""
        return B * (1.0 - B) if weight.size == 0 else weight[:, None] * B * (1.0 - B)

    def constant_scores(self, counts: Floats) -> Floats:
        """Return the log-odds of the classes, the minimiser."""
        logs = np.log(counts)
        return logs[1:] - logs[:1] if len(counts) == 2 else logs - logs.mean()

    def constant_value(self, counts: Floats) -> float:
        """Return the entropy of the classes."""
        shares = counts / counts.sum()
        return -float(shares @ np.log(shares))
