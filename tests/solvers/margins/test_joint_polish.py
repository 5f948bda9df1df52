"""The exact end of the joint machine: proven, equal to the interior-point method, true to weights, and never worse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_digits

from separatrix.data import as_source
from separatrix.solvers.margins import crammer_singer, joint_interior
from separatrix.solvers.margins.crammer_singer import JointMachine
from separatrix.solvers.margins.joint_polish import polish
from separatrix.solvers.rows import Rows

RIDGES = pytest.mark.parametrize("ridge", [0.0, 1.0, np.inf])


def joint(rng: Any, ridge: float, cost: Any, shift: float = 1.0) -> JointMachine:
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 4)) + shift * np.eye(3, 4)[y]
    return JointMachine(Rows.of(as_source(X, y)), y.astype(np.int32), cost, 3, ridge, tol=1e-10)


@RIDGES
@pytest.mark.parametrize("shift", [0.3, 1.0, 6.0])
def test_agrees_with_the_interior_point_method(ridge: float, shift: float, rng: Any) -> None:
    m = joint(rng, ridge, rng.random(90) + 0.1, shift)
    found, other = crammer_singer.solve(m, polish), joint_interior.solve(m)
    assert found.gap <= 1e-10 * found.primal
    assert_allclose(found.primal, other.primal, rtol=1e-9)
    assert_allclose(found.coef, other.coef, atol=1e-5)
    assert_allclose(found.alpha.sum(axis=1), 0.0, atol=1e-12)
    assert (found.alpha <= np.eye(3)[m.codes] * m.cost[:, None] + 1e-12).all()


@RIDGES
def test_a_weight_is_a_row_that_stands_there_as_often(ridge: float, rng: Any) -> None:
    weight = rng.integers(0, 3, 90)
    m = joint(rng, ridge, weight.astype(float))
    again = np.repeat(np.arange(90), weight)
    rows = Rows.of(as_source(m.rows.X[again], m.codes[again]))
    repeated = crammer_singer.solve(JointMachine(rows, m.codes[again], np.ones(len(again)), 3, ridge, tol=1e-10), polish)
    found = crammer_singer.solve(m, polish)
    assert_allclose(found.coef, repeated.coef, atol=1e-8)
    assert_allclose(found.intercept, repeated.intercept, atol=1e-8)


def test_a_certificate_is_never_made_worse(rng: Any) -> None:
    m = joint(rng, 1.0, np.ones(90))
    rough = crammer_singer.solve(replace(m, max_iter=1))
    found = polish(m, rough, rough.alpha)
    assert found.gap <= rough.gap
    assert polish(m, found, np.zeros_like(rough.alpha)) is found


@pytest.mark.parametrize("ridge", [0.0, 1.0])
def test_digits_end_long_before_the_last_iteration(ridge: float) -> None:
    X, y = load_digits(return_X_y=True)
    found = crammer_singer.solve(JointMachine(Rows.of(as_source(X, y)), y.astype(np.int32), np.ones(len(y)), 10, ridge), polish)
    assert found.gap <= 1e-6 * found.primal
    assert found.iterations < 500
    assert_allclose(found.primal, 0.92131038 if ridge else 0.85375700, rtol=1e-6)
