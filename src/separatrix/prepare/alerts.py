"""What was noticed while columns were prepared, as alerts."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from ..alerts import Alert
from ..data.columns import Column
from ..summaries.column_summary import ColumnSummary
from ..summaries.table_summary import TableSample
from .written_dates import doubt_of
from .written_numbers import MANY, WrittenNumbers, is_blank

MIXED = 0.8
"""Share of numbers from which levels may have been meant as numbers."""


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


def written(summary: ColumnSummary, sampled: Column, how: WrittenNumbers, counts: Mapping[str, float]) -> tuple[Alert, ...]:
    """Return the alert of numbers that came as text, with what could not be read."""
    levels = [level for level in sampled.categories()[1] if isinstance(level, str)]
    failed = [level for level in levels if not how.says_nothing(level) and not np.isfinite(how.value(level))]
    blank = sum(1 for level in levels if is_blank(level))
    name, first = summary.name, next((level for level in levels if np.isfinite(how.value(level))), "")
    seen = f"Column {name!r} holds numbers written as text, such as {first!r}; the decimal mark is {how.decimal!r}."
    lost = f" What does not read as a number is missing: {', '.join(map(repr, failed[:3]))}." if failed else ""
    gaps = " Blanks are missing values." if blank else ""
    if how.word:
        known = sum(weight for level, weight in counts.items() if how.says_nothing(level)) / max(sum(counts.values()), 1e-300)
        gaps = f" {how.word!r}, in {100 * known:.2g} % of its values, is a missing value.{gaps}"
    undo = f"As a category: kinds={{{name!r}: 'category'}}."
    return (Alert("SPX017", name, seen, f"It is read as numbers.{lost}{gaps}", undo, "note"),)


def mixed(name: str, counts: Mapping[str, float]) -> tuple[Alert, ...]:
    """Return the alert of a column of levels most of which are numbers, and the others several words."""
    total, how = max(sum(counts.values()), 1e-300), WrittenNumbers()
    if sum(weight for level, weight in counts.items() if any(map(str.isdigit, level))) < MIXED * total:
        return ()
    values = {level: how.value(level) for level in counts}
    numbers, words = ([level for level in counts if np.isfinite(values[level]) == there] for there in (True, False))
    share = sum(counts[level] for level in numbers) / total
    if share < MIXED or len(numbers) < MANY or not words or any(re.match(r"0\d", level) for level in numbers):
        return ()
    seen = f"Column {name!r} holds numbers in {100 * share:.3g} % of its values, and words, such as {', '.join(map(repr, words[:3]))}."
    why = "It is taken as levels, so that the order of the numbers is lost."
    return (Alert("SPX022", name, seen, why, f"As numbers, words being missing: kinds={{{name!r}: 'number'}}."),)


def unread_dates(name: str, counts: Mapping[str, float]) -> tuple[Alert, ...]:
    """Return the alert of a column of dates that leave open what they say."""
    doubt = doubt_of(counts)
    if not doubt:
        return ()
    first = ", ".join(repr(level) for level in list(counts)[:3])
    what = "which may have the day or the month first" if doubt == "order" else "which are written in several ways"
    how = "dayfirst=True" if doubt == "order" else "format='mixed'"
    do = f"Write them as 2024-12-31; for a frame: pd.to_datetime(frame[{name!r}], {how})."
    why = "They are taken as levels or text, so that the order of time is lost."
    return (Alert("SPX025", name, f"Column {name!r} holds dates such as {first}, {what}.", why, do),)
