"""The counting kernels are their NumPy one-liners."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from separatrix.kernels import counts

NONE = np.empty(0)


def rows(rng: Any, n: int = 40, p: int = 6) -> tuple[Any, Any, Any]:
    return rng.poisson(0.7, size=(n, p)).astype(float), rng.integers(0, 3, n).astype(np.int32), rng.random(n)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_by_class(dtype: Any, weighted: bool, rng: Any) -> None:
    X, codes, w = rows(rng)
    share = (codes[:, None] == np.arange(3)) * (w[:, None] if weighted else 1.0)
    dense, sparse = np.zeros((3, 6)), np.zeros((3, 6))
    S = sp.csr_array(X)
    counts.add_rows(X.astype(dtype), codes, w if weighted else NONE, 0.0, dense)
    counts.add_sparse(S.data, S.indices, S.indptr, codes, w if weighted else NONE, 0.0, sparse)
    assert_allclose(dense, share.T @ X)
    assert_allclose(sparse, share.T @ X)


def test_values_below_the_floor_and_nan_spoil_their_total_only(rng: Any) -> None:
    X, codes, _ = rows(rng)
    X[3, 1], X[5, 4] = -1.0, np.nan
    totals = np.zeros((3, 6))
    counts.add_rows(X, codes, NONE, 0.0, totals)
    assert set(zip(*np.nonzero(np.isnan(totals)))) == {(codes[3], 1), (codes[5], 4)}
    totals = np.zeros((3, 6))
    counts.add_rows(X, codes, NONE, -np.inf, totals)
    assert set(zip(*np.nonzero(np.isnan(totals)))) == {(codes[5], 4)}


def test_switch() -> None:
    on = np.empty(6)
    counts.switch(np.array([0.0, 0.5, 2.0, np.nan, np.inf, -np.inf]), 0.5, on)
    assert_array_equal(on, [0, 0, 1, np.nan, np.nan, np.nan])


@pytest.mark.parametrize("K", [1, 3])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_scores(K: int, index: Any, rng: Any) -> None:
    X, _, _ = rows(rng)
    S, weights = sp.csr_array(X), rng.normal(size=(6, K))
    scores = np.ones((40, K))
    counts.add_sparse_scores(S.data, S.indices.astype(index), S.indptr.astype(index), weights, 0.0, scores)
    assert_allclose(scores, 1.0 + X @ weights)
    S.data[0] = -1.0
    counts.add_sparse_scores(S.data, S.indices, S.indptr, weights, 0.0, scores)
    assert np.isnan(scores[np.flatnonzero(np.diff(S.indptr))[0]]).all() and np.isnan(scores).any(axis=1).sum() == 1


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_categories(dtype: Any, rng: Any) -> None:
    X, codes, w = rows(rng)
    X[2, 2] = np.nan
    top = np.full(6, -1.0)
    assert counts.top_categories(X.astype(dtype), True, top) and not counts.top_categories(X.astype(dtype), False, top.copy())
    assert_array_equal(top, np.nanmax(X, axis=0))
    starts = np.concatenate([[0], np.cumsum(top + 1)]).astype(np.int64)
    cells = np.zeros((3, starts[-1]))
    counts.add_categories(X.astype(dtype), codes, w, starts, cells)
    for j in range(6):
        expected = [[w[(codes == k) & (X[:, j] == c)].sum() for c in range(int(top[j]) + 1)] for k in range(3)]
        assert_allclose(cells[:, starts[j] : starts[j + 1]], expected)


@pytest.mark.parametrize("value", [-1.0, 0.5, np.inf])
def test_no_category(value: float) -> None:
    X = np.array([[1.0, value]])
    assert not counts.top_categories(X, True, np.zeros(2)) or value == np.inf
    scores, unknown = np.zeros((1, 2)), np.zeros(2, dtype=np.int64)
    counts.add_category_scores(X, np.array([0, 2, 4]), np.ones((4, 2)), True, scores, unknown)
    assert np.isnan(scores).all() and not unknown.any()


def test_category_scores(rng: Any) -> None:
    X = np.array([[0.0, 1.0], [1.0, 5.0], [np.nan, 0.0]])
    table = rng.normal(size=(4, 3))
    scores, unknown = np.zeros((3, 3)), np.zeros(2, dtype=np.int64)
    counts.add_category_scores(X, np.array([0, 2, 4]), table, True, scores, unknown)
    assert_allclose(scores, [table[0] + table[3], table[1], table[2]])
    assert unknown.tolist() == [0, 1]
    counts.add_category_scores(X, np.array([0, 2, 4]), table, False, scores, unknown)
    assert np.isnan(scores).any(axis=1).tolist() == [False, False, True]
