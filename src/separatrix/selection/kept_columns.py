"""What scikit-learn's selectors do with rows and names, with its errors in our words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin

from ..argument_types import check_arguments, refused_as
from ..data.opening import indexed_rows


class KeptColumns(SelectorMixin):
    """Columns kept of rows, and their names. A subclass gives `_get_support_mask`."""

    def transform(self, X: Any) -> Any:
        """Return the columns kept of rows in memory."""
        # scikit-learn adds all values up to look for NaN.
        with refused_as("X", "give rows with the columns of the fit."), np.errstate(over="ignore", invalid="ignore"):
            return super().transform(indexed_rows(X))

    def inverse_transform(self, X: Any) -> Any:
        """Return rows of all columns, with zeros in those that were not kept.

        Parameters
        ----------
        X : (n, k) rows of the columns kept
        """
        with refused_as("X", f"give the {int(self._get_support_mask().sum())} columns kept."):
            return super().inverse_transform(indexed_rows(X))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns kept.

        Parameters
        ----------
        input_features : (p,) names, optional
            Names of all columns, where the fit saw none.
        """
        with refused_as("input_features", "give the names of all columns of the fit, or nothing."):
            names: NDArray[Any] = super().get_feature_names_out(input_features)
            return names

    def get_support(self, indices: bool = False) -> NDArray[Any]:
        """Return which columns are kept, as a mask or, if asked, as `indices`."""
        check_arguments(KeptColumns.get_support, locals())
        kept: NDArray[Any] = super().get_support(indices)
        return kept
