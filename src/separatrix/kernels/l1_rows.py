"""Rows of two classes for an L1 penalty: margins and slopes, of dense columns and of sparse rows.

Margins are m_i = y_i z_i, so values carry the sign y_i. Dense columns lie together, (q, n), in units of their own; the last may be the
intercept's. Sparse rows are CSR parts, and where their columns are walked through, a copy by columns that has the signs in it.
"""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, ri4, ri8, ru4, wf8, wi8, wu4
from .margin_losses import losses

ROWS_OF = (rf8(2), rf8(1), ri4(1), ri8(1), ri4(1), types.int64)
"""Z (0, 0) or dense columns; else data, indices, indptr and codes of CSR rows, and p without the intercept."""
COLUMNS_OF = (rf8(1), ru4(1), ri8(1))
"""Values, rows and starts of the copy by columns; empty where there is none."""


@kernel(types.boolean(rf8(2), ri4(1), rf8(1), types.boolean, wf8(2), wf8(1), wf8(1)))
def turn(X, codes, weight, intercept, Z, centre, units):  # type: ignore[no-untyped-def]
    """Fill Z (p, n), or (p + 1, n) with the intercept's row of y_i, means and units; return whether all is finite.

    Columns are multiplied by y_i, less their mean where there is an intercept, and in units of their root mean square.
    """
    n, p = X.shape
    total = 0.0
    for i in range(n):
        s = 1.0 if weight.size == 0 else weight[i]
        total += s
        for j in range(p):
            centre[j] += s * X[i, j]
    for j in range(p):
        centre[j] = centre[j] / total if intercept else 0.0
    for i in range(n):
        s = 1.0 if weight.size == 0 else weight[i]
        for j in range(p):
            d = X[i, j] - centre[j]
            units[j] += s * d * d
    bad = 0.0
    for j in range(p):
        bad += 0.0 * units[j]
        units[j] = np.sqrt(units[j] / total) if units[j] > 1e-280 * total else 1.0
    for i in range(n):
        y = 1.0 if codes[i] == 1 else -1.0
        for j in range(p):
            Z[j, i] = y * (X[i, j] - centre[j]) / units[j]
        if intercept:
            Z[p, i] = y
    return bad == 0.0


@kernel(types.void(rf8(1), ri4(1), ri8(1), rf8(1), wf8(1)), gathers=True)
def add_squares(data, indices, indptr, weight, squares):  # type: ignore[no-untyped-def]
    """squares_j += Σ_i s_i x_ij²."""
    for i in range(indptr.size - 1):
        s = 1.0 if weight.size == 0 else weight[i]
        for a in range(indptr[i], indptr[i + 1]):
            squares[np.uint32(indices[a])] += s * data[a] * data[a]


@kernel(types.void(rf8(1), ri4(1), ri8(1), ri4(1), wf8(1), wu4(1), wi8(1)), gathers=True)
def by_columns(data, indices, indptr, codes, values, rows, starts):  # type: ignore[no-untyped-def]
    """Copy CSR rows times y_i by columns, and a column of y_i behind them where there is room; starts has a place more than columns."""
    n, q = indptr.size - 1, starts.size - 1
    for j in range(q + 1):
        starts[j] = 0
    for a in range(indptr[0], indptr[n]):
        starts[np.uint32(indices[a]) + 1] += 1
    if values.size > indptr[n]:
        starts[q] += n
    for j in range(q):
        starts[j + 1] += starts[j]
    for i in range(n):
        y = 1.0 if codes[i] == 1 else -1.0
        for a in range(indptr[i], indptr[i + 1]):
            column = np.uint32(indices[a])
            at = starts[column]
            values[at], rows[at] = y * data[a], i
            starts[column] = at + 1
        if values.size > indptr[n]:
            at = starts[q - 1]
            values[at], rows[at] = y, i
            starts[q - 1] = at + 1
    for j in range(q, 0, -1):
        starts[j] = starts[j - 1]
    starts[0] = 0


@kernel(types.int64(ri4(1), types.int64, types.int64, wi8(1)))
def count_stored(indices, p, n, stored):  # type: ignore[no-untyped-def]
    """Add up the stored values of each column, those of the ones of an intercept among them; return how many there are."""
    for a in range(indices.size):
        stored[np.uint32(indices[a])] += 1
    if p < stored.size:
        stored[p] = n
    return stored.sum()


@kernel(types.void(rf8(2), rf8(1), wf8(1)))
def dense_margins(Z, theta, margin):  # type: ignore[no-untyped-def]
    """margin = Z'θ."""
    for i in range(margin.size):
        margin[i] = 0.0
    for j in range(theta.size):
        if theta[j] != 0.0:
            t, z = theta[j], Z[j]
            for i in range(margin.size):
                margin[i] += t * z[i]


@kernel(types.void(rf8(1), ri4(1), ri8(1), ri4(1), types.int64, rf8(1), wf8(1)), gathers=True)
def sparse_margins(data, indices, indptr, codes, p, theta, margin):  # type: ignore[no-untyped-def]
    """margin_i = y_i (x_i'θ + b), b behind the p coefficients if there is one."""
    b = theta[p] if theta.size > p else 0.0
    for i in range(margin.size):
        z = b
        for a in range(indptr[i], indptr[i + 1]):
            z += data[a] * theta[np.uint32(indices[a])]
        margin[i] = z if codes[i] == 1 else -z


@kernel(types.void(rf8(2), rf8(1), types.float64, wf8(1)))
def dense_slopes(Z, r, total, g):  # type: ignore[no-untyped-def]
    """g = −Zr/S."""
    for j in range(g.size):
        z, found = Z[j], 0.0
        for i in range(r.size):
            found += r[i] * z[i]
        g[j] = -found / total


@kernel(types.void(rf8(1), ri4(1), ri8(1), ri4(1), types.int64, rf8(1), types.float64, wf8(1)), gathers=True)
def sparse_slopes(data, indices, indptr, codes, p, r, total, g):  # type: ignore[no-untyped-def]
    """g = −Σ_i y_i r_i (x_i, 1)/S."""
    for j in range(g.size):
        g[j] = 0.0
    b = 0.0
    for i in range(r.size):
        t = -r[i] / total if codes[i] == 1 else r[i] / total
        b += t
        for a in range(indptr[i], indptr[i + 1]):
            g[np.uint32(indices[a])] += t * data[a]
    if g.size > p:
        g[p] = b


@kernel(types.float64(rf8(1), ru4(1), types.int64, types.int64, rf8(1)), gathers=True)
def dot(A, places, begin, end, v):  # type: ignore[no-untyped-def]
    """Return a column times v: four sums at a time, since each addition waits for the one before it."""
    s0 = s1 = s2 = s3 = 0.0
    a = begin
    while a + 4 <= end:
        s0 += A[a] * v[places[a]]
        s1 += A[a + 1] * v[places[a + 1]]
        s2 += A[a + 2] * v[places[a + 2]]
        s3 += A[a + 3] * v[places[a + 3]]
        a += 4
    while a < end:
        s0 += A[a] * v[places[a]]
        a += 1
    return (s0 + s1) + (s2 + s3)


@kernel(types.void(rf8(1), ru4(1), ri8(1), rf8(1), types.float64, wf8(1)), gathers=True)
def column_slopes(values, rows, starts, r, total, g):  # type: ignore[no-untyped-def]
    """g_j = −Σ_i y_i x_ij r_i/S from the copy by columns."""
    for j in range(g.size):
        g[j] = -dot(values, rows, starts[j], starts[j + 1], r) / total


@kernel(types.void(*ROWS_OF, rf8(1), wf8(1)))
def margins(Z, data, indices, indptr, codes, p, theta, margin):  # type: ignore[no-untyped-def]
    """margin_i = y_i (x_i'w + b)."""
    if Z.shape[0] > 0:
        dense_margins(Z, theta, margin)
    else:
        sparse_margins(data, indices, indptr, codes, p, theta, margin)


@kernel(types.void(*ROWS_OF, *COLUMNS_OF, rf8(1), types.float64, wf8(1)))
def slopes(Z, data, indices, indptr, codes, p, values, places, starts, r, total, g):  # type: ignore[no-untyped-def]
    """g = −Σ_i y_i r_i (x_i, 1)/S."""
    if Z.shape[0] > 0:
        dense_slopes(Z, r, total, g)
    elif values.size > 0:
        column_slopes(values, places, starts, r, total, g)
    else:
        sparse_slopes(data, indices, indptr, codes, p, r, total, g)


@kernel(types.float64(*ROWS_OF, *COLUMNS_OF, rf8(1), types.float64, rf8(1), rf8(1), rf8(1), wf8(2), wi8(1), wf8(1)))
def evaluate(  # type: ignore[no-untyped-def]
    Z, data, indices, indptr, codes, p, values, places, starts, weight, total, ridge, theta, margin, rows, bits, g
):
    """Return the mean loss, and in g the slopes with the ridge's; rows[0] and rows[1] become r and h of `losses`."""
    loss = losses(margin, weight, rows[0], rows[1], rows[2], bits) / total
    slopes(Z, data, indices, indptr, codes, p, values, places, starts, rows[0], total, g)
    for j in range(theta.size):
        g[j] += ridge[j] * theta[j]
    return loss
