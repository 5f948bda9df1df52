"""One machine's rows for the interior-point method of `small_hinge`: dense or sparse, with a Cholesky factor a step.

Sparse rows stay sparse: a step costs the pairs of values in a row and the factor of one matrix of the columns, whatever the costs are. That
is dear beside an epoch of coordinate descent, and cheap beside the ten thousands of epochs that rows with as many on their margin as there
are columns ask for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.linalg import lapack

from ...array_types import Floats
from ...data import Block
from ...summaries.grouped import csr_parts
from ..rows import Rows
from ..smooth.centred_rows import CentredRows
from .small_margins import Table, penalties

MOST_COLUMNS, TABLE, PAIRS = 6_000, 2e7, 2e9
"""Columns whose matrix is worth its price, values of a dense table, and pairs of values of sparse rows that a step may read."""
RAISED = 1e-14
"""First share by which the diagonal is raised where rounding has left no positive definite matrix."""


def is_possible(rows: Rows) -> bool:
    """Whether there is room for the rows and the matrix of their columns."""
    X = rows.X
    if X is None or X.shape[1] > MOST_COLUMNS:
        return False
    if not rows.is_sparse:
        return bool(X.size <= TABLE)
    return bool(np.sum(np.diff(X.indptr).astype(np.float64) ** 2) <= PAIRS)


class OneTable(Table):
    """Rows of one machine, dense or sparse; Z is a CSR matrix where they are sparse. See `Table`."""

    __slots__ = ()

    @classmethod
    def of(cls, rows: Rows, Y: Floats, cost: Floats, ridge: float) -> Self:
        """Return the table of rows held."""
        about = CentredRows.of(rows, ridge == 0.0)
        constant, X = float(np.isfinite(ridge)), rows.X
        Z: Any
        if rows.is_sparse:
            Z = sp.csr_array(sp.hstack([X, sp.csr_array(np.full((X.shape[0], 1), constant))], format="csr"))
        else:
            Z = np.full((len(X), about.width), constant)
            np.subtract(X, about.centre, out=Z[:, :-1])
        return cls(about, Z, Y, cost, ridge, penalties(about.width, ridge), None)

    @property
    def squares(self) -> Floats:
        """‖x̃_i‖² (n,)."""
        Z: Any = self.Z
        return np.asarray((Z.multiply(Z) if sp.issparse(Z) else Z * Z).sum(axis=1)).ravel()

    def inverses(self, d: Floats) -> Callable[[Floats], Floats]:
        """Return v ↦ (D + Σ_i d_i x̃_i x̃_i')⁻¹ v, d and v having one row; LinAlgError where rounding leaves no such matrix."""
        more = 0.0
        while more < 1e-6:
            H = self._pairs(d[0])
            np.einsum("aa->a", H)[:] *= 1.0 + more
            # The lower triangle in C order is LAPACK's upper one.
            factor, info = lapack.dpotrf(H.T, lower=0, overwrite_a=1, clean=0)
            if info == 0:
                return lambda v: lapack.dpotrs(factor, v[0], lower=0)[0][None]
            more = RAISED if more == 0.0 else 100.0 * more
        raise np.linalg.LinAlgError

    def _pairs(self, d: Floats) -> Floats:
        """Return D + Σ d_i x̃_i x̃_i', its lower triangle at least."""
        if sp.issparse(self.Z):
            from ...kernels.sparse_products import add_weighted_pairs

            q = len(self.D)
            total = np.zeros((q, q))
            add_weighted_pairs(*csr_parts(Block(self.about.rows.X)), np.ascontiguousarray(d), total)
            if np.isinf(self.ridge):
                total[-1] = 0.0
        else:
            root = self.Z * np.sqrt(d)[:, None]
            total = root.T @ root
        np.einsum("aa->a", total)[:] += self.D
        return total
