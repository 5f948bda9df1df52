"""The squared hinge on sparse rows: every method ends at the same minimum, they follow each other, and the least work chooses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix import KFold, LinearSVC, evaluate
from separatrix.kernels.curved_rows import add_squares, curved_times
from separatrix.solvers.margins import one_machine, squared_newton_cg
from separatrix.solvers.margins.method import choose
from separatrix.solvers.margins.one_machine import CONJUGATE, DUAL, NEWTON
from separatrix.solvers.margins.sparse_squared import SparseSquared, refits_are_cheaper
from separatrix.solvers.row_parts import unsigned_parts
from tests.solvers.margins.test_machine import RIDGES, machine, primal
from tests.solvers.problems import make_problem

METHODS = pytest.mark.parametrize("name", [DUAL, CONJUGATE, NEWTON])


def one_hot(rng: Any, n: int, levels: int, factors: int) -> Any:
    """Return the levels of some factors, a column each."""
    columns = rng.integers(levels, size=(n, factors)) + levels * np.arange(factors)
    return sp.csr_array((np.ones(n * factors), columns.ravel(), np.arange(0, n * factors + 1, factors)), (n, levels * factors))


@RIDGES
def test_conjugate_gradients_prove_their_end(ridge: float, rng: Any) -> None:
    m = machine(rng, True, ridge, sparse=True)
    found = squared_newton_cg.solve(m)
    assert found.certificate.gap <= 1e-9 * found.certificate.primal
    assert_allclose(found.certificate.primal, primal(m, found.coef, found.intercept), rtol=1e-9)
    assert found.intercept == 0.0 or np.isfinite(ridge)
    for _ in range(30):
        step = 1e-3 * rng.normal(size=5)
        assert primal(m, found.coef + step[:4], found.intercept + step[4] * np.isfinite(ridge)) > found.certificate.primal * (1 - 1e-9)


@METHODS
@pytest.mark.parametrize("penalised", [True, False])
@pytest.mark.parametrize("K", [2, 3])
def test_every_method_ends_where_dense_rows_do(K: int, penalised: bool, name: str, rng: Any, monkeypatch: Any) -> None:
    X, y, weight = one_hot(rng, 120, 5, 3), rng.integers(K, size=120), rng.random(120) * (rng.random(120) < 0.9)
    monkeypatch.setattr(SparseSquared, "plan", lambda self, max_iter: [(name, 10**6)])
    model = LinearSVC(C=0.5, penalize_intercept=penalised, tol=1e-12, max_iter=20_000)
    sparse = model.fit(X, y, sample_weight=weight)
    assert sparse.solution_.solver == name
    found, b = sparse.coef_, sparse.intercept_
    dense = model.fit(X.toarray(), y, sample_weight=weight)
    assert_allclose(found, dense.coef_, atol=1e-5)
    assert_allclose(b, dense.intercept_, atol=1e-5)


@RIDGES
@pytest.mark.parametrize("first", [DUAL, CONJUGATE])
def test_a_method_that_has_not_arrived_gives_way(first: str, ridge: float, rng: Any) -> None:
    m = machine(rng, True, ridge, sparse=True)
    for then in ({DUAL, CONJUGATE, NEWTON} - {first}, set()):  # at the end of a plan stand interior points
        found = one_machine.in_turn(m, [(first, 1), *((name, 10**6) for name in sorted(then))]).certificate
        assert found.gap <= (1e-9 if then else 1e-6) * found.primal or (m.cost.min() == 0.0 and not then)


def test_the_least_work_chooses(rng: Any) -> None:
    """Low costs, or columns for every row, ask few epochs; many rows few products; few columns have a cheap matrix."""
    for n, levels, factors, C, expected in (
        (400, 100, 10, 1e-4, DUAL),
        (300, 1_000, 4, 1e4, DUAL),
        (20_000, 300, 10, 10.0, CONJUGATE),
        (2_000, 5, 4, 1e5, NEWTON),
    ):
        assert choose(make_problem(one_hot(rng, n, levels, factors), np.arange(n) % 2, C), True).name == expected


def test_folds_are_refitted_where_that_costs_less(rng: Any) -> None:
    X, y = one_hot(rng, 600, 100, 4), rng.integers(2, size=600)
    assert refits_are_cheaper(make_problem(X, y, 1.0)) and not refits_are_cheaper(make_problem(X.toarray(), y, 1.0))
    estimate = evaluate(LinearSVC(), X, y, plan=KFold(4, random_state=0))
    again = evaluate(LinearSVC(), X, y, plan=KFold(4, random_state=0), exact=True)
    assert estimate.error == again.error and "refits" in str(estimate.method)


def test_kernels_are_products_with_the_curvature(rng: Any) -> None:
    m = machine(rng, True, 0.25, sparse=True)
    chosen, sigma, D, v = np.flatnonzero(rng.random(80) < 0.5), rng.random(80), rng.random(5), rng.normal(size=5)
    Z = np.column_stack([m.rows.X.toarray(), np.ones(80)])[chosen]
    out, squares, sigma = np.empty(5), D.copy(), sigma[chosen]
    curved_times(*unsigned_parts(m.rows), chosen, sigma, 1.0, D, v, out)
    add_squares(*unsigned_parts(m.rows), chosen, sigma, 1.0, squares)
    H = np.diag(D) + (Z.T * sigma) @ Z
    assert_allclose(out, H @ v)
    assert_allclose(squares, np.diag(H))
