"""Values and weights at the ends of float64: a fit is refused by a sentence or sound, and a refused one leaves the model as it was."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from separatrix import (
    CalibratedClassifier,
    DecidedClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    OneVsOne,
    OneVsRest,
    regularisation_path,
)
from separatrix.errors import InputError
from tests.tables import COUNT_MODELS, MODELS

LOGISTIC = [LogisticRegression(), LogisticRegression(C=np.inf), LogisticRegression(l1_ratio=1.0), LogisticRegression(firth=True)]
AROUND = [OneVsRest(), OneVsOne(), CalibratedClassifier(LinearDiscriminantAnalysis()), DecidedClassifier(LogisticRegression())]
EVERY = pytest.mark.parametrize("model", [*MODELS, *COUNT_MODELS, *LOGISTIC, *AROUND], ids=str)
pytestmark = pytest.mark.filterwarnings("ignore::separatrix.errors.SeparatrixWarning", "ignore::sklearn.exceptions.ConvergenceWarning")


def rows(rng: Any) -> tuple[Any, Any]:
    y = np.arange(42) % 3
    return rng.integers(0, 3, size=(42, 3)) + (y == 0)[:, None] * 1.0, y


def refused_or_sound(model: Any, X: Any, y: Any, weight: Any = None) -> None:
    model, refusal = clone(model).fit(*rows(np.random.default_rng(1))), ""
    before = dict(vars(model))
    try:
        model.fit(X, y, sample_weight=weight)
    except InputError as error:
        refusal = str(error)
    if refusal:
        assert len(refusal) > 60 and all(vars(model)[name] is value for name, value in before.items())
        return
    for method in ("predict_proba", "decision_function", "transform"):
        with suppress(InputError):  # products of rows and coefficients may be too large, where the fit is not
            assert not hasattr(model, method) or not np.isnan(getattr(model, method)(X)).any()


@EVERY
@pytest.mark.parametrize("power", [100, 150, 154, 155, 200, 300, 307])
def test_large_values(model: Any, power: int, rng: Any) -> None:
    X, y = rows(rng)
    refused_or_sound(model, X * 10.0**power, y)
    refused_or_sound(model, X * np.array([1.0, 1.0, 10.0**power]), y)
    refused_or_sound(model, np.where(np.arange(X.size).reshape(X.shape) == 7, 10.0**power, X), y)
    if power < 200:
        refused_or_sound(model, (X * 10.0 ** (power // 4)).astype(np.float32), y)


@EVERY
@pytest.mark.parametrize("power", [-320, -300, -160, 160, 300, 308])
def test_large_and_small_weights(model: Any, power: int, rng: Any) -> None:
    X, y = rows(rng)
    refused_or_sound(model, X, y, np.full(len(y), 10.0**power))
    refused_or_sound(model, X, y, np.where(np.arange(len(y)) == 5, 10.0**power, 1.0))
    refused_or_sound(model, X, y, 10.0 ** np.linspace(-power, power, len(y)).clip(-320, 308))


@pytest.mark.parametrize("power", [-320, -300, 300, 306])
@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_a_path_of_penalties_that_float64_does_not_hold_is_refused(power: int, l1_ratio: float, rng: Any) -> None:
    X, y = rows(rng)
    with pytest.raises(InputError, match=r"C=\S+ times the weights .* holds no inverse; (lower|raise) C, or rescale sample_weight"):
        regularisation_path(X, y, np.full(len(y), 10.0**power), l1_ratio=l1_ratio)


@pytest.mark.parametrize("model", [model for model in [*MODELS, *COUNT_MODELS] if "Categorical" not in str(model)], ids=str)
def test_sums_that_overflow_in_a_later_part(model: Any, rng: Any) -> None:
    X, y = rows(rng)
    model = clone(model).fit(X, y)
    try:
        for _ in range(4):
            before = model.state()
            model.partial_fit(X, y, sample_weight=np.full(len(y), 3e306))
    except InputError:
        assert model.state() == before
    assert not np.isnan(getattr(model, "decision_function", model.predict)(X)).any()
