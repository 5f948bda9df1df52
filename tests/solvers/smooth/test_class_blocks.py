"""Hessians of single classes: right to the last entry, and worth their price where a diagonal is not enough."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from separatrix.solvers.smooth import class_blocks, newton, newton_cg
from separatrix.solvers.smooth.class_blocks import ClassBlocks
from separatrix.solvers.smooth.objective import Objective
from separatrix.solvers.smooth.system import System
from tests.solvers.problems import make_problem, make_rows


def alike(n: int = 150, p: int = 60, K: int = 3) -> tuple[Any, Any]:
    """Return columns that are nearly combinations of a few."""
    rng = np.random.default_rng(3)
    X = 1e-3 * rng.standard_normal((n, p)) + rng.standard_normal((n, 5)) @ rng.standard_normal((5, p))
    return X, rng.integers(0, K, n)


@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_blocks_are_those_of_the_hessian(K: int, weighted: bool) -> None:
    X, y = make_rows(n=80, p=5, K=K)
    problem = make_problem(X, y, C=3.0, weight=np.linspace(0.5, 2.0, 80) if weighted else None)
    system = System(problem)
    point = newton_cg.begin(system)
    R, p = problem.n_scores, 5
    H = Objective(problem).curved(np.column_stack([point.W.T, point.c]))[2].reshape(R, p + 1, R, p + 1)
    r = np.random.default_rng(0).normal(size=(p, R))
    wanted = np.column_stack([np.linalg.solve(H[k, :p, k, :p], r[:, k]) for k in range(R)])
    np.testing.assert_allclose(ClassBlocks.at(system, point).solve(r).reshape(p, R), wanted, rtol=1e-9)


def test_columns_that_determine_each_other_have_blocks_all_the_same() -> None:
    X, y = make_rows(n=60, p=3, K=3)
    system = System(make_problem(np.column_stack([X, X, X]) * 1e4, y, C=1e8))
    assert np.isfinite(ClassBlocks.at(system, newton_cg.begin(system)).solve(np.ones((9, 3)))).all()


def test_columns_nearly_alike_need_far_fewer_products(monkeypatch: Any) -> None:
    problem = make_problem(*alike(), C=1e6)
    best = newton.solve(replace(problem, tol=1e-9)).objective
    found = []
    for dearer in (class_blocks.DEARER, np.inf):
        monkeypatch.setattr(class_blocks, "DEARER", dearer)
        found.append(newton_cg.solve(problem))
        assert found[-1].is_converged and found[-1].objective <= best * (1 + 2e-6)
    assert 2 * found[0].passes < found[1].passes
