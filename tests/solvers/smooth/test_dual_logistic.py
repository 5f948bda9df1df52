"""The order of visits, and the dual variables behind w."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.solvers.smooth import newton_cg, proven_gap
from separatrix.solvers.smooth.dual_logistic import EPOCHS, Dual, shuffled, solve
from separatrix.solvers.smooth.objective import Objective
from tests.solvers.problems import make_problem, make_sparse, objective


@pytest.mark.parametrize("n", [1, 15, 16, 1000])
def test_every_row_that_counts_is_visited_once(n: int) -> None:
    cost = np.ones(n)
    cost[::3] = 0.0
    order = shuffled(cost, np.random.default_rng(0))
    assert sorted(order.tolist()) == np.flatnonzero(cost).tolist()


def test_w_is_the_sum_of_the_dual_variables_and_the_gap_closes() -> None:
    X, y = make_sparse(n=400, p=900)
    problem = make_problem(X, y)
    dual, best = Dual(problem), newton_cg.solve(make_problem(X, y, tol=1e-9)).objective
    gaps = []
    for _ in range(12):
        dual.epoch()
        np.testing.assert_allclose(dual.w, X.T @ (dual.alpha * dual.y), atol=1e-10)
        gaps.append(objective(problem, dual.w[None], dual.b)[0] - best)
    assert (dual.alpha > 0).all() and (dual.alpha < dual.cost).all()
    assert gaps[-1] < 1e-6 * best < gaps[0]


@pytest.mark.parametrize("off", [0.0, 1e-3, 0.1])
def test_the_gap_without_a_look_at_the_rows_is_none_too_small(off: float) -> None:
    X, y = make_sparse(n=400, p=900)
    problem, best = make_problem(X, y), newton_cg.solve(make_problem(X, y, tol=1e-9)).objective
    dual, rows = Dual(problem), Objective(problem)
    for _ in range(6):
        dual.epoch()
        theta, z, _ = dual.settled()
        theta[0, -1] += off
        f, g = rows.at_scores(theta, z + off)
        known = rows.at(theta)
        assert f == pytest.approx(known[0], rel=1e-12)
        np.testing.assert_allclose(g, known[1], atol=1e-12)
        P = 1.0 / (1.0 + np.exp(-z - off))
        gap = proven_gap.from_longest(problem, g, float(np.mean(P * (1.0 - P))), dual.longest)
        assert f - best <= gap
        assert off > 0.0 or gap <= 1.01 * proven_gap.from_rows(rows, theta, g)


def test_few_epochs_are_finished_by_newton() -> None:
    X, y = make_sparse(n=400, p=900)
    found = solve(make_problem(X, y, C=1e4, tol=1e-6, max_iter=60))
    _, g, gb = objective(make_problem(X, y, C=1e4), found.coef, found.intercept)
    assert found.is_converged and max(np.abs(g).max(), np.abs(gb).max()) <= 1e-6


def test_what_falls_too_slowly_is_left_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, epochs = np.random.default_rng(0), list[float]()
    codes = np.sort(rng.integers(0, 60, (3_000, 12)), axis=1)
    X = sp.csr_array((np.ones(codes.size), codes.ravel(), np.arange(0, codes.size + 1, 12)), (3_000, 60))
    X.sum_duplicates()
    problem = make_problem(X, (X[:, :5].sum(axis=1) + rng.normal(size=3_000) > 1.0).astype(int), C=100.0)
    epoch = Dual.epoch
    monkeypatch.setattr(Dual, "epoch", lambda dual: epochs.append(epoch(dual)) or epochs[-1])
    found = solve(problem)
    assert len(epochs) < EPOCHS // 2 and found.is_converged
    np.testing.assert_allclose(found.objective, newton_cg.solve(problem).objective, rtol=2e-6)
