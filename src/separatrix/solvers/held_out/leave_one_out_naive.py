"""Exact leave-one-out scores of naive Bayes: only the class of the row changes, column by column."""

from __future__ import annotations

import numpy as np

from ...array_types import Codes, Floats
from .leave_one_out import GUARD, LeftOut, left_out_log_priors, vanishing


def naive_left_out(
    X: Floats,
    codes: Codes,
    weight: Floats,
    counts: Floats,
    means: Floats,
    scatter: Floats,
    ddof: float,
    smoothing: float,
    fixed: Floats | None,
) -> LeftOut:
    """Return leave-one-out scores of Gaussian naive Bayes, the smoothing that each left-out fit would have included.

        σ²_gj' = (S_gj − wN_g u_j²/(N_g − w))/(N_g − w − ddof) + ε_i,   θ_gj' = θ_gj − w u_j/(N_g − w),   u = x − θ_g

    with ε_i the smoothing times the largest variance of a column without row i.

    Parameters
    ----------
    X : (n, p) rows
    codes, weight : (n,)
    counts, means, scatter : (K,), (K, p), (K, p)
    ddof, smoothing : float
    fixed : (K,) priors to hold, or None

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    >>> codes = np.array([0, 0, 0, 1, 1, 1], dtype=np.int32)
    >>> found = naive_left_out(X, codes, np.ones(6), np.full(2, 3.0), np.array([[1.0], [11.0]]), np.full((2, 1), 2.0), 0, 0, None)
    >>> found.scores.argmax(axis=1).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    N = counts[codes]
    vanishes, rest = vanishing(N, weight)
    possible = ~vanishes & (rest - ddof > 0)
    safe = np.where(possible, rest, 1.0)[:, None]
    n, centre = counts.sum(), counts @ means / counts.sum()
    total = scatter.sum(axis=0) + counts @ (means - centre) ** 2
    left = (n - weight)[:, None]
    spread = (total - weight[:, None] * n / left * (X - centre) ** 2) / left
    epsilon = smoothing * np.maximum(spread, 0.0).max(axis=1, keepdims=True)
    u = X - means[codes]
    own_scatter = scatter[codes] - (weight * N)[:, None] / safe * u**2
    own_variance = np.maximum(own_scatter, 0.0) / np.where(possible, rest - ddof, 1.0)[:, None]
    scores = np.empty((len(X), len(counts)))
    # A row that alone makes a column vary leaves rounding, which beside a small smoothing may be anything.
    carries = ((own_scatter <= GUARD * scatter[codes]) & (scatter[codes] > 0.0)).any(axis=1)
    refit = (~possible | carries) & ~vanishes
    for k in range(len(counts)):
        own = (codes == k)[:, None]
        variance = np.where(own, own_variance, scatter[k] / max(counts[k] - ddof, GUARD)) + epsilon
        refit |= ~vanishes & (variance <= GUARD * np.maximum(spread, np.finfo(float).tiny)).any(axis=1)
        variance = np.where(variance > 0, variance, 1.0)
        d = np.where(own, u * (N[:, None] / safe), X - means[k])
        scores[:, k] = -0.5 * (np.log(2.0 * np.pi * variance) + d**2 / variance).sum(axis=1)
    scores += left_out_log_priors(counts, codes, weight, fixed)
    scores[np.flatnonzero(vanishes), codes[vanishes]] = -np.inf
    return LeftOut(scores, refit)
