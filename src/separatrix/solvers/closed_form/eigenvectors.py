"""Eigenvalues and eigenvectors of a symmetric matrix, by the quicker way where its numbers are finite."""

from __future__ import annotations

import numpy as np

from ...array_types import Floats


def eigenvectors(A: Floats, overwrite: bool = False) -> tuple[Floats, Floats]:
    """Return eigenvalues in rising order and the eigenvectors, as columns; none are numbers where A has some that are not.

    Divide and conquer takes two thirds of the time of LAPACK's default, and half where many eigenvalues are alike, but has an error for an
    answer where numbers have overflowed.

    Examples
    --------
    >>> eigenvectors(np.diag([2.0, 1.0]))[0].tolist()
    [1.0, 2.0]
    """
    from scipy.linalg import eigh  # here: a fitted model is used without it

    is_finite = bool(np.isfinite(A).all())
    # Turned over, rows lie as LAPACK's columns do, and nothing is copied to be written over.
    values, vectors = eigh(A.T if overwrite else A, check_finite=False, overwrite_a=overwrite, driver="evd" if is_finite else "evr")
    return values, vectors
