"""Small tables in one compiled call: the minimum that steps of their own find, for any units, weights and penalty, and its certificate."""

from dataclasses import replace

import numpy as np
import pytest

from separatrix import LogisticRegression
from separatrix.data import as_source
from separatrix.losses import Logistic, SquaredHinge
from separatrix.solvers.problem import Problem
from separatrix.solvers.rows import Rows
from separatrix.solvers.solution import Status
from separatrix.solvers.sparse import gram_proximal, one_call, proximal_newton
from separatrix.thresholds import moved


def make(seed, n, p, strength=0.01, r=1.0, fit_intercept=True, weighted=False, offset=0.0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = (X[:, : max(p // 3, 1)].sum(axis=1) + noise * rng.logistic(size=n) > 0.4).astype(int)
    weight = rng.integers(0, 4, n).astype(float) if weighted else None
    rows = Rows.of(as_source(X * 10.0 ** rng.uniform(0, 4, p) + offset, y, weight))
    return Problem(rows, np.bincount(y, weight, 2).astype(float), Logistic(), strength, r, fit_intercept)


CASES = [
    {"n": 50, "p": 3},
    {"n": 462, "p": 9, "weighted": True},
    {"n": 300, "p": 30, "strength": 1e-4, "r": 0.5},
    {"n": 200, "p": 12, "fit_intercept": False, "weighted": True},
    {"n": 300, "p": 6, "offset": 1e6},
    {"n": 60, "p": 150, "strength": 1e-4},
    {"n": 40, "p": 5, "strength": 1e-8, "noise": 0.0},
    {"n": 80, "p": 4, "strength": 10.0},
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_one_call_finds_what_steps_find(case):
    problem = make(3, **case)
    at_once, by_steps = one_call.solve(problem), gram_proximal.solve(problem)
    assert at_once.is_converged and at_once.gap <= 1e-7 * at_once.objective
    np.testing.assert_allclose(at_once.objective, by_steps.objective, rtol=2e-8)


def test_columns_that_are_constant_or_twice_there_end_as_well():
    X = np.random.default_rng(0).normal(size=(90, 4))
    X[:, 1], X[:, 2] = X[:, 0], 3.0
    y = (X[:, 0] + X[:, 3] > 0.1).astype(int)
    found = LogisticRegression(C=100.0, l1_ratio=1.0).fit(X, y)
    assert found.solution_.is_converged and found.coef_[0, 2] == 0.0


def test_a_few_steps_are_said_to_be_too_few():
    found = one_call.solve(replace(make(0, 200, 10, strength=1e-4), max_iter=2))
    assert found.status is Status.MAX_ITER and found.iterations == 2


def test_a_warm_start_at_the_minimum_takes_no_step():
    problem = make(0, 200, 10)
    first = one_call.solve(problem)
    again = one_call.solve(replace(problem, start=(first.coef, first.intercept)))
    assert again.iterations <= 1
    np.testing.assert_allclose(again.coef, first.coef, rtol=1e-9, atol=1e-12)


def test_it_serves_small_dense_tables_of_logistic_loss_alone():
    problem = make(0, 200, 10)
    assert one_call.serves(problem)
    assert not one_call.serves(replace(problem, loss=SquaredHinge()))
    with moved(0):
        assert not one_call.serves(problem)


def test_values_that_are_not_finite_are_named():
    X = np.random.default_rng(0).normal(size=(30, 3))
    X[4, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        LogisticRegression(l1_ratio=1.0).fit(X, np.arange(30) % 2)
    X[4, 1] = 1e200  # finite, its square is not
    with pytest.raises(ValueError):
        LogisticRegression(l1_ratio=1.0).fit(X, np.arange(30) % 2)


def test_a_start_that_leads_nowhere_is_left_for_none(monkeypatch):
    problem, solve, starts = make(0, 200, 10), one_call.solve, []

    def stalling(problem, most_work=np.inf):
        starts.append(problem.start)
        found = solve(problem, most_work)
        return found if problem.start is None else replace(found, status=Status.STALLED, iterations=3, passes=4)

    cold = proximal_newton.solve(problem)
    monkeypatch.setattr(one_call, "solve", stalling)
    warm = proximal_newton.solve(replace(problem, start=(np.ones((1, 10)), np.zeros(1))))
    assert starts[0] is not None and starts[1] is None and warm.is_converged
    assert (warm.iterations, warm.passes) == (cold.iterations + 3, cold.passes + 4)
    np.testing.assert_array_equal(warm.coef, cold.coef)
