"""Newton's method by products: its products are those with the curvature, with and without a matrix near it, and its end is proven."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.data import as_source
from separatrix.kernels.margin_newton import curved_times, direction, gradient, margins
from separatrix.solvers.margins import dual_svm, newton_products
from separatrix.solvers.margins.machine import Machine
from separatrix.solvers.margins.newton_products import Products
from separatrix.solvers.row_parts import unsigned_parts
from separatrix.solvers.rows import Rows
from tests.solvers.margins.test_machine import RIDGES, SQUARED, machine, primal

FORMS = pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])


def arrived(m: Machine, price: float = np.inf) -> Products:
    """Return products that have arrived; `price` is that of a matrix near the Hessian."""
    found = Products(m)
    found.price = price
    found.advance(np.inf)
    return found


@FORMS
def test_kernels_are_products_with_the_curvature(sparse: bool, rng: Any) -> None:
    m = machine(rng, False, 0.25, sparse)
    X = m.rows.X.toarray() if sparse else m.rows.X
    Z, D, parts = np.column_stack([X, np.ones(80)]), np.r_[np.ones(4), 0.25], unsigned_parts(m.rows)
    theta, base, sigma, found = rng.normal(size=5), 0.5 * m.cost, 3.0 * m.cost, np.empty(80)
    margins(*parts, m.signs, 1.0, theta, found)
    assert_allclose(found, m.signs * (Z @ theta))
    raw, vectors, rows, out = base + sigma * (1.0 - found), np.empty((6, 5)), np.empty(80, dtype=np.int64), np.empty(3)
    curved = gradient(*parts, m.signs, base, sigma, m.cost, 1.0, D, theta, found, vectors, rows, out)
    a, inside = np.clip(raw, 0.0, m.cost), (raw > 0.0) & (raw < m.cost)
    H, g = np.diag(D) + (Z.T * (sigma * inside)) @ Z, D * theta - Z.T @ (a * m.signs)
    assert rows[:curved].tolist() == np.flatnonzero(inside).tolist()
    assert_allclose(vectors[:2], [g, np.diag(H)])
    short = 1.0 - found
    assert_allclose(out, [primal(m, theta[:4], theta[4]), 0.5 * g @ (g / D), (m.cost * short.clip(0.0) - a * short).sum()])
    curved_times(*parts, rows, curved, sigma, 1.0, D, theta, found[:5])
    assert_allclose(found[:5], H @ theta)


@pytest.mark.parametrize("root", [None, "near", "exact"])
def test_a_step_is_the_solution_with_any_matrix_near_the_hessian(root: str | None, rng: Any) -> None:
    m = machine(rng, False, 0.25)
    Z, D, chosen = np.column_stack([m.rows.X, np.ones(80)]), np.r_[np.ones(4), 0.25], np.flatnonzero(rng.random(80) < 0.5)
    H, g = np.diag(D) + (Z[chosen].T * m.cost[chosen]) @ Z[chosen], rng.normal(size=5)
    vectors = np.vstack([g, np.diag(H), np.empty((4, 5))])
    L = np.empty((0, 0)) if root is None else np.linalg.cholesky(H if root == "exact" else np.diag(D) + 0.3 * Z.T @ Z)
    parts, given = unsigned_parts(m.rows), (chosen, len(chosen), m.cost, 1.0, D)
    count = direction(*parts, *given, np.ascontiguousarray(L), 0.0, 1, vectors.copy())
    assert count == 1
    limit = np.finfo(float).tiny
    found = vectors.copy()
    products = direction(*parts, *given, np.ascontiguousarray(L), limit, 50, found)
    r = g + H @ found[2]
    M = np.diag(np.diag(H)) if root is None else L @ L.T
    assert r @ np.linalg.solve(M, r) <= 0.0101 * g @ np.linalg.solve(M, g) and products <= (1 if root == "exact" else 6)


@RIDGES
@SQUARED
@FORMS
@pytest.mark.parametrize("price", [0.0, np.inf], ids=["matrix", "diagonal"])
def test_products_prove_their_end(price: float, sparse: bool, squared: bool, ridge: float, rng: Any) -> None:
    m = machine(rng, squared, ridge, sparse)
    found = arrived(m, price)
    assert found.arrived and (found.root.size > 0) == (price == 0.0)
    ended = found.ended()
    assert ended.certificate.gap <= 1e-9 * ended.certificate.primal
    assert_allclose(ended.certificate.primal, primal(m, ended.coef, ended.intercept), rtol=1e-9)
    assert_allclose(ended.certificate.primal, dual_svm.solve(m).certificate.primal, rtol=2e-9)
    assert ended.intercept == 0.0 or np.isfinite(ridge)


@SQUARED
def test_columns_in_many_units_take_fewer_products_with_a_matrix(squared: bool, rng: Any) -> None:
    X, signs = rng.normal(size=(400, 30)) @ rng.normal(size=(30, 30)) * 10.0 ** rng.uniform(-2, 2, 30), np.ones(400)
    signs[X[:, 0] + X[:, 1] + 30.0 * rng.normal(size=400) < 0.0] = -1.0
    held = Rows.of(as_source(sp.csr_array(X), (signs > 0.0).astype(int)))
    m = Machine(held, signs, np.full(400, 10.0), squared, 1.0, max_iter=100_000)
    bare, eased = arrived(m), arrived(m, 0.0)
    assert bare.arrived and eased.arrived and (2 if squared else 1) * eased.tally[1] < bare.tally[1]
    assert_allclose(eased.ended().certificate.primal, bare.ended().certificate.primal, rtol=2e-6)


@SQUARED
def test_a_matrix_of_the_first_machine_serves_the_others(squared: bool, rng: Any) -> None:
    one, shared = machine(rng, squared, 1.0, True), dict[str, Any]()
    given = one.rows, one.signs, one.cost, squared, 1.0, 20_000, 1e-9, 0, shared
    assert arrived(Machine(*given, is_trial=False), 0.0).arrived and not shared
    assert arrived(Machine(*given, is_trial=True), 0.0).arrived
    Z = np.column_stack([one.rows.X.toarray(), np.ones(80)])
    assert_allclose(shared["gram"], Z.T @ Z)
    assert Products(Machine(*given)).price < Products(one).price


def test_the_number_of_values_read_and_steps_end_it(rng: Any, monkeypatch: Any) -> None:
    m = machine(rng, True, 1.0, True)
    monkeypatch.setattr(newton_products, "SOON", 1.0)
    assert arrived(m).arrived
    found = arrived(machine(rng, False, 1.0, True, max_iter=2))
    assert found.is_over and not found.arrived and found.ended().certificate.gap > 1e-9
