"""Parameters of every kind that nobody should pass: a sentence that names the parameter, never a raw error."""

from __future__ import annotations

import inspect
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from separatrix import LinearDiscriminantAnalysis, LogisticRegression, OneVsRest, Perceptron
from separatrix.errors import InputError, InputTypeError, ParameterError
from tests.tables import ESTIMATORS

ODD: list[Any] = ["x", 10**400, -(10**400), None, np.array([1.0, 2.0, 3.0]), np.nan, -1, -np.inf, [], {}, object(), 1j, b"x", 0, 2.5]
LONG = {"estimator", "selector", "plan", "n_jobs"}
"""What is not odd in itself, or belongs to splits: tests/evaluation."""


def rows() -> tuple[Any, Any]:
    y = np.arange(30) % 3
    return np.random.default_rng(0).integers(0, 3, size=(30, 4)) + (y == 0)[:, None] * 1.0, y


@pytest.mark.filterwarnings("ignore::separatrix.errors.SeparatrixWarning", "ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if repr(e).endswith(("()", "())"))], ids=str)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_odd_parameters_are_refused_by_a_sentence_or_work(estimator: Any, method: str) -> None:
    if not hasattr(estimator, method):
        return
    more = {"classes": [0, 1, 2]} if method == "partial_fit" else {}
    few = {"max_iter": 5, "n_subsamples": 3}
    few = {name: value for name, value in few.items() if name in estimator.get_params(deep=False)}
    for name in set(inspect.signature(type(estimator)).parameters) - LONG:
        for value in ODD:
            model = clone(estimator).set_params(**few)
            setattr(model, name, value)
            with suppress(InputError, InputTypeError):  # anything else fails the test
                getattr(model, method)(*rows(), **more)


@pytest.mark.parametrize(
    ("model", "match"),
    [
        (LogisticRegression(C="x"), "C='x' must be a number, not of type str"),
        (LogisticRegression(C=10**400), r"C=1000.* must be a number, of at most 64 bits"),
        (LogisticRegression(tol=np.ones(3)), "tol=array.* must be a number, not of type ndarray"),
        (LogisticRegression(fit_intercept="no"), "fit_intercept='no' must be True or False"),
        (LinearDiscriminantAnalysis(shrinkage=[0.1]), r"shrinkage=\[0.1\] must be 'auto' or 'oas' or a number or None"),
        (LinearDiscriminantAnalysis(n_components=1.5), "n_components=1.5 must be a whole number or None"),
        (LinearDiscriminantAnalysis(priors=10**400), "does not hold real numbers; pass one per class"),
        (Perceptron(random_state="x"), "random_state='x' cannot be used to seed random numbers; give a whole number from 0 to 4294967295"),
        (OneVsRest(n_jobs="a"), "n_jobs='a' must be a whole number or None"),
        (OneVsRest(n_jobs=0), "n_jobs=0 asks for no thread"),
    ],
    ids=str,
)
def test_the_sentence_names_the_parameter(model: Any, match: str) -> None:
    with pytest.raises(InputError, match=match):
        model.fit(*rows())
    assert issubclass(ParameterError, TypeError) and issubclass(ParameterError, ValueError)
