"""Linear forms of a growing or shrinking set of columns, by one pivot per column.

For a positive definite A (p, p), rows x_i and vectors v_r, and a set S of columns, the forms x_S'A_SS⁻¹v_S decide everything that follows.
One more column j changes them by one product of residuals,

    x'A⁻¹v  on S ∪ {j}  =  x_S'A_SS⁻¹v_S + q_ij n_rj / d_j,     q = x_j − x_S'A_SS⁻¹A_Sj,  n likewise,  d = A_jj − A_jS A_SS⁻¹A_Sj

and one less by the same product with q = (A_SS⁻¹x_S)_j, n likewise, d = (A_SS⁻¹)_jj and a minus. A set g of columns that move together has
q_g'd_gg⁻¹n_g instead. Taking the column in (or out) is a pivot: q −= q_s c', n −= n_s c' with c = d_s./d_ss.

References
----------
Goodnight (1979), A tutorial on the SWEEP operator, The American Statistician 33.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import blas

from ...array_types import Bools, Floats, Indices

TOLERANCE = 1e-8
"""Share of a column's variance that the other columns must leave for it to be taken in."""


class Entering:
    """Residuals of all columns after a set of columns, for B problems side by side.

    Parameters
    ----------
    A : (B, p, p), diagonals 1 or, for columns that do not vary, 0
    rows : B arrays (n_b, p), C-contiguous; they are copied
    forms : (B, R, p)
    columns : the set to begin with

    Attributes
    ----------
    rows, forms : residuals q and n
    residual : (B, p) d
    """

    def __init__(self, A: Floats, rows: Sequence[Floats], forms: Floats, columns: Sequence[int] = ()) -> None:
        self.A, self.forms = A, forms.copy()
        self.rows = [part.copy() for part in rows]
        self.residual = np.einsum("bjj->bj", A).copy()
        self.factor = np.zeros((len(A), max(len(columns), 8), A.shape[1]))
        self.size = 0
        for column in columns:
            self.pivot(column)

    def pivot(self, s: int) -> None:
        """Take column s in."""
        t = self.size
        if t == self.factor.shape[1]:
            self.factor = np.concatenate([self.factor, np.zeros_like(self.factor)], axis=1)
        L = self.factor[:, :t]
        row = self.A[:, s] - (L[:, :, s][:, None, :] @ L)[:, 0]
        d = self.residual[:, s].copy()
        c = row / d[:, None]
        self.forms -= self.forms[:, :, s, None] * c[:, None, :]
        self.residual -= row * c
        self.factor[:, t] = row / np.sqrt(d)[:, None]
        self.size += 1
        subtract_products(self.rows, c, s)
        self.residual[:, s] = 0.0

    def block(self, columns: Indices) -> Floats:
        """Return d_gg (B, g, g) of some columns."""
        L = self.factor[:, : self.size][:, :, columns]
        return self.A[:, columns[:, None], columns] - L.transpose(0, 2, 1) @ L

    def dependent(self, groups: Sequence[Indices]) -> Bools:
        """Return, for each group, whether some of its columns can, in some problem, be computed from the others and those already in."""
        alone = (self.residual <= TOLERANCE * np.einsum("bjj->bj", self.A)).any(axis=0)
        return np.array([bool(alone[group[0]]) if len(group) == 1 else self._dependent(group) for group in groups], dtype=bool)

    def _dependent(self, columns: Indices) -> bool:
        R = self.block(columns)
        whole = np.einsum("bjj->bj", self.A)[:, columns]
        for j in range(len(columns)):
            d = R[:, j, j].copy()
            if (d <= TOLERANCE * whole[:, j]).any():
                return True
            R = R - R[:, :, j, None] * (R[:, j, None, :] / d[:, None, None])
        return False


class Leaving:
    """What each column of a set does in it, for B problems side by side: the inverse of A_SS, and rows and forms times it.

    Parameters
    ----------
    A, rows, forms : as of `Entering`
    columns : the set

    Attributes
    ----------
    columns : those still in, in the order of the arrays
    rows, forms : q (n_b, s) and n (B, R, s)
    inverse : (B, s, s)
    """

    def __init__(self, A: Floats, rows: Sequence[Floats], forms: Floats, columns: Sequence[int]) -> None:
        self.columns = list(columns)
        own = np.asarray(self.columns, dtype=np.intp)
        inverse = np.linalg.inv(A[:, own[:, None], own]) if len(own) else np.zeros((len(A), 0, 0))
        self.inverse = 0.5 * (inverse + inverse.transpose(0, 2, 1))
        self.rows = [np.ascontiguousarray(part[:, own] @ P) for part, P in zip(rows, self.inverse, strict=True)]
        self.forms = forms[:, :, own] @ self.inverse

    @property
    def diagonal(self) -> Floats:
        """(B, s) diagonals of the inverses."""
        diagonals: Floats = np.einsum("bjj->bj", self.inverse)
        return diagonals

    def pivot(self, column: int) -> None:
        """Take a column out."""
        s = self.columns.index(column)
        P = self.inverse
        c = P[:, s] / P[:, s, s][:, None]
        self.forms -= self.forms[:, :, s, None] * c[:, None, :]
        P -= P[:, :, s, None] * c[:, None, :]
        subtract_products(self.rows, c, s)
        self.columns.pop(s)
        self.inverse = np.delete(np.delete(P, s, axis=1), s, axis=2)
        self.forms = np.delete(self.forms, s, axis=2)
        self.rows = [np.delete(part, s, axis=1) for part in self.rows]


def independent(A: Floats, groups: Sequence[Indices]) -> Bools:
    """Return which of some groups of columns, taken in this order, are not determined by those taken before, for A (B, p, p).

    Examples
    --------
    >>> independent(np.array([[[1.0, 1.0], [1.0, 1.0]]]), [np.array([0]), np.array([1])]).tolist()
    [True, False]
    """
    B, p = A.shape[:2]
    state = Entering(A, [np.empty((0, p))] * B, np.zeros((B, 0, p)))
    found = np.zeros(len(groups), dtype=bool)
    for g, group in enumerate(groups):
        found[g] = not state.dependent([group])[0]
        if found[g]:
            for column in group.tolist():
                state.pivot(column)
    return found


def without_aliases(A: Floats, groups: Sequence[Indices]) -> list[Indices]:
    """Return the groups without columns that the other columns of the same group determine, such as one of all indicators of a category.

    Examples
    --------
    >>> A = np.cov([[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])[None]
    >>> [group.tolist() for group in without_aliases(A, [np.arange(3)])]
    [[0, 1]]
    """
    found = []
    for group in groups:
        kept = group
        if len(group) > 1:
            own = independent(A[:, group[:, None], group], [np.array([j]) for j in range(len(group))])
            kept = group[own] if own.any() else group
        found.append(kept)
    return found


def subtract_products(rows: Sequence[Floats], c: Floats, s: int) -> None:
    """Subtract from each array of rows its column s times c_b: q −= q_s c', in place."""
    for part, own in zip(rows, c, strict=True):
        if len(part):
            # The transpose of a C array is the Fortran array that dger writes into: no array of products.
            blas.dger(-1.0, own, part[:, s].copy(), a=part.T, overwrite_a=1)


def own_units(A: Floats, spread: Floats, rounding: float = 1e-13) -> Floats:
    """Return the square roots of the diagonals of A (B, p, p), 0 where a column's share of its spread (B, p) is rounding alone."""
    unit = np.sqrt(np.maximum(np.einsum("bjj->bj", A), 0.0))
    return np.where((spread > 0) & (unit > rounding * spread), unit, 0.0)


def with_null_variance(A: Floats, spread: Floats, least: Floats) -> Floats:
    """Return A (B, p, p) in which columns that vary in all (spread (B, p)) but not within classes have the variance `least` (B, p).

    That is what `whitening` gives them, so that class means decide there before everything else.
    """
    b, j = np.nonzero((own_units(A, spread) == 0) & (spread > 0))
    if len(b) == 0:
        return A
    A = A.copy()
    A[b, j], A[b, :, j] = 0.0, 0.0
    A[b, j, j] = least[b, j]
    return A


def scaled_by(A: Floats, unit: Floats) -> Floats:
    """Return A (B, p, p) in columns divided by units (B, p); rows and columns of unit 0 become 0."""
    inverse = np.divide(1.0, unit, out=np.zeros_like(unit), where=unit > 0)
    return A * inverse[:, :, None] * inverse[:, None, :]
