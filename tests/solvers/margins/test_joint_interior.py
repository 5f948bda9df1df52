"""The joint machine on small tables: proven, equal to coordinate descent, and true to weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.data import as_source
from separatrix.solvers.margins import crammer_singer, joint_interior
from separatrix.solvers.margins.crammer_singer import JointMachine
from separatrix.solvers.rows import Rows

RIDGES = pytest.mark.parametrize("ridge", [0.0, 1.0, np.inf])


def joint(rng: Any, ridge: float, cost: Any, far: float = 0.0) -> JointMachine:
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 4)) + np.eye(3, 4)[y] + far
    return JointMachine(Rows.of(as_source(X, y)), y.astype(np.int32), cost, 3, ridge, tol=1e-8, max_iter=50_000)


@RIDGES
def test_agrees_with_coordinate_descent(ridge: float, rng: Any) -> None:
    m = joint(rng, ridge, rng.random(60) + 0.1)
    found, other = joint_interior.solve(m), crammer_singer.solve(m)
    assert joint_interior.suits(m) and found.gap <= 1e-11 * found.primal
    assert other.primal - 1e-8 * other.primal <= found.primal <= other.primal * (1.0 + 1e-12)
    assert_allclose(found.coef, other.coef, atol=1e-3)
    assert_allclose(found.alpha.sum(axis=1), 0.0, atol=1e-12)
    assert (found.alpha <= np.eye(3)[m.codes] * m.cost[:, None] + 1e-12).all()


@RIDGES
def test_a_weight_is_a_row_that_stands_there_as_often(ridge: float, rng: Any) -> None:
    weight = rng.integers(0, 3, 60)
    m = joint(rng, ridge, weight.astype(float))
    again = np.repeat(np.arange(60), weight)
    rows = Rows.of(as_source(m.rows.X[again], m.codes[again]))
    repeated = joint_interior.solve(JointMachine(rows, m.codes[again], np.ones(len(again)), 3, ridge))
    found = joint_interior.solve(m)
    assert_allclose(found.coef, repeated.coef, atol=1e-7)
    assert_allclose(found.intercept, repeated.intercept, atol=1e-7)


def test_far_rows_move_the_intercept_alone(rng: Any) -> None:
    cost = rng.random(60) + 0.1
    near = joint_interior.solve(joint(np.random.default_rng(1), 0.0, cost))
    far = joint_interior.solve(joint(np.random.default_rng(1), 0.0, cost, 1e4))
    assert_allclose(far.coef, near.coef, atol=1e-6)


UNITS = {"dense": 0.0, "dense, units": 6.0, "wide, units": 6.0, "sparse, units": 6.0, "sparse": 2.0}


def hostile(kind: str, cost: float, ridge: float) -> JointMachine:
    """Return rows of four classes, columns in units of 10^±width."""
    rng = np.random.default_rng(len(kind))
    n, p = (40, 120) if "wide" in kind else (150, 25)
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) < (0.2 if "sparse" in kind else 1.0))
    y = (X @ rng.normal(size=(p, 4)) + rng.normal(size=(n, 4))).argmax(axis=1)
    y[:4] = np.arange(4)
    X = X * 10.0 ** rng.uniform(-UNITS[kind], UNITS[kind], p)
    source = as_source(sp.csr_array(X) if "sparse" in kind else X, y)
    return JointMachine(Rows.of(source), y.astype(np.int32), np.full(n, cost), 4, ridge)


@RIDGES
@pytest.mark.parametrize("cost", [1e-4, 1.0, 1e6])
@pytest.mark.parametrize("kind", list(UNITS))
@pytest.mark.parametrize("large", [False, True])
def test_any_units_and_costs_are_proven(kind: str, cost: float, ridge: float, large: bool, monkeypatch: Any) -> None:
    monkeypatch.setattr(joint_interior, "LARGE", 0 if large else 10_000)
    m = hostile(kind, cost, ridge)
    found = joint_interior.solve(m)
    X, A, own = m.rows.X, found.alpha, (np.arange(len(m.codes)), m.codes)
    ahead = X @ found.coef.T + found.intercept
    ahead -= ahead[own][:, None] - 1.0
    ahead[own] = 0.0
    rho = 0.0 if np.isinf(ridge) else ridge
    primal = 0.5 * np.sum(found.coef**2) + 0.5 * rho * np.sum(found.intercept**2) + m.cost @ ahead.max(axis=1)
    dual = A[own].sum() - 0.5 * np.sum((X.T @ A) ** 2) - (0.5 * np.sum(A.sum(axis=0) ** 2) / ridge if 0.0 < ridge < np.inf else 0.0)
    assert primal - dual <= 1e-6 * primal
    size, room = np.abs(A).sum(), np.eye(4)[m.codes] * m.cost[:, None] - A
    assert np.abs(A.sum(axis=1)).max() <= 1e-12 * size and room.min() >= -1e-12 * cost
    assert ridge > 0.0 or np.abs(A.sum(axis=0)).max() <= 1e-12 * size


def test_sparse_rows_of_thousands_of_coefficients_have_this_road() -> None:
    X = sp.random_array((2000, 700), density=0.01, format="csr", rng=np.random.default_rng(0))
    y = np.arange(2000, dtype=np.int32) % 9
    assert joint_interior.is_possible(JointMachine(Rows.of(as_source(X, y)), y, np.ones(2000), 9))
