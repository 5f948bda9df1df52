"""Stochastic steps end near the minimum, count weights, and forget nothing between calls."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.losses import Logistic
from separatrix.solvers.smooth import newton
from separatrix.solvers.smooth.averaged import Averaged
from tests.solvers.problems import make_problem, make_rows, objective


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("road", ["dense", "sparse"])
def test_one_pass_comes_near_the_minimum(K: int, road: str) -> None:
    X, y = make_rows(n=8000, K=K)
    problem = make_problem(X if road == "dense" else sp.csr_array(X), y)
    best = newton.solve(make_problem(X, y))
    state = Averaged.begin(np.zeros_like(best.coef), np.zeros(len(best.coef)))
    for block in problem.rows.held or []:
        state = state.learn(block, problem.loss, 1.0, True, None)
    f = objective(problem, state.mean[:, :-1], state.mean[:, -1])[0]
    assert f < best.objective * 1.02
    assert state.total == 8000 and state.steps == 250


def test_rows_in_two_parts_are_rows_in_one() -> None:
    X, y = make_rows(n=640)
    (block,) = make_problem(X, y).rows.held or []
    begin = Averaged.begin(np.zeros((1, 6)), np.zeros(1))
    whole = begin.learn(block, Logistic(), 1.0, True, None)
    parts = begin.learn(block.part(0, 320), Logistic(), 1.0, True, None).learn(block.part(320, 640), Logistic(), 1.0, True, None)
    np.testing.assert_allclose(whole.mean, parts.mean, atol=1e-12)


def test_without_an_intercept_it_stays_zero() -> None:
    X, y = make_rows(n=320)
    (block,) = make_problem(X, y).rows.held or []
    assert Averaged.begin(np.zeros((1, 6)), np.zeros(1)).learn(block, Logistic(), 1.0, False, None).mean[0, -1] == 0.0


def test_batches_without_weight_teach_nothing() -> None:
    X, y = make_rows(n=64)
    (block,) = make_problem(X, y, weight=np.r_[np.ones(2), np.zeros(62)]).rows.held or []
    assert Averaged.begin(np.zeros((1, 6)), np.zeros(1)).learn(block, Logistic(), 1.0, True, None).steps == 1


def test_many_columns_keep_the_diagonal_only() -> None:
    X, y = make_rows(n=2000, p=200)
    (block,) = make_problem(X, y).rows.held or []
    state = Averaged.begin(np.zeros((1, 200)), np.zeros(1)).learn(block, Logistic(), 1.0, True, None)
    np.testing.assert_allclose(state.squares, np.append((X**2).sum(axis=0), 2000))
    assert np.isfinite(state.mean).all()
