"""Dual coordinate descent for the multi-class hinge of Crammer and Singer, one epoch a call. Rows as in kernels.dual_svm."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import array, kernel, rf8, ri4, wf8, wi4, wi8
from .prefetch import prefetch

ru4 = array(types.uint32, 1, True)
ru8 = array(types.uint64, 1, True)
FAR, NEAR = 12, 6
"""Rows ahead whose multipliers, and whose values, are asked of memory: they are visited in random order."""
LINE = 8
"""Values of a cache line."""


@kernel(types.void(wf8(1), types.int64, types.int64, types.float64, types.float64, wf8(1), wf8(1)))
def project(B, K, own, square, cap, D, new):  # type: ignore[no-untyped-def]
    """new = argmin ½ square ‖a‖² + B'a over a (K,) with a_k ≤ cap [k = own] and Σ a_k = 0, or −cap where own ≥ K; D is scratch."""
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


SCORE = [types.void(rf8(1), index, types.int64, types.int64, ri4(1), types.int64, wf8(2), wf8(1)) for index in (ru4, ru8)]


@kernel(*SCORE)
def score(data, indices, low, high, classes, K, W, B):  # type: ignore[no-untyped-def]
    """B += W'x over the first K of the classes listed; all of them stand in their own order."""
    dense = indices.size == 0
    whole = B.size == K
    for a in range(low, high):
        x = data[a]
        j = a - low if dense else np.int64(indices[a])
        if whole:
            for k in range(K):
                B[k] += x * W[j, k]
        else:
            for m in range(K):
                B[m] += x * W[j, classes[m]]


@kernel(*[types.void(rf8(1), index, types.int64, types.int64, ri4(1), types.int64, wf8(1), wf8(2)) for index in (ru4, ru8)])
def spread_out(data, indices, low, high, classes, K, D, W):  # type: ignore[no-untyped-def]
    """W += x D' over the first K of the classes listed."""
    dense = indices.size == 0
    for a in range(low, high):
        x = data[a]
        j = a - low if dense else np.int64(indices[a])
        for m in range(K):
            W[j, classes[m]] += x * D[m]


@kernel(types.int64(wf8(1), wf8(1), wi4(1), types.int64, types.int64, types.float64, wf8(1)))
def drop(B, alpha, classes, K, own, cap, out):  # type: ignore[no-untyped-def]
    """Put classes at their bound whose gradient is below all that can move behind the others; return how many are left.

    out = largest B, smallest B of those that can move.
    """
    top, least = -np.inf, np.inf
    for m in range(K):
        top = max(top, B[m])
        if alpha[classes[m]] < (cap if classes[m] == own else 0.0):
            least = min(least, B[m])
    m = 0
    while m < K:
        k = classes[m]
        if B[m] < least and alpha[k] >= (cap if k == own else 0.0):
            K -= 1
            classes[m], classes[K] = classes[K], k
            B[m], B[K] = B[K], B[m]
        else:
            m += 1
    out[0], out[1] = top, least
    return K


EPOCH = [
    types.int64(
        *(rf8(1), index, index, ri4(1), rf8(1), rf8(1), wi8(1), types.int64, types.float64),
        *(wf8(2), wf8(2), wf8(1), wi4(2), wi8(1), wf8(2), wf8(1)),
    )
    for index in (ru4, ru8)
]


@kernel(*EPOCH)
def epoch(data, indices, indptr, codes, cap, square, order, active, spread, alpha, W, b, classes, counts, work, out):  # type: ignore[no-untyped-def]
    """One epoch over order[:active]; return how many stay active, put the largest violation into out[0].

    alpha (n, K), W (p, K) = Σ x_i alpha_i', b (K,) moves by `spread` a unit of Σ_i alpha_i; the first counts[i] of classes[i] take part;
    work (3, K) is scratch. A row of which one class is left is put behind the active ones.
    """
    B, D, new = work[0], work[1], work[2]
    most = 0.0
    kept, all_classes, dense = 0, alpha.shape[1], indices.size == 0
    for s in range(active):
        i = order[s]
        if s + FAR < active:
            far = order[s + FAR]
            prefetch(indptr, far)
            prefetch(codes, far)
            prefetch(counts, far)
            prefetch(cap, far)
            prefetch(square, far)
            for m in range(0, all_classes, LINE):
                prefetch(alpha, far * all_classes + m)
                prefetch(classes, far * all_classes + m)
            near = indptr[order[s + NEAR]]
            prefetch(data, near)
            prefetch(data, near + LINE)
            if not dense:
                prefetch(indices, near)
        own, K, low, high = codes[i], counts[i], indptr[i], indptr[i + 1]
        for m in range(K):
            B[m] = b[classes[i, m]] + (0.0 if classes[i, m] == own else 1.0)
        score(data, indices, low, high, classes[i], K, W, B)
        K = drop(B, alpha[i], classes[i], K, own, cap[i], out)
        counts[i] = K
        if K <= 1 or cap[i] <= 0.0:
            continue
        order[s], order[kept] = order[kept], i
        kept += 1
        if out[0] - out[1] <= 1e-12:
            continue
        most = max(most, out[0] - out[1])
        place = K
        for m in range(K):
            B[m] -= square[i] * alpha[i, classes[i, m]]
            place = m if classes[i, m] == own else place
        project(B, K, place, square[i], cap[i], D, new)
        for m in range(K):
            k = classes[i, m]
            D[m] = new[m] - alpha[i, k]
            alpha[i, k] = new[m]
            b[k] += spread * D[m]
        spread_out(data, indices, low, high, classes[i], K, D, W)
    out[0] = most
    return kept
