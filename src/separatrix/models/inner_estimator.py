"""The estimator inside another one: the default, what it must be able to do, and its place in the state of the outer model."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sklearn.base import BaseEstimator

from ..errors import InputError
from .state import State, pack

INSIDE = "estimator."
"""Beginning of the names that belong to the model inside, in the state of the outer one."""


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


def nested(model: Any, params: dict[str, Any], own: dict[str, Any], fitted: Any) -> State:
    """Return the state of a model around another: its own attributes, and under "estimator.…" those of the fitted one."""
    if not hasattr(fitted, "state"):
        raise InputError(f"{type(fitted).__name__} has no state; a classifier of this package has.")
    state, inner = pack(type(model).__name__, params, own), fitted.state()
    state.values["estimator"] = {"model": inner.model, "params": inner.params}
    for mine, theirs in ((state.values, inner.values), (state.arrays, inner.arrays)):
        mine.update({f"{INSIDE}{key}": value for key, value in theirs.items()})
    return state


def restore_nested(cls: type, state: State) -> tuple[State, Any]:
    """Return the state of the outer model alone, and the fitted model inside."""
    if state.model != cls.__name__:
        raise InputError(f"This is the state of a {state.model}, not of a {cls.__name__}; use separatrix.{state.model}.restore(state).")
    about = state.values["estimator"]
    parts = [{key.removeprefix(INSIDE): v for key, v in held.items() if key.startswith(INSIDE)} for held in (state.arrays, state.values)]
    inner = State(about["model"], state.schema, about["params"], *parts)
    own = [{key: v for key, v in held.items() if not key.startswith("estimator")} for held in (state.arrays, state.values)]
    fitted = getattr(import_module("separatrix"), inner.model).restore(inner)
    return State(state.model, state.schema, state.params, *own), fitted
