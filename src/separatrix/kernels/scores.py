"""Scores of a tile of rows under K classes, and the class of the largest."""

from __future__ import annotations

from numba import types

from .jit import kernel, rf4, rf8, wf8, wi4


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
