"""Exact leave-one-out scores of nearest means and of least squares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...array_types import Floats
from ...data import Block
from ...data.namespaces import like, namespace, to_host
from ..closed_form.whitening import total_spread, whiten
from .leave_one_out import GUARD, LeftOut, about, squared_norms, tiled, vanishing


def nearest_mean_pass(
    counts: Floats, means: Floats, offsets: Floats, sums: Floats | None = None, flat: bool = False
) -> Callable[[Block], LeftOut]:
    """Return the leave-one-out pass of nearest means: without row i its class mean is m_g − w u/(N_g − w), u = x_i − m_g.

        k = g:  d' = (N_g/(N_g − w))² ‖u‖²        standardised:  s_j'² = (S_j − wN_g u_j²/(N_g − w))/(n − w − K)

    Parameters
    ----------
    counts, means : (K,), (K, p)
    offsets : (K,) added to −½ d'
    sums : (p,) sums of squares S_j within the classes, for standardised columns; None for the columns as they are
    flat : bool
        Whether some column does not vary within the classes: then all rows are refitted.

    Examples
    --------
    >>> left_out = nearest_mean_pass(np.array([2.0, 2.0]), np.array([[1.0], [3.2]]), np.zeros(2))
    >>> rows = Block(np.array([[0.0], [2.0], [3.0], [3.4]]), np.array([0, 0, 1, 1], dtype=np.int32))
    >>> left_out(rows).scores.argmax(axis=1).tolist()
    [0, 1, 1, 1]
    """
    n, K = float(counts.sum()), len(counts)

    def left_out(tile: Block, X: Any, weight: Floats) -> LeftOut:
        codes, xp = tile.codes, namespace(X)
        assert codes is not None
        N, own = counts[codes], np.arange(len(codes))
        vanishes, rest = vanishing(N, weight)
        refit = vanishes.copy()  # the others are compared about the mean of the class means, which loses one
        u = about(X, means, codes)
        precision: Any = 1.0
        if sums is not None:
            all_sums = like(sums, X)
            kept = all_sums - like((weight * N / rest)[:, None], X) * u**2
            few = n - weight - K <= GUARD
            refit |= few | flat | to_host(xp.any(kept <= GUARD * all_sums, axis=1))
            precision = like(np.where(few, 1.0, n - weight - K)[:, None], X) / xp.where(kept > 0, kept, xp.ones_like(kept))
        centres = like(means, X)
        d = np.stack([to_host(xp.sum((X - centres[k, :]) ** 2 * precision, axis=1)) for k in range(K)], axis=1)
        d[own, codes] = (N / rest) ** 2 * to_host(xp.sum(u**2 * precision, axis=1))
        return LeftOut(offsets - 0.5 * d, refit)

    return tiled(left_out)


def least_squares_pass(
    counts: Floats,
    means: Floats,
    scatter: Floats,
    targets: Floats,
    alpha: float,
    coef: Floats,
    intercept: Floats,
    factors: Floats | None = None,
) -> Callable[[Block], LeftOut]:
    """Return the pass to the outputs of every row under the regression without it.

        f' = t − (t − f)/(1 − w h),    h = 1/n + (x − x̄)'(T + αI)⁻¹(x − x̄)

    Parameters
    ----------
    counts, means, scatter : (K,), (K, p), (p, p), class weights included
    targets : (K, T)
    alpha : float
    coef, intercept : (T, p), (T,) of all rows
    factors : (K,) class weights

    References
    ----------
    Allen (1974), The relationship between variable selection and data augmentation and a method for prediction, Technometrics 16.
    """
    n = float(counts.sum())
    centre, spread = total_spread(counts, means, np.diag(scatter))
    V = means - centre
    total = scatter + (V.T * counts) @ V
    total.flat[:: len(total) + 1] += alpha
    found = whiten(total, np.sqrt(n * spread**2 + alpha))
    basis = found.basis[:, : found.rank]  # along other directions no row differs, with or without any of them

    def outputs(tile: Block, X: Any, weight: Floats) -> LeftOut:
        assert tile.codes is not None
        weight = weight if factors is None else weight * factors[tile.codes]
        z = (X - like(centre, X)) @ like(basis, X)
        left = 1.0 - weight * (1.0 / n + squared_norms(z))
        refit = (left <= GUARD) | vanishing(counts[tile.codes], weight)[0]
        t = targets[tile.codes]
        return LeftOut(t - (t - to_host(X @ like(coef.T, X)) - intercept) / np.where(refit, 1.0, left)[:, None], refit)

    return tiled(outputs)
