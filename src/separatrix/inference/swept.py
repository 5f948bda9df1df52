"""Products of columns, A = Z'Z, after some of the columns are swept: what the others have left over, and the inverse of A_SS.

Given as a matrix, a sweep changes all of it: O(p²). Given as rows Z (m, p), orthonormal directions of the swept columns are kept and their
products with all columns, A_SS = R'R with R = Q'Z_S: O(mp), and no array of p × p.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.linalg import solve_triangular

from ..array_types import Floats, Indices


class Swept(Protocol):
    """Columns of which some, S, are swept."""

    @property
    def columns(self) -> Indices:
        """Numbers of the columns in S, in the order of `inverse`."""

    @property
    def left(self) -> Floats:
        """a_jj − A_jS A_SS⁻¹ A_Sj of the other columns, (p,); of no meaning for those in S."""

    @property
    def inverse(self) -> Floats:
        """A_SS⁻¹, (s, s)."""

    @property
    def inverse_diagonal(self) -> Floats:
        """Its diagonal, (s,)."""

    def coefficients(self, others: Indices) -> Floats:
        """Return A_SS⁻¹A_Sj of some other columns, (s, m)."""

    def enter(self, j: int) -> None:
        """Sweep column j."""

    def remove(self, j: int) -> None:
        """Take the sweep of column j back."""


class SweptMatrix:
    """A given as a matrix (p, p), which is overwritten.

    Examples
    --------
    >>> swept = SweptMatrix(np.array([[4.0, 2.0], [2.0, 3.0]]))
    >>> swept.enter(0)
    >>> float(swept.left[1]), swept.inverse.tolist(), swept.coefficients(np.array([1])).tolist()
    (2.0, [[0.25]], [[0.5]])
    """

    def __init__(self, A: Floats) -> None:
        self.A, self.left = A, np.einsum("jj->j", A)
        self.columns = np.empty(0, dtype=np.intp)

    @property
    def inverse(self) -> Floats:
        """Inverse of A_SS."""
        return -self.A[self.columns[:, None], self.columns]

    @property
    def inverse_diagonal(self) -> Floats:
        """Its diagonal."""
        diagonal: Floats = -self.left[self.columns]
        return diagonal

    def coefficients(self, others: Indices) -> Floats:
        """Return A_SS⁻¹A_Sj."""
        return self.A[self.columns[:, None], others]

    def enter(self, j: int) -> None:
        """Sweep column j."""
        sweep(self.A, j)
        self.columns = np.append(self.columns, j)

    def remove(self, j: int) -> None:
        """Take the sweep back."""
        sweep(self.A, j, back=True)
        self.columns = self.columns[self.columns != j]


class SweptRows:
    """A given as rows Z (m, p), or two sets of them of which one may be shared.

    Examples
    --------
    >>> swept = SweptRows(np.array([[2.0, 1.0], [0.0, 1.0]]), np.array([[0.0, 1.0]]))
    >>> swept.enter(0)
    >>> float(swept.left[1]), swept.inverse.tolist(), swept.coefficients(np.array([1])).tolist()
    (2.0, [[0.25]], [[0.5]])
    """

    def __init__(self, rows: Floats, more: Floats) -> None:
        self.rows, self.more = rows, more
        self.left = np.einsum("ij,ij->j", rows, rows) + np.einsum("ij,ij->j", more, more)
        self.columns, self.inverse = np.empty(0, dtype=np.intp), np.empty((0, 0))
        self.directions, self.products = np.empty((8, len(rows) + len(more))), np.empty((8, rows.shape[1]))

    @property
    def inverse_diagonal(self) -> Floats:
        """Diagonal of the inverse of A_SS."""
        return np.diag(self.inverse)

    def coefficients(self, others: Indices) -> Floats:
        """Return A_SS⁻¹A_Sj."""
        products = self.products[: len(self.columns)]
        found: Floats = solve_triangular(products[:, self.columns], products[:, others], check_finite=False)
        return found

    def enter(self, j: int) -> None:
        """Sweep column j: what its column of rows has left becomes a direction."""
        s = len(self.columns)
        if s == len(self.products):
            self.directions, self.products = (np.concatenate([a, np.empty_like(a)]) for a in (self.directions, self.products))
        Q = self.directions[:s]
        q = np.concatenate([self.rows[:, j], self.more[:, j]])
        for _ in range(2):  # once more for the digits that a first subtraction cancels
            q = q - (Q @ q) @ Q
        b = self.coefficients(np.array([j]))[:, 0]
        d = float(q @ q)
        q /= np.sqrt(d)
        self.directions[s], n = q, len(self.rows)
        product = self.products[s]
        np.matmul(q[:n], self.rows, out=product)
        product += q[n:] @ self.more
        self.left -= product**2
        self.columns = np.append(self.columns, j)
        self.inverse = np.block([[self.inverse + np.outer(b, b) / d, -b[:, None] / d], [-b[None] / d, np.array([[1.0 / d]])]])

    def remove(self, j: int) -> None:
        """Take the sweep back: rotate the directions until the last one is what column j alone had."""
        i, s = int(np.flatnonzero(self.columns == j)[0]), len(self.columns)
        h, kept = self.inverse[i], np.arange(s) != i
        self.inverse = (self.inverse - np.outer(h, h) / h[i])[np.ix_(kept, kept)]
        self.columns = self.columns[kept]
        for k in range(i, s - 1):
            a, b = self.products[k, self.columns[k]], self.products[k + 1, self.columns[k]]
            length = np.hypot(a, b)
            turn = np.array([[a, b], [-b, a]]) / length
            for table in (self.directions, self.products):
                table[k : k + 2] = turn @ table[k : k + 2]
        self.left += self.products[s - 1] ** 2


def sweep(A: Floats, j: int, back: bool = False) -> None:
    """Sweep a symmetric matrix on column j, in place, or take that back.

        d = a_jj,   a_kl ← a_kl − a_kj a_jl/d,   a_kj ← ± a_kj/d (− if back),   a_jj ← −1/d

    After columns S are swept, the rest holds the scatter of what S leaves over, A_RR − A_RS A_SS⁻¹ A_SR, and S holds −A_SS⁻¹. One sweep
    is O(p²).

    Examples
    --------
    >>> A = np.array([[4.0, 2.0], [2.0, 3.0]])
    >>> sweep(A, 0)
    >>> A.tolist()
    [[-0.25, 0.5], [0.5, 2.0]]
    >>> sweep(A, 0, back=True)
    >>> A.tolist()
    [[4.0, 2.0], [2.0, 3.0]]

    References
    ----------
    Goodnight (1979), A tutorial on the SWEEP operator, The American Statistician 33.
    """
    d, column = A[j, j], A[j].copy()
    scaled = column / d
    A -= np.outer(column, scaled)
    A[j] = A[:, j] = -scaled if back else scaled
    A[j, j] = -1.0 / d
