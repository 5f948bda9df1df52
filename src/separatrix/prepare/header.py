"""Names of columns that look like values: the first row of a file that has no line of names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..alerts import Alert
from ..summaries.column_summary import ColumnSummary
from .written_numbers import WrittenNumbers

ENOUGH = 0.8
"""Share of the columns whose names have to be values of theirs."""
REPEATED = 0.5
"""Different values, as a share of all, up to which a level may well come again."""


def names_that_are_values(columns: Sequence[ColumnSummary]) -> tuple[Alert, ...]:
    """Return an alert (SPX023) where the names of columns look like a row of them.

    Examples
    --------
    >>> import pandas as pd
    >>> from ..data.whole_tables import whole_table
    >>> from ..summaries.table_summary import TableSummary
    >>> frame = pd.DataFrame({"39": [50, 38, 28, 41], "Private": ["State", "Private", "Private", "State"]})
    >>> [alert.code for alert in names_that_are_values(TableSummary.of(whole_table(frame)).columns)]
    ['SPX023']
    """
    found = [own for own in map(_is_value, columns) if own is not None]
    if sum(found) < max(2, ENOUGH * len(found)) or _is_counted([column.name for column in columns]):
        return ()
    named = ", ".join(repr(column.name) for column in columns[:3])
    seen = f"{sum(found)} of {len(found)} columns are named like one of their values: {named}{', …' if len(columns) > 3 else ''}."
    why = "The file may have no line of names, so that its first row is lost; or its names may stand among the rows again."
    return (
        Alert(
            "SPX023", "", seen, why, "Write the names above the first row, once; for a frame: pd.read_csv(file, header=None, names=[…])."
        ),
    )


def _is_value(column: ColumnSummary) -> bool | None:
    """Whether a column's name could be one of its values; None where that cannot be told."""
    if column.type == "number":
        value = WrittenNumbers().value(column.name)
        return bool(np.isfinite(value) and column.low <= value <= column.high)
    levels = column.levels.counts if column.type == "text" and column.levels.is_exact else {}
    if not levels or len(levels) > REPEATED * column.count:
        return None
    name = column.name.strip()
    return name in levels or any(str(level).strip() == name for level in levels)


def _is_counted(names: Sequence[str]) -> bool:
    """Whether names are numbers in equal steps, such as 0, 1, 2 or years."""
    values = [WrittenNumbers().value(name) for name in names]
    return len(values) > 2 and bool(np.isfinite(values).all()) and len(set(np.diff(values).round(9).tolist())) == 1
