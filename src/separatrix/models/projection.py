"""Rows projected onto the directions in which their classes differ most."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils.validation import check_is_fitted

from ..argument_types import refused_as
from ..solvers.scores import linear_scores
from .base import finite_or_none


def project(self: Any, X: Any) -> NDArray[np.floating]:
    """Return the coordinates of each row along the directions that separate the classes best, from the mean of all rows.

        z = (x − x̄)'scalings, for the first `n_components` directions

    Discriminants adopt this function as their method `transform`.

    Parameters
    ----------
    X : array, sparse matrix, frame or table of n rows

    Returns
    -------
    coordinates : (n, n_components)
    """
    check_is_fitted(self)
    directions = np.ascontiguousarray(self.scalings_[:, : self.n_components].T)
    offset = -directions @ self.xbar_
    found: NDArray[np.floating] = self._collect(X, lambda block: finite_or_none(linear_scores(block, directions, offset), block.X))
    return found


def direction_names(self: Any, input_features: Any = None) -> NDArray[Any]:
    """Return the names of the directions. Discriminants adopt this function as their method `get_feature_names_out`.

    Parameters
    ----------
    input_features : ignored, but for its length
    """
    with refused_as("input_features", "leave it out."):
        return np.asarray(ClassNamePrefixFeaturesOutMixin.get_feature_names_out(self, input_features))
