"""Columns that together say what the intercept says: the direction is found, moves along it are the best, and no fit stops before them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.data import as_source
from separatrix.losses import Logistic, Softmax
from separatrix.solvers.problem import Problem
from separatrix.solvers.rows import Rows
from separatrix.solvers.smooth import newton_cg
from separatrix.solvers.smooth.constant_direction import ConstantDirection
from separatrix.solvers.smooth.system import System


def texts(seed: int, n_classes: int = 2, n: int = 6_000, p: int = 600, words: int = 10) -> Problem:
    rng = np.random.default_rng(seed)
    places = (np.sort(rng.random((n, words)) ** 2, axis=1) * p).astype(int).ravel()
    X = sp.csr_array((rng.random(n * words) + 0.5, (np.repeat(np.arange(n), words), places)), shape=(n, p))
    X = sp.csr_array(sp.diags_array(1.0 / np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())) @ X)
    scores = X @ rng.normal(size=(p, n_classes - 1)) + rng.logistic(size=(n, n_classes - 1)) - 0.3
    y = np.column_stack([np.zeros(n), scores]).argmax(axis=1)
    loss = Logistic() if n_classes == 2 else Softmax()
    return Problem(Rows.of(as_source(X, y)), np.bincount(y).astype(float), loss, strength=1.0 / (35 * n))


@pytest.mark.parametrize(("seed", "n_classes"), [(6, 2), (7, 2), (10, 2), (6, 4)])
def test_a_fit_called_converged_has_the_digits_asked_for(seed: int, n_classes: int) -> None:
    problem = texts(seed, n_classes)
    found, best = newton_cg.solve(problem), newton_cg.solve(replace(problem, tol=1e-10))
    assert found.status.value == "converged"
    assert found.objective - best.objective <= 1e-6 * best.objective  # 6e-6 and 1e-5 for two classes before


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_move_gains_what_it_says_and_the_best_of_its_plane_for_two_classes(n_classes: int) -> None:
    system = System(texts(0, n_classes, n=400, p=60))
    point = newton_cg.begin(system)
    direction = ConstantDirection.of(system)
    np.testing.assert_allclose(system.products.times(direction.v[:, None])[:, 0], direction.u, atol=1e-12)
    move = direction.move(system, point, point.g, point.gc)
    scores = system.products.times(move.d) + move.dc
    H = np.vdot(scores, system.curved(point.P, scores.copy())) / 400 + system.problem.strength * np.vdot(move.d, move.d)
    slope = np.vdot(point.g, move.d) + point.gc @ move.dc
    assert move.gain > 0.0
    np.testing.assert_allclose([move.gain, H], [0.5 * slope, slope], rtol=1e-9)
    if n_classes == 2:
        left = point.g[:, 0] - system.products.transposed_times(system.curved(point.P, scores.copy()))[:, 0] / 400
        assert abs(direction.v @ (left - system.problem.strength * move.d[:, 0])) <= 1e-9 * np.linalg.norm(point.g)
