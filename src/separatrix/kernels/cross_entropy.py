"""Logistic and softmax loss with their gradient, in one call for many rows: the rows are read once and threads seldom meet in Python.

Rows go through in groups of ROWS, small enough for a core's first cache: scores, exponentials of all of them at once (a polynomial,
which is compiled to vector instructions; the library's exp is not), residuals, products with the rows while these are still there.
Specification: losses.Logistic and losses.Softmax.
"""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf4, rf8, ri4, wf8, wi8

ROWS, LANES = 64, 16
"""Rows of a group; losses multiplied up side by side, so that one logarithm serves ROWS/LANES rows."""
LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10


@kernel(types.void(wf8(1), wi8(1)), gathers=True)
def exponentials(v, bits):  # type: ignore[no-untyped-def]
    """Replace v ≤ 0 by exp(v), within two units in the last place; below −700 it stays at e^−700. NaN stays NaN."""
    for i in range(v.size):
        x = -700.0 if v[i] < -700.0 else v[i]
        k = np.floor(x * LOG2_E + 0.5)
        r = (x - k * LN2_HIGH) - k * LN2_LOW
        t = 2.08767569878681e-09
        t = t * r + 2.505210838544172e-08
        t = t * r + 2.755731922398589e-07
        t = t * r + 2.755731922398589e-06
        t = t * r + 2.48015873015873e-05
        t = t * r + 1.984126984126984e-04
        t = t * r + 1.388888888888889e-03
        t = t * r + 8.333333333333333e-03
        t = t * r + 4.1666666666666664e-02
        t = t * r + 0.16666666666666666
        t = t * r + 0.5
        t = t * r + 1.0
        v[i] = t * r + 1.0
        bits[i] = (np.int64(k) + 1023) << 52  # the double 2^k
    powers = bits.view(np.float64)
    for i in range(v.size):
        v[i] *= powers[i]


@kernel(types.void(rf8(2), rf8(2), rf8(1), wf8(2)), types.void(rf4(2), rf8(2), rf8(1), wf8(2)))
def scores(X, W, c, S):  # type: ignore[no-untyped-def]
    """S[k, i] = x_i'w_k + c_k; four rows at a time share each load of W."""
    n, p = X.shape
    for group in range((n + 3) // 4):
        i = max(0, min(4 * group, n - 4))  # the last rows twice where n % 4 > 0
        i1, i2, i3 = min(i + 1, n - 1), min(i + 2, n - 1), min(i + 3, n - 1)
        for k in range(W.shape[0]):
            s0 = s1 = s2 = s3 = 0.0
            for j in range(p):
                w = W[k, j]
                s0 += w * X[i, j]
                s1 += w * X[i1, j]
                s2 += w * X[i2, j]
                s3 += w * X[i3, j]
            S[k, i], S[k, i1], S[k, i2], S[k, i3] = s0 + c[k], s1 + c[k], s2 + c[k], s3 + c[k]


@kernel(types.void(rf8(2), rf8(2), wf8(2)), types.void(rf4(2), rf8(2), wf8(2)))
def add_products(X, S, gradient):  # type: ignore[no-untyped-def]
    """gradient[k] += Σ_i S[k, i] [x_i, 1]."""
    n, p = X.shape
    whole = n - n % 4
    for k in range(S.shape[0]):
        for i in range(n):
            gradient[k, p] += S[k, i]
    for i in range(0, whole, 4):
        for k in range(S.shape[0]):
            s0, s1, s2, s3 = S[k, i], S[k, i + 1], S[k, i + 2], S[k, i + 3]
            for j in range(p):
                gradient[k, j] += s0 * X[i, j] + s1 * X[i + 1, j] + s2 * X[i + 2, j] + s3 * X[i + 3, j]
    for i in range(whole, n):
        for k in range(S.shape[0]):
            for j in range(p):
                gradient[k, j] += S[k, i] * X[i, j]


@kernel(types.float64(wf8(1), wf8(1), ri4(1), types.int64, rf8(1), wf8(1)))
def logistic_group(z, e, codes, target, weight, lanes):  # type: ignore[no-untyped-def]
    """Turn scores z of a group into s_i dℓ_i/dz_i, given e = exp(−|z|); y_i = +1 where codes_i is the target. Return Σ s_i ℓ_i.

    Without weights, Σ log(1 + e_i) is the logarithm of a product, kept as that minus 1 so that small losses stay exact.
    """
    n = codes.size
    loss = 0.0
    if weight.size == 0:
        for t in range(LANES):
            lanes[t] = 0.0
        for i in range(0, ROWS, LANES):  # e is 0 beyond the rows
            for t in range(LANES):
                lanes[t] += e[i + t] * (1.0 + lanes[t])
        for t in range(LANES):
            loss += np.log1p(lanes[t])
    for i in range(n):
        y = 1.0 if codes[i] == target else -1.0
        margin = y * z[i]
        s = 1.0 if weight.size == 0 else weight[i]
        if weight.size:
            loss += s * np.log1p(e[i])
        loss += s * (-margin if margin < 0.0 else 0.0)
        z[i] = -y * s * (1.0 if margin < 0.0 else e[i]) / (1.0 + e[i])
    return loss


@kernel(
    types.void(rf8(2), ri4(1), rf8(1), ri4(1), rf8(2), rf8(1), wf8(1), wf8(2)),
    types.void(rf4(2), ri4(1), rf8(1), ri4(1), rf8(2), rf8(1), wf8(1), wf8(2)),
)
def logistic_rows(X, codes, weight, targets, W, c, losses, gradient):  # type: ignore[no-untyped-def]
    """Add, for machine k, target targets_k against the rest, Σ s_i ℓ_i to losses[k] and Σ s_i dℓ_i/dz_i [x_i, 1] to gradient[k].

    An empty weight means all ones.
    """
    M = W.shape[0]
    S, E, bits, lanes = np.zeros((M, ROWS)), np.empty((M, ROWS)), np.empty(M * ROWS, dtype=np.int64), np.empty(LANES)
    for begin in range(0, X.shape[0], ROWS):
        end = min(begin + ROWS, X.shape[0])
        own = weight if weight.size == 0 else weight[begin:end]
        scores(X[begin:end], W, c, S)
        for k in range(M):
            for i in range(ROWS):
                E[k, i] = -abs(S[k, i])
        exponentials(E.reshape(-1), bits)
        for k in range(M):
            for i in range(end - begin, ROWS):
                E[k, i] = 0.0
            losses[k] += logistic_group(S[k], E[k], codes[begin:end], targets[k], own, lanes)
        add_products(X[begin:end], S, gradient)


@kernel(
    types.float64(rf8(2), ri4(1), rf8(1), rf8(2), rf8(1), wf8(2), wf8(2)),
    types.float64(rf4(2), ri4(1), rf8(1), rf8(2), rf8(1), wf8(2), wf8(2)),
)
def curved_logistic_rows(X, codes, weight, W, c, gradient, Z):  # type: ignore[no-untyped-def]
    """Do as `logistic_rows` for one machine of target 1, return the loss, and fill Z (n, p + 1) with √h_i [x_i, 1], h_i = s_i q_i(1 − q_i).

    Z'Z is then the Hessian: the rows have been read once, and Z is still in the cache.
    """
    p = X.shape[1]
    S, E, bits, lanes = np.zeros((1, ROWS)), np.empty(ROWS), np.empty(ROWS, dtype=np.int64), np.empty(LANES)
    loss = 0.0
    for begin in range(0, X.shape[0], ROWS):
        end = min(begin + ROWS, X.shape[0])
        own = weight if weight.size == 0 else weight[begin:end]
        scores(X[begin:end], W, c, S)
        for i in range(ROWS):
            E[i] = -abs(S[0, i])
        exponentials(E, bits)
        for i in range(end - begin, ROWS):
            E[i] = 0.0
        loss += logistic_group(S[0], E, codes[begin:end], 1, own, lanes)
        add_products(X[begin:end], S, gradient)
        for i in range(end - begin):
            s = 1.0 if own.size == 0 else own[i]
            E[i] = np.sqrt(s * E[i]) / (1.0 + E[i])
        for i in range(end - begin):
            root = E[i]
            for j in range(p):
                Z[begin + i, j] = root * X[begin + i, j]
            Z[begin + i, p] = root
    return loss


@kernel(types.float64(rf8(1), rf8(1), wf8(1)))
def log_sum(excess, weight, lanes):  # type: ignore[no-untyped-def]
    """Return Σ s_i log(1 + excess_i) of a group: a logarithm of products where there are no weights, as in `logistic_group`."""
    loss = 0.0
    if weight.size:
        for i in range(weight.size):
            loss += weight[i] * np.log1p(excess[i])
        return loss
    for t in range(LANES):
        lanes[t] = 0.0
    for i in range(0, ROWS, LANES):
        for t in range(LANES):
            lanes[t] += excess[i + t] * (1.0 + lanes[t])
    for t in range(LANES):
        loss += np.log1p(lanes[t])
    return loss


@kernel(types.float64(wf8(2), wi8(1), ri4(1), rf8(1), wf8(2)))
def softmax_group(S, bits, codes, weight, buffer):  # type: ignore[no-untyped-def]
    """Turn scores S (K, ROWS) of a group into s_i (p_i − e_y) and return Σ s_i ℓ_i.

    The other classes are summed without the own one: where they are tiny, 1 − p_y would have none of their digits.
    """
    K = S.shape[0]
    top, others, excess = buffer[0], buffer[1], buffer[2]
    for i in range(ROWS):
        top[i] = S[0, i]
        excess[i] = 0.0
        others[i] = 0.0
    for k in range(1, K):
        for i in range(ROWS):
            top[i] = S[k, i] if S[k, i] > top[i] else top[i]
    loss = 0.0
    for i in range(codes.size):
        loss += (1.0 if weight.size == 0 else weight[i]) * (top[i] - S[codes[i], i])
    for k in range(K):
        for i in range(ROWS):
            S[k, i] -= top[i]
    exponentials(S.reshape(-1), bits)
    for i in range(codes.size):
        excess[i] = S[codes[i], i] - 1.0
        S[codes[i], i] = 0.0
    for k in range(K):
        for i in range(ROWS):
            others[i] += S[k, i]
    for i in range(ROWS):
        others[i] = others[i] if i < codes.size else 0.0
        excess[i] += others[i]
    loss += log_sum(excess, weight, buffer[3])
    for i in range(ROWS):
        excess[i] = (1.0 if weight.size == 0 or i >= codes.size else weight[i]) / (1.0 + excess[i])
    for k in range(K):
        for i in range(ROWS):
            S[k, i] *= excess[i]
    for i in range(codes.size):
        S[codes[i], i] = -others[i] * excess[i]
    return loss


@kernel(
    types.float64(rf8(2), ri4(1), rf8(1), rf8(2), rf8(1), wf8(2)),
    types.float64(rf4(2), ri4(1), rf8(1), rf8(2), rf8(1), wf8(2)),
)
def softmax_rows(X, codes, weight, W, c, gradient):  # type: ignore[no-untyped-def]
    """Return Σ s_i ℓ_i and add Σ s_i (p_i − e_y) [x_i, 1]' to gradient (K, p + 1). An empty weight means all ones."""
    K = W.shape[0]
    S, bits, buffer = np.zeros((K, ROWS)), np.empty(K * ROWS, dtype=np.int64), np.zeros((4, ROWS))
    loss = 0.0
    for begin in range(0, X.shape[0], ROWS):
        end = min(begin + ROWS, X.shape[0])
        own = weight if weight.size == 0 else weight[begin:end]
        scores(X[begin:end], W, c, S)
        loss += softmax_group(S, bits, codes[begin:end], own, buffer)
        add_products(X[begin:end], S, gradient)
    return loss
