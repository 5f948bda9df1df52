"""Scores of many rows are made and compared in parts that fit into a cache: what comes out does not show where a part ends."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax

from separatrix.data import Block
from separatrix.solvers import scores


@pytest.mark.parametrize("n_classes", [3, scores.SHORT, scores.SHORT + 1, 300])
@pytest.mark.parametrize("order", ["C", "F"])
def test_posteriors_are_the_softmax(n_classes: int, order: str) -> None:
    n = 2 * (scores.SOFTMAX_VALUES // n_classes) + 3
    S = np.asarray(np.random.default_rng(0).normal(0.0, 30.0, (n, n_classes)), order=order)
    S[1, 0] = -np.inf
    before = S.copy()
    assert_allclose(scores.posteriors_of(S), softmax(S, axis=1), rtol=1e-12, atol=1e-300)
    assert_array_equal(S, before)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("n_classes", [scores.FEW_CLASSES, scores.FEW_CLASSES + 1, 150])
def test_codes_are_those_of_the_scores(n_classes: int, dtype: str) -> None:
    rng = np.random.default_rng(1)
    block = Block(rng.normal(size=(9_001, 7)).astype(dtype))
    coef, intercept = rng.normal(size=(n_classes, 7)), rng.normal(size=n_classes)
    expected = (block.X.astype(np.float64) @ coef.T + intercept).argmax(axis=1)
    assert_array_equal(scores.linear_codes(block, coef, intercept), expected)
    X = block.X.copy()
    X[9_000, 3] = np.nan
    assert scores.linear_codes(Block(X), coef, intercept) is None


@pytest.mark.parametrize("scale", [1e-20, 1.0, 1e15])
@pytest.mark.parametrize("twins", [0.0, 1e-9, 1e-3])
def test_rows_of_float32_have_the_class_that_float64_finds(scale: float, twins: float) -> None:
    rng = np.random.default_rng(0)
    X, W, b = (scale * rng.normal(size=(1_500, 12))).astype(np.float32), rng.normal(size=(30, 12)), rng.normal(size=30)
    W[7], b[7] = W[3] * (1.0 + twins), b[3]  # closer to each other than float32 can tell
    Z = X.astype(np.float64) @ W.T + b
    found = scores.linear_codes(Block(X), W, b)
    assert found is not None
    largest = Z.max(axis=1)
    assert (Z[np.arange(len(X)), found] >= largest - 1e-12 * np.abs(Z).max(axis=1)).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_rows_of_float32_that_are_not_finite_are_told(value: float) -> None:
    X = np.random.default_rng(0).normal(size=(1_500, 12)).astype(np.float32)
    X[1_200, 4] = value
    assert scores.linear_codes(Block(X), np.ones((30, 12)), np.zeros(30)) is None


def test_posteriors_may_take_the_memory_of_their_scores() -> None:
    for K in (2, 5, 100):
        Z = np.random.default_rng(K).normal(scale=20.0, size=(300, K))
        expected = softmax(Z, axis=1)
        assert scores.posteriors_of(Z, out=Z) is Z
        assert_allclose(Z, expected, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("n_classes", [1, 5])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_single_sparse_row_is_scored_like_many(n_classes: int, dtype: str) -> None:
    rng = np.random.default_rng(2)
    coef, intercept = rng.normal(size=(n_classes, 40)), rng.normal(size=n_classes)
    data, indices = rng.normal(size=6).astype(dtype), np.array([31, 2, 2, 7, 0, 39])  # in no order, and one column twice
    row = sp.csr_array((data, indices, np.array([0, 6])), shape=(1, 40))
    for X in (row, sp.csr_array((1, 40), dtype=dtype)):
        assert_allclose(
            scores.linear_scores(Block(X), coef, intercept), X.astype(np.float64).toarray() @ coef.T + intercept, rtol=1e-12, atol=1e-15
        )
