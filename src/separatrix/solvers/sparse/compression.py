"""Fewer columns for the same problem: words that occur in one document each.

Under an L2 penalty, columns that are multiples of each other act as one whose square is the sum of their squares. All columns stored in the
same single row i are: together they become one column with √Σ x_ij² in row i, and w_j = u x_ij/√Σ x_ij² gives the coefficients back.
Half the words of a text occur once, so this halves every vector; the columns left are put in the order of their frequency, which
keeps the common ones together in the cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...array_types import Floats, Indices


@dataclass(frozen=True, slots=True, eq=False)
class Compression:
    """Rows with merged columns, and the way back.

    Attributes
    ----------
    X, transposed : CSR arrays (n, q) and (q, n)
    kept : columns of the original, in their new order
    single : columns of the original that are stored in one row only
    place : new column of each of them
    share : x_ij/√Σ x_ij² of each of them
    """

    X: Any
    transposed: Any
    kept: Indices
    single: Indices
    place: Indices
    share: Floats

    @classmethod
    def of(cls, X: Any) -> Compression:
        """Merge the columns of a CSR array.

        Examples
        --------
        >>> X = sp.csr_array([[1.0, 3.0, 4.0], [1.0, 0.0, 0.0]])
        >>> Compression.of(X).X.toarray().tolist()
        [[1.0, 5.0], [1.0, 0.0]]
        """
        T = X.T.tocsr()
        stored = np.diff(T.indptr)
        single = np.flatnonzero(stored == 1)
        kept = np.flatnonzero(stored > 1)
        kept = kept[np.argsort(-stored[kept], kind="stable")]
        first = T.indptr[single]
        rows, values = T.indices[first], T.data[first].astype(np.float64)
        norms = np.sqrt(np.bincount(rows, weights=values**2, minlength=X.shape[0]))
        owners = np.flatnonzero(norms > 0.0)
        position = np.zeros(X.shape[0], dtype=np.intp)
        position[owners] = len(kept) + np.arange(len(owners))
        merged = sp.csr_array((norms[owners], (np.arange(len(owners)), owners)), shape=(len(owners), X.shape[0]))
        both: Any = [T[kept], merged]
        transposed = sp.vstack(both, format="csr") if len(owners) else T[kept]
        transposed.indices, transposed.indptr = transposed.indices.astype(T.indices.dtype), transposed.indptr.astype(T.indptr.dtype)
        share = np.divide(values, norms[rows], out=np.zeros_like(values), where=norms[rows] > 0.0)
        return cls(transposed.T.tocsr(), transposed, kept, single, position[rows], share)

    def expand(self, W: Floats, n_features: int) -> Floats:
        """Return coefficients (p, R) of the original columns."""
        full = np.zeros((n_features, W.shape[1]))
        full[self.kept] = W[: len(self.kept)]
        # A value stored as 0 has no share, and its place may lie beyond the merged columns.
        live = self.share != 0.0
        full[self.single[live]] = W[self.place[live]] * self.share[live, None]
        return full

    def shorten(self, W: Floats) -> Floats:
        """Return the coefficients (q, R) of the merged columns that score as given ones do."""
        short = np.zeros((self.X.shape[1], W.shape[1]))
        short[: len(self.kept)] = W[self.kept]
        live = self.share != 0.0
        np.add.at(short, self.place[live], W[self.single[live]] * self.share[live, None])
        return short
