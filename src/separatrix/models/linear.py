"""Classifiers whose scores are linear in x: decision function, boundaries, and coefficients kept dense or sparse."""

from __future__ import annotations

from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..abilities import Abilities
from ..abilities.additive_scores import LinearScores
from ..abilities.parts import BlockScores, Reading
from ..array_types import Codes, Floats
from ..data import Block, Source, as_rows
from ..errors import InputError
from ..geometry import Hyperplane
from ..solvers.scores import folded_classes, linear_codes, linear_scores, unfolded
from .base import Classifier, finite_or_none


class LinearClassifier(Classifier):
    """Scores f_k(x) = x'coef_k + intercept_k. Two classes have one row of `coef_`: f > 0 means `classes_[1]`."""

    coef_: Floats
    intercept_: Floats
    _finite: ClassVar[tuple[str, ...]] = ("coef_", "intercept_")

    def _abilities(self) -> Abilities:
        page = super()._abilities()
        page.scores = BlockScores(self._posterior_scores, self._linear_parts)
        page.reading = Reading("linear scores: weights times columns", lambda: LinearScores(*self._per_class()))
        return page

    def _open_to_score(self, X: Any) -> Source:
        """Return the rows of X for products with them, which need no order in sparse rows."""
        if not sp.issparse(X) or type(self)._open is not Classifier._open:
            return self._open(X)
        return as_rows(X, n_jobs=getattr(self, "n_jobs", None), distinct=False)

    def _scores(self, block: Block) -> Floats:
        return linear_scores(block, self.coef_, self.intercept_)

    def _codes(self, block: Block) -> Codes | None:
        if self._linear_parts() is None:
            return super()._codes(block)  # scores that a subclass reads otherwise, such as switches made of numbers
        return linear_codes(block, self.coef_, self.intercept_)

    def _linear_parts(self) -> tuple[Floats, Floats] | None:
        """Return coef (R, p) and intercept (R,) where the scores are linear in the rows as they are, else None."""
        return (self.coef_, self.intercept_) if type(self)._scores is LinearClassifier._scores else None

    def decision_function(self, X: Any) -> NDArray[np.floating]:
        """Return the scores of each row.

        Parameters
        ----------
        X : array, sparse matrix, frame or table of n rows

        Returns
        -------
        scores : (n,) for two classes, positive for `classes_[1]`; else (n, K)
        """
        scores = self._collect(X, lambda block: finite_or_none(self._scores(block), block.X))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def boundary(self, j: Any, k: Any) -> Hyperplane:
        """Return the hyperplane between classes j and k, positive on k's side.

            (w_k − w_j)'x + (w_k0 − w_j0) = 0

        Parameters
        ----------
        j, k : labels
        """
        check_is_fitted(self)
        weights, offsets = self._per_class()
        a, b = self._code(j), self._code(k)
        if a == b:
            raise InputError(f"A boundary needs two different classes; both are {k!r}.")
        return Hyperplane(weights[b] - weights[a], float(offsets[b] - offsets[a]))

    def _prior_attributes(self, priors: Floats, shift: Floats) -> dict[str, Any]:
        moved = self.intercept_ + folded_classes(shift)
        return {**super()._prior_attributes(priors, shift), "intercept_": moved}

    def _per_class(self) -> tuple[Floats, Floats]:
        """Return one row of weights per class, also where two classes share one."""
        return unfolded(self.coef_, self.intercept_)


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
