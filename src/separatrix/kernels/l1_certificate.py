"""How far coefficients of an L1-penalised logistic loss are from the minimum, as in solvers.sparse.l1_ending, inside a compiled loop."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, ri4, wf8
from .margin_losses import spilled

NOISE = 256.0 * 2.0**-52
"""Error of a slope, as a share of its column's root mean square times that of the slopes."""
LARGEST = 0.1
"""Share of its penalty that an entry of the subgradient may be at most, for slopes to be scaled."""
BALANCED, EVEN = 4, 1e-12
"""Shifts at most of slopes that are to be even, and what their classes may differ by for rounding, as a share of their sum."""


@kernel(types.float64(rf8(1), rf8(1), rf8(1)))
def penalty(theta, t, ridge):  # type: ignore[no-untyped-def]
    """Return Σ ½ ridge θ² + t |θ|."""
    total = 0.0
    for j in range(theta.size):
        total += 0.5 * ridge[j] * theta[j] * theta[j] + t[j] * abs(theta[j])
    return total


@kernel(types.void(rf8(1), rf8(1), rf8(1), rf8(1), rf8(1), types.float64, wf8(1)))
def shortfall(theta, G, t, ridge, units, noise, out):  # type: ignore[no-untyped-def]
    """What slopes G of the loss fall short of ones that suit θ, entry by entry; within `noise` units of its column one counts as suiting.

    out = Σ t|θ| + ½ ridge θ² + Gθ + (|G| − t)₊²/(2 ridge), Σ Gθ, the largest |G|/t, at least 1, the largest miss in units of its column,
    Σ t|θ| + ½ ridge θ², and the slope of the intercept
    """
    size, gap, along, most, miss, even = 0.0, 0.0, 0.0, 1.0, 0.0, 0.0
    for j in range(theta.size):
        w, slope = theta[j], G[j]
        if t[j] == 0.0:
            miss, even = max(miss, abs(slope)), slope
            continue
        size += 0.5 * ridge[j] * w * w + t[j] * abs(w)
        best = min(max(slope, -t[j]), t[j])
        if w != 0.0:
            best = -ridge[j] * w - (t[j] if w > 0.0 else -t[j])
        over = max(abs(slope - best) - noise * units[j], 0.0)
        slope = best + over if slope > best else best - over
        gap += t[j] * abs(w) + 0.5 * ridge[j] * w * w + slope * w
        beyond = max(abs(slope) - t[j], 0.0)
        gap += 0.5 * beyond * beyond / ridge[j] if ridge[j] > 0.0 else 0.0
        most, along, miss = max(most, abs(slope) / t[j] if ridge[j] == 0.0 else 1.0), along + slope * w, max(miss, over / units[j])
    out[0], out[1], out[2], out[3], out[4], out[5] = gap, along, most, miss, size, even


@kernel(types.void(rf8(1), rf8(1), rf8(1), rf8(1), rf8(1), types.float64, rf8(1), rf8(1), rf8(2), types.float64, types.float64, wf8(1)))
def certify(theta, G, t, ridge, units, loss, margin, weight, rows, total, asked, out):  # type: ignore[no-untyped-def]
    """Put a bound on the gap and the largest entry of the least subgradient, in units of the columns, into out[0] and out[1].

    The point of the dual is that of the slopes r of the margins, scaled to fit: G = −Σ y_i x_i r_i/S.

    Parameters
    ----------
    rows : r and h of `losses`
    asked : gap, as a share of f, beyond which the bound may be a simple one
    """
    found = np.empty(6)
    shortfall(theta, G, t, ridge, units, NOISE * np.sqrt(min(loss, 1.0)), found)
    gap, share = found[0], 1.0 / found[2]
    if share < 1.0:
        gap -= (1.0 - share) * found[1]
        simple, enough = (1.0 - share) * loss, asked * (loss + found[4])
        gap += spilled(margin, weight, share) / total if gap <= enough < gap + simple else simple
    rest = found[5] * found[5] * total / max(rows[1].sum(), 1e-300) if found[5] != 0.0 else 0.0
    out[0], out[1] = max(gap, 0.0) + rest, found[3]


@kernel(types.float64(rf8(2), rf8(2), rf8(1), ri4(1), types.boolean, rf8(1), types.float64, wf8(1)))
def foretell(rows, new_rows, change, codes, intercept, weight, total, r):  # type: ignore[no-untyped-def]
    """r = the slopes that the quadratic of a step foretold at its end; return what they lose in the dual beside those that are there.

    The sum of s KL(r/s ‖ q) is at most that of (r − s q)²/h. With an intercept Σ y_i r_i is made 0, without which r is no point of the
    dual; where that fails, infinity is returned.
    """
    slope, size, curvature, lost = 0.0, 0.0, 0.0, 0.0
    for i in range(change.size):
        s = 1.0 if weight.size == 0 else weight[i]
        r[i] = min(max(rows[0, i] - rows[1, i] * change[i], 0.0), s)
        slope += r[i] if codes[i] == 1 else -r[i]
        size += r[i]
        curvature += new_rows[1, i]
    for _ in range(BALANCED):
        if not intercept or abs(slope) <= EVEN * size or not curvature > 0.0:
            break
        shift, slope = slope / curvature, 0.0
        for i in range(change.size):
            s, y = 1.0 if weight.size == 0 else weight[i], 1.0 if codes[i] == 1 else -1.0
            r[i] = min(max(r[i] - y * shift * new_rows[1, i], 0.0), s)
            slope += y * r[i]
    for i in range(change.size):
        d = r[i] - new_rows[0, i]
        lost += d * d / max(new_rows[1, i], 1e-300)
    return lost / total if not intercept or abs(slope) <= EVEN * size else np.inf


@kernel(types.float64(types.float64, types.float64, rf8(2), types.float64))
def missable(gap, size, rows, total):  # type: ignore[no-untyped-def]
    """Return the share u of its penalty that every entry of the subgradient may miss for a gap: u Σ t|θ| and u² Σ r²/h, for scaling r."""
    lost = 0.0
    for i in range(rows.shape[1]):
        lost += rows[0, i] * rows[0, i] / max(rows[1, i], 1e-300)
    return min(gap / max(size, 1e-300), np.sqrt(gap * total / max(lost, 1e-300)), LARGEST)


@kernel(types.float64(rf8(1), rf8(1), rf8(1), rf8(1), rf8(1), types.float64, rf8(1), rf8(2), types.float64))
def foretold_gap(theta, G, t, ridge, units, loss, r, rows, total):  # type: ignore[no-untyped-def]
    """Return the bound on the gap by the slopes r that a quadratic foretold, scaled to fit: G = −Σ y_i x_i r_i/S.

    rows : r and h of `losses` at θ
    """
    found, lost, curvature = np.empty(6), 0.0, 0.0
    shortfall(theta, G, t, ridge, units, NOISE * np.sqrt(min(loss, 1.0)), found)
    share = 1.0 / found[2]
    for i in range(r.size):
        d = share * r[i] - rows[0, i]
        lost += d * d / max(rows[1, i], 1e-300)
        curvature += rows[1, i]
    rest = found[5] * found[5] * total / max(curvature, 1e-300)
    return max(found[0] - (1.0 - share) * found[1], 0.0) + lost / total + rest


@kernel(types.float64(rf8(1), rf8(1), rf8(1), types.float64, types.float64))
def furthest(g, theta, t, strength, digits):  # type: ignore[no-untyped-def]
    """Return the largest subgradient as a share of its penalty, `strength` where there is none; those up to `digits` count as 0."""
    share = 0.0
    for j in range(g.size):
        miss = max(abs(g[j]) - t[j], 0.0) if theta[j] == 0.0 else abs(g[j] + (t[j] if theta[j] > 0.0 else -t[j]))
        if miss > digits:
            share = max(share, miss / (t[j] if t[j] > 0.0 else strength))
    return share
