"""Ends are judged rightly: in units of the columns, with the intercept in the gap, from a start that is worth it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.solvers import choice
from separatrix.solvers.smooth import covariance, curved, dual_logistic, newton, newton_cg, newton_gap, whitened
from separatrix.solvers.smooth.system import System
from tests.solvers.problems import make_problem, make_rows, make_sparse

EVERY = pytest.mark.parametrize(
    "solve", [newton.solve, whitened.solve, covariance.solve, curved.solve, newton_cg.solve], ids=lambda f: f.__module__[-9:]
)


def counts(seed: int, size: float) -> tuple[Any, Any]:
    """Return rows of whole numbers from 1 to 5, times a size, and random labels."""
    rng = np.random.default_rng(seed)
    X = sp.random_array((300, 500), density=0.05, rng=rng, format="csr", data_sampler=lambda size: rng.integers(1, 6, size).astype(float))
    return sp.csr_array(X * size), rng.integers(0, 2, 300)


@EVERY
@pytest.mark.parametrize("K", [2, 4])
def test_the_gap_holds_from_the_first_step_on(solve: Any, K: int) -> None:
    for seed in range(3):
        problem = make_problem(*make_rows(n=120, K=K, seed=seed, offset=2.0), C=10.0)
        best = newton.solve(replace(problem, tol=1e-10)).objective
        for steps in range(1, 12):
            found = solve(replace(problem, max_iter=steps))
            assert found.objective - best <= found.gap + 1e-13


def test_the_gap_of_sparse_rows_holds_from_the_first_step_on() -> None:
    for solve in (dual_logistic.solve, newton_cg.solve):
        problem = make_problem(*make_sparse(), C=10.0)
        best = newton_cg.solve(replace(problem, tol=1e-10)).objective
        found = [solve(replace(problem, max_iter=steps)) for steps in range(1, 12)]
        assert all(one.objective - best <= one.gap + 1e-13 for one in found)


@pytest.mark.parametrize("C", [1e3, 1e6])
@pytest.mark.parametrize("size", [1.0, 100.0])
def test_counts_with_a_weak_penalty_converge_on_every_road(size: float, C: float) -> None:
    problem = make_problem(*counts(0, size), C=C)
    best = newton_cg.solve(replace(problem, tol=1e-8)).objective
    for solve in (dual_logistic.solve, choice.solve):
        found = solve(problem)
        assert found.is_converged and found.objective <= best * (1 + 2e-6)


def test_levels_of_several_factors_are_not_left_too_early() -> None:
    """Differences of factors say nothing, and a diagonal does not see that coefficients have moved along them."""
    rng = np.random.default_rng(0)
    codes = 12 * np.arange(5) + np.floor(rng.random((4_000, 5)) ** 2 * 12).astype(int)
    X = sp.csr_array((np.ones(codes.size), codes.ravel(), np.arange(0, codes.size + 1, 5)), (4_000, 60))
    y = (X.toarray() @ rng.normal(size=(60, 4)) + rng.gumbel(size=(4_000, 4))).argmax(axis=1)
    problem = make_problem(X, y, C=5.0)
    best, found = newton.solve(replace(problem, tol=1e-10)).objective, newton_cg.solve(problem)
    assert found.is_converged and found.objective <= best * (1 + 1e-6)


@pytest.mark.parametrize("rare", [1e-1, 1e-3])
def test_a_rare_class_is_not_left_too_early(rare: float) -> None:
    X, y = make_rows(n=20_000, p=3, K=4)
    y[(y == 3) & (np.random.default_rng(0).random(len(y)) > rare)] = 0
    problem = make_problem(X, y)
    best = newton.solve(replace(problem, tol=1e-9)).objective
    for solve in (covariance.solve, whitened.solve):
        found = solve(problem)
        assert found.is_converged and found.objective <= best * (1 + 1e-6)


@EVERY
@pytest.mark.parametrize("K", [2, 4])
def test_units_of_the_columns_change_nothing_without_a_penalty(solve: Any, K: int) -> None:
    X, y = make_rows(n=400, K=K)
    units = np.geomspace(1e-6, 1e6, X.shape[1])
    plain, scaled = (solve(make_problem(Z, y, C=np.inf)) for Z in (X, X * units))
    assert plain.status == scaled.status == "converged"
    np.testing.assert_allclose(scaled.coef * units, plain.coef, rtol=1e-3, atol=1e-3)


@EVERY
@pytest.mark.parametrize("tol", [1e-4, 1e-9])
def test_a_penalised_fit_at_its_optimum_is_not_called_stalled(solve: Any, tol: float) -> None:
    X, y = make_rows(n=400, K=3)
    problem = make_problem(X * np.geomspace(1e-6, 1e6, X.shape[1]), y, tol=tol, max_iter=500)
    found, best = solve(problem), newton.solve(problem)
    assert found.is_converged and found.objective <= best.objective * (1 + 1e-6)


@EVERY
@pytest.mark.parametrize("K", [2, 3])
def test_the_gap_is_useful_whatever_the_units(solve: Any, K: int) -> None:
    X, y = make_rows(n=400, K=K)
    problem = make_problem(X * np.geomspace(1e-6, 1e6, X.shape[1]), y, C=10.0)
    found, best = solve(problem), newton.solve(replace(problem, tol=1e-9))
    assert best.gap <= 1e-6 * best.objective
    assert found.objective - best.objective <= found.gap + 1e-13
    # Newton-CG may spend one product in twenty on it, which need not be enough.
    assert found.gap <= 1e-2 * found.objective or found.solver == "newton-cg"


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("intercept", [True, False])
def test_newton_steps_prove_the_gap_of_sparse_rows(K: int, intercept: bool) -> None:
    X, y = make_sparse(K=K)
    problem = make_problem(sp.csr_array(X * 1e3), y, C=1.0, fit_intercept=intercept, tol=1e-7, max_iter=500)
    system = System(problem)
    point, _, _ = newton_cg.iterate(system, newton_cg.begin(system))
    system.passes = 20 * 2_000  # enough of them to be generous
    g = point.g - point.g.mean(axis=1, keepdims=True) * (K > 2)
    gap, best = newton_gap.by_products(system, point, g), newton_cg.solve(replace(problem, tol=1e-10)).objective
    assert point.f - best <= gap + 1e-13 and gap <= newton_gap.useful(problem, point.f)


@pytest.mark.parametrize("units", [1.0, 1e5])
def test_newton_cg_ends_with_the_first_proof_of_separation(units: float) -> None:
    X, y = counts(1, units)
    problem = make_problem(X, y, C=np.inf)
    found = newton_cg.solve(problem)
    before = newton_cg.solve(replace(problem, max_iter=found.iterations - 1))
    assert found.status == "separable" and before.status != "separable"


def test_columns_of_a_few_sure_rows_do_not_slow_newton_cg_down() -> None:
    X, y = make_sparse(n=200, p=400, K=4, seed=3)
    units = 10.0 ** np.random.default_rng(0).uniform(-6, 6, 400)
    problem = make_problem(sp.csr_array(X @ sp.diags_array(units)), y, C=0.1)
    found, best = newton_cg.solve(problem), newton_cg.solve(replace(problem, tol=1e-7, max_iter=1000))
    assert found.is_converged and found.objective <= best.objective * (1 + 2e-6)
