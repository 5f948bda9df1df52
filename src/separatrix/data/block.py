"""The block: some consecutive rows of a source, with their class codes and weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Rows = Any
"""A float32/float64 array of two dimensions, or a scipy CSR array."""


@dataclass(frozen=True, slots=True)
class Block:
    """Rows n × p, the codes of their classes, their weights, and where in the source they begin.

    Parameters
    ----------
    X : ndarray of float32 or float64 in any memory order, or csr_array
    codes : ndarray of int32 or None
        Position of each row's label in the source's `classes`.
    weight : ndarray of float64 or None
        None means that every row counts once.
    start : int
        Number of the first row within the source.

    Examples
    --------
    >>> block = Block(np.eye(3), np.array([0, 1, 1], dtype=np.int32))
    >>> [tile.X.shape for tile in block.tiles(2)]
    [(2, 3), (1, 3)]
    """

    X: Rows
    codes: NDArray[np.int32] | None = None
    weight: NDArray[np.float64] | None = None
    start: int = 0

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.X.shape[1])

    @property
    def is_sparse(self) -> bool:
        """Whether X is a CSR array."""
        return sp.issparse(self.X)

    def part(self, begin: int, end: int) -> Block:
        """Return rows begin to end without copying them."""
        X = csr_rows(self.X, begin, end) if self.is_sparse else self.X[begin:end]
        codes = None if self.codes is None else self.codes[begin:end]
        weight = None if self.weight is None else self.weight[begin:end]
        return Block(X, codes, weight, self.start + begin)

    def tiles(self, rows: int) -> Iterator[Block]:
        """Yield parts of at most `rows` rows whose dense X is C-contiguous float32 or float64, copied only if it is not."""
        for begin in range(0, self.n_rows, rows):
            tile = self.part(begin, min(begin + rows, self.n_rows))
            if not tile.is_sparse:
                X = np.ascontiguousarray(as_float(tile.X))
                tile = Block(X, tile.codes, tile.weight, tile.start)
            yield tile

    def dense(self) -> NDArray[np.floating]:
        """Return X as a dense float array."""
        return self.X.toarray() if self.is_sparse else as_float(self.X)


def as_float(X: NDArray[Any]) -> NDArray[np.floating]:
    """Return X itself if it is float32 or float64 in native byte order, else a float64 copy.

    Examples
    --------
    >>> as_float(np.array([1, 2], dtype=np.int16)).dtype
    dtype('float64')
    """
    if X.dtype in (np.float64, np.float32) and X.dtype.isnative:
        return X
    return X.astype(np.float64)


def csr_rows(X: Any, begin: int, end: int) -> sp.csr_array:
    """Return rows begin to end of a CSR array as views of its data (scipy's own slicing copies).

    Examples
    --------
    >>> csr_rows(sp.csr_array(np.eye(4)), 1, 3).toarray()
    array([[0., 1., 0., 0.],
           [0., 0., 1., 0.]])
    """
    low, high = X.indptr[begin], X.indptr[end]
    part = sp.csr_array((end - begin, X.shape[1]), dtype=X.dtype)
    # Set directly: the constructor from a triple would scan and may copy the index arrays.
    part.data, part.indices = X.data[low:high], X.indices[low:high]
    part.indptr = X.indptr[begin : end + 1] - low
    return part
