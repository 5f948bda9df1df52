"""The classes that a state may name: a name that is not in this table is refused, so that no file chooses what is imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import DamagedFileError, InputError, InputTypeError, SeparatrixError, did_you_mean
from ..loading import maker
from .pipeline_state import STEPS, is_step, restored_step, state_of_step
from .state import Blueprint, State, is_scalar

PLACES = {
    **dict.fromkeys(
        (
            "AveragedPerceptron BatchPerceptron BernoulliNB CategoricalNB DecidedClassifier FisherDiscriminant GaussianNB "
            "LeastSquaresClassifier LinearDiscriminantAnalysis LinearSVC LogisticRegression MixedNB MultinomialNB NearestMean OneVsOne "
            "OneVsRest Perceptron QuadraticDiscriminantAnalysis TableClassifier VotedPerceptron"
        ).split(),
        "models",
    ),
    **dict.fromkeys(
        "AnovaFilter BackwardSelection CorrelationFilter ForwardSelection MutualInformationFilter RareBinaryFilter StabilitySelection "
        "StepwiseDiscriminant".split(),
        "selection",
    ),
    **dict.fromkeys(("Board", "SavedBoard"), "selection"),
    "CalibratedClassifier": "evaluation",
    "TablePrep": "prepare",
}
"""Every estimator, and what `compare` returns: the room it is in."""

PLANS = "Bootstrap HashFold Holdout KFold LeaveOneOut RandomSubsampling TimeSplit".split()


def class_of(name: str) -> Any:
    """Return an estimator's class by its name.

    Examples
    --------
    >>> class_of("NearestMean").__name__
    'NearestMean'
    """
    if name not in PLACES:
        raise DamagedFileError(f"{name[:60]!r} is no estimator of this package.{did_you_mean(name, PLACES)} Its state cannot be restored.")
    return maker(f"{PLACES[name]}.{name}")


def restored(state: State) -> Any:
    """Return the fitted model that a state describes, whatever its class."""
    return restored_step(state, restored) if state.model in STEPS else class_of(state.model).restore(state)


def state_of(model: Any, where: str = "") -> State:
    """Return the state of a fitted model of this package; a foreign one is refused by name.

    Parameters
    ----------
    model : fitted
    where : the model around it, for the error
    """
    name = type(model).__name__
    if is_step(model):
        return state_of_step(model, state_of)
    if not _is_ours(model):
        inside = f" inside {where}" if where else ""
        raise InputTypeError(
            f"{type(model).__module__.partition('.')[0]}'s {name}{inside} cannot be stored: only estimators of this package are written as "
            "arrays and plain values, and nothing is pickled. Use one of them, such as LogisticRegression(), or keep the training script."
        )
    state: State = model.state()
    return state


def _is_ours(model: Any) -> bool:
    return type(model).__name__ in PLACES and type(model).__module__.startswith(f"{__package__.partition('.')[0]}.")


def plain_params(model: Any, **instead: Any) -> dict[str, Any]:
    """Return an estimator's parameters as plain values and blueprints.

    A generator of random numbers becomes None: it has moved on since the fit.

    Parameters
    ----------
    model : estimator
    instead : values to store in place of those the estimator has
    """
    given = {**model.get_params(deep=False), **instead}
    return {name: _plain(value, f"{name} of {type(model).__name__}") for name, value in given.items()}


def _plain(value: Any, where: str) -> Any:
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return None
    if isinstance(value, np.generic):
        return value.item()
    if is_scalar(value) or isinstance(value, np.ndarray):
        return value
    if isinstance(value, list | tuple):
        return type(value)([_plain(item, where) for item in value]) if type(value) in (list, tuple) else _refuse(value, where)
    if isinstance(value, Mapping):
        return {name: _plain(item, where) for name, item in value.items()}
    if hasattr(value, "get_params") and not isinstance(value, type) and _is_ours(value):
        return Blueprint(type(value).__name__, plain_params(value))
    if type(value).__name__ in PLANS and type(value).__module__.startswith(f"{__package__.partition('.')[0]}."):
        return Blueprint(type(value).__name__, {name: _plain(item, where) for name, item in vars(value).items()})
    if hasattr(value, "to_dict") and hasattr(value, "index"):  # a Series: weights or priors by label
        return _plain(value.to_dict(), where)
    return _refuse(value, where)


def _refuse(value: Any, where: str) -> Any:
    raise InputTypeError(
        f"{where} is a {type(value).__name__}, which cannot be stored: numbers, texts, lists, and estimators and plans of this package can."
    )


def built(value: Any) -> Any:
    """Return a parameter with the estimators and plans that its blueprints describe.

    Examples
    --------
    >>> built(Blueprint("NearestMean", {"metric": "standardised"}))
    NearestMean(metric='standardised')
    """
    if isinstance(value, Blueprint):
        own = {name: built(item) for name, item in value.params.items()}
        made = maker(f"evaluation.{value.name}") if value.name in PLANS else class_of(value.name)
        try:
            return made(**own)
        except SeparatrixError as error:
            raise DamagedFileError(f"{value.name} cannot be made as stored: {error}") from error
        except TypeError as error:
            raise DamagedFileError(f"{value.name} has parameters that it cannot have; write the file anew.") from error
    if isinstance(value, list | tuple):
        return type(value)([built(item) for item in value])
    return {name: built(item) for name, item in value.items()} if isinstance(value, dict) else value


def require_model(state: State, cls: type) -> None:
    """Raise an error for the state of another class."""
    if state.model != cls.__name__:
        raise InputError(f"This is the state of a {state.model}, not of a {cls.__name__}; use separatrix.{state.model}.restore(state).")
