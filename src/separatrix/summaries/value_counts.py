"""How often values occur and how many different ones there are: exact up to a bound, within a stated error beyond it, in bounded memory.

Both merge, and what they say depends on the values alone, not on the order in which these come nor on how they are cut into blocks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..array_types import Floats
from ..data.row_hash import scattered
from ..data.value_hash import Hashes, level_hashes

EXACT_LEVELS = 10_000
"""Levels of a column that are counted one by one."""
SMALLEST = 1_024
"""Hashes kept to estimate how many different values there are: the estimate has a standard error of 1/√1,022, three per cent."""
WIDTH, DEPTH = 16_384, 4
"""A count beyond EXACT_LEVELS is at most e/WIDTH of all values, 0.02 %, too high, but for one value in e⁴ = 55."""


@dataclass(frozen=True, slots=True, eq=False)
class LevelCounts:
    """Summed weights of the levels of a column.

    Attributes
    ----------
    counts : {level: weight}; empty where there are more than EXACT_LEVELS
    sketch : (DEPTH, WIDTH) sums of weights by hash of the level (Count-Min), or None as long as the counts are exact
    ordered : levels in their order where that means something; else empty

    Examples
    --------
    >>> one, other = LevelCounts({"Oslo": 2.0, "Rome": 1.0}), LevelCounts({"Oslo": 1.0})
    >>> one.merge(other).counts
    {'Oslo': 3.0, 'Rome': 1.0}
    >>> many = LevelCounts({f"town {i}": 1.0 for i in range(20_000)} | {"Oslo": 50_000.0}).bounded()
    >>> many.is_exact, bool(50_000 <= many.estimate(["Oslo"])[0] < 50_020)
    (False, True)

    References
    ----------
    Cormode and Muthukrishnan (2005), An improved data stream summary: the count-min sketch, J. of Algorithms 55.
    """

    counts: dict[Any, float]
    sketch: Floats | None = None
    ordered: tuple[Any, ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether every level was counted by itself."""
        return self.sketch is None

    def bounded(self) -> Self:
        """Return the counts, of too many levels as a sketch."""
        if self.sketch is not None or len(self.counts) <= EXACT_LEVELS:
            return self
        sketch = np.zeros((DEPTH, WIDTH))
        _add(sketch, self.counts)
        return type(self)({}, sketch, self.ordered)

    def merge(self, other: Self) -> Self:
        """Return the counts of both sets of rows."""
        ordered = self.ordered if self.ordered == other.ordered else ()
        if self.sketch is None and other.sketch is None:
            counts = dict(self.counts)
            for level, weight in other.counts.items():
                counts[level] = counts.get(level, 0.0) + weight
            return type(self)(counts, None, ordered).bounded()
        sketch = np.zeros((DEPTH, WIDTH))
        for one in (self, other):
            if one.sketch is None:
                _add(sketch, one.counts)
            else:
                sketch += one.sketch
        return type(self)({}, sketch, ordered)

    def estimate(self, levels: Iterable[Any]) -> Floats:
        """Return the counts of some levels: exact, or upper bounds."""
        levels = list(levels)
        if self.sketch is None:
            return np.array([self.counts.get(level, 0.0) for level in levels], dtype=np.float64)
        cells = _cells(level_hashes(levels))
        return np.asarray(self.sketch[np.arange(DEPTH)[:, None], cells].min(axis=0, initial=np.inf))


def _cells(hashes: Hashes) -> Any:
    """Return the cell of each hash in every row of a sketch, (DEPTH, n)."""
    return np.stack([(scattered(hashes + np.uint64(row)) % np.uint64(WIDTH)).astype(np.intp) for row in range(DEPTH)])


def _add(sketch: Floats, counts: dict[Any, float]) -> None:
    weight = np.fromiter(counts.values(), dtype=np.float64, count=len(counts))
    for row, cells in zip(sketch, _cells(level_hashes(list(counts))), strict=True):
        row += np.bincount(cells, weight, minlength=WIDTH)


@dataclass(frozen=True, slots=True, eq=False)
class DistinctCount:
    """How many different values a column has, from the smallest hashes of its values.

    Examples
    --------
    >>> from separatrix.data.value_hash import number_hashes
    >>> few, many = DistinctCount.of(number_hashes(np.array([1.0, 2.0, 1.0]))), DistinctCount.of(number_hashes(np.arange(100_000.0)))
    >>> few.value, abs(many.merge(few).value / 100_000 - 1) < 0.1
    (2.0, True)

    References
    ----------
    Bar-Yossef et al. (2002), Counting distinct elements in a data stream, RANDOM.
    """

    smallest: Hashes

    @classmethod
    def of(cls, hashes: Hashes) -> Self:
        """Return the count of some values by their hashes, which may repeat."""
        return cls(np.unique(hashes)[:SMALLEST])

    @property
    def is_exact(self) -> bool:
        """Whether every different value was seen by itself."""
        return len(self.smallest) < SMALLEST

    @property
    def value(self) -> float:
        """The number of different values, or its estimate."""
        if self.is_exact:
            return float(len(self.smallest))
        return (SMALLEST - 1) / (float(self.smallest[-1]) / 2.0**64)

    def merge(self, other: Self) -> Self:
        """Return the count of both sets of values."""
        return self.of(np.concatenate([self.smallest, other.smallest]))
