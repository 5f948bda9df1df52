"""Coordinates in which a covariance is the identity, also where it has no inverse: then in units of the columns' total spread."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...array_types import Floats
from .eigenvectors import eigenvectors
from .factor import stable_factor

TOLERANCE = 1e-12
"""Smallest share of its largest eigenvalue that counts as variance (columns measured in units of their total spread)."""
ROUNDING = 1e-13
"""Standard deviation of a column, relative to its total one, that may be rounding."""
NULL_VARIANCE = 1e-8
"""Variance, in units of the total, that stands for 'none' along directions in which no class varies."""
SAME = 1e-7
"""Distance of class means, in units of the total spread, that rounding leaves along a direction in which no row differs."""
INVERTED = 512
"""Columns up to which the basis is computed at once: two megabytes; beyond, its Cholesky factor says the same in half the time."""
CONSTANT = 8 * float(np.finfo(np.float64).eps)
"""Standard deviation, relative to the mean, that is left by rounding alone in a column of equal values."""


@dataclass(frozen=True, slots=True)
class Whitening:
    """Basis B (p, r) with B'ΣB = I: an array, or for many columns D⁻¹L'⁻¹ behind the Cholesky factor of Σ = D LL' D.

    Where Σ has no inverse, B is that of Σ + ε diag(s²) as ε → 0, with s² the total variances: it holds first the
    directions in which Σ varies, then, scaled up, those in which it does not. Unlike Σ + εI this does not depend on the columns' units.

    Attributes
    ----------
    root : (p, r)
        B, or L.
    log_det : float
        log det of the covariance the basis whitens.
    rank : int
        Number of directions in which Σ varies.
    null : (p, r − rank)
        Directions without variance, orthonormal in units of the total spread; empty where Σ has an inverse.
    units : (p,), optional
        The diagonal of D, where `root` is L.
    """

    root: Floats
    log_det: float
    rank: int
    null: Floats
    units: Floats | None = None

    @property
    def basis(self) -> Floats:
        """B."""
        if self.units is None:
            return self.root
        from scipy.linalg import lapack  # here: a fitted model is used without it

        # dtrtri, not a triangular solve: OpenBLAS wakes all its threads for the latter even where p is 4.
        basis: Floats = lapack.dtrtri(np.tril(self.root), lower=1, overwrite_c=1)[0].T
        basis /= self.units[:, None]
        return basis

    def coordinates(self, V: Floats) -> Floats:
        """Return VB (m, r) of differences V (m, p)."""
        if self.units is None:
            return np.asarray(V @ self.root)
        return self._solved(V / self.units, 0)

    def directions(self, Z: Floats) -> Floats:
        """Return ZB' (m, p) of coordinates Z (m, r); the directions of coordinates of VB are VΣ⁻¹."""
        if self.units is None:
            return np.asarray(Z @ self.root.T)
        return self._solved(Z, 1) / self.units

    def _solved(self, V: Floats, trans: int) -> Floats:
        from scipy.linalg import lapack

        found: Floats = lapack.dtrtrs(self.root, V.T, lower=1, trans=trans)[0].T
        return found

    @property
    def is_singular(self) -> bool:
        """Whether there are directions in which no class varies."""
        singular: bool = self.null.shape[1] > 0
        return singular

    def null_for(self, means: Floats, spread: Floats) -> bool:
        """Return whether class means (K, p) are equal along all directions without variance: then no row differs along them.

        Examples
        --------
        >>> flat = whiten(np.diag([1.0, 0.0]), np.ones(2))
        >>> flat.null_for(np.array([[0.0, 1.0], [2.0, 1.0]]), np.ones(2)), flat.null_for(np.array([[0.0, 1.0], [2.0, 3.0]]), np.ones(2))
        (True, False)
        """
        apart = (means - means.mean(axis=0)) / np.where(spread > 0, spread, 1.0) @ self.null
        return bool((np.abs(apart) <= SAME).all())


def _by_factor(covariance: Floats, s: Floats, overwrite: bool) -> Whitening | None:
    """Return the whitening from a Cholesky factor in columns divided by s, or None where that has no stable inverse."""
    factor = stable_factor(_in_units(covariance, s, overwrite))
    if factor is None:
        return None
    log_det = 2.0 * float(np.log(np.diag(factor)).sum() + np.log(s).sum())
    found = Whitening(factor, log_det, len(s), np.empty((len(s), 0)), s)
    return found if len(s) > INVERTED else replace(found, root=found.basis, units=None)


def _in_units(covariance: Floats, s: Floats, overwrite: bool) -> Floats:
    R = np.divide(covariance, s[:, None], out=covariance if overwrite else None)
    R /= s
    return R


def whiten(covariance: Floats, spread: Floats, overwrite: bool = False) -> Whitening:
    """Return the whitening of a covariance whose columns have total standard deviations `spread`.

    Parameters
    ----------
    covariance : (p, p)
    spread : (p,)
    overwrite : bool
        Whether the covariance may be written over, which saves a second array of its size.

    Examples
    --------
    >>> whitening = whiten(np.array([[1.0, 1.0], [1.0, 1.0]]), np.ones(2))
    >>> whitening.rank, np.round(np.abs(whitening.null.ravel()), 4).tolist()
    (1, [0.7071, 0.7071])
    """
    own, s, within = np.sqrt(np.maximum(np.diag(covariance), 0.0)), np.where(spread > 0, spread, 1.0), np.ones(len(spread))
    if (own > ROUNDING * spread).all():
        # In units of its own standard deviations first: beside a class a million of them away, total units would call them none.
        found = _by_factor(covariance, own, overwrite)
        if found is not None:
            return found
        within = own if overwrite else within  # it is in its own units by now
    R = _in_units(covariance, s / within, overwrite)
    log_scale = 2.0 * float(np.log(s).sum())
    values, vectors = eigenvectors(R, overwrite=True)
    varies = values > TOLERANCE * max(values[-1], 0.0)
    kept = np.where(varies, values, NULL_VARIANCE)[::-1]
    basis = vectors[:, ::-1] / np.sqrt(kept) / s[:, None]
    return Whitening(basis, float(np.log(kept).sum()) + log_scale, int(varies.sum()), vectors[:, ~varies])


def total_rank(counts: Floats, means: Floats, within: Floats) -> int:
    """Return the number of directions in which rows vary, from class counts, means and the pooled scatter (p, p).

    Examples
    --------
    >>> total_rank(np.array([1.0, 1.0]), np.array([[0.0, 1.0], [0.0, 3.0]]), np.zeros((2, 2)))
    1
    """
    centre, spread = total_spread(counts, means, np.diag(within))
    V = np.sqrt(counts)[:, None] * np.where(spread > 0, means - centre, 0.0)
    return whiten(within + V.T @ V, spread * np.sqrt(counts.sum())).rank


def total_spread(counts: Floats, means: Floats, within: Floats) -> tuple[Floats, Floats]:
    """Return the mean of all rows and the total standard deviation of each column, exactly 0 where a column is constant.

        m = Σ n_k m_k / n,   s_j² = (W_jj + Σ n_k (m_kj − m_j)²) / n

    Parameters
    ----------
    counts, means : (K,), (K, p)
        Classes without rows have count 0.
    within : (p,)
        Sums of squares within the classes, W_jj.

    Examples
    --------
    >>> total_spread(np.array([1.0, 3.0]), np.array([[0.1, 4.0], [0.1, 0.0]]), np.array([0.0, 4.0]))[1].tolist()
    [0.0, 2.0]
    """
    n = counts.sum()
    centre = counts @ means / n
    # Merged sums of a constant column may fall below zero by rounding.
    spread = np.sqrt(np.maximum(within + counts @ (means - centre) ** 2, 0.0) / n)
    # Without this a constant 0.1 has a spread of 1e-17, and dividing by it makes numbers out of rounding.
    return centre, np.where(spread > CONSTANT * np.abs(centre), spread, 0.0)
