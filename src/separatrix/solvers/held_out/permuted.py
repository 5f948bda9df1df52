"""Held-out labels under many permutations of the labels, from what does not depend on labels.

The Gram matrix of least squares and the total scatter T of discriminant analysis do not know the labels: they are factored once per
fold. A permutation changes sums of rows by class alone, Y'X, one matrix product for all permutations; of T it takes a matrix of rank K − 1,

    W = T − Σ_k n_k d_k d_k',   d_k = m_k − m,      W⁻¹ by Woodbury: with T = LL', D = L⁻¹[d_1 … d_K], M = N⁻¹ − D'D,
    δ(x) = ν u'D M⁻¹N⁻¹ − ½ν diag(D'D M⁻¹N⁻¹) + log π,   u = L⁻¹(x − m)

so that B permutations cost O(n p K B) and B systems of size K. Rows that are not in memory give T and the sums by passes over their blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from ...array_types import Codes, Floats, Folds
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
    return _answers(X, folds, codes, K, lambda totals, sums, counts: least_squares_solved(totals, sums, counts, alpha))


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
    return _answers(X, folds, codes, K, lambda totals, sums, counts: discriminant_solved(totals, sums, counts, priors, unbiased))


@dataclass(frozen=True, slots=True)
class TrainingTotals:
    """What depends on no label: number n, mean (p,) and total scatter T (p, p) of the training rows."""

    n: int
    mean: Floats
    scatter: Floats

    @property
    def scale(self) -> Floats:
        """Root of the diagonal of T, 1 where a column does not vary."""
        squares = np.diagonal(self.scatter)
        return np.sqrt(np.where(squares > 0, squares, 1.0))


Solved = tuple[Floats, Floats]
"""Coefficients (p, B, K) of (x − mean)/scale, and offsets (B, K)."""


def least_squares_solved(totals: TrainingTotals, sums: Floats, counts: Floats, alpha: float = 0.0) -> Solved | None:
    """Return least squares of ±1 indicators under B permutations; None where the normal equations have no stable solution.

    Parameters
    ----------
    totals : TrainingTotals
    sums : (p, B, K) sums of (x − mean)/scale over the training rows of each class
    counts : (B, K) training rows of each class
    alpha : ridge penalty
    """
    scale, K = totals.scale, counts.shape[1]
    factor = _factor(totals.scatter / scale[:, None] / scale + np.diag(alpha / scale**2))
    if factor is None:
        return None
    coef = lapack.dpotrs(factor, 2.0 * sums.reshape(len(factor), -1), lower=1)[0].reshape(sums.shape)
    offset = 2.0 * counts / totals.n - 1.0
    if K == 2:  # one indicator, of the second class, against 0
        coef[:, :, 0], offset[:, 0] = 0.0, 0.0
    return coef, offset


def discriminant_solved(
    totals: TrainingTotals, sums: Floats, counts: Floats, priors: Floats | None = None, unbiased: bool = True
) -> Solved | None:
    """Return linear discriminants under B permutations; None where the total scatter has no stable inverse.

    Parameters
    ----------
    totals, sums, counts : as in `least_squares_solved`
    priors, unbiased : as in `discriminant_permuted`
    """
    scale, (B, K) = totals.scale, counts.shape
    factor = _factor(totals.scatter / scale[:, None] / scale)
    if factor is None:
        return None
    safe = np.maximum(counts, 1.0)
    # Columns are (permutation, class); a class without rows has the mean of all and is never said.
    D = lapack.dtrtrs(factor, (sums / safe).reshape(len(factor), -1), lower=1)[0].reshape(-1, B, K)
    gram = np.einsum("pbk,pbl->bkl", D, D, optimize=True)
    M = np.eye(K) / safe[:, :, None] - gram
    inverse = np.linalg.inv(M) / safe[:, None, :]
    nu = totals.n - (counts > 0).sum(axis=1) if unbiased else np.full(B, totals.n)
    shares = log_priors(counts / totals.n) if priors is None else np.where(counts > 0, log_priors(priors), log_priors(np.zeros(K)))
    offset = shares - 0.5 * nu[:, None] * np.einsum("bkl,blk->bk", gram, inverse)
    E = np.matmul(D.transpose(1, 0, 2), inverse * nu[:, None, None]).transpose(1, 0, 2)
    coef: Floats = lapack.dtrtrs(factor, np.ascontiguousarray(E).reshape(len(factor), -1), lower=1, trans=1)[0].reshape(sums.shape)
    return coef, offset


def _answers(
    X: Floats, folds: Folds, codes: Codes, K: int, solve: Callable[[TrainingTotals, Floats, Floats], Solved | None]
) -> Codes | None:
    """Return the held-out class of every row under every permutation, for rows in memory."""
    answers = np.full(codes.shape, -1, dtype=np.int32)
    Y = np.stack([codes == k for k in range(K)], axis=2).astype(np.float64)
    for fold in range(int(folds.max()) + 1):
        held, inside = np.flatnonzero(folds == fold), folds != fold
        mean = X[inside].mean(axis=0)
        centred = X[inside] - mean
        totals = TrainingTotals(len(centred), mean, centred.T @ centred)
        sums = ((centred / totals.scale).T @ Y[inside].reshape(len(centred), -1)).reshape(X.shape[1], -1, K)
        found = solve(totals, sums, Y[inside].sum(axis=0))
        if found is None:
            return None
        scores = ((X[held] - mean) / totals.scale) @ found[0].reshape(X.shape[1], -1)
        answers[held] = (scores.reshape(len(held), -1, K) + found[1]).argmax(axis=2)
    return answers


def _factor(A: Floats) -> Floats | None:
    """Return the lower Cholesky factor, or None where the matrix has no stable inverse."""
    factor: Floats
    factor, info = lapack.dpotrf(A, lower=1, clean=1)
    if info != 0 or lapack.dpocon(factor, np.abs(A).sum(axis=0).max(), uplo="L")[0] <= TOLERANCE:
        return None
    return factor
