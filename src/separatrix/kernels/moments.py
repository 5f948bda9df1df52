"""Shifted class sums and scatters of one tile of rows.

With d_i = x_i − pilot[codes_i] and weight w_i, for each class k over the tile's rows:

    counts[k] += Σ w_i        sums[k] += Σ w_i d_i        squares[k] += Σ w_i d_i²

The pilot is a rough class mean: shifting by it is what keeps a mean of 1e8 with unit variance exact, and shifting
by the *class's* pilot keeps the within-class scatter exact however far the classes are apart.
"""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf4, rf8, ri4, ri8, wf8, wi8


@kernel(
    types.void(rf8(2), ri4(1), rf8(1), rf8(2), ri8(1), types.int64, wf8(2), wf8(1), wf8(3)),
    types.void(rf4(2), ri4(1), rf8(1), rf8(2), ri8(1), types.int64, wf8(2), wf8(1), wf8(3)),
)
def shift_rows(X, codes, weight, pilot, rows, first, shifted, counts, sums):  # type: ignore[no-untyped-def]
    """Fill shifted[rows[i]] = √w_i d_i and add to counts and, row first + i to one of four in turn, to sums. An empty weight: all ones."""
    n, p = X.shape
    if weight.size == 0:
        for i in range(n):
            k = codes[i]
            r = rows[i]
            own = sums[(first + i) & 3, k]
            counts[k] += 1.0
            for j in range(p):
                d = X[i, j] - pilot[k, j]
                shifted[r, j] = d
                own[j] += d
        return
    for i in range(n):
        k = codes[i]
        w = weight[i]
        root = np.sqrt(w)
        r = rows[i]
        own = sums[(first + i) & 3, k]
        counts[k] += w
        for j in range(p):
            d = X[i, j] - pilot[k, j]
            shifted[r, j] = root * d
            own[j] += w * d


@kernel(
    types.void(rf8(1), ri4(1), rf8(1), rf8(1), rf8(1), ri8(1), types.int64, wf8(1), wf8(2)),
    types.void(rf4(1), ri4(1), rf8(1), rf8(1), rf8(1), ri8(1), types.int64, wf8(1), wf8(2)),
)
def shift_column(x, codes, weight, root, pilot, rows, first, shifted, sums):  # type: ignore[no-untyped-def]
    """Do for one column what shift_rows does, with the roots of the weights given; empty rows are 0, 1, ….

    Four sums in turn: the next row of a class need not wait for what the last one added.
    """
    if weight.size == 0 and rows.size == 0:
        for i in range(x.size):
            k = codes[i]
            d = x[i] - pilot[k]
            shifted[i] = d
            sums[(first + i) & 3, k] += d
        return
    for i in range(x.size):
        k = codes[i]
        d = x[i] - pilot[k]
        r = i if rows.size == 0 else rows[i]
        if weight.size == 0:
            shifted[r] = d
            sums[(first + i) & 3, k] += d
        else:
            shifted[r] = root[i] * d
            sums[(first + i) & 3, k] += weight[i] * d


@kernel(
    types.void(rf8(2), ri4(1), rf8(1), rf8(2), wf8(1), wf8(2), wf8(2)),
    types.void(rf4(2), ri4(1), rf8(1), rf8(2), wf8(1), wf8(2), wf8(2)),
)
def add_squares(X, codes, weight, pilot, counts, sums, squares):  # type: ignore[no-untyped-def]
    """Add to counts, sums and squares. An empty weight means all ones."""
    n, p = X.shape
    if weight.size == 0:
        for i in range(n):
            k = codes[i]
            counts[k] += 1.0
            for j in range(p):
                d = X[i, j] - pilot[k, j]
                sums[k, j] += d
                squares[k, j] += d * d
        return
    for i in range(n):
        k = codes[i]
        w = weight[i]
        counts[k] += w
        for j in range(p):
            d = X[i, j] - pilot[k, j]
            sums[k, j] += w * d
            squares[k, j] += w * d * d


@kernel(types.void(ri4(1), ri8(1), wi8(1), wi8(1)))
def sort_by_slot(codes, slots, starts, rows):  # type: ignore[no-untyped-def]
    """Give row i the place rows[i] at which the rows of slot s stand together, in their order, from starts[s] to starts[s + 1]."""
    starts[:] = 0
    for i in range(codes.size):
        starts[slots[codes[i]] + 1] += 1
    for s in range(1, starts.size):
        starts[s] += starts[s - 1]
    place = starts.copy()
    for i in range(codes.size):
        s = slots[codes[i]]
        rows[i] = place[s]
        place[s] += 1


@kernel(types.void(ri4(1), wi8(2), wi8(1)))
def first_rows(codes, rows, found):  # type: ignore[no-untyped-def]
    """Put the numbers of the first few rows of group g into rows[g, :found[g]]; stop when every group has its share."""
    groups, limit = rows.shape
    wanted = groups * limit
    for i in range(codes.size):
        g = codes[i]
        if found[g] < limit:
            rows[g, found[g]] = i
            found[g] += 1
            wanted -= 1
            if wanted == 0:
                return


@kernel(
    types.void(rf8(1), ri4(1), ri4(1), ri4(1), rf8(1), rf8(2), wf8(1), wf8(2), wf8(2)),
    types.void(rf8(1), ri8(1), ri8(1), ri4(1), rf8(1), rf8(2), wf8(1), wf8(2), wf8(2)),
)
def add_sparse(data, indices, indptr, codes, weight, pilot, counts, sums, squares):  # type: ignore[no-untyped-def]
    """Add to counts, sums and squares from the stored values of CSR rows.

    Columns that are stored in only some rows must have pilot 0: an absent value is then exactly 0 after the shift.
    """
    for i in range(indptr.size - 1):
        w = 1.0 if weight.size == 0 else weight[i]
        k = codes[i]
        counts[k] += w
        for a in range(indptr[i], indptr[i + 1]):
            j = indices[a]
            d = data[a] - pilot[k, j]
            sums[k, j] += w * d
            squares[k, j] += w * d * d


@kernel(
    types.void(rf8(1), ri4(1), ri4(1), ri4(1), rf8(1), rf8(2), ri8(1), wf8(3)),
    types.void(rf8(1), ri8(1), ri8(1), ri4(1), rf8(1), rf8(2), ri8(1), wf8(3)),
)
def add_pairs(data, indices, indptr, codes, weight, pilot, slots, scatter):  # type: ignore[no-untyped-def]
    """Add Σ w_i d_i d_i' over pairs of stored values to scatter[slots[k]], lower triangle. Column numbers rise within a row."""
    for i in range(indptr.size - 1):
        w = 1.0 if weight.size == 0 else weight[i]
        k = codes[i]
        target = scatter[slots[k]]
        for a in range(indptr[i], indptr[i + 1]):
            row = indices[a]
            value = w * (data[a] - pilot[k, row])
            for b in range(indptr[i], a + 1):
                column = indices[b]
                target[row, column] += value * (data[b] - pilot[k, column])
