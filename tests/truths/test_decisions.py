"""Decision theory: Bayes risk with unequal costs in closed form, Chow's rule, posteriors and joint probabilities (C3)."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit
from scipy.stats import norm

from examples import decisions as example
from separatrix import ClassMoments, Decision, GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from separatrix.decisions import saving
from separatrix.errors import DataWarning


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), GaussianNB()], ids=repr)
def test_posteriors_sum_to_one_and_agree_with_the_joint(model: Any, rng: Any) -> None:
    y = rng.integers(3, size=300)
    X = rng.normal(size=(300, 3)) + rng.normal(size=(3, 3))[y]
    model.fit(X, y)
    P, joint = model.predict_proba(X), model.predict_joint_log_proba(X)
    assert_allclose(P.sum(axis=1), 1.0)
    assert_array_equal(P.argmax(axis=1), joint.argmax(axis=1))
    assert_array_equal(Decision().decide(P), joint.argmax(axis=1))
    assert_allclose(model.log_density(X), np.log(np.exp(joint).sum(axis=1)))
    again = type(model)().fit(*model.sample(200_000, random_state=0))
    assert_allclose(again.summary_.means, model.summary_.means, atol=0.03)


@pytest.mark.parametrize(("false_alarm", "miss", "prior"), [(1.0, 1.0, 0.5), (1.0, 10.0, 0.5), (3.0, 1.0, 0.2), (1.0, 50.0, 0.02)])
def test_bayes_risk_of_two_gaussians_with_unequal_costs(false_alarm: float, miss: float, prior: float) -> None:
    """N(0, 1) and N(δ, 1): the second class beyond x* = δ/2 + log(c10 (1 − π)/(c01 π))/δ, c10 the cost of a false alarm.

    Risk = c10 (1 − π) Φ(−x*) + c01 π Φ(x* − δ).
    """
    delta, n = 1.5, 2_000_001
    border = delta / 2 + np.log(false_alarm * (1 - prior) / (miss * prior)) / delta
    risk = false_alarm * (1 - prior) * norm.sf(border) + miss * prior * norm.cdf(border - delta)
    x = np.linspace(-12, 12 + delta, n)
    density = np.column_stack([(1 - prior) * norm.pdf(x), prior * norm.pdf(x, delta)])
    P = density / density.sum(axis=1, keepdims=True)
    C = np.array([[0.0, false_alarm], [miss, 0.0]])
    called = Decision(C).codes(P)
    assert x[called == 1].min() == pytest.approx(border, abs=2 * (x[1] - x[0]))
    assert (density * C[:, called].T).sum() * (x[1] - x[0]) == pytest.approx(risk, rel=1e-5)


def test_the_fitted_model_pays_the_bayes_risk(rng: Any) -> None:
    """LDA told the true moments, trained on even classes, deployed where one in fifty is ill: the cost is the closed form's."""
    delta, prior, miss, n = 2.0, 0.02, 20.0, 400_000
    count = np.full(2, 1e6)
    moments = ClassMoments(np.array(["ill", "well"]), count, np.array([[delta], [0.0]]), np.full((2, 1, 1), 1e6), "full", count)
    decided = (
        LinearDiscriminantAnalysis(covariance="mle")
        .fit_summary(moments)
        .with_decision(Decision([[0, miss], [1, 0]], priors={"ill": prior, "well": 1 - prior}))
    )
    border = delta / 2 + np.log((1 - prior) / (miss * prior)) / delta
    risk = (1 - prior) * norm.sf(border) + miss * prior * norm.cdf(border - delta)
    y = np.where(rng.random(n) < prior, "ill", "well")
    X = rng.normal(size=(n, 1)) + delta * (y == "ill")[:, None]
    found = saving(Decision([[0, miss], [1, 0]]), decided.predict_proba(X), y)
    assert abs(found.cost - risk) < 4 * (found.cost - found.cost_interval[0]) / 1.96
    assert_array_equal(decided.predict(X) == "ill", X[:, 0] > border)
    assert found.baseline_cost == pytest.approx(min(miss * np.mean(y == "ill"), np.mean(y == "well")))


def test_the_example_runs(capsys: Any) -> None:
    example.main()
    assert "recall of 'malignant' ≥ 0.99" in capsys.readouterr().out


@pytest.mark.parametrize("K", [2, 3, 4])
@pytest.mark.parametrize("c", [0.05, 0.3, 0.49, 0.6, 0.7])
def test_chows_rule_rejects_below_one_minus_c(K: int, c: float) -> None:
    """All posteriors on a grid of twentieths: rejected iff max p < 1 − c, never if c ≥ 1 − 1/K."""
    grid = [p for p in product(range(21), repeat=K) if sum(p) == 20]
    P = np.array(grid) / 20.0
    never = c >= 1 - 1 / K
    decision = Decision(reject_cost=c)
    if never:
        with pytest.warns(DataWarning, match="never rejects"):
            decision.check(np.arange(K))
    rejected = decision.codes(P) == K
    clear = np.abs(P.max(axis=1) - (1 - c)) > 1e-9
    assert_array_equal(rejected[clear], P.max(axis=1)[clear] < 1 - c)
    assert rejected.any() != never


def test_chows_error_reject_tradeoff_in_closed_form() -> None:
    """N(±1, 1), even priors: |x| < log((1 − c)/c)/2 is rejected."""
    x = np.linspace(-9, 9, 200_001)
    P = np.column_stack([expit(-2 * x), expit(2 * x)])
    for c in (0.05, 0.2, 0.4):
        half = np.log((1 - c) / c) / 2
        rejected = Decision(reject_cost=c).codes(P) == 2
        assert np.abs(x[rejected]).max() == pytest.approx(half, abs=1e-4)
        weight = (norm.pdf(x, 1) + norm.pdf(x, -1)) / 2 * (x[1] - x[0])
        assert weight[rejected].sum() == pytest.approx(norm.cdf(half - 1) - norm.cdf(-half - 1), abs=1e-4)
