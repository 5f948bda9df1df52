"""L1-penalised softmax by columns: peers at their optimum, the conditions of the optimum, and the Hessian of all coefficients."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import LogisticRegression as Peer

from separatrix.losses import Softmax
from separatrix.solvers.sparse import gram_proximal, proximal_newton
from separatrix.solvers.sparse.softmax_columns import SoftmaxColumns
from separatrix.solvers.sparse.working_set import ColumnProblem
from tests.solvers.problems import elastic_net, make_problem, make_sparse, objective

TABLES = {"iris": load_iris, "wine": load_wine}


def table(name: str) -> tuple[Any, Any]:
    X, y = TABLES[name](return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def by_columns(problem: Any) -> Any:
    return SoftmaxColumns(problem, proximal_newton._columns_of(problem), few=0).solve()


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("r", [1.0, 0.5])
def test_agrees_with_saga(name: str, r: float) -> None:
    X, y = table(name)
    problem = make_problem(X, y, l1_ratio=r, tol=1e-5)
    found = by_columns(problem)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = Peer(l1_ratio=r, solver="saga", max_iter=20_000, tol=1e-7).fit(X, y)
    loss = Softmax().value(X @ peer.coef_.T + peer.intercept_, y).mean()
    theirs = loss + problem.strength * elastic_net(peer.coef_, r)
    assert found.is_converged
    assert_allclose(found.objective, theirs, rtol=1e-6)
    assert found.objective <= theirs + 1e-12


@pytest.mark.parametrize("form", ["sparse", "int64", "dense"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [0.5, 20.0])
def test_conditions_and_gap(form: str, fit_intercept: bool, C: float) -> None:
    X, y = make_sparse(K=4, index=np.int64 if form == "int64" else np.int32)
    weight = np.random.default_rng(3).integers(0, 3, len(y)).astype(float)
    problem = make_problem(X.toarray() if form == "dense" else X, y, C, weight, l1_ratio=1.0, fit_intercept=fit_intercept, tol=1e-5)
    found = by_columns(problem)
    W, lam = found.coef, problem.strength
    _, slopes, offsets = objective(replace(problem, strength=0.0), W, found.intercept)
    assert found.is_converged and found.gap <= 1e-10 * found.objective
    assert np.abs(slopes).max() <= lam * (1.0 + 1e-6)
    assert_allclose(slopes[W != 0.0], -lam * np.sign(W[W != 0.0]), rtol=1e-6)
    assert W.any() and (not fit_intercept or np.abs(offsets).max() < 1e-12)
    assert fit_intercept or not found.intercept.any()


@pytest.mark.parametrize("K", [3, 6])
def test_the_hessian_of_all_coefficients_ends_there_too(K: int) -> None:
    problem = make_problem(*make_sparse(n=200, p=40, K=K), C=2.0, l1_ratio=1.0, tol=1e-6)
    found, other = by_columns(problem), gram_proximal.solve(problem)
    assert_allclose(found.objective, other.objective, rtol=1e-11)
    assert_allclose(found.coef, other.coef, atol=1e-4)


def test_each_class_is_best_while_the_others_stand_still() -> None:
    """Given the other scores, a class's loss is that of two classes with an offset: another method ends at its coefficients."""
    X, y = make_sparse(K=4)
    problem = make_problem(X, y, C=3.0, l1_ratio=1.0, tol=1e-6)
    found, products = by_columns(problem), proximal_newton._columns_of(problem)
    Z = X @ found.coef.T + found.intercept
    for k in range(4):
        columns = ColumnProblem(problem, products, y == k, -logsumexp(np.delete(Z, k, axis=1), axis=1))
        alone, *_ = proximal_newton.run_columns(columns, columns.start(np.zeros(X.shape[1]), 0.0))
        assert alone.is_converged
        assert_allclose(alone.coef[0], found.coef[k], atol=1e-4)


def test_a_warm_start_ends_where_a_cold_one_does() -> None:
    X, y = make_sparse(K=4)
    problem = make_problem(X, y, C=3.0, l1_ratio=1.0, tol=1e-5)
    cold = by_columns(problem)
    warm = by_columns(replace(problem, start=(cold.coef, cold.intercept)))
    assert warm.iterations <= 1 < cold.iterations
    assert_allclose(warm.objective, cold.objective, rtol=1e-10)


def test_as_large_a_penalty_as_the_largest_slope_leaves_the_shares() -> None:
    X, y = make_sparse(K=4)
    found = by_columns(make_problem(X, y, C=1e-3, l1_ratio=1.0))
    share = np.bincount(y) / len(y)
    assert not found.coef.any() and found.iterations == 0
    assert_allclose(found.intercept, np.log(share) - np.log(share).mean(), atol=1e-12)


def test_scores_may_be_in_either_order() -> None:
    X, y = table("wine")
    problem = make_problem(X, y, l1_ratio=1.0)
    columns = SoftmaxColumns(problem, proximal_newton._columns_of(problem), few=0)
    W, b = np.random.default_rng(0).normal(size=(3, 13)), np.zeros(3)
    points = [columns.at(W, b, np.array(X @ W.T, order=order)) for order in ("C", "F")]
    assert points[0].loss == points[1].loss
    assert_allclose(points[0].U, points[1].U, rtol=1e-15)
