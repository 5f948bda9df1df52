from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.feature_selection import SelectFdr, SelectKBest, f_classif

from separatrix.errors import InputError, InputTypeError
from separatrix.selection import AnovaFilter, CorrelationFilter

IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)


@pytest.mark.parametrize("data", [IRIS, CANCER])
def test_f_and_p_are_those_of_an_analysis_of_variance(data: Any) -> None:
    found = AnovaFilter(k=2).fit(*data)
    F, p = f_classif(*data)
    assert_allclose(found.scores_, F, rtol=1e-9)
    assert_allclose(found.pvalues_, p, rtol=1e-6, atol=1e-300)
    np.testing.assert_array_equal(found.support_, SelectKBest(f_classif, k=2).fit(*data).get_support())


def test_correlation_is_pearsons_with_its_sign() -> None:
    X, y = CANCER
    found = CorrelationFilter().fit(X, np.array(["sick", "well"])[y])
    assert_allclose(found.scores_, [np.corrcoef(x, y)[0, 1] for x in X.T], rtol=1e-9)
    assert (found.scores_ < 0).any() and found.support_.sum() == 15


def test_correlation_ratio_of_several_classes() -> None:
    X, y = IRIS
    between = sum((y == k).sum() * (X[y == k].mean(axis=0) - X.mean(axis=0)) ** 2 for k in range(3))
    found = CorrelationFilter(threshold=0.9).fit(X, y)
    assert_allclose(found.scores_, np.sqrt(between / ((X - X.mean(axis=0)) ** 2).sum(axis=0)), rtol=1e-9)
    assert found.get_support(indices=True).tolist() == [2, 3]


def test_false_discovery_rate_is_that_of_benjamini_and_hochberg(rng: np.random.Generator) -> None:
    y = rng.integers(0, 2, 200)
    X = rng.standard_normal((200, 100)) + np.where(np.arange(100) < 20, 0.5, 0.0) * y[:, None]
    for fdr in (0.01, 0.1, 0.3):
        np.testing.assert_array_equal(AnovaFilter(fdr=fdr).fit(X, y).support_, SelectFdr(f_classif, alpha=fdr).fit(X, y).get_support())


def test_criteria_hold_together() -> None:
    found = CorrelationFilter(k=3, threshold=0.6, fdr=0.01).fit(*CANCER)
    assert found.support_.sum() == 3 and (np.abs(found.scores_[found.support_]) >= 0.6).all()


def test_redundant_columns_are_skipped_by_brute_force() -> None:
    X, y = CANCER
    found = CorrelationFilter(k=8, max_correlation=0.7).fit(X, y)
    R, kept = np.abs(np.corrcoef(X.T)), []
    for j in np.argsort(-np.abs(found.scores_), kind="stable"):
        if len(kept) < 8 and not any(R[j, i] > 0.7 for i in kept):
            kept.append(int(j))
    assert found.get_support(indices=True).tolist() == sorted(kept)
    assert all(R[int(a[1:]), int(b[1:])] > 0.7 for a, b in found.skipped_.items())


def test_a_copy_is_skipped_and_said(rng: np.random.Generator) -> None:
    X, y = IRIS
    found = CorrelationFilter(k=2, max_correlation=0.999).fit(np.column_stack([X, 2 * X[:, 2]]), y)
    assert found.get_support(indices=True).tolist() in ([2, 3], [3, 4])
    assert set(found.skipped_.items()) <= {("x4", "x2"), ("x2", "x4")} and len(found.skipped_) == 1
    assert "no, like" in found.table().text


@pytest.mark.parametrize(
    ("selector", "error", "message"),
    [
        (CorrelationFilter(k=5), InputError, "k=5 asks for more features than there are: 4"),
        (CorrelationFilter(threshold=0.99), InputError, "No feature is left: .* good enough for threshold=0.99; loosen that"),
        (AnovaFilter(fdr=1e-200), InputError, "No feature is left: .*fdr=1e-200"),
        (CorrelationFilter(fdr=2), InputError, "fdr=2 must lie between 0 and 1"),
        (CorrelationFilter(max_correlation="high"), InputTypeError, "max_correlation='high' must be a number"),
    ],
)
def test_what_cannot_be_asked(selector: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        selector.fit(*IRIS)


def test_p_values_need_rows() -> None:
    with pytest.raises(InputError, match="needs p-values, which need more rows than classes; use k="):
        CorrelationFilter(fdr=0.1).fit([[1.0, 2.0], [2.0, 5.0]], [0, 1])


def test_a_mean_of_1e8_survives(rng: np.random.Generator) -> None:
    y = rng.integers(0, 2, 500)
    x = rng.standard_normal((500, 1)) + y[:, None]
    assert_allclose(CorrelationFilter().fit(x + 1e8, y).scores_, CorrelationFilter().fit(x, y).scores_, rtol=1e-6)
