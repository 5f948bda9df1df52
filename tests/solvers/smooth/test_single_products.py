"""Products in float32: right to its digits, and given up where the curvature along a direction is smaller still."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.solvers.smooth import newton, newton_cg, single_products
from separatrix.solvers.smooth.system import System
from separatrix.thresholds import moved
from tests.solvers.problems import make_problem, make_rows


def in_single(X: Any, y: Any, **given: Any) -> tuple[System, Any]:
    """Return a system that begins with products in float32, and what its problem is."""
    problem = make_problem(X, y, **given)
    with moved(0):
        system = System(problem)
    assert system.rough.dtype == np.float32
    return system, problem


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_products_are_those_in_float64(K: int, kind: Any) -> None:
    X, y = make_rows(n=400, p=6, K=K)
    system, _ = in_single(X.astype(kind), y, C=2.0, fit_intercept=True)
    point, R, rng = newton_cg.begin(system), K if K > 2 else 1, np.random.default_rng(0)
    p, pc, rough, exact = 1e30 * rng.normal(size=(6, R)), 1e30 * rng.normal(size=R), np.empty((6, R)), np.empty((6, R))
    _, ends = system.product(point.P, p, pc, rough)
    system.leave_single()
    assert_allclose(ends, system.product(point.P, p, pc, exact)[1], rtol=1e-5)
    assert_allclose(rough, exact, rtol=1e-5)
    Xp = X.astype(kind) @ p + pc
    assert_allclose(system.form(point.P, p, Xp), np.vdot(p, exact) + pc @ ends, rtol=1e-5)


@pytest.mark.parametrize("mean", [0.0, 1e5])
@pytest.mark.parametrize("K", [2, 3])
def test_rows_are_given_up_where_float32_cannot_tell_them_apart(mean: float, K: int) -> None:
    X, y = make_rows(n=400, p=6, K=K)
    system, problem = in_single(X + mean, y, C=10.0, fit_intercept=False)
    found = newton_cg.ended(system, *newton_cg.iterate(system, newton_cg.begin(system)), system.passes)
    assert found.status.value == "converged"
    assert_allclose(found.objective, newton.solve(problem).objective, rtol=1e-6)
    if K == 3 or mean == 0.0:  # two classes far from 0 end within a step or two, which rounding may spare the check
        assert (system.rough is None) == (mean > 0.0)


def test_columns_without_room_in_float32_stay_as_they_are() -> None:
    X, y = make_rows(n=400, p=6, K=2)
    with moved(0):
        assert System(make_problem(X * [1e100, 1, 1, 1, 1, 1], y)).rough is None
        assert System(make_problem(X * [1e-100, 1, 1, 1, 1, 1], y)).rough is None
    assert single_products.in_single(X, np.ones(6)) is None
