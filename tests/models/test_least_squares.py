"""What is particular to least-squares classification: optimality, codings, coefficients that are not unique, wide data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.preprocessing import LabelBinarizer

from separatrix import LeastSquaresClassifier
from separatrix.errors import CapacityError, InputError, SingularWarning
from separatrix.thresholds import Threshold

SINGULAR = pytest.mark.filterwarnings("ignore::separatrix.errors.SingularWarning")


def rows(rng: Any, n: int = 90, p: int = 5, K: int = 3) -> tuple[Any, Any]:
    y = np.arange(n) % (K + 1) % K
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 2.0 * (y == 1)[:, None] + 7.0, np.array(["a", "b", "c"])[y]


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("alpha", [1e-3, 1.0, 50.0])
@pytest.mark.parametrize("class_weight", [None, "balanced", {"a": 0.3, "b": 2.0}])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_agrees_with_scikit_learns_ridge(K: int, alpha: float, class_weight: Any, convert: Any, rng: Any) -> None:
    X, y = rows(rng, K=K)
    w = None if class_weight == "balanced" else rng.random(len(y))  # there "balanced" counts rows, here weights
    model = LeastSquaresClassifier(alpha, class_weight=class_weight).fit(convert(X), y, sample_weight=w)
    peer = RidgeClassifier(alpha, class_weight=class_weight, solver="cholesky").fit(X, y, sample_weight=w)
    assert_allclose(model.decision_function(convert(X)), peer.decision_function(X), atol=1e-8)
    assert_array_equal(model.predict(X), peer.predict(X))
    assert model.coef_.shape == (1 if K == 2 else K, 5)


@pytest.mark.parametrize("alpha", [0.0, 3.0])
def test_the_gradient_vanishes(alpha: float, rng: Any) -> None:
    X, y = rows(rng)
    w = rng.integers(1, 5, len(y))
    model = LeastSquaresClassifier(alpha).fit(X, y, sample_weight=w)
    targets = LabelBinarizer(neg_label=-1).fit_transform(y)
    residual = w[:, None] * (targets - X @ model.coef_.T - model.intercept_)
    assert_allclose(residual.sum(axis=0), 0.0, atol=1e-9)
    assert_allclose(X.T @ residual, alpha * model.coef_.T, atol=1e-8)


def test_numbers_are_regressed_clipped_and_rounded(rng: Any) -> None:
    X, y = rows(rng)
    for numbers, given in ((np.arange(3.0), None), (np.array([5.0, -1.0, 2.0]), {"b": -1, "c": 2, "a": 5})):
        model = LeastSquaresClassifier(coding="numbers", numbers=given).fit(X, y)
        code = np.searchsorted(model.classes_, y)
        output = LinearRegression().fit(X, numbers[code]).predict(2 * X).clip(numbers.min(), numbers.max())
        assert_allclose(model.predict_number(2 * X), output)
        assert_array_equal(model.predict(2 * X), model.classes_[np.abs(output[:, None] - numbers).argmin(axis=1)])
        between = model.boundary("a", "c").project(X)
        assert_allclose(LinearRegression().fit(X, numbers[code]).predict(between), (numbers[0] + numbers[2]) / 2)


def test_numbers_of_two_classes_are_any_two_numbers(rng: Any) -> None:
    X, y = rows(rng, K=2)
    signs = LeastSquaresClassifier().fit(X, y)
    for numbers in ([-1, 1], [10, 3]):
        model = LeastSquaresClassifier(coding="numbers", numbers=numbers).fit(X, y)
        assert_array_equal(model.predict(X), signs.predict(X))
        assert model.coef_.shape == (1, 5)


def test_a_number_that_has_not_come_yet_is_never_predicted(rng: Any) -> None:
    X, y = rows(rng)
    model = LeastSquaresClassifier(coding="numbers").partial_fit(X[y != "c"], y[y != "c"], classes=["a", "b", "c"])
    assert set(model.predict(np.vstack([1e3 * X, -1e3 * X]))) == {"a", "b"} and model.limits_.tolist() == [0.0, 1.0]
    assert_allclose(model.partial_fit(X[y == "c"], y[y == "c"]).coef_, LeastSquaresClassifier(coding="numbers").fit(X, y).coef_)


def test_many_solutions_become_that_of_least_norm_in_standard_units(rng: Any) -> None:
    X, y = rows(rng)
    more = np.column_stack([X, 1e3 * X[:, 0] - X[:, 1], np.full(len(y), 0.1)])
    with pytest.warns(SingularWarning, match=r"2 direction\(s\) involving column 0, column 1, column 5, column 6 no row varies.*alpha=1.0"):
        model = LeastSquaresClassifier().fit(more, y)
    sd = more.std(axis=0)
    sd[6] = 1.0
    centred = (more - more.mean(axis=0)) / sd
    targets = LabelBinarizer(neg_label=-1).fit_transform(y)
    best = np.linalg.lstsq(centred, targets - targets.mean(axis=0), rcond=1e-10)[0]
    assert_allclose(model.coef_ * sd, best.T, atol=1e-7)
    assert (model.coef_[:, 6] == 0).all()
    assert_allclose(model.decision_function(more), LeastSquaresClassifier().fit(X, y).decision_function(X), atol=1e-7)


@SINGULAR
@pytest.mark.parametrize("alpha", [0.0, 2.0])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("balanced", [None, "balanced"])
@pytest.mark.parametrize("coding", ["indicator", "numbers"])
def test_wide_rows_give_what_the_scatter_gives(alpha: float, convert: Any, balanced: Any, coding: Any, rng: Any, monkeypatch: Any) -> None:
    X, y = rows(rng, n=25, p=60)
    w, new = rng.integers(0, 3, 25), rng.normal(size=(30, 60)) + 7.0
    tall, long = (LeastSquaresClassifier(alpha, coding, class_weight=balanced) for _ in range(2))
    tall.fit(X, y, sample_weight=w)
    monkeypatch.setattr(Threshold, "everywhere", 10)
    long.fit(convert(X), y, sample_weight=w)
    assert_allclose(long.decision_function(convert(new)), tall.decision_function(new), atol=1e-8)
    assert long.summary_ is None
    for action in (long.partial_fit, long.forget):
        with pytest.raises(CapacityError, match="fitted in the span of its rows, because 60 columns exceed the rows"):
            action(X, y)


def test_means_of_1e8_keep_six_digits_of_the_coefficients(rng: Any) -> None:
    X, y = rows(rng, n=3000)
    far = (X + 1e8).round(6)
    assert_allclose(LeastSquaresClassifier().fit(far, y).coef_, LeastSquaresClassifier().fit(far - 1e8, y).coef_, rtol=1e-6)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": -1.0}, "alpha=-1.0 must be a finite number ≥ 0"),
        ({"alpha": "1"}, "alpha='1' must be a number, not of type str"),
        ({"alpha": np.nan}, "alpha=nan must be a number, not NaN"),
        ({"coding": "number"}, "Did you mean 'numbers'"),
        ({"numbers": [0, 1, 2]}, "used by coding='numbers' alone"),
        ({"coding": "numbers", "numbers": [0, 1]}, r"shape \(2,\), but there are 3 classes, \['a', 'b', 'c'\]"),
        ({"coding": "numbers", "numbers": [0, 1, 1]}, "must be finite and all different"),
        ({"coding": "numbers", "numbers": {"a": 0, "b": 1, "cc": 2}}, "names 'cc', which is not a class. Did you mean 'c'"),
        ({"coding": "numbers", "numbers": {"a": 0, "b": 1}}, "no number for class 'c'"),
    ],
    ids=str,
)
def test_bad_parameters_are_refused(parameters: Any, message: str, rng: Any) -> None:
    with pytest.raises(InputError, match=message):
        LeastSquaresClassifier(**parameters).fit(*rows(rng))


def test_indicators_have_no_number(rng: Any) -> None:
    X, y = rows(rng)
    with pytest.raises(InputError, match="predict_number needs coding='numbers'"):
        LeastSquaresClassifier().fit(X, y).predict_number(X)


def test_there_is_no_likelihood_and_it_says_why(rng: Any) -> None:
    model = LeastSquaresClassifier().fit(*rows(rng))
    for method in (model.aic, model.bic):
        with pytest.raises(
            InputError, match="LeastSquaresClassifier is not a probabilistic model and has no AIC or BIC: it .*cross-validation"
        ):
            method()
