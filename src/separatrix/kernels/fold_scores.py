"""Linear scores of rows, each by the coefficients of its own group."""

from __future__ import annotations

from numba import types

from .jit import kernel, rf4, rf8, ri4, wf8


@kernel(
    types.void(rf8(2), rf8(3), rf8(2), ri4(1), wf8(2)),
    types.void(rf4(2), rf8(3), rf8(2), ri4(1), wf8(2)),
)
def grouped_scores(X, coef, intercept, group, scores):  # type: ignore[no-untyped-def]
    """scores[i, k] = x_i'coef[group_i, k] + intercept[group_i, k]; rows of no group (below 0) keep the scores they have."""
    n, p = X.shape
    for i in range(n):
        g = group[i]
        if g < 0:
            continue
        for k in range(coef.shape[1]):
            total = 0.0
            for j in range(p):
                total += X[i, j] * coef[g, k, j]
            scores[i, k] = total + intercept[g, k]
