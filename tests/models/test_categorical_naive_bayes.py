"""CategoricalNB: scikit-learn's numbers, counting by hand, unknown categories, and values that are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import naive_bayes as peers

from separatrix.errors import DataWarning, InputError
from separatrix.models import CategoricalNB
from separatrix.thresholds import Threshold

ROADS = pytest.mark.parametrize("small", [10**9, 0], ids=["reference", "kernels"])


def table(rng: Any, K: int, n: int = 200) -> tuple[Any, Any, Any]:
    y = np.arange(n) % K
    return np.minimum(rng.integers(0, [3, 5, 2, 9], size=(n, 4)) + (y[:, None] == 1), [2, 4, 1, 8]), y, rng.random(n) + 0.1


@ROADS
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("more", [{}, {"alpha": 0.5}, {"min_categories": 7}, {"min_categories": [3, 6, 2, 9], "fit_prior": False}])
def test_numbers_are_those_of_scikit_learn(more: Any, K: int, small: int, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", small)
    X, y, w = table(rng, K)
    theirs = peers.CategoricalNB(**more).fit(X, y, w)
    for road in (X, X.astype(float), X.astype(np.uint8), sp.csr_array(X)):
        ours = CategoricalNB(**more).fit(road, y, w)
        assert_array_equal(ours.n_categories_, theirs.n_categories_)
        for attribute in ("category_count_", "feature_log_prob_"):
            for a, b in zip(getattr(ours, attribute), getattr(theirs, attribute), strict=True):
                assert_allclose(a, b, rtol=1e-10)
        assert_allclose(ours.predict_joint_log_proba(road), theirs.predict_joint_log_proba(X), rtol=1e-10)
        assert_allclose(ours.predict_proba(road), theirs.predict_proba(X), rtol=1e-10, atol=1e-12)
        assert_array_equal(ours.predict(road), theirs.predict(X))


def test_play_tennis_by_hand() -> None:
    """Quinlan 1986: (sunny, cool, high, strong) gives 9/14 · 2/9 · 3/9 · 3/9 · 3/9 for yes, 5/14 · 3/5 · 1/5 · 4/5 · 3/5 for no."""
    columns = ["ssorrrossrsoor", "hhhmcccmcmmmhm", "hhhhnnnhnnnhnh", "wswwwsswwwssws"]  # outlook, temperature, humidity, wind
    play = list("nnyyynynyyyyyn")
    codes = [{name: code for code, name in enumerate(sorted(set(column)))} for column in columns]
    X = np.array([[code[v] for v in column] for code, column in zip(codes, columns)]).T
    model = CategoricalNB(alpha=0).fit(X, play)
    row = [[code[v] for code, v in zip(codes, "schs")]]
    yes, no = 9 / 14 * 2 / 9 * 3 / 9 * 3 / 9 * 3 / 9, 5 / 14 * 3 / 5 * 1 / 5 * 4 / 5 * 3 / 5
    assert_allclose(np.exp(model.predict_joint_log_proba(row)), [[no, yes]])
    assert_allclose(model.predict_proba(row), [[no / (no + yes), yes / (no + yes)]])
    overcast = [[codes[0]["o"], *row[0][1:]]]  # always played: impossible in class "n"
    assert model.predict_proba(overcast).tolist() == [[0.0, 1.0]]


@ROADS
def test_an_unknown_category_says_nothing_and_is_told_once(small: int, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", small)
    X, y, _ = table(rng, 3)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model = CategoricalNB().fit(frame, y)
    strange = frame.assign(b=np.where(np.arange(len(X)) < 3, 77, frame.b), d=99)
    with pytest.warns(DataWarning, match=r"column 'b' \(3 rows\), column 'd' \(200 rows\)") as told:
        posterior = model.predict_proba(strange)
    assert len(told) == 1 and told[0].filename == __file__
    without = CategoricalNB().fit(X[:, [0, 2]], y).predict_proba(X[:, [0, 2]])
    assert_allclose(posterior[:3], without[:3])


def test_a_category_may_come_later_and_go_again(rng: Any) -> None:
    X, y, _ = table(rng, 2)
    model = CategoricalNB().partial_fit(np.minimum(X, 1), y, classes=[0, 1])
    assert model.n_categories_.tolist() == [2, 2, 2, 2]
    assert model.partial_fit(X, y).n_categories_.tolist() == [3, 5, 2, 9]
    back = model.forget(X, y)
    assert back.n_categories_.tolist() == [2, 2, 2, 2]
    assert_allclose(back.category_log_prob_, CategoricalNB().fit(np.minimum(X, 1), y).category_log_prob_)


@ROADS
def test_missing_values_are_left_out_of_the_counts(small: int, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", small)
    X, y, w = table(rng, 3)
    hole = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    model = CategoricalNB(missing="ignore").fit(hole, y, w)
    for j in range(4):
        known = ~np.isnan(hole[:, j])
        alone = CategoricalNB(min_categories=int(model.n_categories_[j])).fit(hole[known][:, [j]], y[known], w[known])
        assert_allclose(model.feature_log_prob_[j], alone.feature_log_prob_[0])
    assert_allclose(model.class_count_, np.bincount(y, w))


def test_odds_of_categories_add_up_to_the_odds_of_the_row(rng: Any) -> None:
    X, y, _ = table(rng, 2)
    model = CategoricalNB().fit(X, y)
    odds = model.feature_log_odds()
    told = sum(column[X[:, j]] for j, column in enumerate(odds)) + np.diff(model.class_log_prior_)
    assert_allclose(told, np.diff(model.predict_log_proba(X))[:, 0], atol=1e-10)
    assert model.feature_log_odds(0, 1)[0].tolist() == (-odds[0]).tolist()


@ROADS
@pytest.mark.parametrize(
    ("value", "match"),
    [
        (-1, "Negative values in data passed to CategoricalNB: row 7, column 'c' holds -1.0.*OrdinalEncoder"),
        (1.5, "Row 7, column 'c' holds 1.5, which is no category.*OrdinalEncoder.*MixedNB"),
        (2.0**40, "Row 7, column 'c' holds category .*looks like an identifier"),
        (np.inf, "contains infinity: first at row 7, column 'c'"),
    ],
)
def test_what_is_no_category_is_named(value: float, match: str, small: int, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", small)
    X, y, _ = table(rng, 2)
    good = pd.DataFrame(X, columns=list("abcd"))
    bad = good.astype(float)
    bad.loc[7, "c"] = value
    with pytest.raises(InputError, match=match):
        CategoricalNB().fit(bad, y)
    if value < 2**40:
        with pytest.raises(InputError, match=match):
            CategoricalNB().fit(good, y).predict(bad)


@pytest.mark.parametrize(
    ("more", "match"),
    [
        ({"alpha": [1.0, 2.0]}, "alpha=.* must be a number"),
        ({"min_categories": 2.5}, "'min_categories' should have integral type"),
        ({"min_categories": [2, 3]}, r"should have shape \(4,\)"),
        ({"min_categories": 0}, "at least 1"),
    ],
)
def test_bad_parameters_are_named(more: Any, match: str, rng: Any) -> None:
    X, y, _ = table(rng, 2)
    with pytest.raises(InputError, match=match):
        CategoricalNB(**more).fit(X, y)


def test_text_is_sent_to_where_it_can_be_used() -> None:
    with pytest.raises(InputError, match="Columns 'a' hold text.*MixedNB takes columns of text"):
        CategoricalNB().fit(pd.DataFrame({"a": ["x", "y"]}), [0, 1])
