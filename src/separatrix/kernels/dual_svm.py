"""Dual coordinate descent for support vector machines: epochs in one call until steps are small, and the gap that they leave.

Rows are CSR parts; an empty `indices` means dense rows, `data` being all of X in C order. Unsigned indices spare the test for negative
ones in the innermost loops.
"""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import array, kernel, rf8, wf8, wi8
from .prefetch import prefetch

ru4 = array(types.uint32, 1, True)
ru8 = array(types.uint64, 1, True)
NOISE = 1e-12
GROUP, MANY = 16, 50_000
"""Rows that are shuffled together where there are so many that each would have to come from memory."""
FAR, NEAR = 12, 6
"""Rows ahead whose traits, and whose values, are asked of memory: they are visited in random order."""
FOUR, LINE = 4, 8
"""Traits of a row, and values of a cache line."""


@kernel(types.uint64(types.uint64))
def following(x):  # type: ignore[no-untyped-def]
    """Return the next state of a multiplicative generator."""
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    return x


@kernel(types.int64(types.uint64, types.int64))
def below(x, most):  # type: ignore[no-untyped-def]
    """Return a number from 0 to most − 1 that a state stands for."""
    return np.int64(((x >> np.uint64(33)) * np.uint64(most)) >> np.uint64(31))


@kernel(types.void(wi8(1), types.int64, wi8(1)))
def shuffle(order, active, state):  # type: ignore[no-untyped-def]
    """Shuffle order[:active] with a generator whose state (1,) goes on from call to call.

    Where there are many, groups that follow each other are shuffled, and each in itself: neighbours lie near each other in memory.
    """
    x = np.uint64(state[0])
    size = GROUP if active >= MANY else 1
    for s in range(active // size - 1, 0, -1):
        x = following(x)
        t = below(x, s + 1)
        for a in range(size):
            order[s * size + a], order[t * size + a] = order[t * size + a], order[s * size + a]
    if size > 1:
        for s in range(0, active, size):
            for a in range(min(size, active - s) - 1, 0, -1):
                x = following(x)
                t = below(x, a + 1)
                order[s + a], order[s + t] = order[s + t], order[s + a]
    state[0] = np.int64(x)


EPOCH = [
    types.int64(rf8(1), index, index, rf8(2), wi8(1), types.int64, types.float64, rf8(1), wf8(1), wf8(1), wf8(1), wf8(1))
    for index in (ru4, ru8)
]


@kernel(*EPOCH)
def epoch(data, indices, indptr, traits, order, active, spread, limits, alpha, w, b, out):  # type: ignore[no-untyped-def]
    """One epoch over order[:active]; return how many stay active.

    traits (n, 4) = y_i, cap_i, curve_i, square_i, which lie together;

    α_i ← clip(α_i − (y_i(w'x_i + b) − 1 + curve_i α_i)/square_i, 0, cap_i), w and b following; b moves by `spread` a unit of Σ α_i y_i.
    A row at a bound whose gradient is beyond `limits` is put behind the active ones. out = largest and smallest projected gradient, what
    the rows visited had of F − D when they were, and by how much D has risen.
    """
    dense = indices.size == 0
    top, bottom, gap, risen = -np.inf, np.inf, 0.0, 0.0
    kept = 0
    for s in range(active):
        i = order[s]
        if s + FAR < active:
            far = order[s + FAR]
            prefetch(indptr, far)
            prefetch(traits, FOUR * far)
            prefetch(alpha, far)
            near = indptr[order[s + NEAR]]
            prefetch(data, near)
            prefetch(data, near + LINE)
            if not dense:
                prefetch(indices, near)
        low, high = indptr[i], indptr[i + 1]
        z = b[0]
        if dense:
            for a in range(high - low):
                z += data[low + a] * w[a]
        else:
            for a in range(low, high):
                z += data[a] * w[indices[a]]
        old, sign, cap, curve = alpha[i], traits[i, 0], traits[i, 1], traits[i, 2]
        g = sign * z - 1.0 + curve * old
        pg = g
        if old == 0.0:
            shrinks = g > limits[0]
            pg = min(g, 0.0)
        elif old >= cap:
            shrinks = g < limits[1]
            pg = max(g, 0.0)
        else:
            shrinks = False
        if shrinks:
            continue
        order[s], order[kept] = order[kept], i
        kept += 1
        top = max(top, pg)
        bottom = min(bottom, pg)
        short = 1.0 - sign * z
        loss = max(short, 0.0)
        loss *= 0.5 * loss / curve if curve > 0.0 else cap
        gap += loss + (0.5 * curve * old - short) * old
        if abs(pg) > NOISE:
            square = traits[i, 3]
            new = min(max(old - g / square, 0.0), cap)
            step = new - old
            risen -= (g + 0.5 * square * step) * step
            d = step * sign
            alpha[i] = new
            b[0] += d * spread
            if dense:
                for a in range(high - low):
                    w[a] += d * data[low + a]
            else:
                for a in range(low, high):
                    w[indices[a]] += d * data[a]
    out[0], out[1], out[2], out[3] = top, bottom, gap, risen
    return kept


DESCEND = [
    types.int64(
        *(rf8(1), index, index, rf8(2), wi8(1), types.int64, types.float64, wf8(1), wf8(1), wf8(1), wf8(1), wf8(1)),
        *(wi8(1), types.float64, types.float64, types.int64, types.int64, wi8(1)),
    )
    for index in (ru4, ru8)
]


@kernel(*DESCEND)
def descend(  # type: ignore[no-untyped-def]
    data, indices, indptr, traits, order, active, spread, limits, alpha, w, b, out, state, wanted, tol, most, every, tally
):
    """Epochs until projected gradients are within a range `wanted` of each other, or rows seem to have no more than tol F of F − D left, or
    `most` rows were visited; return how many are active.

    out (5,): as in `epoch`, and D, which goes on from what it is. tally = epochs and rows visited so far. Where `every` is not 0 the
    intercept is free: its centre moves whenever so many epochs are over.
    """
    before = 0.0
    while True:
        tally[0] += 1
        tally[1] += active
        shuffle(order, active, state)
        active = epoch(data, indices, indptr, traits, order, active, spread, limits, alpha, w, b, out)
        out[4] += out[3]
        limits[0] = out[0] if out[0] > 0.0 else np.inf
        limits[1] = out[1] if out[1] < 0.0 else -np.inf
        if every > 0 and tally[0] % every == 0:
            total = 0.0
            for i in range(alpha.size):
                total += alpha[i] * traits[i, 0]
            b[0] += spread * total
        # Rows were visited during the epoch, and the later ones move the others: at its end the gap is smaller, by what it fell before.
        gap = max(out[2], 0.0)
        left = gap if before <= gap else gap * gap / before
        before = gap
        if not (out[0] - out[1] > wanted) or not left > tol * (out[4] + left) or tally[1] >= most:
            out[2] = left
            return active
        if active == 0:  # no row has a step left within these limits: let all come back
            active = order.size
            limits[0], limits[1] = np.inf, -np.inf


VALUES = [types.void(rf8(1), index, index, rf8(2), rf8(1), types.float64, rf8(1), rf8(1), rf8(1), wf8(1)) for index in (ru4, ru8)]


@kernel(*VALUES, gathers=True)
def values(data, indices, indptr, traits, cost, ridge, alpha, w, b, out):  # type: ignore[no-untyped-def]
    """out = F and D of multipliers with w = Σ α_i y_i x_i and ρb = Σ α_i y_i; a curve above 0 tells the squared hinge."""
    dense = indices.size == 0
    half = 0.5 * ridge * b[0] * b[0]
    for j in range(w.size):
        half += 0.5 * w[j] * w[j]
    primal, dual = half, -half
    for i in range(cost.size):
        low, high = indptr[i], indptr[i + 1]
        curve, z = traits[i, 2], b[0]
        if dense:
            for a in range(high - low):
                z += data[low + a] * w[a]
        else:
            for a in range(low, high):
                z += data[a] * w[indices[a]]
        short = max(1.0 - traits[i, 0] * z, 0.0)
        primal += cost[i] * (short * short if curve > 0.0 else short)
        dual += alpha[i] - 0.5 * curve * alpha[i] * alpha[i]
    out[0] = primal
    out[1] = dual


SETTLE = [types.void(rf8(1), index, index, rf8(2), types.float64, rf8(1), wf8(1), wf8(1)) for index in (ru4, ru8)]


@kernel(*SETTLE)
def settle(data, indices, indptr, traits, spread, alpha, w, b):  # type: ignore[no-untyped-def]
    """w = Σ α_i y_i x_i and b = spread Σ α_i y_i, summed anew: steps leave rounding in them."""
    dense = indices.size == 0
    w[:] = 0.0
    b[0] = 0.0
    for i in range(alpha.size):
        if alpha[i] == 0.0:
            continue
        d = alpha[i] * traits[i, 0]
        low, high = indptr[i], indptr[i + 1]
        b[0] += d * spread
        if dense:
            for a in range(high - low):
                w[a] += d * data[low + a]
        else:
            for a in range(low, high):
                w[indices[a]] += d * data[a]


ARRIVE = [
    types.int64(
        *(rf8(1), index, index, rf8(2), rf8(1), wi8(1), types.int64, types.float64, types.float64, wf8(1), wf8(1), wf8(1), wf8(1)),
        *(wi8(1), types.float64, types.int64, types.int64, wi8(1), wf8(1)),
    )
    for index in (ru4, ru8)
]


@kernel(*ARRIVE)
def arrive(  # type: ignore[no-untyped-def]
    data, indices, indptr, traits, cost, order, active, spread, ridge, limits, alpha, w, b, state, tol, pause, most, tally, out
):
    """Descend until F − D ≤ tol F, or `most` rows were visited, the intercept being penalised or absent; return how many rows are active.

    out = F and D of w and b summed anew; after `pause` rows, what they seem to be. Rows that were left out come back where those that were
    not seemed to have arrived, and have not. tally = epochs, rows visited, passes beside them.
    """
    reached = np.empty(5)
    half = 0.5 * ridge * b[0] * b[0]
    for j in range(w.size):
        half += 0.5 * w[j] * w[j]
    reached[4] = -half
    for i in range(alpha.size):
        reached[4] += alpha[i] - 0.5 * traits[i, 2] * alpha[i] * alpha[i]
    while True:
        active = descend(
            *(data, indices, indptr, traits, order, active, spread, limits, alpha, w, b, reached),
            *(state, -np.inf, tol, min(pause, most), 0, tally),
        )
        out[0], out[1] = reached[4] + reached[2], reached[4]
        if tally[1] < most and reached[2] > tol * out[0]:
            return active
        settle(data, indices, indptr, traits, spread, alpha, w, b)
        values(data, indices, indptr, traits, cost, ridge, alpha, w, b, out)
        tally[2] += 2
        if tally[1] >= most or not (out[0] - out[1] > tol * out[0]):
            return active
        reached[4] = out[1]
        active = order.size
        limits[0], limits[1] = np.inf, -np.inf
