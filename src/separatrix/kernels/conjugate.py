"""The vector operations of preconditioned conjugate gradients, each in one sweep over memory."""

from __future__ import annotations

from numba import types

from .jit import kernel, rf8, wf8


@kernel(types.float64(types.float64, rf8(2), rf8(2), rf8(2), rf8(1), wf8(2), wf8(2)))
def advance(alpha, p, Hp, row_scale, column_scale, d, r):  # type: ignore[no-untyped-def]
    """d += alpha p, r −= alpha Hp; return r'M⁻¹r with M = 1 + row_scale column_scale, row_scale having one column or those of r."""
    total, full = 0.0, 0 if row_scale.shape[1] == 1 else 1
    for j in range(d.shape[0]):
        for k in range(d.shape[1]):
            d[j, k] += alpha * p[j, k]
            value = r[j, k] - alpha * Hp[j, k]
            r[j, k] = value
            total += value * value / (1.0 + row_scale[j, full * k] * column_scale[k])
    return total


@kernel(types.void(types.float64, rf8(2), rf8(2), rf8(1), wf8(2)))
def turn(beta, r, row_scale, column_scale, p):  # type: ignore[no-untyped-def]
    """p = M⁻¹r + beta p."""
    full = 0 if row_scale.shape[1] == 1 else 1
    for j in range(p.shape[0]):
        for k in range(p.shape[1]):
            p[j, k] = r[j, k] / (1.0 + row_scale[j, full * k] * column_scale[k]) + beta * p[j, k]
