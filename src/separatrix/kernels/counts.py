"""Counting by class and adding up what counts say: column totals, category totals and their scores.

Column numbers are turned to unsigned integers before they index: a signed one costs a test for "from the end" at every value.
Loops over stored values that add into one number leave early on a value that cannot be a count, which also keeps the compiler
from vectorising them with gathers (measured: twice as slow as one value at a time).
"""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf4, rf8, ri4, ri8, wf8, wi8


@kernel(
    types.void(rf8(2), ri4(1), rf8(1), types.float64, wf8(2)),
    types.void(rf4(2), ri4(1), rf8(1), types.float64, wf8(2)),
)
def add_rows(X, codes, weight, floor, totals):  # type: ignore[no-untyped-def]
    """totals[codes_i, j] += w_i x_ij; a value below `floor` or NaN makes the total NaN. An empty weight means all ones."""
    n, p = X.shape
    for i in range(n):
        w = 1.0 if weight.size == 0 else weight[i]
        row = totals[codes[i]]
        for j in range(p):
            x = X[i, j]
            row[j] += w * x if x >= floor else np.nan


@kernel(
    types.void(rf8(1), ri4(1), ri4(1), ri4(1), rf8(1), types.float64, wf8(2)),
    types.void(rf8(1), ri8(1), ri8(1), ri4(1), rf8(1), types.float64, wf8(2)),
)
def add_sparse(data, indices, indptr, codes, weight, floor, totals):  # type: ignore[no-untyped-def]
    """The same from the stored values of CSR rows."""
    for i in range(indptr.size - 1):
        w = 1.0 if weight.size == 0 else weight[i]
        row = totals[codes[i]]
        for a in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            x = data[a]
            row[np.uint64(indices[a])] += w * x if x >= floor else np.nan


@kernel(types.void(rf8(1), types.float64, wf8(1)), types.void(rf4(1), types.float64, wf8(1)))
def switch(values, threshold, on):  # type: ignore[no-untyped-def]
    """on[i] = 1 where values[i] > threshold, else 0; NaN where the value is not finite."""
    for i in range(values.size):
        x = values[i]
        state = 1.0 if x > threshold else 0.0
        on[i] = state if np.isfinite(x) else np.nan


@kernel(
    types.void(rf8(1), ri4(1), ri4(1), rf8(2), types.float64, wf8(2)),
    types.void(rf8(1), ri8(1), ri8(1), rf8(2), types.float64, wf8(2)),
)
def add_sparse_scores(data, indices, indptr, weights, floor, scores):  # type: ignore[no-untyped-def]
    """scores[i] += Σ_j x_ij weights[j] over the stored values of CSR rows, weights (p, K); NaN for a value below `floor` or NaN."""
    K = weights.shape[1]
    for i in range(indptr.size - 1):
        begin, end = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
        if K == 1:
            total = 0.0
            for a in range(begin, end):
                x = data[a]
                if not x >= floor:
                    total = np.nan
                    break
                total += x * weights[np.uint64(indices[a]), 0]
            scores[i, 0] += total
            continue
        row, at = scores[i], begin
        while at + np.uint64(1) < end:  # two at a time: half the trips of the row to memory and back
            x, y = data[at], data[at + np.uint64(1)]
            x, y = x if x >= floor else np.nan, y if y >= floor else np.nan
            u, v = np.uint64(indices[at]), np.uint64(indices[at + np.uint64(1)])
            for k in range(K):
                row[k] += x * weights[u, k] + y * weights[v, k]
            at += np.uint64(2)
        if at < end:
            x = data[at] if data[at] >= floor else np.nan
            u = np.uint64(indices[at])
            for k in range(K):
                row[k] += x * weights[u, k]


@kernel(types.boolean(rf8(2), types.boolean, wf8(1)), types.boolean(rf4(2), types.boolean, wf8(1)))
def top_categories(X, skip_missing, top):  # type: ignore[no-untyped-def]
    """Raise top[j] to the largest category of column j; return whether all values are whole and ≥ 0, or NaN if those are skipped."""
    n, p = X.shape
    good = True
    for i in range(n):
        for j in range(p):
            x = np.float64(X[i, j])
            good &= (x >= 0.0) & (x == np.floor(x)) | skip_missing & (x != x)
            top[j] = x if x > top[j] else top[j]
    return good


@kernel(
    types.void(rf8(2), ri4(1), rf8(1), ri8(1), wf8(2)),
    types.void(rf4(2), ri4(1), rf8(1), ri8(1), wf8(2)),
)
def add_categories(X, codes, weight, starts, cells):  # type: ignore[no-untyped-def]
    """cells[codes_i, starts_j + x_ij] += w_i; a NaN adds nowhere. Every category must lie in its column's cells."""
    n, p = X.shape
    for i in range(n):
        w = 1.0 if weight.size == 0 else weight[i]
        row = cells[codes[i]]
        for j in range(p):
            x = X[i, j]
            if x == x:
                row[np.uint64(starts[j] + np.int64(x))] += w


@kernel(
    types.void(rf8(2), ri8(1), rf8(2), types.boolean, wf8(2), wi8(1)),
    types.void(rf4(2), ri8(1), rf8(2), types.boolean, wf8(2), wi8(1)),
)
def add_category_scores(X, starts, table, skip_missing, scores, unknown):  # type: ignore[no-untyped-def]
    """scores[i] += Σ_j table[starts_j + x_ij], table (cells, K); unknown[j] counts categories outside, which add nothing.

    A value that is no category, or a missing one that is not to be skipped, makes the row's scores NaN.
    """
    n, p = X.shape
    for i in range(n):
        row = scores[i]
        for j in range(p):
            x = np.float64(X[i, j])
            if x >= 0.0 and x == np.floor(x) and x < np.inf:
                if x >= starts[j + 1] - starts[j]:
                    unknown[j] += 1
                    continue
                given = table[np.uint64(starts[j] + np.int64(x))]
                for k in range(row.size):
                    row[k] += given[k]
            elif not (skip_missing and x != x):
                row[:] = np.nan
