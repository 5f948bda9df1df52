"""The largest margin against bounds that any point of the hull proves, and Novikoff's bound against mistakes made."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.data import as_source
from separatrix.errors import InputError
from separatrix.solvers.mistakes.online import Progress, Rule, learn
from separatrix.solvers.mistakes.perceptron_margin import mistake_bound
from tests.solvers.mistakes.test_online import SEED, begin, rows


def separable(rng: Any, K: int, n: int = 200, p: int = 3) -> tuple[Any, Any]:
    X, W = rng.normal(size=(n, p)), rng.normal(size=(K, p + 1))
    f = np.sort(X @ W[:, :-1].T + W[:, -1], axis=1)
    far = f[:, -1] - f[:, -2] > 0.3
    return X[far], (X @ W[:, :-1].T + W[:, -1]).argmax(axis=1)[far]


def best_margin(X: Any, y: Any, c: Any, K: int, unit: float) -> tuple[float, float]:
    """Return bounds on the largest margin: a point of the hull of all rows a and the margin of its direction, by Wolfe's nearest point."""
    Z = c[:, None] * np.column_stack([X, np.full(len(X), unit)])
    if K == 2:
        A = np.where(y == 1, 1.0, -1.0)[:, None] * Z
    else:
        A = np.array([np.outer(np.eye(K)[y[i]] - np.eye(K)[k], Z[i]).ravel() for i in range(len(X)) for k in range(K) if k != y[i]])
    share = np.zeros(len(A))
    share[np.argmin(np.einsum("ij,ij->i", A, A))] = 1.0
    while (A @ (A.T @ share)).min() < (1.0 - 1e-8) * np.sum((A.T @ share) ** 2):
        held = np.append(np.flatnonzero(share), (A @ (A.T @ share)).argmin())
        while True:
            G = np.block([[A[held] @ A[held].T, np.ones((len(held), 1))], [np.ones((1, len(held))), np.zeros((1, 1))]])
            wanted = np.linalg.lstsq(G, np.append(np.zeros(len(held)), 1.0), rcond=None)[0][:-1]
            if (wanted > 0.0).all():
                break
            step = min(share[i] / (share[i] - w) for i, w in zip(held, wanted) if w <= 0.0)
            share[held] += step * (wanted - share[held])
            share[held[share[held] <= 1e-15]] = 0.0
            held = held[share[held] > 0.0]
        share[:] = 0.0
        share[held] = wanted
    point = A.T @ share
    return float((A @ point).min() / np.linalg.norm(point)), float(np.linalg.norm(point))


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("make", [lambda X: X, sp.csr_array], ids=["dense", "sparse"])
def test_the_margin_is_the_largest_and_the_bound_holds(K: int, make: Any, rng: Any) -> None:
    X, y = separable(rng, K)
    c = rng.integers(1, 3, len(y)).astype(float)
    source = as_source(make(X), y, c)
    for eta, start in ((1.0, np.zeros((1 if K == 2 else K, 4))), (0.5, rng.normal(size=(1 if K == 2 else K, 4)))):
        end, status, _ = learn(source, Rule(eta=eta), Progress.begin(start, False), SEED)
        found = mistake_bound(source, end.weights, end.mistakes, end.start_norm / eta, 1.0)
        assert status.converged and 0 < end.mistakes <= found.bound
        low, high = best_margin(X, y, c, K, 1.0)
        assert low * (1 - 1e-6) <= found.margin <= high * (1 + 1e-6)
        assert 0 < found.margin_found <= found.margin * (1 + 1e-9)
        largest = (c * np.sqrt((X**2).sum(axis=1) + 1)).max()
        assert found.radius == pytest.approx(largest * (1 if K == 2 else np.sqrt(2)))
        assert found.bound == pytest.approx((found.radius / found.margin) ** 2 + 2 * np.linalg.norm(start) / eta / found.margin)


def test_the_margin_of_many_rows_needs_few_at_a_time(rng: Any) -> None:
    X = rng.normal(size=(50_000, 6))
    y = (X[:, 0] > 0).astype(int)
    X[:, 0] += np.where(y == 1, 0.5, -0.5)
    source = as_source(X, y)
    margin = mistake_bound(source, np.eye(1, 7), 0, 0.0, 0.0).margin
    assert 0.5 <= margin < 0.6
    rows = np.argsort(np.abs(X[:, 0]))[:300]
    low, high = best_margin(X[rows], y[rows], np.ones(300), 2, 0.0)
    assert low * (1 - 1e-6) <= margin <= high * (1 + 1e-6)


@pytest.mark.parametrize("K", [2, 3])
def test_no_margin_no_bound(K: int, rng: Any) -> None:
    X, y = rows(rng, K, n=400)
    with pytest.raises(InputError, match="No hyperplane separates the classes, so there is no margin"):
        mistake_bound(as_source(X, y), begin(X, K).weights, 0, 0.0, 1.0)
    X, y = separable(rng, K)
    with pytest.raises(InputError, match="through the origin separates.*Row 3 is all zeros.*fit_intercept=True"):
        mistake_bound(as_source(np.where(np.arange(len(y))[:, None] == 3, 0.0, X), y), np.zeros((1 if K == 2 else K, 4)), 0, 0.0, 0.0)
