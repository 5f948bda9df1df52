"""Points between thousands that were read as decimal marks: 54.321 beside a column that writes 3,50."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..alerts import Alert
from ..array_types import Floats
from ..summaries.table_summary import TableSummary
from .steps import Numbers, Step
from .steps.base import numbers_of

THIRD = 0.7
"""Share of numbers with a fraction that need their third decimal; nine of ten whole numbers do not end in 0."""
FEWEST = 10
"""Numbers with a fraction without which nothing is said."""


def misread_thousands(steps: Sequence[Step], table: TableSummary) -> tuple[Alert, ...]:
    """Return an alert (SPX024) for each column of numbers with three decimals in a table whose texts have decimal commas.

    Examples
    --------
    >>> import pandas as pd
    >>> from separatrix import Recipe
    >>> frame = pd.DataFrame({"price": [f"{i},50" for i in range(40)], "sold": [1.0 + 0.013 * i for i in range(40)]})
    >>> [(alert.code, alert.subject) for alert in Recipe.plan(frame).alerts]
    [('SPX017', 'price'), ('SPX024', 'sold')]
    """
    comma = next((own.column for own in steps if isinstance(own, Numbers) and own.written is not None and own.written.decimal == ","), None)
    if comma is None:
        return ()
    given = {j: own for j, own in enumerate(steps) if isinstance(own, Numbers) and own.written is None}
    return tuple(_alert(own.column, comma) for j, own in given.items() if _has_points(numbers_of(table.sample.column(j))))


def _has_points(values: Floats) -> bool:
    """Whether numbers look like whole ones with a point before the last three digits."""
    x = np.abs(values[np.isfinite(values)])
    x = x[x != np.floor(x)]
    if len(x) < FEWEST or (x >= 1000.0).any():
        return False
    scaled = 1000.0 * x
    tens = np.abs(scaled / 10.0 - np.round(scaled / 10.0)) > 1e-6
    return bool((np.abs(scaled - np.round(scaled)) < 1e-6).all() and tens.mean() >= THIRD)


def _alert(column: str, comma: str) -> Alert:
    seen = f"Column {column!r} holds numbers with three decimals, and {comma!r} has decimal commas."
    why = "If its points stand between thousands, 54.321 was read as 54 and a bit."
    return Alert(
        "SPX024", column, seen, why, "Write its numbers without points; for a frame: pd.read_csv(file, decimal=',', thousands='.')."
    )
