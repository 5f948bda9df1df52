"""A classifier that takes a table as people have it: a recipe for its columns, and a model of the numbers they become."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ..abilities import Abilities
from ..abilities.logistic_likelihood import is_penalised
from ..alerts import Alert
from ..argument_types import check_parameters
from ..arguments import KnownParameters
from ..array_types import Floats
from ..data import Source, unchanged
from ..data.labels import Labels
from ..data.opening import is_frame
from ..data.targets import split_target, warn_of_unlabelled
from ..data.whole_tables import whole_table
from ..errors import InputError
from ..inference.selected_columns import PICKS, TOO_SMALL, picked_from, warn_if_picked
from ..loading import maker
from ..prepare import Recipe, TablePrep
from ..prepare.column_scaler import ColumnScaler
from ..prepare.outputs import by_column
from ..prepare.table_columns import TableColumns
from .decided import with_decision
from .goodness_of_fit import score
from .inner_estimator import or_logistic
from .logistic import LogisticRegression
from .pipeline_state import require_chain
from .registry import require_model, restored, state_of
from .singular import columns_named, recipe_names
from .state import State, labels_of, pack


class TableClassifier(KnownParameters, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A recipe for a table's columns and a classifier of the numbers they become, as one estimator.

    This is what `compare` and the selections return for a table. `predict` takes tables as they came: columns are found by name, gaps,
    unseen levels and other types are dealt with as the recipe says.

    Parameters
    ----------
    estimator : classifier, optional
        Any classifier of numbers, of this package or of scikit-learn; default LogisticRegression().
    prep : TablePrep or Recipe, optional
        How the columns are prepared; default TablePrep(). Of a plan, `Recipe.plan(…).with_kind(…)`, the wishes count: it is learned anew.
    standardise : bool
        Whether the numbers are divided by their standard deviations (and centred, unless they are sparse) before the classifier; switches
        and words stay as large as they are, so that a penalty does not follow the few rows of a rare level.
    target : str, optional
        Column of the labels, for `fit(table)`; left aside by `predict`.

    Attributes
    ----------
    recipe_ : Recipe
    estimator_ : the fitted classifier
    pipeline_ : the steps as a scikit-learn pipeline
    classes_ : (K,) labels
    alerts_ : what was noticed in the columns

    Examples
    --------
    >>> import pandas as pd
    >>> from separatrix import TableClassifier
    >>> table = pd.DataFrame({"age": [22, 38, None, 35] * 9, "sex": ["m", "f", "f", "x"] * 9, "buys": ["no", "yes", "yes", "no"] * 9})
    >>> model = TableClassifier(target="buys").fit(table)
    >>> model.predict(pd.DataFrame({"sex": ["f", "m"], "age": [None, 25]})).tolist()
    ['yes', 'no']
    """

    pipeline_: Pipeline

    def __init__(self, estimator: Any = None, *, prep: Any = None, standardise: bool = False, target: str | None = None) -> None:
        self.estimator = estimator
        self.prep = prep
        self.standardise = standardise
        self.target = target

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the recipe, and fit the classifier to the numbers.

        Parameters
        ----------
        X : frame, array, or a table from `open_table`, which is read block by block
        y : (n,) labels; or leave them out where `target` names their column
        sample_weight : (n,) weights, optional
        """
        check_parameters(self)
        if isinstance(X, Source) and self.standardise:
            raise InputError("standardise=True needs rows in memory; leave it out for a table of files.")
        if not isinstance(X, Source):
            X, y, sample_weight = self._labelled(X, y, sample_weight)
        if isinstance(self.estimator, type) or not hasattr(or_logistic(self.estimator), "fit"):
            raise InputError(f"estimator={self.estimator!r:.60} is no classifier; pass one, such as LogisticRegression().")
        prep = TablePrep(sparse_output="auto" if _takes_sparse(or_logistic(self.estimator)) else False) if self.prep is None else self.prep
        if isinstance(prep, Recipe):
            prep = prep.prep()
        if not isinstance(prep, TablePrep | TableColumns):
            raise InputError(f"prep is a {type(prep).__name__} and no TablePrep; pass TablePrep(…) or a plan, or leave it out.")
        scaler = [ColumnScaler()] if self.standardise else []
        pipeline = make_pipeline(clone(prep), *scaler, clone(or_logistic(self.estimator)))
        own = {} if sample_weight is None or isinstance(prep, TableColumns) else {"sample_weight": sample_weight}
        with unchanged(X):
            Z = pipeline[0].fit_transform(X, y, **own)
            if self.standardise:
                pipeline[1].set_params(with_mean=not hasattr(Z, "indptr"))
                Z = pipeline[1].fit_transform(Z, sample_weight=sample_weight)
            with columns_named(recipe_names(pipeline)):
                pipeline[-1].fit(Z, y, **self._weights(pipeline[-1], sample_weight))
            self.pipeline_ = pipeline
            table: Any = X.as_columns() if isinstance(X, Source) else None
            if table is not None and table.unlabelled:
                warn_of_unlabelled(table.target, table.unlabelled, int(self.recipe_.rows) + table.unlabelled, stacklevel=3)
            return self

    def _labelled(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
        if y is not None:
            return self._without_target(X), y, sample_weight
        if self.target is None or not is_frame(X):
            raise InputError("This classifier requires y to be passed, but the target y is None; or name its column: target='…'.")
        rows, y, kept = split_target(X, self.target)
        return rows, y, sample_weight if sample_weight is None or kept is None else np.asarray(sample_weight)[kept]

    def _weights(self, estimator: Any, sample_weight: Any) -> dict[str, Any]:
        if sample_weight is None:
            return {}
        if not has_fit_parameter(estimator, "sample_weight"):
            raise InputError(f"sample_weight was given, but {type(estimator).__name__}.fit takes none; leave it out.")
        return {"sample_weight": sample_weight}

    @classmethod
    def of(cls, pipeline: Pipeline, target: str | None = None) -> TableClassifier:
        """Return a fitted pipeline of TablePrep, perhaps a ColumnScaler, and a classifier as one estimator."""
        prep, *between, last = [step for _, step in pipeline.steps]
        standardise = bool(between) and isinstance(between[0], ColumnScaler)
        rest = between[1:] if standardise else between
        inner = make_pipeline(*rest, last) if rest else last
        found = cls(clone(inner), prep=clone(prep), standardise=standardise, target=target)
        found.pipeline_ = Pipeline([*pipeline.steps[: 1 + standardise], (type(inner).__name__.lower(), inner)])
        return found

    @property
    def recipe_(self) -> Recipe:
        """What is done with each column."""
        check_is_fitted(self)
        recipe: Recipe = self.pipeline_[0].recipe_
        return recipe

    @property
    def estimator_(self) -> Any:
        """The fitted classifier of numbers."""
        check_is_fitted(self)
        return self.pipeline_[-1]

    @property
    def alerts_(self) -> tuple[Alert, ...]:
        """What was noticed in the columns."""
        return self.recipe_.alerts

    @property
    def classes_(self) -> NDArray[Any]:
        """(K,) labels."""
        return np.asarray(self.estimator_.classes_)

    @property
    def n_features_in_(self) -> int:
        """Number of columns of the table."""
        check_is_fitted(self)
        return int(self.pipeline_[0].n_features_in_)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the table's columns."""
        check_is_fitted(self)
        return np.asarray(self.pipeline_[0].feature_names_in_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row of a table."""
        check_is_fitted(self)
        return np.asarray(self.pipeline_.predict(self._without_target(X)))

    def __getattr__(self, name: str) -> Any:
        # Posteriors and scores are there where the classifier inside has them, as hasattr(model, "predict_proba") asks.
        if name in ("predict_proba", "predict_log_proba", "decision_function"):
            inner = self.__dict__["pipeline_"][-1] if "pipeline_" in self.__dict__ else or_logistic(self.__dict__.get("estimator"))
            if hasattr(inner, name):  # names: three methods of the contract
                return lambda X: self._scored(name, X)
        if isinstance(getattr(type(self), name, None), property):  # it raised an AttributeError: the fit is missing, not the attribute
            check_is_fitted(self)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _scored(self, name: str, X: Any) -> Floats:
        check_is_fitted(self)
        return np.asarray(getattr(self.pipeline_, name)(self._without_target(X)))

    def _without_target(self, X: Any) -> Any:
        """Return a table without the column of the labels, which may well stand there when predicting too."""
        if self.target is None or not is_frame(X):
            return X
        from ..data.frames import open_frame

        frame = open_frame(X)
        return frame.drop(self.target).to_native() if self.target in frame.columns else X

    score = score
    with_decision = with_decision

    def explain(self, X: Any, row: Any = None, **more: Any) -> Any:
        """Return `separatrix.explain(self, X, row, …)`: why a row is decided as it is, in the table's columns and levels."""
        return maker("explaining.explain.explain")(self, X, row, **more)

    def summary(self, X: Any = None, y: Any = None, sample_weight: Any = None, **more: Any) -> Any:
        """Return the tables of the classifier inside, its columns named as the recipe says them.

        Where a logistic regression has no penalty (C=np.inf), a table `terms` tests the columns of the table, each with all its levels at
        once.

        Parameters
        ----------
        X, y, sample_weight : the rows that were fitted, their labels and weights, where the tables need them
        more : as of the classifier's own `summary`: intervals, level, covariance, terms
        """
        inner = self.estimator_
        if not hasattr(inner, "summary"):  # names: a public method of some classifiers
            raise InputError(f"{type(inner).__name__} has no summary; LogisticRegression and LinearDiscriminantAnalysis have one.")
        named = _named(inner, self.recipe_.names)
        if X is None:
            return self._in_units(named.summary(**more))
        X, y, sample_weight = self._labelled(X, y, sample_weight)
        if PICKS:
            labels = Labels.of(y)
            warn_if_picked(picked_from(X, labels.codes(0, len(labels))), TOO_SMALL, "Test on rows that the selector has not seen.")
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        if isinstance(inner, LogisticRegression) and not is_penalised(inner) and inner.class_weight is None:
            more = {"terms": by_column(self.recipe_.outputs)} | more
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="X does not have valid feature names")  # they are the recipe's
            return self._in_units(named.summary(self._trained_on(X), y, **weights, **more))

    def _trained_on(self, X: Any) -> Any:
        """Return the rows of the fit as the classifier had them: shares of classes come from other rows than the row itself."""
        prep = self.pipeline_[0]
        Z = prep.transform(X)
        if self.recipe_.looks_at_labels:
            Z = self.recipe_.transform_training(whole_table(X), hasattr(Z, "indptr"))
        return self.pipeline_[1].transform(Z) if self.standardise else Z

    def _in_units(self, tables: Any) -> Any:
        """Return tables of a classifier with a note on the units of its columns."""
        note = "Coefficients are per standard deviation of a column of numbers, and for the whole of a level."
        return replace(tables, notes=(*tables.notes, note)) if self.standardise else tables

    def abilities(self) -> Abilities:
        """Return what this model can do beyond fit and predict: held-out rows are refitted, recipe and all."""
        return Abilities.none(self, "its recipe is learned anew from the rows that are left")

    def state(self) -> State:
        """Return the fitted model as arrays and plain values; the classifier must be one of this package."""
        check_is_fitted(self)
        scaler, prep = self.pipeline_[1] if self.standardise else None, self.pipeline_[0]
        own = {} if scaler is None else {"scale_": scaler.scale_, "mean_": scaler.mean_ if scaler.with_mean else None}
        own |= {
            **self.recipe_.as_stored(),
            "n_features_in_": self.n_features_in_,
            "feature_names_in_": getattr(prep, "feature_names_in_", None),
            "estimator_": state_of(self.estimator_, type(self).__name__),
        }
        params = {"standardise": self.standardise, "target": self.target, "prep": type(prep).__name__}
        return pack(type(self).__name__, params | {"sparse_output": getattr(prep, "sparse_output", False)}, own)

    @classmethod
    def restore(cls, state: State) -> Self:
        """Return the model that a state describes."""
        require_model(state, cls)
        params, values, fitted = state.params, state.values, restored(state.inside["estimator_"])
        prep: Any = TableColumns() if params["prep"] == "TableColumns" else TablePrep(sparse_output=params["sparse_output"])
        prep.recipe_ = Recipe.stored(values["recipe_"], values["alerts_"]["plain"])
        prep.n_features_in_ = int(values["n_features_in_"])
        if values["feature_names_in_"] is not None:
            prep.feature_names_in_ = labels_of(values["feature_names_in_"])
        steps = [prep]
        if params["standardise"]:
            mean = state.arrays.get("mean_")
            scaler = ColumnScaler(with_mean=mean is not None)
            scaler.scale_, scaler.mean_, scaler.n_features_in_ = state.arrays["scale_"], mean, len(state.arrays["scale_"])
            scaler.var_ = scaler.scale_**2
            steps.append(scaler)
        found = cls(clone(fitted), prep=clone(prep), standardise=params["standardise"], target=params["target"])
        found.pipeline_ = make_pipeline(*steps, fitted)
        check_parameters(found)
        check_parameters(prep)
        require_chain([*steps, *([step for _, step in fitted.steps] if isinstance(fitted, Pipeline) else [fitted])])
        return found

    def __sklearn_is_fitted__(self) -> bool:
        return "pipeline_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _takes_sparse(model: Any) -> bool:
    return hasattr(model, "__sklearn_tags__") and bool(get_tags(model).input_tags.sparse)


def _named(model: Any, names: list[str]) -> Any:
    """Return a fitted model that names its columns."""
    if "feature_names_in_" in vars(model) or getattr(model, "n_features_in_", len(names)) != len(names):
        return model
    from copy import copy

    named = copy(model)
    named.feature_names_in_ = np.array(names, dtype=object)
    return named
