"""Classifiers that project rows onto the directions in which their classes differ most."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..argument_types import refused_as
from .base import Classifier, finite_or_none
from .linear import linear_scores

Floats = NDArray[np.float64]


class ProjectingClassifier(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Classifier):
    """z = (x − x̄)'scalings, for the first `n_components` directions."""

    n_components: int | None
    scalings_: Floats
    xbar_: Floats

    def transform(self, X: Any) -> NDArray[np.floating]:
        """Return the coordinates of each row along the directions that separate the classes best, from the mean of all rows.

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
        return self._collect(X, lambda block: finite_or_none(linear_scores(block, directions, offset), block.X))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the directions.

        Parameters
        ----------
        input_features : ignored, but for its length
        """
        with refused_as("input_features", "leave it out."):
            return super().get_feature_names_out(input_features)

    @property
    def _n_features_out(self) -> int:
        return int(self.scalings_[:, : self.n_components].shape[1])
