"""Weighted Gram matrices of the columns chosen, of unit diagonal, and the work they are beside walks through these columns."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, ri4, ri8, wf8, wi8
from .l1_quadratic import CUBE, FACTORED
from .l1_rows import ROWS_OF

SWEPT = 3.0
"""Work of the sweeps of a quadratic, for each entry of its matrix."""
ROWS = 256
"""Rows of which products are formed at a time: a column's share of them stays in the first cache."""
TILE = 64
"""Rows and columns of a part of a matrix that is copied to the other side of the diagonal at a time."""
ROW, PAIR, FAR_PAIR, ENTRY = 0.6, 0.7, 2e-3, 3.0
"""Work in values read: of a value in search of pairs, of a pair, more of it for each column, and of an entry of a matrix."""


@kernel(types.void(rf8(2), rf8(1), ri8(1), types.int64, types.float64, wf8(2), wf8(1)))
def dense_gram(Z, h, chosen, k, total, H, buffer):  # type: ignore[no-untyped-def]
    """Lower triangle of H (k, k) = Z diag(h) Z'/S of the columns chosen."""
    n = h.size
    for a in range(k):
        for b in range(a + 1):
            H[a, b] = 0.0
    for begin in range(0, n, ROWS):
        count = min(ROWS, n - begin)
        for a in range(k):
            z = Z[chosen[a], begin : begin + count]
            for i in range(count):
                buffer[i] = z[i] * h[begin + i] / total
            b = 0
            while b + 3 <= a:
                z0, z1 = Z[chosen[b], begin : begin + count], Z[chosen[b + 1], begin : begin + count]
                z2, z3 = Z[chosen[b + 2], begin : begin + count], Z[chosen[b + 3], begin : begin + count]
                s0 = s1 = s2 = s3 = 0.0
                for i in range(count):
                    value = buffer[i]
                    s0 += value * z0[i]
                    s1 += value * z1[i]
                    s2 += value * z2[i]
                    s3 += value * z3[i]
                H[a, b] += s0
                H[a, b + 1] += s1
                H[a, b + 2] += s2
                H[a, b + 3] += s3
                b += 4
            while b <= a:
                z0, s0 = Z[chosen[b], begin : begin + count], 0.0
                for i in range(count):
                    s0 += buffer[i] * z0[i]
                H[a, b] += s0
                b += 1


@kernel(types.void(rf8(1), ri4(1), ri8(1), types.int64, rf8(1), ri8(1), types.int64, types.float64, wf8(2), wi8(1), wf8(1)), gathers=True)
def sparse_gram(data, indices, indptr, p, h, place, k, total, H, near, buffer):  # type: ignore[no-untyped-def]
    """Lower triangle of H (k, k) = Σ_i h_i x_i x_i'/S of the columns that have a place ≥ 0, in the order of the columns."""
    for a in range(k):
        for b in range(a + 1):
            H[a, b] = 0.0
    last = place[p] if place.size > p else -1
    for i in range(h.size):
        count = 0
        for a in range(indptr[i], indptr[i + 1]):
            at = place[np.uint32(indices[a])]
            if at >= 0:
                near[count], buffer[count] = at, data[a]
                count += 1
        if last >= 0:
            near[count], buffer[count] = last, 1.0
            count += 1
        weight = h[i] / total
        for a in range(count):
            row, t = H[near[a]], weight * buffer[a]
            for b in range(a + 1):
                row[near[b]] += t * buffer[b]


@kernel(types.void(wf8(2), types.int64))
def mirror(H, k):  # type: ignore[no-untyped-def]
    """Copy the lower triangle of H (k, k) to the upper one, part by part."""
    for low in range(0, k, TILE):
        for left in range(0, low + 1, TILE):
            for a in range(low, min(low + TILE, k)):
                for b in range(left, min(left + TILE, a)):
                    H[b, a] = H[a, b]


@kernel(types.void(*ROWS_OF, rf8(1), ri8(1), types.int64, ri8(1), rf8(1), types.float64, wf8(2), wf8(1), wi8(1), wf8(1)))
def scaled_gram(  # type: ignore[no-untyped-def]
    Z, data, indices, indptr, codes, p, h, chosen, k, place, ridge, total, S, units, near, buffer
):
    """S (k, k) = the Hessian of the columns chosen, with their ridges, divided by units that make its diagonal 1."""
    if Z.shape[0] > 0:
        dense_gram(Z, h, chosen, k, total, S, buffer)
    else:
        sparse_gram(data, indices, indptr, p, h, place, k, total, S, near, buffer)
    for a in range(k):
        S[a, a] += ridge[a]
        units[a] = np.sqrt(S[a, a]) if S[a, a] > 1e-280 else 1.0
    for a in range(k):
        for b in range(a + 1):
            S[a, b] /= units[a] * units[b]
    mirror(S, k)


@kernel(types.float64(types.float64, types.float64, types.float64, types.float64))
def gram_work(stored, k, inside, n):  # type: ignore[no-untyped-def]
    """Return the work of a Gram matrix of k sparse columns with `inside` of the `stored` values of n rows."""
    return ROW * stored + (PAIR + FAR_PAIR * k) * 0.5 * inside * (inside / n + 1.0) + ENTRY * k * k


@kernel(types.float64(types.float64))
def quadratic_work(k):  # type: ignore[no-untyped-def]
    """Return the work of a quadratic of k coordinates with its matrix, as it mostly is: some sweeps, and a system or two."""
    return SWEPT * k * k + CUBE * k * k * min(k, FACTORED)
