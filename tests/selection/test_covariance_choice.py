from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from separatrix import ClassMoments, LinearDiscriminantAnalysis
from separatrix.errors import InputError
from separatrix.models.quadratic import QuadraticDiscriminantAnalysis
from separatrix.selection.covariance_choice import choose_covariance


def two_classes(rng: Any, ratio: float, n: int = 200) -> tuple[Any, Any]:
    y = np.arange(n) % 2
    return rng.normal(size=(n, 3)) * np.where(y[:, None] == 1, ratio, 1.0) + y[:, None], y


@pytest.mark.parametrize(("ratio", "expected"), [(1.0, "linear"), (3.0, "quadratic")])
def test_data_that_are_clear_have_a_clear_answer(ratio: float, expected: str, rng: Any) -> None:
    choice = choose_covariance(*two_classes(rng, ratio))
    assert choice.recommendation == choice.box == choice.aic == choice.bic == expected
    assert choice.agree and choice.linear == (expected == "linear") and choice.quadratic == (expected == "quadratic")
    assert f"Recommended: {expected}" in choice.text and all(reason in str(choice) for reason in choice.reasons)
    assert "<table>" in choice._repr_html_() and len(choice.reasons) == 3


def test_the_table_is_that_of_the_models(rng: Any) -> None:
    X, y = load_iris(return_X_y=True)
    w = rng.integers(1, 4, 150)
    choice = choose_covariance(X, y, w)
    for name, model in (("linear", LinearDiscriminantAnalysis()), ("quadratic", QuadraticDiscriminantAnalysis())):
        model.fit(X, y, sample_weight=w)
        row = choice.table.row(name)
        assert_allclose([row["parameters"], row["AIC"], row["BIC"]], [model.n_parameters_, model.aic(), model.bic()])
    assert_allclose(choose_covariance(ClassMoments.from_data(X, y, w)).table["BIC"], choice.table["BIC"])


def test_the_model_is_fitted_without_another_pass() -> None:
    X, y = load_iris(return_X_y=True)
    choice = choose_covariance(X, y)
    assert isinstance(choice.model(), QuadraticDiscriminantAnalysis)
    assert_allclose(choice.model().predict_proba(X), QuadraticDiscriminantAnalysis().fit(X, y).predict_proba(X), atol=1e-10)


def test_the_criterion_asked_for_decides_where_they_disagree(rng: Any) -> None:
    data = two_classes(rng, 1.18)
    answers = {by: choose_covariance(*data, by=by, level=0.3) for by in ("bic", "aic", "box")}
    assert {by: choice.recommendation for by, choice in answers.items()} == {"bic": "linear", "aic": "quadratic", "box": "quadratic"}
    assert not answers["bic"].agree and answers["bic"].reasons[-1].startswith("They disagree; BIC decides")


def test_classes_too_small_for_a_covariance_leave_the_linear_model(rng: Any) -> None:
    X, y = two_classes(rng, 3.0)
    own = np.r_[np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:3]]
    choice = choose_covariance(X[own], y[own])
    assert choice.linear and choice.bic is choice.aic is choice.box is None and choice.box_test is None
    assert "cannot be estimated" in choice.reasons[0] and "class 1 (3 rows)" in choice.reasons[0]
    assert "–" in choice.table.text and isinstance(choice.model(), LinearDiscriminantAnalysis)


def test_redundant_columns_do_not_matter(rng: Any) -> None:
    X, y = two_classes(rng, 3.0)
    a, b = choose_covariance(X, y), choose_covariance(np.column_stack([X, X[:, 0] + X[:, 1], np.ones(len(y))]), y)
    assert_allclose(np.diff(a.table["BIC"]), np.diff(b.table["BIC"]))
    assert a.box_test is not None and b.box_test is not None
    assert_allclose(a.box_test.M, b.box_test.M)


def test_bad_input_says_what_to_type(rng: Any) -> None:
    X, y = two_classes(rng, 1.0)
    for call, message in [
        (lambda: choose_covariance(X, y, by="bci"), "by='bci' is not known.*Did you mean 'bic'"),
        (lambda: choose_covariance(X, y, level=1.5), "level=1.5 must lie between 0 and 1"),
        (lambda: choose_covariance(X, np.zeros(len(y))), "at least two classes"),
        (lambda: choose_covariance(ClassMoments.from_data(X, y, pooled=True)), r"'pooled'; ClassMoments.from_data\(X, y\)"),
        (lambda: choose_covariance(np.where(X > 1, np.nan, X), y), "contains NaN"),
        (lambda: choose_covariance(X), "requires y"),
    ]:
        with pytest.raises(InputError, match=message):
            call()
