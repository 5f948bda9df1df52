"""Products with all rows at once, X V and X'U, for matrices held in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..array_types import Floats, Indices, Parts
from ..data import Block
from ..data.threads import spread
from ..summaries.grouped import NO_WEIGHT, csr_parts
from ..thresholds import THREADS
from .rows import CHUNK_VALUES, Rows
from .sparse.compression import Compression

MEETING, ADDED = 4e-9, 4e-11
"""Seconds, measured: of a meeting of two values in a sparse row, and of dense products for n m². Only their ratio matters."""


class Products:
    """X (n, p) of rows held in memory, as an operator.

    CSR rows for XV; for X'U a CSC copy, whose columns each add up in one place, so that threads never write to the same one.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> products = Products(Rows.of(as_source([[1.0, 2.0], [3.0, 4.0]], [0, 1])))
    >>> products.times(np.array([[1.0], [1.0]])).ravel().tolist(), products.transposed_times(np.array([[1.0], [1.0]])).ravel().tolist()
    ([3.0, 7.0], [4.0, 6.0])
    """

    def __init__(self, rows: Rows, compression: Compression | None = None) -> None:
        assert rows.held is not None
        self.X = rows.X if compression is None else compression.X
        self.shape = self.X.shape
        self.threads = rows.threads
        self.is_sparse = rows.is_sparse
        if self.is_sparse:
            self.row_chunks = _chunks(self.X)
            self.transposed = self.X.T.tocsr() if compression is None else compression.transposed
            self.column_chunks = _chunks(self.transposed)
        else:
            # Cut by the shape alone: sums come out the same on any number of threads.
            self.pieces = _pieces(self.X, THREADS.reached(rows.values))

    def times(self, V: Floats) -> Floats:
        """Return X V (n, K) for V (p, K)."""
        out = np.empty((self.shape[0], V.shape[1]))
        if not self.is_sparse:
            self.run(lambda rows: np.matmul(self._part(rows), V, out=out[rows]), self.pieces)
            return out
        from ..kernels.sparse_products import rows_times

        self.run(lambda chunk: rows_times(*chunk[2], V, out[chunk[0] : chunk[1]]), self.row_chunks)  # type: ignore[call-arg]
        return out

    def transposed_times(self, U: Floats) -> Floats:
        """Return X'U (p, K) for U (n, K)."""
        out, zero = np.empty((self.shape[1], U.shape[1])), np.zeros((self.shape[1], U.shape[1]))
        self.penalised(U, 1.0, zero, 0.0, out)
        return out

    def penalised(self, U: Floats, scale: float, B: Floats, strength: float, out: Floats) -> float:
        """Fill out (p, K) with scale X'U + strength B and return Σ B·out."""
        if not self.is_sparse:
            product = sum(self.run(lambda rows: self._part(rows).T @ U[rows], self.pieces))
            out[:] = scale * product if strength == 0.0 else scale * product + strength * B
            return float(np.vdot(B, out))
        from ..kernels.sparse_products import scaled_rows_times

        def chunk_sum(chunk: tuple[int, int, Parts]) -> float:
            a, b, parts = chunk
            return float(scaled_rows_times(*parts, U, scale, B[a:b], strength, out[a:b]))

        total: float = sum(self.run(chunk_sum, self.column_chunks))
        return total

    def columns(self, chosen: Indices) -> Any:
        """Return X[:, chosen], CSR or C-ordered."""
        return self.transposed[chosen].T.tocsr() if self.is_sparse else np.ascontiguousarray(self.X[:, chosen])

    @cached_property
    def by_columns(self) -> Parts:
        """Data, indices and indptr of X by columns, indices unsigned."""
        data, indices, indptr = csr_parts(Block(self.transposed if self.is_sparse else sp.csr_array(self.X.T)))
        kind = np.uint32 if indices.dtype == np.int32 else np.uint64
        return data, indices.view(kind), indptr.view(kind)

    def gram(self, weight: Floats) -> Floats:
        """Return X' diag(weight) X (p, p) of dense rows, weights not negative."""
        p = self.shape[1]
        total, product = np.zeros((p, p)), np.empty((p, p))
        for tile in _tiles(self.X, np.sqrt(weight)):
            Z = tile.X * tile.weight[:, None]  # type: ignore[index]
            total += np.matmul(Z.T, Z, out=product)
        return total

    def column_squares(self, weight: Floats | None) -> Floats:
        """Return Σ_i s_i x_ij² of each column."""
        if not self.is_sparse:
            tiles = _tiles(self.X, np.ones(self.shape[0]) if weight is None else weight)
            return np.asarray(sum(tile.weight @ np.square(tile.X, dtype=np.float64) for tile in tiles))
        from ..kernels.sparse_products import weighted_squares

        out = np.empty(self.shape[1])
        for a, b, (data, indices, indptr) in self.column_chunks:
            weighted_squares(data, indptr, NO_WEIGHT if weight is None else weight[indices], out[a:b])
        return out

    def row_squares(self, weight: Floats) -> Floats:
        """Return Σ_j t_j x_ij² of each row, for weights t (p,)."""
        if not self.is_sparse:
            return np.concatenate([np.square(tile.X, dtype=np.float64) @ weight for tile in _tiles(self.X)])
        from ..kernels.sparse_products import weighted_squares

        out = np.empty(self.shape[0])
        for a, b, (data, indices, indptr) in self.row_chunks:
            weighted_squares(data, indptr, weight[indices], out[a:b])
        return out

    def squares_times(self, U: Floats) -> Floats:
        """Return (X ∘ X)'U (p, K) for U (n, K)."""
        if not self.is_sparse:
            return np.asarray(sum(np.square(tile.X, dtype=np.float64).T @ U[tile.start :][: tile.n_rows] for tile in _tiles(self.X)))
        from ..kernels.sparse_products import scaled_rows_times

        out, zero = np.empty((self.shape[1], U.shape[1])), np.zeros((self.shape[1], U.shape[1]))

        def fill(chunk: tuple[int, int, Parts]) -> None:
            a, b, (data, indices, indptr) = chunk
            scaled_rows_times(np.square(data, dtype=np.float64), indices, indptr, U, 1.0, zero[a:b], 0.0, out[a:b])

        self.run(fill, self.column_chunks)
        return out

    def run(self, function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        """Return function(item) of all items, computed on the threads these rows are worth; BLAS has one thread in solvers that ask."""
        return spread(function, list(items), self.threads)

    def _part(self, rows: slice) -> Any:
        return self.X[rows].astype(np.float64, copy=False)


def _chunks(X: Any) -> list[tuple[int, int, Parts]]:
    n = X.shape[0]
    marks = np.arange(0, X.nnz, CHUNK_VALUES)
    edges = np.unique(np.append(np.searchsorted(X.indptr, marks, side="left").clip(0, n), [0, n])).tolist()
    whole = Block(X)
    return [(a, b, csr_parts(whole.part(a, b))) for a, b in pairwise(edges)]


def _tiles(X: Any, weight: Floats | None = None) -> Iterable[Block]:
    return Block(X, None, weight).tiles(max(1, 4_000_000 // X.shape[1]))


def _pieces(X: Any, is_cut: bool) -> list[slice]:
    """Return slices of dense rows: all, or as many as a short turn of a thread takes."""
    n = X.shape[0]
    size = max(1, CHUNK_VALUES // X.shape[1]) if is_cut else n
    return [slice(a, min(a + size, n)) for a in range(0, n, max(size, 1))]


def scaled_gram(rows: Any, factors: Floats, scores: Indices) -> Floats:
    """Return AA' (m, m) for A (m, n): rows, dense or CSR, each scaled by the row of factors (R, n) of its score.

    Examples
    --------
    >>> scaled_gram(np.array([[1.0, 2.0], [3.0, 0.0]]), np.array([[1.0, 1.0], [2.0, 2.0]]), np.array([0, 1])).tolist()
    [[5.0, 6.0], [6.0, 36.0]]
    """
    if not sp.issparse(rows):
        dense = rows * factors[scores]
        return np.asarray(dense @ dense.T)
    data = rows.data * factors[np.repeat(scores, np.diff(rows.indptr)), rows.indices]
    A = sp.csr_array((data, rows.indices, rows.indptr), shape=rows.shape)
    meetings = float(np.square(np.bincount(A.indices, minlength=A.shape[1]), dtype=np.float64).sum())
    if MEETING * meetings <= ADDED * A.shape[1] * A.shape[0] ** 2:
        return np.asarray((A @ A.T).toarray())
    dense = A.toarray()
    return np.asarray(dense @ dense.T)
