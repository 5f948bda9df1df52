"""Permutation tests: algebra equals refits of every permutation, p-values are exact, noise is called noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

from separatrix import (
    Bootstrap,
    GaussianNB,
    Holdout,
    KFold,
    LeastSquaresClassifier,
    LeaveOneOut,
    LinearDiscriminantAnalysis,
    permutation_test,
)
from separatrix.errors import InputError
from separatrix.evaluation import shuffled as shuffles
from separatrix.evaluation.shuffled import Shuffled
from separatrix.evaluation.splits import folds_of

QUICK = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(covariance="mle"),
    LinearDiscriminantAnalysis(priors=[0.2, 0.5, 0.3]),
    LeastSquaresClassifier(),
    LeastSquaresClassifier(alpha=2.0),
]
PLANS = [KFold(4, random_state=0), Holdout(0.3, random_state=0), LeaveOneOut()]


def rows(rng: Any, K: int, n: int = 45) -> tuple[Any, Any]:
    y = np.array(["a", "b", "c"])[np.arange(n) % K]
    return rng.normal(size=(n, 4)) @ rng.normal(size=(4, 4)) * [1, 1, 100, 1] + 1e3 + 0.5 * (np.arange(n) % K)[:, None], y


@pytest.mark.parametrize("plan", PLANS, ids=repr)
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("model", QUICK, ids=repr)
def test_algebra_equals_a_refit_of_every_permutation(model: Any, K: int, plan: Any, rng: Any) -> None:
    X, y = rows(rng, K)
    if K == 2 and getattr(model, "priors", None) is not None:
        model = LinearDiscriminantAnalysis(priors=[0.3, 0.7])
    codes = np.unique(y, return_inverse=True)[1].astype(np.int32)
    (folds,) = folds_of(plan, len(y), y)
    permuted = Shuffled(codes, folds, 5).part(0, 12)
    said = model.abilities().permutations.answers(X, folds, permuted, np.arange(K))
    for b in range(12):
        for fold in range(0, int(folds.max()) + 1, 7 if isinstance(plan, LeaveOneOut) else 1):
            held = folds == fold
            brute = type(model)(**model.get_params()).fit(X[~held], permuted[~held, b]).predict(X[held])
            assert_array_equal(said[held, b], brute)


@pytest.mark.parametrize("statistic", ["error", "balanced_accuracy"])
def test_both_roads_have_the_same_scores(statistic: str, rng: Any) -> None:
    X, y = rows(rng, 3)
    quick, brute = (
        permutation_test(LinearDiscriminantAnalysis(), data, y, n_permutations=30, statistic=statistic, random_state=1)
        for data in (X, pd.DataFrame(X, columns=list("abcd")))
    )
    assert (quick.method, brute.method) == ("exact algebra", "refits") and quick.p == brute.p
    np.testing.assert_allclose(quick.permuted, brute.permuted)


@pytest.mark.parametrize("stretch", [8_192, 7])
def test_labels_are_shuffled_inside_the_folds_and_each_permutation_has_its_number(stretch: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(shuffles, "STRETCH", stretch)
    codes, folds = (np.arange(60) % 3).astype(np.int32), np.arange(60) % 4 - 1
    shuffled = Shuffled(codes, folds, 3)
    whole = shuffled.part(0, 250)
    for fold in range(-1, 3):
        assert_array_equal(np.sort(whole[folds == fold], axis=0), np.tile(np.sort(codes[folds == fold])[:, None], 250))
    assert_array_equal(np.hstack([shuffled.part(0, 99), shuffled.part(99, 101), shuffled.part(101, 250)]), whole)
    assert len(np.unique(whole, axis=1).T) == 250
    assert_array_equal(np.vstack([shuffled.some(50, 150).rows(*part) for part in ((0, 10), (10, 11), (11, 60))]), whole[:, 50:150])


def test_every_arrangement_of_labels_is_as_likely_whatever_the_stretches(monkeypatch: Any) -> None:
    monkeypatch.setattr(shuffles, "STRETCH", 2)
    codes, folds = np.array([0, 0, 1, 1, 2], dtype=np.int32), np.array([-1, 0, 0, 0, -1])
    found = Shuffled(codes, folds, 1).part(0, 6_000)
    kinds, times = np.unique(found, axis=1, return_counts=True)
    assert kinds.shape[1] == 3 * 2 and abs(times - 1_000).max() < 150


def test_noise_gives_uniform_p_values_and_signal_the_smallest() -> None:
    found = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
        found.append(permutation_test(LinearDiscriminantAnalysis(), X, y, n_permutations=99, random_state=seed).p)
    assert 0.35 < np.mean(found) < 0.7 and np.mean(np.array(found) <= 0.1) < 0.25
    X[:, 0] += 4 * y
    assert permutation_test(LinearDiscriminantAnalysis(), X, y, n_permutations=499, random_state=0).p == 1 / 500


@pytest.mark.parametrize("model", [GaussianNB(), KNeighborsClassifier(), LinearDiscriminantAnalysis(shrinkage=0.5)], ids=repr)
def test_other_models_are_refitted_the_same_on_any_number_of_processes(model: Any, rng: Any) -> None:
    X, y = rows(rng, 2)
    one, two = (permutation_test(model, X, y, n_permutations=20, statistic="auc", random_state=0, n_jobs=n) for n in (1, 2))
    assert one.method == "refits" and one.p == two.p
    assert_array_equal(one.permuted, two.permuted)


def test_a_singular_scatter_is_refitted(rng: Any) -> None:
    X, y = rows(rng, 2)
    with pytest.warns(UserWarning, match="no inverse"):
        found = permutation_test(LinearDiscriminantAnalysis(), np.hstack([X, X[:, :1]]), y, n_permutations=5, random_state=0)
    assert found.method == "refits"


def test_the_result_says_what_it_means(rng: Any) -> None:
    X, y = rows(rng, 2)
    X[:, 0] += 50 * (y == "a")
    found = permutation_test(LinearDiscriminantAnalysis(), X, y, random_state=0)
    assert len(found.permuted) == 10_000 and found.p == 1 / 10_001 and "p < .0001: the columns say something" in str(found)
    assert found.table()["error"][0] == found.observed
    noise = permutation_test(LinearDiscriminantAnalysis(), rng.normal(size=(45, 2)), y, n_permutations=99, random_state=0)
    assert "no sign that the columns say anything" in str(noise)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"n_permutations": 0}, "n_permutations=0 must be a whole number, at least 1"),
        ({"plan": Bootstrap()}, "not a bootstrap"),
        ({"plan": KFold(3, repeats=2)}, "repeats itself 2 times"),
        ({"statistic": "eror"}, "Metric 'eror' is not known. Did you mean 'error'"),
    ],
)
def test_bad_input_is_refused(more: Any, message: str, rng: Any) -> None:
    with pytest.raises(InputError, match=message):
        permutation_test(LinearDiscriminantAnalysis(), *rows(rng, 2), **more)


@pytest.mark.parametrize(("B", "said"), [(19, "the columns say something"), (9, "9 permutations are too few to say anything; use 999")])
def test_few_permutations_are_said(B: int, said: str) -> None:
    assert said in str(permutation_test(LinearDiscriminantAnalysis(), *load_iris(return_X_y=True), n_permutations=B, random_state=0))
