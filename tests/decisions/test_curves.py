"""Curves against scikit-learn and against counting at every threshold; their bands against simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

from separatrix.decisions import cost_curve, net_benefit, precision_recall, predictive_values, risk_coverage, roc
from separatrix.errors import InputError
from separatrix.inference.shares import area_interval, macro_area

CURVES = [roc, precision_recall, cost_curve, net_benefit, risk_coverage]


def cases(rng: Any, n: int = 200, ties: bool = False) -> tuple[Any, Any]:
    y = rng.integers(2, size=n)
    p = expit(rng.normal(size=n) + 1.5 * y - 0.7)
    return (np.round(p, 1) if ties else p), np.array(["no", "yes"])[y]


@pytest.mark.parametrize("ties", [False, True])
def test_points_and_areas_are_scikit_learns(ties: bool, rng: Any) -> None:
    p, y = cases(rng, ties=ties)
    w = rng.integers(1, 4, len(y)).astype(float)
    fpr, tpr, levels = roc_curve(y == "yes", p, sample_weight=w, drop_intermediate=False)
    curve = roc(p, y, sample_weight=w)
    for ours, theirs in [(curve.x, fpr), (curve.y, tpr), (curve.thresholds, levels)]:
        assert_allclose(ours, theirs)
    assert curve.area == pytest.approx(roc_auc_score(y == "yes", p, sample_weight=w))
    precision, recall, _ = precision_recall_curve(y == "yes", p, sample_weight=w)
    curve = precision_recall(p, y, sample_weight=w)
    assert_allclose(curve.y[::-1], precision[:-1])
    assert_allclose(curve.x[::-1], recall[:-1])
    assert curve.area == pytest.approx(average_precision_score(y == "yes", p, sample_weight=w))


def test_delong_against_all_pairs(rng: Any) -> None:
    p, y = cases(rng, ties=True)
    a, b = p[y == "yes"], p[y == "no"]
    pairs = (a[:, None] > b) + 0.5 * (a[:, None] == b)
    area, error = pairs.mean(), np.sqrt(pairs.mean(axis=1).var(ddof=1) / len(a) + pairs.mean(axis=0).var(ddof=1) / len(b))
    curve = roc(p, y)
    assert curve.area == pytest.approx(area) and curve.area_interval is not None
    logits = np.log(curve.area_interval) - np.log1p(-np.array(curve.area_interval))
    assert_allclose(np.diff(logits)[0] / 2 / 1.959964, error / area / (1 - area), rtol=1e-6)


def test_a_perfect_area_has_an_interval_still() -> None:
    curve = roc(np.repeat([0.1, 0.9], 10), np.repeat([0, 1], 10))
    assert curve.area == 1.0 and curve.area_interval is not None and 0.6 < curve.area_interval[0] < 0.8


@pytest.mark.parametrize("large", [1e-300, 1e300, 1e307])
def test_an_area_with_one_enormous_weight_is_known_and_its_interval_too(large: float) -> None:
    p, y = np.array([0.1, 0.4, 0.35, 0.8, 0.7, 0.2]), np.array([0, 0, 1, 1, 0, 1])
    weight = np.array([1.0, 1.0, 1.0, large, 1.0, 2.0])
    curve = roc(p, y, sample_weight=weight)
    assert curve.area == pytest.approx(roc_auc_score(y, p, sample_weight=weight / weight.max()))
    assert curve.area_interval is not None and 0.0 <= curve.area_interval[0] <= curve.area_interval[1] <= 1.0


@pytest.mark.parametrize("n", [2, 5, 10, 13])
def test_the_interval_of_one_positive_row_is_the_same_by_both_roads(n: int) -> None:
    score, positive = np.sin(np.arange(n) + 1.0), np.arange(n) == n // 2
    posteriors, truth = np.column_stack([1.0 - score, score]), positive.astype(np.int32)
    by_sorts, by_ranks = macro_area(truth, posteriors, None, None), macro_area(truth, posteriors, np.ones(n), None)
    assert_allclose(area_interval(by_sorts, None, 1), area_interval(by_ranks, np.ones(n), 1), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("curve", CURVES, ids=lambda c: c.__name__)
def test_integer_weights_are_repeated_rows(curve: Any, rng: Any) -> None:
    p, y = cases(rng, 60)
    w = rng.integers(0, 3, 60)
    a, b = curve(p, y, sample_weight=w.astype(float)), curve(np.repeat(p, w), np.repeat(y, w))
    for name in ("x", "y", "low", "high"):
        assert_allclose(getattr(a, name), getattr(b, name), atol=1e-12)
    assert (a.area, a.area_interval) == (pytest.approx(b.area), pytest.approx(b.area_interval)) and str(a) == str(b)
    assert a.at(0.5)[1] <= a.at(0.5)[0] <= a.at(0.5)[2]


def test_costs_and_benefits_are_counted_right(rng: Any) -> None:
    p, y = cases(rng)
    truth, C = (y == "yes").astype(int), np.array([[-1.0, 2.0], [5.0, 0.5]])
    curve = cost_curve(p, y, C)
    paid = [C[truth, (p >= t).astype(int)] for t in np.append(np.inf, curve.thresholds[1:])]
    assert_allclose(curve.y, [c.mean() for c in paid])
    assert_allclose(curve.high - curve.y, [1.959964 * c.std() / np.sqrt(len(c)) for c in paid], rtol=1e-6, atol=1e-9)
    found = net_benefit(p, y, [0.1, 0.37])
    for t, value, everyone in zip(found.x, found.y, found.more["treat all"], strict=True):  # type: ignore[index]
        assert value == pytest.approx(np.mean((p >= t) & (truth == 1)) - np.mean((p >= t) & (truth == 0)) * t / (1 - t))
        assert everyone == pytest.approx(truth.mean() - (1 - truth.mean()) * t / (1 - t))


def test_risk_falls_where_the_uncertain_are_left_out(rng: Any) -> None:
    P = rng.dirichlet(np.ones(3), size=20_000)
    y = (P.cumsum(axis=1) < rng.random((20_000, 1))).sum(axis=1)
    curve = risk_coverage(P, y)
    half = P.max(axis=1) >= np.median(P.max(axis=1))
    assert curve.at(0.5)[0] == pytest.approx((P.argmax(axis=1) != y)[half].mean(), abs=1e-3)
    assert curve.y[-1] == pytest.approx((P.argmax(axis=1) != y).mean()) and curve.at(0.2)[0] < curve.at(0.5)[0] < curve.at(1.0)[0]
    assert_allclose(risk_coverage(P, y, 3.0 * (1 - np.eye(3))).y, 3.0 * curve.y)


@pytest.mark.parametrize("prevalence", [0.01, 0.4])
def test_predictive_values_are_those_of_rows_as_common(prevalence: float, rng: Any) -> None:
    p, y = cases(rng, 2000)
    found = predictive_values(p, y, prevalence=prevalence, threshold=0.6)
    w = np.where(y == "yes", prevalence / np.mean(y == "yes"), (1 - prevalence) / np.mean(y == "no"))
    assert found.positive == pytest.approx(np.average(y[p > 0.6] == "yes", weights=w[p > 0.6]))
    assert found.negative == pytest.approx(np.average(y[p <= 0.6] == "no", weights=w[p <= 0.6]))
    shares = {"no": 1 - prevalence, "yes": prevalence}
    curve = precision_recall(p, y, priors=shares)
    assert np.interp(found.sensitivity, curve.x, curve.y) == pytest.approx(found.positive, rel=0.02)
    assert "positive predictive value" in str(found)


def test_intervals_hold_the_truth_as_often_as_they_say(rng: Any) -> None:
    """N(0, 1) against N(1, 1): AUC Φ(1/√2), PPV and net benefit in closed form."""
    from scipy.stats import norm

    hits, prevalence = np.zeros(3), 0.1
    s, c = norm.sf(-0.5), norm.cdf(0.5)
    truth = s * prevalence / (s * prevalence + (1 - c) * (1 - prevalence))
    for _ in range(400):
        y = rng.integers(2, size=150)
        p = expit(rng.normal(size=150) + y - 0.5)
        area, value, benefit = roc(p, y).area_interval, predictive_values(p, y, prevalence=prevalence), net_benefit(p, y, [0.5])
        hits += [
            area[0] < norm.cdf(np.sqrt(0.5)) < area[1],  # type: ignore[index]
            value.positive_interval[0] < truth < value.positive_interval[1],
            benefit.low[0] < (s - (1 - c)) / 2 < benefit.high[0],
        ]
    assert_allclose(hits / 400, 0.95, atol=0.035)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p, y: roc(p, np.full(len(y), "yes"), classes=["no", "yes"]), "needs rows of both kinds; all are"),
        (lambda p, y: net_benefit(p, y, [0.0]), "both excluded"),
        (lambda p, y: cost_curve(p, y, np.ones((3, 3))), "costs has 3 rows, but there are 2 classes"),
        (lambda p, y: predictive_values(p, y, prevalence=1.2), "share between 0 and 1"),
        (lambda p, y: roc(np.eye(3)[[0, 1, 2]], [0, 1, 2]), "name the one that counts as positive, as in positive=2"),
    ],
)
def test_bad_input_is_named(call: Any, message: str, rng: Any) -> None:
    with pytest.raises(InputError, match=message):
        call(*cases(rng))
