"""The fused passes against products, losses and slopes taken one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.kernels import cross_entropy as kernels
from separatrix.kernels.softmax import curved_residuals, residuals
from separatrix.losses import Logistic, Softmax

SIZES = [1, 3, 64, 65, 130]
NONE = np.empty(0)


def test_exponentials(rng: Any) -> None:
    v = np.append(-np.abs(20 * rng.standard_normal(1000)), [0.0, -0.0, -700.0, -1e9, -np.inf, -1e-300])
    found = v.copy()
    kernels.exponentials(found, np.empty(v.size, dtype=np.int64))
    assert_allclose(found, np.exp(np.maximum(v, -700.0)), rtol=4.5e-16)
    missing = np.array([np.nan])
    kernels.exponentials(missing, np.empty(1, dtype=np.int64))
    assert np.isnan(missing[0])


def rows(rng: Any, n: int, K: int, dtype: Any) -> tuple[Any, ...]:
    X, codes = rng.normal(size=(n, 5)).astype(dtype), rng.integers(0, K, n).astype(np.int32)
    return X, codes, 3 * rng.normal(size=(K, 5)), rng.normal(size=K)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_softmax_rows(n: int, weighted: bool, dtype: Any, rng: Any) -> None:
    X, codes, W, c = rows(rng, n, 4, dtype)
    weight = rng.integers(0, 3, n).astype(float) if weighted else NONE
    s, Z, gradient = weight if weighted else np.ones(n), X @ W.T + c, np.ones((4, 6))
    loss = kernels.softmax_rows(X, codes, weight, W, c, gradient)
    slopes = s[:, None] * Softmax().slope(Z, codes)
    assert loss == pytest.approx(s @ Softmax().value(Z, codes), rel=1e-12, abs=1e-12)
    assert_allclose(gradient, 1.0 + np.column_stack([slopes.T @ X, slopes.sum(axis=0)]), atol=1e-10)


@pytest.mark.parametrize("weight", [NONE, np.ones(3)], ids=["plain", "weighted"])
@pytest.mark.parametrize("margin", [20.0, 30.0, 40.0])
def test_tiny_losses_have_all_their_digits(margin: float, weight: Any) -> None:
    """Whatever order a compiler adds in: log(1 + 2e^(−margin)) rounded to 1 + … would be off by 1e-16."""
    codes, eye, expected = np.array([0, 1, 2], dtype=np.int32), np.eye(3), 3.0 * np.log1p(2.0 * np.exp(-margin))
    scores, again = margin * eye, margin * eye
    assert residuals(scores, codes, weight) == pytest.approx(expected, rel=1e-13, abs=0.0)
    assert curved_residuals(again, codes, weight, np.empty((3, 3))) == pytest.approx(expected, rel=1e-13, abs=0.0)
    assert kernels.softmax_rows(eye, codes, weight, margin * eye, np.zeros(3), np.zeros((3, 4))) == pytest.approx(
        expected, rel=1e-13, abs=0.0
    )
    assert np.diag(scores) == pytest.approx(-2.0 / (np.exp(margin) + 2.0), rel=1e-13, abs=0.0)
    losses = np.zeros(1)
    kernels.logistic_rows(eye, codes, weight, codes[:1], 2.0 * margin * eye[:1], -np.full(1, margin), losses, np.zeros((1, 4)))
    assert losses[0] == pytest.approx(3.0 * np.log1p(np.exp(-margin)), rel=1e-13, abs=0.0)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("targets", [[1], [2, 0]])
def test_logistic_rows_of_several_machines(n: int, weighted: bool, targets: list[int], rng: Any) -> None:
    X, codes, W, c = rows(rng, n, 3, np.float64)
    W, c, M = W[: len(targets)], c[: len(targets)], len(targets)
    weight = rng.integers(0, 3, n).astype(float) if weighted else NONE
    s, losses, gradient = weight if weighted else np.ones(n), np.ones(M), np.ones((M, 6))
    kernels.logistic_rows(X, codes, weight, np.array(targets, dtype=np.int32), W, c, losses, gradient)
    for k in range(M):
        y, z = np.where(codes == targets[k], 1.0, -1.0), X @ W[k] + c[k]
        slopes = s * Logistic().slope(z, y)
        assert losses[k] == pytest.approx(1.0 + s @ Logistic().value(z, y), rel=1e-12)
        assert_allclose(gradient[k], 1.0 + np.append(slopes @ X, slopes.sum()), atol=1e-10)


def test_tiny_losses_keep_their_digits() -> None:
    X, codes, losses, gradient = np.full((100, 1), 40.0), np.ones(100, dtype=np.int32), np.zeros(1), np.zeros((1, 2))
    kernels.logistic_rows(X, codes, NONE, np.ones(1, dtype=np.int32), np.ones((1, 1)), np.zeros(1), losses, gradient)
    assert losses[0] == pytest.approx(100 * np.exp(-40.0), rel=1e-12)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_value_that_is_not_finite_shows(value: float, rng: Any) -> None:
    X, codes, W, c = rows(rng, 70, 3, np.float64)
    X[66, 2] = value
    soft, one, losses = np.zeros((3, 6)), np.zeros((1, 6)), np.zeros(1)
    total = kernels.softmax_rows(X, codes, NONE, W, c, soft)
    kernels.logistic_rows(X, codes, NONE, np.ones(1, dtype=np.int32), W[:1], c[:1], losses, one)
    assert not (np.isfinite(total) and np.isfinite(soft).all()) and not (np.isfinite(losses[0]) and np.isfinite(one).all())


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_curved_logistic_rows(n: int, weighted: bool, dtype: Any, rng: Any) -> None:
    X, codes, W, c = rows(rng, n, 2, dtype)
    W, c = W[:1], c[:1]
    weight = rng.integers(0, 3, n).astype(float) if weighted else NONE
    s, y, z = weight if weighted else np.ones(n), np.where(codes == 1, 1.0, -1.0), X @ W[0] + c[0]
    gradient, Z = np.ones((1, 6)), np.empty((n, 6))
    loss = kernels.curved_logistic_rows(X, codes, weight, W, c, gradient, Z)
    slopes = s * Logistic().slope(z, y)
    assert loss == pytest.approx(s @ Logistic().value(z, y), rel=1e-12, abs=1e-12)
    assert_allclose(gradient[0], 1.0 + np.append(slopes @ X, slopes.sum()), atol=1e-10)
    assert_allclose(Z, np.sqrt(s * Logistic().curvature(z, y))[:, None] * np.column_stack([X, np.ones(n)]), atol=1e-12)
