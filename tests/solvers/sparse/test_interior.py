"""The interior point for weak L1 penalties: KKT at its answers, the choice on both sides, and its linear system against a dense one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.data import as_source
from separatrix.losses import Logistic
from separatrix.solvers.problem import Problem
from separatrix.solvers.products import Products
from separatrix.solvers.rows import Rows
from separatrix.solvers.sparse import gram_proximal, interior, one_call, proximal_newton
from separatrix.solvers.sparse.interior_system import InteriorSystem

SHAPES = {"wide": (40, 90), "tall": (300, 70), "square": (80, 80)}


def drawn(shape: str, is_sparse: bool, spread: float = 1.0) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    n, p = SHAPES[shape]
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.2 if is_sparse else 1.0)
    y = (X[:, :10] @ rng.normal(size=10) + rng.normal(size=n) > 0.0).astype(int)
    X = X * spread ** rng.uniform(-0.5, 0.5, p)
    return (sp.csr_array(X) if is_sparse else X), y


def posed(X: Any, y: Any, C: float, l1_ratio: float = 1.0, fit_intercept: bool = True, weight: Any = None) -> Problem:
    total = np.bincount(y, weight)
    rows = Rows.of(as_source(X, y, weight))
    return Problem(rows, total.astype(float), Logistic(), 1.0 / (C * total.sum()), l1_ratio, fit_intercept=fit_intercept)


def missed(problem: Problem, w: Any, b: float) -> float:
    """Return the largest entry of the least subgradient in units of the columns, from the rows alone."""
    X, s = problem.rows.X, np.ones(len(problem.rows.codes)) if problem.rows.weight is None else problem.rows.weight
    y = np.where(problem.rows.codes == 1, 1.0, -1.0)
    u = -s / s.sum() * y * 0.5 * (1.0 - np.tanh(0.5 * y * (X @ w + b)))
    l1 = problem.strength * problem.l1_ratio
    g = X.T @ u + problem.strength * (1.0 - problem.l1_ratio) * w
    own = np.where(w != 0.0, np.abs(g + l1 * np.sign(w)), np.maximum(np.abs(g) - l1, 0.0))
    units = np.sqrt(np.asarray((X.multiply(X) if sp.issparse(X) else X * X).T @ s).ravel() / s.sum())
    return float(max((own / units).max(), abs(u.sum()) * problem.fit_intercept))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("C", [1e2, 1e4, 1e6])
@pytest.mark.parametrize("given", [{}, {"fit_intercept": False}, {"l1_ratio": 0.5}, {"weight": True}, {"spread": 1e2}])
def test_answers_meet_their_conditions(shape: str, is_sparse: bool, C: float, given: dict[str, Any]) -> None:
    given = dict(given)
    X, y = drawn(shape, is_sparse, given.pop("spread", 1.0))
    if given.get("weight"):
        given["weight"] = np.random.default_rng(1).gamma(2.0, 0.5, len(y))
    problem = posed(X, y, C, **given)
    columns, start = proximal_newton.start_columns(problem)
    point, steps = interior.walk(columns, start)
    found = columns.distance(point, columns.gradient(point))
    assert steps < problem.max_iter
    assert found.gap <= 1e-8 * found.objective
    assert missed(problem, point.w, point.b) <= 1e-4


@pytest.mark.parametrize("is_sparse", [False, True])
def test_both_roads_agree(is_sparse: bool) -> None:
    problem = posed(*drawn("tall", is_sparse), 30.0)
    point, _ = interior.walk(*proximal_newton.start_columns(problem))
    other = gram_proximal.solve(problem)
    np.testing.assert_allclose(point.w, other.coef[0], atol=1e-4 * np.abs(other.coef).max())
    assert np.array_equal(point.w != 0.0, other.coef[0] != 0.0)


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e2, 1e5])
@pytest.mark.parametrize("shape", ["wide", "square"])
def test_solutions_are_certified_on_both_sides_of_the_choice(C: float, shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_call, "serves", lambda problem: False)  # tables as small as these have a road of their own
    problem = posed(*drawn(shape, is_sparse=False), C)
    found = proximal_newton.solve(problem)
    assert found.is_converged
    assert found.gap <= 1e-8 * found.objective
    assert (found.solver == "interior point") == (C >= 1e5) or 1.0 <= C <= 1e2


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("has_intercept", [False, True])
@pytest.mark.parametrize("factored", [False, True])
def test_system(shape: str, is_sparse: bool, has_intercept: bool, factored: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    X, y = drawn(shape, is_sparse)
    h, theta, r = rng.random(X.shape[0]), 10.0 ** rng.uniform(-9, 6, X.shape[1]), rng.normal(size=X.shape[1])
    system = InteriorSystem(Products(Rows.of(as_source(X, y))), has_intercept)
    monkeypatch.setattr(system, "taken", 1e9 if factored else 0.0)
    system.weigh(h, theta)
    assert (system.factor is not None) == factored
    full = X.toarray() if is_sparse else X
    H = full.T @ (h[:, None] * full) - has_intercept * np.outer(full.T @ h, full.T @ h) / h.sum() + np.diag(1.0 / theta)
    d, wanted = system.solve(r, 1e-9), np.linalg.solve(H, r)
    np.testing.assert_allclose(d / np.sqrt(theta), wanted / np.sqrt(theta), atol=1e-2 * np.abs(wanted / np.sqrt(theta)).max())


def test_separable_rows_of_a_weak_penalty_keep_few_columns() -> None:
    X, y = drawn("wide", is_sparse=False)
    found = proximal_newton.solve(posed(X, y, 1e6))
    assert found.is_converged
    assert np.count_nonzero(found.coef) <= len(y)
    assert ((np.where(y == 1, 1.0, -1.0) * (X @ found.coef[0] + found.intercept[0])) > 0.0).all()
