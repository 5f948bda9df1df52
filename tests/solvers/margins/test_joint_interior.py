"""The joint machine on small tables: proven, equal to coordinate descent, and true to weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
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
