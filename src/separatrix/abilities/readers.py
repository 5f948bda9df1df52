"""What any estimator can do, of this package or not: asked in one place, so that no other room has to know what kind it has."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from ..errors import InputTypeError
from .page import Abilities


def abilities_of(model: Any) -> Abilities:
    """Return what an estimator can do beyond fit and predict: a table to print, and typed parts to ask.

    Models of this package say it themselves. Everything else is refitted for every fold, row or set of columns, which is always right.

    Parameters
    ----------
    model : estimator

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from separatrix import abilities_of
    >>> abilities_of(SVC()).leave_one_out.why
    'SVC is not of this package, so it is refitted'

    See Also
    --------
    separatrix.LinearDiscriminantAnalysis.abilities : the same as a method.
    """
    if isinstance(model, type) or not hasattr(model, "fit"):
        given = model.__name__ if isinstance(model, type) else repr(model)[:60]
        raise InputTypeError(f"model={given} is no estimator; pass one, as in abilities_of(LinearDiscriminantAnalysis()).")
    if isinstance(model, FrozenEstimator):  # which hands on every name of the model inside
        own, none = abilities_of(model.estimator), Abilities.none(model, "a frozen model is never fitted again")
        return replace(none, reading=own.reading, similarity=own.similarity, intervals=own.intervals, decision=own.decision)
    ask = getattr(model, "abilities", None)
    found = ask() if callable(ask) else None
    if isinstance(found, Abilities):
        return found
    if isinstance(model, Pipeline):
        return Abilities.none(model, "the steps before the classifier learn from the rows too, so the whole pipeline is refitted")
    return Abilities.none(model, f"{type(model).__name__} is not of this package, so it is refitted")
