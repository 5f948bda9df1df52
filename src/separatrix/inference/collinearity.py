"""How much columns that go together inflate the variance of coefficients."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse.csgraph import connected_components

from ..alerts import Alert
from ..array_types import Floats
from ..solvers.closed_form.whitening import total_spread
from ..summaries import ClassMoments, Moments
from .aliases import Aliases, without_rounding
from .column_values import listed
from .tables import Column, Table

SEVERE = 10.0
"""From this factor on, the usual rule calls collinearity severe."""


def variance_inflation(covariance: Floats) -> Floats:
    """Return the variance inflation factor 1/(1 − R_j²) of each column, R_j² from the regression of column j on the others.

    They are the diagonal of the inverse of the correlations. Infinite for constant columns and for columns that take part in an exact
    dependence; the others do not take part, so that their R_j² is that of the columns left when each dependence loses one.

    Parameters
    ----------
    covariance : (p, p) covariances or scatter of the columns, with a diagonal of 0 for constant ones

    Examples
    --------
    >>> variance_inflation(np.array([[1.0, 0.6], [0.6, 1.0]])).round(4)
    array([1.5625, 1.5625])
    >>> variance_inflation(np.array([[1.0, 1.0, 0.5], [1.0, 1.0, 0.5], [0.5, 0.5, 1.0]])).round(4)
    array([   inf,    inf, 1.3333])

    References
    ----------
    Marquardt (1970), Generalized inverses, ridge regression, biased linear estimation, Technometrics 12.
    """
    aliases = Aliases.of(covariance)
    found = np.full(len(covariance), np.inf)
    free = ~aliases.involved.any(axis=0)
    found[aliases.kept[free]] = np.diag(_precision(covariance, aliases))[free]
    return found


def _precision(covariance: Floats, aliases: Aliases) -> Floats:
    """Return the inverse of the correlations of the columns that are not aliased."""
    own = aliases.units[aliases.kept]
    return np.asarray(np.linalg.inv(covariance[np.ix_(aliases.kept, aliases.kept)] / own / own[:, None]))


def total_scatter(moments: ClassMoments | Moments) -> Floats:
    """Return Σ w (x − x̄)(x − x̄)' of all rows, from a pooled summary or one without classes; exactly 0 for constant columns."""
    if isinstance(moments, Moments):
        counts, means = np.array([moments.count]), moments.mean[None]
    else:
        counts, means = moments.counts, moments.means
    mean, spread = total_spread(counts, means, np.diag(moments.scatter))
    away = means - mean
    return without_rounding(moments.scatter + (away * counts[:, None]).T @ away, spread)


def collinearity_table(scatter: Floats, names: Sequence[str]) -> Table:
    """Return the variance inflation factors as a table."""
    vif = variance_inflation(scatter)
    columns = (Column("column", list(names)), Column("VIF", vif, ".3f"), Column("tolerance", 1.0 / vif, ".4f"))
    constant = np.diag(scatter) == 0.0
    severe = [name for name, value, flat in zip(names, vif, constant, strict=True) if value >= SEVERE and not flat]
    notes = [f"A factor of {SEVERE:g} or more: {', '.join(severe)}; other columns nearly determine each of these."] if severe else []
    if constant.any():
        notes.append(f"Constant: {', '.join(name for name, flat in zip(names, constant, strict=True) if flat)}.")
    return Table("Collinearity: variance inflation factors of the columns", columns, " ".join(notes))


def collinear_groups(covariance: Floats) -> list[list[int]]:
    """Return groups of columns that determine each other, exactly or nearly.

    A column that is a combination of others belongs to those it takes. Among the rest, two with a severe variance inflation factor
    belong together if their partial correlation, given all other columns, is at least ½ in size: −P_jk/√(P_jj P_kk), P the inverse of
    the correlations.

    Parameters
    ----------
    covariance : (p, p) covariances or scatter of the columns, with a diagonal of 0 for constant ones

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, b, c, noise = rng.normal(size=(4, 100))
    >>> collinear_groups(np.cov(np.stack([a, b, a + b + 0.01 * noise, c])))
    [[0, 1, 2]]
    """
    aliases = Aliases.of(covariance)
    p, kept = len(covariance), aliases.kept
    together = np.zeros((p, p), dtype=bool)
    if len(kept):
        P = _precision(covariance, aliases)
        severe = np.diag(P) >= SEVERE
        partial = np.abs(P) / np.sqrt(np.outer(np.diag(P), np.diag(P)))
        together[np.ix_(kept, kept)] = (partial >= 0.5) & np.outer(severe, severe)
        together[np.ix_(aliases.aliased, kept)] = aliases.involved
    _, labels = connected_components(together, directed=False)
    groups = [np.flatnonzero(labels == g).tolist() for g in range(labels.max(initial=-1) + 1)]
    return [group for group in groups if len(group) > 1]


def collinearity_alerts(scatter: Floats, names: Sequence[str]) -> tuple[Alert, ...]:
    """Return an alert (SPX010) for each group of columns that determine each other, exactly or nearly.

    Parameters
    ----------
    scatter : (p, p) covariances or scatter of the columns, with a diagonal of 0 for constant ones
    names : (p,) their names
    """
    vif = variance_inflation(scatter)
    return tuple(_alert([names[j] for j in group], vif[group]) for group in collinear_groups(scatter))


def _alert(names: list[str], vif: Floats) -> Alert:
    factor = float(vif.max())
    how = (
        "determine each other exactly"
        if not np.isfinite(factor)
        else f"nearly determine each other (variance inflation up to {factor:.3g})"
    )
    return Alert(
        "SPX010",
        names[0],
        f"Columns {listed(names)} {how}.",
        "Predictions do not suffer, but single coefficients are uncertain, may turn their sign, and cannot be read apart.",
        "To read coefficients leave one of them out, frame.drop(columns=[…]), or join them; a penalty (a smaller C) steadies them.",
        "note",
    )
