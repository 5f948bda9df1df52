"""Machines against the rest and against each other: regions, ambiguity, one summary for all machines."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix import GaussianNB, LinearDiscriminantAnalysis, LogisticRegression
from separatrix.errors import InputError
from separatrix.models.one_vs_one import OneVsOne
from separatrix.models.one_vs_rest import OneVsRest
from separatrix.thresholds import Threshold

META = [OneVsRest(LinearDiscriminantAnalysis()), OneVsOne(LinearDiscriminantAnalysis()), OneVsRest(PeerLogistic())]


def rows(rng: Any, K: int = 5, n: int = 200) -> tuple[Any, Any]:
    y = np.arange(n) % K
    return rng.normal(size=(n, 3)) + 2.0 * rng.normal(size=(K, 3))[y], np.array(list("abcdefgh"))[y]


@pytest.mark.filterwarnings("ignore::separatrix.errors.SeparatrixWarning", "ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(META)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize(
    "machine", [LinearDiscriminantAnalysis(), GaussianNB(), LinearDiscriminantAnalysis(class_weight="balanced")], ids=repr
)
@pytest.mark.parametrize("meta", [OneVsRest, OneVsOne])
def test_one_summary_gives_the_machines_that_rows_give(meta: Any, machine: Any, rng: Any) -> None:
    X, y = rows(rng)
    w = rng.integers(1, 4, len(y)).astype(float)
    model = meta(machine).fit(X, y, sample_weight=w)
    for t, fitted in enumerate(model.estimators_):
        if meta is OneVsRest:
            brute = clone(machine).fit(X, y == model.classes_[t], sample_weight=w)
        else:
            own = np.isin(y, model.classes_[list(list(combinations(range(5), 2))[t])])
            brute = clone(machine).fit(X[own], y[own], sample_weight=w[own])
        assert_allclose(fitted.predict_proba(X)[:, 1], brute.predict_proba(X)[:, 1], atol=1e-9)


@pytest.mark.parametrize("machine", [PeerLogistic(), DecisionTreeClassifier(random_state=0)], ids=repr)
def test_agrees_with_scikit_learn(machine: Any, rng: Any) -> None:
    X, y = rows(rng)
    assert_array_equal(OneVsOne(machine).fit(X, y).predict(X), OneVsOneClassifier(machine).fit(X, y).predict(X))
    assert_array_equal(OneVsRest(machine).fit(X, y).predict(X), OneVsRestClassifier(machine).fit(X, y).predict(X))


def test_a_row_is_ambiguous_unless_one_machine_claims_it(rng: Any) -> None:
    X, y = rows(rng)
    model = OneVsRest(LinearDiscriminantAnalysis()).fit(X, y)
    claims = model.decision_function(X) > 0
    assert_array_equal(model.ambiguous(X), claims.sum(axis=1) != 1)
    rejected = model.predict(X, ambiguous="reject")
    assert_array_equal(rejected == None, model.ambiguous(X))  # noqa: E711
    clear = ~model.ambiguous(X)
    assert_array_equal(rejected[clear], model.classes_[claims[clear].argmax(axis=1)])


def test_all_but_last_gives_unclaimed_rows_to_the_last_class(rng: Any) -> None:
    X, y = rows(rng, K=3)
    model = OneVsRest(LinearDiscriminantAnalysis(), machines="all_but_last").fit(X, y)
    claims = model.decision_function(X)[:, :2] > 0
    assert len(model.estimators_) == 2
    assert_array_equal(model.ambiguous(X), claims.all(axis=1))
    assert (model.predict(X)[~claims.any(axis=1)] == "c").all() and (~claims.any(axis=1)).any()


def test_distances_do_not_depend_on_the_scale_of_a_machine(rng: Any) -> None:
    X, y = rows(rng)
    model = OneVsRest(LinearDiscriminantAnalysis(), scores="distance").fit(X, y)
    before = model.decision_function(X)
    model.estimators_[2].coef_ *= 50.0
    model.estimators_[2].intercept_ *= 50.0
    assert_allclose(model.decision_function(X), before)


def test_the_rules_of_duels_differ_from_five_classes_on(rng: Any) -> None:
    X = rng.uniform(-8, 8, size=(40_000, 3))
    vote, duel = (
        OneVsOne(LinearDiscriminantAnalysis(), rule=rule).fit(*rows(rng_, K=5))
        for rule, rng_ in [(r, np.random.default_rng(3)) for r in ("vote", "all_duels")]
    )
    table = duel.duels(X)
    beats_all = ((table > 0).sum(axis=2) == 4).any(axis=1)
    assert_array_equal(duel.ambiguous(X), ~beats_all)
    assert (vote.ambiguous(X) <= duel.ambiguous(X)).all()
    assert_allclose(table, -table.transpose(0, 2, 1))


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), OneVsOne(LinearDiscriminantAnalysis(), rule="all_duels")], ids=repr)
def test_regions_of_argmax_and_all_duels_are_convex(model: Any, rng: Any) -> None:
    model = clone(model).fit(*rows(rng))
    a, b = rng.uniform(-6, 6, size=(2, 4000, 3))
    ask = (lambda Z: model.predict(Z, ambiguous="reject")) if isinstance(model, OneVsOne) else model.predict
    same = (ask(a) == ask(b)) & (ask(a) != None)  # noqa: E711
    between = a + rng.random((4000, 1)) * (b - a)
    assert same.sum() > 100
    assert_array_equal(ask(between)[same], ask(a)[same])


def test_sparse_rows_and_two_classes(rng: Any) -> None:
    X, y = rows(rng, K=2)
    for meta in (OneVsRest, OneVsOne):
        dense, sparse = meta(LinearDiscriminantAnalysis()).fit(X, y), meta(LinearDiscriminantAnalysis()).fit(sp.csr_array(X), y)
        assert_allclose(dense.decision_function(X), sparse.decision_function(sp.csr_array(X)))
        assert_array_equal(dense.predict(X), LinearDiscriminantAnalysis().fit(X, y).predict(X))


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda X, y: OneVsRest("lda").fit(X, y), "estimator='lda' cannot be fitted"),
        (lambda X, y: OneVsRest(GaussianNB(), machines="al").fit(X, y), "Did you mean 'all'"),
        (lambda X, y: OneVsOne(GaussianNB(), rule="votes").fit(X, y), "Did you mean 'vote'"),
        (lambda X, y: OneVsRest(GaussianNB(), scores="raww").fit(X, y), "Did you mean 'raw'"),
        (lambda X, y: OneVsOne(GaussianNB()).fit(X, y).predict(X, ambiguous="rejct"), "Did you mean 'reject'"),
        (lambda X, y: OneVsRest(GaussianNB(), scores="distance").fit(X, y).predict(X), "has no weights .coef_.; use scores='raw'"),
        (lambda X, y: OneVsRest(GaussianNB()).fit(X, y[:7]), "X has 150 rows, y has 7 labels"),
        (lambda X, y: OneVsRest(GaussianNB()).fit(X, np.ones(150)), "greater than one; got 1 class, 1.0"),
    ],
)
def test_bad_input_is_refused(action: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        action(*load_iris(return_X_y=True))


@pytest.mark.parametrize("machines", ["all", "all_but_last"])
@pytest.mark.parametrize("options", [{}, {"C": 0.01, "fit_intercept": False}, {"class_weight": "balanced"}, {"C": np.inf}], ids=repr)
def test_logistic_machines_in_step_are_those_fitted_one_by_one(machines: Any, options: Any, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", 0)
    X, y = rows(rng, n=4000)
    w = rng.random(4000)
    model = OneVsRest(LogisticRegression(tol=1e-7, **options), machines=machines).fit(X, y, sample_weight=w)
    assert ("machines on the same" in model.estimators_[0].solution_.why) == ("class_weight" not in options and options.get("C") != np.inf)
    for k, machine in enumerate(model.estimators_):
        brute = LogisticRegression(tol=1e-7, **options).fit(X, (y == model.classes_[k]).astype(int), sample_weight=w)
        assert_allclose(machine.coef_, brute.coef_, atol=1e-5 * np.abs(brute.coef_).max())
        assert sorted(vars(machine)) == sorted(vars(brute)) and machine.n_features_in_ == 3
        assert_array_equal(machine.classes_, brute.classes_)
