"""Exact leave-one-out scores of Gaussian models from one fit: low-rank algebra in place of n refits.

Notation: row i of class g and weight w has d_ik = (x_i − m_k)'S⁻¹(x_i − m_k) and t_ik = (x_i − m_k)'S⁻¹(x_i − m_g), with S = W/ν. Without
it W loses a u u' with u = x_i − m_g and a = wN_g/(N_g − w), and m_g moves to m_g − w u/(N_g − w); Sherman and Morrison do the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .discriminant import log_priors

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

GUARD = 1e-9
"""Below this share of its variance left, a row is needed for the rank of the scatter and has to be refitted."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Scores of rows under the fit without them.

    Attributes
    ----------
    scores : (n, K)
        log p(x, k) of the left-out fit up to a term that all classes share; −∞ where the class vanishes with the row.
    refit : (n,) of bool
        Rows for which the algebra does not hold: they must be refitted.
    """

    scores: Floats
    refit: NDArray[np.bool_]


def left_out_log_priors(counts: Floats, codes: Codes, weight: Floats, fixed: Floats | None) -> Floats:
    """Return log π_k of each left-out fit (n, K): given priors, or shares of the counts without the row.

    Examples
    --------
    >>> np.exp(left_out_log_priors(np.array([2.0, 2.0]), np.array([0], dtype=np.int32), np.ones(1), None)).round(4).tolist()
    [[0.3333, 0.6667]]
    """
    if fixed is not None:
        return np.broadcast_to(log_priors(fixed), (len(codes), len(counts)))
    left = np.tile(counts, (len(codes), 1))
    left[np.arange(len(codes)), codes] -= weight
    return log_priors(np.maximum(left, 0.0) / (counts.sum() - weight)[:, None])


def discriminant_left_out(
    z: Floats, centres: Floats, codes: Codes, weight: Floats, counts: Floats, nu: float, fixed: Floats | None = None
) -> LeftOut:
    """Return leave-one-out scores of linear discriminant analysis.

        k ≠ g:  d' = (ν−w)/ν · [d_ik + c t_ik²/(1 − c d_ig)]
        k = g:  d' = (ν−w)/ν · (N_g/(N_g−w))² · d_ig/(1 − c d_ig),      c = wN_g/((N_g − w)ν)

    Parameters
    ----------
    z : (n, r) rows in coordinates that whiten S
    centres : (K, r) class means in them
    codes, weight : (n,)
    counts : (K,) summed weights N_k
    nu : float
        Divisor of the scatter: n − K, or n for maximum likelihood.
    fixed : (K,) priors to hold, optional

    References
    ----------
    Lachenbruch and Mickey (1968), Estimation of error rates in discriminant analysis, Technometrics 10.

    Examples
    --------
    >>> z, codes = np.array([[0.0], [2.0], [5.0], [7.0]]), np.array([0, 0, 1, 1], dtype=np.int32)
    >>> found = discriminant_left_out(z, np.array([[1.0], [6.0]]), codes, np.ones(4), np.array([2.0, 2.0]), 4.0)
    >>> found.scores.argmax(axis=1).tolist()
    [0, 0, 1, 1]
    """
    n, own = len(z), np.arange(len(z))
    u = z - centres[codes]
    d = np.stack([np.einsum("ir,ir->i", v, v) for v in (z - c for c in centres)], axis=1)
    t = np.stack([np.einsum("ir,ir->i", z - c, u) for c in centres], axis=1)
    d_own = d[own, codes]
    rest = counts[codes] - weight
    vanishes = rest <= GUARD * counts[codes]
    safe = np.where(vanishes, 1.0, rest)
    c = weight * counts[codes] / (safe * nu)
    left = 1.0 - c * d_own
    refit = ~vanishes & ((left <= GUARD) | (nu - weight <= 0))
    left = np.where(refit | vanishes, 1.0, left)
    d_new = (nu - weight)[:, None] / nu * (d + c[:, None] * t**2 / left[:, None])
    d_new[own, codes] = (nu - weight) / nu * (counts[codes] / safe) ** 2 * d_own / left
    d_new[vanishes] = d[vanishes]
    scores = left_out_log_priors(counts, codes, weight, fixed) - 0.5 * d_new
    scores[own[vanishes], codes[vanishes]] = -np.inf
    return LeftOut(scores.reshape(n, -1), refit)


def gaussian_left_out(
    d_own: Floats,
    joint: Floats,
    p: int,
    codes: Codes,
    weight: Floats,
    counts: Floats,
    ddof: float,
    fixed: Floats | None = None,
) -> LeftOut:
    """Return leave-one-out scores where each class has its own covariance W_k/(N_k − ddof): only the row's class changes.

        f = 1 − wN_g d/((N_g − w)(N_g − ddof)),  log det' = log det + log f + p log((N_g − ddof)/(N_g − w − ddof)),
        d' = d (N_g/(N_g − w))² (N_g − w − ddof)/((N_g − ddof) f)

    Parameters
    ----------
    d_own : (n,) Mahalanobis distance of each row in its own class
    joint : (n, K) log p(x, k) of the full fit
    p : int
        Number of columns (the rank of the covariances).
    codes, weight : (n,)
    counts : (K,)
    ddof : float
    fixed : (K,) priors to hold, optional

    Examples
    --------
    >>> d, joint = np.array([1.0]), np.array([[-1.5, -3.0]])
    >>> args = joint, 1, np.array([0], dtype=np.int32), np.ones(1), np.array([5.0, 5.0]), 0.0
    >>> bool(gaussian_left_out(d, *args).scores[0, 0] < joint[0, 0] + 0.2)
    True
    """
    own = np.arange(len(d_own))
    N = counts[codes]
    rest = N - weight
    freedom, left_freedom = N - ddof, rest - ddof
    vanishes = rest <= GUARD * N
    possible = ~vanishes & (left_freedom > 0)
    safe, safe_left = np.where(possible, rest, 1.0), np.where(possible, left_freedom, 1.0)
    f = 1.0 - weight * N * d_own / (safe * freedom)
    refit = ~vanishes & (~possible | (f <= GUARD))
    f = np.where(refit | vanishes, 1.0, f)
    d_new = d_own * (N / safe) ** 2 * safe_left / (freedom * f)
    change = -0.5 * (np.log(f) + p * np.log(np.where(possible, freedom / safe_left, 1.0)) + d_new - d_own)
    log_prior = log_priors(counts / counts.sum()) if fixed is None else log_priors(fixed)
    scores = joint - log_prior + left_out_log_priors(counts, codes, weight, fixed)
    scores[own, codes] += change
    scores[own[vanishes], codes[vanishes]] = -np.inf
    return LeftOut(scores, refit)


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
    N, rest = counts[codes], counts[codes] - weight
    vanishes = rest <= GUARD * N
    possible = ~vanishes & (rest - ddof > 0)
    safe = np.where(possible, rest, 1.0)[:, None]
    n, centre = counts.sum(), counts @ means / counts.sum()
    total = scatter.sum(axis=0) + counts @ (means - centre) ** 2
    left = (n - weight)[:, None]
    spread = (total - weight[:, None] * n / left * (X - centre) ** 2) / left
    epsilon = smoothing * np.maximum(spread, 0.0).max(axis=1, keepdims=True)
    u = X - means[codes]
    own_variance = np.maximum(scatter[codes] - (weight * N)[:, None] / safe * u**2, 0.0) / np.where(possible, rest - ddof, 1.0)[:, None]
    scores = np.empty((len(X), len(counts)))
    refit = ~possible & ~vanishes
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
