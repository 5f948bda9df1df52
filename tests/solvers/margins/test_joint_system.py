"""The system of a joint step: factor and conjugate gradients solve the matrix as written."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.solvers.margins.joint_settling import settled
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


def test_settled_multipliers_keep_sums_and_signs(rng: Any) -> None:
    Z, u = rng.normal(size=(60, Q)) * 10.0 ** np.arange(0, 6), rng.random((60, K))
    off = Z.T @ (1e-4 * rng.normal(size=(60, K)))
    off -= off.mean(axis=1, keepdims=True)
    new = settled(Z, Z.T, off, np.ones(Q), u, 1e-16 * float(np.vdot(off, off)))
    assert (new > 0.0).all()
    assert_allclose(new.sum(axis=1), u.sum(axis=1), rtol=1e-14)
    assert np.linalg.norm(off + Z.T @ (new - u)) <= 1e-7 * np.linalg.norm(off)
