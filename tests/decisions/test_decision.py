"""Decisions: least expected cost against enumeration, rejection, priors, thresholds, bad input."""

from __future__ import annotations

import pickle
from copy import deepcopy
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from separatrix import Decision
from separatrix.decisions import actions, reweight, saving, tune
from separatrix.decisions.actions import cheapest, minimax_cost
from separatrix.decisions.priors import check_priors
from separatrix.errors import DataWarning, InputError, UnknownNameError
from separatrix.thresholds import Threshold

NAMES = np.array(list("abcdefgh"))


def posteriors(rng: Any, n: int, K: int) -> Any:
    return rng.dirichlet(np.full(K, 0.7), size=n)


@pytest.mark.parametrize("K", [2, 3, 5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [1, 2, 3, 7, 40_001])
def test_the_kernel_is_argmin_of_expected_costs(K: int, dtype: Any, n: int, rng: Any, monkeypatch: Any) -> None:
    P, C = posteriors(rng, n, K).astype(dtype), rng.uniform(size=(K, K + 2))
    expected = np.argmin(P.astype(np.float64) @ C, axis=1)
    assert_array_equal(cheapest(P.astype(np.float64), C), expected)
    monkeypatch.setattr(Threshold, "everywhere", 0)
    monkeypatch.setattr(actions, "CHUNK", 1000)
    for n_jobs in (1, 2):
        assert_array_equal(cheapest(P, C, n_jobs), expected)


@pytest.mark.parametrize("small", [True, False])
def test_of_equal_costs_the_first_action_wins_and_rejecting_comes_last(small: bool, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", 10**9 if small else 0)
    P = np.array([[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]])
    assert Decision().codes(P).tolist() == [0, 0, 1]
    assert Decision(reject_cost=0.25).codes(P).tolist() == [0, 2, 1]


@pytest.mark.parametrize("K", [2, 3, 4])
def test_costs_rejection_and_priors_against_enumeration(K: int, rng: Any) -> None:
    P, C, old, new = posteriors(rng, 300, K), rng.uniform(size=(K, K)), posteriors(rng, 1, K)[0], posteriors(rng, 1, K)[0]
    decision = Decision(C, reject_cost=0.3, priors=new)
    for p, code in zip(P, decision.codes(P, trained_priors=old), strict=True):
        now = [p[k] * new[k] / old[k] for k in range(K)]
        now = [value / sum(now) for value in now]
        costs = [sum(now[k] * C[k, a] for k in range(K)) for a in range(K)]
        assert code == (costs.index(min(costs)) if min(costs) <= 0.3 else K)
    assert_allclose(decision.expected_costs(P, trained_priors=old)[:, :K], reweight(P, new, old) @ C)


@pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
def test_posteriors_sum_to_one_as_exactly_as_float64_can(priors: Any, rng: Any) -> None:
    rounded = posteriors(rng, 200, 3).astype(np.float32)
    below = np.array([[-1e-7, 0.5, 0.5 + 1e-7], [0.0, 0.3, 0.7 + 5e-7]])  # what is let through as rounding
    for P in (rounded, below):
        found = Decision(priors=priors).posteriors(P, trained_priors=np.full(3, 1 / 3))
        assert found.dtype == np.float64 and (found >= 0).all()
        assert_allclose(found.sum(axis=1), 1.0, rtol=0, atol=1e-15)


def test_actions_beyond_the_classes_have_names(rng: Any) -> None:
    P = posteriors(rng, 50, 2)
    decision = Decision([[0, 2, 9], [90, 30, 0]], actions=["home", "test", "treat"])
    assert set(decision.decide(P, ["well", "ill"])) <= {"home", "test", "treat"}
    mixed = Decision([[0, 1, 0.2], [1, 0, 0.2]], actions=[0, 1, "ask"]).decide(P, [0, 1])
    assert mixed.dtype == object and set(mixed.tolist()) == {0, 1, "ask"}


@pytest.mark.parametrize("t", [0.0, 0.2, 0.5, 0.9])
def test_a_threshold_is_a_decision_of_two_classes(t: float, rng: Any) -> None:
    P = posteriors(rng, 200, 2)
    assert_array_equal(Decision.threshold(t).decide(P, ["no", "yes"]) == "yes", P[:, 1] > t)
    assert Decision.threshold(t).cutoff == pytest.approx(t)
    assert_array_equal(Decision.threshold(t).codes(P[:, 1]), Decision.threshold(t).codes(P))


def test_a_decision_is_a_value() -> None:
    decision = Decision([[0, 1], [5, 0]], reject_cost=0.2, priors={"a": 0.1, "b": 0.9})
    for other in (pickle.loads(pickle.dumps(decision)), deepcopy(decision), eval(repr(decision))):
        assert other == decision and hash(other) == hash(decision)
    assert decision != Decision() and Decision(priors=(0.5, 0.5)) == Decision(priors=np.array([0.5, 0.5]))


@pytest.mark.parametrize("K", [2, 3, 7])
def test_the_hardest_posterior_of_0_1_costs_is_the_even_one(K: int) -> None:
    assert minimax_cost(1.0 - np.eye(K)) == pytest.approx(1 - 1 / K)


def test_costs_under_which_rejection_is_never_or_always_best_are_said(rng: Any) -> None:
    P, C = posteriors(rng, 2000, 3), rng.uniform(0.5, 1.0, size=(3, 3))
    most = minimax_cost(C)
    with pytest.warns(DataWarning, match="never rejects a row"):
        assert (Decision(C, reject_cost=most).decide(P) != None).all()  # noqa: E711
    with pytest.warns(DataWarning, match=r"rejects every row: no action costs less than"):
        assert (Decision(C, reject_cost=0.4).decide(P) == None).all()  # noqa: E711


BAD = [
    (lambda: Decision([[0, 1, 2]]), "one row per true class and one column per action"),
    (lambda: Decision([0, 1]), "costs has shape"),
    (lambda: Decision("none"), "costs='none' does not hold real numbers; pass a matrix of numbers"),
    (lambda: Decision([[0, np.inf], [1, 0]]), "costs must be finite"),
    (lambda: Decision(np.ones((3, 3))).decide([[0.5, 0.5]], ["a", "b"]), r"costs has 3 rows, but there are 2 classes \('a', 'b'\)"),
    (lambda: Decision(np.ones((2, 3))).decide([[0.5, 0.5]]), r"costs has 3 columns for 2 classes; name what"),
    (lambda: Decision(np.ones((2, 3)), actions=["a"]), "3 columns of costs and 1 actions"),
    (lambda: Decision(np.ones((2, 2)), actions=["a", "a"]), "must be different names"),
    (lambda: Decision(np.ones((2, 2)), actions=np.array(np.nan)), "actions=array.nan. must be a list of names, one per column of costs"),  # type: ignore[arg-type]
    (lambda: Decision(np.ones((2, 2)), truths=[["a"], ["b"]]), "truths=.* must be a list of names, one per row of costs"),
    (lambda: Decision(actions=["a", "b"]), "pass costs too"),
    (lambda: Decision(np.ones((2, 2)), truths=["a"]), "2 rows of costs and 1 truths"),
    (lambda: Decision(priors="even"), "priors='even' does not hold real numbers; pass one per class"),
    (lambda: Decision(reject_cost=np.nan), "must be a finite number"),
    (lambda: Decision.threshold("half"), "t='half': a threshold is a probability between 0 and 1"),  # type: ignore[arg-type]
    (lambda: Decision().decide(["high", "low"]), "posteriors=.* does not hold real numbers; pass model.predict_proba"),
    (lambda: Decision.threshold(1.5), "t=1.5: a threshold is a probability between 0 and 1"),
    (lambda: Decision().decide([[0.5, 0.6]]), r"Row 0 of the posteriors is no distribution: 0.5, 0.6 sums to 1.1"),
    (lambda: Decision().decide(np.full((90_000, 2), 0.6)), "Row 0 of the posteriors is no distribution"),
    (lambda: Decision().decide([[0.5, 0.5], [-0.1, 1.1]]), "Row 1 of the posteriors is no distribution"),
    (lambda: Decision().decide([[np.nan, np.nan]]), "never held out"),
    (lambda: Decision().decide([[[0.5]]]), "one column per class, got shape"),
    (lambda: Decision(priors=[0.5, 0.5]).decide([[0.5, 0.5]]), "pass trained_priors="),
    (lambda: Decision(priors=[1, 0]).decide([[0.5, 0.5]], ["a", "b"], [0.5, 0.5]), "new prior of class 'b' is zero"),
    (lambda: Decision(priors=[0.5, 0.5]).decide([[0.5, 0.5]], ["a", "b"], [1, 0]), "had a prior of zero in training"),
    (lambda: Decision(priors=[0.5, 0.4]).decide([[0.5, 0.5]], ["a", "b"], [0.5, 0.5]), "sum of the priors should be 1"),
    (lambda: Decision(priors={"a": 1.0}).decide([[0.5, 0.5]], ["a", "b"], [0.5, 0.5]), "no prior for class 'b'"),
]


@pytest.mark.parametrize(("call", "message"), BAD, ids=[message[:30] for _, message in BAD])
def test_bad_input_is_named(call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_costs_with_labels_may_come_in_any_order(rng: Any) -> None:
    labels, P = np.array(["dog", "cat", "ant"]), posteriors(rng, 50, 3)
    C = pd.DataFrame(rng.uniform(size=(3, 3)), index=labels, columns=labels[::-1])
    ordered = C.loc[sorted(labels), sorted(labels)].to_numpy()
    expected = Decision(ordered).decide(P, np.sort(labels))
    assert Decision(C).decide(P, np.sort(labels)).tolist() == expected.tolist()
    assert Decision(C).decide(P[:, ::-1], np.sort(labels)[::-1]).tolist() == expected.tolist()
    assert tune(P, np.sort(labels)[P.argmax(axis=1)], costs=C).before == tune(P, P.argmax(axis=1), costs=ordered).before
    named = C.set_axis(["wait", "feed", "call"], axis=1)
    rows = named.loc[sorted(labels)].to_numpy()
    assert Decision(named).decide(P, np.sort(labels)).tolist() == Decision(rows, actions=["wait", "feed", "call"]).decide(P).tolist()
    assert Decision(C.to_numpy(), truths=labels, actions=labels[::-1]) == Decision(C)
    assert Decision(pd.DataFrame(ordered)) == Decision(ordered)  # numbered, not labelled
    with pytest.raises(UnknownNameError, match="costs has a row for 'ant', which is not a class"):
        Decision(C).decide(P, ["aunt", "cat", "dog"])


def test_priors_with_labels_may_come_in_any_order() -> None:
    shares = pd.Series(["b", "b", "a", "b"]).value_counts(normalize=True)
    assert check_priors(shares, np.array(["a", "b"])).tolist() == [0.25, 0.75]
    assert check_priors(pd.Series([0.2, 0.8]), np.array(["a", "b"])).tolist() == [0.2, 0.8]
    assert Decision(priors=shares) == Decision(priors={"b": 0.75, "a": 0.25})


def test_an_unknown_class_of_priors_is_named() -> None:
    with pytest.raises(UnknownNameError, match="'spma', which is not a class. Did you mean 'spam'"):
        Decision(priors={"spma": 1.0}).decide([[0.5, 0.5]], ["ham", "spam"], [0.5, 0.5])


def test_the_baseline_of_a_saving_may_be_to_reject_all_rows() -> None:
    P, y = np.full((10, 2), 0.5), np.arange(10) % 2
    found = saving(Decision([[0, 1], [1, 0]], reject_cost=0.2), P, y)
    assert (found.baseline, found.baseline_cost, found.saving) == (None, pytest.approx(0.2), pytest.approx(0.0))
    assert "rejecting all rows 0.2000" in str(found)
    assert saving(Decision([[0, 1], [1, 0]], reject_cost=0.45), P, np.ones(10, dtype=int), classes=[0, 1]).baseline == 1
