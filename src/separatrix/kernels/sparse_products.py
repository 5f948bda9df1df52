"""Products with CSR rows, for both widths of indices. A CSC matrix is the CSR matrix of its transpose.

Column numbers are made unsigned: a signed one would be checked for counting from the end on every access.
"""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, ri4, ri8, wf8


@kernel(
    types.void(rf8(1), ri4(1), ri4(1), rf8(2), wf8(2)),
    types.void(rf8(1), ri8(1), ri8(1), rf8(2), wf8(2)),
    gathers=True,
)
def rows_times(data, indices, indptr, V, out):  # type: ignore[no-untyped-def]
    """out (n, K) = X V for CSR rows X (n, p) and V (p, K)."""
    K = V.shape[1]
    for i in range(out.shape[0]):
        if K == 1:
            total = 0.0
            for a in range(indptr[i], indptr[i + 1]):
                total += data[a] * V[np.uint64(indices[a]), 0]
            out[i, 0] = total
            continue
        for k in range(K):
            out[i, k] = 0.0
        a, end = indptr[i], indptr[i + 1]
        while a + 1 < end:  # two at a time: half the trips of out[i] to memory and back
            x, y = data[a], data[a + 1]
            u, v = np.uint64(indices[a]), np.uint64(indices[a + 1])
            for k in range(K):
                out[i, k] += x * V[u, k] + y * V[v, k]
            a += 2
        if a < end:
            for k in range(K):
                out[i, k] += data[a] * V[np.uint64(indices[a]), k]


@kernel(
    types.void(rf8(1), ri4(1), ri4(1), rf8(2), wf8(2)),
    types.void(rf8(1), ri8(1), ri8(1), rf8(2), wf8(2)),
)
def add_transposed(data, indices, indptr, U, out):  # type: ignore[no-untyped-def]
    """out (p, K) += X'U for CSR rows X (n, p) and U (n, K)."""
    K = U.shape[1]
    for i in range(U.shape[0]):
        for a in range(indptr[i], indptr[i + 1]):
            x = data[a]
            j = np.uint64(indices[a])
            for k in range(K):
                out[j, k] += x * U[i, k]


@kernel(
    types.void(rf8(1), ri4(1), ri4(1), rf8(1), wf8(2)),
    types.void(rf8(1), ri8(1), ri8(1), rf8(1), wf8(2)),
)
def add_weighted_pairs(data, indices, indptr, h, out):  # type: ignore[no-untyped-def]
    """Add Σ h_i [x_i, 1][x_i, 1]' to out (p + 1, p + 1), lower triangle. Column numbers rise within a row."""
    p = out.shape[0] - 1
    for i in range(h.size):
        w = h[i]
        out[p, p] += w
        for a in range(indptr[i], indptr[i + 1]):
            row = np.uint64(indices[a])
            value = w * data[a]
            out[p, row] += value
            for b in range(indptr[i], a + 1):
                out[row, np.uint64(indices[b])] += value * data[b]


@kernel(types.void(wf8(2)))
def mirror(A):  # type: ignore[no-untyped-def]
    """Copy the lower triangle of A (q, q) to the upper one, tile by tile."""
    q, tile = A.shape[0], 32
    for top in range(0, q, tile):
        for left in range(0, top + 1, tile):
            for i in range(top, min(top + tile, q)):
                for j in range(left, min(left + tile, i)):
                    A[j, i] = A[i, j]


@kernel(
    types.float64(rf8(1), ri4(1), ri4(1), rf8(2), types.float64, rf8(2), types.float64, wf8(2)),
    types.float64(rf8(1), ri8(1), ri8(1), rf8(2), types.float64, rf8(2), types.float64, wf8(2)),
    gathers=True,
)
def scaled_rows_times(data, indices, indptr, V, scale, B, strength, out):  # type: ignore[no-untyped-def]
    """out = scale X V + strength B; return Σ B·out. With X transposed this is a penalised gradient or Hessian product."""
    K = V.shape[1]
    dot = 0.0
    rows_times(data, indices, indptr, V, out)
    for i in range(out.shape[0]):
        for k in range(K):
            out[i, k] = scale * out[i, k] + strength * B[i, k]
            dot += B[i, k] * out[i, k]
    return dot


@kernel(
    types.void(rf8(1), ri4(1), rf8(1), wf8(1)),
    types.void(rf8(1), ri8(1), rf8(1), wf8(1)),
)
def weighted_squares(data, indptr, weight_of_value, out):  # type: ignore[no-untyped-def]
    """out[i] = Σ w x² over the stored values of row i. An empty weight means all ones."""
    for i in range(out.size):
        total = 0.0
        for a in range(indptr[i], indptr[i + 1]):
            w = 1.0 if weight_of_value.size == 0 else weight_of_value[a]
            total += w * data[a] * data[a]
        out[i] = total
