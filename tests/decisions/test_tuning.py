"""Tuning from held-out posteriors against trying every threshold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix import Decision, Holdout, LinearDiscriminantAnalysis, evaluate
from separatrix.decisions import saving, tune
from separatrix.errors import InputError


def cases(rng: Any, n: int = 300, K: int = 2, ties: bool = False) -> tuple[Any, Any]:
    scores = rng.normal(size=(n, K))
    y = rng.integers(K, size=n)
    scores[np.arange(n), y] += 1.5
    P = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    if ties:
        P = np.column_stack([1 - np.round(P[:, 1], 1), np.round(P[:, 1], 1)])
    return P, np.array(["no", "yes", "zebra"])[y]


def brute(P: Any, y: Any, weight: Any) -> list[tuple[float, float, float]]:
    """Return threshold, recall and precision for every threshold that differs."""
    found = []
    for t in np.append(-1.0, np.unique(P[:, 1])):
        called, truth = P[:, 1] > t, y == "yes"
        if called.any():
            both = weight[called & truth].sum()
            found.append((t, both / weight[truth].sum(), both / weight[called].sum()))
    return found


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("goal", [0.3, 0.8, 0.95])
def test_recall_and_precision_are_those_of_the_best_threshold(goal: float, ties: bool, rng: Any) -> None:
    P, y = cases(rng, ties=ties)
    weight = rng.integers(1, 4, len(y)).astype(float)
    every = brute(P, y, weight)
    tuned = tune(P, y, recall=goal, sample_weight=weight)
    assert tuned.achieved["recall"] == pytest.approx(min(r for _, r, _ in every if r >= goal))
    called = tuned.decision.decide(P, ["no", "yes"]) == "yes"
    assert weight[called & (y == "yes")].sum() / weight[y == "yes"].sum() == pytest.approx(tuned.achieved["recall"])
    if goal < 0.9:
        tuned = tune(P, y, precision=goal, sample_weight=weight)
        assert tuned.achieved["recall"] == pytest.approx(max(r for _, r, p in every if p >= goal))
        assert tuned.intervals["precision"][0] < tuned.achieved["precision"] < tuned.intervals["precision"][1]


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("miss", [1.0, 8.0, 0.1])
def test_the_tuned_cost_is_the_least_of_all_thresholds(miss: float, ties: bool, rng: Any) -> None:
    P, y = cases(rng, ties=ties)
    C = np.array([[0.0, 1.0], [miss, 0.0]])
    truth = (y == "yes").astype(int)
    least = min(C[truth, (P[:, 1] > t).astype(int)].mean() for t in np.append(0.0, np.unique(P[:, 1])))
    tuned = tune(P, y, costs=C)
    assert C[truth, tuned.decision.codes(P)].mean() == pytest.approx(least) == pytest.approx(tuned.achieved["cost"])
    assert tuned.before is not None and tuned.before >= tuned.achieved["cost"]
    assert tuned.held_out_cost is not None and tuned.held_out_cost >= tuned.achieved["cost"] - 1e-12


def test_several_classes_gain_by_factors_where_posteriors_are_wrong(rng: Any) -> None:
    P, y = cases(rng, K=3)
    wrong = P * [5.0, 1.0, 0.2]
    wrong /= wrong.sum(axis=1, keepdims=True)
    tuned = tune(wrong, y)
    assert tuned.before is not None and tuned.achieved["cost"] < tuned.before
    truth = np.searchsorted(["no", "yes", "zebra"], y)
    assert (tuned.decision.codes(wrong) != truth).mean() == pytest.approx(tuned.achieved["cost"])
    # The posteriors before they were spoiled make about the same mistakes.
    assert tuned.achieved["cost"] <= (P.argmax(axis=1) != truth).mean() + 0.01


def test_the_positive_one_of_several_classes_is_found_as_often_as_wanted(rng: Any) -> None:
    P, y = cases(rng, K=3)
    tuned = tune(P, y, recall=0.9, positive="zebra")
    called = tuned.decision.decide(P, ["no", "yes", "zebra"]) == "zebra"
    assert called[y == "zebra"].mean() == pytest.approx(tuned.achieved["recall"]) and tuned.achieved["recall"] >= 0.9
    assert (y == "zebra")[called].mean() == pytest.approx(tuned.achieved["precision"])


@pytest.mark.parametrize("rate", [0.05, 0.333, 1.0])
@pytest.mark.parametrize("ties", [False, True])
def test_at_most_the_wanted_share_is_rejected(rate: float, ties: bool, rng: Any) -> None:
    P, y = cases(rng, ties=ties)
    tuned = tune(P, y, rejection_rate=rate)
    codes = Decision(reject_cost=tuned.decision.reject_cost).codes(P)
    shares = np.array([(P.max(axis=1) < cut).mean() for cut in np.append(np.unique(P.max(axis=1)), 2.0)])
    assert (codes == 2).mean() == pytest.approx(shares[shares <= rate].max()) == pytest.approx(tuned.achieved["rejected"])


def test_priors_tune_for_the_world_to_come(rng: Any) -> None:
    P, y = cases(rng, n=2000)
    tuned = tune(P, y, precision=0.8, priors={"no": 0.9, "yes": 0.1})
    shares = [np.mean(y == "no"), np.mean(y == "yes")]
    called = tuned.decision.decide(P, ["no", "yes"], shares) == "yes"
    tpr, fpr = called[y == "yes"].mean(), called[y == "no"].mean()
    assert tuned.achieved["precision"] == pytest.approx(0.1 * tpr / (0.1 * tpr + 0.9 * fpr))
    assert_allclose(tuned.achieved["recall"], tpr)


def test_an_estimate_stands_for_its_posteriors_and_classes(rng: Any) -> None:
    X, y = rng.normal(size=(90, 2)), np.array(["no", "yes"])[np.arange(90) % 2]
    found = evaluate(LinearDiscriminantAnalysis(), X, y, plan=Holdout(0.5, random_state=0))
    held = ~np.isnan(found.posteriors).any(axis=1)  # type: ignore[arg-type]
    for goal in ({"recall": 0.8}, {"rejection_rate": 0.2}, {"costs": [[0, 1], [3, 0]]}):
        assert tune(found, y, **goal) == tune(found.posteriors[held], y[held], **goal)  # type: ignore[arg-type,index]


def test_saving_is_the_baseline_minus_the_cost(rng: Any) -> None:
    P, y = cases(rng)
    C = np.array([[0.0, 1.0], [3.0, 0.0]])
    found, truth = saving(Decision(C, reject_cost=0.3), P, y), (y == "yes").astype(int)
    table = np.column_stack([C, [0.3, 0.3]])
    codes = np.argmin(P @ table, axis=1)
    assert found.cost == pytest.approx(table[truth, codes].mean()) and found.rejected == pytest.approx((codes == 2).mean())
    assert (found.baseline, found.baseline_cost) == (None, pytest.approx(0.3))  # rejecting all is cheaper than always "yes"
    assert found.saving == pytest.approx(found.baseline_cost - found.cost) and found.saving_interval[0] < found.saving
    at = saving(Decision(C, priors=[0.9, 0.1]), P, y)
    assert at.baseline == "no" and at.baseline_cost == pytest.approx(0.3) and "saving" in str(at)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"recall": 0.9, "precision": 0.5}, "One goal at a time: recall and precision"),
    ({"recall": 95}, "is a share in"),
    ({"recall": 0.9, "costs": [[0, 1], [1, 0]]}, "decides alone, so costs have no say"),
    ({"precision": 1.0, "positive": "no"}, "No threshold reaches a precision of 'no' ≥ 1; the largest is"),
    ({"recall": 0.9, "positive": "maybe"}, "positive='maybe' is not a class"),
    ({"costs": np.ones((3, 3))}, "costs has 3 rows, but there are 2 classes"),
]


@pytest.mark.parametrize(("options", "message"), BAD, ids=[message[:25] for _, message in BAD])
def test_goals_that_cannot_be_are_named(options: dict[str, Any], message: str, rng: Any) -> None:
    P, y = cases(rng)
    P[0], y[0] = (1.0, 0.0), "yes"
    with pytest.raises(InputError, match=message):
        tune(P, y, **options)


@pytest.mark.parametrize(
    ("P", "y", "message"),
    [(None, [0, 1], "CalibratedClassifier"), ([[0.5, 0.5]], [0, 1], "1 rows of posteriors and 2 labels"), ([[1.0, 0.0]], [0], "classes=")],
)
def test_rows_that_do_not_match_are_named(P: Any, y: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        tune(P, y)
