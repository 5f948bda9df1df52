"""Held-out labels under many permutations of the labels, from what does not depend on labels.

The Gram matrix of least squares and the total scatter T of discriminant analysis do not know the labels: they are factored once per
fold. A permutation changes sums of rows by class alone, Y'X, one matrix product for all permutations; of T it takes a matrix of rank K − 1,

    W = T − Σ_k n_k d_k d_k',   d_k = m_k − m,      W⁻¹ by Woodbury: with T = LL', D = L⁻¹[d_1 … d_K], M = N⁻¹ − D'D,
    δ(x) = ν u'D M⁻¹N⁻¹ − ½ν diag(D'D M⁻¹N⁻¹) + log π,   u = L⁻¹(x − m)

so that B permutations cost O(n p K B) and B systems of size K.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import lapack

from ...array_types import Codes, Floats, Folds, Indices
from ..closed_form.discriminant import log_priors
from ..closed_form.whitening import TOLERANCE


def least_squares_permuted(X: Floats, folds: Folds, codes: Codes, K: int, alpha: float = 0.0) -> Codes | None:
    """Return the held-out class of every row under every permutation, by least squares of ±1 indicators.

    Parameters
    ----------
    X : (n, p) rows
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
    answers = np.full(codes.shape, -1, dtype=np.int32)
    columns = [1] if K == 2 else list(range(K))
    Y = np.stack([np.where(codes == k, 1.0, -1.0) for k in columns], axis=2).reshape(len(X), -1)
    for held, centre, scale, training in _folds(X, folds):
        Z = (training - centre) / scale
        inside = folds != folds[held[0]]
        factor = _factor(Z.T @ Z + np.diag(alpha / scale**2))
        if factor is None:
            return None
        mean = Y[inside].mean(axis=0)
        coef = lapack.dpotrs(factor, Z.T @ (Y[inside] - mean), lower=1)[0]
        scores = (((X[held] - centre) / scale) @ coef + mean).reshape(len(held), -1, len(columns))
        answers[held] = scores[:, :, 0] > 0 if K == 2 else scores.argmax(axis=2)
    return answers


def discriminant_permuted(
    X: Floats, folds: Folds, codes: Codes, K: int, priors: Floats | None = None, unbiased: bool = True
) -> Codes | None:
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
    Y = np.stack([codes == k for k in range(K)], axis=2).astype(np.float64)
    for held, centre, scale, training in _folds(X, folds):
        Z, inside = (training - centre) / scale, folds != folds[held[0]]
        factor = _factor(Z.T @ Z)
        if factor is None:
            return None
        counts = Y[inside].sum(axis=0)
        safe = np.maximum(counts, 1.0)
        # Columns are (permutation, class); a class without rows has the mean of all and is never said.
        sums = (Z.T @ Y[inside].reshape(len(Z), -1)).reshape(-1, B, K) / safe
        D = lapack.dtrtrs(factor, np.ascontiguousarray(sums.reshape(len(factor), -1)), lower=1)[0].reshape(-1, B, K)
        U = lapack.dtrtrs(factor, np.ascontiguousarray(((X[held] - centre) / scale).T), lower=1)[0]
        gram = np.einsum("pbk,pbl->bkl", D, D, optimize=True)
        M = np.eye(K) / safe[:, :, None] - gram
        inverse = np.linalg.inv(M) / safe[:, None, :]
        nu = len(Z) - (counts > 0).sum(axis=1) if unbiased else np.full(B, len(Z))
        shares = log_priors(counts / len(Z)) if priors is None else np.where(counts > 0, log_priors(priors), log_priors(np.zeros(K)))
        offset = shares - 0.5 * nu[:, None] * np.einsum("bkl,blk->bk", gram, inverse)
        scores = (U.T @ D.reshape(len(factor), -1)).reshape(len(held), B, K)
        scores = np.matmul(scores.transpose(1, 0, 2), inverse * nu[:, None, None]) + offset[:, None, :]
        answers[held] = scores.argmax(axis=2).T
    return answers


def _folds(X: Floats, folds: Folds) -> Iterator[tuple[Indices, Floats, Floats, Floats]]:
    """Yield held-out row numbers, mean and spread of the training rows, and these rows."""
    for fold in range(int(folds.max()) + 1):
        training = X[folds != fold]
        spread = training.std(axis=0)
        yield np.flatnonzero(folds == fold), training.mean(axis=0), np.where(spread > 0, spread, 1.0) * np.sqrt(len(training)), training


def _factor(A: Floats) -> Floats | None:
    """Return the lower Cholesky factor, or None where the matrix has no stable inverse."""
    factor: Floats
    factor, info = lapack.dpotrf(A, lower=1, clean=1)
    if info != 0 or lapack.dpocon(factor, np.abs(A).sum(axis=0).max(), uplo="L")[0] <= TOLERANCE:
        return None
    return factor
