"""Probabilities for any classifier, from scores of rows it was not trained on."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags, indexable
from sklearn.utils.validation import check_is_fitted

from ..abilities import Abilities
from ..argument_types import refused_as
from ..arguments import KnownParameters
from ..array_types import Floats, Indices
from ..data import Source, unchanged
from ..data.columns import ColumnBatch
from ..data.labels import Labels
from ..data.opening import check_weights, indexed_rows
from ..decisions.calibration import METHODS, CalibrationMap, Method, fit_map
from ..errors import InputError, one_of
from ..models import LinearSVC
from ..models.decided import with_decision
from ..models.goodness_of_fit import score
from ..models.labelled_rows import require_two_classes
from ..models.registry import require_model, restored, state_of
from ..models.state import State, pack, unpack
from .calibration_scores import ScoreKind, class_scores, held_out_scores, kind_of, scores_of, smallest_posterior
from .evaluation_rows import EvaluationRows, require_jobs
from .key_folds import key_apart, with_kept
from .plans import KFold, count_rows
from .prepared import reads_tables
from .random_plans import Bootstrap
from .row_groups import as_groups
from .splits import folds_of
from .table_rows import left_where_it_is


class CalibratedClassifier(KnownParameters, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier with calibrated probabilities: its scores of held-out rows are mapped to how often they came true.

    The scores are never those of rows trained on. Log-odds of the estimator's posteriors, or its `decision_function` where it has none,
    go into the map; of more than two classes each against the rest, then normalised ("temperature": all together). The estimator itself
    is fitted on all rows. Held-out posteriors come by exact algebra where the estimator allows it, as in `evaluate`.

    Parameters
    ----------
    estimator : classifier, optional
        Of this package or of scikit-learn, with `predict_proba` or `decision_function`; default LinearSVC().
    method : "sigmoid", "isotonic", "temperature" or "beta"
        σ(a f + b), few rows suffice; any rising step function, for thousands of rows; f/T, which changes no label; σ of a log s −
        b log(1 − s) + c with s = σ(f), which can also leave good posteriors as they are.
    plan : plan of this package, scikit-learn splitter or int
        Which rows are held out; default KFold(5, random_state=0), with fewer folds where a class has fewer rows.
    n_jobs : int, optional
        Processes for refits.

    Attributes
    ----------
    classes_ : (K,) labels
    estimator_ : fitted on all rows
    calibration_ : CalibrationMap
    class_prior_ : (K,) shares of the classes, behind the posteriors
    floor_ : posteriors of the estimator below it count as it: half the smallest that was held out

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from separatrix import CalibratedClassifier, LinearSVC, evaluate
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = CalibratedClassifier(LinearSVC(C=0.01)).fit(X / X.std(axis=0), y)
    >>> model.predict_proba(X[:2] / X.std(axis=0)).round(2).tolist()
    [[1.0, 0.0], [1.0, 0.0]]

    References
    ----------
    Niculescu-Mizil and Caruana (2005), Predicting good probabilities with supervised learning, ICML.
    """

    with_decision = with_decision
    score = score

    def __init__(self, estimator: Any = None, method: Method = "sigmoid", *, plan: Any = None, n_jobs: int | None = None) -> None:
        self.estimator = estimator
        self.method = method
        self.plan = plan
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the estimator on all rows, and the map on its scores of held-out rows.

        Parameters
        ----------
        X : n rows, or a table from `open_table` (then y stays out), which every fit reads again
        y : (n,) labels
        sample_weight : (n,) weights, optional
        groups : (n,) groups, for grouped plans
        """
        estimator = self._uncalibrated
        self._check_given()
        kind = self._check(estimator)
        with unchanged(X):
            plan, X = key_apart(self.plan, X, groups)
            rows, groups, kept = _counting(_labelled(X, y, sample_weight, reads_tables(estimator)), groups)
        plan = default_plan(rows) if plan is None else with_kept(plan, kept)
        every = folds_of(plan, rows.n, rows.codes, groups)
        fitted = rows.fit(estimator)  # first: what is wrong with a row is said with its number among all of them
        repeats = [held_out_scores(estimator, rows, plan, folds, kind, self.n_jobs) for folds in every]
        values = np.concatenate(repeats)
        held = np.flatnonzero(~np.isnan(values).any(axis=1))
        weight = np.ones(rows.n) if rows.weight is None else rows.weight
        codes, weight = np.tile(rows.codes, len(repeats))[held], (np.tile(weight, len(repeats)) / len(repeats))[held]
        floor = smallest_posterior(values[held]) if kind == "posteriors" else 0.0
        scores = class_scores(values[held], kind, self.method, floor)
        calibration = fit_map(self.method, scores, codes, weight)
        shares = np.bincount(rows.codes, rows.weight, minlength=len(rows.classes))
        self.classes_, self.class_prior_ = rows.classes, shares / shares.sum()
        self.estimator_, self.calibration_, self.floor_ = fitted, calibration, floor
        return self

    @property
    def _uncalibrated(self) -> Any:
        """The estimator to calibrate a clone of."""
        return LinearSVC() if self.estimator is None else self.estimator

    def abilities(self) -> Abilities:
        """Return what this model can do beyond fit and predict: nothing of its own, held-out rows are refitted."""
        return Abilities.none(self, "the estimator inside and the map of its scores are fitted again on the rows that are left")

    def _check(self, estimator: Any) -> ScoreKind:
        if not (isinstance(self.method, str) and self.method in METHODS):
            raise one_of("method", self.method, METHODS)
        if isinstance(self.plan, Bootstrap):
            raise InputError("A bootstrap holds rows out in every other resample, not once; use plan=KFold(5) or LeaveOneOut().")
        require_jobs(self.n_jobs)
        return kind_of(estimator)

    def predict_proba(self, X: Any) -> Floats:
        """Return the calibrated posteriors, (n, K), columns in the order of `classes_`.

        Parameters
        ----------
        X : n rows
        """
        check_is_fitted(self)
        kind = kind_of(self.estimator_)
        values = scores_of(self.estimator_, X, kind, self.classes_)
        return self.calibration_.posteriors(class_scores(values, kind, self.calibration_.method, self.floor_))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable label of each row.

        Parameters
        ----------
        X : n rows
        """
        codes = self.predict_proba(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    @property
    def n_features_in_(self) -> int:
        """Number of columns."""
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the columns, where they have names."""
        return np.asarray(self.estimator_.feature_names_in_)

    def state(self) -> State:
        """Return the fitted model as arrays and plain values; the estimator must be one of this package.

        Returns
        -------
        State
            `CalibratedClassifier.restore(model.state())` predicts the same; the plan is not kept.
        """
        check_is_fitted(self)
        own = {name: getattr(self, name) for name in ("classes_", "class_prior_", "calibration_", "floor_")}
        own["estimator_"] = state_of(self.estimator_, type(self).__name__)
        return pack(type(self).__name__, {"method": self.method, "n_jobs": self.n_jobs}, own)

    @classmethod
    def restore(cls, state: State) -> Self:
        """Return the model that a state describes."""
        require_model(state, cls)
        fitted = restored(state.inside["estimator_"])
        model = cls(clone(fitted), **state.params)
        for name, value in {**unpack(state, {"CalibrationMap": CalibrationMap}), "estimator_": fitted}.items():
            setattr(model, name, value)
        model._check(fitted)
        return model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if isinstance(self._uncalibrated, BaseEstimator):
            tags.input_tags = get_tags(self._uncalibrated).input_tags
        return tags


def default_plan(rows: EvaluationRows) -> KFold:
    """Return five folds, or fewer where a class has fewer rows."""
    sizes = np.bincount(rows.codes, minlength=len(rows.classes))
    if sizes.min() < 2:
        label = rows.classes.tolist()[int(sizes.argmin())]
        raise InputError(f"Class {label!r} has 1 row: held out, none is left to train on. Give at least two rows of each class.")
    return KFold(int(min(5, sizes.min())), random_state=0)


def _labelled(X: Any, y: Any, sample_weight: Any, takes_columns: bool) -> EvaluationRows:
    if isinstance(X, Source):
        rows = left_where_it_is(X, y, sample_weight, takes_columns)
        require_two_classes(rows.classes)
        return rows
    if y is None:
        raise InputError("This classifier requires y to be passed, but the target y is None: pass one label per row of X.")
    if not isinstance(X, ColumnBatch):
        with refused_as("X", "pass n rows × p columns, one row per label."):
            (X,) = indexable(indexed_rows(X))
    if getattr(X, "ndim", 2) != 2:
        raise InputError(f"Expected 2D array, got an X of shape {X.shape}: pass one row per label; X.reshape(-1, 1) for a single column.")
    labels = Labels.of(y)
    if count_rows(X) != len(labels):
        raise InputError(
            f"Found input variables with inconsistent numbers of samples: X has {count_rows(X)} rows, y has {len(labels)} labels. "
            "Pass one label per row."
        )
    if len(labels.classes) < 2:
        raise InputError(f"The number of classes has to be greater than one; got 1 class, {labels.classes.tolist()[0]!r}.")
    return EvaluationRows(X, labels.codes(0, len(labels)), check_weights(sample_weight, len(labels)), labels.classes)


def _counting(rows: EvaluationRows, groups: Any) -> tuple[EvaluationRows, Any, Indices | None]:
    """Return the rows of positive weight, with their groups, and their numbers where they are not all.

    One of weight 0 is no row, and must not shape the folds.
    """
    groups = as_groups(groups, rows.n)
    if rows.weight is None or rows.weight.all():
        return rows, groups, None
    kept = np.flatnonzero(rows.weight)
    return rows.take(kept), None if groups is None else groups[kept], kept
