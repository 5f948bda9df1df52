"""Scores from codes are those of scikit-learn, of all rows and of each fold; areas have DeLong's interval."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import softmax
from sklearn.metrics import balanced_accuracy_score, brier_score_loss, log_loss, roc_auc_score

from separatrix.decisions.areas import area, area_interval, macro_area
from separatrix.evaluation.metrics import METRICS, Judged, needs_posteriors


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
    found = METRICS[name](Judged(y, said, P, w, folds, np.arange(K)))
    assert found.value == pytest.approx(peer(name, y, said, P, w))
    parts = [folds == f for f in range(3)]
    assert_allclose(found.per_fold, [peer(name, y[f], said[f], P[f], None if w is None else w[f]) for f in parts])
    assert METRICS[name](Judged(y, said, P, w, None, np.arange(K))).value == pytest.approx(found.value)


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
