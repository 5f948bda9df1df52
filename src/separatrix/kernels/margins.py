"""Derivatives of a sum of piecewise quadratic row losses along a line. Specification: solvers.pieces.Pieces."""

from __future__ import annotations

from numba import types

from .jit import kernel, rf8, wf8


@kernel(types.void(rf8(1), rf8(1), rf8(1), rf8(1), rf8(1), types.float64, wf8(1)))
def along(m, dm, base, sigma, cap, t, out):  # type: ignore[no-untyped-def]
    """out = Σ a_i dm_i and Σ σ_i dm_i² over free rows, with a_i = clip(base_i + σ_i(1 − m_i − t dm_i), 0, cap_i)."""
    slope = curvature = 0.0
    for i in range(m.size):
        d = dm[i]
        v = base[i] + sigma[i] * (1.0 - m[i] - t * d)
        slope += min(max(v, 0.0), cap[i]) * d
        curvature += sigma[i] * d * d if (v > 0.0) & (v < cap[i]) else 0.0
    out[0] = slope
    out[1] = curvature
