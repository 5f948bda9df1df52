"""The action of least expected cost of each row of posteriors."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf4, rf8, wi4


@kernel(
    types.boolean(rf8(2), rf8(2), types.float64, wi4(1)),
    types.boolean(rf4(2), rf8(2), types.float64, wi4(1)),
)
def least_cost(P, costs, tolerance, codes):  # type: ignore[no-untyped-def]
    """Set codes[i] to the first action a of least Σ_k P[i, k] costs[a, k]; return whether all rows are distributions.

    A row is one if nothing in it is negative and it sums to one, each within the tolerance; NaN fails. Four rows share each load
    of a cost, and no expected cost is stored. The last rows are done twice where n % 4 > 0.
    """
    n, K = P.shape
    good = True
    for group in range((n + 3) // 4):
        i = max(0, min(4 * group, n - 4))
        i1, i2, i3 = min(i + 1, n - 1), min(i + 2, n - 1), min(i + 3, n - 1)
        s0 = s1 = s2 = s3 = low = 0.0
        for k in range(K):
            a, b, c, d = P[i, k], P[i1, k], P[i2, k], P[i3, k]
            s0, s1, s2, s3 = s0 + a, s1 + b, s2 + c, s3 + d
            low = min(low, min(min(a, b), min(c, d)))
        inside = (abs(s0 - 1.0) <= tolerance) & (abs(s1 - 1.0) <= tolerance) & (abs(s2 - 1.0) <= tolerance) & (abs(s3 - 1.0) <= tolerance)
        good &= inside & (low >= -tolerance)
        top0 = top1 = top2 = top3 = np.inf
        best0 = best1 = best2 = best3 = 0
        for action in range(costs.shape[0]):
            a = b = c = d = 0.0
            for k in range(K):
                w = costs[action, k]
                a += w * P[i, k]
                b += w * P[i1, k]
                c += w * P[i2, k]
                d += w * P[i3, k]
            best0, top0 = (action, a) if a < top0 else (best0, top0)
            best1, top1 = (action, b) if b < top1 else (best1, top1)
            best2, top2 = (action, c) if c < top2 else (best2, top2)
            best3, top3 = (action, d) if d < top3 else (best3, top3)
        codes[i], codes[i1], codes[i2], codes[i3] = best0, best1, best2, best3
    return good
