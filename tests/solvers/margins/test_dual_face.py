"""Newton's method on a face of the dual: an exact maximum within bounds, and the same machine in far fewer epochs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from separatrix.data import as_source
from separatrix.solvers.margins import dual_face, dual_svm
from separatrix.solvers.margins.machine import Machine
from separatrix.solvers.rows import Rows


def make_machine(n: int, p: int, **given: Any) -> Machine:
    """Return overlapping classes of correlated dense columns, so that many rows lie on the margin."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p)) + 3.0 * rng.normal(size=(n, 4)) @ rng.normal(size=(4, p))
    y = np.where(X @ rng.normal(size=p) + 2.0 * rng.normal(size=n) > 0.0, 1.0, -1.0)
    given = {"squared": False, "ridge": 1.0, "tol": 1e-7, "max_iter": 20_000} | given
    return Machine(Rows.of(as_source(X, (y > 0).astype(int))), y, np.full(n, 0.1), **given)


@pytest.mark.parametrize("seed", range(5))
def test_the_maximum_within_bounds_meets_its_conditions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    Z, g, cap = rng.normal(size=(30, 40)), 10.0 * rng.normal(size=30), rng.uniform(0.5, 1.0, 30)
    start = 0.5 * cap
    found = dual_face.maximum(Z @ Z.T, g, start, cap, 0.0)
    slope = g - Z @ Z.T @ (found - start)
    assert (slope[found <= 0.0] <= 1e-6).all() and (slope[found >= cap] >= -1e-6).all()
    assert np.abs(slope[(found > 0.0) & (found < cap)]).max(initial=0.0) <= 1e-6


@pytest.mark.parametrize(
    "given", [{}, {"squared": True}, {"ridge": np.inf}, {"ridge": 0.0}], ids=["hinge", "squared", "no intercept", "free"]
)
def test_faces_change_the_way_and_not_the_end(given: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    machine = make_machine(400, 100, **given)
    found = dual_svm.solve(machine)
    monkeypatch.setattr(dual_svm, "FACE", 0.0)
    slow = dual_svm.solve(machine)
    for end in (found, slow):
        assert end.certificate.gap <= machine.tol * end.certificate.primal
    assert found.certificate.primal == pytest.approx(slow.certificate.primal, rel=2.0 * machine.tol)
    assert 2 * found.iterations < slow.iterations


@pytest.mark.parametrize("by", ["matrix", "products"])
@pytest.mark.parametrize("given", [{}, {"squared": True}], ids=["hinge", "squared"])
def test_a_face_never_lowers_the_dual_and_keeps_the_bounds(given: dict[str, Any], by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = make_machine(300, 80, **given)
    descent = dual_svm.Descent(machine)
    walk, before = descent.walk, 0.0
    monkeypatch.setattr(dual_svm, "FACE", 0.0)
    monkeypatch.setattr(dual_face, "CALLS", np.inf if by == "products" else 0.0)
    for turn in range(3):
        descent.advance(20.0 * 300 * descent.each)
        middle = dual(walk)
        assert dual_face.advance(walk, 1e-8, 1.0) > 0.0
        assert before <= middle + 1e-12 and middle <= dual(walk) + 1e-12 and (turn > 0 or middle < dual(walk))
        assert ((walk.alpha >= 0.0) & (walk.alpha <= walk.cap)).all()
        np.testing.assert_allclose(walk.w, (walk.alpha * machine.signs) @ machine.rows.X, atol=1e-8 * np.abs(walk.w).max())
        before = dual(walk)


def dual(walk: dual_svm.Walk) -> float:
    """Return D by its formula."""
    a, y = walk.alpha, walk.machine.signs
    w = (a * y) @ walk.machine.rows.X
    return float(a.sum() - 0.5 * w @ w - 0.5 * (a @ y) ** 2 / walk.machine.ridge - 0.5 * walk.curve @ (a * a))


def test_faces_too_dear_or_with_more_rows_than_coefficients_are_left() -> None:
    descent = dual_svm.Descent(make_machine(300, 80))
    descent.advance(100.0 * 300 * descent.each)
    assert not dual_face.advance(descent.walk, 1e-8, 0.0)
    descent.walk.alpha[:] = 0.5 * descent.walk.cap
    assert not dual_face.advance(descent.walk, 1e-8, np.inf)
