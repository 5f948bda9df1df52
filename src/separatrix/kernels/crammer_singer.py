"""Dual coordinate descent for the multi-class hinge of Crammer and Singer, one epoch a call. Rows as in kernels.dual_svm."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import array, kernel, rf8, ri4, wf8, wi8

ru4 = array(types.uint32, 1, True)
ru8 = array(types.uint64, 1, True)


@kernel(types.void(wf8(1), types.int64, types.float64, types.float64, wf8(1), wf8(1)))
def project(B, own, square, cap, D, new):  # type: ignore[no-untyped-def]
    """new = argmin ½ square ‖a‖² + B'a subject to a_k ≤ cap [k = own], Σ a_k = 0; D is scratch."""
    K = B.size
    for k in range(K):
        D[k] = B[k] + (square * cap if k == own else 0.0)
    for k in range(1, K):  # insertion sort, largest first: K is small
        d = D[k]
        j = k
        while j > 0 and D[j - 1] < d:
            D[j] = D[j - 1]
            j -= 1
        D[j] = d
    level = D[0] - square * cap
    r = 1
    while r < K and level < r * D[r]:
        level += D[r]
        r += 1
    level /= r
    for k in range(K):
        new[k] = min(cap if k == own else 0.0, (level - B[k]) / square)


@kernel(types.float64(wf8(1), types.int64))
def slack(B, own):  # type: ignore[no-untyped-def]
    """Return by how much the score of class `own` exceeds every other one plus 1."""
    least = np.inf
    for k in range(B.size):
        if k != own:
            least = min(least, B[own] - B[k])
    return least


EPOCH = [
    types.int64(
        *(rf8(1), index, index, ri4(1), rf8(1), rf8(1), wi8(1), types.int64, types.float64, types.float64),
        *(wf8(2), wf8(2), wf8(1), wf8(2), wf8(1)),
    )
    for index in (ru4, ru8)
]


@kernel(*EPOCH)
def epoch(data, indices, indptr, codes, cap, square, order, active, spread, limit, alpha, W, b, work, out):  # type: ignore[no-untyped-def]
    """One epoch over order[:active]; return how many stay active, put the largest violation into out[0].

    alpha (n, K), W (p, K) = Σ x_i alpha_i', b (K,) moves by `spread` a unit of Σ_i alpha_i; work (3, K) is scratch. A row without
    multipliers that keeps its margin by more than `limit` is put behind the active ones.
    """
    K = b.size
    dense = indices.size == 0
    B, D, new = work[0], work[1], work[2]
    most = 0.0
    s = 0
    while s < active:
        i = order[s]
        own = codes[i]
        low, high = indptr[i], indptr[i + 1]
        for k in range(K):
            B[k] = b[k] + (0.0 if k == own else 1.0)
        for a in range(low, high):
            x = data[a]
            j = a - low if dense else np.uint64(indices[a])
            for k in range(K):
                B[k] += x * W[j, k]
        top, least, used = -np.inf, np.inf, False
        for k in range(K):
            top = max(top, B[k])
            if alpha[i, k] < (cap[i] if k == own else 0.0):
                least = min(least, B[k])
            used = used or alpha[i, k] != 0.0
        violation = top - least
        if cap[i] <= 0.0 or (not used and violation <= 0.0 and slack(B, own) > limit):
            active -= 1
            order[s], order[active] = order[active], order[s]
            continue
        most = max(most, violation)
        s += 1
        if violation <= 1e-12:
            continue
        for k in range(K):
            B[k] -= square[i] * alpha[i, k]
        project(B, own, square[i], cap[i], D, new)
        for k in range(K):
            D[k] = new[k] - alpha[i, k]
            alpha[i, k] = new[k]
            b[k] += spread * D[k]
        for a in range(low, high):
            x = data[a]
            j = a - low if dense else np.uint64(indices[a])
            for k in range(K):
                W[j, k] += x * D[k]
    out[0] = most
    return active
