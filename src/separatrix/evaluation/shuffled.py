"""Labels shuffled inside folds, each shuffle by its number: rows of any part of a table get theirs without the others.

Labels of up to 8,192 rows are shuffled fold by fold. More rows are cut into stretches of so many: how many labels of each class a stretch
gets is drawn first, stretch after stretch without replacement (hypergeometric), then these are shuffled inside it. Every arrangement is as
likely as by one shuffle of all rows, and a worker that has the counts needs no label of any other stretch.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..array_types import Codes, Folds, Ints

BLOCK = 100
"""Permutations drawn from one generator."""
STRETCH = 8_192
"""Rows whose labels are shuffled together."""


@dataclass(frozen=True, slots=True)
class Shuffled:
    """Permutations of class codes inside the folds, of all where rows are held out alone; number b is the same in every set.

    Examples
    --------
    >>> codes, folds = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
    >>> Shuffled(codes, folds, 5).part(0, 3).sum(axis=0).tolist()
    [2, 2, 2]
    """

    codes: Codes
    folds: Folds
    seed: int

    def part(self, begin: int, end: int) -> Codes:
        """Return permutations begin to end of all rows, (n, end − begin)."""
        return self.some(begin, end).rows(0, len(self.codes))

    def some(self, begin: int, end: int) -> Permutations:
        """Return permutations begin to end, for any part of the rows."""
        alone = int(self.folds.max()) + 1 == len(self.folds)
        groups = np.zeros(len(self.folds), dtype=np.int32) if alone else np.unique(self.folds, return_inverse=True)[1].astype(np.int32)
        blocks = range(begin // BLOCK, (end - 1) // BLOCK + 1)
        if len(self.codes) <= STRETCH:
            return Permutations(groups, self.seed, begin, end, self.codes, None)
        return Permutations(groups, self.seed, begin, end, None, np.concatenate([self._splits(groups, block) for block in blocks]))

    def _splits(self, groups: NDArray[np.int32], block: int) -> NDArray[np.int32]:
        """Return how many labels of each class each stretch gets in each group, (BLOCK, stretches, G, K)."""
        G, K, stretch = int(groups.max()) + 1, int(self.codes.max()) + 1, np.arange(len(groups)) // STRETCH
        sizes = np.bincount(stretch * G + groups, minlength=(int(stretch[-1]) + 1) * G).reshape(-1, G)
        left = np.tile(np.bincount(groups * K + self.codes, minlength=G * K).reshape(G, K), (BLOCK, 1, 1))
        rng, found = np.random.default_rng([self.seed, block]), np.empty((BLOCK, len(sizes), G, K), dtype=np.int32)
        for c, size in enumerate(sizes):
            wanted = np.tile(size, (BLOCK, 1))
            for k in range(K - 1):
                found[:, c, :, k] = rng.hypergeometric(left[:, :, k], left[:, :, k + 1 :].sum(axis=2), wanted)
                wanted = wanted - found[:, c, :, k]
            found[:, c, :, K - 1] = wanted
            left -= found[:, c]
        return found


@dataclass(frozen=True, slots=True)
class Permutations:
    """Some permutations of the labels of n rows; what travels to workers."""

    groups: NDArray[np.int32]
    seed: int
    begin: int
    end: int
    codes: Codes | None
    splits: NDArray[np.int32] | None

    @property
    def count(self) -> int:
        """Number of permutations B."""
        return self.end - self.begin

    def rows(self, first: int, last: int) -> Codes:
        """Return the permuted codes of rows first to last, (last − first, B)."""
        stretches = range(first // STRETCH, (last - 1) // STRETCH + 1)
        found = np.concatenate([self._stretch(c) for c in stretches], axis=1)
        return found[:, first - stretches[0] * STRETCH : last - stretches[0] * STRETCH].T

    def _stretch(self, c: int) -> Codes:
        """Return the permuted codes of a stretch of rows, (B, rows)."""
        groups = self.groups[c * STRETCH : (c + 1) * STRETCH]
        parts, start = [], self.begin // BLOCK
        for block in range(start, (self.end - 1) // BLOCK + 1):
            whole = self.splits is None
            rng = np.random.default_rng([self.seed, block] if whole else [self.seed, block, c])
            found = np.empty((BLOCK, len(groups)), dtype=np.int32)
            for g in np.unique(groups):
                own = np.flatnonzero(groups == g)
                found[:, own] = rng.permuted(self._sorted(block - start, c, g, own), axis=1)
            parts.append(found[max(0, self.begin - block * BLOCK) : self.end - block * BLOCK])
        return np.concatenate(parts)

    def _sorted(self, block: int, c: int, g: int, own: Ints) -> Codes:
        """Return the labels that rows of a group share in a stretch, in some order, for each permutation of a block."""
        if self.splits is None:
            assert self.codes is not None
            return np.tile(self.codes[own], (BLOCK, 1))
        ends = self.splits[block * BLOCK : (block + 1) * BLOCK, c, g].cumsum(axis=1)
        found: Codes = (np.arange(len(own))[None, :, None] >= ends[:, None, :-1]).sum(axis=2, dtype=np.int32)
        return found
