"""Held-out labels under many permutations of the labels, from what does not depend on labels.

The Gram matrix of least squares and the total scatter T of discriminant analysis do not know the labels: they are stable_factor once per
fold. A permutation changes sums of rows by class alone, Y'X, one matrix product for all permutations; of T it takes a matrix of rank K − 1,

    W = T − Σ_k n_k d_k d_k',   d_k = m_k − m,      W⁻¹ by Woodbury: with T = LL', D = L⁻¹[d_1 … d_K], M = N⁻¹ − D'D,
    δ(x) = ν (x − m)'L⁻ᵀD M⁻¹N⁻¹ − ½ν diag(D'D M⁻¹N⁻¹) + log π

so that B permutations cost O(n p K B) and B systems of size K. Rows that are not in memory give T and the sums by passes over their blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lapack

from ...array_types import Codes, Floats, Folds, Indices
from ...data.namespaces import like, namespace, to_host
from ..closed_form.discriminant import log_priors
from ..closed_form.factor import stable_factor


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
    B = codes.shape[1]
    answers = np.full(codes.shape, -1, dtype=np.int32)
    for fold in range(int(folds.max()) + 1):
        rows = _Fold.of(X, folds, fold)
        members = rows.members(codes, list(range(K)))
        counts = (rows.n * rows.mean(members)).round().reshape(B, K)
        totals = TrainingTotals(rows.n, rows.gram())
        found = least_squares_solved(totals, rows.sums(members).reshape(-1, B, K), counts, alpha / rows.scale**2)
        if found is None:
            return None
        answers[rows.held] = rows.times(found[0].reshape(len(found[0]), -1), found[1].ravel(), B).argmax(axis=2)
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
    answers : (n, B) class codes, −1 where never held out; None where a scatter has no inverse

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
        members = rows.members(codes, list(range(K)))
        counts = (rows.n * rows.mean(members)).round().reshape(B, K)
        found = discriminant_solved(TrainingTotals(rows.n, rows.gram()), rows.sums(members).reshape(-1, B, K), counts, priors, unbiased)
        if found is None:
            return None
        answers[rows.held] = rows.times(found[0].reshape(len(found[0]), -1), found[1].ravel(), B).argmax(axis=2)
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


@dataclass(frozen=True, slots=True)
class TrainingTotals:
    """What depends on no label: number n of the training rows, and their total scatter Z'Z (p, p) about the mean, columns scaled to 1."""

    n: int
    gram: Floats


Solved = tuple[Floats, Floats]
"""Coefficients (p, B, K) of z = (x − mean)/scale, and offsets (B, K)."""


def least_squares_solved(totals: TrainingTotals, sums: Floats, counts: Floats, penalty: Floats) -> Solved | None:
    """Return least squares of ±1 indicators under B permutations; None where the normal equations have no stable solution.

    Parameters
    ----------
    totals : TrainingTotals
    sums : (p, B, K) sums of z over the training rows of each class
    counts : (B, K) training rows of each class
    penalty : (p,) ridge penalty of each z
    """
    factor = stable_factor(totals.gram + np.diag(penalty))
    if factor is None:
        return None
    coef = lapack.dpotrs(factor, 2.0 * sums.reshape(len(factor), -1), lower=1)[0].reshape(sums.shape)
    offset = 2.0 * counts / totals.n - 1.0
    if counts.shape[1] == 2:  # one indicator, of the second class, against 0
        coef[:, :, 0], offset[:, 0] = 0.0, 0.0
    return coef, offset


def discriminant_solved(
    totals: TrainingTotals, sums: Floats, counts: Floats, priors: Floats | None = None, unbiased: bool = True
) -> Solved | None:
    """Return linear discriminants under B permutations; None where the total scatter has no stable inverse, or theirs within classes none.

    Parameters
    ----------
    totals, sums, counts : as in `least_squares_solved`
    priors, unbiased : as in `discriminant_permuted`
    """
    B, K = counts.shape
    factor = stable_factor(totals.gram.copy())
    if factor is None:
        return None
    safe = np.maximum(counts, 1.0)
    # Columns are (permutation, class); a class without rows has the mean of all and is never said.
    D = lapack.dtrtrs(factor, (sums / safe).reshape(len(factor), -1), lower=1)[0].reshape(-1, B, K)
    gram = np.einsum("pbk,pbl->bkl", D, D, optimize=True)
    M = np.eye(K) / safe[:, :, None] - gram
    try:
        inverse = np.linalg.inv(M) / safe[:, None, :]
    except np.linalg.LinAlgError:  # classes that a permutation sets apart entirely
        return None
    nu = totals.n - (counts > 0).sum(axis=1) if unbiased else np.full(B, totals.n)
    shares = log_priors(counts / totals.n) if priors is None else np.where(counts > 0, log_priors(priors), log_priors(np.zeros(K)))
    offset = shares - 0.5 * nu[:, None] * np.einsum("bkl,blk->bk", gram, inverse)
    E = np.matmul(D.transpose(1, 0, 2), inverse * nu[:, None, None]).transpose(1, 0, 2)
    coef: Floats = lapack.dtrtrs(factor, np.ascontiguousarray(E).reshape(len(factor), -1), lower=1, trans=1)[0].reshape(sums.shape)
    return coef, offset
