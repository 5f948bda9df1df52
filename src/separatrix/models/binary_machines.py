"""What classifiers made of two-class machines share: machines fitted side by side, from one pass where they can, and rejected rows."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ..abilities import Abilities, Refused, abilities_of
from ..argument_types import is_among
from ..arguments import KnownParameters, require_given
from ..array_types import Bools, Floats, Indices
from ..data import Block, Source, as_rows, unchanged
from ..data.arrays import ArraySource
from ..data.opening import as_matrix
from ..data.recoded import Recoded
from ..data.source import ChunkedSource
from ..errors import InputError, InputTypeError, one_of
from ..summaries import ClassMoments
from ..summaries.class_moments import Kind
from .base import Classifier, quiet
from .decided import with_decision
from .goodness_of_fit import score
from .inner_estimator import or_logistic, require_machine
from .labelled_rows import check_columns, rows_to_fit
from .registry import built, plain_params, require_model, restored, state_of
from .state import State, pack, unpack


@dataclass(frozen=True, slots=True)
class Task:
    """What one machine is fitted on: for each of K classes −1 (left out), 0 or 1, and the two labels it is told."""

    codes: Indices
    labels: tuple[int, int]


class BinaryMachines(KnownParameters, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Base of `OneVsRest` and `OneVsOne`. A subclass gives `_fit_all` (the machines) and `_winners` (class and ambiguity of rows)."""

    estimator: Any
    n_jobs: int | None
    classes_: NDArray[Any]
    estimators_: list[Any]
    feature_names_in_: NDArray[Any]

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

    def _fit_all(self, source: Source, K: int) -> list[Any]:
        raise TypeError(f"{type(self).__name__} must define _fit_all")

    def _winners(self, X: Any) -> tuple[NDArray[np.integer], Bools]:
        raise TypeError(f"{type(self).__name__} must define _winners")

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit all machines.

        Parameters
        ----------
        X : array, sparse matrix, frame of n rows, or a table from `open_table` (then y stays out)
        y : (n,) labels
        sample_weight : (n,) weights, optional
        """
        require_machine(self._machine)
        self._check_given()
        with unchanged(X):
            source = rows_to_fit(as_rows(X, n_jobs=self.n_jobs), y, sample_weight)
            classes = source.classes
            assert classes is not None
            with quiet():
                machines = self._fit_all(without_names(source), len(classes))
            if "feature_names_in_" in vars(self):
                del self.feature_names_in_
            if source.feature_names is not None:
                self.feature_names_in_ = np.array(source.feature_names, dtype=object)
            self.n_features_in_, self.classes_, self.estimators_ = source.n_features, classes, machines
            return self

    def _moments(self, source: Source, K: int) -> ClassMoments | None:
        """Return one summary from which every machine is solved; None where the machines need the rows."""
        kind = moments_kind(self._machine, source)
        if kind is None:
            return None
        moments = source.reduce(ClassMoments.summarise(np.arange(K), kind))
        if not moments.is_finite:
            source.refuse_nonfinite()
        return moments

    def _machine_scores(self, X: Any) -> Floats:
        """Return the scores (n, M) of all machines, each positive for its machine's second class."""
        check_is_fitted(self)
        source = as_rows(X, n_jobs=self.n_jobs)
        check_columns(self, X, source)
        parts = list(source.told(self._block_scores))
        if not parts:
            raise source.no_rows()
        if any(part is None for part in parts):
            source.refuse_nonfinite()
        scores = np.concatenate([part for part in parts if part is not None])
        if not np.isfinite(scores).all():
            raise InputError(
                f"Scores of X are not finite: values times the coefficients of {type(self.estimators_[0]).__name__} exceed 1e308. Rescale "
                "the columns of X, here and in the fit."
            )
        return scores

    def _block_scores(self, block: Block) -> Floats | None:
        if not np.isfinite(block.X.data if block.is_sparse else block.X).all():
            return None
        with quiet():
            return scores_of(self.estimators_, block.X)

    def predict(self, X: Any, ambiguous: Literal["argmax", "reject"] = "argmax") -> NDArray[Any]:
        """Return the label of each row.

        Parameters
        ----------
        X : array, sparse matrix, frame or table of n rows
        ambiguous : "argmax" or "reject"
            Give ambiguous rows to the largest score, or reject them: the result is then an array of objects with None there.
        """
        if not is_among(ambiguous, ("argmax", "reject")):
            raise one_of("ambiguous", ambiguous, ["argmax", "reject"])
        codes, unclear = self._winners(X)
        labels: NDArray[Any] = self.classes_[codes]
        if ambiguous == "argmax":
            return labels
        rejected: NDArray[Any] = labels.astype(object)
        rejected[unclear] = None
        return rejected

    def ambiguous(self, X: Any) -> Bools:
        """Return which rows lie where the machines contradict each other.

        Parameters
        ----------
        X : array, sparse matrix, frame or table of n rows
        """
        return self._winners(X)[1]

    def state(self) -> State:
        """Return the fitted model as arrays and plain values; the machines must be of this package.

        Returns
        -------
        State
            `type(model).restore(model.state())` is the same model; its `machines` are the states of `estimators_`.
        """
        check_is_fitted(self)
        own = {name: vars(self)[name] for name in ("classes_", "n_features_in_", "feature_names_in_") if name in vars(self)}
        own |= {f"estimators_.{i}": state_of(machine, type(self).__name__) for i, machine in enumerate(self.estimators_)}
        return pack(type(self).__name__, plain_params(self), own)

    @classmethod
    def restore(cls, state: State) -> Self:
        """Return the fitted model that a state describes."""
        require_model(state, cls)
        model = cls(**built(state.params))
        for name, value in unpack(state, {}).items():
            setattr(model, name, value)
        model.estimators_ = [restored(machine) for machine in state.machines]
        require_machine(model._machine)
        require_given(model)
        return model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if isinstance(self._machine, BaseEstimator):
            tags.input_tags.sparse = get_tags(self._machine).input_tags.sparse
        return tags


def without_names(source: Source) -> Source:
    """Return the rows as machines see them, without names of columns: in memory one matrix of finite floats, which all machines share."""
    assert source.classes is not None
    if isinstance(source, ChunkedSource):
        return ArraySource(as_matrix(source), source.labels, source.weight, n_jobs=source.n_jobs)
    return Recoded(source, np.arange(len(source.classes)), source.classes)


def fit_machines(estimator: Any, source: Source, tasks: Sequence[Task], n_jobs: int | None) -> list[Any]:
    """Fit one clone of an estimator per task: rows in memory on threads that share them, those of a table one machine after the other.

    A task of some rows in memory holds a copy of these rows while it runs.
    """
    estimator = clone(estimator)
    if not isinstance(source, ArraySource):
        if not isinstance(estimator, Classifier):
            raise InputTypeError(
                f"{type(estimator).__name__} takes rows in memory, not those of files; pass X and y as arrays or frames, or use "
                "machines of this package, such as LogisticRegression()."
            )
        return [clone(estimator).fit(Recoded(source, task.codes, np.array(task.labels))) for task in tasks]
    assert source.labels is not None
    X, weight, codes = source.X, source.weight, source.labels.codes(0, source.n_rows)
    places = [np.flatnonzero(codes == k) for k in range(len(source.labels.classes))]

    def fit_one(task: Task) -> Any:
        some = (task.codes < 0).any()
        rows: Any = np.sort(np.concatenate([places[k] for k in np.flatnonzero(task.codes >= 0)])) if some else slice(None)
        more = {} if weight is None else {"sample_weight": weight[rows]}
        y = np.array(task.labels, dtype=np.int64)[task.codes[codes[rows]]]
        return clone(estimator).fit(X[rows] if some else X, y, **more)

    machines: list[Any] = Parallel(n_jobs=n_jobs or -1, prefer="threads")(delayed(fit_one)(task) for task in tasks)
    return machines


def moments_kind(estimator: Any, source: Source) -> Kind | None:
    """Return the moments from which machines on these rows are solved; None where they need the rows."""
    summary = abilities_of(estimator).summary
    n_rows = source.n_features if source.n_rows is None else source.n_rows  # of files that were not counted: taken for many
    if not summary or summary.kind is None or not summary.suffices(n_rows, source.n_features):
        return None
    return "diagonal" if summary.kind == "diagonal" else "full"


def fit_from_moments(estimator: Any, parts: Sequence[ClassMoments]) -> list[Any]:
    """Fit one clone per summary: no rows are read again."""
    template = clone(estimator)
    # A shallow copy of an unfitted clone is a clone, without looking up the parameters a hundred times.
    return [copy(template).fit_summary(part) for part in parts]


def scores_of(machines: Sequence[Any], X: Any) -> Floats:
    """Return the scores (n, M) of two-class machines, positive for each machine's second class."""
    parts = linear_parts(machines)
    if parts is not None:
        return np.asarray(X @ parts[0].T + parts[1], dtype=np.float64)
    return np.column_stack([_score(machine, X) for machine in machines])


def _score(machine: Any, X: Any) -> Floats:
    if hasattr(machine, "decision_function"):
        return np.asarray(machine.decision_function(X), dtype=np.float64)
    if hasattr(machine, "predict_proba"):
        return np.asarray(machine.predict_proba(X), dtype=np.float64)[:, 1] - 0.5
    return np.where(np.asarray(machine.predict(X)) == machine.classes_[1], 1.0, -1.0)


def linear_parts(machines: Sequence[Any]) -> tuple[Floats, Floats] | None:
    """Return coef (M, p) and intercept (M,) if every machine is linear with one row of coefficients, else None."""
    if not all(np.ndim(getattr(m, "coef_", 0.0)) == 2 and len(m.coef_) == 1 and hasattr(m, "decision_function") for m in machines):
        return None
    coef = np.vstack([np.asarray(m.coef_, dtype=np.float64) for m in machines])
    return coef, np.array([float(np.ravel(m.intercept_)[0]) for m in machines])


def lengths(machines: Sequence[Any]) -> Floats:
    """Return ‖w‖ of each machine, by which scores are divided to become distances."""
    parts = linear_parts(machines)
    if parts is None:
        raise InputError(
            f"scores='distance' divides by ‖w‖, but {type(machines[0]).__name__} has no weights (coef_); "
            "use scores='raw' or a linear machine."
        )
    norms = np.linalg.norm(parts[0], axis=1)
    return np.where(norms > 0, norms, 1.0)
