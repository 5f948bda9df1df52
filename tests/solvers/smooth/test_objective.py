"""Value, gradient and Hessian of a pass against the formulas and against differences; compiled road against reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.solvers.smooth import objective as module
from separatrix.solvers.smooth.objective import Objective
from separatrix.thresholds import Threshold
from tests.solvers.problems import make_problem, make_rows, objective

ROADS = {"dense": lambda X: X, "sparse": sp.csr_array, "float32": lambda X: X.astype(np.float32)}


def theta_of(K: int, p: int) -> Any:
    theta = 0.3 * np.random.default_rng(5).standard_normal((1 if K == 2 else K, p + 1))
    return theta if K == 2 else theta - theta.mean(axis=0)


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("small", [True, False])
def test_value_and_gradient_follow_the_formula(K: int, road: str, small: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = make_rows(K=K)
    if not small:
        monkeypatch.setattr(Threshold, "everywhere", 0)
    weight = np.random.default_rng(3).random(len(y))
    problem = make_problem(ROADS[road](X), y, weight=weight)
    theta = theta_of(K, 6)
    f, g = Objective(problem).at(theta)
    value, slopes, offsets = objective(problem, theta[:, :-1], theta[:, -1])
    assert f == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(g, np.column_stack([slopes, offsets]), atol=1e-12)


@pytest.mark.parametrize("far", [True, False])
@pytest.mark.parametrize("K", [2, 3])
def test_centring_is_only_another_coordinate(K: int, far: bool) -> None:
    X, y = make_rows(K=K)
    problem, theta = make_problem(X, y), theta_of(K, 6)
    centred = Objective(problem, X.mean(axis=0), far)
    moved = theta.copy()
    moved[:, -1] += theta[:, :-1] @ X.mean(axis=0)
    np.testing.assert_allclose(centred.intercept(moved), theta[:, -1], atol=1e-12)
    assert centred.at(moved)[0] == pytest.approx(Objective(problem).at(theta)[0], rel=1e-12)


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.usefixtures("roads")
def test_hessian_is_the_difference_of_gradients(K: int, road: str, fit_intercept: bool, monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "DENSE_ENOUGH", 2.0)  # sparse rows by pairs of stored values
    X, y = make_rows(K=K, p=3)
    problem = make_problem(ROADS[road](X), y, weight=np.random.default_rng(3).random(len(y)), fit_intercept=fit_intercept)
    centre = None if road == "sparse" else X.mean(axis=0)
    target, theta, h = Objective(problem, centre), theta_of(K, 3), 1e-5
    _, g, H = target.curved(theta)
    np.testing.assert_allclose(target.at(theta)[1], g, atol=1e-13)
    for a in range(theta.size if fit_intercept else 3):
        e = np.zeros(theta.size)
        e[a] = h
        e = e.reshape(theta.shape)
        numeric = (target.at(theta + e)[1] - target.at(theta - e)[1]) / (2 * h)
        np.testing.assert_allclose(H[:, a], numeric.ravel(), atol=1e-8)


def test_passes_are_counted() -> None:
    target = Objective(make_problem(*make_rows()))
    target.at(theta_of(2, 6))
    target.curved(theta_of(2, 6))
    assert target.passes == 2


def test_reach_is_the_largest_change_of_a_score() -> None:
    X, y = make_rows(K=3)
    step = theta_of(3, 6)
    S = X @ step[:, :-1].T + step[:, -1]
    assert Objective(make_problem(X, y)).reach(step) == pytest.approx(np.ptp(S, axis=1).max())


def test_the_hessian_of_many_pieces_has_the_bits_of_one_thread(monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", 0)
    X, y = make_rows(n=150_000, p=6)
    one = make_problem(X, y)
    assert len(Objective(one).rows.held or []) > 1
    monkeypatch.setenv("SEPARATRIX_NUM_THREADS", "1")
    theta = theta_of(2, 6)
    alone = Objective(one).curved(theta)
    monkeypatch.setenv("SEPARATRIX_NUM_THREADS", "2")
    for a, b in zip(alone, Objective(one).curved(theta)):
        np.testing.assert_array_equal(a, b)
    monkeypatch.setattr(module, "SIDE_BY_SIDE", 0)
    np.testing.assert_allclose(Objective(one).curved(theta)[2], alone[2], rtol=1e-10)
