"""Equal shifts of all classes, which no probability feels: taken out of the intercepts and of the coefficients of every column.

The curvature of a softmax loss in the K intercepts,

    L = diag(m) − M,   M_kl = Σ_i s_i p_ik p_il,   m_k = Σ_l M_kl

is singular along (1, …, 1) whatever the rows: equal shifts change no probability. Rounding would make it a tiny curvature that an inverse
turns into shifts of 1e13, so that direction is taken out by construction: rows of L add up to 0 exactly, and a curvature that no slope ever
asks about stands in for the missing one. In a column the penalty alone decides about such a shift, and its best is known.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Floats

SAME = 1e-9
"""Share of the range of a column's coefficients by which they may differ and be the same."""
RESOLVED = 1e-12
"""Least curvature, as a share of the largest, that slopes can tell from rounding."""


def intercept_inverse(P: Floats, share: Floats) -> Floats:
    """Return the inverse (K, K) of the curvature among shifts that add up to 0; 0 along equal ones and along those that rounding hides.

    Parameters
    ----------
    P : (K, n) probabilities
    share : (n,) weights that add up to 1

    Examples
    --------
    >>> intercept_inverse(np.full((2, 1), 0.5), np.ones(1)).round(9).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    K = len(P)
    L = -((P * share) @ P.T)
    np.einsum("kk->k", L)[:] = 0.0
    np.einsum("kk->k", L)[:] = -L.sum(axis=1)
    largest = float(np.trace(L)) / K
    if largest <= 0.0:
        return np.zeros((K, K))
    inverse = np.linalg.pinv(L + largest / K, rcond=RESOLVED, hermitian=True)
    centred: Floats = inverse - inverse.mean(axis=0) - inverse.mean(axis=1)[:, None] + inverse.mean()
    return centred


def best_shifts(W: Floats, l1_ratio: float) -> Floats:
    """Return the shift (p,) of each column's coefficients W (K, p) that makes the penalty r‖W − shift‖₁ + (1 − r)/2 ‖W − shift‖² least.

    Without an L2 part a median, 0 where that is one; with one, the median of the coefficients and of points about their mean.

    Examples
    --------
    >>> best_shifts(np.array([[1.0, 1.0], [2.0, -1.0], [5.0, 0.0]]), 1.0).tolist()
    [2.0, 0.0]
    >>> best_shifts(np.array([[1.0], [2.0], [6.0]]), 0.5).tolist()
    [2.6666666666666665]
    """
    K = len(W)
    if l1_ratio == 1.0:
        ordered = np.sort(W, axis=0)
        medians: Floats = np.clip(0.0, ordered[(K - 1) // 2], ordered[K // 2])
        return medians
    about = W.mean(axis=0) + (K - 2.0 * np.arange(K + 1))[:, None] * l1_ratio / ((1.0 - l1_ratio) * K)
    return np.asarray(np.sort(np.concatenate([W, about]), axis=0)[K])


def shifted(W: Floats, l1_ratio: float) -> Floats:
    """Return W (K, p) with every column shifted to its least penalty; W itself where that is so already.

    Examples
    --------
    >>> shifted(np.array([[1.0, 1.0], [2.0, -1.0], [5.0, 0.0]]), 1.0).tolist()
    [[-1.0, 1.0], [0.0, -1.0], [3.0, 0.0]]
    """
    one_sided = np.maximum((W > 0.0).sum(axis=0), (W < 0.0).sum(axis=0)) > len(W) / 2
    if not one_sided.any():
        return W
    new = W.copy()
    new[:, one_sided] -= best_shifts(W[:, one_sided], l1_ratio)
    return new


def settled(W: Floats, l1_ratio: float) -> Floats:
    """Return W (K, p) with one of the equal shifts of every column that a pure L1 penalty of an even number of classes does not tell apart.

    Between the two middle coefficients the penalty is flat, so that solvers end anywhere there. One of the two becomes 0: that which is
    shared by more classes, else the nearer to the mean, which an L2 part would choose, else the lower.

    Examples
    --------
    >>> settled(np.array([[-1.0], [0.5], [2.0], [6.0]]), 1.0).ravel().tolist()
    [-3.0, -1.5, 0.0, 4.0]
    >>> settled(np.array([[0.0], [0.0], [2.0], [6.0]]), 1.0).ravel().tolist()
    [0.0, 0.0, 2.0, 6.0]
    """
    K = len(W)
    if l1_ratio != 1.0 or K < 4 or K % 2:
        return W
    ordered, mean = np.sort(W, axis=0), W.mean(axis=0)
    low, high, close = ordered[K // 2 - 1], ordered[K // 2], SAME * (ordered[-1] - ordered[0])
    shared = (np.abs(W - low) <= close).sum(axis=0) - (np.abs(W - high) <= close).sum(axis=0)
    nearer = high + low - 2.0 * mean >= -close
    new: Floats = W - np.where((shared > 0) | ((shared == 0) & nearer), low, high)
    new[np.abs(new) <= close] = 0.0
    return new
