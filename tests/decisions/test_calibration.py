"""Calibration maps against scikit-learn's and against their optimality; reliability tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, softmax
from sklearn.calibration import CalibratedClassifierCV
from sklearn.calibration import calibration_curve as peer_curve
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from separatrix.decisions import calibration_table, fit_map, reliability
from separatrix.decisions.calibration import METHODS
from separatrix.errors import InputError


def scored(rng: Any, n: int = 400, K: int = 2) -> tuple[Any, Any]:
    """Scores three times too large and shifted, and the truth."""
    f = rng.normal(size=(n, K))
    y = (softmax(f, axis=1).cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return (3.0 * (f[:, 1:] - f[:, :1]) + 1.0 if K == 2 else 3.0 * f), y


@pytest.mark.filterwarnings("ignore:Since FrozenEstimator does not appear to accept sample_weight:UserWarning")
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
def test_maps_are_scikit_learns(method: Any, K: int, rng: Any) -> None:
    f, y = scored(rng, K=K)
    w = rng.integers(1, 4, len(y)).astype(float)
    model = LogisticRegression().fit(f, y)
    if K == 2:
        model.coef_, model.intercept_ = np.ones((1, 1)), np.zeros(1)
    else:
        model.coef_, model.intercept_ = np.eye(3), np.zeros(3)
    peer = CalibratedClassifierCV(FrozenEstimator(model), method=method, ensemble=False).fit(f, y, sample_weight=w)
    ours = fit_map(method, f, y, w).posteriors(f)
    # scikit-learn's sigmoid rescales large scores only and stops early; its temperature is a bounded search too.
    assert_allclose(ours, peer.predict_proba(f), atol=2e-4)
    assert_allclose(ours.sum(axis=1), 1.0)


@pytest.mark.parametrize("method", ["sigmoid", "beta"])
def test_smooth_maps_are_optimal(method: str, rng: Any) -> None:
    f, y = scored(rng)
    w = rng.uniform(0.5, 2.0, len(y))
    found = fit_map(method, f, y, w).parameters[0]
    up, down = w[y == 1].sum(), w[y == 0].sum()
    t = np.where(y == 1, (up + 1) / (up + 2), 1 / (down + 2))
    x = f[:, 0]
    F = np.column_stack([x, np.ones_like(x)] if method == "sigmoid" else [np.log(expit(x)), -np.log(expit(-x)), np.ones_like(x)])
    bounds = [(None, None)] * 2 if method == "sigmoid" else [(0, None), (0, None), (None, None)]
    best = minimize(lambda a: w @ (np.logaddexp(0, F @ a) - t * (F @ a)), np.zeros(F.shape[1]), bounds=bounds, options={"ftol": 1e-14})
    assert w @ (np.logaddexp(0, F @ found) - t * (F @ found)) <= best.fun + 1e-7
    assert_allclose(found, best.x, atol=2e-3)


def test_beta_coefficients_are_never_negative(rng: Any) -> None:
    f, y = scored(rng)
    found = fit_map("beta", -f, y, np.ones(len(y)))
    assert (found.parameters[0, :2] >= 0).all()
    assert np.ptp(found.posteriors(-f)[:, 1]) < 1e-9  # the best map that does not fall is flat


@pytest.mark.parametrize("K", [2, 3])
def test_temperature_has_no_slope_at_its_optimum(K: int, rng: Any) -> None:
    f, y = scored(rng, 2000, K)
    scores = np.column_stack([np.zeros(len(f)), f]) if K == 2 else f
    beta = fit_map("temperature", f, y, np.ones(len(y))).parameters[0, 0]
    losses = [-log_softmax(scores * b, axis=1)[np.arange(len(y)), y].mean() for b in (beta * (1 - 1e-4), beta, beta * (1 + 1e-4))]
    assert losses[1] <= min(losses) + 1e-12
    if K == 3:
        assert beta == pytest.approx(1 / 3, rel=0.15)


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("method", METHODS)
def test_maps_exist_for_separated_classes_and_constant_scores(method: str, K: int) -> None:
    y = np.repeat(np.arange(K), 20)
    separated = 5.0 * np.eye(K)[y] if K > 2 else (10.0 * y - 5.0)[:, None]
    P = fit_map(method, separated, y, np.ones(len(y))).posteriors(separated)
    assert np.isfinite(P).all() and (P.argmax(axis=1) == y).all()
    constant = np.zeros_like(separated)
    assert_allclose(fit_map(method, constant, y, np.ones(len(y))).posteriors(constant), 1 / K, atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_integer_weights_are_repeated_rows(method: str, rng: Any) -> None:
    f, y = scored(rng, 100, 3)
    w = rng.integers(1, 3, 100)
    a, b = fit_map(method, f, y, w.astype(float)), fit_map(method, np.repeat(f, w, axis=0), np.repeat(y, w), np.ones(w.sum()))
    assert_allclose(a.posteriors(f), b.posteriors(f), atol=1e-6)


def test_reliability_counts_what_came_true(rng: Any) -> None:
    f, y = scored(rng, 1000)
    p = expit(f[:, 0])
    for strategy in ("uniform", "quantile"):
        observed, predicted = peer_curve(y, p, n_bins=7, strategy=strategy)
        found = reliability(p, y, bins=7, strategy=strategy)  # type: ignore[arg-type]
        assert_allclose(found.observed, observed, atol=0.02)
        assert_allclose(found.predicted, predicted, atol=0.02)
        assert found.error == pytest.approx(found.counts @ np.abs(found.observed - found.predicted) / 1000)
        assert found.error_interval[0] <= found.error <= found.error_interval[1] and (found.low <= found.observed).all()
    better = reliability(fit_map("sigmoid", f, y, np.ones(1000)).posteriors(f), y)
    assert better.error < 2 * better.noise < found.error and "calibration error" in str(better)


def test_the_error_of_faultless_posteriors_is_the_noise(rng: Any) -> None:
    P = rng.dirichlet(np.ones(3), size=500)
    errors = []
    for _ in range(60):
        y = (P.cumsum(axis=1) < rng.random((500, 1))).sum(axis=1)
        errors.append(reliability(P, y, classes=[0, 1, 2]).error)
    assert np.mean(errors) == pytest.approx(reliability(P, y, classes=[0, 1, 2]).noise, rel=0.1)
    assert "predicted class" in str(reliability(P, y)) and "probability of 2" in str(reliability(P, y, label=2))


def test_many_rows_are_resampled_by_their_normal_limit(rng: Any, monkeypatch: Any) -> None:
    f, y = scored(rng, 3000)
    exact = reliability(expit(f[:, 0]), y)
    monkeypatch.setattr(calibration_table, "MANY", 0)
    limit = reliability(expit(f[:, 0]), y)
    assert_allclose(limit.error_interval, exact.error_interval, atol=0.004)
    assert limit.noise == pytest.approx(exact.noise, rel=0.06)


def test_bad_input_is_named() -> None:
    with pytest.raises(InputError, match="method='platt' is not known; use one of 'sigmoid'"):
        fit_map("platt", np.zeros((2, 1)), np.array([0, 1]), np.ones(2))
    with pytest.raises(InputError, match="strategy='even' is not known"):
        reliability([0.1, 0.9], [0, 1], strategy="even")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="at least one is needed"):
        reliability([0.1, 0.9], [0, 1], bins=0)
