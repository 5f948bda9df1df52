"""Exact searches along one factor against trying many values of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from separatrix.decisions.cost_factors import along, best_factors
from separatrix.decisions.posteriors import Cases


def cases(rng: Any, n: int, K: int, ties: bool) -> Cases:
    P = rng.dirichlet(np.ones(K), size=n)
    if ties:
        P = np.round(P, 1)
        P[:, 0] += 1.0 - P.sum(axis=1)
        P = np.abs(P) / np.abs(P).sum(axis=1, keepdims=True)
    return Cases(P, rng.integers(K, size=n).astype(np.int32), rng.integers(1, 3, n).astype(float), np.arange(K))


def paid_at(alpha: Any, beta: Any, paid: Any, s: float) -> float:
    return float(paid[np.arange(len(paid)), np.argmin(alpha + s * beta, axis=1)].sum())


@pytest.mark.parametrize("A", [2, 3, 5])
def test_the_search_along_a_line_is_exact(A: int, rng: Any) -> None:
    for _ in range(20):
        alpha, beta, paid = rng.uniform(size=(3, 30, A))
        s, cost = along(alpha, beta, paid, 1.0)
        assert cost == pytest.approx(paid_at(alpha, beta, paid, s))
        assert cost <= min(paid_at(alpha, beta, paid, t) for t in np.exp(np.linspace(-8, 8, 2000))) + 1e-12


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("K", [2, 3, 4])
def test_no_single_factor_gains_any_more(K: int, ties: bool, rng: Any) -> None:
    rows, C = cases(rng, 200, K, ties), rng.uniform(size=(K, K)) * (1 - np.eye(K))
    w = best_factors(rows, C)

    def cost(factors: Any) -> float:
        return float(rows.weight @ C[rows.codes, np.argmin(rows.P @ (factors[:, None] * C), axis=1)])

    assert cost(w) <= cost(np.ones(K))
    for k in range(K):
        for step in np.exp(np.linspace(-3, 3, 200)):
            tried = w.copy()
            tried[k] *= step
            assert cost(tried) >= cost(w) - 1e-9 * rows.n


def test_of_equal_stretches_the_nearest_is_kept() -> None:
    alpha, beta, paid = np.zeros((1, 2)), np.array([[1.0, 2.0]]), np.array([[0.0, 5.0]])
    assert along(alpha, beta, paid, 3.0) == (3.0, 0.0)
