"""Class means compared column by column, and pair by pair."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc

from ..array_types import Floats
from ..solvers.closed_form.whitening import total_spread
from .canonical import Canonical


@dataclass(frozen=True, slots=True, eq=False)
class ColumnTests:
    """Analysis of variance of each column: R² = B_jj/T_jj, F = (B_jj/(K − 1))/(W_jj/ν), p. All (p,); NaN for constant columns."""

    r2: Floats
    F: Floats
    df1: float
    df2: float
    p: Floats


@dataclass(frozen=True, slots=True, eq=False)
class PairTests:
    """Squared Mahalanobis distances D² between class means, with F and p; all (K, K)."""

    distances: Floats
    F: Floats
    df1: float
    df2: float
    p: Floats


def column_tests(found: Canonical) -> ColumnTests:
    """Return the F test of each column alone.

    Examples
    --------
    >>> from separatrix.inference import canonical_analysis
    >>> means, W = np.array([[4.0, 2.0], [2.0, 5.0]]), np.array([[4.0, 2.0], [2.0, 2.0]])
    >>> column_tests(canonical_analysis(np.array([2.0, 2.0]), means, W)).F.tolist()
    [2.0, 9.0]
    """
    return moment_tests(found.counts, found.means, np.diag(found.within))


def moment_tests(counts: Floats, means: Floats, within: Floats) -> ColumnTests:
    """Return the F test of each column alone from class counts (K,), means (K, p) and sums of squares within classes W_jj (p,).

    Classes without rows do not count. Without degrees of freedom left, F and p are NaN.

    Examples
    --------
    >>> moment_tests(np.array([2.0, 2.0]), np.array([[4.0, 2.0], [2.0, 5.0]]), np.array([4.0, 2.0])).F.tolist()
    [2.0, 9.0]
    """
    counts, means = counts[counts > 0], means[counts > 0]
    q, nu = len(counts) - 1.0, float(counts.sum()) - len(counts)
    centre, spread = total_spread(counts, means, within)
    between = counts @ (means - centre) ** 2
    varies = spread > 0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # an F beyond float64 is infinite
        r2 = np.where(varies, between / (between + within), np.nan)
        F = np.where(varies & (nu > 0), (between / q) / (within / nu), np.nan)
    return ColumnTests(r2, F, q, nu, fdtrc(q, nu, F))


def pair_tests(found: Canonical) -> PairTests:
    """Return D² of all pairs of classes and the test that the two means are equal.

        D²_ij = (m_i − m_j)'S⁻¹(m_i − m_j),   F = D² n_i n_j/(n_i + n_j) · (ν − r + 1)/(ν r),   df (r, ν − r + 1)

    The p-values are those of single tests, not adjusted for the number of pairs.

    Examples
    --------
    >>> from separatrix.inference import canonical_analysis
    >>> means, W = np.array([[4.0, 2.0], [2.0, 5.0]]), np.array([[4.0, 2.0], [2.0, 2.0]])
    >>> pair_tests(canonical_analysis(np.array([2.0, 2.0]), means, W)).distances.round(10).tolist()
    [[0.0, 34.0], [34.0, 0.0]]

    References
    ----------
    SAS/STAT User's Guide, the DISCRIM procedure: distances between classes.
    """
    Z = (found.means - found.centre) @ found.basis
    distances = np.sum((Z[:, None, :] - Z[None, :, :]) ** 2, axis=2)
    n, r, nu = found.counts, found.rank, found.error_freedom
    df2 = nu - r + 1.0
    # Without a column that varies, or without degrees of freedom left, there is no test.
    factor = df2 / (nu * r) if r > 0 and df2 > 0 else np.nan
    F = distances * np.outer(n, n) / np.add.outer(n, n) * factor
    return PairTests(distances, F, float(r), df2, fdtrc(r, df2, F))
