"""Rows of two classes brought to sizes that linear programs can bear: a_i = y_i (z_i, 1)/r_i with z_i = (x_i − c)/s."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..array_types import Floats
from ..data.arrays import check_dense, check_sparse
from ..errors import InputError

LARGEST = 4e307
"""Sums and differences of four such numbers are within float64."""


@dataclass(frozen=True, slots=True, eq=False)
class SignedRows:
    """The rows as given, and A (n, p + 1) with rows a_i, sparse where X is."""

    X: Any
    y: Floats
    c: Floats
    s: Floats
    r: Floats
    A: Any

    @classmethod
    def of(cls, X: Any, y: Floats, intercept: bool) -> SignedRows:
        """Return the rows of both classes, y = ±1, brought to typical sizes."""
        if len(y) == 0 or (intercept and abs(y.sum()) == len(y)):
            raise InputError(f"All {len(y)} rows are of one class; rows of both classes are needed.")
        one, p = np.full((len(y), 1), float(intercept)), X.shape[1]
        # s is a geometric mean: one wild row must not push all others below the tolerances, as a maximum would.
        if isinstance(X, np.ndarray):
            c = np.median(X, axis=0) * intercept
            Z = np.abs(X - c)
            seen = 8 * np.finfo(float).eps * np.abs(c) < Z  # not > 0: rounding noise around c is no size
            logs, count = np.log(Z, out=np.zeros_like(Z), where=seen).sum(axis=0), seen.sum(axis=0)
            s = np.exp(logs / np.maximum(count, 1))
            A: Any = np.hstack([(X - c) / s, one])
            r = np.abs(A).max(axis=1)
        else:
            c, count = np.zeros(p), np.bincount(X.indices, minlength=p)
            s = np.exp(np.bincount(X.indices, np.log(np.abs(X.data)), p) / np.maximum(count, 1))
            A = sp.hstack([X @ sp.diags_array(1 / s), one], format="csr")
            r = abs(A).max(axis=1).toarray().ravel()
        r = np.where(r > 0, r, 1.0)
        return cls(X, y, c, s, r, sp.diags_array(y / r) @ A)


def finite_matrix(X: Any) -> Any:
    """Return X as a finite float64 array, or CSR without stored zeros."""
    if sp.issparse(X):
        rows: Any = sp.csr_array(check_sparse(X), dtype=np.float64, copy=True)
        rows.eliminate_zeros()
    else:
        rows = np.asarray(check_dense(X), dtype=np.float64)
    values = rows.data if sp.issparse(X) else rows
    if not np.isfinite(values).all():
        raise InputError("X contains NaN or infinity; finite numbers are needed: fill in or drop these rows first.")
    if max(values.max(initial=0.0), -values.min(initial=0.0)) > LARGEST:
        raise InputError(f"X holds a value beyond {LARGEST:g}, so that differences of rows may exceed float64; rescale its column.")
    return rows
