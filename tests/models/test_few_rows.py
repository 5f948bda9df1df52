"""Laws of rows fewer than columns: the span of the rows gives what the columns give, and what it did not compute comes when asked for."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from separatrix import FisherDiscriminant, LeastSquaresClassifier, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from separatrix.errors import SingularWarning
from separatrix.models.later import Computed
from separatrix.thresholds import Threshold, in_span, is_wide

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.errors.SingularWarning")
MODELS = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(shrinkage="auto", class_weight="balanced"),
    LinearDiscriminantAnalysis(shrinkage=0.2, covariance="mle"),
    FisherDiscriminant(),
    LeastSquaresClassifier(),
    LeastSquaresClassifier(alpha=2.0, class_weight="balanced"),
    QuadraticDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(shrinkage="oas", class_weight="balanced"),
    QuadraticDiscriminantAnalysis(pooling=0.5, shrinkage=0.1),
]
EVERY = pytest.mark.parametrize("model", MODELS, ids=str)


def rows(rng: Any, n: int = 24, p: int = 110) -> tuple[Any, Any, Any]:
    """Rows in columns of different units, one of them constant, with labels and weights."""
    X, y = rng.normal(size=(n, p)) * 10.0 ** rng.uniform(-2, 2, p) + 3.0, np.arange(n) % 3
    X[:, 4] = 0.1
    return X, y, rng.integers(1, 3, n)


def on_columns(model: Any, monkeypatch: Any, *given: Any) -> Any:
    """Return the model fitted by way of the scatter of all columns."""
    with monkeypatch.context() as patched:
        patched.setattr(Threshold, "everywhere", math.inf)
        return clone(model).fit(*given)


@EVERY
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_the_span_gives_what_the_columns_give(model: Any, convert: Any, rng: Any, monkeypatch: Any) -> None:
    X, y, w = rows(rng)
    found, expected = clone(model).fit(convert(X), y, w), on_columns(model, monkeypatch, X, y, w)
    new = np.vstack([X, rows(rng)[0]])
    scale = np.abs(expected.decision_function(new)).max()
    assert_allclose(found.decision_function(convert(new)) / scale, expected.decision_function(new) / scale, atol=1e-9)
    assert_array_equal(found.predict(convert(new)), expected.predict(new))
    assert vars(found)["summary_"] is Computed.LATER and vars(expected)["summary_"] is not Computed.LATER


@EVERY
def test_what_was_not_computed_comes_when_asked_for(model: Any, rng: Any, monkeypatch: Any) -> None:
    X, y, w = rows(rng)
    found, expected = clone(model).fit(X, y, w), on_columns(model, monkeypatch, X, y, w)
    restored = pickle.loads(pickle.dumps(found))
    for name in ("covariance_", "rank_", "log_det_"):
        if hasattr(expected, name):
            assert_allclose(getattr(restored, name), getattr(expected, name), rtol=1e-6, atol=1e-9 * np.abs(getattr(expected, name)).max())
    assert_allclose(found.summary_.scatter, expected.summary_.scatter, rtol=1e-9, atol=1e-9 * np.abs(expected.summary_.scatter).max())
    if hasattr(model, "log_density"):
        assert_allclose(restored.log_density(X), expected.log_density(X), rtol=1e-6)


@pytest.mark.parametrize("model", [m for m in MODELS if getattr(m, "shrinkage", None) != "auto"], ids=str)
def test_rows_can_be_added_and_taken_out_after_a_fit_in_the_span(model: Any, rng: Any, monkeypatch: Any) -> None:
    X, y, w = rows(rng)
    whole = on_columns(model, monkeypatch, X, y, w)
    scale = np.abs(whole.decision_function(X)).max()
    grown = clone(model).fit(X[:18], y[:18], w[:18]).partial_fit(X[18:], y[18:], sample_weight=w[18:])
    assert_allclose(grown.decision_function(X) / scale, whole.decision_function(X) / scale, atol=1e-6)
    fewer = clone(model).fit(X, y, w).forget(X[18:], y[18:], w[18:])
    assert_allclose(fewer.means_ if hasattr(fewer, "means_") else fewer.summary_.means, grown_means(X[:18], y[:18], w[:18]), atol=1e-6)
    assert fewer._fitted_rows is None and not getattr(fewer, "spans_", ())


def grown_means(X: Any, y: Any, w: Any) -> Any:
    return np.stack([np.average(X[y == k], axis=0, weights=w[y == k]) for k in range(3)])


def same_means(X: Any, y: Any) -> tuple[Any, Any]:
    """Every row stands in two classes: their means are equal."""
    return np.vstack([X, X]), np.append(y * 0, y * 0 + 1)


def means_in_the_span(X: Any, y: Any) -> tuple[Any, Any]:
    """Class 1 differs from class 0 along a direction in which class 0 varies."""
    step = X[0] - X[3]
    return np.vstack([X[:12], X[:12] + step, X[12:] * 2.0]), np.repeat([0, 1, 2], 12)


@pytest.mark.parametrize(
    "model", [LinearDiscriminantAnalysis(), LinearDiscriminantAnalysis(priors=[0.5, 0.5, 0.0]), FisherDiscriminant()], ids=str
)
@pytest.mark.parametrize("trap", [same_means, means_in_the_span, lambda X, y: (np.vstack([X, X]), np.append(y, y))])
def test_rows_that_lose_digits_are_left_to_eigenvectors(model: Any, trap: Any, rng: Any, monkeypatch: Any) -> None:
    X, y = trap(*rows(rng)[:2])
    model = clone(model).set_params(priors=[0.5, 0.5]) if len(set(y)) == 2 and hasattr(model, "priors") else model
    found, expected = clone(model).fit(X, y), on_columns(model, monkeypatch, X, y)
    scale = 1.0 + np.abs(expected.decision_function(X)).max()
    assert_allclose(found.decision_function(X) / scale, expected.decision_function(X) / scale, atol=1e-7)


@pytest.mark.filterwarnings("default::separatrix.errors.SingularWarning")
@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), FisherDiscriminant(), LeastSquaresClassifier()], ids=str)
@pytest.mark.parametrize("p", [110, 2_100])
def test_too_few_rows_are_warned_of_on_both_sides_of_every_threshold(model: Any, p: int, rng: Any) -> None:
    X, y = rng.normal(size=(24, p)), np.arange(24) % 2
    free = p - 23 if isinstance(model, LeastSquaresClassifier) else p - 22
    with pytest.warns(SingularWarning, match=rf"along {free} direction\(s\) of {p} columns no (class|row) varies"):
        model.fit(X, y)


@pytest.mark.parametrize("parameters", [{}, {"shrinkage": "auto"}, {"reg_param": 0.2}], ids=str)
def test_classes_of_fewer_rows_than_columns_have_spans_where_all_rows_are_more(parameters: Any, rng: Any, monkeypatch: Any) -> None:
    X, y = rng.normal(size=(150, 110)), np.arange(150) % 6
    model = QuadraticDiscriminantAnalysis(**parameters)
    found, expected = clone(model).fit(X, y), on_columns(model, monkeypatch, X, y)
    assert len(found.spans_) == 6 and not expected.spans_
    assert not clone(model).fit(X, y > 4).spans_  # one class of more rows than columns
    joint = expected.predict_joint_log_proba(X)
    assert_allclose(found.predict_joint_log_proba(X), joint, atol=1e-11 * np.abs(joint).max())
    assert_array_equal(found.predict(X), expected.predict(X))


def test_the_span_is_taken_where_it_is_less_work() -> None:
    assert not in_span(2_000, 2_000, 0.7, 0.7) and in_span(1_999, 2_000, 0.7, 0.7) and in_span(2_000, 2_000, 0.7, 9.0)
    assert not in_span(1_000, 1_500, 9.0, 0.7) and in_span(1_000, 2_500, 9.0, 0.7)  # a factor of the columns is cheaper, but for memory
    assert is_wide(2_400, 2_500) and not is_wide(100, 2_000) and not is_wide(2_600, 2_500)
