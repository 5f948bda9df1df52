"""The least change across planes: optimal by KKT, equal to a general solver, honest where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from separatrix import Hyperplane
from separatrix.errors import InputError
from separatrix.geometry.least_change import cross_plane, cross_planes

FREE = np.full(4, np.inf)


def by_solver(W: Any, w0: Any, x: Any, s: Any, lower: Any, upper: Any) -> float:
    """The least cost, found by a general solver in z = δ/s."""
    found = minimize(
        lambda z: z @ z,
        np.zeros(len(x)),
        jac=lambda z: 2 * z,
        bounds=list(zip((lower - x) / s, (upper - x) / s)),
        constraints={"type": "ineq", "fun": lambda z: W @ (x + s * z) + w0, "jac": lambda z: W * s},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert found.success
    return float(np.sqrt(found.fun))


@pytest.mark.parametrize("seed", range(10))
def test_without_bounds_it_is_the_projection(seed: int) -> None:
    rng = np.random.default_rng(seed)
    w, w0, x = rng.normal(size=4), rng.normal() - 5.0, rng.normal(size=4)
    found = cross_plane(w, w0, x, np.ones(4), -FREE, FREE)
    plane = Hyperplane(w, w0)
    assert_allclose(found.point, plane.project(x))
    assert_allclose(found.cost, -plane.distance(x))


@pytest.mark.parametrize("seed", range(20))
def test_within_bounds_it_is_the_least(seed: int) -> None:
    rng = np.random.default_rng(seed)
    w, x, s = rng.normal(size=6), rng.normal(size=6), rng.uniform(0.2, 3.0, 6)
    lower, upper = x - rng.uniform(0.1, 2.0, 6), x + rng.uniform(0.1, 2.0, 6)
    lower[0], upper[1] = -np.inf, np.inf
    w0 = -w @ x - 0.5 * np.abs(w).sum()
    found = cross_plane(w, w0, x, s, lower, upper)
    assert found.reached and (found.point >= lower - 1e-12).all() and (found.point <= upper + 1e-12).all()
    assert_allclose(w @ found.point + w0, 0.0, atol=1e-12)
    assert_allclose(found.cost, by_solver(w[None], np.array([w0]), x, s, lower, upper), rtol=1e-6)


def test_a_bound_met_on_the_way_ends_its_column_whatever_the_rounding() -> None:
    """t·speed at a column's end may fall short of its bound: that column was taken for one with some way left."""
    rng = np.random.default_rng(0)
    for _ in range(500):
        w, x = rng.normal(size=4), rng.normal(size=4)
        room = rng.uniform(0.0, 0.3, 4) * [1, 1, 1, 100]
        found = cross_plane(w, -float(w @ x), x, np.ones(4), x - room, x + room, level=1.0)
        assert found.reached == (float(np.abs(w) @ room) >= 1.0)
        assert not found.reached or float(w @ (found.point - x)) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_into_a_region_of_several_planes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    W, x, s = rng.normal(size=(3, 5)), rng.normal(size=5), rng.uniform(0.2, 3.0, 5)
    inside = x + rng.normal(size=5)
    w0, lower, upper = -W @ inside + 0.01, np.minimum(x, inside) - 0.2, np.maximum(x, inside) + 0.2
    found = cross_planes(W, w0, x, s, lower, upper)
    assert found.reached and (W @ found.point + w0 >= -1e-8).all()
    assert (found.point >= lower - 1e-9).all() and (found.point <= upper + 1e-9).all()
    assert_allclose(found.cost, by_solver(W, w0, x, s, lower, upper), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_one_plane_of_several_is_one_plane(seed: int) -> None:
    rng = np.random.default_rng(seed)
    w, x, s, low, high = rng.normal(size=4), rng.normal(size=4), np.array([1.0, 0.0, 2.0, 0.5]), -FREE, np.full(4, 4.0)
    w0 = -w @ x - 1.0
    one, many = cross_plane(w, w0, x, s, low, high), cross_planes(w[None], np.array([w0]), x, s, low, high)
    assert_allclose(one.point, many.point, atol=1e-9)
    assert one.point[1] == x[1]


def test_where_bounds_forbid_it_goes_as_far_as_it_can() -> None:
    x, w = np.zeros(2), np.array([1.0, 2.0])
    found = cross_plane(w, -10.0, x, np.ones(2), x, np.array([3.0, 2.0]))
    assert not found.reached and found.point.tolist() == [3.0, 2.0]
    assert not cross_planes(np.stack([w, -w]), np.array([-1.0, -1.0]), x, np.ones(2), -FREE[:2], FREE[:2]).reached
    assert not cross_plane(np.zeros(2), -1.0, x, np.ones(2), -FREE[:2], FREE[:2]).reached


def test_a_row_out_of_bounds_is_put_inside() -> None:
    found = cross_plane(np.array([1.0]), 0.0, np.array([5.0]), np.ones(1), np.array([0.0]), np.array([2.0]))
    assert found.reached and found.point.tolist() == [2.0]


def test_bounds_that_hold_no_number_are_refused() -> None:
    with pytest.raises(InputError, match="Column 1 has the bounds 2 to 1, which hold no number"):
        cross_plane(np.ones(2), 0.0, np.zeros(2), np.ones(2), np.array([0.0, 2.0]), np.array([1.0, 1.0]))


def test_where_nothing_can_move_planes_are_crossed_or_not() -> None:
    W, still = np.eye(4)[:2], np.zeros(4)
    assert not cross_planes(W, np.array([1.0, -1.0]), still, still, -FREE, FREE).reached
    assert cross_planes(W, np.array([1.0, 1.0]), still, still, -FREE, FREE).reached


@pytest.mark.parametrize("unit", [1e-160, 1e160])
def test_units_may_be_of_any_size(unit: float) -> None:
    w, x, s = np.array([2.0, 1.0, 0.0, 0.0]), np.zeros(4), np.array([1.0, 2.0, 1.0, 1.0])
    plain, scaled = (cross_plane(w / u, -8.0, x, s * u, -FREE, FREE) for u in (1.0, unit))
    assert_allclose(scaled.point / unit, plain.point)
    assert scaled.cost == pytest.approx(plain.cost)
