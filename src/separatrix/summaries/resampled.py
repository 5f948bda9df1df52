"""Class moments of many weightings of the same rows at once: a resample is a line of weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..array_types import Codes, Floats
from ..thresholds import ROW_PRODUCTS


@dataclass(frozen=True, slots=True)
class ResampledMoments:
    """Counts (B, K), means (B, K, p) and pooled scatters (B, p, p) of B weightings."""

    counts: Floats
    means: Floats
    scatter: Floats


def can_resample(n: int, p: int) -> bool:
    """Return whether the products of n rows of p columns fit.

    Examples
    --------
    >>> can_resample(569, 30), can_resample(200_000, 50)
    (True, False)
    """
    return not ROW_PRODUCTS.reached(n * p * (p + 1) // 2)


def resampled_moments(X: Floats, codes: Codes, weights: Floats, n_classes: int) -> ResampledMoments:
    """Return the pooled class moments of rows under each line of weights (B, n), by matrix products.

        n_bk = Σ w_bi,   m_bk = m_k + Σ w_bi u_i/n_bk,   W_b = Σ_i w_bi u_i u_i' − Σ_k n_bk δ_bk δ_bk',   u_i = x_i − m_k,  δ = m_bk − m_k

    The products u u' are made once for all weightings. Every class needs weight in every line.

    Parameters
    ----------
    X : (n, p) float64
    codes : (n,)
    weights : (B, n)
    n_classes : int

    Examples
    --------
    >>> X, codes = np.array([[0.0], [2.0], [5.0], [7.0]]), np.array([0, 0, 1, 1], dtype=np.int32)
    >>> found = resampled_moments(X, codes, np.array([[1.0, 1.0, 1.0, 1.0], [2.0, 1.0, 1.0, 0.0]]), 2)
    >>> found.scatter.round(6).ravel().tolist(), found.means[1].round(6).ravel().tolist()
    ([4.0, 2.666667], [0.666667, 5.0])
    """
    p = X.shape[1]
    order = np.argsort(codes, kind="stable")
    edges = np.searchsorted(codes[order], np.arange(n_classes + 1))
    U, W = X[order], np.ascontiguousarray(weights[:, order])
    counts, shifts = np.empty((len(W), n_classes)), np.empty((len(W), n_classes, p))
    centres = np.empty((n_classes, p))
    for k in range(n_classes):
        own = slice(edges[k], edges[k + 1])
        centres[k] = U[own].mean(axis=0)
        U[own] -= centres[k]
        counts[:, k] = W[:, own].sum(axis=1)
        shifts[:, k] = W[:, own] @ U[own] / counts[:, k, None]
    above = np.triu_indices(p)
    place = np.empty((p, p), dtype=np.intp)
    place[above] = place[above[::-1]] = np.arange(len(above[0]))
    scatter = (W @ _products(U).T).take(place.ravel(), axis=1).reshape(len(W), p, p)
    scaled = np.sqrt(counts)[:, :, None] * shifts
    scatter -= scaled.transpose(0, 2, 1) @ scaled
    return ResampledMoments(counts, centres + shifts, scatter)


def _products(U: Floats) -> Floats:
    """Return u_j u_l for j ≤ l, one line (n,) for each pair in the order of np.triu_indices."""
    n, p = U.shape
    columns, found, begin = np.ascontiguousarray(U.T), np.empty((p * (p + 1) // 2, n)), 0
    for j in range(p):
        np.multiply(columns[j], columns[j:], out=found[begin : begin + p - j])
        begin += p - j
    return found
