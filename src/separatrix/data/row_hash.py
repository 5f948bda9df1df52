"""A number for each row that looks random and depends on the row's place alone: the same in memory, in files and on any thread."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def row_hash(begin: int, end: int, seed: int = 0) -> NDArray[np.uint64]:
    """Return the hashes (splitmix64) of rows begin to end.

    Examples
    --------
    >>> bool((row_hash(0, 10)[3:5] == row_hash(3, 5)).all())
    True

    References
    ----------
    Steele, Lea and Flood (2014), Fast splittable pseudorandom number generators, OOPSLA.
    """
    with np.errstate(over="ignore"):  # arithmetic modulo 2⁶⁴ is meant
        return scattered(np.arange(begin, end, dtype=np.uint64) + np.uint64(seed % 2**64) * np.uint64(0xD1342543DE82EF95))


def scattered(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers of 64 bits that look random for any that differ (the end of splitmix64)."""
    with np.errstate(over="ignore"):
        z = (z + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))
