"""L-BFGS around a Kronecker product, on arrays of any library: the minimum, and a bound that holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.data import as_rows, as_source
from separatrix.losses import Logistic, Loss, Softmax, SquaredHinge
from separatrix.losses.array_losses import ArrayLoss
from separatrix.solvers.problem import Problem
from separatrix.solvers.rows import Rows
from separatrix.solvers.smooth import array_objective, kronecker, newton
from separatrix.solvers.smooth.array_objective import ArrayObjective, Precision
from separatrix.solvers.sparse.path import solve_path
from tests.libraries import back, each_library

LOSSES = [(Softmax(), 5), (Logistic(), 2), (SquaredHinge(), 2)]
each_loss = pytest.mark.parametrize(("loss", "K"), LOSSES, ids=lambda value: getattr(value, "name", str(value)))


def problem(loss: Loss, K: int, convert: Any = np.asarray, dtype: Any = np.float64, weighted: bool = False, mean: float = 1.0) -> Problem:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 6)) @ rng.normal(size=(6, 6)) + mean
    y = np.append(np.arange(K), (X @ rng.normal(size=(6, K)) * 0.4 + rng.gumbel(size=(400, K))).argmax(axis=1)[K:])
    w = rng.random(400) if weighted else np.ones(400)
    rows = as_rows(convert(X.astype(dtype)), on_device=True)
    source = as_source(rows, convert(y), convert(w) if weighted else None)
    return Problem(Rows.of(source), np.bincount(y, weights=w), loss, strength=1e-3, tol=1e-6)


@each_library
@each_loss
@pytest.mark.parametrize("weighted", [False, True])
def test_the_minimum_and_its_certificate(loss: Loss, K: int, weighted: bool, convert: Any) -> None:
    exact = newton.solve(replace(problem(loss, K, weighted=weighted), tol=1e-12))
    found = kronecker.solve(problem(loss, K, convert, weighted=weighted))
    assert found.is_converged
    assert_allclose(found.coef, exact.coef, atol=1e-4)
    above = found.objective - exact.objective
    assert -1e-13 <= above <= found.gap + 1e-13
    assert found.gap <= 1e-7 * found.objective


@each_loss
@pytest.mark.parametrize("iterations", [0, 2, 5])
def test_the_bound_holds_far_from_the_minimum(loss: Loss, K: int, iterations: int) -> None:
    exact = newton.solve(replace(problem(loss, K), tol=1e-12))
    found = next(kronecker.solve_path(replace(problem(loss, K), max_iter=iterations), [1e-3]))
    assert found.status == "max_iter"
    assert found.gap >= found.objective - exact.objective


@each_library
@each_loss
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gradients_are_differences(loss: Loss, K: int, dtype: Any, convert: Any) -> None:
    own = problem(loss, K, convert, dtype, mean=50.0)
    example = next(iter(own.rows.source.blocks())).X[:1, :]
    objective = ArrayObjective(own, example, np.full(6, 50.0), np.ones(6))
    rng = np.random.default_rng(0)
    theta, step = rng.normal(size=(own.n_scores, 7)), 1e-6 * rng.normal(size=(own.n_scores, 7))
    _, g = objective.at(convert(theta), Precision.FULL)
    ends = [objective.at(convert(theta + sign * step), Precision.FULL)[0] for sign in (1, -1)]
    assert_allclose(ends[0] - ends[1], 2.0 * np.vdot(back(g), step), rtol=1e-5)
    assert_allclose(back(objective.at(convert(theta), Precision.OWN)[1]), back(g), rtol=1e-4, atol=1e-5)


@each_loss
def test_float32_rows_end_in_float64(loss: Loss, K: int) -> None:
    exact = newton.solve(replace(problem(loss, K, dtype=np.float32), tol=1e-12))
    found = kronecker.solve(problem(loss, K, dtype=np.float32))
    assert abs(found.objective - exact.objective) <= 1e-7 * exact.objective
    assert found.gap >= found.objective - exact.objective


def test_memory_is_that_of_a_tile(monkeypatch: Any) -> None:
    monkeypatch.setattr(array_objective, "TILE", 64)
    seen: list[int] = []
    slopes = ArrayLoss(Softmax()).slopes

    def counted(self: Any, Z: Any, codes: Any) -> Any:
        seen.append(Z.shape[0])
        return slopes(Z, codes)

    monkeypatch.setattr(ArrayLoss, "slopes", counted, raising=False)
    monkeypatch.setattr(ArrayLoss, "__init__", lambda self, loss: setattr(self, "loss", loss))
    kronecker.solve(replace(problem(Softmax(), 5), max_iter=1))
    assert max(seen[:2]) <= 256


@each_library
def test_a_path_is_that_of_single_fits(convert: Any) -> None:
    own = problem(Softmax(), 5, convert)
    path = solve_path(own, [0.1, 1.0, 100.0])
    for C, coef, gap, f in zip(path.C, path.coefs, path.gaps, path.objectives, strict=True):
        alone = newton.solve(replace(problem(Softmax(), 5), strength=1.0 / (C * own.total), tol=1e-12))
        assert -1e-12 <= f - alone.objective <= min(gap, 1e-7 * f)
        assert_allclose(coef, alone.coef, atol=3e-3 * np.abs(alone.coef).max())


def test_machines_of_several_classes_share_passes() -> None:
    own = problem(SquaredHinge(), 4)
    found = kronecker.solve(own)
    codes = own.rows.codes
    assert codes is not None
    for k in range(4):
        counts = np.array([(codes != k).sum(), (codes == k).sum()], dtype=float)
        alone = newton.solve(replace(own, rows=Rows.of(as_source(own.rows.X, (codes == k).astype(int))), counts=counts, tol=1e-12))
        assert_allclose(found.coef[k], alone.coef[0], atol=1e-3 * np.abs(alone.coef).max())
    assert found.gap <= 1e-4 * found.objective
