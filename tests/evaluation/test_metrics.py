"""Scores from codes are those of scikit-learn, of all rows and of each fold; areas have DeLong's interval."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import softmax
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score, balanced_accuracy_score, brier_score_loss, get_scorer, log_loss, make_scorer, roc_auc_score

from separatrix import GaussianNB, LinearDiscriminantAnalysis, compare
from separatrix.evaluation import Bootstrap, KFold, LeaveOneOut, evaluate, learning_curve, permutation_test
from separatrix.evaluation.metrics import METRICS, ScoredRows
from separatrix.evaluation.scorers import ALIASES, named_metric, needs_posteriors
from separatrix.inference.shares import area, area_interval, macro_area


def peer(name: str, y: Any, said: Any, P: Any, w: Any) -> float:
    K = P.shape[1]
    if name == "log_loss":
        return float(log_loss(y, P, labels=np.arange(K), sample_weight=w))
    if name == "brier":
        return float(brier_score_loss(y, P if K > 2 else P[:, 1], labels=np.arange(K), sample_weight=w))
    if name == "auc":
        return float(roc_auc_score(y, P if K > 2 else P[:, 1], multi_class="ovr", sample_weight=w))
    if name == "balanced_accuracy":
        return float(balanced_accuracy_score(y, said, sample_weight=w))
    return float(np.average(y != said, weights=w))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("name", METRICS)
def test_scores_are_those_of_scikit_learn(name: str, K: int, weighted: bool, rng: Any) -> None:
    n = 90
    y, folds = rng.integers(0, K, n).astype(np.int32), np.arange(n) % 3
    P = softmax(rng.normal(size=(n, K)).round(1) + np.eye(K)[y], axis=1).round(6)  # ties
    P /= P.sum(axis=1, keepdims=True)
    said, w = P.argmax(axis=1).astype(np.int32), rng.uniform(0.5, 2.0, n) if weighted else None
    found = METRICS[name](ScoredRows(y, said, P, w, folds, np.arange(K)))
    assert found.value == pytest.approx(peer(name, y, said, P, w))
    parts = [folds == f for f in range(3)]
    assert_allclose(found.per_fold, [peer(name, y[f], said[f], P[f], None if w is None else w[f]) for f in parts])
    assert METRICS[name](ScoredRows(y, said, P, w, None, np.arange(K))).value == pytest.approx(found.value)


def test_variance_of_an_area_is_that_of_delong(rng: Any) -> None:
    """Σ (V − A)²/((m − 1)m) of the placements of both sides, as in the paper."""
    y, x = np.arange(40) % 2 == 0, rng.normal(size=40).round(1)
    x += 0.5 * y
    better = (x[y][:, None] > x[~y]) + 0.5 * (x[y][:, None] == x[~y])
    paper = better.mean(axis=1).var(ddof=1) / 20 + better.mean(axis=0).var(ddof=1) / 20
    for found in (area(y, x, None), macro_area(y.astype(np.int32), np.column_stack([-x, x]), None, None)):
        assert found.value == pytest.approx(better.mean())
        assert float(found.influence @ found.influence) / 40**2 == pytest.approx(paper)
    doubled = area(np.tile(y, 2), np.tile(x, 2), None), area(y, x, np.full(40, 2.0))
    assert area_interval(doubled[0], None, 40) == pytest.approx(area_interval(doubled[1], np.full(40, 2.0), 40))


def test_intervals_of_areas_cover(rng: Any) -> None:
    """Two normals one apart: the area is Φ(1/√2) = .7602."""
    hits = 0
    for _ in range(200):
        y = np.arange(80) % 2 == 0
        low, high = area_interval(area(y, rng.normal(size=80) + y, None), None, 40)
        hits += low < 0.760250 < high
    assert hits >= 180


def test_a_perfect_order_is_not_certain() -> None:
    y = np.arange(20) >= 10
    low, high = area_interval(area(y, np.arange(20.0), None), None, 10)
    assert 0.6 < low < 0.8 and high == pytest.approx(1.0)
    assert np.isnan(macro_area(np.zeros(4, dtype=np.int32), np.full((4, 2), 0.5), None, None).value)


def test_scorers_say_what_they_need() -> None:
    assert needs_posteriors("neg_log_loss") and needs_posteriors("auc") and not needs_posteriors("accuracy")


ASKED = [*ALIASES, get_scorer("roc_auc"), make_scorer(accuracy_score)]
"""Metrics of this package under the names that scikit-learn has for them."""


@pytest.mark.parametrize("plan", [KFold(5), KFold(3, repeats=2), LeaveOneOut(), Bootstrap(10)], ids=repr)
@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_one_quantity_has_one_value_and_one_interval(asked: Any, plan: Any) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    named = named_metric(asked)
    one, own = (evaluate(GaussianNB(), X[::4], y[::4], plan=plan, metrics=metric, random_state=0) for metric in (asked, named.own))
    assert one.scores[named.name] == named.of(own.scores[named.own])
    assert one.intervals.get(named.name) == (named.span(own.intervals[named.own]) if named.own in own.intervals else None)
    assert one.per_fold.get(named.name, []) == pytest.approx(named.of(own.per_fold.get(named.own, np.empty(0))))


@pytest.mark.parametrize("plan", [KFold(4), KFold(3, repeats=2), LeaveOneOut()], ids=repr)
@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_one_quantity_is_compared_in_one_way(asked: Any, plan: Any) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    models, named = [GaussianNB(), LinearDiscriminantAnalysis()], named_metric(asked)
    one, own = (compare(X[::6], y[::6], models=models, plan=plan, metric=metric, random_state=0) for metric in (asked, named.own))
    assert [entry.name for entry in one] == [entry.name for entry in own] and one.picked.name == own.picked.name
    for name in ("GaussianNB", "LinearDiscriminantAnalysis", "majority class"):
        mine, theirs = one[name], own[name]
        assert mine.value == named.of(theirs.value) and mine.difference == theirs.difference
        assert mine.interval == named.span(theirs.interval) or np.isnan(mine.interval).all()


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_one_quantity_has_one_p_value_and_one_curve(asked: Any) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    rows, named = (X[::6, :4], y[::6]), named_metric(asked)
    tests = [permutation_test(GaussianNB(), *rows, statistic=metric, n_permutations=30, random_state=0) for metric in (asked, named.own)]
    assert tests[0].p == tests[1].p and tests[0].observed == named.of(tests[1].observed)
    curves = [learning_curve(GaussianNB(), *rows, metric=metric, random_state=0) for metric in (asked, named.own)]
    assert_allclose(curves[0].intervals, [named.span(span) for span in curves[1].intervals], rtol=0)
    assert curves[0].metric == named.name and (curves[0].scores == named.of(curves[1].scores)).all()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("plan", [KFold(7), KFold(7, stratified=False), KFold(3, repeats=2), LeaveOneOut()], ids=repr)
def test_an_area_of_a_model_that_does_not_look_is_one_half(plan: Any, weighted: bool, rng: Any) -> None:
    for load in (load_iris, load_breast_cancer):
        X, y = load(return_X_y=True)
        w = rng.uniform(0.5, 2.0, len(y)) if weighted else None
        found = evaluate(DummyClassifier(strategy="prior"), X, y, plan=plan, metrics="auc", sample_weight=w, random_state=0)
        assert found.scores["auc"] == 0.5 and "auc is 1/2 by convention" in str(found) and "auc (pooled)" in str(found)
    if not isinstance(plan, LeaveOneOut):
        board = compare(X[::4], y[::4], models=[GaussianNB()], plan=plan, metric="roc_auc", random_state=0)
        assert board["majority class"].value == 0.5 and "roc_auc is pooled" in str(board)


@pytest.mark.filterwarnings("ignore:precision_score is not defined")
def test_no_interval_ends_where_no_value_can_be() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    for metric in ("f1", "precision", "recall", "jaccard", "average_precision", "matthews_corrcoef", "balanced_accuracy", "accuracy"):
        board = compare(X[:120], y[:120], models=[LinearDiscriminantAnalysis()], plan=KFold(6), metric=metric, random_state=0)
        assert all(-1.0 <= end <= 1.0 for entry in board for end in entry.interval)
