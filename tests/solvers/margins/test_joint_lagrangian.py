"""The joint machine by an augmented Lagrangian ends where interior points end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.data import as_source
from separatrix.solvers.margins import joint_interior, joint_lagrangian, joint_work
from separatrix.solvers.margins.crammer_singer import JointMachine
from separatrix.solvers.margins.joint_pieces import JointPieces
from separatrix.solvers.margins.joint_work import JointWork
from separatrix.solvers.rows import Rows


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("ridge", [0.0, 0.25, np.inf])
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_it_ends_where_interior_points_end(kind: Any, ridge: float, C: float, rng: Any) -> None:
    X, cost = rng.normal(size=(7000, 4)) + 1.0, C * rng.integers(0, 3, 7000).astype(float)
    y = (X @ rng.normal(size=(4, 3)) + rng.normal(size=(7000, 3))).argmax(axis=1).astype(np.int32)
    machine = JointMachine(Rows.of(as_source(kind(X), y)), y, cost, 3, ridge, tol=1e-7)
    found, exact = joint_lagrangian.from_sample(machine), joint_interior.solve(machine)
    assert found.gap <= 1e-7 * found.primal
    assert_allclose(found.primal, exact.primal, rtol=2e-7)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("ridge", [0.0, 0.25, np.inf])
def test_steps_by_conjugate_gradients_end_where_factors_do(kind: Any, ridge: float, monkeypatch: Any, rng: Any) -> None:
    X = rng.normal(size=(300, 40)) * (rng.random((300, 40)) < 0.5)
    y = (X @ rng.normal(size=(40, 3)) + rng.normal(size=(300, 3))).argmax(axis=1).astype(np.int32)
    machine = JointMachine(Rows.of(as_source(kind(X), y)), y, np.full(300, 0.02), 3, ridge, tol=1e-7)
    factored = joint_lagrangian.solve(machine)
    monkeypatch.setattr(joint_work, "MOST", 1)
    found = joint_lagrangian.solve(machine)
    assert max(found.gap, factored.gap) <= 1e-7 * found.primal
    assert_allclose(found.primal, factored.primal, rtol=2e-7)


def test_thousands_of_coefficients_take_products_instead_of_a_factor() -> None:
    narrow, wide = JointWork(4_500, 30, 3, 1.4e5, 4e6, False), JointWork(4_500, 2_700, 3, 1.2e7, 3e10, False)
    assert not narrow.is_conjugate
    assert wide.is_conjugate
    assert JointWork(1_600, 11_000, 6, 1.8e7, 2e11, False).is_conjugate  # no room for a factor
    assert wide.lagrangian(30.0) < wide.interior
    assert wide.lagrangian(1e7) > wide.interior  # costs so high ask for too many products


def test_multipliers_are_the_nearest_on_their_simplices(rng: Any) -> None:
    base, levels, cost = rng.random((30, 4)), rng.normal(size=(30, 4)), rng.integers(0, 3, 30).astype(float)
    pieces = JointPieces(base, 2.0 * cost, cost, rng.integers(0, 4, 30).astype(np.int32))
    U, v = pieces.multipliers(levels), base + 2.0 * cost[:, None] * levels
    assert_allclose(U.sum(axis=1), cost, atol=1e-12)
    level = np.where(U > 0.0, v - U, -np.inf).max(axis=1, keepdims=True)
    assert_allclose(np.where(cost[:, None] > 0.0, np.maximum(v - level, 0.0), 0.0), U, atol=1e-12)


def test_slopes_along_a_line_are_differences_of_the_loss(rng: Any) -> None:
    base, levels, dz, cost = rng.random((30, 4)), rng.normal(size=(30, 4)), rng.normal(size=(30, 4)), np.ones(30)
    pieces = JointPieces(base, cost, cost, rng.integers(0, 4, 30).astype(np.int32))

    def value(t: float) -> float:
        L = levels + t * dz
        U = pieces.multipliers(L)
        own = L[np.arange(30), pieces.codes]
        return float(np.vdot(U, L) - own.sum() - 0.5 * np.sum((U - base) ** 2))

    assert pieces.along(levels, dz, 0.3)[0] == pytest.approx((value(0.3 + 1e-5) - value(0.3 - 1e-5)) / 2e-5, rel=1e-5)
