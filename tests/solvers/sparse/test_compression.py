"""Merged columns pose the same problem: same scores, same penalty, same solution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.solvers.smooth import newton_cg
from separatrix.solvers.sparse.compression import Compression
from tests.solvers.problems import make_problem, make_sparse


def rows() -> Any:
    X, _ = make_sparse(n=40, p=60)
    rare = sp.csr_array((np.arange(1.0, 31.0), (np.arange(30) % 7, np.arange(30))), shape=(40, 30))
    both: Any = [X, rare]
    return sp.csr_array(sp.hstack(both))


def test_columns_of_one_row_become_one_with_their_length() -> None:
    X = rows()
    small = Compression.of(X)
    stored = np.bincount(X.indices, minlength=90)
    assert small.X.shape[1] == (stored > 1).sum() + len(np.unique(X.tocsc().indices[X.tocsc().indptr[np.flatnonzero(stored == 1)]]))
    np.testing.assert_allclose((small.X @ small.X.T).toarray(), (X @ X.T).toarray(), atol=1e-12)
    np.testing.assert_allclose(small.transposed.toarray(), small.X.toarray().T)


def test_there_and_back() -> None:
    X = rows()
    small = Compression.of(X)
    U = np.random.default_rng(0).standard_normal((small.X.shape[1], 3))
    W = small.expand(U, 90)
    np.testing.assert_allclose(X @ W, small.X @ U, atol=1e-12)
    assert np.sum(W**2) == pytest.approx(np.sum(U**2))
    np.testing.assert_allclose(small.shorten(W), U, atol=1e-12)


def test_values_stored_as_zero_stay_without_coefficient() -> None:
    X = rows()
    X.data[X.tocsc().indptr[-2] :][:0] = 0.0
    zero = sp.csr_array((np.append(X.data, 0.0), np.append(X.indices, 90), np.append(X.indptr[:-1], X.nnz + 1)), shape=(40, 91))
    small = Compression.of(zero)
    W = small.expand(np.ones((small.X.shape[1], 1)), 91)
    assert W[90, 0] == 0.0 and np.isfinite(W).all()


def test_the_solution_is_that_of_the_columns_as_given(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = make_sparse(K=3)
    merged = newton_cg.solve(make_problem(X, y, tol=1e-8))
    dense = newton_cg.solve(make_problem(X.toarray(), y, tol=1e-8))
    np.testing.assert_allclose(merged.coef, dense.coef, atol=1e-5)
