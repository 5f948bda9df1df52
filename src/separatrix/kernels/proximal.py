"""Coordinate descent for L1-penalised quadratics: with an explicit matrix, or with that of weighted sparse columns."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, ri8, ru4, ru8, wf8, wi8, wu4, wu8


@kernel(types.float64(rf8(2), rf8(1), wf8(1), wf8(1), wi8(1), types.int64))
def sweep(H, penalty, x, r, order, count):  # type: ignore[no-untyped-def]
    """One sweep over order[:count]: x_j ← soft(x_j − r_j/H_jj, penalty_j/H_jj) with r = gradient kept up to date.

    Return the largest slope that a step removed, H_jj |δ|.
    """
    most = 0.0
    for s in range(count):
        j = order[s]
        h = H[j, j]
        if h <= 0.0:
            continue
        u = x[j] - r[j] / h
        t = penalty[j] / h
        new = u - t if u > t else (u + t if u < -t else 0.0)
        d = new - x[j]
        if d != 0.0:
            x[j] = new
            row = H[j]
            for k in range(r.size):
                r[k] += d * row[k]
            most = max(most, h * abs(d))
    return most


@kernel(types.float64(rf8(2), rf8(1), wf8(1), wf8(1), wi8(1), types.float64, types.int64))
def descend(H, penalty, x, r, order, tolerance, sweeps):  # type: ignore[no-untyped-def]
    """Sweep over all coordinates, then over those not 0 until they settle, and again until a full sweep changes little."""
    q = x.size
    most = 0.0
    for _ in range(sweeps):
        for j in range(q):
            order[j] = j
        most = sweep(H, penalty, x, r, order, q)
        if most <= tolerance:
            break
        count = 0
        for j in range(q):
            if x[j] != 0.0 or penalty[j] == 0.0:
                order[count] = j
                count += 1
        for _ in range(10):
            if sweep(H, penalty, x, r, order, count) <= 0.1 * tolerance:
                break
    return most


WEIGHTED = [types.void(rf8(1), index, index, ri8(1), rf8(1), wf8(1), wu4(1), wu8(1), wf8(1)) for index in (ru4(1), ru8(1))]


@kernel(*WEIGHTED)
def weigh(data, indices, indptr, columns, root, values, rows, starts, square):  # type: ignore[no-untyped-def]
    """Copy the columns listed of a CSC matrix, row i times root_i, and put their squared lengths into square."""
    at = np.uint64(0)
    for c in range(columns.size):
        j = np.uint64(columns[c])
        starts[c] = at
        total = 0.0
        for a in range(indptr[j], indptr[j + np.uint64(1)]):
            i = indices[a]
            value = data[a] * root[i]
            values[at] = value
            rows[at] = i
            total += value * value
            at += np.uint64(1)
        square[c] = total
    starts[columns.size] = at


@kernel(
    types.int64(
        *(rf8(1), ru4(1), ru8(1), rf8(1), rf8(1), rf8(1), types.float64, types.float64, types.float64),
        *(wi8(1), types.int64, types.float64, wf8(1), wf8(1), wf8(1)),
    ),
    gathers=True,
)
def column_sweep(values, rows, starts, square, g, start, l1, l2, slack, order, active, limit, x, v, out):  # type: ignore[no-untyped-def]
    """One sweep over the columns order[:active] of g'd + ½‖Ad‖² + l2/2 ‖d‖² + l1 ‖x‖₁, d = x − start, v = Ad kept up to date.

    Violations are in units of the columns, √ of their curvatures, those up to `slack` being none. A column at 0 whose slope is within the
    kink by more than `limit` is put behind the active ones; return how many are left. out = largest violation met before a step, and how
    many columns came to or left 0.
    """
    most = 0.0
    changed = 0
    s = 0
    while s < active:
        c = np.uint64(order[s])
        low, high = starts[c], starts[c + np.uint64(1)]
        old = x[c]
        slope = g[c] + l2 * (old - start[c])
        for a in range(low, high):
            slope += values[a] * v[rows[a]]
        h = square[c] + l2
        unit = np.sqrt(h)
        if old == 0.0:
            if abs(slope) < l1 - limit * unit or h <= 0.0:
                active -= 1
                order[s], order[active] = order[active], order[s]
                continue
            violation = max(abs(slope) - l1, 0.0)
        else:
            violation = abs(slope + l1) if old > 0.0 else abs(slope - l1)
        s += 1
        if h <= 0.0:
            # A column without values costs its penalty and moves nothing.
            x[c] = 0.0
            continue
        if violation > slack:
            most = max(most, violation / unit)
        u = old - slope / h
        t = l1 / h
        new = u - t if u > t else (u + t if u < -t else 0.0)
        d = new - old
        if d != 0.0:
            x[c] = new
            changed += (new == 0.0) != (old == 0.0)
            for a in range(low, high):
                v[rows[a]] += d * values[a]
    out[0] = most
    out[1] = changed
    return active


@kernel(
    types.float64(
        *(rf8(2), rf8(2), rf8(1), rf8(1), rf8(1), ri8(1), ri8(1), rf8(2), rf8(2), types.float64, types.float64),
        *(ri8(1), wf8(1), wf8(2), wf8(1)),
    ),
)
def covariance_sweep(G, A, g, start, square, classes, columns, low, back, l1, l2, order, x, R, u):  # type: ignore[no-untyped-def]
    """One sweep over the pairs (k, j) listed of g'd + ½ Σ A_kl d_k'G d_l − ½ (d'low)(back'd) + l2/2 ‖d‖² + l1 ‖x‖₁, d = x − start.

    R = dG (K, q) and u = back'd are kept up to date. Return the largest violation met, in units √ of the curvatures `square`.
    """
    most = 0.0
    for c in order:
        k, j = classes[c], columns[c]
        old, h = x[c], square[c]
        slope = g[c] + l2 * (old - start[c])
        for i in range(A.shape[0]):
            slope += A[k, i] * R[i, j]
        for i in range(u.size):
            slope -= low[c, i] * u[i]
        if old == 0.0:
            violation = max(abs(slope) - l1, 0.0)
        else:
            violation = abs(slope + l1) if old > 0.0 else abs(slope - l1)
        if h <= 0.0:
            continue
        most = max(most, violation / np.sqrt(h))
        z = old - slope / h
        t = l1 / h
        new = z - t if z > t else (z + t if z < -t else 0.0)
        d = new - old
        if d != 0.0:
            x[c] = new
            for i in range(G.shape[0]):
                R[k, i] += d * G[j, i]
            for i in range(u.size):
                u[i] += d * back[c, i]
    return most


ADDED = [types.void(rf8(1), *index, ri8(1), rf8(1), wf8(1)) for index in ((ru4(1), ru8(1)), (ru4(1), ru4(1)), (ru8(1), ru8(1)))]


@kernel(*ADDED)
def add_columns(values, rows, starts, columns, x, v):  # type: ignore[no-untyped-def]
    """v += Σ x_s times the column columns[s]."""
    for s in range(columns.size):
        c = np.uint64(columns[s])
        d = x[s]
        for a in range(starts[c], starts[c + np.uint64(1)]):
            v[rows[a]] += d * values[a]


@kernel(types.void(rf8(1), ru4(1), ru8(1), ri8(1), rf8(1), wf8(1)), gathers=True)
def dot_columns(values, rows, starts, columns, v, out):  # type: ignore[no-untyped-def]
    """out_s = v'(the column columns[s])."""
    for s in range(columns.size):
        c = np.uint64(columns[s])
        total = 0.0
        for a in range(starts[c], starts[c + np.uint64(1)]):
            total += values[a] * v[rows[a]]
        out[s] = total


@kernel(types.void(rf8(2), rf8(2), rf8(2), types.float64, types.float64, types.float64, wf8(1)))
def conditions(W, G, units, l1, l2, rounding, out):  # type: ignore[no-untyped-def]
    """How far the gradient G is from one that suits W, entry by entry; within `rounding` units of its column it counts as that one.

    out = Σ |w|, Σ w², Σ [l1 |w| + l2/2 w² + g w + (|g| − l1)₊²/(2 l2)], Σ g w, largest |g|, largest miss in units of its column. `units`
    has a row for each class, or one for all.
    """
    size, square, short, along, most, missed = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    half = 0.5 / l2 if l2 > 0.0 else 0.0
    for k in range(W.shape[0]):
        unit = units[min(k, units.shape[0] - 1)]
        for j in range(W.shape[1]):
            w, g = W[k, j], G[k, j]
            best = -np.sign(w) * l1 - l2 * w if w != 0.0 else min(max(g, -l1), l1)
            over = max(abs(g - best) - rounding * unit[j], 0.0)
            g = best + over if g > best else best - over
            beyond = max(abs(g) - l1, 0.0)
            size += abs(w)
            square += w * w
            short += l1 * abs(w) + 0.5 * l2 * w * w + g * w + half * beyond * beyond
            along += g * w
            most = max(most, abs(g))
            missed = max(missed, over / unit[j] if unit[j] > 0.0 else over)
    out[0], out[1], out[2], out[3], out[4], out[5] = size, square, short, along, most, missed
