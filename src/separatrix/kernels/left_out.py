"""Distances of rows to class means under the fit without each row."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, ri4, wf8, wi4

TINY = np.finfo(np.float64).eps


@kernel(types.void(rf8(2), ri4(1), rf8(2), rf8(1), rf8(3), types.float64, types.float64, types.float64, wf8(2), wi4(1)))
def subtract_distances(u, codes, given, values, apart, trace, base, guard, scores, refit):  # type: ignore[no-untyped-def]
    """scores[i, k] −= ½ f (2c_k − q + Σ_j v_kj²/D_j + r c_k²/(1 − r q)), and for the row's own class −½ f g q/(1 − r q), where

    D_j = slope values_j + base + lift (trace − a‖u‖²),   q = Σ_j u_j²/D_j,   v_k = apart[g, k],   c_k = q + Σ_j u_j v_kj/D_j,

    and (slope, lift, a, r, g, f) is the row's line of `given`. Where D or 1 − rq is nearly singular, refit[i] = 1.
    """
    n, p = u.shape
    inverse, scaled = np.empty(p), np.empty(p)
    for i in range(n):
        slope, lift, a, r, grow, factor = given[i]
        size = 0.0
        for j in range(p):
            size += u[i, j] * u[i, j]
        level = base + lift * max(trace - a * size, 0.0)
        flat = slope * values[0] + level <= guard * (slope * values[p - 1] + level)
        level = 1.0 if flat else level
        q = 0.0
        for j in range(p):
            inverse[j] = 1.0 / (slope * values[j] + level)
            scaled[j] = u[i, j] * inverse[j]
            q += u[i, j] * scaled[j]
        left = 1.0 - r * q
        refit[i] = flat or left <= guard
        left = 1.0 if refit[i] else left
        for k in range(apart.shape[1]):
            v, c, s = apart[codes[i], k], q, 0.0
            for j in range(p):
                c += scaled[j] * v[j]
                s += inverse[j] * v[j] * v[j]
            d = grow * q / left if k == codes[i] else 2.0 * c - q + s + r / left * c * c
            scores[i, k] -= 0.5 * factor * d


@kernel(types.UniTuple(types.float64, 2)(rf8(2), ri4(1), rf8(1)))
def losses(scores, codes, weight):  # type: ignore[no-untyped-def]
    """Return Σ_i w_i [argmax_k scores_ik ≠ codes_i] and Σ_i w_i (−log softmax(scores_i)[codes_i]), posteriors kept inside (ε, 1 − ε)."""
    n, classes = scores.shape
    wrong = total = 0.0
    for i in range(n):
        best, top = 0, scores[i, 0]
        for k in range(1, classes):
            best, top = (k, scores[i, k]) if scores[i, k] > top else (best, top)
        below = 0.0
        for k in range(classes):
            below += np.exp(scores[i, k] - top)
        own = np.exp(scores[i, codes[i]] - top) / below
        wrong += weight[i] * (best != codes[i])
        total -= weight[i] * np.log(min(max(own, TINY), 1.0 - TINY))
    return wrong, total
