"""Coefficients kept as a sparse matrix, as scikit-learn's linear models can keep them."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..data import Block
from .linear import LinearClassifier

Floats = NDArray[np.float64]


class SparseCoefficients(LinearClassifier):
    """A linear classifier whose coefficients can be made sparse and dense again; it predicts, pickles and copies in either form.

    All else that reads `coef_` (explanations, tables, `state`) reads arrays: call `densify` first.
    """

    coef_: Any

    def sparsify(self) -> Self:
        """Turn `coef_` into a sparse matrix: less to store where most coefficients are 0, as after a fit with an L1 penalty."""
        check_is_fitted(self)
        self.coef_ = sp.csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Turn `coef_` back into an array, the form it has after a fit."""
        check_is_fitted(self)
        self.coef_ = self._dense_coef()
        return self

    def _dense_coef(self) -> Floats:
        return np.asarray(self.coef_.toarray() if sp.issparse(self.coef_) else self.coef_)

    def _scores(self, block: Block) -> Floats:
        if sp.issparse(self.coef_):
            found = block.X @ self.coef_.T
            return np.asarray(found.toarray() if sp.issparse(found) else found, dtype=np.float64) + self.intercept_
        return super()._scores(block)

    def _linear_parts(self) -> tuple[Floats, Floats] | None:
        return None if sp.issparse(self.coef_) else (self.coef_, self.intercept_)

    def _per_class(self) -> tuple[Floats, Floats]:
        return copy(self).densify()._per_class() if sp.issparse(self.coef_) else super()._per_class()
