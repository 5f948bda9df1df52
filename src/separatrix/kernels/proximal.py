"""Coordinate descent for L1-penalised quadratics: with an explicit matrix, or with that of a sparse X and row curvatures."""

from __future__ import annotations

from numba import types

from .jit import array, kernel, rf8, wf8, wi8

ru4 = array(types.uint32, 1, True)
ru8 = array(types.uint64, 1, True)


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


COLUMNS = [
    types.float64(rf8(1), index, index, rf8(1), rf8(1), rf8(1), rf8(1), types.float64, types.float64, types.boolean, wf8(1), wf8(1), wf8(1))
    for index in (ru4, ru8)
]


@kernel(*COLUMNS)
def column_sweep(data, indices, indptr, h, g, square, start, l1, l2, intercept, x, v, total):  # type: ignore[no-untyped-def]
    """One sweep over the columns of a CSC matrix for the quadratic model with row curvatures h (n,) and gradient g (q,) at start (q,).

    v (n,) = X̃(x − start) is kept up to date; the last entry of x is the intercept, total[0] = Σ h_i. Return the largest slope that
    a step removed.
    """
    most = 0.0
    p = x.size - 1
    if intercept:
        slope = g[p]
        for i in range(v.size):
            slope += h[i] * v[i]
        d = -slope / total[0]
        x[p] += d
        for i in range(v.size):
            v[i] += d
        most = abs(slope)
    for j in range(p):
        if square[j] <= 0.0:
            continue
        slope = g[j] + l2 * (x[j] - start[j])
        for a in range(indptr[j], indptr[j + 1]):
            i = indices[a]
            slope += data[a] * h[i] * v[i]
        u = x[j] - slope / square[j]
        t = l1 / square[j]
        new = u - t if u > t else (u + t if u < -t else 0.0)
        d = new - x[j]
        if d != 0.0:
            x[j] = new
            for a in range(indptr[j], indptr[j + 1]):
                v[indices[a]] += d * data[a]
            most = max(most, square[j] * abs(d))
    return most
