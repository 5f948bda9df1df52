"""Columns of numbers that a recipe made, brought to scales on which one penalty suits all of them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler

from ..array_types import Floats

MOSTLY = 0.75
"""Share of zeros from which a column is mostly zero: its standard deviation says how often it is something else, not how much."""


class ColumnScaler(StandardScaler):
    """Divide columns of numbers by their standard deviations, and leave switches and words about as large as they are.

        scale = standard deviation                                                       of a measurement
                largest − smallest value                                                 of a column of two values
                the larger of the standard deviation and √(mean of x² where x ≠ 0)       of a column that is mostly zero

    A level that one row in a thousand has would be divided by .03: its coefficient, thirty times as cheap for a penalty as that of a
    measurement, could follow the few rows there are. So a level is a 1 in any case, and its coefficient its whole effect.

    Parameters
    ----------
    with_mean : bool
        Whether columns are centred, which sparse rows cannot be.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [2.0, 1.0]])
    >>> ColumnScaler().fit(X).scale_.round(3).tolist()
    [0.707, 1.0]

    References
    ----------
    Gelman (2008), Scaling regression inputs by dividing by two standard deviations, Statistics in Medicine 27.
    """

    scale_: Floats

    def __init__(self, *, with_mean: bool = True) -> None:
        super().__init__(with_mean=with_mean)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn means and scales."""
        with np.errstate(over="ignore", invalid="ignore"):  # numbers that cannot be squared are refused by the fit behind it
            super().fit(X, y, sample_weight)
            sizes = _sizes(X, self.mean_, self.var_, sample_weight)
        self.scale_ = np.where(self.var_ > 0.0, np.maximum(self.scale_, sizes), 1.0)
        return self


def _sizes(X: Any, mean: Floats, variance: Floats, weight: Any) -> Floats:
    """Return how large columns of two values, and those that are mostly zero, are where they are something else; 0 for the others."""
    rows = X if weight is None else X[np.asarray(weight) > 0]
    w = np.ones(rows.shape[0]) if weight is None else np.asarray(weight, dtype=np.float64)[np.asarray(weight) > 0]
    if sp.issparse(rows):
        low, high = (np.asarray(end(axis=0).todense()).ravel() for end in (rows.min, rows.max))
        squares, filled = np.asarray(w @ rows.power(2)).ravel(), np.asarray(w @ (rows != 0).astype(np.float64)).ravel()
    else:
        rows = np.asarray(rows)
        low, high, squares, filled = rows.min(axis=0), rows.max(axis=0), w @ (rows * rows), w @ (rows != 0)
    # A variance is at most (high − mean)(mean − low), which it reaches where there are no other values (Bhatia and Davis, 2000).
    has_two = variance >= (1.0 - 1e-9) * (high - mean) * (mean - low)
    is_rare = filled <= (1.0 - MOSTLY) * w.sum()
    found: Floats = np.where(has_two, high - low, np.where(is_rare, np.sqrt(squares / np.maximum(filled, 1e-300)), 0.0))
    return found
