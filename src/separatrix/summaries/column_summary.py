"""What a table's column holds, as far as its preparation asks: a summary that merges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ..array_types import Floats
from ..data.columns import Column, ColumnType
from ..data.value_hash import Hashes, level_hashes, number_hashes
from ..errors import InputError
from .value_counts import DistinctCount, LevelCounts

MICROSECONDS = 86_400_000_000
"""In a day."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnSummary:
    """Counts, range, moments and levels of one column.

    Attributes
    ----------
    name, type : of the column; the type of a column without any value is None
    count, missing, infinite : summed weights of finite values, of missing and of infinite ones
    low, high : smallest and largest value; dates are days since 1970-01-01
    mean, square, cube : mean, and sums of (x − mean)² and (x − mean)³
    is_whole : whether every value is a whole number
    has_time : whether any date has a time of day
    distinct : how many different values there are
    levels : how often each occurs, of text, of categories and of numbers that are few
    longest : letters of the longest text
    words : summed numbers of words

    Examples
    --------
    >>> found = ColumnSummary.of(Column("age", np.array([31.0, 47.0, np.nan, 31.0])), np.ones(4))
    >>> found.count, found.missing, round(found.mean, 3), found.distinct.value, found.levels.counts
    (3.0, 1.0, 36.333, 2.0, {31.0: 2.0, 47.0: 1.0})
    """

    name: str
    type: ColumnType | None
    count: float
    missing: float
    infinite: float
    low: float
    high: float
    mean: float
    square: float
    cube: float
    is_whole: bool
    has_time: bool
    distinct: DistinctCount
    levels: LevelCounts
    longest: int
    words: float

    @classmethod
    def of(cls, column: Column, weight: Floats) -> Self:
        """Summarise a column whose rows have positive weights."""
        if column.is_empty:
            nothing = DistinctCount(np.empty(0, dtype=np.uint64))
            return cls(
                column.name,
                None,
                0.0,
                float(weight.sum()),
                0.0,
                np.inf,
                -np.inf,
                0.0,
                0.0,
                0.0,
                True,
                False,
                nothing,
                LevelCounts({}),
                0,
                0.0,
            )
        return cls._of_levels(column, weight) if column.levels is not None else cls._of_numbers(column, weight)

    @classmethod
    def _of_levels(cls, column: Column, weight: Floats) -> Self:
        codes, levels = column.categories()
        present = np.bincount(codes + 1, None if (weight == 1.0).all() else weight, minlength=len(levels) + 1).astype(np.float64)
        total = present[1:]
        there = np.flatnonzero(total)
        own = [levels[i] for i in there]
        text = [str(level) for level in own]
        words = float(sum(w * len(level.split()) for w, level in zip(total[there].tolist(), text)))
        counts = LevelCounts(dict(zip(own, total[there].tolist())), None, tuple(levels) if column.ordered else ()).bounded()
        numbers = np.array([0.0]) if column.type == "text" else np.array(own, dtype=np.float64)
        return cls(
            column.name,
            column.type,
            float(total.sum()),
            float(present[0]),
            0.0,
            float(numbers.min()),
            float(numbers.max()),
            0.0,
            0.0,
            0.0,
            False,
            False,
            DistinctCount.of(level_hashes(own)),
            counts,
            max((len(level) for level in text), default=0),
            words,
        )

    @classmethod
    def _of_numbers(cls, column: Column, weight: Floats) -> Self:
        x = days_of(column) if column.type == "date" else column.numbers()
        finite = np.isfinite(x)
        infinite = float(weight[np.isinf(x)].sum())
        if not finite.all():
            x, known = x[finite], weight[finite]
        else:
            known = weight
        equal = bool((known == 1.0).all())
        if equal:
            values, counts = np.unique(x, return_counts=True)
        else:
            values, places = np.unique(x, return_inverse=True)
            counts = np.bincount(places, known, minlength=len(values))
        n = float(known.sum())
        with np.errstate(over="ignore", invalid="ignore"):
            # Sums, not products of vectors: those are BLAS's, which waits for its threads where other cores are busy.
            mean = float((x if equal else known * x).sum() / n) if n else 0.0
            off = x - mean
            squares = off * off if equal else known * off * off
            square, cube = float(squares.sum()), float((squares * off).sum())
        exact = LevelCounts(dict(zip(values.tolist(), counts.astype(float).tolist())) if len(values) <= 1_000 else {})
        return cls(
            column.name,
            column.type,
            n,
            float(weight.sum()) - n - infinite,
            infinite,
            float(values[0]) if n else np.inf,
            float(values[-1]) if n else -np.inf,
            mean,
            square,
            cube,
            bool((values == np.floor(values)).all()),
            column.type == "date" and not bool((values == np.floor(values)).all()),
            DistinctCount.of(_smallest(values)),
            exact,
            0,
            0.0,
        )

    @property
    def total(self) -> float:
        """Summed weight of all rows."""
        return self.count + self.missing + self.infinite

    @property
    def absent(self) -> float:
        """Summed weight of the rows without a value that can be used."""
        return self.missing + self.infinite

    @property
    def n_distinct(self) -> float:
        """How many different values there are: exact where they were counted one by one, or estimated."""
        return float(len(self.levels.counts)) if self.levels.counts else self.distinct.value

    @property
    def skewness(self) -> float:
        """Third standardised moment, 0 for a constant."""
        deviation = np.sqrt(self.square / self.count) if self.count else 0.0
        return float(self.cube / self.count / deviation**3) if deviation > 0 else 0.0

    def merge(self, other: Self) -> Self:
        """Return the summary of both sets of rows."""
        if self.type is None or other.type is None:
            whole, empty = (other, self) if self.type is None else (self, other)
            return whole._with_missing(empty.missing)
        if self.type != other.type:
            raise InputError(
                f"Column {self.name!r} holds {self.type}s in some rows and {other.type}s in others; make it one type, for instance "
                ".astype(str)."
            )
        n = self.count + other.count
        mean, square, cube = _merged_moments(self, other, n)
        return type(self)(
            self.name,
            self.type,
            n,
            self.missing + other.missing,
            self.infinite + other.infinite,
            min(self.low, other.low),
            max(self.high, other.high),
            mean,
            square,
            cube,
            self.is_whole and other.is_whole,
            self.has_time or other.has_time,
            self.distinct.merge(other.distinct),
            self._merged_levels(other),
            max(self.longest, other.longest),
            self.words + other.words,
        )

    def _merged_levels(self, other: Self) -> LevelCounts:
        if self.longest or other.longest:
            return self.levels.merge(other.levels)
        # Numbers are counted one by one only where they are few: an empty count of a column with values says that they were not.
        if (self.count and not self.levels.counts) or (other.count and not other.levels.counts):
            return LevelCounts({})
        both = self.levels.merge(other.levels)
        return both if len(both.counts) <= 1_000 else LevelCounts({})

    def _with_missing(self, missing: float) -> Self:
        values = {name: getattr(self, name) for name in self.__slots__}
        return type(self)(**{**values, "missing": self.missing + missing})


def days_of(column: Column) -> Floats:
    """Return dates as days since 1970-01-01, NaN where missing."""
    stamps = column.values.astype("datetime64[us]").astype(np.int64)
    return np.where(column.absent, np.nan, stamps / MICROSECONDS)


def _smallest(values: Floats) -> Hashes:
    return number_hashes(values) if len(values) else np.empty(0, dtype=np.uint64)


def _merged_moments(a: ColumnSummary, b: ColumnSummary, n: float) -> tuple[float, float, float]:
    """Return mean and centred sums of both (Pébay 2008)."""
    if not n:
        return 0.0, 0.0, 0.0
    step, p, q = b.mean - a.mean, a.count / n, b.count / n
    square = a.square + b.square + step**2 * a.count * q
    cube = a.cube + b.cube + step**3 * a.count * q * (p - q) + 3.0 * step * (p * b.square - q * a.square)
    return a.mean + step * q, square, cube
