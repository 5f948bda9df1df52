"""Cholesky factors of covariances, products and normal equations, written over the matrix: one p × p array, not four."""

from __future__ import annotations

from ...array_types import Floats

STABLE = 1e-12
"""Smallest reciprocal condition number with which a matrix counts as one that has an inverse."""


def stable_factor(A: Floats) -> Floats | None:
    """Return the Cholesky factor L of a symmetric A = LL', lower triangular and over A; or None, and A as it was, without a stable inverse.

    Above its diagonal the array returned holds what it held: clear it where the solver called would read it.

    Parameters
    ----------
    A : (p, p), contiguous

    Examples
    --------
    >>> import numpy as np
    >>> np.tril(stable_factor(np.array([[4.0, 2.0], [2.0, 5.0]]))).tolist(), stable_factor(np.ones((2, 2)))
    ([[2.0, 0.0], [1.0, 2.0]], None)
    """
    from scipy.linalg import lapack  # here: a fitted model is used without it

    diagonal, norm = A.diagonal().copy(), lapack.dlange("1", A.T)
    # Rows lie one after another, columns in LAPACK: its lower triangle is the upper one here, and the lower one keeps A.
    factor, info = lapack.dpotrf(A.T, lower=1, overwrite_a=1, clean=0)
    if info == 0 and lapack.dpocon(factor, norm, uplo="L")[0] > STABLE:
        return factor  # type: ignore[no-any-return]
    for j in range(len(A)):
        A[j, j + 1 :] = A[j + 1 :, j]
    A.flat[:: len(A) + 1] = diagonal
    return None
