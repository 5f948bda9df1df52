"""The columns of a table as a model file remembers them: counts and quantiles of the training rows, and the same counts of other rows.

Columns are read as the model's recipe reads them, so that prices written as text are numbers here too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..array_types import Floats
from ..data.columns import Column
from ..prepare.recipe import Recipe
from ..prepare.steps import Dates, Dropped, Numbers, Step
from ..prepare.steps.base import numbers_of, text_codes
from ..summaries.column_summary import days_of
from .column_facts import LEAST, MOST_LEVELS, PROBABILITIES, ColumnFacts

MOSTLY_DISTINCT = 0.5
"""Share of distinct values from which text is no category: its levels are not counted."""


@dataclass(frozen=True, eq=False)
class ReadColumn:
    """Some values of a column: numbers or days (NaN where missing), or places among levels (−1 where missing)."""

    name: str
    kind: str
    values: Any
    levels: tuple[str, ...] = ()

    @classmethod
    def of(cls, column: Column, step: Step | None = None) -> ReadColumn:
        """Return a column as a step of a recipe reads it, or as it is."""
        if isinstance(step, Numbers) or (step is None and column.type == "number" and column.levels is None):
            return cls(column.name, "number", numbers_of(column, getattr(step, "written", None)))
        if isinstance(step, Dates):
            return cls(column.name, "date", days_of(Column(column.name, step.encode_values(column))))
        if step is None and column.type == "date":
            return cls(column.name, "date", days_of(column))
        return cls.by_text(column)

    @classmethod
    def by_text(cls, column: Column) -> ReadColumn:
        """Return any column as levels."""
        codes, texts = text_codes(column)
        return cls(column.name, "level", codes, tuple(texts))

    @property
    def missing(self) -> int:
        """Number of rows without a value."""
        return int((self.values < 0).sum() if self.kind == "level" else np.isnan(self.values).sum())

    def by_level(self) -> dict[str, float]:
        """Return how many rows each level has; of several that are written alike, together."""
        counts = np.bincount(self.values[self.values >= 0], minlength=len(self.levels))
        found: dict[str, float] = {}
        for level, count in zip(self.levels, counts.tolist(), strict=True):
            found[level] = found.get(level, 0.0) + count
        return found


def facts_of(column: Column, step: Step | None = None) -> ColumnFacts:
    """Return the facts of a column; of one that the recipe leaves out, the count of gaps alone.

    Examples
    --------
    >>> facts_of(Column("city", np.arange(101) % 2, np.array(["Oslo", "Rome"], dtype=object))).levels
    (('Oslo', 51.0), ('Rome', 50.0))
    """
    read = ReadColumn.of(column, None if isinstance(step, Dropped) else step)
    n, missing = float(len(read.values)), float(read.missing)
    if isinstance(step, Dropped):
        return ColumnFacts(read.name, read.kind, n, missing)
    if read.kind != "level":
        known = read.values[~np.isnan(read.values)]
        if len(known) < LEAST:
            return ColumnFacts(read.name, read.kind, n, missing)
        quantiles = tuple(np.quantile(known, PROBABILITIES).tolist())
        return ColumnFacts(read.name, read.kind, n, missing, quantiles, cells=tuple(cell_counts(known, quantiles).tolist()))
    counts = sorted(read.by_level().items(), key=lambda pair: (-pair[1], pair[0]))
    if len(counts) > MOSTLY_DISTINCT * (n - missing):
        return ColumnFacts(read.name, read.kind, n, missing, rare=n - missing)
    named = tuple((level, float(count)) for level, count in counts if count >= LEAST)[:MOST_LEVELS]
    return ColumnFacts(read.name, read.kind, n, missing, (), named, n - missing - sum(count for _, count in named))


def cell_counts(values: Floats, quantiles: Sequence[float]) -> Floats:
    """Return how many values lie between the different quantiles: up to the first, …, above the last.

    Examples
    --------
    >>> cell_counts(np.array([0.0, 0.0, 1.0, 5.0]), (0.0, 0.0, 2.0)).tolist()
    [2.0, 1.0, 1.0]
    """
    cuts = np.unique(quantiles)
    return np.bincount(np.searchsorted(cuts, values, side="left"), minlength=len(cuts) + 1).astype(np.float64)


@dataclass(frozen=True, eq=False)
class ColumnTally:
    """Rows, gaps and counts of one column of new rows, in the cells or levels of its training facts; tallies merge by adding."""

    rows: float
    missing: float
    counts: Floats

    @classmethod
    def of(cls, column: Column, facts: ColumnFacts, step: Step | None) -> ColumnTally:
        """Count a column."""
        read = ReadColumn.of(column, step)
        if facts.kind == "level":
            by_level = (read if read.kind == "level" else ReadColumn.by_text(column)).by_level()
            named = np.array([by_level.pop(level, 0.0) for level, _ in facts.levels], dtype=np.float64)
            counts = np.append(named, sum(by_level.values()))
        else:
            values = np.asarray(numbers_of(column) if read.kind == "level" else read.values)
            counts = cell_counts(values[~np.isnan(values)], facts.quantiles) if facts.quantiles else np.zeros(1)
        return cls(float(len(read.values)), float(len(read.values) - counts.sum()) if facts.quantiles else float(read.missing), counts)

    def merge(self, other: ColumnTally) -> ColumnTally:
        """Return the tally of both sets of rows."""
        return ColumnTally(self.rows + other.rows, self.missing + other.missing, self.counts + other.counts)


def steps_of(recipe: Recipe | None) -> Mapping[str, Step]:
    """Return the steps of a recipe by column."""
    return {} if recipe is None else {step.column: step for step in recipe.steps}
