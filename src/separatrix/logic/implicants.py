"""Minimal sums of products: the prime implicants of a Boolean function, and few of them that cover it.

A cube is a row of n values 0, 1 or FREE; it holds the inputs that agree with it where it is not FREE. It is an
implicant if the function is 1 on all of it, and prime if no wider cube is one.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from separatrix.logic.truth_tables import Bits, all_inputs

FREE = 2
"""In a cube: this input may be 0 or 1."""
TRIES = 20_000
"""Most combinations of one size looked through for a cover smaller than the greedy one."""


def prime_implicants(values: Bits) -> Bits:
    """Return the prime implicants, one cube (n,) per row.

    All 3ⁿ cubes at once: along each axis the entries are 0, 1 and FREE, where FREE is the first "and" the second.

    Examples
    --------
    >>> prime_implicants(np.array([0, 1, 1, 1])).tolist()
    [[1, 2], [2, 1]]

    References
    ----------
    Quine, The problem of simplifying truth functions, American Mathematical Monthly 59 (1952).
    """
    n = values.size.bit_length() - 1
    implicant = values.reshape((2,) * n).astype(bool)
    for axis in range(n):
        no, yes = np.take(implicant, 0, axis), np.take(implicant, 1, axis)
        implicant = np.stack([no, yes, no & yes], axis)
    prime = implicant.copy()
    for axis in range(n):
        fixed = (slice(None),) * axis + (slice(0, FREE),)
        prime[fixed] &= ~np.take(implicant, [FREE], axis)
    return np.argwhere(prime)


def cover(values: Bits) -> Bits:
    """Return few prime implicants that together hold exactly the inputs where the function is 1.

    Essential ones first; for the rest the greedy choice, or a smaller one where trying combinations finds it.

    Examples
    --------
    >>> cover(np.array([1, 1, 1, 0, 0, 1, 1, 1])).tolist()
    [[0, 0, 2], [1, 2, 1], [2, 1, 0]]
    """
    cubes = prime_implicants(values)
    ones = all_inputs(cubes.shape[1])[values == 1]
    holds = np.ones((len(cubes), len(ones)), dtype=bool)
    for j in range(cubes.shape[1]):
        holds &= (cubes[:, [j]] == FREE) | (cubes[:, [j]] == ones[:, j])
    alone = holds[:, holds.sum(axis=0) == 1]
    chosen = np.flatnonzero(alone.any(axis=1)).tolist()
    left = ~holds[chosen].any(axis=0)
    chosen += _few(holds[:, left])
    return cubes[np.sort(chosen).astype(np.intp)]


def _few(holds: np.ndarray) -> list[int]:
    """Return few rows of a Boolean matrix that together have a True in every column."""
    left, greedy = np.ones(holds.shape[1], dtype=bool), []
    while left.any():
        best = int(np.argmax((holds & left).sum(axis=1)))
        greedy.append(best)
        left &= ~holds[best]
    useful = np.flatnonzero(holds.any(axis=1)).tolist()
    masks = {row: int("".join("01"[bit] for bit in holds[row].astype(int)), 2) for row in useful}
    full = 2 ** holds.shape[1] - 1
    for size in range(1, len(greedy)):
        if comb(len(useful), size) > TRIES:
            break
        for rows in combinations(useful, size):
            union = 0
            for row in rows:
                union |= masks[row]
            if union == full:
                return list(rows)
    return greedy
