"""Scores of a tile of rows under K classes, and the class of the largest."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf4, rf8, wf8, wi4


@kernel(
    types.void(rf8(2), rf8(2), rf8(1), wf8(2)),
    types.void(rf4(2), rf8(2), rf8(1), wf8(2)),
)
def linear_scores(X, coef, intercept, scores):  # type: ignore[no-untyped-def]
    """scores[i, k] = x_i'coef_k + intercept_k, accumulated in float64."""
    n, p = X.shape
    for i in range(n):
        for k in range(coef.shape[0]):
            total = 0.0
            for j in range(p):
                total += X[i, j] * coef[k, j]
            scores[i, k] = total + intercept[k]


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
    finite = True
    for i in range(n):
        if classes == 1:
            codes[i] = 1 if scores[i, 0] > 0.0 else 0
            finite &= np.isfinite(scores[i, 0])
            continue
        best = 0
        for k in range(classes):
            finite &= np.isfinite(scores[i, k])
            if scores[i, k] > scores[i, best]:
                best = k
        codes[i] = best
    return finite
