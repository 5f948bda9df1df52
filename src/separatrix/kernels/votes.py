"""The votes of all weights that a perceptron has had.

The weights after t updates have survived[t] votes. G has the products x'x_s with the rows stepped on: the scores of x under the next
weights differ by ± step (x'x_s + unit). Two classes have one score, + for the second class and − for the first, others one each.
`cast_votes` goes through the updates row by row; `cast_votes_together` takes many rows along, a hundred in a quarter of the time.
"""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, ri4, ri8, wf8

_UPDATES = (ri8(1), ri4(1), ri4(1), rf8(1), types.float64, rf8(1), wf8(2))


@kernel(types.void(rf8(2), rf8(2), *_UPDATES))
def cast_votes(G, start, index, own, rival, step, unit, survived, votes):  # type: ignore[no-untyped-def]
    """Add to votes (n, R); G (n, S), start (n, R) the scores before the first step."""
    for i in range(G.shape[0]):
        f = start[i].copy()
        for t in range(survived.size):
            if t > 0:
                g = step[t - 1] * (G[i, index[t - 1]] + unit)
                if f.size == 1:
                    f[0] += g if own[t - 1] == 1 else -g
                else:
                    f[own[t - 1]] += g
                    f[rival[t - 1]] -= g
            if f.size == 1:
                votes[i, 0] += survived[t] if f[0] > 0.0 else -survived[t]
            else:
                votes[i, np.argmax(f)] += survived[t]


@kernel(types.void(wf8(1), rf8(1), types.float64, types.float64))
def add_change(f, g, step, unit):  # type: ignore[no-untyped-def]
    """f += step (g + unit)."""
    for i in range(f.size):
        f[i] += step * (g[i] + unit)


@kernel(types.void(rf8(2), wf8(1), wf8(1)))
def winners(f, top, best):  # type: ignore[no-untyped-def]
    """Set best to the first largest of each column of f, one row being the score of the second class."""
    one = f.shape[0] == 1
    for i in range(best.size):
        best[i] = 1.0 if one and f[0, i] > 0.0 else 0.0
        top[i] = f[0, i]
    for k in range(1, f.shape[0]):
        for i in range(best.size):
            x = f[k, i]
            best[i] = float(k) if x > top[i] else best[i]
            top[i] = x if x > top[i] else top[i]


@kernel(types.void(rf8(1), types.float64, types.float64, wf8(1)))
def count(best, k, survived, votes):  # type: ignore[no-untyped-def]
    """Add the votes of the rows that class k has won."""
    for i in range(best.size):
        votes[i] += survived if best[i] == k else 0.0


@kernel(types.void(rf8(2), wf8(2), *_UPDATES))
def cast_votes_together(G, f, index, own, rival, step, unit, survived, votes):  # type: ignore[no-untyped-def]
    """Add to votes (K, n); G (S, n), f (R, n) the scores before the first step, which become the last ones."""
    top, best = np.empty(f.shape[1]), np.empty(f.shape[1])
    for t in range(survived.size):
        if t > 0:
            g = G[np.uint64(index[t - 1])]
            if f.shape[0] == 1:
                add_change(f[0], g, step[t - 1] if own[t - 1] == 1 else -step[t - 1], unit)
            else:
                add_change(f[np.uint64(own[t - 1])], g, step[t - 1], unit)
                add_change(f[np.uint64(rival[t - 1])], g, -step[t - 1], unit)
        winners(f, top, best)
        for k in range(votes.shape[0]):
            count(best, float(k), survived[t], votes[k])
