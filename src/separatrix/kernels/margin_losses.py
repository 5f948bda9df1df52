"""Logistic losses of margins m_i = y_i z_i, with slopes, curvatures and what a scaled point of the dual loses, in vector instructions."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, ri4, wf8, wi8

LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
SHIFTS, FURTHEST, EVEN = 20, 2.0, 1e-12
"""Newton steps of an intercept at most, how far one may go, and the slope, as a share of all weight, that is as good as none."""


@kernel(types.void(rf8(1), wf8(1), wi8(1)), gathers=True)
def exponentials(margin, e, bits):  # type: ignore[no-untyped-def]
    """e_i = exp(−|m_i|), within two units in the last place; below −700 it stays at e^−700."""
    for i in range(margin.size):
        x = -abs(margin[i])
        x = -700.0 if x < -700.0 else x
        k = np.floor(x * LOG2_E + 0.5)
        r = (x - k * LN2_HIGH) - k * LN2_LOW
        t = ((2.08767569878681e-09 * r + 2.505210838544172e-08) * r + 2.755731922398589e-07) * r + 2.755731922398589e-06
        t = ((t * r + 2.48015873015873e-05) * r + 1.984126984126984e-04) * r + 1.388888888888889e-03
        t = ((t * r + 8.333333333333333e-03) * r + 4.1666666666666664e-02) * r + 0.16666666666666666
        e[i] = ((t * r + 0.5) * r + 1.0) * r + 1.0
        bits[i] = (np.int64(k) + 1023) << 52
    powers = bits.view(np.float64)
    for i in range(margin.size):
        e[i] *= powers[i]


@kernel(types.float64(rf8(1), rf8(1), wf8(1), wf8(1), wf8(1), wi8(1)))
def losses(margin, weight, r, h, e, bits):  # type: ignore[no-untyped-def]
    """Return Σ s_i log(1 + e^(−m_i)); r_i = s_i q_i is minus the slope and h_i = s_i q_i (1 − q_i) the curvature, q = 1/(1 + e^m).

    log(1 + e) = 2 artanh u with u = e/(2 + e) ≤ ⅓: sixteen terms of its series, which is compiled to vector instructions.
    """
    exponentials(margin, e, bits)
    loss = 0.0
    for i in range(margin.size):
        s = 1.0 if weight.size == 0 else weight[i]
        u = e[i] / (2.0 + e[i])
        v = u * u
        t = (((1.0 / 33.0 * v + 1.0 / 31.0) * v + 1.0 / 29.0) * v + 1.0 / 27.0) * v + 1.0 / 25.0
        t = (((t * v + 1.0 / 23.0) * v + 1.0 / 21.0) * v + 1.0 / 19.0) * v + 1.0 / 17.0
        t = (((t * v + 1.0 / 15.0) * v + 1.0 / 13.0) * v + 1.0 / 11.0) * v + 1.0 / 9.0
        t = ((t * v + 1.0 / 7.0) * v + 1.0 / 5.0) * v + 1.0 / 3.0
        loss += s * (2.0 * u * (1.0 + t * v) + max(-margin[i], 0.0))
        share = 1.0 / (1.0 + e[i])
        r[i] = s * share * (1.0 if margin[i] < 0.0 else e[i])
        h[i] = s * share * share * e[i]
    return loss


@kernel(types.float64(rf8(1), rf8(1), types.float64))
def spilled(margin, weight, t):  # type: ignore[no-untyped-def]
    """Return Σ s_i KL(t q_i ‖ q_i), q = 1/(1 + e^m): what slopes scaled by t < 1 lose in the dual."""
    total, log_t = 0.0, np.log(t)
    for i in range(margin.size):
        odds = np.exp(min(-margin[i], 700.0))
        q = odds / (1.0 + odds)
        total += (1.0 if weight.size == 0 else weight[i]) * (t * q * log_t + (1.0 - t * q) * np.log1p((1.0 - t) * odds))
    return max(total, 0.0)


@kernel(types.float64(ri4(1), rf8(1), wf8(1), wf8(2), wi8(1)))
def centre(codes, weight, margin, rows, bits):  # type: ignore[no-untyped-def]
    """Move the intercept to where its own slope is 0, and the margins with it; return by how much.

    rows[0] and rows[1] are r and h of `losses` at the margins, before and after.
    """
    moved, total = 0.0, 0.0
    slope = 0.0
    for i in range(margin.size):
        total += 1.0 if weight.size == 0 else weight[i]
        slope += rows[0, i] if codes[i] == 1 else -rows[0, i]
    for _ in range(SHIFTS):
        curvature = rows[1].sum()
        if abs(slope) <= EVEN * total or not curvature > 0.0:
            break
        d = min(max(slope / curvature, -FURTHEST), FURTHEST)
        for i in range(margin.size):
            margin[i] += d if codes[i] == 1 else -d
        losses(margin, weight, rows[0], rows[1], rows[2], bits)
        moved += d
        before, slope = slope, 0.0
        for i in range(margin.size):
            slope += rows[0, i] if codes[i] == 1 else -rows[0, i]
        if abs(slope) >= abs(before):
            break
    return moved
