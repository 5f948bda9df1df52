"""The step of L1-penalised logistic loss by the matrix of its quadratic, as `l1_column_step` is the one by walks through the columns."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, wf8, wi8
from .l1_quadratic import minimise_quadratic, most_missed

DIGITS = 1e-15
"""Subgradient, in units of its column, that is as good as none."""


@kernel(types.float64(rf8(2), rf8(1), rf8(2), types.int64, types.float64, types.float64, types.float64, wf8(1), wf8(2), wi8(1), wf8(2)))
def step_by_matrix(S, units, model, k, share, fine, most_work, x, L, index, work):  # type: ignore[no-untyped-def]
    """Move x to the minimum of a quadratic of unit diagonal, up to a share of the violation and of the penalties; return the work."""
    slope, soft = work[5, :k], work[6, :k]
    for a in range(k):
        x[a], slope[a], soft[a] = model[0, a] * units[a], model[1, a] / units[a], model[2, a] / units[a]
    worst, least = most_missed(slope, x[:k], soft), np.inf
    for a in range(k):
        least = min(least, soft[a]) if soft[a] > 0.0 else least
    enough = max(min(share * worst, fine * least) if fine > 0.0 else share * worst, DIGITS * worst)
    spent = minimise_quadratic(S[:k], soft, enough, most_work, x[:k], slope, L, index, work[:5])
    for a in range(k):
        x[a] /= units[a]
    return spent
