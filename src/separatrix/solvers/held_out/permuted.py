"""Held-out labels under many permutations of the labels, from what does not depend on labels.

The Gram matrix of least squares and the total scatter T of discriminant analysis do not know the labels: they are factored once per
fold. A permutation changes sums of rows by class alone, Y'X, one matrix product for all permutations; of T it takes a matrix of rank K − 1,

    W = T − Σ_k n_k d_k d_k',   d_k = m_k − m,      W⁻¹ by Woodbury: with T = LL', D = L⁻¹[d_1 … d_K], M = N⁻¹ − D'D,
    δ(x) = ν (x − m)'L⁻ᵀD M⁻¹N⁻¹ − ½ν diag(D'D M⁻¹N⁻¹) + log π

so that B permutations cost O(n p K B) and B systems of size K.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lapack

from ...array_types import Codes, Floats, Folds, Indices
from ...data.namespaces import like, namespace, to_host
from ..closed_form.discriminant import log_priors
from ..closed_form.whitening import TOLERANCE


def least_squares_permuted(X: Any, folds: Folds, codes: Codes, K: int, alpha: float = 0.0) -> Codes | None:
    """Return the held-out class of every row under every permutation, by least squares of ±1 indicators.

    Parameters
    ----------
    X : (n, p) float64 rows, on any device
    folds : (n,) fold in which a row is held out, −1 for never
    codes : (n, B) permuted class codes
    K : number of classes
    alpha : ridge penalty

    Returns
    -------
    answers : (n, B) class codes, −1 where never held out; None where the normal equations of a fold have no stable solution

    Examples
    --------
    >>> X, codes = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([[0], [0], [1], [1]], dtype=np.int32)
    >>> least_squares_permuted(X, np.array([0, 1, 0, 1]), codes, 2).T.tolist()
    [[0, 0, 1, 1]]
    """
    answers, B = np.full(codes.shape, -1, dtype=np.int32), codes.shape[1]
    columns = [1] if K == 2 else list(range(K))
    for fold in range(int(folds.max()) + 1):
        rows = _Fold.of(X, folds, fold)
        factor = _factor(rows.gram() + np.diag(alpha / rows.scale**2))
        if factor is None:
            return None
        members = rows.members(codes, columns)
        mean = 2.0 * rows.mean(members) - 1.0
        # Σ z_i = 0: the mean of the targets adds nothing to Z'Y.
        coef = lapack.dpotrs(factor, 2.0 * rows.sums(members), lower=1)[0]
        found = rows.times(coef, mean, B)
        answers[rows.held] = found[:, :, 0] > 0 if K == 2 else found.argmax(axis=2)
    return answers


def discriminant_permuted(X: Any, folds: Folds, codes: Codes, K: int, priors: Floats | None = None, unbiased: bool = True) -> Codes | None:
    """Return the held-out class of every row under every permutation, by linear discriminant analysis.

    Parameters
    ----------
    X, folds, codes, K : as in `least_squares_permuted`
    priors : (K,) to hold, or None for the shares of the training rows
    unbiased : divide W by n − K, else by n

    Returns
    -------
    answers : (n, B) class codes, −1 where never held out; None where a total scatter has no stable inverse

    Examples
    --------
    >>> X, codes = np.array([[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]]), np.array([[0], [0], [0], [1], [1], [1]], dtype=np.int32)
    >>> discriminant_permuted(X, np.array([0, 1, 2, 0, 1, 2]), codes, 2).T.tolist()
    [[0, 0, 0, 1, 1, 1]]
    """
    B = codes.shape[1]
    answers = np.full(codes.shape, -1, dtype=np.int32)
    for fold in range(int(folds.max()) + 1):
        rows = _Fold.of(X, folds, fold)
        factor = _factor(rows.gram())
        if factor is None:
            return None
        members = rows.members(codes, list(range(K)))
        n, counts = rows.n, (rows.n * rows.mean(members)).round().reshape(B, K)
        safe = np.maximum(counts, 1.0)
        # Columns are (permutation, class); a class without rows has the mean of all and is never said.
        sums = rows.sums(members).reshape(-1, B, K) / safe
        D = lapack.dtrtrs(factor, np.ascontiguousarray(sums.reshape(len(factor), -1)), lower=1)[0].reshape(-1, B, K)
        gram = np.einsum("pbk,pbl->bkl", D, D, optimize=True)
        M = np.eye(K) / safe[:, :, None] - gram
        inverse = np.linalg.inv(M) / safe[:, None, :]
        nu = n - (counts > 0).sum(axis=1) if unbiased else np.full(B, n)
        shares = log_priors(counts / n) if priors is None else np.where(counts > 0, log_priors(priors), log_priors(np.zeros(K)))
        offset = shares - 0.5 * nu[:, None] * np.einsum("bkl,blk->bk", gram, inverse)
        turned = np.einsum("pbk,bkl->pbl", D, inverse * nu[:, None, None], optimize=True).reshape(len(factor), -1)
        coef = lapack.dtrtrs(factor, np.ascontiguousarray(turned), lower=1, trans=1)[0]
        answers[rows.held] = rows.times(coef, offset.ravel(), B).argmax(axis=2)
    return answers


@dataclass(frozen=True, slots=True, eq=False)
class _Fold:
    """Training rows Z, centred and scaled so that no label is needed for it, beside the rows held out; both on their device."""

    inside: Indices
    held: Indices
    scale: Floats
    Z: Any
    Z_held: Any

    @classmethod
    def of(cls, X: Any, folds: Folds, fold: int) -> _Fold:
        inside, held = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        xp = namespace(X)
        training, others = (xp.take(X, like(rows, X), axis=0) for rows in (inside, held))
        centre = xp.mean(training, axis=0)
        spread = xp.sqrt(xp.mean((training - centre) ** 2, axis=0))
        scale = xp.where(spread > 0, spread, xp.ones_like(spread)) * len(inside) ** 0.5
        return cls(inside, held, to_host(scale), (training - centre) / scale, (others - centre) / scale)

    @property
    def n(self) -> int:
        return len(self.inside)

    def gram(self) -> Floats:
        return np.array(to_host(self.Z.T @ self.Z))

    def members(self, codes: Codes, columns: list[int]) -> Any:
        """Return, beside the rows, whether each training row is of a class under a permutation, (n, B × columns)."""
        xp, own = namespace(self.Z), like(codes[self.inside].astype(np.int64), self.Z)
        kinds = like(np.array(columns, dtype=np.int64), self.Z)
        return xp.reshape(xp.astype(own[:, :, None] == kinds, xp.float64), (self.n, -1))

    def mean(self, members: Any) -> Floats:
        return np.array(to_host(namespace(members).mean(members, axis=0)))

    def sums(self, members: Any) -> Floats:
        return np.array(to_host(self.Z.T @ members))

    def times(self, coef: Floats, offset: Floats, B: int) -> Any:
        """Return the scores of the rows held out (m, B, columns), in NumPy."""
        found = self.Z_held @ like(coef, self.Z_held) + like(offset, self.Z_held)
        return to_host(found).reshape(len(self.held), B, -1)


def _factor(A: Floats) -> Floats | None:
    """Return the lower Cholesky factor, or None where the matrix has no stable inverse."""
    factor: Floats
    factor, info = lapack.dpotrf(A, lower=1, clean=1)
    if info != 0 or lapack.dpocon(factor, np.abs(A).sum(axis=0).max(), uplo="L")[0] <= TOLERANCE:
        return None
    return factor
