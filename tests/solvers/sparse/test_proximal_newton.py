"""L1 and elastic net: optimality, roads that agree, peers, paths."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression as Peer

from separatrix import LogisticRegression
from separatrix.data import as_source
from separatrix.errors import InputError
from separatrix.losses import Logistic, Softmax
from separatrix.solvers.problem import Problem
from separatrix.solvers.rows import Rows
from separatrix.solvers.solution import Status
from separatrix.solvers.sparse import gram_proximal, proximal_newton, working_set
from separatrix.solvers.sparse.l1_quadratic import Quadratic, violation
from separatrix.solvers.sparse.path import solve_path
from tests.solvers.problems import elastic_net

RATIOS = pytest.mark.parametrize("r", [1.0, 0.5])


def problem(
    rng: Any, classes: int = 2, r: float = 1.0, *, n: int = 150, p: int = 8, sparse: bool = False, C: float = 0.3, **more: Any
) -> Problem:
    X = np.where(rng.random((n, p)) < 0.7, rng.normal(size=(n, p)) + 0.5, 0.0)
    scores = X[:, :3] @ rng.normal(size=(3, classes)) + rng.gumbel(size=(n, classes))
    codes = scores.argmax(axis=1)
    weight = rng.integers(1, 4, n).astype(float)
    rows = Rows.of(as_source(sp.csr_array(X) if sparse else X, codes, weight))
    counts = np.bincount(codes, weight, classes)
    loss = Logistic() if classes == 2 else Softmax()
    return Problem(rows, counts, loss, 1.0 / (C * weight.sum()), r, **{"tol": 1e-5, **more})


def value(P: Problem, W: Any, b: Any) -> float:
    X, codes, s = P.rows.X, P.rows.codes, P.rows.weight
    Z = X @ W.T + b
    loss = Softmax().value(Z, codes) if len(W) > 1 else Logistic().value(Z[:, 0], np.where(codes == 1, 1.0, -1.0))
    return float(s @ loss / s.sum() + P.strength * elastic_net(W, P.l1_ratio))


def slopes(P: Problem, W: Any, b: Any) -> Any:
    X, codes, s = P.rows.X, P.rows.codes, P.rows.weight / P.total
    Z = X @ W.T + b
    U = Softmax().slope(Z, codes) if len(W) > 1 else Logistic().slope(Z[:, 0], np.where(codes == 1, 1.0, -1.0))[:, None]
    return (X.T @ (s[:, None] * U)).T, (s[:, None] * U).sum(axis=0)


@RATIOS
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("few", [10**6, 0], ids=["gram", "working set"])
def test_the_end_meets_the_conditions_and_its_gap(r: float, classes: int, sparse: bool, few: int, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(proximal_newton, "FEW", few)
    P = problem(rng, classes, r, sparse=sparse, C=0.05)
    found = proximal_newton.solve(P)
    W, b = found.coef, found.intercept
    G, g_b = slopes(P, W, b)
    smooth = G + P.strength * (1 - r) * W
    assert_allclose(smooth[W != 0], -P.strength * r * np.sign(W[W != 0]), atol=P.tol)
    assert (np.abs(smooth[W == 0]) <= P.strength * r + P.tol).all() and (W == 0).any()
    assert_allclose(g_b, 0.0, atol=1e-8)
    assert len(b) == 1 or abs(b.sum()) < 1e-9
    assert_allclose(found.objective, value(P, W, b), rtol=1e-12)
    assert found.is_converged and found.gap <= 1e-10 * found.objective
    for _ in range(20):
        step = 1e-2 * rng.normal(size=W.shape) * (rng.random(W.shape) < 0.5)
        assert value(P, W + step, b) >= found.objective - found.gap


@RATIOS
@pytest.mark.parametrize("classes", [2, 3])
def test_agrees_with_saga(r: float, classes: int, rng: Any) -> None:
    P = problem(rng, classes, r, tol=1e-6)
    found = proximal_newton.solve(P)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = Peer(C=0.3, l1_ratio=r, solver="saga", max_iter=50_000, tol=1e-9)
        peer.fit(P.rows.X, P.rows.codes, P.rows.weight)
    assert_allclose(found.objective, value(P, peer.coef_, peer.intercept_), rtol=1e-8)
    assert found.objective <= value(P, peer.coef_, peer.intercept_) + 1e-12


def test_without_intercept_nothing_is_added(rng: Any, monkeypatch: Any) -> None:
    P = problem(rng, fit_intercept=False)
    found = proximal_newton.solve(P)
    monkeypatch.setattr(proximal_newton, "FEW", 0)
    other = proximal_newton.solve(P)
    assert found.intercept == [0.0] and other.intercept == [0.0]
    assert_allclose(other.coef, found.coef, atol=1e-6)
    assert_allclose(slopes(P, found.coef, 0.0)[0][found.coef != 0], -P.strength * np.sign(found.coef[found.coef != 0]), atol=1e-8)


@pytest.mark.parametrize("road", ["sparse", "gram", "many dense"])
@pytest.mark.parametrize("shape", [(60, 2_000), (400, 1_600)])
def test_more_columns_than_rows(road: str, shape: tuple[int, int], rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(working_set, "GRAM", 0 if road == "many dense" else 10**6)
    P = problem(rng, n=shape[0], p=shape[1], C=0.5, sparse=road == "sparse", max_iter=300)
    found = proximal_newton.solve(P)
    assert found.solver == f"proximal newton {'in one call' if road == 'sparse' else 'on working sets'}" and found.is_converged
    G, _ = slopes(P, found.coef, found.intercept)
    assert np.abs(G).max() <= P.strength * (1 + 1e-5)
    assert 0 < np.count_nonzero(found.coef) < shape[0]


@pytest.mark.parametrize("few", [1_500, 0], ids=["together", "one by one"])
def test_several_classes_with_more_columns_than_rows(few: int, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(proximal_newton, "FEW", few)
    P = problem(rng, 3, n=90, p=1_200, C=0.3, sparse=True, max_iter=500)
    found = proximal_newton.solve(P)
    G, _ = slopes(P, found.coef, found.intercept)
    assert found.is_converged and np.abs(G).max() <= P.strength * (1 + 1e-6)
    assert_allclose(G[found.coef != 0], -P.strength * np.sign(found.coef[found.coef != 0]), rtol=1e-6)


def test_a_strong_penalty_leaves_the_log_odds_alone(rng: Any, monkeypatch: Any) -> None:
    for few in (10**6, 0):
        monkeypatch.setattr(proximal_newton, "FEW", few)
        P = problem(rng, C=1e-4)
        found = proximal_newton.solve(P)
        assert not found.coef.any()
        assert_allclose(found.intercept, np.log(P.counts[1] / P.counts[0]), atol=1e-6)


@pytest.mark.parametrize("q", [5, 40, 120])
def test_the_quadratic_is_solved_exactly(q: int, rng: Any) -> None:
    A = rng.normal(size=(2 * q, q))
    H, g, start = A.T @ A, 3 * rng.normal(size=q), rng.normal(size=q) * (rng.random(q) < 0.5)
    penalty = np.where(rng.random(q) < 0.9, 5.0, 0.0)
    x = Quadratic(H).minimise(g, start, penalty, 1e-12)
    assert violation(g + H @ (x - start), x, penalty).max() < 1e-9
    assert (x == 0).any()


def test_columns_that_repeat_are_no_trouble(rng: Any) -> None:
    A = rng.normal(size=(30, 6))
    A = np.column_stack([A, A])
    x = Quadratic(A.T @ A).minimise(-(A.T @ (A @ np.ones(12))), np.zeros(12), np.full(12, 0.5), 1e-10)
    assert violation(A.T @ (A @ x) - A.T @ (A @ np.ones(12)), x, np.full(12, 0.5)).max() < 1e-7


@pytest.mark.parametrize("r", [1.0, 0.5, 0.0])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("few", [10**6, 0], ids=["few", "many"])
def test_a_path_is_its_points_one_by_one(r: float, classes: int, few: int, rng: Any, monkeypatch: Any) -> None:
    from separatrix.solvers.sparse import path as module

    monkeypatch.setattr(module, "FEW", few)
    monkeypatch.setattr(proximal_newton, "FEW", few)
    P, values = problem(rng, classes, r, max_iter=2000), [1.0, 0.01, 0.1, 3.0]
    found = solve_path(P, values)
    for k, C in enumerate(values):
        one = gram_proximal.solve(problem(np.random.default_rng(20), classes, r, C=C, tol=1e-6))
        assert -1e-12 <= found.objectives[k] - one.objective <= found.gaps[k] + 1e-12
        assert_allclose(found.coefs[k], one.coef, atol=1e-3)  # what a gap of 1e-10 leaves to coefficients where curvature is small
        assert found.gaps[k] <= P.tol**2 * found.objectives[k]


@pytest.mark.parametrize("C", [[], [1.0, -1.0], [np.inf]])
def test_a_path_needs_positive_values(C: Any, rng: Any) -> None:
    with pytest.raises(InputError, match="one or more positive, finite values of C"):
        solve_path(problem(rng), C)


def test_a_bad_value_is_named(rng: Any) -> None:
    X = rng.normal(size=(20, 2_000))
    X[3, 7] = np.nan
    rows = Rows.of(as_source(X, np.arange(20) % 2))
    with pytest.raises(InputError, match="contains NaN: first at row 3, column 7"):
        proximal_newton.solve(Problem(rows, np.array([10.0, 10.0]), Logistic(), 0.1, 1.0))


def test_rounding_in_a_sum_over_many_rows_is_no_end(rng: Any) -> None:
    """A strong penalty leaves an objective whose last digits are noise long before the gap is small."""
    P = problem(rng, n=30_000, p=12, C=1e-3, tol=1e-4)
    found = proximal_newton.solve(P)
    assert found.is_converged and found.gap <= 1e-8 * found.objective and found.coef.any()


def test_levels_of_a_few_rows_that_a_step_has_made_certain() -> None:
    """Where a rare level's rows are certain, right or wrong, the Hessian is all but 0 and says nothing of how far to go."""
    rng, n, p, K = np.random.default_rng(58), 1_500, 20, 6
    shares = np.geomspace(1, 1e-3, p)
    levels = np.eye(p)[rng.choice(p, n, p=shares / shares.sum())]
    X = np.column_stack([3.0 * rng.normal(size=(n, 2)), levels])
    X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9)
    y = (np.column_stack([X[:, :2], levels]) @ (4.0 * rng.normal(size=(p + 2, K))) - np.arange(K) + rng.gumbel(size=(n, K))).argmax(axis=1)
    found = LogisticRegression(C=3.0, l1_ratio=1.0).fit(X, y).solution_
    assert found.is_converged
    assert found.gap <= 1e-8 * found.objective


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("few", [10**6, 0], ids=["gram", "working set"])
def test_a_start_may_use_a_column_without_values(classes: int, sparse: bool, few: int, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(proximal_newton, "FEW", few)
    P = problem(rng, classes, sparse=sparse, C=5.0)
    X, scores = sp.csr_array(P.rows.X) @ sp.diags_array(1.0 * (np.arange(8) != 1)), 1 if classes == 2 else classes
    rows = Rows.of(as_source(X if sparse else X.toarray(), P.rows.codes, P.rows.weight))
    found = proximal_newton.solve(replace(P, rows=rows, start=(np.ones((scores, 8)), np.zeros(scores))))
    assert found.status is Status.CONVERGED and not found.coef[:, 1].any()
