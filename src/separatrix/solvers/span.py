"""Rows fewer than columns: the same problem in an orthonormal basis of the rows' span, where coefficients with an L2 penalty lie.

    X = Y Q',    w = Q v,    w'x_i = v'y_i,    ‖w‖ = ‖v‖

Where the rows are well apart, Y is the Cholesky factor of their Gram matrix XX' and Q is never formed: w is a combination of the rows. A
Gram matrix squares the ratio of directions, though. Where these differ much, X' = Q Y' is taken by Householder, columns in the order of
their sizes and rows with pivoting, which keeps small columns right beside large ones.

References
----------
Cox and Higham (1998), Stability of Householder QR factorization for weighted least squares problems.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.linalg import lapack, qr, solve_triangular

from ..array_types import Floats

APART = 1e-7
"""Ratio of a Gram matrix's pivots, squares of directions, down to which it has their digits: coordinates are right to 1e-9."""


@dataclass(frozen=True, slots=True, eq=False)
class Span:
    """Coordinates Y (n, r) of rows in a basis of their span.

    Attributes
    ----------
    coordinates : (n, r)
    rows : (r, p) rows whose combinations are the basis, Q' = factor⁻¹ rows; or Q' itself, where there is no factor
    factor : (r, r) lower triangular, or None
    """

    coordinates: Floats
    rows: Any
    factor: Floats | None

    @classmethod
    def of(cls, X: Any) -> Self:
        """Return the span of rows, dense or sparse; coordinates are NaN where values are not finite, or their squares are not.

        Examples
        --------
        >>> X = np.array([[0.0, 0.0, 1.0], [0.0, 2.0, 1.0]])
        >>> span = Span.of(X)
        >>> (span.coordinates @ span.shorten(np.eye(3)).T).round(12).tolist() == X.tolist()
        True
        """
        X = X.astype(np.float64, copy=False)
        G = (X @ X.T).toarray() if sp.issparse(X) else X @ X.T
        if not np.isfinite(np.trace(G)):
            return cls(np.full_like(G, np.nan), X, None)
        factor, info = lapack.dpotrf(G, lower=1, clean=1)
        pivots = np.diag(factor)
        if info == 0 and pivots.min() ** 2 > APART * pivots.max() ** 2:
            return cls(np.ascontiguousarray(factor), X, factor)
        return cls._by_householder(X)

    @classmethod
    def _by_householder(cls, X: Any) -> Self:
        dense = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
        order = np.argsort(-np.abs(dense).max(axis=0), kind="stable")
        Q, R, place = qr(dense.T[order], mode="economic", pivoting=True, check_finite=False)
        coordinates, basis = np.empty((len(dense), len(R))), np.empty_like(Q, order="C")
        coordinates[place], basis[order] = R.T, Q
        return cls(coordinates, basis.T, None)

    def expand(self, V: Floats) -> Floats:
        """Return the coefficients (R, p) of the columns for those of the coordinates, V (R, r)."""
        mix = V if self.factor is None else solve_triangular(self.factor, V.T, lower=True, trans=1, check_finite=False).T
        return np.ascontiguousarray((self.rows.T @ mix.T).T)

    def shorten(self, W: Floats) -> Floats:
        """Return the coefficients (R, r) of the coordinates that score as W (R, p) does."""
        V = self.rows @ W.T
        return np.ascontiguousarray((V if self.factor is None else solve_triangular(self.factor, V, lower=True, check_finite=False)).T)
