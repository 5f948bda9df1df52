"""How far coefficients of an L1-penalised logistic loss are from the minimum, as in solvers.sparse.l1_ending, inside a compiled loop."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, wf8
from .margin_losses import spilled

NOISE = 256.0 * 2.0**-52
"""Error of a slope, as a share of its column's root mean square times that of the slopes."""


@kernel(types.float64(rf8(1), rf8(1), rf8(1)))
def penalty(theta, t, ridge):  # type: ignore[no-untyped-def]
    """Return Σ ½ ridge θ² + t |θ|."""
    total = 0.0
    for j in range(theta.size):
        total += 0.5 * ridge[j] * theta[j] * theta[j] + t[j] * abs(theta[j])
    return total


@kernel(types.void(rf8(1), rf8(1), rf8(1), rf8(1), rf8(1), types.float64, rf8(1), rf8(1), rf8(1), types.float64, types.float64, wf8(1)))
def certify(theta, g, t, ridge, units, loss, margin, weight, h, total, asked, out):  # type: ignore[no-untyped-def]
    """Put a bound on the gap and the largest entry of the least subgradient, in units of the columns, into out[0] and out[1].

    g : slopes with the ridge's; asked : share of the objective that is asked, beyond which the bound may be a simple one
    """
    noise, size, gap, along, most, miss, rest, is_elastic = NOISE * np.sqrt(min(loss, 1.0)), 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, False
    for j in range(theta.size):
        w, slope = theta[j], g[j] - ridge[j] * theta[j]
        if t[j] == 0.0:
            miss, rest = max(miss, abs(slope)), slope * slope * total / max(h.sum(), 1e-300)
            continue
        size += 0.5 * ridge[j] * w * w + t[j] * abs(w)
        best = min(max(slope, -t[j]), t[j])
        if w != 0.0:
            best = -ridge[j] * w - (t[j] if w > 0.0 else -t[j])
        over = max(abs(slope - best) - noise * units[j], 0.0)
        slope = best + over if slope > best else best - over
        gap += t[j] * abs(w) + 0.5 * ridge[j] * w * w + slope * w
        beyond = max(abs(slope) - t[j], 0.0)
        if ridge[j] > 0.0:
            is_elastic, gap = True, gap + 0.5 * beyond * beyond / ridge[j]
        most, along, miss = max(most, abs(slope) / t[j]), along + slope * w, max(miss, over / units[j])
    if not is_elastic and most > 1.0:
        share = 1.0 / most
        gap -= (1.0 - share) * along
        simple, enough = (1.0 - share) * loss, asked * (loss + size)
        gap += spilled(margin, weight, share) / total if gap <= enough < gap + simple else simple
    out[0], out[1] = max(gap, 0.0) + rest, miss


@kernel(types.float64(rf8(1), rf8(1), rf8(1), types.float64, types.float64))
def furthest(g, theta, t, strength, digits):  # type: ignore[no-untyped-def]
    """Return the largest subgradient as a share of its penalty, `strength` where there is none; those up to `digits` count as 0."""
    share = 0.0
    for j in range(g.size):
        miss = max(abs(g[j]) - t[j], 0.0) if theta[j] == 0.0 else abs(g[j] + (t[j] if theta[j] > 0.0 else -t[j]))
        if miss > digits:
            share = max(share, miss / (t[j] if t[j] > 0.0 else strength))
    return share
