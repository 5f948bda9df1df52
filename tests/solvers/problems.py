"""Small problems on which every smooth solver is tried, and an independent solution of each."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from separatrix.data import as_source
from separatrix.losses import Logistic, Softmax
from separatrix.solvers.problem import Problem
from separatrix.solvers.rows import Rows


def make_rows(n: int = 200, p: int = 6, K: int = 2, seed: int = 0, offset: float = 0.0) -> tuple[Any, Any]:
    """Return overlapping classes with correlated columns of different units."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) @ (np.eye(p) + 0.3 * rng.standard_normal((p, p)))
    Z = X @ rng.standard_normal((p, K))
    y = (1.5 * Z / Z.std() + rng.gumbel(size=(n, K))).argmax(axis=1)
    y[:K] = np.arange(K)
    return X * np.geomspace(0.1, 10, p) + offset, y


def make_problem(X: Any, y: Any, C: float = 1.0, weight: Any = None, **options: Any) -> Problem:
    source = as_source(X, y, weight)
    rows = Rows.of(source)
    K = len(source.classes)  # type: ignore[arg-type]
    counts = np.bincount(rows.codes, weights=rows.weight, minlength=K).astype(float)
    strength = 0.0 if np.isinf(C) else 1.0 / (C * counts.sum())
    return Problem(rows, counts, Logistic() if K == 2 else Softmax(), strength, **options)


def make_sparse(n: int = 150, p: int = 300, K: int = 2, seed: int = 0, index: Any = np.int32) -> tuple[Any, Any]:
    """Return sparse rows with more columns than rows."""
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, p), density=0.05, rng=rng, format="csr")
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    Z = X @ rng.standard_normal((p, K)) * 3
    y = (Z + rng.gumbel(size=(n, K)) * 0.5).argmax(axis=1)
    y[:K] = np.arange(K)
    return X, y


def elastic_net(w: Any, r: float) -> float:
    """Return (1 − r)/2 ‖w‖² + r‖w‖₁."""
    return float(0.5 * (1.0 - r) * np.sum(w * w) + r * np.abs(w).sum())


def objective(problem: Problem, coef: Any, intercept: Any) -> tuple[float, Any, Any]:
    """Return f and its gradient by the formulas alone: no pass, no kernel, no centring."""
    X = problem.rows.X.toarray() if problem.rows.is_sparse else problem.rows.X.astype(float)
    codes = problem.rows.codes
    s = np.ones(len(X)) if problem.rows.weight is None else problem.rows.weight
    Z = X @ coef.T + intercept
    if len(coef) == 1:
        y = np.where(codes == 1, 1.0, -1.0)
        values, R = Logistic().value(Z[:, 0], y), Logistic().slope(Z[:, 0], y)[:, None]
    else:
        values, R = Softmax().value(Z, codes), Softmax().slope(Z, codes)
    R = R * s[:, None] / s.sum()
    f = s @ values / s.sum() + 0.5 * problem.strength * np.sum(coef**2)
    return f, R.T @ X + problem.strength * coef, R.sum(axis=0)
