"""The scoring kernels against their one-line specifications."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from separatrix.kernels import scores as kernels


@pytest.mark.parametrize("n", [1, 3, 4, 11])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_linear_scores(n: int, dtype: Any, rng: Any) -> None:
    X, coef, intercept, out = rng.normal(size=(n, 5)).astype(dtype), rng.normal(size=(3, 5)), rng.normal(size=3), np.empty((n, 3))
    kernels.linear_scores(X, coef, intercept, out)
    assert_allclose(out, X @ coef.T + intercept, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_diagonal_scores(dtype: Any, rng: Any) -> None:
    X, means, precision, offset, out = (
        rng.normal(size=(7, 5)).astype(dtype),
        rng.normal(size=(3, 5)),
        rng.random((3, 5)),
        np.arange(3.0),
        np.empty((7, 3)),
    )
    kernels.diagonal_scores(X, means, precision, offset, out)
    assert_allclose(out, offset - 0.5 * ((X[:, None] - means) ** 2 * precision).sum(axis=2), rtol=1e-12)


@pytest.mark.parametrize("columns", [1, 2, 6])
def test_argmax_takes_the_first_of_equals_and_sees_what_is_not_finite(columns: int, rng: Any) -> None:
    scores = rng.integers(-3, 4, size=(200, columns)).astype(float)
    codes = np.empty(200, dtype=np.int32)
    assert kernels.argmax_rows(scores, codes)
    assert_array_equal(codes, scores[:, 0] > 0 if columns == 1 else scores.argmax(axis=1))
    for bad in (np.nan, np.inf, -np.inf):
        scores[150, columns - 1] = bad
        assert not kernels.argmax_rows(scores, codes)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 11])
@pytest.mark.parametrize("classes", [1, 2, 5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_linear_argmax_is_the_argmax_of_the_scores(n: int, classes: int, dtype: Any, rng: Any) -> None:
    X, coef, intercept = rng.normal(size=(n, 5)).astype(dtype), rng.normal(size=(classes, 5)), rng.normal(size=classes)
    scores, codes = np.empty((n, classes)), np.empty(n, dtype=np.int32)
    kernels.linear_scores(X, coef, intercept, scores)
    assert kernels.linear_argmax(X, coef, intercept, codes)
    assert_array_equal(codes, scores[:, 0] > 0 if classes == 1 else scores.argmax(axis=1))
    for bad in (np.nan, np.inf, -np.inf):
        X[n - 1, 2] = bad
        assert not kernels.linear_argmax(X, coef, intercept, codes)


def test_the_two_largest_are_those_of_a_partition(rng: Any) -> None:
    S, b = rng.normal(size=(23, 400)).astype(np.float32), rng.normal(size=23).astype(np.float32)
    first, second, codes = np.full(400, -np.inf, np.float32), np.full(400, -np.inf, np.float32), np.zeros(400, dtype=np.int32)
    kernels.two_largest(S, b, first, second, codes)
    Z = S + b[:, None]
    assert (codes == Z.argmax(axis=0)).all()
    np.testing.assert_allclose(np.stack([second, first]), np.sort(Z, axis=0)[-2:], rtol=1e-6)
