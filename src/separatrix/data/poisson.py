"""Poisson(1) counts that depend on a row and a resample alone: the bootstrap of rows that nobody holds together.

A bootstrap draws n of n rows; how often a row is drawn is nearly Poisson(1), and independent of the other rows where n is not said. Such
counts need no draw that knows all rows: those of a row are read off a hash of its number, or of its key, and of the number of the resample,

    h_ib = splitmix64(r_i + s_b) / 2⁶⁴,      w_ib = the smallest w with h_ib < P(Poisson(1) ≤ w),

so that files, clusters and arrays have the same resamples, however the rows are cut into blocks.
"""

from __future__ import annotations

from fractions import Fraction
from math import factorial

import numpy as np
from numpy.typing import NDArray

from ..array_types import Floats
from ..thresholds import SUMS
from .row_hash import row_hash, scattered


def _limits() -> NDArray[np.uint64]:
    """Return ⌈2⁶⁴ P(Poisson(1) ≤ k)⌉ for k = 0, 1, … as far as they differ from 2⁶⁴."""
    none = sum((Fraction((-1) ** k, factorial(k)) for k in range(30)), Fraction(0))  # 1/e to 30 digits, the same on every machine
    sums = [none * sum((Fraction(1, factorial(j)) for j in range(k + 1)), Fraction(0)) for k in range(20)]
    return np.array([limit for share in sums if (limit := -int(-share * 2**64 // 1)) < 2**64], dtype=np.uint64)


LIMITS = _limits()


def poisson_counts(rows: NDArray[np.uint64], resamples: NDArray[np.uint64]) -> Floats:
    """Return how often each row is drawn (B, n), for hashes of the rows (n,) and of the resamples (B,).

    Examples
    --------
    >>> found = poisson_counts(row_hash(0, 10_000), resample_hashes(3, seed=0))
    >>> found.shape, bool((found[:, 5:7] == poisson_counts(row_hash(5, 7), resample_hashes(3, seed=0))).all())
    ((3, 10000), True)
    >>> bool(abs(found.mean() - 1.0) < 0.02 and abs((found == 0).mean() - np.exp(-1.0)) < 0.01)
    True
    """
    if not SUMS.reached(len(rows) * len(resamples)):
        with np.errstate(over="ignore"):  # arithmetic modulo 2⁶⁴ is meant
            hashes = scattered(rows[None, :] + resamples[:, None])
        return np.searchsorted(LIMITS, hashes, side="right").astype(np.float64)
    from ..kernels.poisson import poisson_counts as compiled

    found = np.empty((len(resamples), len(rows)))
    compiled(np.ascontiguousarray(rows), np.ascontiguousarray(resamples), LIMITS, found)
    return found


def resample_hashes(count: int, seed: int) -> NDArray[np.uint64]:
    """Return the hashes of resamples 0 to count − 1."""
    return scattered(row_hash(0, count, seed + 1))  # twice: sums with those of rows, hashed once, are like no other hash
