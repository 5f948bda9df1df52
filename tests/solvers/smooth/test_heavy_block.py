"""The exact Hessian of the heaviest coefficients: equal to that of the problem, and enough where columns are in units far apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax

from separatrix import LogisticRegression
from separatrix.data import as_source
from separatrix.losses import Softmax
from separatrix.solvers.problem import Problem
from separatrix.solvers.rows import Rows
from separatrix.solvers.smooth import heavy_block
from separatrix.solvers.smooth.system import System


def rows_in_units(n: int, p: int, K: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, p), density=0.05, rng=rng, format="csr")
    Z = X @ (rng.normal(size=(p, K)) * (rng.random((p, 1)) < 0.1))
    y = (3.0 * Z / Z.std() + rng.gumbel(size=(n, K))).argmax(axis=1)
    y[:K] = np.arange(K)
    return sp.csr_array(X @ sp.diags_array(10.0 ** rng.uniform(-6, 6, p))), y


def curvature(X: Any, P: Any, strength: float) -> Any:
    """The Hessian (Kp, Kp) of the mean loss plus λ, classes outermost."""
    n, K = P.shape
    blocks = [[X.T @ (X * (P[:, [k]] * ((k == j) - P[:, [j]]) / n)) for j in range(K)] for k in range(K)]
    return np.block(blocks) + strength * np.eye(K * X.shape[1])


def test_block_is_part_of_hessian() -> None:
    X, y = rows_in_units(40, 30, 3, 0)
    problem = Problem(Rows.of(as_source(X, y)), np.bincount(y).astype(float), Softmax(), strength=0.1, fit_intercept=False)
    system = System(problem)
    W = np.random.default_rng(1).normal(size=(system.products.shape[1], 3)) / np.sqrt(1.0 + system.squares[:, None])
    Z = system.products.times(W)
    point = system.point(W, np.zeros(3), Z, *system.loss(Z))
    columns, scores = np.array([0, 4, 7, 2, 4, 5]), np.array([0, 0, 1, 2, 2, 2])
    whole = curvature(system.products.X.toarray(), softmax(Z, axis=1), 0.1)
    some = scores * len(W) + columns
    H = heavy_block.hessian(system, point, columns * 3 + scores)
    np.testing.assert_allclose(H, whole[some[:, None], some], rtol=1e-9, atol=1e-12 * np.abs(whole).max())
    block = heavy_block.factored(system, point, columns * 3 + scores)
    # Units differ by 1e12, and what a Cholesky factor leaves is rounding in units of each coefficient.
    np.testing.assert_allclose(H @ block.solve(point.g) / block.units, point.g.ravel()[block.pairs] / block.units, atol=1e-9)


def test_columns_in_units_far_apart_are_solved() -> None:
    X, y = rows_in_units(120, 400, 5, 2)
    model = LogisticRegression(C=10.0, fit_intercept=False).fit(X, y)
    strength, dense = 1.0 / (10.0 * len(y)), X.toarray()
    Z = dense @ model.coef_.T
    P = softmax(Z, axis=1)
    loss = float((np.log(np.exp(Z - Z.max(axis=1, keepdims=True)).sum(axis=1)) + Z.max(axis=1) - Z[np.arange(len(y)), y]).mean())
    value = loss + 0.5 * strength * float(np.square(model.coef_).sum())
    g = ((P - np.eye(5)[y]).T @ dense / len(y) + strength * model.coef_).ravel()
    H = curvature(dense, P, strength)
    units = np.sqrt(np.diag(H))
    step = np.linalg.solve(H / units / units[:, None], g / units)
    assert model.solution_.is_converged and 0.5 * step @ (g / units) <= 2e-6 * value
