"""The linear system of a step of the joint machine, by a Cholesky factor or by conjugate gradients.

    H = D + Σ_i (diag(d_i) − d_i d_i'/Σd_i) ⊗ x̃_i x̃_i'    over (K, q)

Moves that are equal in all classes change no difference of scores, and no step has any. With the last class held at 0 its block drops out:
what is left of the sum needs no subtraction, and D becomes D ⊗ (I − 11'/K).

Sparse rows make products cheap: conjugate gradients, preconditioned by the K × K block of each column, which has its unit, take over where
d is even enough. Near the end it is not, and only the factor is exact enough.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import lapack

from ...array_types import Floats, Indices
from ...data import Block
from ...summaries.grouped import csr_parts
from .conjugate import conjugate_gradients

Solver = Callable[[Floats, float], Floats]

RAISED = 1e-14
"""Share by which the diagonal is raised, a hundred times more where rounding has left no positive definite matrix."""
FEW, REFINED = 600, 2
"""Coefficients up to which a solution stays as the factor gives it, and how often it is refined beyond."""
ROUGH, EXACT = 1e-3, 1e-8
"""Share of its right-hand side to which a system is solved: for a prediction, and for a step."""
BLOCKS = 1e-11
"""Share of a column's mean curvature by which the diagonal of its block is raised, so that it has an inverse."""
PRODUCTS = 800
"""Products that cost about as much as a factor."""


def places(top: NDArray[np.integer], K: int) -> Indices:
    """Return where the entries (i, top_i) of an array (n, K) lie."""
    return np.arange(0, len(top) * K, K) + top


def even(v: Floats, at: Indices) -> Floats:
    """Return v (n, K) with rows that sum to 0, the entry at the `places` of each row making up for the others.

    Where one class has nearly all of a row's weight, its own product is the difference of large numbers; the others' are exact.

    Examples
    --------
    >>> even(np.array([[1.0, 2.0, 9.0]]), places(np.array([2]), 3)).tolist()
    [[1.0, 2.0, -3.0]]
    """
    v = np.ascontiguousarray(v)
    flat = v.reshape(-1)
    flat[at] = 0.0
    flat[at] = -np.einsum("ik->i", v)
    return v


def row_products(a: Floats, b: Floats) -> Floats:
    """Return Σ_k a_ik b_ik (n, 1)."""
    sums: Floats = np.einsum("ik,ik->i", a, b)
    return sums[:, None]


def curvature(Z: Any, d: Floats, ridge: Floats) -> Callable[[Floats], Floats]:
    """Return v (q, K) ↦ Hv; Z is CSR or dense.

    Examples
    --------
    >>> curvature(np.ones((1, 1)), np.ones((1, 2)), np.ones(1))(np.array([[1.0, -1.0]])).tolist()
    [[2.0, -2.0]]
    """
    share, top = d / d.sum(axis=1, keepdims=True), places(d.argmax(axis=1), d.shape[1])
    across = sp.csr_array(Z.T) if sp.issparse(Z) else Z.T

    def product(v: Floats) -> Floats:
        z = np.asarray(Z @ v)
        return np.asarray(ridge[:, None] * v + across @ even(d * (z - row_products(share, z)), top))

    return product


def factored(Z: Any, d: Floats, ridge: Floats) -> Solver | None:
    """Return right (K, q) ↦ H⁻¹ right by a Cholesky factor; None where rounding has left no positive definite matrix.

    Parameters
    ----------
    Z : (n, q) rows with their constant, dense or CSR
    d : (n, K) weights
    ridge : (q,) diagonal of D
    """
    K, q, more = d.shape[1], Z.shape[1], RAISED
    while more < 1e-6:
        whole = _grounded(Z, d, ridge)
        np.einsum("aa->a", whole)[:] *= 1.0 + more
        # The lower triangle in C order is LAPACK's upper one.
        factor, info = lapack.dpotrf(whole.T, lower=0, overwrite_a=1, clean=0)
        if info == 0:
            break
        more *= 100.0
    else:
        return None

    def once(right: Floats) -> Floats:
        found = np.zeros((K, q))
        found[:-1] = lapack.dpotrs(factor, right[:-1].ravel(), lower=0)[0].reshape(K - 1, q)
        found -= found.sum(axis=0) / K
        return found

    def solve(right: Floats, share: float) -> Floats:
        found = once(right)
        for _ in range(REFINED if share <= EXACT and refines else 0):
            rest = right - product(found.T).T
            found = found + once(rest - rest.mean(axis=0))
        return found

    refines = (K - 1) * q > FEW
    product = curvature(Z, d, ridge) if refines else np.asarray
    return solve


def _grounded(Z: Any, d: Floats, ridge: Floats) -> Floats:
    """Return the matrix of all classes but the last, its lower triangle at least."""
    K, q, share = d.shape[1], Z.shape[1], d / d.sum(axis=1, keepdims=True)
    H, is_sparse = np.zeros((K - 1, q, K - 1, q)), sp.issparse(Z)
    for k, m in combinations(range(K), 2):
        weight = d[:, k] * share[:, m]
        rows = np.flatnonzero(weight)
        if len(rows) == 0:
            continue
        part, weight = (Z, weight) if len(rows) == len(d) else (Z[rows], weight[rows])
        block = _sparse_pairs(part, weight) if is_sparse else (part.T * weight) @ part
        H[k, :, k] += block
        if m < K - 1:
            H[m, :, k] = -block
            H[m, :, m] += block
    columns = np.einsum("kama->akm", H)
    columns += ridge[:, None, None] * (np.eye(K - 1) - 1.0 / K)
    return H.reshape((K - 1) * q, (K - 1) * q)


def _sparse_pairs(Z: Any, weight: Floats) -> Floats:
    """Return Σ weight_i x̃_i x̃_i' of CSR rows."""
    from ...kernels.sparse_products import add_weighted_pairs

    total = np.zeros((Z.shape[1] + 1,) * 2)
    add_weighted_pairs(*csr_parts(Block(Z)), np.ascontiguousarray(weight), total)
    total = total[:-1, :-1]
    return np.asarray(total + np.tril(total, -1).T)


class Conjugate:
    """right (K, q) ↦ H⁻¹ right to a share of it, by conjugate gradients.

    Parameters
    ----------
    Z : (n, q) dense or CSR
    d, ridge : as in `factored`

    Attributes
    ----------
    arrived : bool
        Whether all solutions so far are as exact as was asked.
    """

    def __init__(self, Z: Any, d: Floats, ridge: Floats) -> None:
        K, share = d.shape[1], d / d.sum(axis=1, keepdims=True)
        self.arrived, self.count = True, 0
        self.product = curvature(Z, d, ridge)
        squares, blocks = sp.csr_array(Z.multiply(Z).T) if sp.issparse(Z) else (Z * Z).T, np.empty((len(ridge), K, K))
        for k, m in combinations(range(K), 2):
            blocks[:, k, m] = blocks[:, m, k] = -(squares @ (d[:, k] * share[:, m]))
        for k in range(K):
            blocks[:, k, k] = ridge - np.delete(blocks[:, k], k, axis=1).sum(axis=1)
        # Equal moves have no curvature but the penalty's, and a column without rows may have none; any will do.
        sizes = np.einsum("akk->a", blocks) / K
        blocks[sizes <= 0.0] = np.eye(K)
        sizes = np.where(sizes > 0.0, sizes, 1.0)[:, None, None]
        self.inverse = np.linalg.inv(blocks + sizes + BLOCKS * sizes * np.eye(K))

    def __call__(self, right: Floats, share: float) -> Floats:
        """Return the solution, or what is found of it after many products."""
        self.count = 0
        right = np.ascontiguousarray((right - right.mean(axis=0)).T)
        found = conjugate_gradients(self._product, right, self._scaled, share, PRODUCTS)
        self.arrived &= self.count < PRODUCTS
        return np.ascontiguousarray((found - found.mean(axis=1, keepdims=True)).T)

    def _product(self, v: Floats) -> Floats:
        self.count += 1
        return self.product(v)

    def _scaled(self, r: Floats) -> Floats:
        return np.asarray(np.matmul(self.inverse, r[:, :, None])[:, :, 0])
