"""f and products with the Hessian: rows taken part by part are the rows, dense or sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.solvers.smooth.newton_cg import begin
from separatrix.solvers.smooth.system import System
from tests.solvers.problems import make_problem, make_rows


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_products_are_differences_of_gradients(kind: Any, K: int, weighted: bool) -> None:
    X, y = make_rows(n=5_000, p=4, K=K)
    weight, rng = np.random.default_rng(1).integers(0, 3, 5_000).astype(float) if weighted else None, np.random.default_rng(0)
    system = System(make_problem(kind(X), y, 10.0, weight, fit_intercept=True))
    point, R = begin(system), K if K > 2 else 1
    p, pc, Hp, t = rng.normal(size=(4, R)), rng.normal(size=R), np.empty((4, R)), 1e-6
    form, Hpc = system.product(point.P, p, pc, Hp)
    V = X @ p + pc
    Z = [point.Z + t * V, point.Z - t * V]
    ahead, behind = (system.point(point.W + s * p, point.c + s * pc, z, *system.loss(z)) for s, z in zip((t, -t), Z))
    assert_allclose(Hp, (ahead.g - behind.g) / (2.0 * t), atol=1e-7)
    assert_allclose(Hpc, (ahead.gc - behind.gc) / (2.0 * t), atol=1e-7)
    assert_allclose(form, np.vdot(p, Hp) + pc @ Hpc, rtol=1e-12)
    loss, slope = system.along(point.Z, V, -t)
    assert_allclose(loss, system.loss(ahead.Z)[0], rtol=1e-13)
    assert_allclose(slope, -(np.vdot(ahead.g - system.problem.strength * ahead.W, p) + ahead.gc @ pc), atol=1e-9)
