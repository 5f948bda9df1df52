"""Conjugate gradients on a face of the dual of a margin machine: no matrix, two reads of the rows on the face for each product.

With F the rows on the face, H = Z Z' + s² yy' + diag(curve), Z = [y_i x_i], and g the slopes of D, they raise g'd − ½ d'Hd; a product goes
by v = Z'd. Rows are CSR parts with unsigned indices; empty `indices` means dense rows, `data` being all of X in C order.
Specification: solvers.margins.dual_face.
"""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, ri8, ru4, ru8, wf8

UNSIGNED = (ru4(1), ru8(1))
LITTLE = 0.01
"""Share of all that was gained below which the gain of a product is the last."""


@kernel(types.void(rf8(1), ri8(1), rf8(1), wf8(1)))
def dense_scores(data, rows, v, out):  # type: ignore[no-untyped-def]
    """out (m,) = x_i'v of the dense rows given."""
    p = np.uint64(v.size)
    for s in range(rows.size):
        low, z = np.uint64(rows[s]) * p, 0.0
        for a in range(p):
            z += data[low + a] * v[a]
        out[s] = z


@kernel(*(types.void(rf8(1), index, index, ri8(1), rf8(1), wf8(1)) for index in UNSIGNED), gathers=True)
def scores(data, indices, indptr, rows, v, out):  # type: ignore[no-untyped-def]
    """out (m,) = x_i'v of the rows given."""
    if indices.size == 0:
        dense_scores(data, rows, v, out)
        return
    for s in range(rows.size):
        z = 0.0
        for a in range(indptr[rows[s]], indptr[rows[s] + 1]):
            z += data[a] * v[indices[a]]
        out[s] = z


@kernel(*(types.void(rf8(1), index, index, ri8(1), rf8(1), wf8(1)) for index in UNSIGNED), gathers=True)
def sums(data, indices, indptr, rows, factors, out):  # type: ignore[no-untyped-def]
    """out (p,) = Σ factors_s x_s over the rows given."""
    dense = indices.size == 0
    out[:] = 0.0
    for s in range(rows.size):
        low, high, f = indptr[rows[s]], indptr[rows[s] + 1], factors[s]
        if dense:
            for a in range(high - low):
                out[a] += f * data[low + a]
        else:
            for a in range(low, high):
                out[indices[a]] += f * data[a]


CLIMB = [
    types.int64(*(rf8(1), index, index, ri8(1), rf8(2), types.float64, rf8(1), rf8(1), types.int64, wf8(1), wf8(2), wf8(1)))
    for index in UNSIGNED
]


@kernel(*CLIMB)
def climb(data, indices, indptr, rows, traits, spread, w, b, most, alpha, work, v):  # type: ignore[no-untyped-def]
    """Raise D over the multipliers α (m,) of the rows given within their bounds; return how many products that took, 0 if nothing rose.

    work (6, m) and v (p,) are scratch; traits as in kernels.dual_svm.epoch.
    """
    m = rows.size
    g, r, q, d, z, signed = work[0], work[1], work[2], work[3], work[4], work[5]
    scores(data, indices, indptr, rows, w, z)
    size = gained = 0.0
    for s in range(m):
        t = rows[s]
        g[s] = 1.0 - traits[t, 0] * (z[s] + b[0]) - traits[t, 2] * alpha[s]
        r[s], d[s] = g[s], 0.0
        q[s] = g[s] / traits[t, 3]
        size += r[s] * q[s]
    count = 0
    while count < most and size > 0.0:
        total = 0.0
        for s in range(m):
            signed[s] = traits[rows[s], 0] * q[s]
            total += signed[s]
        sums(data, indices, indptr, rows, signed, v)
        scores(data, indices, indptr, rows, v, z)
        count += 1
        bend = 0.0
        for s in range(m):
            t = rows[s]
            z[s] = traits[t, 0] * (z[s] + spread * total) + traits[t, 2] * q[s]
            bend += q[s] * z[s]
        if not bend > 0.0:
            break
        length, before = size / bend, size
        size = 0.0
        for s in range(m):
            d[s] += length * q[s]
            r[s] -= length * z[s]
            size += r[s] * r[s] / traits[rows[s], 3]
        for s in range(m):
            q[s] = r[s] / traits[rows[s], 3] + size / before * q[s]
        rise = 0.5 * length * before
        gained += rise
        if rise <= LITTLE * gained:
            break
    for _ in range(6):
        total = slope = bend = 0.0
        for s in range(m):
            t = rows[s]
            q[s] = min(max(alpha[s] + d[s], 0.0), traits[t, 1]) - alpha[s]
            signed[s] = traits[t, 0] * q[s]
            total += signed[s]
            slope += g[s] * q[s]
            bend += traits[t, 2] * q[s] * q[s]
        sums(data, indices, indptr, rows, signed, v)
        count += 1
        for a in range(v.size):
            bend += v[a] * v[a]
        bend += spread * total * total
        if slope - 0.5 * bend > 0.0:
            for s in range(m):
                alpha[s] += q[s]
            return count
        for s in range(m):
            d[s] *= 0.5
    return 0
