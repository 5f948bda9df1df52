"""Quadratic discriminants: Gaussian classes, each with its own covariance, regularised or not.

    δ_k(x) = log π_k − ½ log det Σ_k − ½ (x − μ_k)'Σ_k⁻¹(x − μ_k),   Σ_k⁻¹ = B_k B_k'

What a class lacks in rows it borrows from the others, or from a sphere.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...array_types import Floats
from ...errors import InputError
from ...summaries import ClassMoments
from .shrinkage import shrink_in_units
from .whitening import Whitening, whiten


def class_divisors(moments: ClassMoments, covariance: str, pooling: float = 0.0, growing: bool = False) -> Floats:
    """Return what each class scatter is divided by: n_k ("mle") or n_k − 1 ("unbiased").

    Parameters
    ----------
    moments : ClassMoments
    covariance : "mle" or "unbiased"
    pooling : float
        With some of it a class of one row borrows its covariance; without, such a class is an error.
    growing : bool
        Whether more rows may come: n_k then serves for a class of one row.
    """
    counts = moments.counts
    if covariance == "mle":
        return counts
    freedom = np.maximum(counts - 1.0, 0.0)
    few = (counts > 0) & (freedom == 0)
    if few.any() and not growing and not pooling:
        k = int(few.argmax())
        raise InputError(
            f"covariance='unbiased' divides by n_k - 1, but class {moments.classes.tolist()[k]!r} has n_k = {counts[k]:g}. Use "
            "covariance='mle', which divides by n_k, or pooling=0.1, or give more rows."
        )
    return np.where(few & growing, counts, freedom)


def class_units(moments: ClassMoments) -> Floats:
    """Return the standard deviations of the columns within each class, 1 where a column does not vary."""
    sd = np.sqrt(moments.diagonals() / np.where(moments.counts > 0, moments.counts, 1.0)[:, None])
    return np.where(sd > 0, sd, 1.0)


def pool(scatter: Floats, freedom: Floats, share: float) -> Floats:
    """Return the class covariances with a share λ of the pooled one in each, as Friedman weighs them.

        Σ_k = [(1 − λ)W_k + λ Σ_l W_l] / [(1 − λ)ν_k + λ Σ_l ν_l]

    Small classes borrow more than large ones. λ = 0 gives W_k/ν_k, λ = 1 the pooled covariance. A class with ν_k = 0 gets the pooled one.

    References
    ----------
    Friedman (1989), Regularized discriminant analysis, J. American Statistical Association 84.

    Examples
    --------
    >>> pool(np.array([[[2.0]], [[12.0]]]), np.array([2.0, 4.0]), 0.5).ravel().tolist()
    [2.0, 2.6]
    """
    lam = np.where(freedom > 0, share, 1.0)
    divisor = (1.0 - lam) * freedom + lam * freedom.sum()
    if not (lam > 0).any():
        return np.asarray(scatter / divisor[:, None, None])
    total = scatter.sum(axis=0)
    covariances: Floats = (1.0 - lam)[:, None, None] * scatter
    for S, own, by in zip(covariances, lam, divisor, strict=True):
        S += own * total
        S /= by
    return covariances


def regularise(covariances: Floats, alphas: Floats, units: Floats | None, reg: float) -> Floats:
    """Turn covariances into (1 − r)Σ_k^α + rI, in place, and return them.

        Σ^α = (1 − α)Σ + α(tr Σ/p)I in columns divided by `units` (K, p), default as they are

    Examples
    --------
    >>> regularise(np.diag([1.0, 3.0])[None], np.array([0.5]), None, 0.0).tolist()
    [[[1.5, 0.0], [0.0, 2.5]]]
    """
    if alphas.any():
        for k, (S, alpha) in enumerate(zip(covariances, alphas, strict=True)):
            shrink_in_units(S, alpha, None if units is None else units[k], len(S))
    if reg > 0:
        covariances *= 1.0 - reg
        np.einsum("kjj->kj", covariances)[...] += reg
    return covariances


def whiten_classes(covariances: Floats, spread: Floats, overwrite: bool = False) -> list[Whitening]:
    """Return the whitening of each covariance; directions without variance are compared in units of the total `spread` (p,).

    With `overwrite` the covariances (K, p, p) may be written over.

    Examples
    --------
    >>> [found.rank for found in whiten_classes(np.array([np.eye(2), np.ones((2, 2))]), np.ones(2))]
    [2, 1]
    """
    return [whiten(covariance, spread, overwrite) for covariance in covariances]


@dataclass(frozen=True, slots=True)
class WhiteningPart:
    """Some of the whitened coordinates of all classes side by side: z = x[:columns] @ basis, class k in columns kw to (k + 1)w.

    Attributes
    ----------
    columns : int
    basis : (columns, Kw)
    centres : (K, w)
        The coordinates of the class means.
    """

    columns: int
    basis: Floats
    centres: Floats


def whitening_parts(means: Floats, bases: Floats, whole: bool = False) -> list[WhiteningPart]:
    """Cut the whitening of K classes into parts that skip columns no coordinate of theirs needs.

    A basis from a Cholesky factor is upper triangular: coordinate j needs the columns up to j alone, and four parts save three of
    eight multiplications.

    Parameters
    ----------
    means : (K, p)
    bases : (K, p, p)
    whole : bool
        Do not cut: taking some columns of sparse rows costs more than it saves.

    Examples
    --------
    >>> [part.columns for part in whitening_parts(np.zeros((2, 36)), np.tile(np.eye(36), (2, 1, 1)))]
    [12, 24, 36]
    """
    p = bases.shape[2]
    triangular = not whole and not np.tril(bases, -1).any()
    edges = np.linspace(0, p, max(1, min(4, p // 12)) + 1).astype(int) if triangular else [0, p]
    parts = []
    for begin, end in pairwise(edges):
        columns = int(end) if triangular else bases.shape[1]
        cut = bases[:, :columns, begin:end]
        basis = np.ascontiguousarray(cut.transpose(1, 0, 2).reshape(columns, -1))
        parts.append(WhiteningPart(columns, basis, np.einsum("kj,kjw->kw", means[:, :columns], cut)))
    return parts
