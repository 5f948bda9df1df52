"""Rows fewer than columns: the same machines in an orthonormal basis of the rows' span, where their coefficients lie.

    X' = Q R,    w = Q v,    w'x_i = v'r_i

Columns are taken in the order of their sizes and rows with pivoting, which keeps the small columns right beside large ones (Cox and Higham
1998); a Gram matrix would square their ratio away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.linalg import qr

from ...array_types import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Span:
    """Coordinates (n, r) of the rows, and the basis (p, r) they belong to.

    Examples
    --------
    >>> span = Span.of(np.array([[0.0, 0.0, 1.0], [0.0, 2.0, 1.0]]))
    >>> ((span.coordinates @ span.basis.T).round(12) + 0.0).tolist()
    [[0.0, 0.0, 1.0], [0.0, 2.0, 1.0]]
    """

    coordinates: Floats
    basis: Floats

    @classmethod
    def of(cls, X: Any) -> Self:
        """Return the span of rows, dense or sparse, all finite."""
        dense = np.asarray(X if isinstance(X, np.ndarray) else X.toarray(), dtype=np.float64)
        order = np.argsort(-np.abs(dense).max(axis=0), kind="stable")
        Q, R, place = qr(dense.T[order], mode="economic", pivoting=True, check_finite=False)
        coordinates, basis = np.empty((len(dense), len(R))), np.empty_like(Q, order="C")
        coordinates[place], basis[order] = R.T, Q
        return cls(coordinates, basis)
