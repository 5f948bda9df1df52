"""Logistic loss, residuals and curvature of a tile of scores, in place. Specification: losses.Logistic."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, ri4, ri8, wf8


@kernel(types.float64(wf8(2), ri4(1), rf8(1)))
def residuals(S, codes, weight):  # type: ignore[no-untyped-def]
    """Turn scores S (n, 1) into s_i dℓ_i/dz_i and return Σ s_i ℓ_i. An empty weight means all ones."""
    loss = 0.0
    for i in range(S.shape[0]):
        s = 1.0 if weight.size == 0 else weight[i]
        z = S[i, 0] if codes[i] == 1 else -S[i, 0]
        e = np.exp(-abs(z))
        loss += s * (np.log1p(e) + max(-z, 0.0))
        q = s * (1.0 if z < 0.0 else e) / (1.0 + e)
        S[i, 0] = -q if codes[i] == 1 else q
    return loss


@kernel(types.float64(wf8(2), ri4(1), rf8(1), wf8(2)))
def curved_residuals(S, codes, weight, H):  # type: ignore[no-untyped-def]
    """Do as `residuals` and fill H (n, 1) with √(s_i q_i(1 − q_i)), whose square is the curvature."""
    loss = 0.0
    for i in range(S.shape[0]):
        s = 1.0 if weight.size == 0 else weight[i]
        z = S[i, 0] if codes[i] == 1 else -S[i, 0]
        e = np.exp(-abs(z))
        loss += s * (np.log1p(e) + max(-z, 0.0))
        share = 1.0 / (1.0 + e)
        q = s * (1.0 if z < 0.0 else e) * share
        S[i, 0] = -q if codes[i] == 1 else q
        H[i, 0] = np.sqrt(s * e) * share
    return loss


@kernel(
    types.float64(rf8(1), ri4(1), ri4(1), rf8(1), rf8(1), rf8(1), ri8(1), types.float64, wf8(1), wf8(1), wf8(1), wf8(1)),
    types.float64(rf8(1), ri8(1), ri8(1), rf8(1), rf8(1), rf8(1), ri8(1), types.float64, wf8(1), wf8(1), wf8(1), wf8(1)),
    gathers=True,
)
def dual_epoch(data, indices, indptr, y, cost, norms, order, bias_scale, logit, alpha, w, b):  # type: ignore[no-untyped-def]
    """Solve for one dual variable after the other, in the order given; return Σ of the decreases of the dual objective.

    alpha_i = cost_i σ(logit_i) is the root of logit + y_i(x_i'w + b) + a_i(alpha − alpha_old) = 0 with a_i = ‖x_i‖² + bias_scale.
    """
    fall = 0.0
    for i in order:
        j, end = indptr[i], indptr[i + 1]
        margin, m1, m2, m3 = b[0], 0.0, 0.0, 0.0
        while j + 3 < end:  # four sums: one would wait for each addition
            margin += data[j] * w[np.uint64(indices[j])]
            m1 += data[j + 1] * w[np.uint64(indices[j + 1])]
            m2 += data[j + 2] * w[np.uint64(indices[j + 2])]
            m3 += data[j + 3] * w[np.uint64(indices[j + 3])]
            j += 4
        while j < end:
            margin += data[j] * w[np.uint64(indices[j])]
            j += 1
        margin = y[i] * (margin + m1 + m2 + m3)
        a, old, u = norms[i] + bias_scale, alpha[i], logit[i]
        low, high = -margin - a * (cost[i] - old), -margin + a * old
        u = min(max(u, low), high)
        value = old
        for _ in range(8):
            s = 1.0 / (1.0 + np.exp(-u))
            value = cost[i] * s
            h = u + margin + a * (value - old)
            change = h / (1.0 + a * value * (1.0 - s))
            u = min(max(u - change, low), high)
            if abs(change) < 1e-3:
                break
        value = cost[i] / (1.0 + np.exp(-u))
        step = value - old
        fall += 0.5 * a * step * step
        alpha[i], logit[i] = value, u
        delta = step * y[i]
        b[0] += bias_scale * delta
        for j in range(indptr[i], indptr[i + 1]):
            w[np.uint64(indices[j])] += delta * data[j]
    return fall
