from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from separatrix import ClassMoments
from separatrix.errors import InputError, InputTypeError
from separatrix.selection import StepwiseDiscriminant

IRIS, WINE = load_iris(return_X_y=True), load_wine(return_X_y=True)


def wilks(X: Any, y: Any, S: list[int]) -> float:
    """det W_SS/det T_SS, by the book."""
    X = np.asarray(X)[:, S] / np.asarray(X)[:, S].std(axis=0)
    T = (X - X.mean(axis=0)).T @ (X - X.mean(axis=0))
    W = sum((X[y == k] - X[y == k].mean(axis=0)).T @ (X[y == k] - X[y == k].mean(axis=0)) for k in np.unique(y))
    return float(np.exp(np.linalg.slogdet(W)[1] - np.linalg.slogdet(T)[1])) if S else 1.0


def test_the_published_table_of_iris() -> None:
    """SAS/STAT User's Guide, the STEPDISC procedure, example: Performing a Stepwise Discriminant Analysis."""
    found = StepwiseDiscriminant().fit(*IRIS)
    table = found.history_
    assert table["entered"] == ["x2", "x1", "x3", "x0"] and found.order_.tolist() == [2, 1, 3, 0]
    assert [round(v, 4) for v in table["partial R²"]] == [0.9414, 0.3709, 0.3229, 0.0615]
    assert [round(v, 2) for v in table["F"]] == [1180.16, 43.04, 34.57, 4.72]
    assert round(table["Pr > F"][3], 4) == 0.0103
    assert [round(v, 8) for v in table["Wilks' lambda"]] == [0.05862828, 0.03688411, 0.02497554, 0.02343863]
    assert [round(v, 8) for v in table["ASCC"]] == [0.47068586, 0.55995394, 0.59495691, 0.59594941]


@pytest.mark.parametrize("data", [IRIS, WINE, load_breast_cancer(return_X_y=True)])
@pytest.mark.parametrize("direction", ["both", "forward", "backward"])
def test_every_step_by_determinants(data: Any, direction: Any) -> None:
    X, y = data
    found = StepwiseDiscriminant(direction, p_enter=0.05, p_remove=0.05).fit(X, y)
    n, K, S = len(y), len(np.unique(y)), [] if direction != "backward" else list(range(X.shape[1]))
    for i in range(len(found.history_)):
        entered, removed = ([int(found.history_[side][i][1:] or -1)] if found.history_[side][i] else [] for side in ("entered", "removed"))
        after = sorted({*S, *entered} - set(removed))
        small, large = min(S, after, key=len), max(S, after, key=len)
        others = [S + [j] for j in range(X.shape[1]) if j not in S] if entered else [[i for i in S if i != j] for j in S]
        assert wilks(X, y, after) <= min(wilks(X, y, sorted(other)) for other in others) * (1 + 1e-9)
        ratio = wilks(X, y, large) / wilks(X, y, small)
        assert_allclose(found.history_["Wilks' lambda"][i], wilks(X, y, after), rtol=1e-6)
        assert_allclose(found.history_["F"][i], (n - K - len(small)) / (K - 1) * (1 - ratio) / ratio, rtol=1e-5)
        S = after
    assert found.get_support(indices=True).tolist() == S


def test_a_column_that_others_replace_is_removed(rng: np.random.Generator) -> None:
    a, b = rng.standard_normal((2, 400))
    y = (a + b > 0).astype(int)
    X = np.column_stack([a + b + 0.8 * rng.standard_normal(400), a, b])
    table = StepwiseDiscriminant(p_enter=0.01, p_remove=0.01).fit(X, y).history_
    assert table["entered"][0] == "x0" and table["removed"][-1] == "x0" and table["in"][-1] == 2


def test_moments_are_enough() -> None:
    X, y = WINE
    one = StepwiseDiscriminant().fit(X, y)
    names = [f"c{j}" for j in range(13)]
    other = StepwiseDiscriminant().fit_summary(ClassMoments.from_data(X, y), names)
    np.testing.assert_array_equal(one.support_, other.support_)
    assert_allclose(one.history_["F"], other.history_["F"], rtol=1e-9)
    assert other.transform(pd.DataFrame(X, columns=names)).shape == (178, one.support_.sum())


@pytest.mark.parametrize("direction", ["both", "forward", "backward"])
@pytest.mark.parametrize(("n", "p"), [(40, 30), (40, 60), (30, 200)])
def test_few_rows_are_searched_as_their_scatter_is(direction: Any, n: int, p: int, rng: np.random.Generator) -> None:
    X, y, w = rng.normal(size=(n, p)) * 10.0 ** rng.uniform(-3, 3, p), np.arange(n) % 3, rng.integers(1, 3, n)
    X[:, 3], X[:, 5], X[:, 6] = 2.0 * X[:, 2], 0.1, 1.0 * y
    if direction == "backward":
        X, p = X[:, :24], 24
    given: Any = {"direction": direction, "p_enter": 0.3, "p_remove": 0.2, "max_features": 12, "include": [2]}
    one = StepwiseDiscriminant(**given).fit(X, y, sample_weight=w)
    other = StepwiseDiscriminant(**given).fit_summary(ClassMoments.from_data(X, y, sample_weight=w, pooled=True))
    assert one.order_.tolist() == other.order_.tolist() and one.skipped_ == other.skipped_
    for name in ("entered", "removed"):
        assert one.history_[name] == other.history_[name]
    for name in ("F", "Pr > F", "Wilks' lambda", "ASCC", "Pr < lambda"):
        assert_allclose(one.history_[name], other.history_[name], rtol=1e-6, atol=1e-12)


def test_no_array_of_a_search_among_many_columns_is_columns_by_columns(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(20, 3_000)), np.arange(20) % 2
    StepwiseDiscriminant(max_features=1).fit(X, y)  # loads what is compiled
    tracemalloc.start()
    found = StepwiseDiscriminant(max_features=5).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.support_.sum() == 5 and peak < 10 * X.nbytes < 8 * 3_000**2


def test_redundant_and_constant_columns_are_skipped_and_said() -> None:
    X, y = IRIS
    more = np.column_stack([X, X[:, 0] + X[:, 1], np.ones(150), 3.0 * y])
    found = StepwiseDiscriminant(p_enter=1.0, p_remove=1.0).fit(more, y)
    assert found.support_.sum() == 4 and len(found.skipped_) == 3
    assert found.skipped_["x5"] == "it is constant" and "does not vary within the classes" in found.skipped_["x6"]
    assert sum("determine it (tolerance 1e-08)" in why for why in found.skipped_.values()) == 1


def test_bounds_of_f_and_of_the_number(rng: np.random.Generator) -> None:
    X, y = WINE
    assert StepwiseDiscriminant(max_features=3).fit(X, y).support_.sum() == 3
    assert StepwiseDiscriminant("backward", max_features=3).fit(X, y).support_.sum() == 3
    by_f = StepwiseDiscriminant("forward", f_enter=20.0).fit(X, y)
    assert min(by_f.history_["F"]) >= 20.0 and by_f.support_.sum() < StepwiseDiscriminant().fit(X, y).support_.sum()
    kept = StepwiseDiscriminant(include=[4], max_features=2).fit(X, y)
    assert kept.support_[4] and kept.order_[0] == 4 and len(kept.history_) == 1


@pytest.mark.parametrize(
    ("selector", "error", "message"),
    [
        (StepwiseDiscriminant("forwards"), InputError, "direction='forwards' is not known; .* Did you mean 'forward'"),
        (StepwiseDiscriminant(p_enter=2), InputError, "p_enter=2 must lie between 0 and 1"),
        (StepwiseDiscriminant(f_enter=-1), InputError, "f_enter=-1 must not be negative"),
        (StepwiseDiscriminant(p_remove=None), InputTypeError, "p_remove=None must be a number"),
        (StepwiseDiscriminant(include=["petl length (cm)"]), InputError, "Did you mean 'petal length"),
        (StepwiseDiscriminant(f_enter=1e9), InputError, "No feature is left: .* good enough for f_enter=1000000000.0"),
        (StepwiseDiscriminant(max_features=9), InputError, "max_features=9 asks for more features than there are: 4"),
    ],
)
def test_what_cannot_be_asked(selector: StepwiseDiscriminant, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        selector.fit(*load_iris(return_X_y=True, as_frame=True))


def test_too_few_rows() -> None:
    X, y = WINE
    with pytest.raises(InputError, match="begins with all 13 columns, for which 12 rows of 3 classes are too few"):
        StepwiseDiscriminant("backward").fit(X[::15], y[::15])
    with pytest.raises(InputError, match="more rows than classes; there are n = 2 rows of 2"):
        StepwiseDiscriminant().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(InputError, match="takes ClassMoments, got ndarray"):
        StepwiseDiscriminant().fit_summary(X)
