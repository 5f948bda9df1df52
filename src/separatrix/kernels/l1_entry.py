"""Which columns a step of L1-penalised logistic loss takes into its quadratic: those in use, and those whose slopes ask to come in."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, wf8, wi8

NEAR = 0.9
"""Share of its penalty from which the slope of a column lets it into the quadratic."""
AT_ONCE, BISECTIONS = 64, 20
"""Dense columns that may always be let in at once, and how closely the share that lets in no more is found."""


@kernel(types.float64(rf8(1), rf8(1), rf8(1)))
def entry(g, theta, t):  # type: ignore[no-untyped-def]
    """Return the share of its penalty from which the slope of a column lets it in: at most as many as there are already, or AT_ONCE."""
    inside, most = 0, NEAR
    for j in range(g.size):
        if theta[j] != 0.0 or t[j] == 0.0:
            inside += 1
        else:
            most = max(most, abs(g[j]) / t[j])
    low, high = NEAR, most
    for turn in range(BISECTIONS):
        share, count = (low if turn == 0 else np.sqrt(low * high)), 0
        for j in range(g.size):
            count += theta[j] == 0.0 and t[j] > 0.0 and abs(g[j]) > share * t[j]
        if count > max(inside, AT_ONCE):
            low = share
        elif turn == 0:
            return share
        else:
            high = share
    return low


@kernel(types.int64(rf8(1), rf8(1), rf8(1), rf8(1), types.float64, wi8(1), wi8(1), wf8(2)))
def choose(g, theta, t, ridge, near, chosen, place, model):  # type: ignore[no-untyped-def]
    """List the columns with a coefficient, without a penalty, or with a slope above that share of it; return how many.

    model becomes coefficients, slopes, penalties and ridges of the columns chosen.
    """
    k = 0
    for j in range(g.size):
        place[j] = -1
        if theta[j] != 0.0 or t[j] == 0.0 or abs(g[j]) > near * t[j]:
            chosen[k], place[j] = j, k
            model[0, k], model[1, k], model[2, k], model[3, k] = theta[j], g[j], t[j], ridge[j]
            k += 1
    return k
