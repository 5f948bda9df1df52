"""Dual coordinate descent for support vector machines: epochs in one call until steps are small, and the gap that they leave.

Rows are CSR parts; an empty `indices` means dense rows, `data` being all of X in C order. Unsigned indices spare the test for negative
ones in the innermost loops.
"""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import array, kernel, rf8, wf8, wi8

ru4 = array(types.uint32, 1, True)
ru8 = array(types.uint64, 1, True)
NOISE = 1e-12
LEAST, MOST = 0.05, 0.5
"""Bounds of the factor by which the range of projected gradients is lowered after a look at the gap."""


@kernel(types.void(wi8(1), types.int64, wi8(1)))
def shuffle(order, active, state):  # type: ignore[no-untyped-def]
    """Shuffle order[:active] with a multiplicative generator whose state (1,) goes on from call to call."""
    x = np.uint64(state[0])
    for s in range(active - 1, 0, -1):
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
        t = np.int64((x >> np.uint64(33)) % np.uint64(s + 1))
        order[s], order[t] = order[t], order[s]
    state[0] = np.int64(x)


EPOCH = [
    types.int64(
        rf8(1), index, index, rf8(1), rf8(1), rf8(1), rf8(1), wi8(1), types.int64, types.float64, rf8(1), wf8(1), wf8(1), wf8(1), wf8(1)
    )
    for index in (ru4, ru8)
]


@kernel(*EPOCH)
def epoch(data, indices, indptr, y, cap, curve, square, order, active, spread, limits, alpha, w, b, out):  # type: ignore[no-untyped-def]
    """One epoch over order[:active]; return how many stay active, put out = largest and smallest projected gradient.

    α_i ← clip(α_i − (y_i(w'x_i + b) − 1 + curve_i α_i)/square_i, 0, cap_i), w and b following; b moves by `spread` a unit of Σ α_i y_i.
    A row at a bound whose gradient is beyond `limits` is put behind the active ones.
    """
    dense = indices.size == 0
    top = -np.inf
    bottom = np.inf
    s = 0
    while s < active:
        i = order[s]
        low, high = indptr[i], indptr[i + 1]
        z = b[0]
        if dense:
            for a in range(high - low):
                z += data[low + a] * w[a]
        else:
            for a in range(low, high):
                z += data[a] * w[indices[a]]
        old = alpha[i]
        g = y[i] * z - 1.0 + curve[i] * old
        pg = g
        if old == 0.0:
            shrinks = g > limits[0]
            pg = min(g, 0.0)
        elif old >= cap[i]:
            shrinks = g < limits[1]
            pg = max(g, 0.0)
        else:
            shrinks = False
        if shrinks:
            active -= 1
            order[s], order[active] = order[active], order[s]
            continue
        top = max(top, pg)
        bottom = min(bottom, pg)
        if abs(pg) > NOISE:
            new = min(max(old - g / square[i], 0.0), cap[i])
            d = (new - old) * y[i]
            alpha[i] = new
            b[0] += d * spread
            if dense:
                for a in range(high - low):
                    w[a] += d * data[low + a]
            else:
                for a in range(low, high):
                    w[indices[a]] += d * data[a]
        s += 1
    out[0] = top
    out[1] = bottom
    return active


DESCEND = [
    types.int64(
        *(rf8(1), index, index, rf8(1), rf8(1), rf8(1), rf8(1), wi8(1), types.int64, types.float64, wf8(1), wf8(1), wf8(1), wf8(1), wf8(1)),
        *(wi8(1), types.float64, types.int64, types.int64, wi8(1)),
    )
    for index in (ru4, ru8)
]


@kernel(*DESCEND)
def descend(  # type: ignore[no-untyped-def]
    data, indices, indptr, y, cap, curve, square, order, active, spread, limits, alpha, w, b, out, state, wanted, most, every, tally
):
    """Epochs until projected gradients are within a range `wanted` of each other, or `most` rows were visited; return how many are active.

    tally = epochs and rows visited so far. Where `every` is not 0 the intercept is free: its centre moves whenever so many epochs are over.
    """
    while True:
        tally[0] += 1
        tally[1] += active
        shuffle(order, active, state)
        active = epoch(data, indices, indptr, y, cap, curve, square, order, active, spread, limits, alpha, w, b, out)
        limits[0] = out[0] if out[0] > 0.0 else np.inf
        limits[1] = out[1] if out[1] < 0.0 else -np.inf
        if every > 0 and tally[0] % every == 0:
            total = 0.0
            for i in range(y.size):
                total += alpha[i] * y[i]
            b[0] += spread * total
        if not (out[0] - out[1] > wanted) or tally[1] >= most:
            return active
        if active == 0:  # no row has a step left within these limits: let all come back
            active = order.size
            limits[0], limits[1] = np.inf, -np.inf


VALUES = [types.void(rf8(1), index, index, rf8(1), rf8(1), rf8(1), types.float64, rf8(1), rf8(1), rf8(1), wf8(1)) for index in (ru4, ru8)]


@kernel(*VALUES, gathers=True)
def values(data, indices, indptr, y, cost, curve, ridge, alpha, w, b, out):  # type: ignore[no-untyped-def]
    """out = F and D of multipliers with w = Σ α_i y_i x_i and ρb = Σ α_i y_i; curve_i > 0 tells the squared hinge."""
    dense = indices.size == 0
    half = 0.5 * ridge * b[0] * b[0]
    for j in range(w.size):
        half += 0.5 * w[j] * w[j]
    primal, dual = half, -half
    for i in range(y.size):
        low, high = indptr[i], indptr[i + 1]
        z = b[0]
        if dense:
            for a in range(high - low):
                z += data[low + a] * w[a]
        else:
            for a in range(low, high):
                z += data[a] * w[indices[a]]
        short = max(1.0 - y[i] * z, 0.0)
        primal += cost[i] * (short * short if curve[i] > 0.0 else short)
        dual += alpha[i] - 0.5 * curve[i] * alpha[i] * alpha[i]
    out[0] = primal
    out[1] = dual


SETTLE = [types.void(rf8(1), index, index, rf8(1), types.float64, rf8(1), wf8(1), wf8(1)) for index in (ru4, ru8)]


@kernel(*SETTLE)
def settle(data, indices, indptr, y, spread, alpha, w, b):  # type: ignore[no-untyped-def]
    """w = Σ α_i y_i x_i and b = spread Σ α_i y_i, summed anew: steps leave rounding in them."""
    dense = indices.size == 0
    w[:] = 0.0
    b[0] = 0.0
    for i in range(y.size):
        if alpha[i] == 0.0:
            continue
        d = alpha[i] * y[i]
        low, high = indptr[i], indptr[i + 1]
        b[0] += d * spread
        if dense:
            for a in range(high - low):
                w[a] += d * data[low + a]
        else:
            for a in range(low, high):
                w[indices[a]] += d * data[a]


ARRIVE = [
    types.void(
        *(rf8(1), index, index, rf8(1), rf8(1), rf8(1), rf8(1), rf8(1), wi8(1), types.float64, types.float64, wf8(1), wf8(1), wf8(1)),
        *(wi8(1), wf8(1), types.float64, types.int64, wi8(1), wf8(1)),
    )
    for index in (ru4, ru8)
]


@kernel(*ARRIVE)
def arrive(data, indices, indptr, y, cost, cap, curve, square, order, spread, ridge, alpha, w, b, state, wanted, tol, most, tally, out):  # type: ignore[no-untyped-def]
    """Descend until F − D ≤ tol F, or `most` rows were visited, the intercept being penalised or absent; out = F and D.

    Rows that were left out come back before every look at the gap, after which gradients have to be the closer, the larger it is:
    `wanted` (1,) goes on from call to call. tally = epochs, rows visited, passes beside them.
    """
    limits, reached = np.empty(2), np.empty(2)
    while True:
        limits[0], limits[1] = np.inf, -np.inf
        descend(
            *(data, indices, indptr, y, cap, curve, square, order, order.size, spread, limits, alpha, w, b, reached),
            *(state, wanted[0], most, 0, tally),
        )
        is_last = tally[1] >= most
        values(data, indices, indptr, y, cost, curve, ridge, alpha, w, b, out)
        tally[2] += 1
        if is_last or not (out[0] - out[1] > tol * out[0]):
            settle(data, indices, indptr, y, spread, alpha, w, b)
            values(data, indices, indptr, y, cost, curve, ridge, alpha, w, b, out)
            tally[2] += 2
            if is_last or not (out[0] - out[1] > tol * out[0]):
                return
        share = np.sqrt(tol * out[0] / (out[0] - out[1]))
        wanted[0] = (reached[0] - reached[1]) * min(max(share, LEAST), MOST)
