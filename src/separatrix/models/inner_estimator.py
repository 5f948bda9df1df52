"""The estimator inside another one: the default, and what it must be able to do."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator

from ..errors import InputError


def or_logistic(estimator: Any) -> Any:
    """Return the estimator given, or logistic regression where there is none."""
    if estimator is not None:
        return estimator
    from .logistic import LogisticRegression

    return LogisticRegression()


def require_machine(estimator: Any) -> None:
    """Raise an error for a machine that cannot be fitted."""
    if estimator is None or not isinstance(estimator, BaseEstimator) or not hasattr(estimator, "fit"):
        raise InputError(
            f"estimator={estimator!r} cannot be fitted; pass a two-class classifier, for instance LinearDiscriminantAnalysis()."
        )


def require_posteriors(estimator: Any) -> None:
    """Raise an error for a classifier without posteriors that says how it gets some."""
    if isinstance(estimator, type):
        raise InputError(f"estimator is the class {estimator.__name__} itself; pass an instance, {estimator.__name__}().")
    if estimator is None or not hasattr(estimator, "fit"):
        raise InputError(f"estimator={estimator!r} is no classifier; pass one, such as LogisticRegression().")
    if not hasattr(estimator, "predict_proba"):
        name = type(estimator).__name__
        raise InputError(
            f"{name} has no posteriors (predict_proba), and a decision weighs them; calibrate it first: "
            f"separatrix.CalibratedClassifier({name}()).fit(X, y)."
        )
