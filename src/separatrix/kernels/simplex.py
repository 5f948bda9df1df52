"""Rows of multipliers on their simplices, for the multi-class hinge. Specification: solvers.margins.joint_pieces."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, ri4, wf8


@kernel(types.int64(wf8(1), types.float64))
def project(v, total):  # type: ignore[no-untyped-def]
    """Put the nearest point of {v ≥ 0, Σ v = total} in the place of v; return how many of its entries are positive (Michelot's rounds)."""
    count, level = v.size, -np.inf
    while True:
        s, left = 0.0, 0
        for k in range(v.size):
            if v[k] > level:
                s += v[k]
                left += 1
        new = (s - total) / left
        if left == count and level > -np.inf:
            break
        count, level = left, new
    for k in range(v.size):
        v[k] = max(v[k] - level, 0.0)
    return count


@kernel(types.void(rf8(2), rf8(2), rf8(1), rf8(1), wf8(2)))
def multipliers(levels, base, sigma, cost, U):  # type: ignore[no-untyped-def]
    """U_i = the nearest point to base_i + σ_i levels_i on the simplex of size c_i."""
    for i in range(cost.size):
        for k in range(U.shape[1]):
            U[i, k] = base[i, k] + sigma[i] * levels[i, k]
        if cost[i] > 0.0:
            project(U[i], cost[i])
        else:
            U[i, :] = 0.0


@kernel(types.void(rf8(2), rf8(2), types.float64, rf8(2), rf8(1), rf8(1), ri4(1), wf8(1)))
def along(levels, dz, t, base, sigma, cost, codes, out):  # type: ignore[no-untyped-def]
    """out = Σ (U_i − c_i e_y)'dz_i and Σ σ_i Σ_{k: U_ik > 0} (dz_ik − their mean)², at levels + t dz."""
    K = levels.shape[1]
    u = np.empty(K)
    slope = curvature = 0.0
    for i in range(cost.size):
        if not cost[i] > 0.0:
            continue
        for k in range(K):
            u[k] = base[i, k] + sigma[i] * (levels[i, k] + t * dz[i, k])
        count = project(u, cost[i])
        own = dz[i, codes[i]]
        s = q = 0.0
        for k in range(K):
            d = dz[i, k] - own
            slope += u[k] * d
            s += d if u[k] > 0.0 else 0.0
            q += d * d if u[k] > 0.0 else 0.0
        curvature += sigma[i] * max(q - s * s / count, 0.0)
    out[0] = slope
    out[1] = curvature
