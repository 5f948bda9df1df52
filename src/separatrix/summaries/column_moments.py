"""Counts, means and sums of squares by class and column, where each column has its own rows: those in which it is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..array_types import Codes, Floats
from ..data import Block
from .grouped import Grouping, grouped_moments
from .remainder import ROUNDING, never_learned


@dataclass(frozen=True, slots=True, eq=False)
class ColumnMoments:
    """Weighted counts, means and centred sums of squares of K classes in p columns, over the rows in which the column has a value.

        counts_kj = Σ w_i    means_kj = Σ w_i x_ij / counts_kj    scatter_kj = Σ w_i (x_ij − means_kj)²    (i in class k, x_ij known)

    Merging uses Chan's correction column by column, as :class:`ClassMoments` does.

    Examples
    --------
    >>> moments = ColumnMoments.of(np.array([[1.0], [3.0], [np.nan]]), np.zeros(3, dtype=np.int32), None, 1)
    >>> moments.counts.tolist(), moments.means.tolist(), moments.scatter.tolist()
    ([[2.0]], [[2.0]], [[2.0]])

    References
    ----------
    Chan, Golub and LeVeque (1983), Algorithms for computing the sample variance, The American Statistician 37.
    """

    counts: Floats
    means: Floats
    scatter: Floats

    @classmethod
    def of(cls, X: Any, codes: Codes, weight: Floats | None, n_classes: int) -> Self:
        """Summarise the rows of a dense or CSR array; a NaN is a missing value."""
        block = Block(X, codes, weight)
        if np.isnan(X.data if block.is_sparse else X).any():
            return cls(*_moments_of_known(block.dense(), codes, weight, n_classes))
        counts, means, scatter = grouped_moments(block, codes, Grouping(n_classes, np.zeros(n_classes, dtype=np.int64), 1, diagonal=True))
        return cls(np.repeat(counts[:, None], X.shape[1], axis=1), means, scatter)

    @classmethod
    def empty(cls, n_classes: int, n_features: int) -> Self:
        """Return the moments of no rows."""
        return cls(*(np.zeros((n_classes, n_features)) for _ in range(3)))

    @property
    def total(self) -> tuple[Floats, Floats, Floats]:
        """Counts, means and variances (divided by the count) of each column over all classes, (p,) each."""
        n = self.counts.sum(axis=0)
        rows = np.where(n > 0, n, 1.0)
        centre = (self.counts * self.means).sum(axis=0) / rows
        apart = np.where(self.counts > 0, self.means - centre, 0.0)
        return n, centre, (self.scatter + self.counts * apart**2).sum(axis=0) / rows

    def merge(self, other: Self) -> Self:
        """Return the moments of both sets of rows together."""
        counts = self.counts + other.counts
        share = other.counts / np.where(counts > 0, counts, 1.0)
        delta = other.means - self.means
        means = np.where(self.counts > 0, self.means + share * delta, other.means)
        return type(self)(counts, means, self.scatter + other.scatter + self.counts * share * delta**2)

    def subtract(self, other: Self) -> Self:
        """Return the moments without rows that are among those summarised; the inverse of `merge`."""
        counts = self.counts - other.counts
        counts = np.where(np.abs(counts) <= ROUNDING * self.counts, 0.0, counts)
        left = counts > 0
        share = other.counts / np.where(left, counts, 1.0)
        means = np.where(left, self.means + share * (self.means - other.means), 0.0)
        delta = np.where(left, other.means - means, 0.0)
        apart = counts * (other.counts / np.where(self.counts > 0, self.counts, 1.0)) * delta**2
        scatter = np.where(left, self.scatter - other.scatter - apart, 0.0)
        scale = self.total[2] * np.maximum(self.counts.sum(axis=0), 1.0)
        # All values of a class that are taken out have the mean that the class had.
        apart = np.where(left, 0.0, self.counts * (self.means - other.means) ** 2)
        strange = apart > ROUNDING**2 * (scale + self.counts * self.means**2)
        if strange.any() or (counts < 0).any() or (scatter < -ROUNDING * (scale + np.abs(self.scatter))).any():
            raise never_learned("without them a count or a variance would be negative")
        return type(self)(counts, means, np.maximum(scatter, 0.0))

    def scaled(self, factors: Floats) -> Self:
        """Return the moments after multiplying the weights of class k by factors_k."""
        column = factors[:, None]
        return replace(self, counts=self.counts * column, scatter=self.scatter * column)


def _moments_of_known(X: NDArray[np.floating], codes: Codes, weight: Floats | None, n_classes: int) -> tuple[Floats, Floats, Floats]:
    known = ~np.isnan(X)
    share = (codes[:, None] == np.arange(n_classes)) * (1.0 if weight is None else weight[:, None])
    counts = share.T @ known
    divisor = np.where(counts > 0, counts, 1.0)
    means = (share.T @ np.where(known, X, 0.0)) / divisor
    centred = np.where(known, X - means[codes], 0.0)
    # The mean of 1e8 + small is known to 1e-8 only; the mean of what is left over corrects it.
    correction = (share.T @ centred) / divisor
    centred -= np.where(known, correction[codes], 0.0)
    return counts, means + correction, share.T @ centred**2
