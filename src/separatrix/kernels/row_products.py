"""Products of some sparse rows with each other and with a vector. Specification: X[rows] @ X[rows].T and X[rows] @ v."""

from __future__ import annotations

from numba import types

from .jit import kernel, rf8, ri8, ru4, ru8, wf8


@kernel(*(types.void(rf8(1), index, index, ri8(1), rf8(1), wf8(1), wf8(1), wf8(2)) for index in (ru4(1), ru8(1))), gathers=True)
def row_products(data, indices, indptr, rows, v, scratch, scores, out):  # type: ignore[no-untyped-def]
    """scores (m,) = x_i'v and out (m, m) = x_i'x_j of the CSR rows given; `scratch` (p,) is 0 before and after."""
    for s in range(rows.size):
        first, last, z = indptr[rows[s]], indptr[rows[s] + 1], 0.0
        for a in range(first, last):
            scratch[indices[a]] = data[a]
            z += data[a] * v[indices[a]]
        scores[s] = z
        for t in range(s, rows.size):
            z = 0.0
            for a in range(indptr[rows[t]], indptr[rows[t] + 1]):
                z += data[a] * scratch[indices[a]]
            out[t, s] = out[s, t] = z
        for a in range(first, last):
            scratch[indices[a]] = 0.0
