"""New priors from unlabelled rows: the maximum of the likelihood, its test under no shift, and bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import kstest, norm
from sklearn.linear_model import LogisticRegression as PeerLogistic

from separatrix import LinearDiscriminantAnalysis, LinearSVC
from separatrix.decisions import prior_shift, shift
from separatrix.errors import InputError

MEANS = np.array([0.0, 1.5, 3.5])


def posteriors(x: Any, priors: Any) -> Any:
    joint = norm.pdf(x[:, None], MEANS[: len(priors)]) * priors
    return joint / joint.sum(axis=1, keepdims=True)


def drawn(rng: Any, n: int, priors: Any) -> Any:
    return rng.normal(size=n) + MEANS[rng.choice(len(priors), size=n, p=priors)]


@pytest.mark.parametrize("now", [[0.5, 0.5], [0.95, 0.05], [0.2, 0.3, 0.5], [0.9, 0.1, 0.0]])
def test_the_priors_maximise_the_likelihood(now: Any, rng: Any) -> None:
    now = np.array(now)
    old = np.full(len(now), 1 / len(now))
    P = posteriors(drawn(rng, 3000, now), old)
    found = prior_shift(P, trained_priors=old)
    assert found.gap <= 1e-8
    best = 2 * np.log((P / old) @ found.priors).sum()
    assert best == pytest.approx(found.statistic)
    for other in rng.dirichlet(np.ones(len(now)), size=300) * 0.02 + 0.98 * found.priors:
        assert 2 * np.log((P / old) @ other).sum() <= best + 1e-6
    assert_allclose(found.priors, now, atol=0.06)
    assert found.priors.sum() == pytest.approx(1.0)


def test_the_test_of_no_shift_holds_its_level_and_the_intervals_theirs(rng: Any) -> None:
    old = np.array([0.3, 0.3, 0.4])
    found = [prior_shift(posteriors(drawn(rng, 400, old), old), trained_priors=old) for _ in range(300)]
    assert kstest([shift.p_value for shift in found], "uniform").pvalue > 0.01
    inside = np.mean([(shift.low <= old) & (old <= shift.high) for shift in found])
    assert inside == pytest.approx(0.95, abs=0.025)


@pytest.mark.parametrize("now", [[0.98, 0.02], [0.5, 0.5, 0.0], [0.9, 0.07, 0.03]])
def test_intervals_at_the_border_follow_the_likelihood(now: Any, rng: Any) -> None:
    now = np.array(now)
    old = np.full(len(now), 1 / len(now))
    found = [prior_shift(posteriors(drawn(rng, 150, now), old), trained_priors=old) for _ in range(200)]
    inside = np.mean([(shift.low <= now) & (now <= shift.high) for shift in found], axis=0)
    assert (inside >= 0.91).all()  # 0.95 less 2.6 standard errors; more where the truth itself is the border
    assert all(shift.high[-1] > shift.priors[-1] for shift in found)
    one = prior_shift([[0.999, 0.001]], trained_priors=[0.5, 0.5])
    assert one.priors.round(6).tolist() == [1.0, 0.0] and one.high[1] > 0.8  # one row says next to nothing


def test_a_model_finds_the_new_priors_of_its_classes(rng: Any) -> None:
    y = np.repeat(["a", "b"], 2000)
    X = rng.normal(size=(4000, 2)) + 2.0 * (y == "b")[:, None]
    model = LinearDiscriminantAnalysis().fit(X, y)
    new = rng.normal(size=(3000, 2)) + 2.0 * (np.arange(3000) < 300)[:, None]
    shift = prior_shift(model, new)
    assert shift.low[1] < 0.1 < shift.high[1] and shift.p_value < 1e-6
    assert "otherwise common" in str(shift) and "no sign" in str(prior_shift(model, X))
    assert_allclose(model.with_priors(shift.priors).predict_proba(new).mean(axis=0), shift.priors, atol=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y: prior_shift(LinearDiscriminantAnalysis().fit(X, y)), "needs X"),
        (lambda X, y: prior_shift(LinearSVC().fit(X, y), X), r"CalibratedClassifier\(LinearSVC\(\)\)"),
        (lambda X, y: prior_shift(PeerLogistic().fit(X, y), X), "pass trained_priors"),
        (lambda X, y: prior_shift([[0.5, 0.5]]), "pass trained_priors="),
        (lambda X, y: prior_shift(np.empty((0, 2)), trained_priors=[0.5, 0.5]), "no rows"),
        (lambda X, y: prior_shift([[0.5, 0.7]], trained_priors=[0.5, 0.5]), "no distribution"),
        (lambda X, y: prior_shift([[0.0, 1.0]], trained_priors=[1.0, 0.0]), "classes without a prior"),
    ],
)
def test_bad_input_is_named(call: Any, message: str, rng: Any) -> None:
    y = np.arange(40) % 2
    with pytest.raises(InputError, match=message):
        call(rng.normal(size=(40, 2)) + y[:, None], y)


def test_a_direction_that_the_rows_say_nothing_about_has_no_finite_error(rng: Any) -> None:
    """Two classes with the same ratios: their sum is known, their shares are not."""
    first = rng.uniform(0.2, 3.0, 200)
    errors = shift._standard_errors(np.column_stack([first, first, rng.uniform(0.2, 3.0, 200)]), np.full(3, 1.0 / 3))
    assert np.isinf(errors[:2]).all() and np.isfinite(errors[2])
