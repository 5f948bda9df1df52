"""The quadratic step on sparse columns: the minimum of the explicit quadratic, whatever the road to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.solvers.sparse import column_descent
from separatrix.solvers.sparse.column_descent import ColumnDescent
from separatrix.solvers.sparse.l1_quadratic import violation


def quadratic(rng: Any, n: int = 80, p: int = 30) -> tuple[Any, Any, Any, Any, Any]:
    X = sp.csc_array(np.where(rng.random((n, p)) < 0.4, rng.normal(size=(n, p)) + 1.0, 0.0))
    chosen = np.sort(rng.choice(p, 20, replace=False))
    return X, chosen, rng.random(n), 5.0 * rng.normal(size=21), rng.normal(size=21) * (rng.random(21) < 0.5)


@pytest.mark.parametrize("index", [np.uint32, np.uint64])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("l2", [0.0, 0.7])
@pytest.mark.parametrize("settling", [1, 10**9], ids=["conjugate gradients", "sweeps alone"])
def test_the_end_is_the_minimum(index: Any, intercept: bool, l2: float, settling: int, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(column_descent, "SETTLING", settling)
    monkeypatch.setattr(column_descent, "MOVING", 1.0)
    monkeypatch.setattr(column_descent, "SWEEPS", 2_000)
    X, chosen, h, g, start = quadratic(rng)
    g[-1], start[-1] = (g[-1], start[-1]) if intercept else (0.0, 0.0)
    parts = X.data, X.indices.astype(index), X.indptr.astype(index)
    end, dz = ColumnDescent(parts, chosen, h, 3.0, l2, intercept, np.array([1])).minimise(g, start, 1e-11, 0.0)
    A = np.column_stack([X.toarray()[:, chosen], np.full(len(h), float(intercept))])
    H = (A * h[:, None]).T @ A + l2 * np.diag(np.append(np.ones(20), 0.0))
    assert violation(g + H @ (end - start), end, np.append(np.full(20, 3.0), 0.0)).max() < 1e-8
    assert_allclose(dz, A @ (end - start), atol=1e-9)
    assert (end[:-1] == 0.0).any() and (end[:-1] != 0.0).any()


def test_rows_without_curvature_keep_their_scores(rng: Any) -> None:
    X, chosen, h, g, start = quadratic(rng)
    h[:10] = 0.0
    end, dz = ColumnDescent(
        (X.data, X.indices.view(np.uint32), X.indptr.view(np.uint32)), chosen, h, 3.0, 0.1, True, np.array([1])
    ).minimise(g, start, 1e-7, 0.0)
    assert_allclose(dz, X[:, chosen] @ (end - start)[:-1] + (end - start)[-1], atol=1e-7)
