"""Products with rows in memory against NumPy, for both widths of indices; the vector sweeps of conjugate gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from separatrix.kernels.conjugate import advance, turn
from separatrix.kernels.sparse_products import add_transposed, add_weighted_pairs, mirror
from separatrix.solvers import rows as rows_module
from separatrix.solvers.products import Products
from separatrix.summaries.grouped import csr_parts
from tests.solvers.problems import make_problem, make_sparse


@pytest.fixture(params=["int32", "int64", "dense", "float32"])
def case(request: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(rows_module, "CHUNK_VALUES", 100)
    monkeypatch.setattr("separatrix.solvers.products.CHUNK_VALUES", 100)
    X, y = make_sparse(index=np.int64 if request.param == "int64" else np.int32)
    dense = X.toarray()
    if request.param == "float32":
        dense = dense.astype(np.float32)
    rows = make_problem(dense if request.param in ("dense", "float32") else X, y).rows
    return Products(rows), dense.astype(float)


@pytest.mark.parametrize("K", [1, 3])
def test_products_are_those_of_numpy(case: Any, K: int) -> None:
    products, X = case
    rng = np.random.default_rng(0)
    V, U = rng.standard_normal((300, K)), rng.standard_normal((150, K))
    np.testing.assert_allclose(products.times(V), X @ V, atol=1e-12)
    np.testing.assert_allclose(products.transposed_times(U), X.T @ U, atol=1e-12)
    np.testing.assert_allclose(products.squares_times(U), (X**2).T @ U, rtol=1e-6, atol=1e-12)
    out = np.empty_like(V)
    dot = products.penalised(U, 0.5, V, 0.1, out)
    np.testing.assert_allclose(out, 0.5 * X.T @ U + 0.1 * V, atol=1e-12)
    assert dot == pytest.approx(np.sum(V * out))


def test_column_squares(case: Any) -> None:
    products, X = case
    weight = np.random.default_rng(0).random(150)
    np.testing.assert_allclose(products.column_squares(None), (X**2).sum(axis=0), atol=1e-12)
    np.testing.assert_allclose(products.column_squares(weight), weight @ X**2, atol=1e-12)


def test_pairs_and_scattered_sums() -> None:
    X, y = make_sparse(p=40)  # more columns than a tile that is mirrored
    parts, dense, h = csr_parts(make_problem(X, y).rows.held[0]), X.toarray(), np.random.default_rng(0).random(150)
    out, Z = np.zeros((41, 41)), np.column_stack([dense, np.ones(150)])
    add_weighted_pairs(*parts, h, out)
    np.testing.assert_allclose(np.tril(out), np.tril(Z.T * h @ Z), atol=1e-12)
    mirror(out)
    np.testing.assert_allclose(out, Z.T * h @ Z, atol=1e-12)
    sums = np.zeros((40, 2))
    add_transposed(*parts, np.column_stack([h, h]), sums)
    np.testing.assert_allclose(sums, dense.T @ np.column_stack([h, h]), atol=1e-12)


@pytest.mark.parametrize("columns", [1, 3])
def test_the_sweeps_of_conjugate_gradients(columns: int) -> None:
    rng = np.random.default_rng(0)
    p, Hp, d, r = rng.standard_normal((4, 7, 3))
    a, h = rng.random((7, columns)), rng.random(3)
    M = 1 + a * h
    new_d, new_r, new_p = d + 0.3 * p, r - 0.3 * Hp, (r - 0.3 * Hp) / M + 0.7 * p
    assert advance(0.3, p, Hp, a, h, d, r) == pytest.approx(np.sum(new_r**2 / M))
    turn(0.7, r, a, h, p)
    for found, expected in ((d, new_d), (r, new_r), (p, new_p)):
        np.testing.assert_allclose(found, expected, atol=1e-14)
