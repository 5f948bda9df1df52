"""Columns that others determine: which they are, and what their coefficients become when they are left out.

A column d is aliased if x_d − x̄_d = Σ_j B_dj (x_j − x̄_j) over the columns j that are kept. A linear score w'x + b is then the same on every
row for w_kept + B'w_aliased, b + w_aliased'(x̄_aliased − B x̄_kept), with nothing left for the aliased columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ..array_types import Bools, Floats, Ints
from ..solvers.dependence import dependent_columns

USED = 1e-8
"""Standard deviations of a determined column that one of another has to be worth to count among those that determine it."""


@dataclass(frozen=True, slots=True, eq=False)
class Aliases:
    """Which of p columns the earlier ones determine.

    Attributes
    ----------
    kept, aliased : numbers of the columns, (r,) and (p − r,); constant columns are aliased, to the intercept
    shares : (p − r, r) B
    units : (p,) standard deviations up to a common factor; 0 for constant columns

    Examples
    --------
    >>> found = Aliases.of(np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 1.0]]))
    >>> found.aliased.tolist(), found.shares.tolist(), found.involved.tolist()
    ([1], [[2.0, 0.0]], [[True, False]])
    """

    kept: Ints
    aliased: Ints
    shares: Floats
    units: Floats

    @classmethod
    def of(cls, scatter: Floats) -> Self:
        """Find them in a scatter or covariance (p, p), whose diagonal is 0 where a column is constant."""
        p = len(scatter)
        second = np.zeros((p + 1, p + 1))
        second[:p, :p], second[p, p] = scatter, 1.0
        found = dependent_columns(second, np.zeros(p), fit_intercept=True)
        aliased = np.zeros(0, dtype=np.int64) if found is None else np.sort(found)
        kept = np.setdiff1d(np.arange(p), aliased)
        units = np.sqrt(np.diag(scatter))
        own = units[kept]
        R = scatter[np.ix_(kept, kept)] / own / own[:, None]
        shares = np.linalg.solve(R, scatter[np.ix_(kept, aliased)] / own[:, None]).T / own
        return cls(kept, aliased, shares, units)

    @property
    def involved(self) -> Bools:
        """Whether a kept column takes part in an aliased one, (p − r, r)."""
        return np.abs(self.shares * self.units[self.kept]) > USED * self.units[self.aliased][:, None]

    def folded(self, weights: Floats) -> Floats:
        """Return weights (…, p) of the same scores up to a constant; NaN for columns that are aliased."""
        found = np.full(weights.shape, np.nan)
        found[..., self.kept] = weights[..., self.kept] + weights[..., self.aliased] @ self.shares
        return found


def without_rounding(scatter: Floats, spread: Floats) -> Floats:
    """Return a scatter with exact zeros for columns whose spread is 0, where sums leave rounding.

    Examples
    --------
    >>> without_rounding(np.array([[1.0, 1e-20], [1e-20, 1e-30]]), np.array([1.0, 0.0])).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    varies = spread > 0
    return np.where(varies[:, None] & varies, scatter, 0.0)
