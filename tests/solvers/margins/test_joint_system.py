"""The system of a joint step: factor and conjugate gradients solve the matrix as written."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.solvers.margins.joint_system import Conjugate, factored

K, Q = 4, 6


def test_both_roads_solve_the_matrix(rng: Any) -> None:
    Z = rng.normal(size=(50, Q)) * (rng.random((50, Q)) < 0.5) * 10.0 ** np.array([-6, -3, 0, 3, 6, 0])
    d, ridge, right = 10.0 ** rng.uniform(-3, 3, (50, K)), np.ones(Q), rng.normal(size=(K, Q))
    right -= right.mean(axis=0)
    H = np.kron(np.eye(K), np.diag(ridge))
    for row, w in zip(Z, d):
        H += np.kron(np.diag(w) - np.outer(w, w) / w.sum(), np.outer(row, row))
    units = np.sqrt(ridge + np.einsum("i,ij->j", d.sum(axis=1), Z**2))
    sparse = sp.csr_array(Z)
    roads = [factored(Z, d, ridge), factored(sparse, d, ridge), Conjugate(sparse, d, ridge)]
    for road in roads:
        assert road is not None
        found = road(right, 1e-13)
        assert_allclose(found.sum(axis=0) * units, 0.0, atol=1e-9)
        assert_allclose(((H @ found.ravel()).reshape(K, Q) - right) / units, 0.0, atol=1e-9)
