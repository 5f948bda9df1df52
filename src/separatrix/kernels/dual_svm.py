"""Dual coordinate descent for support vector machines, one epoch a call.

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
