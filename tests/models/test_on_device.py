"""Models on arrays of other libraries: the same numbers as in NumPy, arrays of the same kind back, and clear refusals."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from separatrix.data import namespaces
from separatrix.errors import DataWarning, InputError, InputTypeError
from separatrix.models import (
    FisherDiscriminant,
    GaussianNB,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    NearestMean,
    Perceptron,
    QuadraticDiscriminantAnalysis,
)
from tests.libraries import back, each_library, torch

CLOSED_FORM = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(shrinkage="auto", class_weight="balanced"),
    QuadraticDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(shrinkage="auto"),
    GaussianNB(),
    NearestMean(),
    NearestMean(metric="standardised"),
    LeastSquaresClassifier(alpha=0.5),
    FisherDiscriminant(),
]
LOSSES = [
    LogisticRegression(tol=1e-10, max_iter=1000),
    LogisticRegression(C=0.1, tol=1e-10, max_iter=1000, fit_intercept=False, class_weight="balanced"),
    LinearSVC(tol=1e-12, max_iter=3000),
]
METHODS = ("predict", "decision_function", "predict_proba", "predict_log_proba", "predict_joint_log_proba", "transform")


def rows(n_classes: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(4)
    y = rng.integers(0, n_classes, 240)
    return rng.normal(size=(240, 4)) @ rng.normal(size=(4, 4)) + 3.0 + rng.normal(size=(n_classes, 4))[y], y


@each_library
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", [*CLOSED_FORM, *LOSSES], ids=str)
def test_as_in_numpy(model: Any, n_classes: int, convert: Any) -> None:
    X, y = rows(n_classes)
    here, there = clone(model).fit(X, y), clone(model).fit(convert(X), convert(y))
    close = 1e-7 if isinstance(model, LinearSVC) else 1e-9
    for name in ("coef_", "intercept_", "means_", "theta_", "classes_"):
        if hasattr(here, name):
            assert isinstance(getattr(there, name), np.ndarray)
            assert_allclose(getattr(there, name), getattr(here, name), rtol=close, atol=close)
    for name in [name for name in METHODS if hasattr(here, name)]:
        found = getattr(there, name)(convert(X))
        assert type(found) is type(convert(X))
        assert_allclose(back(found), getattr(here, name)(X), rtol=close, atol=close)


@each_library
@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), GaussianNB(), LogisticRegression(tol=1e-9)], ids=str)
def test_float32_rows_and_their_scores(model: Any, convert: Any) -> None:
    X, y = rows(3)
    X = X.astype(np.float32)
    here, there = clone(model).fit(X, y), clone(model).fit(convert(X), convert(y))
    assert_allclose(back(there.predict_proba(convert(X))), here.predict_proba(X), atol=1e-5)
    if hasattr(here, "decision_function"):
        assert back(there.decision_function(convert(X))).dtype == np.float32


@each_library
@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), LogisticRegression(tol=1e-10, max_iter=1000)], ids=str)
def test_weights_are_frequencies(model: Any, convert: Any) -> None:
    X, y = rows(3)
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    repeated = clone(model).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    weighted = clone(model).fit(convert(X), convert(y), convert(weight.astype(float)))
    assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-8, atol=1e-8)


@each_library
def test_texts_come_back_as_numpy_and_numbers_where_the_rows_are(convert: Any) -> None:
    X, y = rows(3)
    named = NearestMean().fit(convert(X), np.array(["a", "b", "c"])[y])
    assert isinstance(named.predict(convert(X)), np.ndarray)
    spread = NearestMean().fit(convert(X), convert(10 * y - 5))
    assert spread.classes_.tolist() == [-5, 5, 15]
    assert set(back(spread.predict(convert(X))).tolist()) == {-5, 5, 15}


@each_library
def test_rows_added_in_parts(convert: Any) -> None:
    X, y = rows(3)
    parts = GaussianNB().partial_fit(convert(X[:100]), convert(y[:100]), classes=[0, 1, 2]).partial_fit(convert(X[100:]), convert(y[100:]))
    assert_allclose(parts.theta_, GaussianNB().fit(X, y).theta_, rtol=1e-12)


@each_library
def test_other_models_refuse_and_name_the_conversion(convert: Any) -> None:
    X, y = rows(2)
    with pytest.raises(InputTypeError, match=r"pass (X\.numpy\(force=True\)|numpy\.asarray\(X\))"):
        Perceptron().fit(convert(X), y)
    with pytest.raises(InputTypeError, match="y is an array of"):
        LinearDiscriminantAnalysis().fit(X, convert(y))


@each_library
@pytest.mark.parametrize(
    ("model", "match"),
    [
        (LogisticRegression(l1_ratio=1.0), "l1_ratio=1.0 is computed in NumPy alone"),
        (LogisticRegression(firth=True), "firth=True is computed in NumPy alone"),
        (LinearSVC(loss="hinge"), "loss='hinge' is computed in NumPy alone"),
        (LinearSVC(store_dual=True), "store_dual=True is computed in NumPy alone"),
    ],
)
def test_what_only_numpy_computes(model: Any, match: str, convert: Any) -> None:
    X, y = rows(2)
    with pytest.raises(InputError, match=match):
        model.fit(convert(X), convert(y))


@each_library
@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), LogisticRegression(), LinearSVC()], ids=str)
def test_nan_is_named(model: Any, convert: Any) -> None:
    X, y = rows(2)
    X[7, 2] = np.nan
    with pytest.raises(InputError, match="contains NaN: first at row 7, column 2"):
        model.fit(convert(X), convert(y))


def test_integers_half_precision_and_views() -> None:
    X, y = rows(3)
    whole = torch(np.round(4 * X))
    expected = LinearDiscriminantAnalysis().fit(back(whole), y).coef_
    assert_allclose(LinearDiscriminantAnalysis().fit(whole.int(), torch(y)).coef_, expected, rtol=1e-9)
    assert_allclose(LinearDiscriminantAnalysis().fit(whole.bfloat16(), torch(y)).coef_, expected, rtol=1e-9)
    assert_allclose(LinearDiscriminantAnalysis().fit(whole.T.contiguous().T, torch(y)).coef_, expected, rtol=1e-9)
    half = LogisticRegression(C=0.01).fit(whole.half(), torch(y))
    assert_allclose(half.coef_, LogisticRegression(C=0.01).fit(whole.float(), torch(y)).coef_, atol=1e-6)


def test_gradients_are_left_out_and_it_is_said_once(monkeypatch: Any) -> None:
    monkeypatch.setattr(namespaces, "_detached_before", set())
    X, y = rows(2)
    tensor = torch(X).requires_grad_()
    with pytest.warns(DataWarning, match="X requires gradients"):
        model = NearestMean().fit(tensor, torch(y))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not model.decision_function(tensor).requires_grad


@pytest.mark.parametrize("model", [GaussianNB(), LogisticRegression()], ids=str)
def test_as_many_classes_as_rows_or_one(model: Any) -> None:
    X, _ = rows(2)
    assert len(LogisticRegression().fit(torch(X[:12]), torch(np.arange(12))).classes_) == 12
    with pytest.raises(InputError, match="greater than one"):
        model.fit(torch(X), torch(np.zeros(len(X), dtype=int)))
    with pytest.raises(InputError, match="no row of class 1"):
        LogisticRegression().fit(torch(X[:3]), torch([0, 1, 2]), torch([1.0, 0.0, 1.0]))


def test_labels_on_another_device() -> None:
    X, y = rows(2)
    with pytest.raises(InputError, match=r"y of torch on meta; pass y\.to\(X\.device\)"):
        NearestMean().fit(torch(X), torch(y).to("meta"))


def test_fewer_rows_than_columns() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 50)), np.arange(20) % 3
    here, there = LogisticRegression(tol=1e-9, max_iter=1000).fit(X, y), LogisticRegression(tol=1e-9, max_iter=1000).fit(torch(X), torch(y))
    assert_allclose(there.coef_, here.coef_, atol=1e-7)
    shrunk = LinearDiscriminantAnalysis(shrinkage=0.5)
    assert_allclose(clone(shrunk).fit(torch(X), torch(y)).coef_, clone(shrunk).fit(X, y).coef_, rtol=1e-8)
