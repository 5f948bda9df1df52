"""The quadratic step of softmax on sparse columns: the minimum of the explicit quadratic, whatever the road to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.solvers.sparse import class_columns
from separatrix.solvers.sparse.class_columns import ClassColumns
from separatrix.solvers.sparse.l1_quadratic import violation

K, N, WIDTH = 4, 80, 15


def explicit(X: Any, chosen: list[Any], P: Any, share: Any) -> tuple[Any, Any]:
    """Return A (K n, Σ q_k + K), from coefficients and intercepts to scores, and the curvature (K n, K n)."""
    A = np.zeros((K, N, sum(map(len, chosen)) + K))
    at = 0
    for k, own in enumerate(chosen):
        A[k, :, at : at + len(own)] = X.toarray()[:, own]
        A[k, :, k - K] = 1.0
        at += len(own)
    C = np.einsum("n,kn,kl,nm->knlm", share, P, np.eye(K), np.eye(N)) - np.einsum("n,kn,ln,nm->knlm", share, P, P, np.eye(N))
    return A.reshape(K * N, -1), C.reshape(K * N, K * N)


@pytest.mark.parametrize("index", [np.uint32, np.uint64])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("l2", [0.0, 0.02])
@pytest.mark.parametrize("settling", [1, 10**9], ids=["conjugate gradients", "sweeps alone"])
def test_the_end_is_the_minimum(index: Any, intercept: bool, l2: float, settling: int, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(class_columns, "SETTLING", settling)
    monkeypatch.setattr(class_columns, "MOVING", 1.0)
    monkeypatch.setattr(class_columns, "SWEEPS", 5_000)
    X = sp.csc_array(np.where(rng.random((N, WIDTH)) < 0.4, rng.normal(size=(N, WIDTH)) + 1.0, 0.0))
    chosen = [np.flatnonzero(rng.random(WIDTH) < 0.7) for _ in range(K)]
    P, share = rng.dirichlet(np.ones(K), N).T.copy(), rng.dirichlet(np.ones(N))
    q = sum(map(len, chosen))
    g, start, g_b = 0.3 * rng.normal(size=q), rng.normal(size=q) * (rng.random(q) < 0.5), 0.1 * rng.normal(size=K) * intercept
    g_b -= g_b.mean()
    parts = X.data, X.indices.astype(index), X.indptr.astype(index)
    model = ClassColumns(parts, chosen, P, share, 0.1, l2, intercept, np.array([1]))
    end, shift, V = model.minimise(g, g_b, start, 1e-11, 0.0)
    A, C = explicit(X, chosen, P, share)
    d = np.append(end - start, shift)
    slope = np.append(g, g_b) + A.T @ (C @ (A @ d)) + l2 * np.append(end - start, np.zeros(K))
    assert_allclose(V.ravel(), A @ d, atol=1e-9)
    assert violation(slope[:-K], end, np.full(q, 0.1)).max() < 1e-8
    assert not intercept or np.abs(slope[-K:]).max() < 1e-9
    assert (end == 0.0).any() and (end != 0.0).any()
