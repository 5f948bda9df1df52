"""What tells one kind of column from another, and how often its values fall between given cuts, by class."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf4, rf8, ri4, ri8, wf8


@kernel(
    types.void(rf8(2), ri4(1), rf8(1), wf8(2), wf8(1), wf8(1), wf8(1)),
    types.void(rf4(2), ri4(1), rf8(1), wf8(2), wf8(1), wf8(1), wf8(1)),
)
def screen(X, codes, weight, totals, low, high, broken):  # type: ignore[no-untyped-def]
    """totals[codes_i, j] += w_i x_ij; low, high and the largest distance to a whole number of each column, of rows of positive weight.

    An empty weight means all ones. A NaN or an infinity ends in the totals.
    """
    n, p = X.shape
    for i in range(n):
        w = 1.0 if weight.size == 0 else weight[i]
        if w == 0.0:
            for j in range(p):
                totals[codes[i], j] += 0.0 * X[i, j]
            continue
        row = totals[codes[i]]
        for j in range(p):
            x = np.float64(X[i, j])
            part = x - np.floor(x)
            row[j] += w * x
            low[j] = x if x < low[j] else low[j]
            high[j] = x if x > high[j] else high[j]
            broken[j] = part if part > broken[j] else broken[j]


@kernel(
    types.void(rf8(2), ri4(1), rf8(1), ri8(1), ri8(1), rf8(1), wf8(2)),
    types.void(rf4(2), ri4(1), rf8(1), ri8(1), ri8(1), rf8(1), wf8(2)),
)
def add_cells(X, codes, weight, columns, starts, cuts, cells):  # type: ignore[no-untyped-def]
    """cells[codes_i, starts_c + number of cuts of column c that are < x] += w_i, for x = X[i, columns_c].

    Column c has the cuts from starts_c − c on, in rising order, one less than it has cells.
    """
    for i in range(X.shape[0]):
        w = 1.0 if weight.size == 0 else weight[i]
        row = cells[codes[i]]
        for c in range(columns.size):
            x = np.float64(X[i, columns[c]])
            first = starts[c] - c
            low, high = first, starts[c + 1] - c - 1
            while low < high:
                middle = (low + high) // 2
                if cuts[middle] < x:
                    low = middle + 1
                else:
                    high = middle
            row[np.uint64(starts[c] + low - first)] += w
