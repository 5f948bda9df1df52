"""Smooth paths: every point is the one solved alone, for fewer passes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from separatrix.errors import InputError
from separatrix.solvers import choice
from separatrix.solvers.smooth import newton_cg_path, smooth_path, whitened
from separatrix.solvers.sparse import path as module
from separatrix.solvers.sparse.path import solve_path
from tests.solvers.problems import make_problem, make_rows, make_sparse

VALUES = np.geomspace(1e-3, 10.0, 12)


def alone(problem: Any, C: float) -> Any:
    return choice.solve(replace(problem, strength=1.0 / (C * problem.total), tol=1e-8, max_iter=1000))


def same_as_alone(problem: Any, path: Any) -> None:
    for k, C in enumerate(path.C):
        exact = alone(problem, C)
        assert path.solutions[k].is_converged and path.solutions[k].gradient_norm <= problem.tol
        assert -1e-12 <= path.objectives[k] / exact.objective - 1.0 <= 2e-2 * problem.tol
        np.testing.assert_allclose(path.coefs[k], exact.coef, atol=2e-2 * np.abs(exact.coef).max())


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("K", [2, 3])
def test_few_coefficients(K: int, weighted: bool, fit_intercept: bool, rng: Any) -> None:
    X, y = make_rows(n=400, K=K)
    problem = make_problem(X, y, weight=rng.random(400) if weighted else None, fit_intercept=fit_intercept, tol=1e-5)
    path = solve_path(problem, VALUES)
    assert path.solutions[3].why == smooth_path.WHY
    same_as_alone(problem, path)


@pytest.mark.parametrize("rare", [True, False])
@pytest.mark.parametrize("K", [2, 3])
def test_many_rows_whose_hessian_a_sample_gives(K: int, rare: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whitened, "SAMPLE", 1000)
    X, y = make_rows(n=6000, K=K)
    X[:, 0] = np.arange(6000) % 97 == 0 if rare else X[:, 0]
    problem = make_problem(X, y, tol=1e-5)
    path = solve_path(problem, VALUES)
    same_as_alone(problem, path)
    assert path.passes.sum() < sum(choice.solve(replace(problem, strength=1.0 / (C * problem.total))).passes for C in VALUES)


@pytest.mark.parametrize("K", [2, 3])
def test_many_columns(K: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EXPLICIT", 0)
    monkeypatch.setattr(choice, "EXPLICIT", 0)
    problem = make_problem(*make_sparse(K=K), tol=1e-5)
    path = solve_path(problem, VALUES)
    assert "span of the last few" in path.solutions[3].why
    same_as_alone(problem, path)


def test_the_best_point_in_the_span_of_the_last_is_no_worse_than_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EXPLICIT", 0)
    monkeypatch.setattr(choice, "EXPLICIT", 0)
    problem = make_problem(*make_sparse(n=600, p=900), tol=1e-5)
    guess, gains = newton_cg_path.extrapolated, []

    def judged(system: Any, point: Any, past: Any) -> Any:
        found = guess(system, point, past)
        gains.append(point.f - found.f)
        return found

    monkeypatch.setattr(newton_cg_path, "extrapolated", judged)
    solve_path(problem, VALUES)
    assert len(gains) == len(VALUES) and min(gains) >= 0.0 and max(gains) > 0.0


def test_a_missing_value_is_named() -> None:
    X, y = make_rows()
    X[3, 1] = np.nan
    with pytest.raises(InputError, match="NaN: first at row 3, column 1"):
        solve_path(make_problem(X, y), [0.1, 1.0])
