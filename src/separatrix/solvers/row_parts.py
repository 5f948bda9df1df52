"""All rows as the flat arrays that coordinate descent walks through."""

from __future__ import annotations

import numpy as np

from ..array_types import Floats, Parts
from ..data import Block
from ..summaries.grouped import csr_parts
from .rows import Rows


def unsigned_parts(rows: Rows) -> Parts:
    """Return data, indices and indptr of all rows with unsigned indices; dense rows have empty indices, and sparse ones never, though they
    have no values. Views, not copies.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> data, indices, indptr = unsigned_parts(Rows.of(as_source([[1.0, 2.0], [3.0, 4.0]], [0, 1])))
    >>> data.tolist(), len(indices), indptr.tolist()
    ([1.0, 2.0, 3.0, 4.0], 0, [0, 2, 4])
    """
    X = rows.X
    if rows.is_sparse:
        data, indices, indptr = csr_parts(Block(X))
        if len(indices) == 0:
            data, indices = np.zeros(1), np.zeros(1, dtype=indices.dtype)
        kind = np.uint32 if indices.dtype == np.int32 else np.uint64
        return data, indices.view(kind), indptr.view(kind)
    n, p = X.shape
    return np.asarray(X, dtype=np.float64).ravel(), np.empty(0, dtype=np.uint64), np.arange(0, n * p + 1, p, dtype=np.uint64)


def squared_norms(rows: Rows) -> Floats:
    """Return ‖x_i‖² of all rows; raise the error that names the first NaN or infinity."""
    X = rows.X
    with np.errstate(invalid="ignore", over="ignore"):
        if rows.is_sparse:
            squares = np.asarray(X.data, dtype=np.float64) ** 2
            ends = np.concatenate([[0.0], np.cumsum(squares)])
            norms = ends[X.indptr[1:]] - ends[X.indptr[:-1]] if np.isfinite(ends[-1]) else np.array([np.nan])
        else:
            norms = np.einsum("ij,ij->i", X, X, dtype=np.float64)
    if not np.isfinite(norms).all():
        rows.source.refuse_nonfinite()
    return norms
