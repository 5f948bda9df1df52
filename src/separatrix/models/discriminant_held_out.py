"""Linear discriminant analysis without some rows, with other weights, or with other labels: algebra on what one fit keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import Block
from ..solvers.closed_form.discriminant import solve_many
from ..solvers.held_out.leave_one_out import LeftOut
from ..solvers.held_out.leave_one_out_shrunk import discriminant_pass_at, discriminant_path
from ..solvers.held_out.permuted import discriminant_permuted
from ..summaries import ClassMoments
from ..summaries.resampled import ResampledMoments
from .priors import effective_priors
from .wide import WideClassifier

Floats = NDArray[np.float64]


class HeldOutDiscriminant(WideClassifier):
    """What `evaluate`, `shrinkage_path` and `permutation_test` ask of linear discriminant analysis."""

    priors: Any
    shrinkage: Any
    covariance: Any
    weights: Any
    priors_: Floats

    def _divisor(self, moments: ClassMoments, growing: bool) -> float:
        """Return what the pooled scatter is divided by."""
        raise TypeError(f"{type(self).__name__} must define _divisor")

    @property
    def _leaves_out(self) -> bool:
        """Whether `_left_out` is exact: estimated shrinkage and class weights change with the row that is left out."""
        return not isinstance(self.shrinkage, str) and self.class_weight is None and self.weights == "frequency"

    def _moments_suffice(self, n_rows: int, n_features: int) -> bool:
        return self.shrinkage != "auto" and super()._moments_suffice(n_rows, n_features)

    def _left_out(self) -> Callable[[Block], LeftOut]:
        """Return the pass to the scores of each row under the fit without it."""
        return discriminant_pass_at(*self._left_out_parts(), float(self.shrinkage or 0.0))

    def _left_out_path(self, shrinkages: Sequence[float]) -> Callable[[Block], Iterator[LeftOut]]:
        """Return the pass to such scores for each of some shrinkages: one decomposition serves all."""
        return discriminant_path(*self._left_out_parts(), shrinkages)

    def _left_out_parts(self) -> tuple[Floats, Floats, Floats, float, Floats | None]:
        super()._require_summary()
        m = self.summary_
        return m.counts, m.means, m.scatter, self._divisor(m, growing=True), None if self.priors is None else self.priors_

    def _solve_many(self, moments: ResampledMoments, classes: NDArray[Any]) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Return coef (B, K, p) and intercept (B, K) of many weightings of the same rows, and which are sure; where `_leaves_out`."""
        self._check_given()
        n = moments.counts.sum(axis=1)
        nu = n if self.covariance == "mle" else np.maximum(n - len(classes), np.finfo(float).tiny)
        priors = moments.counts / n[:, None] if self.priors is None else effective_priors(self.priors, classes, moments.counts[0])
        return solve_many(moments.means, moments.scatter / nu[:, None, None], np.atleast_2d(priors), float(self.shrinkage or 0.0))

    def _permuted_answers(self, X: Floats, folds: NDArray[np.int64], codes: NDArray[np.int32], classes: NDArray[Any]) -> Any:
        """Return held-out classes (n, B) under B permutations of the labels; None where the algebra does not hold."""
        if self.shrinkage not in (None, 0.0) or self.class_weight is not None:
            return None
        self._check_given()
        fixed = None if self.priors is None else effective_priors(self.priors, classes, np.ones(len(classes)))
        return discriminant_permuted(X, folds, codes, len(classes), fixed, self.covariance == "unbiased")
