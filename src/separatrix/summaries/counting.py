"""How values become counts: as they are, as switches above a threshold, with missing values refused or left out.

What cannot be counted (a negative number of words, a NaN that is not to be left out) becomes NaN, and so does every sum it enters:
one look at the sums tells whether all rows were good, and only then is the bad value searched for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..array_types import Bools, Floats
from ..data.source import Block, as_float
from ..thresholds import LABELS

PIECE = 131_072
"""Stored values that are turned into counts in one go: a megabyte, to stay in a core's cache."""


@dataclass(frozen=True, slots=True)
class CountingRule:
    """How a value x is counted.

    Attributes
    ----------
    threshold : float or None
        Count 1 where x > threshold, else 0; None counts x itself.
    switches : bool
        Whether a value other than 0 and 1 cannot be counted.
    nonnegative : bool
        Whether a value below 0 cannot be counted.
    skip_missing : bool
        Whether a NaN is left out; else it cannot be counted.

    Examples
    --------
    >>> CountingRule(threshold=0.5, skip_missing=True).values(np.array([0.0, 2.0, np.nan]))
    (array([0., 1., 0.]), array([False, False,  True]))
    """

    threshold: float | None = None
    switches: bool = False
    nonnegative: bool = False
    skip_missing: bool = False

    @property
    def floor(self) -> float:
        """The smallest value that can be counted."""
        return 0.0 if self.nonnegative else -np.inf

    @property
    def is_plain(self) -> bool:
        """Whether a number is counted as it is."""
        return self.threshold is None and not (self.switches or self.skip_missing)

    def values(self, x: NDArray[Any]) -> tuple[NDArray[np.floating], Bools | None]:
        """Return what is counted, and where a value is missing and left out (None: nowhere). Values below the floor stay."""
        x = as_float(x)
        gaps = None
        if self.skip_missing and np.isnan(x.min(initial=0.0)):
            gaps = np.isnan(x)
            x = np.where(gaps, x.dtype.type(0.0), x)
        if self.switches and ((x != 0) & (x != 1)).any():
            x = np.where((x == 0) | (x == 1), x, np.nan)
        return (x if self.threshold is None else _switched(x, self.threshold)), gaps


def _switched(x: NDArray[np.floating], threshold: float) -> Floats:
    if not LABELS.reached(x.size):
        return np.where(np.isfinite(x), x > threshold, np.nan)
    from ..kernels.counts import switch

    flat = np.ascontiguousarray(x)
    on = np.empty(x.shape)
    switch(flat.reshape(-1), threshold, on.reshape(-1))
    return on


@dataclass(frozen=True, slots=True)
class StoredRows:
    """Consecutive CSR rows as the sparse kernels want them: counted values as float64, and where one was left out."""

    begin: int
    end: int
    data: Floats
    indices: NDArray[np.integer]
    indptr: NDArray[np.integer]
    gaps: Bools | None

    def matrix(self, n_features: int) -> sp.csr_array:
        """Return the rows as a matrix."""
        return sp.csr_array((self.data, self.indices, self.indptr), shape=(self.end - self.begin, n_features))


def stored(block: Block, reading: CountingRule) -> Iterator[StoredRows]:
    """Yield the stored values of a sparse block in pieces, in one piece where nothing has to be turned."""
    X = block.X
    index = np.int32 if X.indices.dtype == np.int32 and X.indptr.dtype == np.int32 else np.int64
    whole = reading.is_plain and X.data.dtype == np.float64
    step = block.n_rows if whole else max(1, PIECE * block.n_rows // max(1, X.nnz))
    for begin in range(0, block.n_rows, step):
        end = min(begin + step, block.n_rows)
        low, high = X.indptr[begin], X.indptr[end]
        data, gaps = reading.values(X.data[low:high])
        indptr = (X.indptr[begin : end + 1] - low).astype(index, copy=False)
        yield StoredRows(begin, end, data.astype(np.float64, copy=False), X.indices[low:high].astype(index, copy=False), indptr, gaps)
