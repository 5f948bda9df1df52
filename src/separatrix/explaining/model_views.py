"""How a fitted model is read as scores that add up over its columns, and what it keeps of its training rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..abilities import abilities_of
from ..abilities.additive_scores import AdditiveScores, LinearScores
from ..argument_types import is_among
from ..array_types import Floats
from ..data import Block, Source
from ..errors import InputTypeError, UnknownNameError, did_you_mean, short_text
from ..solvers.scores import per_class, unfolded
from .explained_rows import call_model, predict_rows
from .pipelines import Trace

CHECKED = 32
"""Rows on which a reading is compared with the model's own predictions."""

SUPPORTED = (
    "linear models (coef_, intercept_), pipelines of scalers, selectors, encoders or vectorizers and a linear model, and of this package "
    "OneVsRest of linear machines, QuadraticDiscriminantAnalysis, GaussianNB, BernoulliNB, MultinomialNB, CategoricalNB and MixedNB"
)


def require_fitted(model: Any) -> None:
    """Raise the error of something that is no fitted classifier."""
    if isinstance(model, type) or not hasattr(model, "fit"):
        given = model.__name__ if isinstance(model, type) else short_text(model)
        raise InputTypeError(
            f"model={given} is not a fitted classifier; pass one, as in explain(LinearDiscriminantAnalysis().fit(X, y), X, 0)."
        )
    check_is_fitted(model)
    if not hasattr(model, "classes_"):
        raise InputTypeError(f"{type(model).__name__} has no classes_, so it is not a classifier; explain supports {SUPPORTED}.")


def inside(model: Any) -> Any:
    """Return the model that a decision is around, or the model itself."""
    decision = abilities_of(model).decision
    return decision.inside() if decision else model


def explainable(model: Any) -> Any:
    """Return the model; of a decision that is no matter of scores alone (rejecting, other actions) the one without its costs."""
    require_fitted(model)
    decision = abilities_of(model).decision
    return decision.most_probable() if decision and decision.log_factors() is None else model


def view_of(model: Any) -> AdditiveScores:
    """Return the scores of a fitted model that add up over columns: its own reading, or that of coefficients as scikit-learn keeps them."""
    require_fitted(model)
    abilities = abilities_of(model)
    if abilities.decision:
        factors = abilities.decision.log_factors()
        if factors is None:
            raise InputTypeError("This decision is no matter of scores alone, so it cannot be taken apart; explain the model inside it.")
        return view_of(abilities.decision.inside()).shifted(factors)
    if abilities.reading:
        return abilities.reading.reading()
    if hasattr(model, "named_steps"):
        return _through_steps(model)
    if getattr(model, "coef_", None) is not None and hasattr(model, "intercept_"):
        return _from_coefficients(model)
    where = "estimator_" if hasattr(model, "estimator_") else "estimators_[0]"
    inner = model.estimator_ if where == "estimator_" else next(iter(getattr(model, "estimators_", [])), None)
    hint = f" Or explain the {type(inner).__name__} inside it, model.{where}." if hasattr(inner, "coef_") else ""
    raise InputTypeError(f"{type(model).__name__} has no scores that add up over columns; explain supports {SUPPORTED}.{hint}")


def _from_coefficients(model: Any) -> LinearScores:
    coef = model.coef_.toarray() if hasattr(model.coef_, "toarray") else np.asarray(model.coef_)
    coef = np.atleast_2d(coef).astype(np.float64)
    K, intercept = len(model.classes_), np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64), len(coef))
    if K == 2:
        coef, intercept = unfolded(coef, intercept)
    if len(coef) != K:
        raise InputTypeError(f"{type(model).__name__} has {len(coef)} rows of coef_ for {K} classes; explain needs one per class.")
    return LinearScores(coef, np.array(intercept))


def _through_steps(pipeline: Any) -> LinearScores:
    """Return the last step's weights in terms of the columns that the first step takes, where steps only scale and select columns."""
    name, model = pipeline.steps[-1]
    view = view_of(model)
    if not isinstance(view, LinearScores):
        raise InputTypeError(f"The last step {name!r} of the pipeline is not linear; explain it alone, on the transformed columns.")
    trace = Trace.through(pipeline, None)
    if not trace.is_plain:
        raise InputTypeError("The pipeline does more than scale and select columns, so that there are no weights of its own columns.")
    columns = trace.columns
    weights = np.zeros((len(view.weights), len(trace.names)))
    weights[:, columns.part] = view.weights * columns.factor
    return LinearScores(weights, view.offsets - view.weights @ columns.shift)


def code_of(model: Any, name: str, label: Any) -> int | None:
    """Return the position of a label in `classes_`."""
    if label is None:
        return None
    labels = model.classes_.tolist()
    if not is_among(label, labels):
        raise UnknownNameError(f"{name}={label!r} is not a class of this model.{did_you_mean(label, labels)} Classes: {labels}.")
    return int(labels.index(label))


def names_of(model: Any, source: Source | None) -> list[str]:
    """Return the names of the columns: those of the fit, else those of the rows given, else x0, x1, …"""
    known, p = getattr(model, "feature_names_in_", None), int(model.n_features_in_)
    if known is None and source is not None:
        known = source.feature_names
    # A meta-estimator may keep the names of an earlier fit.
    return [f"x{j}" for j in range(p)] if known is None or len(known) != p else [str(name) for name in known]


def remembered(model: Any) -> tuple[Floats | None, Floats | None]:
    """Return mean and standard deviations of the training rows, as far as a model remembers them."""
    model = inside(model)
    if hasattr(model, "named_steps"):
        first = model.steps[0][1]
        mean: Any = getattr(first, "mean_", None)
        variance: Any = getattr(first, "var_", None)
        known = np.shape(mean) == np.shape(variance) == (int(model.n_features_in_),)
        return (np.asarray(mean), np.sqrt(np.asarray(variance))) if known else (None, None)
    moments: Any = getattr(model, "summary_", None)
    if hasattr(moments, "grand_mean"):
        mean, n = moments.grand_mean, float(moments.counts.sum())
        squares = moments.to_diagonal_sums() + moments.counts @ (moments.means - mean) ** 2
        return mean, np.sqrt(squares / max(n - 1.0, 1.0))
    return vars(model).get("xbar_"), None


def check_reading(model: Any, view: AdditiveScores, rows: Floats) -> None:
    """Raise an error where a view would score or decide otherwise than the model does."""
    rows = rows[:CHECKED]
    scores = view.scores(Block(rows))
    codes = np.searchsorted(model.classes_, predict_rows(model, rows))
    size = 1.0 + np.abs(scores).max(axis=1)
    # Ties may go either way.
    lost = scores.max(axis=1) - scores[np.arange(len(rows)), codes] > 1e-9 * size
    if hasattr(model, "decision_function") and not lost.any():
        theirs = call_model(model, "decision_function", rows)
        theirs = per_class(theirs[:, None] if theirs.ndim == 1 else theirs)
        if theirs.shape == scores.shape:
            lost = np.abs((theirs - theirs[:, :1]) - (scores - scores[:, :1])).max(axis=1) > 1e-4 * size
    if lost.any():
        raise InputTypeError(
            f"{type(model).__name__} does not take the class of the largest linear score (row {int(lost.argmax())} differs), so its "
            f"decision cannot be taken apart by columns; explain supports {SUPPORTED}."
        )
