"""The quadratic of a proximal Newton step without its matrix: walks through sparse columns.

    minimise over x    g'(x − x₀) + ½‖A(x − x₀)‖² + Σ_c ½ ridge_c (x_c − x₀c)² + Σ_c t_c |x_c|,    A = diag(√h) X_chosen

Sweeps in random order find the support, columns that are safely at 0 being left out. From there on they take many to gain a digit, since
columns are correlated: a system on the support does it, by a factor of its Gram matrix, or by products where that has no room.
"""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, ri8, ru4, wf8, wi8, wu4
from .l1_quadratic import FLAT, best_length
from .l1_rows import dot

FLOOR = 1e-10
"""Least curvature of a row, as a share of the largest: margins are computed back from weighted rows."""


@kernel(types.void(wi8(1), types.int64, wi8(1)))
def shuffle(order, active, state):  # type: ignore[no-untyped-def]
    """Shuffle order[:active] with a generator whose state (1,) goes on from call to call."""
    x = np.uint64(state[0])
    for s in range(active - 1, 0, -1):
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
        t = np.int64(((x >> np.uint64(32)) * np.uint64(s + 1)) >> np.uint64(32))
        order[s], order[t] = order[t], order[s]
    state[0] = np.int64(x)


@kernel(types.float64(rf8(1)))
def squared(values):  # type: ignore[no-untyped-def]
    """Return the sum of squares."""
    total = 0.0
    for a in range(values.size):
        total += values[a] * values[a]
    return total


@kernel(types.void(rf8(1), ru4(1), ri8(1), ri8(1), types.int64, rf8(1), wf8(1), wu4(1), wi8(1), wf8(1)), gathers=True)
def weigh(values, rows, starts, chosen, k, root, A, places, begins, square):  # type: ignore[no-untyped-def]
    """Copy the k columns chosen, row i times root_i, and put their squared lengths into square."""
    at = 0
    for c in range(k):
        begins[c] = at
        for a in range(starts[chosen[c]], starts[chosen[c] + 1]):
            i = rows[a]
            A[at], places[at] = values[a] * root[i], i
            at += 1
        square[c] = squared(A[begins[c] : at])
    begins[k] = at


@kernel(types.void(rf8(1), ru4(1), types.int64, types.int64, types.float64, wf8(1)), gathers=True)
def add(A, places, begin, end, d, v):  # type: ignore[no-untyped-def]
    """v += d times a column."""
    for a in range(begin, end):
        v[places[a]] += d * A[a]


@kernel(
    types.int64(
        *(rf8(1), ru4(1), ri8(1), rf8(1), rf8(1), rf8(1), rf8(1), rf8(1)),
        *(wi8(1), types.int64, types.float64, wf8(1), wf8(1), wf8(1)),
    ),
    gathers=True,
)
def walk(A, places, begins, square, ridge, g, start, t, order, active, limit, x, v, out):  # type: ignore[no-untyped-def]
    """One sweep over the columns order[:active], v = A(x − start) kept up to date; `square` has the ridge in it.

    Violations are in units of the columns, √ of their curvatures. A column at 0 whose slope is within the kink by more than `limit` is put
    behind the active ones; return how many are left. out = largest violation met before a step, how many columns came to or left 0, and
    values visited, added to those before.
    """
    most, changed, visited, s = 0.0, 0.0, 0, 0
    while s < active:
        c = order[s]
        low, high, old, curvature = begins[c], begins[c + 1], x[c], square[c]
        slope = g[c] + ridge[c] * (old - start[c]) + dot(A, places, low, high, v)
        visited += high - low
        unit = np.sqrt(curvature)
        if old == 0.0 and abs(slope) < t[c] - limit * unit:
            active -= 1
            order[s], order[active] = order[active], order[s]
            continue
        s += 1
        if not curvature > 0.0:
            continue
        miss = max(abs(slope) - t[c], 0.0) if old == 0.0 else abs(slope + (t[c] if old > 0.0 else -t[c]))
        most = max(most, miss / unit)
        u, soft = old - slope / curvature, t[c] / curvature
        new = u - soft if u > soft else (u + soft if u < -soft else 0.0)
        if new != old:
            x[c] = new
            changed += (new == 0.0) != (old == 0.0)
            add(A, places, low, high, new - old, v)
            visited += high - low
    out[0], out[1] = most, changed
    out[2] += visited
    return active


@kernel(
    types.int64(
        *(rf8(1), ru4(1), ri8(1), rf8(1), rf8(1), rf8(1), rf8(1), rf8(1), ri8(1), types.int64, types.float64, types.float64, types.int64),
        *(wf8(1), wf8(1), wf8(2), wf8(2)),
    )
)
def polish(A, places, begins, square, ridge, g, start, t, used, m, enough, fine, products, x, v, work, moves):  # type: ignore[no-untyped-def]
    """Go towards the minimum on the m columns in use by conjugate gradients, as far as is best.

    Return the products taken, as a negative number where it was not as far as they lead.

    Parameters
    ----------
    enough, fine : violation, in units of the columns, or as a share of the penalties, that counts as none
    work, moves : (3, m) and (2, n) to work in
    """
    r, d, step, moved, Ad = work[0], work[1], work[2], moves[0], moves[1]
    for i in range(v.size):
        moved[i] = 0.0
    old, taken = 0.0, 0
    for q in range(m):
        c = used[q]
        slope = g[c] + ridge[c] * (x[c] - start[c]) + dot(A, places, begins[c], begins[c + 1], v)
        r[q], step[q] = -slope - (t[c] if x[c] > 0.0 else -t[c]), 0.0
        d[q] = r[q] / square[c]
        old += r[q] * d[q]
    while taken < products and old > 0.0:
        is_enough, flat, along, new = True, 0.0, 0.0, 0.0
        for q in range(m):
            is_enough = is_enough and abs(r[q]) <= max(enough * np.sqrt(square[used[q]]), fine * t[used[q]])
        if is_enough:
            break
        for i in range(v.size):
            Ad[i] = 0.0
        for q in range(m):
            c = used[q]
            add(A, places, begins[c], begins[c + 1], d[q], Ad)
            flat += d[q] * d[q] * square[c]
            along += ridge[c] * d[q] * d[q]
        for i in range(v.size):
            along += Ad[i] * Ad[i]
        if along <= FLAT * flat:
            break
        length = old / along
        for i in range(v.size):
            moved[i] += length * Ad[i]
        for q in range(m):
            c = used[q]
            step[q] += length * d[q]
            r[q] -= length * (dot(A, places, begins[c], begins[c + 1], Ad) + ridge[c] * d[q])
            new += r[q] * r[q] / square[c]
        for q in range(m):
            d[q] = r[q] / square[used[q]] + new / old * d[q]
        old = new
        taken += 1
    return taken if go(g, ridge, start, t, used, m, step, moved, x, v) == 1.0 else -taken


@kernel(types.float64(rf8(1), rf8(1), rf8(1), rf8(1), ri8(1), types.int64, rf8(1), rf8(1), wf8(1), wf8(1)))
def go(g, ridge, start, t, used, m, step, moved, x, v):  # type: ignore[no-untyped-def]
    """Move x by a step, and v by what that moves it, as far as is best; return how far."""
    slope, curvature = 0.0, 0.0
    for i in range(v.size):
        slope += moved[i] * v[i]
        curvature += moved[i] * moved[i]
    for q in range(m):
        c = used[q]
        slope += step[q] * (g[c] + ridge[c] * (x[c] - start[c]))
        curvature += ridge[c] * step[q] * step[q]
    length = best_length(x, step, t, used, m, slope, curvature)
    for q in range(m):
        c = used[q]
        new = x[c] + length * step[q]
        x[c] = 0.0 if abs(new) <= 1e-12 * abs(x[c]) and t[c] > 0.0 else new
    for i in range(v.size):
        v[i] += length * moved[i]
    return length
