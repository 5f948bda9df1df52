"""What classifiers made of two-class machines share: checked rows, shared summaries, rejected rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from ..abilities import Abilities, Refused
from ..argument_types import is_among, refused_as
from ..arguments import KnownParameters
from ..data import as_source
from ..data.labels import Labels
from ..data.opening import as_matrix
from ..data.weights import check_weights
from ..errors import InputError, one_of
from ..summaries import ClassMoments
from ..summaries.class_moments import Kind
from .base import quiet
from .decided import or_logistic, with_decision
from .goodness_of_fit import score
from .incoming import require_two_classes
from .machines import check_machine, scores_of

Floats = NDArray[np.float64]


class SeveralClasses(KnownParameters, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Base of `OneVsRest` and `OneVsOne`. A subclass gives `_fit_all` (the machines) and `_winners` (class and ambiguity of rows)."""

    estimator: Any
    n_jobs: int | None
    classes_: NDArray[Any]
    estimators_: list[Any]

    with_decision = with_decision
    score = score

    def abilities(self) -> Abilities:
        """Return what this model can do beyond fit and predict, as a table to print and parts to ask."""
        why = "the machines are fitted again on the rows that are left"
        return replace(Abilities.none(self, why), likelihood=Refused("machines fitted apart have no common likelihood"))

    @property
    def _machine(self) -> Any:
        """The estimator to fit a clone of for every machine."""
        return or_logistic(self.estimator)

    def _fit_all(self, X: Any, codes: NDArray[np.int32], classes: NDArray[Any], weight: Any) -> list[Any]:
        raise TypeError(f"{type(self).__name__} must define _fit_all")

    def _winners(self, X: Any) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        raise TypeError(f"{type(self).__name__} must define _winners")

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit all machines.

        Parameters
        ----------
        X : array or sparse matrix of n rows
        y : (n,) labels
        sample_weight : (n,) weights, optional
        """
        check_machine(self._machine)
        self._check_given()
        if y is None:
            raise InputError("This classifier requires y to be passed, but the target y is None: pass one label per row of X.")
        labels = Labels.of(y)
        given, X = X, as_matrix(X)
        if len(labels) != X.shape[0]:
            raise InputError(
                f"Found input variables with inconsistent numbers of samples: X has {X.shape[0]} rows, y has {len(labels)} labels. "
                "Pass one label per row."
            )
        require_two_classes(labels.classes)
        weight = check_weights(sample_weight, X.shape[0])
        with quiet():
            machines = self._fit_all(X, labels.codes(0, len(labels)), labels.classes, weight)
        validate_data(self, given, skip_check_array=True)  # sets the names and number of columns
        self.classes_, self.estimators_ = labels.classes, machines
        return self

    def _moments(self, X: Any, codes: NDArray[np.int32], classes: NDArray[Any], weight: Any, kind: Kind) -> ClassMoments:
        """Return one summary from which every machine is solved."""
        source = as_source(X, codes, weight, classes=np.arange(len(classes)), n_jobs=self.n_jobs)
        moments = source.reduce(ClassMoments.summarise(np.arange(len(classes)), kind))
        if not moments.is_finite:
            source.refuse_nonfinite()
        return moments

    def _machine_scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        rows = as_matrix(X)
        with refused_as("X", "give the columns of the fit, in their order."):
            validate_data(self, X, reset=False, skip_check_array=True)
        with quiet():
            scores = scores_of(self.estimators_, rows)
        if not np.isfinite(scores).all():
            raise InputError(
                f"Scores of X are not finite: values times the coefficients of {type(self.estimators_[0]).__name__} exceed 1e308. Rescale "
                "the columns of X, here and in the fit."
            )
        return scores

    def predict(self, X: Any, ambiguous: Literal["argmax", "reject"] = "argmax") -> NDArray[Any]:
        """Return the label of each row.

        Parameters
        ----------
        X : array or sparse matrix of n rows
        ambiguous : "argmax" or "reject"
            Give ambiguous rows to the largest score, or reject them: the result is then an array of objects with None there.
        """
        if not is_among(ambiguous, ("argmax", "reject")):
            raise one_of("ambiguous", ambiguous, ["argmax", "reject"])
        codes, unclear = self._winners(X)
        labels = self.classes_[codes]
        if ambiguous == "argmax":
            return labels
        rejected = labels.astype(object)
        rejected[unclear] = None
        return rejected

    def ambiguous(self, X: Any) -> NDArray[np.bool_]:
        """Return which rows lie where the machines contradict each other.

        Parameters
        ----------
        X : array or sparse matrix of n rows
        """
        return self._winners(X)[1]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if isinstance(self._machine, BaseEstimator):
            tags.input_tags.sparse = get_tags(self._machine).input_tags.sparse
        return tags
