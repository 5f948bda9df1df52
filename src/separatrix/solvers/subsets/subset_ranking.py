"""Which columns a fitted linear model would gain most from, and miss least: the first Newton step's guess, for any loss.

With slopes r_i = dℓ/dz and curvatures v_i = d²ℓ/dz² of the rows at the fit, one more column j would gain about ½ g_j²/h_j with
g_j = Σ_i w_i r_i x_ij and h_j = Σ_i w_i v_i x_ij² after a regression on the columns of the set; a column of the set would be missed by
about ½ θ_j² h_j. Scores of several classes add up.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...losses import Loss, SmoothLoss

Floats = NDArray[np.float64]

SINGULAR = 1e-12
"""Least eigenvalue, as a share of the largest, of columns that do not determine each other."""


def rowwise(loss: Loss, scores: Floats, codes: NDArray[np.int32]) -> tuple[Floats, Floats]:
    """Return slopes and curvatures (n, R) of the loss of each score; curvature 1 where the loss has none."""
    if loss.is_multiclass and isinstance(loss, SmoothLoss):
        slope, curved = loss.slope(scores, codes), loss.curvature(scores, codes)
        return slope, np.einsum("ikk->ik", curved)
    own = [1] if scores.shape[1] == 1 else np.arange(scores.shape[1])
    signs = np.where(codes[:, None] == own, 1.0, -1.0)
    slope = np.stack([loss.slope(z, s) for z, s in zip(scores.T, signs.T, strict=True)], axis=1)
    if not isinstance(loss, SmoothLoss):
        return slope, np.ones_like(slope)
    return slope, np.stack([loss.curvature(z, s) for z, s in zip(scores.T, signs.T, strict=True)], axis=1)


def expected_gains(X: Floats, inside: list[int], slope: Floats, curvature: Floats, weight: Floats, penalty: float) -> Floats:
    """Return ½ Σ_r g_rj²/h_rj (p,) of every column, h after the columns inside and an intercept.

    Examples
    --------
    >>> X, slope = np.array([[1.0, 0.0], [-1.0, 1.0], [1.0, 1.0], [-1.0, 0.0]]), np.array([[1.0], [-1.0], [1.0], [-1.0]])
    >>> expected_gains(X, [], slope, np.ones((4, 1)), np.ones(4), 0.0).tolist()  # x0 follows the slope, x1 is the same for both
    [2.0, 0.0]
    """
    D = np.column_stack([X[:, inside], np.ones(len(X))])
    total = np.zeros(X.shape[1])
    for r, v in zip(slope.T, curvature.T, strict=True):
        g, wv = (weight * r) @ X, weight * v
        H = (D * wv[:, None]).T @ D
        H[np.arange(len(inside)), np.arange(len(inside))] += penalty
        C = (D * wv[:, None]).T @ X
        whole = np.einsum("ij,i,ij->j", X, wv, X)
        h = whole - np.einsum("qj,qj->j", C, _inverse(H) @ C) + penalty
        total += 0.5 * np.divide(g**2, h, out=np.zeros_like(g), where=h > 1e-10 * (whole + penalty))
    return total


def expected_losses(Z: Floats, coef: Floats, curvature: Floats, weight: Floats, penalty: float) -> Floats:
    """Return ½ Σ_r θ_rj²/(H_r⁻¹)_jj (s,) of every column of a set Z (n, s) with coefficients (R, s).

    Examples
    --------
    >>> Z = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    >>> expected_losses(Z, np.array([[3.0, 1.0]]), np.ones((4, 1)), np.ones(4), 0.0)
    array([9., 1.])
    """
    D = np.column_stack([Z, np.ones(len(Z))])
    s = Z.shape[1]
    total = np.zeros(s)
    for theta, v in zip(coef, curvature.T, strict=True):
        H = (D * (weight * v)[:, None]).T @ D
        H[np.arange(s), np.arange(s)] += penalty
        own = np.diag(_inverse(H))[:s]
        total += 0.5 * np.divide(theta**2, own, out=np.zeros(s), where=own > 0)
    return total


def _inverse(H: Floats) -> Floats:
    """Return H⁺, what is rounding being told in units of each column: columns of 1e-6 beside others of 1e6 count as much as these."""
    diagonal = np.diag(H)
    units = np.sqrt(np.where(diagonal > 1e-280, diagonal, 1.0))
    return np.asarray(np.linalg.pinv(H / units / units[:, None], rcond=SINGULAR, hermitian=True) / units / units[:, None])
