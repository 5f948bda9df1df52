"""The hinge on small tables: the certificate first, then the other road, then degenerate rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from separatrix.data import as_source
from separatrix.solvers.margins import augmented_lagrangian, small_hinge
from separatrix.solvers.margins.machine import Machine
from separatrix.solvers.margins.small_margins import Certified
from separatrix.solvers.rows import Rows

RIDGES = pytest.mark.parametrize("ridge", [0.0, 1.0, np.inf])


def table(rng: Any, kind: str) -> tuple[Rows, Any, Any]:
    n, y = 90, np.arange(90) % 3
    X = rng.normal(size=(n, 4)) + {"separable": 8.0, "weak": 0.01}.get(kind, 1.0) * np.eye(3, 4)[y]
    X = np.round(X) if kind == "tied" else X
    return Rows.of(as_source(X, y)), np.where(y == np.arange(3)[:, None], 1.0, -1.0), rng.random(n) + 0.1


@RIDGES
@pytest.mark.parametrize("kind", ["overlapping", "separable", "weak", "tied"])
def test_every_machine_is_proven_and_agrees_with_the_other_road(kind: str, ridge: float, rng: Any) -> None:
    rows, Y, cost = table(rng, kind)
    found = small_hinge.solve(rows, Y, cost, ridge, 1e-8)
    assert found is not None
    for k, ended in enumerate(found):
        other = augmented_lagrangian.solve(Machine(rows, Y[k], cost, False, ridge, tol=1e-10)).certificate
        assert ended.certificate.gap <= 1e-8 * ended.certificate.primal
        assert_allclose(ended.certificate.primal, other.primal, rtol=2e-8)
        assert (ended.certificate.alpha >= 0.0).all() and (ended.certificate.alpha <= cost).all()
        short = np.maximum(0.0, 1.0 - Y[k] * (rows.X @ ended.coef + ended.intercept))
        penalty = 0.5 * ended.coef @ ended.coef + (0.0 if np.isinf(ridge) else 0.5 * ridge * ended.intercept**2)
        assert_allclose(penalty + cost @ short, ended.certificate.primal, rtol=1e-10)


def test_rows_beyond_the_margin_have_no_multiplier(rng: Any) -> None:
    rows, Y, cost = table(rng, "overlapping")
    for k, ended in enumerate(small_hinge.solve(rows, Y, cost, 0.0, 1e-9) or []):
        beyond = Y[k] * (rows.X @ ended.coef + ended.intercept) > 1.0 + 1e-6
        assert beyond.any() and not ended.certificate.alpha[beyond].any()


def test_rows_that_leave_their_bounds_are_repaired(monkeypatch: Any) -> None:
    X, y = load_iris(return_X_y=True)
    rows = Rows.of(as_source((X - X.mean(axis=0)) / X.std(axis=0), y))
    gaps = []
    for repairs in (small_hinge.REPAIRS, 1):
        monkeypatch.setattr(small_hinge, "REPAIRS", repairs)
        found = small_hinge.solve(rows, np.where(y == np.arange(3)[:, None], 1.0, -1.0), np.ones(150), 1.0, 1e-4) or []
        gaps.append(max(ended.certificate.gap for ended in found))
    assert gaps[0] < 1e-11 < gaps[1]


def test_what_is_not_finite_is_never_done_nor_better() -> None:
    def certified(primal: float) -> Certified:
        return Certified(np.zeros((1, 2)), np.zeros((1, 3)), np.array([primal]), np.array([0.5]), np.zeros(1))

    for bad in (np.inf, np.nan):
        assert not certified(bad).is_done(1e-4)
        assert certified(bad).better(certified(0.6)).primal == certified(0.6).better(certified(bad)).primal == 0.6


def test_a_gap_that_cannot_be_reached_is_said(rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(small_hinge, "STEPS", 2)
    assert small_hinge.solve(*table(rng, "overlapping"), 0.0, 1e-8) is None
