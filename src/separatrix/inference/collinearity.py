"""How much columns that go together inflate the variance of coefficients."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from ..summaries import ClassMoments
from .tables import Column, Table

Floats = NDArray[np.float64]

SEVERE = 10.0
"""From this factor on, the usual rule calls collinearity severe."""


def variance_inflation(covariance: Floats) -> Floats:
    """Return the variance inflation factor 1/(1 − R_j²) of each column, R_j² from the regression of column j on the others.

    They are the diagonal of the inverse of the correlations; infinite where columns determine each other.

    Parameters
    ----------
    covariance : (p, p) covariances or scatter of the columns

    Examples
    --------
    >>> variance_inflation(np.array([[1.0, 0.6], [0.6, 1.0]])).round(4)
    array([1.5625, 1.5625])

    References
    ----------
    Marquardt (1970), Generalized inverses, ridge regression, biased linear estimation, Technometrics 12.
    """
    sizes = np.sqrt(np.diag(covariance))
    if (sizes == 0.0).any():
        return np.full(len(sizes), np.inf)
    R = covariance / sizes / sizes[:, None]
    try:
        factor = np.linalg.cholesky(R)
    except np.linalg.LinAlgError:
        return np.full(len(R), np.inf)
    return np.asarray(np.square(np.linalg.inv(factor)).sum(axis=0))


def total_scatter(moments: ClassMoments) -> Floats:
    """Return Σ w (x − x̄)(x − x̄)' of all rows, from a pooled summary."""
    mean = moments.counts @ moments.means / moments.counts.sum()
    away = moments.means - mean
    return np.asarray(moments.scatter + (away * moments.counts[:, None]).T @ away)


def collinearity_table(scatter: Floats, names: Sequence[str]) -> Table:
    """Return the variance inflation factors as a table."""
    vif = variance_inflation(scatter)
    with np.errstate(divide="ignore"):
        columns = (Column("column", list(names)), Column("VIF", vif, ".3f"), Column("tolerance", 1.0 / vif, ".4f"))
    severe = [name for name, value in zip(names, vif, strict=True) if value >= SEVERE]
    note = f"A factor of {SEVERE:g} or more: {', '.join(severe)}; these columns nearly determine each other." if severe else ""
    return Table("Collinearity: variance inflation factors of the columns", columns, note)


def collinear_groups(covariance: Floats) -> list[list[int]]:
    """Return groups of columns that nearly determine each other.

    Among the columns with a severe variance inflation factor, two belong together if their partial correlation, given all other
    columns, is at least ½ in size: −P_jk/√(P_jj P_kk), P the inverse of the correlations.

    Parameters
    ----------
    covariance : (p, p) covariances or scatter of the columns

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, b, c, noise = rng.normal(size=(4, 100))
    >>> collinear_groups(np.cov(np.stack([a, b, a + b + 0.01 * noise, c])))
    [[0, 1, 2]]
    """
    sizes = np.sqrt(np.diag(covariance))
    varying = np.flatnonzero(sizes > 0)
    if not len(varying):
        return []
    R = covariance[np.ix_(varying, varying)] / sizes[varying] / sizes[varying][:, None]
    # A ridge of rounding size: where columns determine each other exactly, the factor is then huge and not undefined.
    P = np.linalg.inv(R + 1e-10 * np.eye(len(R)))
    partial = np.abs(P) / np.sqrt(np.outer(np.diag(P), np.diag(P)))
    severe = np.diag(P) >= SEVERE
    together = (partial >= 0.5) & np.outer(severe, severe)
    _, labels = connected_components(together, directed=False)
    groups = [varying[labels == g].tolist() for g in range(labels.max() + 1)]
    return [group for group in groups if len(group) > 1]
