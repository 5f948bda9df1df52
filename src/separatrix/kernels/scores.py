"""Scores of a tile of rows under K classes, and the class of the largest."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import array, kernel, rf4, rf8, wf8, wi4


@kernel(
    types.void(rf8(2), rf8(2), rf8(1), wf8(2)),
    types.void(rf4(2), rf8(2), rf8(1), wf8(2)),
)
def linear_scores(X, coef, intercept, scores):  # type: ignore[no-untyped-def]
    """scores[i, k] = x_i'coef_k + intercept_k, accumulated in float64; four rows at a time share each load of coef."""
    n, p = X.shape
    whole = n - n % 4
    for i in range(0, whole, 4):
        for k in range(coef.shape[0]):
            a = b = c = d = 0.0
            for j in range(p):
                w = coef[k, j]
                a += w * X[i, j]
                b += w * X[i + 1, j]
                c += w * X[i + 2, j]
                d += w * X[i + 3, j]
            scores[i, k] = a + intercept[k]
            scores[i + 1, k] = b + intercept[k]
            scores[i + 2, k] = c + intercept[k]
            scores[i + 3, k] = d + intercept[k]
    for i in range(whole, n):
        for k in range(coef.shape[0]):
            a = 0.0
            for j in range(p):
                a += X[i, j] * coef[k, j]
            scores[i, k] = a + intercept[k]


@kernel(
    types.boolean(rf8(2), rf8(2), rf8(1), wi4(1)),
    types.boolean(rf4(2), rf8(2), rf8(1), wi4(1)),
)
def linear_argmax(X, coef, intercept, codes):  # type: ignore[no-untyped-def]
    """Set codes[i] to the first largest score of row i (one class: whether it is above 0); return whether all scores are finite.

    No score is stored: fresh memory for them would cost more than the products. The last rows are counted twice where n % 4 > 0.
    """
    n, p = X.shape
    one = coef.shape[0] == 1
    start = 0.0 if one else -np.inf
    nothing = 0.0  # Σ 0·score: not 0 if one is infinite or NaN
    for group in range((n + 3) // 4):
        i = max(0, min(4 * group, n - 4))
        i1, i2, i3 = min(i + 1, n - 1), min(i + 2, n - 1), min(i + 3, n - 1)
        top0 = top1 = top2 = top3 = start
        best0 = best1 = best2 = best3 = 0
        for k in range(coef.shape[0]):
            a = b = c = d = 0.0
            for j in range(p):
                w = coef[k, j]
                a += w * X[i, j]
                b += w * X[i1, j]
                c += w * X[i2, j]
                d += w * X[i3, j]
            a, b, c, d = a + intercept[k], b + intercept[k], c + intercept[k], d + intercept[k]
            nothing += 0.0 * a + 0.0 * b + 0.0 * c + 0.0 * d
            best0, top0 = (k + one, a) if a > top0 else (best0, top0)
            best1, top1 = (k + one, b) if b > top1 else (best1, top1)
            best2, top2 = (k + one, c) if c > top2 else (best2, top2)
            best3, top3 = (k + one, d) if d > top3 else (best3, top3)
        codes[i], codes[i1], codes[i2], codes[i3] = best0, best1, best2, best3
    return nothing == 0.0


@kernel(
    types.void(rf8(2), rf8(2), rf8(2), rf8(1), wf8(2)),
    types.void(rf4(2), rf8(2), rf8(2), rf8(1), wf8(2)),
)
def diagonal_scores(X, means, precision, offset, scores):  # type: ignore[no-untyped-def]
    """scores[i, k] = offset_k − ½ Σ_j precision_kj (x_ij − means_kj)²."""
    n, p = X.shape
    for i in range(n):
        for k in range(means.shape[0]):
            total = 0.0
            for j in range(p):
                d = X[i, j] - means[k, j]
                total += precision[k, j] * d * d
            scores[i, k] = offset[k] - 0.5 * total


@kernel(types.boolean(rf8(2), wi4(1)))
def argmax_rows(scores, codes):  # type: ignore[no-untyped-def]
    """Set codes[i] to the first largest score of row i (one column: whether it is above 0); return whether all are finite."""
    n, classes = scores.shape
    bad = 0
    for i in range(n):
        best = 0
        top = 0.0 if classes == 1 else scores[i, 0]
        nothing = 0.0  # Σ 0·s: stays 0 unless an s is infinite or NaN, and needs no branch (s − s would be folded to 0)
        for k in range(classes):
            s = scores[i, k]
            nothing += s * 0.0
            best = k + (classes == 1) if s > top else best
            top = max(top, s)
        bad += nothing != 0.0
        codes[i] = best
    return bad == 0


@kernel(types.void(rf4(2), rf4(1), array(types.float32, 1, False), array(types.float32, 1, False), wi4(1)))
def two_largest(scores, intercept, first, second, codes):  # type: ignore[no-untyped-def]
    """Set first and second, −∞ before, to the two largest of scores (K, n) + intercept of each row, codes to the class of the first."""
    for k in range(scores.shape[0]):
        b, row, code = intercept[k], scores[k], np.int32(k)
        for i in range(codes.size):
            s, most = row[i] + b, first[i]
            codes[i] = code if s > most else codes[i]
            first[i] = s if s > most else most
            less = s if s < most else most
            second[i] = less if less > second[i] else second[i]
