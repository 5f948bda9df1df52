"""BernoulliNB and MultinomialNB: scikit-learn's numbers, counting by hand, and input that cannot be counted."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import naive_bayes as peers
from sklearn.feature_extraction.text import CountVectorizer

from separatrix.errors import DataWarning, InputError
from separatrix.models import BernoulliNB, MultinomialNB
from separatrix.summaries import Counts
from separatrix.thresholds import Threshold

SPAM = [[1, 1, 0, 0], [2, 0, 0, 0], [1, 0, 1, 0], [0, 1, 1, 1], [0, 0, 1, 2]]  # free, money, lunch, dear
LABELS = ["spam", "spam", "spam", "ham", "ham"]
BOTH = pytest.mark.parametrize("Model", [BernoulliNB, MultinomialNB])


def bag(rng: Any, K: int) -> tuple[Any, Any, Any]:
    y = np.arange(90) % K
    return rng.poisson(0.3 + 0.4 * ((np.arange(8) + y[:, None]) % 3), size=(90, 8)), y, rng.random(90) + 0.1


@pytest.mark.parametrize("small", [10**9, 0], ids=["reference", "kernels"])
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("alpha", [1.0, 0.5])
@pytest.mark.parametrize(
    ("name", "more"),
    [("MultinomialNB", {}), ("MultinomialNB", {"fit_prior": False}), ("BernoulliNB", {}), ("BernoulliNB", {"binarize": 1.0})],
)
def test_numbers_are_those_of_scikit_learn(name: str, more: Any, alpha: float, K: int, small: int, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", small)
    X, y, w = bag(rng, K)
    ours, theirs = globals()[name](alpha=alpha, **more), getattr(peers, name)(alpha=alpha, **more)
    for road in (X, X.astype(float), sp.csr_array(X), sp.csr_array(X.astype(np.float32))):
        ours.fit(road, y, w), theirs.fit(X, y, w)
        for attribute in ("class_count_", "feature_count_", "class_log_prior_", "feature_log_prob_"):
            assert_allclose(getattr(ours, attribute), getattr(theirs, attribute), rtol=1e-10)
        for method in ("predict_joint_log_proba", "predict_proba", "predict_log_proba"):
            assert_allclose(getattr(ours, method)(road), getattr(theirs, method)(X), rtol=1e-10, atol=1e-12)
        assert_array_equal(ours.predict(road), theirs.predict(X))


def test_given_priors_and_one_alpha_per_column(rng: Any) -> None:
    X, y, w = bag(rng, 3)
    alpha = rng.random(8) + 0.1
    more = {"alpha": alpha, "class_prior": [0.2, 0.3, 0.5]}
    expected = peers.MultinomialNB(**more).fit(X, y, w).predict_proba(X)
    assert_allclose(MultinomialNB(**more).fit(X, y, w).predict_proba(X), expected, rtol=1e-10)


def test_spam_by_hand_word_by_word() -> None:
    """Counts of free, money, lunch, dear: spam 4, 1, 1, 0 of 6; ham 0, 1, 2, 3 of 6. "money lunch" is possible in both."""
    model = MultinomialNB(alpha=0).fit(SPAM, LABELS)
    assert_array_equal(model.feature_count_, [[0, 1, 2, 3], [4, 1, 1, 0]])
    spam, ham = Fraction(3, 5) * Fraction(1, 6) ** 2, Fraction(2, 5) * Fraction(1, 6) * Fraction(2, 6)
    assert_allclose(np.exp(model.predict_joint_log_proba([[0, 1, 1, 0]])), [[float(ham), float(spam)]])
    assert_allclose(model.predict_proba([[0, 1, 1, 0]])[0, 1], float(spam / (spam + ham)))  # 3/7
    assert model.predict_proba([[1, 1, 0, 0]]).tolist() == [[0.0, 1.0]]
    assert np.isneginf(model.predict_joint_log_proba([[1, 1, 0, 0]])[0, 0])


def test_spam_by_hand_with_switches() -> None:
    """Spam has free in 3 of 3, money in 1, lunch in 1, dear in 0; ham has 0, 1, 2, 2 of 2."""
    model = BernoulliNB(alpha=0).fit(SPAM, LABELS)
    assert_allclose(np.exp(model.feature_log_prob_), [[0, 1 / 2, 1, 1], [1, 1 / 3, 1 / 3, 0]])
    spam = Fraction(3, 5) * 1 * Fraction(1, 3) * Fraction(2, 3) * 1
    joint = model.predict_joint_log_proba([[1, 1, 0, 0]])
    assert_allclose(np.exp(joint), [[0.0, float(spam)]])
    assert model.decision_function([[1, 1, 0, 0], [0, 0, 1, 1]]).tolist() == [np.inf, -np.inf]


@BOTH
def test_where_every_class_is_impossible_the_fewest_zeros_win(Model: Any) -> None:
    model = Model(alpha=0).fit(SPAM, LABELS)
    row = [[1, 0, 0, 0, 1][:4], [1, 0, 0, 1], [2, 0, 0, 1]]  # "free", "free dear": impossible in both, once each
    posterior = model.predict_proba(row)
    assert np.isneginf(model.predict_joint_log_proba(row)[1:]).all()
    assert_allclose(posterior.sum(axis=1), 1.0)
    assert np.isneginf(model.log_density(row)[1:]).all()


def test_a_word_no_class_ever_had_changes_nothing_but_the_density() -> None:
    X = np.column_stack([SPAM, np.zeros(5)])
    model, without = MultinomialNB(alpha=0).fit(X, LABELS), MultinomialNB(alpha=0).fit(SPAM, LABELS)
    assert_allclose(model.predict_proba([[0, 1, 1, 0, 3]]), without.predict_proba([[0, 1, 1, 0]]))  # both have 6 words
    assert model.feature_log_odds()[4] == 0.0


@BOTH
@pytest.mark.parametrize("K", [2, 3])
def test_odds_of_features_add_up_to_the_odds_of_the_row(Model: Any, K: int, rng: Any) -> None:
    X, y, _ = bag(rng, K)
    model = Model().fit(X, y)
    scores = model.decision_function(X)
    difference = scores if K == 2 else scores[:, 1] - scores[:, 0]
    prior = model.class_log_prior_[1] - model.class_log_prior_[0]
    odds = model.feature_log_odds(1, 0)
    told = X @ odds if Model is MultinomialNB else np.where(X > 0, odds[1], odds[0]).sum(axis=1)
    assert_allclose(told + prior, difference, atol=1e-10)
    counted = X if Model is MultinomialNB else X > 0
    assert_allclose(model.boundary(0, 1).score(counted.astype(float)), difference, atol=1e-10)


def test_switches_none_takes_zero_and_one_only(rng: Any) -> None:
    X, y, _ = bag(rng, 2)
    on = (X > 0).astype(int)
    assert_allclose(BernoulliNB(binarize=None).fit(on, y).predict_proba(on), BernoulliNB().fit(X, y).predict_proba(X))
    for road in (X, sp.csr_array(X)):
        with pytest.raises(InputError, match="Row 1?[0-9], column [0-7] holds [2-9].*binarize=0.0"):
            BernoulliNB(binarize=None).fit(road, y)


def test_halves_of_one_stored_value_are_summed_before_they_are_compared() -> None:
    half = sp.csr_array((np.array([0.6, 0.6, 2.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    model = BernoulliNB(binarize=1.0).fit(half, [0, 1])
    assert model.feature_count_.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert half.nnz == 3  # the user's matrix stays as it was
    assert MultinomialNB().fit(half, [0, 1]).feature_count_.tolist() == [[1.2, 0.0], [0.0, 2.0]]


@BOTH
@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_sparse_rows_are_not_copied(Model: Any, dtype: Any, rng: Any) -> None:
    n, p = 40_000, 300
    X = sp.csr_array((np.ones(30 * n, dtype), rng.integers(0, p, 30 * n).astype(np.int32), np.arange(0, 30 * n + 1, 30)), shape=(n, p))
    X.sum_duplicates()
    y = np.arange(n) % 2
    model = Model().fit(X, y)
    model.predict(X)
    for action in (lambda: model.fit(X, y), lambda: model.predict(X)):
        tracemalloc.start()
        action()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 0.5 * X.data.nbytes


def test_ties_between_roads_of_real_text(real_data: Any) -> None:
    lines = (real_data / "sms_spam" / "SMSSpamCollection").read_text(encoding="utf-8").splitlines()
    y, text = np.array([line.split("\t", 1) for line in lines]).T
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(text)
    for name in ("MultinomialNB", "BernoulliNB"):
        ours, theirs = globals()[name]().fit(X, y), getattr(peers, name)().fit(X, y)
        assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-8, atol=1e-10)
    exact = MultinomialNB(alpha=0).fit(X[:5000], y[:5000])
    assert not np.isnan(exact.predict_proba(X)).any()
    told = dict(zip(vectorizer.get_feature_names_out(), MultinomialNB().fit(X, y).feature_log_odds()))
    assert told["prize"] > 4 and told["later"] < -2


@pytest.mark.parametrize(
    ("model", "X", "match"),
    [
        (MultinomialNB(), [[1, 2], [0, -3.5]], "Negative values in data passed to MultinomialNB: row 1, column 1 holds -3.5"),
        (MultinomialNB(), sp.csr_array([[1, 2], [0, -3]]), "row 1, column 1 holds -3"),
        (MultinomialNB(), pd.DataFrame({"a": [1, 2], "b": [-1, 0]}), "row 0, column 'b' holds -1"),
        (MultinomialNB(alpha=-1), [[1], [2]], "alpha=-1 must be ≥ 0"),
        (MultinomialNB(alpha="one"), [[1], [2]], "alpha='one' does not hold real numbers"),
        (MultinomialNB(alpha=[1, 2]), [[1], [2]], "got 2 for 1 columns"),
        (BernoulliNB(binarize=-0.5), [[1], [2]], "binarize=-0.5 must be ≥ 0"),
        (BernoulliNB(missing="drop"), [[1], [2]], "missing='drop' is not known; use one of 'error', 'ignore'"),
        (BernoulliNB(class_prior=[0.5, 0.6]), [[1], [2]], "class_prior / sum"),
        (BernoulliNB(), ["free money", "hello"], "X holds texts such as 'free money'.*CountVectorizer"),
        (BernoulliNB(), pd.Series(["free money", "hello"]), "CountVectorizer"),
        (MultinomialNB(), pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}), "Columns 'b' hold text.*MixedNB takes columns of text"),
        (MultinomialNB(), [["x"], ["y"]], "holds .*'x'.*MixedNB"),
        (MultinomialNB(), [[1e308], [1e308]], "so large that their sums are infinite"),
    ],
)
def test_bad_input_is_named(model: Any, X: Any, match: str) -> None:
    y = [0, 0] if "large" in match else [0, 1]
    with pytest.raises(InputError, match=match):
        model.partial_fit(X, y, classes=[0, 1])


def test_bad_requests_are_named(rng: Any) -> None:
    X, y, _ = bag(rng, 3)
    model = MultinomialNB().fit(X, y)
    with pytest.raises(InputError, match="Negative values in data"):
        model.predict(-X)
    with pytest.raises(InputError, match=r"3 classes; name both sides, as in feature_log_odds\(label=1, against=0\)"):
        model.feature_log_odds()
    with pytest.raises(InputError, match="two different classes"):
        model.feature_log_odds(1, 1)
    with pytest.raises(InputError, match="weights of the boundary infinite.*alpha > 0"):
        MultinomialNB(alpha=0).fit(SPAM, LABELS).boundary("ham", "spam")
    with pytest.raises(InputError, match=r"Counts.from_data\(X, y, binarize=0.0\)"):
        BernoulliNB().fit_summary(model.summary_)
    with pytest.raises(InputError, match="Only rows that were learned"):
        model.forget(3 * X, y)


def test_force_alpha_false_is_scikit_learns_floor() -> None:
    with pytest.warns(DataWarning, match="setting alpha = 1.0e-10"):
        model = MultinomialNB(alpha=0, force_alpha=False).fit(SPAM, LABELS)
    assert_allclose(model.feature_log_prob_, MultinomialNB(alpha=1e-10).fit(SPAM, LABELS).feature_log_prob_)


def test_a_summary_of_switches_is_as_good_as_the_rows() -> None:
    counts = Counts.from_data(SPAM, LABELS, binarize=0.0)
    assert BernoulliNB().fit_summary(counts).predict(SPAM).tolist() == BernoulliNB().fit(SPAM, LABELS).predict(SPAM).tolist()


@pytest.mark.parametrize("K", [2, 3, 20])
def test_one_row_says_what_it_says_among_many(K: int, rng: Any) -> None:
    X, y = sp.csr_array(rng.poisson(0.3, size=(600, 40))), np.arange(600) % K
    for model in (MultinomialNB().fit(X, y), BernoulliNB().fit(X, y)):
        together, alone = model.predict_log_proba(X), [model.predict_log_proba(X[[i]])[0] for i in range(9)]
        assert_allclose(alone, together[:9], rtol=1e-12)
        assert model.predict(X)[:9].tolist() == [model.predict(X[[i]])[0] for i in range(9)]


def test_values_stored_beyond_the_last_row_do_not_count() -> None:
    X = sp.csr_array(np.array([[1.0, 0.0], [0.0, 2.0]]))
    X.data, X.indices = np.append(X.data, 7.0), np.append(X.indices, 0)
    assert MultinomialNB().fit(X, [0, 1]).summary_.totals.tolist() == [[1.0, 0.0], [0.0, 2.0]]
