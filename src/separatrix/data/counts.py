"""Rows of counts, switches or category numbers: read where they lie, whatever type of number they are."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp

from .arrays import ArraySource, as_csr, check_dense
from .opening import is_frame
from .source import csr_rows

CHUNK_VALUES = 1_000_000
"""Stored values of a chunk of sparse rows: a few milliseconds of counting."""
VALUES_PER_TOTAL = 4
"""Stored values of a chunk for each of the K × p totals it is summed into; with fewer, clearing and merging totals would cost more."""


class CountSource(ArraySource):
    """Rows of an array whose integers stay integers: a pass turns them to float tile by tile, so that X is never copied.

    Sparse rows are cut by the number of stored values instead of the number of columns.

    Parameters
    ----------
    distinct : bool
        Whether a column stored twice in a sparse row must be summed first, as it must where a value is compared with a threshold.

    Examples
    --------
    >>> source = CountSource(sp.csr_array([[2, 0], [0, 1]]))
    >>> next(source.blocks()).X.dtype
    dtype('int64')
    """

    def __init__(self, X: Any, *, distinct: bool = False, n_jobs: int | None = None) -> None:
        self.is_sparse = sp.issparse(X)
        self.X = check_stored(X, distinct) if self.is_sparse else check_dense(X)
        self.n_rows, self.n_features = (int(s) for s in self.X.shape)
        self.labels, self.weight, self.feature_names, self.n_jobs = None, None, None, n_jobs

    def rows(self, begin: int, end: int) -> Any:
        """Return rows begin to end as they are."""
        return csr_rows(self.X, begin, end) if self.is_sparse else self.X[begin:end]

    @property
    def chunk_rows(self) -> int:
        """Rows of a chunk; they depend on the shape, the stored values and the classes, never on the number of threads."""
        if not self.is_sparse:
            return super().chunk_rows
        totals = 0 if self.labels is None else len(self.labels.classes) * self.n_features
        rows: Any = self.X
        chunks = max(1, rows.nnz // max(CHUNK_VALUES, VALUES_PER_TOTAL * totals))
        size: int = -(-self.n_rows // chunks)
        return size


def check_stored(X: Any, distinct: bool) -> sp.csr_array:
    """Return a sparse X as a CSR array sharing its memory; columns stored twice in a row are summed only if `distinct`."""
    rows = as_csr(X)
    # Asked of X itself where it can be: scipy keeps the answer there, and scanning the column numbers takes a millisecond per 3 million.
    if distinct and not (X if X.format == "csr" else rows).has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def is_text(X: Any) -> bool:
    """Whether X is a list or column of texts: documents, not rows of counts.

    Examples
    --------
    >>> is_text(["free money", "hello"]), is_text([[1, 2]])
    (True, False)
    """
    if getattr(X, "ndim", 1) != 1 or sp.issparse(X) or is_frame(X) or isinstance(X, str | dict | set | frozenset):
        return False
    return hasattr(X, "__len__") and hasattr(X, "__iter__") and isinstance(next(iter(X), None), str)
