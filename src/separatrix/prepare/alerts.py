"""What was noticed while columns were prepared, as alerts."""

from __future__ import annotations

import numpy as np

from ..alerts import Alert
from ..data.columns import Column
from ..summaries.column_summary import ColumnSummary
from ..summaries.table_summary import TableSample
from .written_numbers import WrittenNumbers, is_blank


def dropped(summary: ColumnSummary, why: str) -> tuple[Alert, ...]:
    """Return the alert of a column that is left out; none where the user asked for it."""
    name = summary.name
    undo = f"To keep it: keep=[{name!r}]."
    if why == "identifier":
        about = "" if summary.distinct.is_exact or summary.levels.counts else "about "
        different = f"{about}{min(summary.n_distinct, summary.count):,.0f}"
        seen = f"Column {name!r} has {different} different values in {summary.count:,.0f} rows and looks like an identifier."
        return (Alert("SPX001", name, seen, "It tells rows apart, not classes, and is left out.", undo),)
    if why == "one value":
        return (
            Alert("SPX002", name, f"Column {name!r} has one value.", "It says nothing about the classes and is left out.", undo, "note"),
        )
    if why == "no value at all":
        seen = f"Column {name!r} has no value in {summary.total:,.0f} rows."
        return (Alert("SPX018", name, seen, "There is nothing to learn from it, and it is left out.", "Nothing to do.", "note"),)
    return ()


def duplicate(name: str, other: str, sample: TableSample) -> Alert:
    """Return the alert of a column that repeats another."""
    rows = "every row" if sample.is_whole else f"all of {len(sample.weight):,} rows looked at"
    seen = f"Column {name!r} holds the same as {other!r} in {rows}."
    return Alert(
        "SPX003", name, seen, "Two of the same share their coefficient, and it is left out.", f"To keep it: keep=[{name!r}].", "note"
    )


def infinite(summary: ColumnSummary) -> tuple[Alert, ...]:
    """Return the alert of a column with infinite values."""
    if not summary.infinite:
        return ()
    seen = f"Column {summary.name!r} has {summary.infinite:,.0f} infinite values."
    return (Alert("SPX020", summary.name, seen, "No coefficient fits them; they count as missing.", "Check where they come from."),)


def written(summary: ColumnSummary, sampled: Column, how: WrittenNumbers) -> tuple[Alert, ...]:
    """Return the alert of numbers that came as text, with what could not be read."""
    levels = [level for level in sampled.categories()[1] if isinstance(level, str)]
    failed = [level for level in levels if not is_blank(level) and not np.isfinite(how.value(level))]
    blank = sum(1 for level in levels if is_blank(level))
    name, first = summary.name, next((level for level in levels if np.isfinite(how.value(level))), "")
    seen = f"Column {name!r} holds numbers written as text, such as {first!r}; the decimal mark is {how.decimal!r}."
    lost = f" What does not read as a number is missing: {', '.join(map(repr, failed[:3]))}." if failed else ""
    gaps = " Blanks are missing values." if blank else ""
    return (Alert("SPX017", name, seen, f"It is read as numbers.{lost}{gaps}", f"As a category: kinds={{{name!r}: 'category'}}.", "note"),)
