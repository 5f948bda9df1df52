"""The linear system of an interior point of an L1 penalty: a weighted Gram matrix and a diagonal that spans many powers of ten.

    (X' (D − hh'/Σh) X + Θ⁻¹) d = r,    D = diag(h), Θ = diag(θ);  without an intercept, D alone

With d = √Θ y it is (I + A'A) y = √Θ r, A = √D X √Θ centred: a row or column of A whose squared length is far below 1 changes nothing. Near
the end most are: rows that are certain, and columns that stay at 0. They are left out. Conjugate gradients solve the rest, with a factor of
its larger part on the shorter of the two sides where that takes less time.

References
----------
Koh, Kim and Boyd (2007), An interior-point method for large-scale l1-regularized logistic regression, JMLR 8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import lapack

from ...array_types import Floats, Indices
from ..products import Products, scaled_gram
from ..work import ADDED, CALL, FACTORED, MEETING, PASS, STORED
from .working_set import products_of_used

LEFT_OUT, UNFACTORED = 1e-3, 1.0
"""Sum of the squared lengths of rows, and of columns, that are left out of the system, and of its factor."""
SMALLER = 0.5
"""Share of the values in use from which on smaller copies are worth their making."""
FEW, MOST = 10, 300
"""Products that conjugate gradients are thought to take at first, and may take."""
STRONG = 1e-8
"""Share of the largest squared length above which a column is a strong one."""
ROOM = 4_000
"""Rows and columns of the largest factor."""


class InteriorSystem:
    """The system of some rows and columns, for changing h and θ.

    Parameters
    ----------
    products : Products
        X (n, p).
    has_intercept : bool

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> from separatrix.solvers.rows import Rows
    >>> system = InteriorSystem(Products(Rows.of(as_source([[1.0, 0.0], [1.0, 2.0]], [0, 1]))), has_intercept=False)
    >>> system.weigh(np.array([1.0, 0.5]), np.array([1.0, 2.0]))
    >>> system.solve(np.array([2.5, 3.5]), 1e-9).round(6).tolist()  # of [[2.5, 1], [1, 2.5]]
    [0.52381, 1.190476]
    """

    def __init__(self, products: Products, has_intercept: bool) -> None:
        self.products, self.has_intercept = products, has_intercept
        n, p = products.shape
        self.rows, self.columns = np.arange(n), np.arange(p)
        self.X, self.transposed = _float64(products.X), products.transposed if products.is_sparse else None
        self.taken = float(FEW)
        self.factor: Factor | None = None

    def weigh(self, h: Floats, theta: Floats) -> None:
        """Take new weights h (n,) ≥ 0 of the rows and θ (p,) > 0 of the columns."""
        of_rows, of_columns = h * self.products.row_squares(theta), theta * self.products.column_squares(h)
        self._choose(_kept(of_rows, LEFT_OUT), _kept(of_columns, LEFT_OUT))
        self.all_h, self.all_theta, self.h, self.roots = h, theta, h[self.rows], np.sqrt(theta[self.columns])
        self.total = float(self.h.sum()) if self.has_intercept else 0.0
        self.diagonal = 1.0 + of_columns[self.columns]
        self.factor = None
        rows, columns = _kept(of_rows[self.rows], UNFACTORED), _kept(of_columns[self.columns], UNFACTORED)
        if self._is_worth_a_factor(rows, columns):
            part = (self.X if len(rows) == len(self.h) else self.X[rows])[:, columns]
            self.factor = Factor.of(part, self.h[rows], self.roots[columns], columns, self.has_intercept)

    def solve(self, r: Floats, share: float) -> Floats:
        """Return d (p,), the residual being that share of r at most, in the norm of the inverse."""
        d = np.zeros(len(r))
        d[self.columns] = self.roots * self._iterated(self.roots * r[self.columns], share)
        out = np.ones(len(r), dtype=bool)
        out[self.columns] = False
        if out.any():
            # Columns that are left out do not move the others, and are moved by them.
            z, h = products_of_used(self.products, d[None])[:, 0], self.all_h
            u = h * (z - float(h @ z) / float(h.sum()) if self.total > 0.0 else z)
            d[out] = self.all_theta[out] * (r - self.products.transposed_times(u[:, None])[:, 0])[out]
        return d

    def _choose(self, rows: Indices, columns: Indices) -> None:
        """Take the rows and columns kept, where others are needed or a copy of these is worth its making."""
        X, transposed = self.products.X, self.products.transposed if self.products.is_sparse else None
        if transposed is not None:
            values = float(min(np.diff(X.indptr)[rows].sum(), np.diff(transposed.indptr)[columns].sum()))
        else:
            values = float(len(rows) * len(columns))
        covered = np.isin(rows, self.rows).all() and np.isin(columns, self.columns).all()
        if not covered or values < SMALLER * _values(self.X):
            self.rows, self.columns = rows, columns
            part = X if len(rows) == X.shape[0] else X[rows]
            self.X = _float64(part if len(columns) == X.shape[1] else part[:, columns])
            self.transposed = None if transposed is None else self.X.T.tocsr()

    def _is_worth_a_factor(self, rows: Indices, columns: Indices) -> bool:
        """Whether a factor takes less time than the products of two solutions without, as many as the last one took."""
        m, longer, values = min(len(rows), len(columns)), max(len(rows), len(columns)), _values(self.X)
        formed = 0.5 * ADDED * m**2 * float(longer)
        if self.transposed is not None:
            over = np.diff((self.transposed if len(rows) <= len(columns) else self.X).indptr).astype(np.float64)
            formed = min(MEETING * float(over @ over), 2.0 * formed)
        product = CALL + 2.0 * values * (PASS if self.transposed is None else STORED)
        return 0 < m <= ROOM and formed + FACTORED * m**3 < 2.0 * self.taken * product

    def _iterated(self, r: Floats, share: float) -> Floats:
        """Return y by conjugate gradients, after which a factor leaves little to do."""
        y, s = np.zeros(len(r)), self._preconditioned(r)
        d, old, count = s.copy(), float(r @ s), 0
        least = share**2 * old
        while old > least and count < MOST:
            Md = d + self.roots * _back(self.X, self.transposed, self.h * self._centred(self.X @ (self.roots * d)))
            a = old / float(d @ Md)
            y += a * d
            r = r - a * Md
            s = self._preconditioned(r)
            old, before = float(r @ s), old
            d = s + (old / before) * d
            count += 1
        if self.factor is None:
            self.taken = float(max(count, 1))
        return y

    def _preconditioned(self, r: Floats) -> Floats:
        return r / self.diagonal if self.factor is None else self.factor.solve(r)

    def _centred(self, z: Floats) -> Floats:
        return z - float(self.h @ z) / self.total if self.total > 0.0 else z


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """Cholesky factors for (I + A'A)⁻¹ r of some columns of A; the identity for the others.

    Where rows are fewer: of N = I + A_w A_w' for the columns of ordinary weight, and of I + A_s' N⁻¹ A_s for those so strong that the rest
    would be lost in their rounding, if they do not span all rows. Else of I + A'A.

    Attributes
    ----------
    columns, strong : places of the columns in both parts
    factor, strong_factor : of the two parts, None where a part is empty
    A, beside : (a, ·) ordinary and strong columns, where rows are fewer; else None
    """

    columns: Indices
    factor: Floats
    A: Floats | None = None
    strong: Indices | None = None
    strong_factor: Floats | None = None
    beside: Floats | None = None

    @classmethod
    def of(cls, X: Any, h: Floats, roots: Floats, columns: Indices, has_intercept: bool) -> Factor | None:
        """Factor A = √h X √θ of rows X (a, b); None where rounding leaves no factor."""
        side = np.sqrt(h)
        if X.shape[0] > X.shape[1] and sp.issparse(X):
            K = scaled_gram(X.T.tocsr(), side[None], np.zeros(X.shape[1], dtype=np.intp)) * roots * roots[:, None]
            if has_intercept:
                s = roots * (X.T @ h)
                K -= np.outer(s, s / max(float(h.sum()), np.finfo(float).tiny))
            factor = _cholesky(K)
            return None if factor is None else cls(columns, factor)
        A = (X.toarray() if sp.issparse(X) else X) * side[:, None]
        A *= roots
        if has_intercept:
            A -= np.outer(side, (side @ A) / max(float(h.sum()), np.finfo(float).tiny))
        return cls._of_rows(A, columns) if len(A) <= len(columns) else cls._of_columns(A, columns)

    @classmethod
    def _of_columns(cls, A: Floats, columns: Indices) -> Factor | None:
        factor = _cholesky(A.T @ A)
        return None if factor is None else cls(columns, factor)

    @classmethod
    def _of_rows(cls, A: Floats, columns: Indices) -> Factor | None:
        lengths = np.einsum("ij,ij->j", A, A)
        is_strong = lengths > STRONG * lengths.max(initial=0.0)
        if np.count_nonzero(is_strong) >= len(A):
            is_strong[:] = False
        B, A = A[:, is_strong], A[:, ~is_strong] if is_strong.any() else A
        factor = _cholesky(A @ A.T)
        if factor is None or not is_strong.any():
            return None if factor is None else cls(columns, factor, A)
        strong_factor = _cholesky(B.T @ lapack.dpotrs(factor, B, lower=1)[0])
        return None if strong_factor is None else cls(columns[~is_strong], factor, A, columns[is_strong], strong_factor, B)

    def solve(self, r: Floats) -> Floats:
        """Return (I + A'A)⁻¹ r."""
        y = r.copy()
        if self.A is None:
            y[self.columns] = lapack.dpotrs(self.factor, r[self.columns], lower=1)[0]
            return y
        t = self.A @ r[self.columns]
        if self.strong is not None and self.beside is not None:
            right = r[self.strong] - self.beside.T @ lapack.dpotrs(self.factor, t, lower=1)[0]
            y[self.strong] = lapack.dpotrs(self.strong_factor, right, lower=1)[0]
            t += self.beside @ y[self.strong]
        y[self.columns] -= self.A.T @ lapack.dpotrs(self.factor, t, lower=1)[0]
        return y


def _cholesky(K: Floats) -> Floats | None:
    """Return the factor of I + K, whose columns may be of very different sizes; None where rounding leaves none."""
    np.einsum("jj->j", K)[:] += 1.0
    np.einsum("jj->j", K)[:] *= 1.0 + 4.0 * np.finfo(float).eps * len(K)
    factor, info = lapack.dpotrf(K.T, lower=1, overwrite_a=1)
    return factor if info == 0 else None


def _kept(squares: Floats, most: float) -> Indices:
    """Return which of the squared lengths are left when the least, of that sum at most, are not."""
    small = np.flatnonzero(squares < most)
    if float(squares[small].sum()) > most:
        small = small[np.argsort(squares[small])]
        small = small[: int(np.searchsorted(np.cumsum(squares[small]), most))]
    kept = np.ones(len(squares), dtype=bool)
    kept[small] = False
    return np.flatnonzero(kept)


def _back(X: Any, transposed: Any, u: Floats) -> Floats:
    """Return X'u."""
    return np.asarray(u @ X if transposed is None else transposed @ u)


def _values(X: Any) -> float:
    return float(X.nnz if sp.issparse(X) else X.size)


def _float64(X: Any) -> Any:
    return X.astype(np.float64, copy=False)
