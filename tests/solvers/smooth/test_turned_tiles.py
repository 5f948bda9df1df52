"""Small tables with columns lying together: the sums are those of the formulas."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.data import Block
from separatrix.losses import Logistic, Softmax
from separatrix.solvers.smooth import turned_tiles
from separatrix.solvers.smooth.column_centre import column_centre
from separatrix.solvers.smooth.turned_tiles import TurnedTile


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("form", ["dense", "sparse", "float32"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("values", [20, 100_000], ids=["tiles", "one tile"])
def test_sums_are_those_of_the_formulas(K, form, weighted, values, monkeypatch):
    monkeypatch.setattr(turned_tiles, "VALUES", values)
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(40, 3)).astype(np.float32).astype(float), rng.integers(0, K, 40).astype(np.int32)
    weight = rng.random(40) if weighted else None
    held = {"dense": X, "sparse": sp.csr_array(X), "float32": X.astype(np.float32)}[form]
    centre, R, loss = np.array([0.5, 0.0, -1.0]), 1 if K == 2 else K, Logistic() if K == 2 else Softmax()
    theta, gradient, products = rng.normal(size=(R, 4)), np.zeros((R, 4)), np.zeros((4 * R, 4 * R))
    tiles = TurnedTile.of(Block(held, codes, weight), centre)
    total = sum(tile.add(loss, theta, gradient, products) for tile in tiles)
    A = np.column_stack([X - centre, np.ones(40)])
    S, root = A @ theta.T, np.empty((40, R))
    value = loss.residuals(S, codes, np.empty(0) if weight is None else weight, root)
    Z = (root[:, :, None] * A[:, None, :]).reshape(40, -1)
    assert total == pytest.approx(value, rel=1e-12) and (len(tiles) > 1) == (values == 20)
    np.testing.assert_allclose(gradient, S.T @ A, atol=1e-12)
    np.testing.assert_allclose(products, Z.T @ Z, atol=1e-12)


@pytest.mark.parametrize(("n", "p"), [(7, 3), (3, 7), (60_000, 20), (5, 3_000)])
def test_means_and_ranges_of_columns(n, p):
    X = np.random.default_rng(0).normal(size=(n, p))
    some = X[:: X.size // 1_000_000 + 1] if X.size >= 1_000_000 else X
    centre, far = column_centre(X)
    np.testing.assert_allclose(centre, some.mean(axis=0), atol=1e-12)
    assert not far and column_centre(X + 1e3)[1]


def test_a_column_of_equal_values_has_that_mean():
    assert column_centre(np.full((1000, 2), 0.1))[0].tolist() == [0.1, 0.1]
