"""Least-norm solutions of positive semidefinite systems whose null space is known, mostly."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from ...array_types import Floats
from .eigenvectors import eigenvectors
from .factor import stable_factor
from .whitening import TOLERANCE


def pseudo_solve(A: Floats, right: Floats, null: Floats) -> tuple[Floats, int]:
    """Return A⁺right and the rank of A ≥ 0, by a Cholesky factor unless A has more null directions than those known.

    Along `null`, where A and `right` are 0, anything may stand in A without changing the solution.

    Parameters
    ----------
    A : (n, n)
    right : (n, m)
    null : (n, k), orthonormal columns, A null = 0 = right'null; k may be 0

    Examples
    --------
    >>> A, null = np.array([[1.0, -1.0], [-1.0, 1.0]]), np.full((2, 1), np.sqrt(0.5))
    >>> found, rank = pseudo_solve(A, np.array([[2.0], [-2.0]]), null)
    >>> found.round(12).ravel().tolist(), rank
    ([1.0, -1.0], 1)
    """
    known = null.shape[1]
    factor = stable_factor(A + np.trace(A) / len(A) * (null @ null.T) if known else A.copy())
    if factor is not None:
        return lapack.dpotrs(factor, right, lower=1)[0], len(A) - known
    values, vectors = eigenvectors(A)
    varies = values > TOLERANCE * max(values[-1], 0.0)
    kept = vectors[:, varies]
    return kept @ ((kept.T @ right) / values[varies][:, None]), int(varies.sum())
