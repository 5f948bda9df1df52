"""The gap of an L1-penalised logistic loss inside a compiled loop, by slopes at a point or those that the last quadratic foretold."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, wf8
from .l1_certificate import certify, foretold_gap
from .l1_rows import COLUMNS_OF, ROWS_OF, slopes


@kernel(
    types.void(
        *(*ROWS_OF, *COLUMNS_OF, rf8(1), types.float64, rf8(1), rf8(1), rf8(1), rf8(1), rf8(1), rf8(1), rf8(2), types.float64),
        *(types.float64, rf8(1), rf8(1), types.float64, wf8(1), wf8(1)),
    )
)
def prove(  # type: ignore[no-untyped-def]
    Z,
    data,
    indices,
    indptr,
    codes,
    p,
    values,
    places,
    starts,
    weight,
    total,
    t,
    ridge,
    units,
    theta,
    g,
    margin,
    rows,
    enough,
    lost,
    here,
    foretold,
    every,
    G,
    out,
):
    """Set out[4] to the gap, out[5] to the largest miss, and out[6] to the gap by slopes foretold, infinite where they are not asked.

    Parameters
    ----------
    enough : gap that proves the end, as a share of f
    lost : what the last quadratic did not foretell
    here : f and its loss
    foretold : (n,) slopes of the rows that it foretold
    every : work of a pass, added to out[2]
    G : (q,) to work in
    """
    value, loss = here[0], here[1]
    for j in range(theta.size):
        G[j] = g[j] - ridge[j] * theta[j]
    certify(theta, G, t, ridge, units, loss, margin, weight, rows, total, enough, out[4:])
    out[6] = np.inf
    if out[4] > enough * value >= 2.0 * lost:
        slopes(Z, data, indices, indptr, codes, p, values, places, starts, foretold, total, G)
        out[6] = foretold_gap(theta, G, t, ridge, units, loss, foretold, rows, total)
        out[4], out[2] = min(out[4], out[6]), out[2] + every
