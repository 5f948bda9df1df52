"""Turns of coordinate descent and products: whoever arrives ends them, and the end is the same with each alone, on every kind of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.data import as_source
from separatrix.solvers.margins import one_machine, turns
from separatrix.solvers.margins.course import Rise
from separatrix.solvers.margins.machine import Machine
from separatrix.solvers.margins.turns import CONJUGATE, DUAL, LAGRANGIAN, Turns
from separatrix.solvers.rows import Rows
from tests.solvers.margins.test_dual_face import make_machine
from tests.solvers.margins.test_machine import RIDGES, SQUARED, machine, primal

KINDS = ["plain", "few rows", "zero columns", "all zero", "separable", "equal rows", "twins", "without weight"]
COSTS = pytest.mark.parametrize("C", [1e-8, 1.0, 100.0])


def rows_of(kind: str, rng: Any) -> tuple[Any, Any, Any]:
    """Return X, signs and costs."""
    n, p = (30, 80) if kind == "few rows" else (120, 8)
    X = np.where(rng.random((n, p)) < 0.5, rng.normal(size=(n, p)), 0.0)
    signs = np.where(X @ rng.normal(size=p) + rng.normal(size=n) > 0.0, 1.0, -1.0)
    X[:, ::2] = {"zero columns": 0.0, "twins": X[:, 1::2]}.get(kind, X[:, ::2])
    X = {"all zero": 0.0 * X, "equal rows": np.tile(X[0], (n, 1))}.get(kind, X)
    X[:, 0] += 3.0 * signs * (kind == "separable")
    return X, signs, rng.random(n) + 0.1 if kind != "without weight" else rng.integers(0, 3, n) * 1.0


@COSTS
@RIDGES
@SQUARED
@pytest.mark.parametrize("kind", KINDS)
def test_the_end_is_proven_and_the_same_for_sparse_and_dense_rows(kind: str, squared: bool, ridge: float, C: float, rng: Any) -> None:
    X, signs, cost = rows_of(kind, rng)
    found = []
    for table in (X, sp.csr_array(X)):
        m = Machine(Rows.of(as_source(table, (signs > 0.0).astype(int))), signs, C * cost, squared, ridge, max_iter=50_000)
        ended = one_machine.in_turns(m)
        assert ended.certificate.gap <= 1e-6 * ended.certificate.primal
        assert ended.solver in (DUAL, CONJUGATE if squared else LAGRANGIAN)
        assert_allclose(ended.certificate.primal, primal(m, ended.coef, ended.intercept), rtol=1e-9)
        found.append(ended.certificate.primal)
    assert_allclose(found[0], found[1], rtol=1e-6)


@RIDGES
@SQUARED
def test_one_row_against_ten_thousand(squared: bool, ridge: float, rng: Any) -> None:
    X, signs = sp.csr_array(np.where(rng.random((10_001, 6)) < 0.3, rng.normal(size=(10_001, 6)), 0.0)), -np.ones(10_001)
    signs[77] = 1.0
    for C in (1e-8, 1e-2):
        m = Machine(Rows.of(as_source(X, (signs > 0.0).astype(int))), signs, np.full(10_001, C), squared, ridge)
        ended = one_machine.in_turns(m)
        assert ended.certificate.gap <= 1e-6 * ended.certificate.primal and ended.iterations <= 200


@SQUARED
def test_either_may_arrive_and_what_it_finds_is_the_same(squared: bool, rng: Any, monkeypatch: Any) -> None:
    m, found = machine(rng, squared, 1.0, True), {}
    for other in ("descent", "products"):
        both = Turns(m)
        monkeypatch.setattr(getattr(both, other), "advance", lambda *given: None)
        while not both.taken(np.inf):
            pass
        ended = both.ended()
        assert both.arrived and ended.certificate.gap <= m.tol * ended.certificate.primal
        found[ended.solver] = ended.coef
    assert list(found) == [CONJUGATE if squared else LAGRANGIAN, DUAL]
    assert_allclose(*found.values(), atol=1e-4)


def test_products_that_arrive_without_a_step_are_the_end(rng: Any) -> None:
    both = Turns(machine(rng, True, 1.0, True))
    both.descent.advance(2.0 * both.epoch)
    both.products.found = Turns(both.machine).descent.ended().certificate
    assert not both.arrived and both.ended().solver == DUAL
    both.products.found = turns.solve(both.machine).certificate
    assert both.ended().certificate.gap <= 1e-9 * both.ended().certificate.primal


@SQUARED
def test_turns_give_up_after_the_seconds_of_another_method(squared: bool) -> None:
    m = make_machine(400, 100, squared=squared, tol=1e-9)
    hasty = turns.solve(m, 1e-9)
    assert hasty.certificate.gap > 1e-9 * hasty.certificate.primal and hasty.iterations <= 200
    then = one_machine.solve(m, "semismooth Newton" if squared else "augmented Lagrangian", hasty)
    assert then.certificate.gap <= 1e-9 * then.certificate.primal
    assert_allclose(then.certificate.primal, turns.solve(m).certificate.primal, rtol=2e-9)


def test_a_walk_that_does_not_slow_down_promises_nothing() -> None:
    rise = Rise()
    assert rise.left(1e-6) == np.inf and rise.least(1.0) == 0.0
    for seconds in range(1, 6):
        rise.note(seconds, 0.1 * seconds)
    assert rise.left(1e-6) == np.inf
    assert rise.least(1.0) == pytest.approx(5.0) and rise.least(0.4) == 0.0
    rise.note(12.0, 0.5)
    assert rise.left(1e-6) < np.inf and rise.least(1.0) == np.inf
