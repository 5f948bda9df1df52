"""Exact leave-one-out scores of naive Bayes: only the class of the row changes, column by column."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...array_types import Bools, Codes, Floats
from ...data.namespaces import like, namespace, to_host
from .leave_one_out import GUARD, LeftOut, about, left_out_log_priors, vanishing


def naive_left_out(
    X: Any,
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
    X : (n, p) rows, on any device
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
    xp, N = namespace(X), counts[codes]
    vanishes, rest = vanishing(N, weight)
    possible = ~vanishes & (rest - ddof > 0)
    safe = np.where(possible, rest, 1.0)
    n, centre = counts.sum(), counts @ means / counts.sum()
    total = like(scatter.sum(axis=0) + counts @ (means - centre) ** 2, X)
    left = n - weight
    spread = (total - _column(weight * n / left, X) * (X - like(centre, X)) ** 2) / _column(left, X)
    spread = xp.where(spread > 0, spread, xp.zeros_like(spread))
    epsilon = smoothing * xp.max(spread, axis=1, keepdims=True)
    least = GUARD * (spread + float(np.finfo(float).tiny))
    u, classes = about(X, means, codes), like(scatter, X)
    all_scatter = xp.take(classes, like(codes.astype(np.int64), X), axis=0)
    own_scatter = all_scatter - _column(weight * N / safe, X) * u**2
    own_variance = xp.where(own_scatter > 0, own_scatter, xp.zeros_like(u)) / _column(np.where(possible, rest - ddof, 1.0), X)
    # A row that alone makes a column vary leaves rounding, which beside a small smoothing may be anything.
    carries = to_host(xp.any((own_scatter <= GUARD * all_scatter) & (all_scatter > 0.0), axis=1))
    refit, scores, centres, moved = (~possible | carries) & ~vanishes, [], like(means, X), u * _column(N / safe, X)
    for k in range(len(counts)):
        own = _column(codes == k, X)
        variance = xp.where(own, own_variance, classes[k, :] / max(float(counts[k]) - ddof, GUARD)) + epsilon
        refit |= ~vanishes & to_host(xp.any(variance <= least, axis=1))
        variance = xp.where(variance > 0, variance, xp.ones_like(variance))
        d = xp.where(own, moved, X - centres[k, :])
        scores.append(to_host(-0.5 * xp.sum(xp.log(2.0 * np.pi * variance) + d**2 / variance, axis=1)))
    found = np.stack(scores, axis=1) + left_out_log_priors(counts, codes, weight, fixed)
    found[np.flatnonzero(vanishes), codes[vanishes]] = -np.inf
    return LeftOut(found, refit)


def _column(values: Floats | Bools, X: Any) -> Any:
    """Return values of the rows as a column beside X."""
    return like(values[:, None], X)
