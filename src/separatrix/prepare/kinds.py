"""Which kind a column is, by what it holds: a number, a category, a date, a text, or nothing that tells classes apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..array_types import Floats
from ..data.columns import Column
from ..summaries.column_summary import ColumnSummary, days_of
from ..summaries.value_counts import SMALLEST
from .steps.base import date_text, level_text
from .written_dates import WrittenDates
from .written_numbers import BLANKS, WrittenNumbers

DISTINCT = 0.99
"""Share of different values from which a column may be an identifier."""
SEQUENCE = 50
"""Rows from which whole numbers that follow each other, without one twice, are no measurement."""
FEWEST = 20
"""Rows below which all values may well be different by chance."""
IDENTIFIER = re.compile(
    r"(?:^|[_\s.\-:])(?:id|ids|uuid|guid|key|pk|index|idx|row|serial|ssn|isbn|url|email|hash|unnamed)(?:[_\s.\-:]?\d+)?$"
)
COMMON = 0.8
"""Share of rows that common levels must hold for the rare ones to be put together."""
WORDY, LONG = 2.5, 8.0
"""Words of a value, on average, from which values that mostly differ, and any that are many, are texts."""


@dataclass(frozen=True, slots=True)
class Levels:
    """Levels of a column as text with their weights, the most common first, and the weight of values that are missing or blank.

    Attributes
    ----------
    counts : {level: weight}
    missing : weight of rows without one
    is_exact : whether every level was counted by itself
    distinct : how many levels there are, about
    """

    counts: dict[str, float]
    missing: float
    is_exact: bool
    distinct: float

    @classmethod
    def of(cls, summary: ColumnSummary, sampled: Column, weight: Floats) -> Levels:
        """Return the levels that a summary counted; where they were too many, those of the sampled rows."""
        if summary.levels.is_exact and (summary.levels.counts or not summary.count):
            given: dict[Any, float] = summary.levels.counts
        else:
            codes, own = (Column("", days_of(sampled)) if sampled.type == "date" else sampled).categories()
            if summary.levels.is_exact:  # numbers too many to be counted one by one: by the sampled rows
                there = np.bincount(codes[codes >= 0], weight[codes >= 0], minlength=len(own))
                given = dict(zip(own, (there * (summary.count / max(float(there.sum()), 1e-300))).tolist(), strict=True))
            else:
                given = dict(zip(own, summary.levels.estimate(own), strict=True))
        counts: dict[str, float] = {}
        blank = 0.0
        for level, total in given.items():
            text = date_text(level) if summary.type == "date" else level_text(level)
            if text in BLANKS:
                blank += total
            else:
                counts[text] = counts.get(text, 0.0) + float(total)
        ordered = dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
        exact = summary.levels.is_exact and bool(summary.levels.counts)
        return cls(ordered, summary.absent + blank, exact, float(len(ordered)) if exact else summary.n_distinct)

    @property
    def present(self) -> float:
        """Summed weight of the levels."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class Guess:
    """The kind of a column, why it is left out where it is, and how numbers or dates are written in it."""

    kind: str
    why: str = ""
    numbers: WrittenNumbers | None = None
    dates: WrittenDates | None = None


def guess_kind(summary: ColumnSummary, sampled: Column, most_levels: int, weight: Floats) -> Guess:
    """Return the kind of a column.

    Parameters
    ----------
    summary : of the column
    sampled : its values in the sampled rows
    most_levels : columns that a category may become
    weight : of the sampled rows
    """
    if summary.type is None or not summary.count:
        return Guess("drop", "no value at all")
    if summary.n_distinct == 1 and not summary.absent:
        return Guess("drop", "one value")
    if summary.levels.ordered:
        return Guess("ordered")
    if summary.type == "date":
        return Guess("date")
    if summary.type == "number" and sampled.levels is None:
        return Guess("drop", "identifier") if _numbers_rows(summary) else Guess("number")
    return _guess_text(summary, sampled, most_levels, weight)


def _guess_text(summary: ColumnSummary, sampled: Column, most_levels: int, weight: Floats) -> Guess:
    levels = Levels.of(summary, sampled, weight)
    if not levels.counts:
        return Guess("drop", "no value at all")
    if len(levels.counts) == 1 and levels.is_exact and not levels.missing:
        return Guess("drop", "one value")
    if summary.type == "text":
        numbers = WrittenNumbers.of(levels.counts)
        if numbers is not None and len(levels.counts) > 2:
            return Guess("number", numbers=numbers)
        dates = WrittenDates.of(levels.counts)
        if dates is not None:
            return Guess("date", dates=dates)
    words = summary.words / summary.count
    differs = levels.distinct / max(levels.present, 1.0) if levels.is_exact else levels.distinct / summary.count
    many = levels.distinct > most_levels
    if summary.count >= FEWEST and differs >= DISTINCT and (is_named_like_one(summary.name) or words < WORDY):
        return Guess("drop", "identifier")
    if many and ((differs >= 0.5 and words >= WORDY) or words >= LONG):
        return Guess("text")
    return Guess("levels" if many and not common_levels(levels, summary.total, most_levels) else "category")


def common_levels(levels: Levels, rows: float, most: int) -> list[str]:
    """Return the levels that are common enough for a column of their own; none where too many rows would have another."""
    least = least_count(rows)
    kept = [level for level, weight in levels.counts.items() if weight >= least]
    enough = len(levels.counts) <= most or sum(levels.counts[level] for level in kept) >= COMMON * levels.present
    return kept if len(kept) <= most and enough else []


def least_count(rows: float) -> float:
    """Return the rows that a level needs for a column of its own: one in a hundred, at least 2 and at most 10."""
    return min(10.0, max(2.0, 0.01 * rows))


def is_named_like_one(name: str) -> bool:
    """Whether a column is named like an identifier.

    Examples
    --------
    >>> [is_named_like_one(name) for name in ("customerID", "PassengerId", "user_id", "Unnamed: 0", "paid amount", "age")]
    [True, True, True, True, False, False]
    """
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip()).lower()
    return bool(IDENTIFIER.search(snake)) or snake.startswith(("id_", "unnamed:")) or (snake.endswith("id") and " " not in snake)


def _numbers_rows(summary: ColumnSummary) -> bool:
    """Whether whole numbers tell rows apart: all different, and named like an identifier or one after the other."""
    error = 0.0 if summary.distinct.is_exact else 3.0 / SMALLEST**0.5
    if not summary.is_whole or summary.count < FEWEST or summary.n_distinct < (DISTINCT - error) * summary.count:
        return False
    sequential = summary.count >= SEQUENCE and summary.high - summary.low + 1.0 <= 1.02 * summary.count
    return bool(sequential) or is_named_like_one(summary.name)


def skewness(x: Floats, weight: Floats) -> float:
    """Return the third standardised moment of values with weights."""
    with np.errstate(over="ignore", invalid="ignore"):  # numbers beyond all squares are refused by the fit
        z = (x - float((weight * x).sum() / weight.sum())) / (float(np.abs(x).max()) or 1.0)
        deviation = float(np.sqrt((weight * z * z).sum() / weight.sum()))
        return float((weight * (z / deviation) ** 3).sum() / weight.sum()) if deviation > 0 else 0.0
