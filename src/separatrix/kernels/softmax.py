"""Softmax loss and residuals of a tile of scores, in place. Specification: losses.Softmax."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, ri4, wf8


@kernel(types.float64(wf8(2), ri4(1), rf8(1)))
def residuals(S, codes, weight):  # type: ignore[no-untyped-def]
    """Turn scores S (n, K) into s_i (p_i − e_y) and return Σ s_i ℓ_i. An empty weight means all ones."""
    n, K = S.shape
    loss = 0.0
    for i in range(n):
        s = 1.0 if weight.size == 0 else weight[i]
        top = S[i, 0]
        for k in range(1, K):
            top = max(top, S[i, k])
        y = codes[i]
        own = S[i, y] - top
        others = 0.0  # not 1 − p_y, which has none of their digits where they are tiny
        for k in range(K):
            e = np.exp(S[i, k] - top)
            S[i, k] = e
            others += 0.0 if k == y else e
        # Never others + (e_y − 1): compilers may add others to e_y first, and a loss of 1e-9 would then have 7 digits.
        excess = others if own == 0.0 else others - 1.0 + S[i, y]
        loss += s * (np.log1p(excess) - own)
        scale = s / (1.0 + excess)
        for k in range(K):
            S[i, k] *= scale
        S[i, y] = -scale * others
    return loss


@kernel(types.float64(wf8(2), ri4(1), rf8(1), wf8(2)))
def curved_residuals(S, codes, weight, P):  # type: ignore[no-untyped-def]
    """Do as `residuals` and fill P (n, K) with √s_i p_i, whose products are the curvature."""
    n, K = S.shape
    loss = residuals(S, codes, weight)
    for i in range(n):
        s = 1.0 if weight.size == 0 else weight[i]
        inverse = 1.0 / np.sqrt(s) if s > 0.0 else 0.0
        for k in range(K):
            P[i, k] = S[i, k] * inverse
        P[i, codes[i]] += np.sqrt(s)
    return loss


@kernel(types.void(rf8(2), rf8(1), wf8(2)))
def curvature_times(P, weight, V):  # type: ignore[no-untyped-def]
    """Replace V (n, K) by s_i (diag(p_i) − p_i p_i') v_i."""
    n, K = P.shape
    for i in range(n):
        s = 1.0 if weight.size == 0 else weight[i]
        mean = 0.0
        for k in range(K):
            mean += P[i, k] * V[i, k]
        for k in range(K):
            V[i, k] = s * P[i, k] * (V[i, k] - mean)
