"""Canonical discriminant analysis: the directions along which class means differ most, and what the columns have to do with them.

With W the scatter within classes, B = Σ n_k (m_k − m)(m_k − m)' that between them, T = W + B, ν = n − K and S = W/ν,

    B v = λ W v,   v'Sv = 1,   canonical correlation ρ = √(λ/(1 + λ))
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..array_types import Floats
from ..errors import InputError
from ..solvers.closed_form.discriminant import canonical
from ..solvers.closed_form.quadratic import whiten_classes
from ..solvers.closed_form.whitening import total_spread
from .aliases import Aliases, without_rounding

SAME = 1e-10
"""Variance of class means, as a share of the total, that may be rounding along a direction in which no class varies."""


@dataclass(frozen=True, slots=True, eq=False)
class Canonical:
    """What the moments of K classes with n rows in p columns say about their differences.

    Attributes
    ----------
    counts, means : (K,), (K, p)
    within, between : (p, p) scatters W and B
    rank : r, the number of directions in which the classes vary; p unless columns are redundant
    basis : (p, r) with basis'S basis = I
    eigenvalues : (s,) λ in falling order, s = min(K − 1, r)
    raw : (p, s) directions v: unit variance within the classes along each
    aliases : Aliases
        Columns that others determine; none unless r < p.
    """

    counts: Floats
    means: Floats
    within: Floats
    between: Floats
    rank: int
    basis: Floats
    eigenvalues: Floats
    raw: Floats
    aliases: Aliases

    @property
    def n(self) -> float:
        """Number of rows, the sum of their weights."""
        return float(self.counts.sum())

    @property
    def hypothesis_freedom(self) -> int:
        """K − 1."""
        return len(self.counts) - 1

    @property
    def error_freedom(self) -> float:
        """ν = n − K."""
        return self.n - len(self.counts)

    @property
    def centre(self) -> Floats:
        """Mean of all rows, (p,)."""
        return self.counts @ self.means / self.n

    @property
    def correlations(self) -> Floats:
        """Canonical correlations, (s,)."""
        return np.sqrt(self.eigenvalues / (1.0 + self.eigenvalues))

    @property
    def proportions(self) -> Floats:
        """Shares of the trace Σ λ, (s,); zeros where all means are equal."""
        total = self.eigenvalues.sum()
        return self.eigenvalues / total if total > 0 else np.zeros_like(self.eigenvalues)

    @property
    def centroids(self) -> Floats:
        """Class means in canonical coordinates, from the mean of all rows, (K, s)."""
        return (self.means - self.centre) @ self.raw

    @property
    def coefficients(self) -> Floats:
        """Coefficients (p, s) of the canonical variables; NaN for columns that are aliased, which the others stand for."""
        return self.aliases.folded(self.raw.T).T

    def deviations(self) -> dict[str, Floats]:
        """Return standard deviations (p,): "total" (n − 1), "within" (n − K), "between" (n(K − 1)/K, as SAS has it)."""
        K, n = len(self.counts), self.n
        total = np.diag(self.within) + np.diag(self.between)
        return {
            "total": np.sqrt(total / (n - 1.0)),
            "within": np.sqrt(np.diag(self.within) / self.error_freedom),
            "between": np.sqrt(np.diag(self.between) * K / (n * (K - 1.0))),
        }

    def standardised(self, kind: str) -> Floats:
        """Return the coefficients (p, s) of columns divided by their "within" or "total" standard deviations."""
        return self.coefficients * self.deviations()[kind][:, None]

    def structure(self, kind: str) -> Floats:
        """Return the correlations (p, s) of columns with canonical variables "within" classes, in "total" or "between" class means.

        NaN where a column or a canonical variable does not vary.
        """
        scatter = {"within": self.within, "total": self.within + self.between, "between": self.between}[kind]
        cross = scatter @ self.raw
        size = np.sqrt(np.maximum(np.outer(np.diag(scatter), np.einsum("js,js->s", self.raw, cross)), 0.0))
        with np.errstate(invalid="ignore"):
            return np.where(size > 0, cross / np.where(size > 0, size, 1.0), np.nan)


def canonical_analysis(counts: Floats, means: Floats, scatter: Floats, names: list[str] | None = None) -> Canonical:
    """Return the canonical analysis of classes; those without rows are left out.

    Where columns are redundant, everything happens in the r directions in which the classes vary. Where class means differ along a
    direction in which no class varies, λ would be infinite: an error.

    Parameters
    ----------
    counts, means, scatter : (K,), (K, p), (p, p)
        Sums of weights, class means, and W.
    names : of the columns, for messages

    Examples
    --------
    >>> means, W = np.array([[4.0, 2.0], [2.0, 5.0]]), np.array([[4.0, 2.0], [2.0, 2.0]])
    >>> canonical_analysis(np.array([2.0, 2.0]), means, W).eigenvalues.round(10).tolist()
    [17.0]

    References
    ----------
    Mardia, Kent and Bibby (1979), Multivariate Analysis, section 12.5.
    """
    seen = counts > 0
    counts, means = counts[seen], means[seen]
    n, K = float(counts.sum()), len(counts)
    if K < 2 or n <= K:
        raise InputError(f"Tests between classes need more rows than classes, and two classes; there are n = {n:g} rows of {K} class(es).")
    centre, spread = total_spread(counts, means, np.diag(scatter))
    V = means - centre
    whitening = whiten_classes(scatter[None] / (n - K), spread)[0]
    along = (V / np.where(spread > 0, spread, 1.0)) @ whitening.null
    if (counts @ along**2 > SAME * n).any():
        raise InputError(
            f"Class means differ along a direction in which no class varies, involving {involved(whitening.null, names)}: Wilks' lambda "
            "is 0 there, and no test exists. Drop columns that are sums or copies of others or constant in every class, or give more rows."
        )
    basis = whitening.basis[:, : whitening.rank]
    raw, _ = canonical(V @ basis, counts / n, lambda Z: Z @ basis.T)
    between = (V * counts[:, None]).T @ V
    eigenvalues = counts @ (V @ raw) ** 2 / (n - K)
    regular = whitening.rank == len(spread)
    aliases = Aliases.of(np.eye(len(spread)) if regular else without_rounding(scatter + between, spread))
    return Canonical(counts, means, scatter, between, whitening.rank, basis, eigenvalues, raw, aliases)


def involved(null: Floats, names: list[str] | None, shown: int = 8) -> str:
    """Return the names of the columns that directions (p, d) involve, the first few if there are many.

    Examples
    --------
    >>> involved(np.array([[0.6], [0.0], [-0.8]]), None)
    'column 0, column 2'
    """
    columns = np.flatnonzero(np.abs(null).max(axis=1, initial=0.0) > 1e-6)
    listed = ", ".join(repr(names[j]) if names else f"column {j}" for j in columns[:shown])
    return listed + (f" and {len(columns) - shown} more" if len(columns) > shown else "")
