"""The votes of all weights that a perceptron has had."""

from __future__ import annotations

import numpy as np
from numba import types

from .jit import kernel, rf8, ri4, ri8, wf8


@kernel(types.void(rf8(2), rf8(2), ri8(1), ri4(1), ri4(1), rf8(1), types.float64, rf8(1), wf8(2)))
def cast_votes(G, start, index, own, rival, step, unit, survived, votes):  # type: ignore[no-untyped-def]
    """Add up the votes of all weights a voted perceptron has had, those after t updates having survived[t] votes.

    G (n, S) are products x'x_s with the rows stepped on, start (n, R) the scores before the first step: the scores of x under
    the next weights differ by ± step (G[x, s] + unit). Two classes have one column of votes, + for the second and − for the first.
    """
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
