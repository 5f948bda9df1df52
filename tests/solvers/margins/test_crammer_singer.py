"""The joint machine: its certificate, and multipliers that balance."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.data import as_source
from separatrix.solvers.margins.crammer_singer import JointMachine, balanced, certify, solve
from separatrix.solvers.rows import Rows


def joint(rng: Any, ridge: float, sparse: bool = False, **more: Any) -> JointMachine:
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 4)) + np.eye(3, 4)[y]
    rows = Rows.of(as_source(sp.csr_array(X) if sparse else X, y))
    return JointMachine(rows, y.astype(np.int32), rng.random(60), 3, ridge, **{"tol": 1e-8, "max_iter": 50_000, **more})


def primal(m: JointMachine, W: Any, b: Any) -> float:
    Z = m.rows.X @ W.T + b
    short = Z - Z[np.arange(60), m.codes][:, None] + 1.0
    short[np.arange(60), m.codes] = 0.0
    ridge = 0.0 if np.isinf(m.ridge) else m.ridge
    return float(0.5 * np.sum(W**2) + 0.5 * ridge * b @ b + m.cost @ short.max(axis=1))


@pytest.mark.parametrize("ridge", [0.0, 1.0, np.inf])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_end_is_proven(ridge: float, sparse: bool, rng: Any) -> None:
    m = joint(rng, ridge, sparse)
    found = solve(m)
    assert found.gap <= 1e-8 * found.primal
    assert_allclose(found.primal, primal(m, found.coef, found.intercept), rtol=1e-10)
    assert_allclose(found.alpha.sum(axis=1), 0.0, atol=1e-9)
    own = np.eye(3)[m.codes] * m.cost[:, None]
    assert (found.alpha <= own + 1e-9).all()
    for _ in range(20):
        step = 1e-3 * rng.normal(size=(3, 5))
        assert primal(m, found.coef + step[:, :4], found.intercept + step[:, 4] * np.isfinite(ridge)) > found.primal * (1 - 1e-7)


def test_balanced_multipliers_stay_feasible(rng: Any) -> None:
    m = joint(rng, 0.0)
    A = -rng.random((60, 3)) * m.cost[:, None] / 3
    A[np.arange(60), m.codes] = 0.0
    A[np.arange(60), m.codes] = -A.sum(axis=1)
    found = balanced(m, A)
    assert_allclose(found.sum(axis=0), 0.0, atol=1e-10)
    assert_allclose(found.sum(axis=1), 0.0, atol=1e-12)
    assert (found <= np.eye(3)[m.codes] * m.cost[:, None] + 1e-12).all()


def test_rounding_below_the_margin_costs_a_longer_vector_rather_than_its_price(rng: Any) -> None:
    m = joint(rng, np.inf)
    W = 100.0 * np.eye(3, 4)
    ahead = m.rows.X @ W.T
    ahead = np.sort(ahead[np.arange(60), m.codes][:, None] - ahead, axis=1)[:, 1]
    easy = replace(m, cost=np.where(ahead > 0.0, 1e9, 0.0))
    W *= (1.0 - 1e-9) / ahead[ahead > 0.0].min()
    found = certify(easy, W, np.zeros(3), np.zeros((60, 3)), 0, 0)
    assert_allclose(found.primal, 0.5 * np.sum(found.coef**2), rtol=1e-12)
    assert_allclose(found.coef, W, rtol=1e-8)
