"""Which column of a table probably holds the labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..summaries.column_summary import ColumnSummary

NAMES = frozenset(
    "target label labels class y outcome response churn churned default fraud survived diagnosis species spam status result income "
    "approved converted clicked bought buys purchased subscribed attrition exited".split()
)
"""What people call the column of the labels."""
MOST_CLASSES = 30
"""Levels up to which a column may be classes."""


@dataclass(frozen=True, slots=True)
class TargetGuess:
    """A column that may hold the labels, and why it is thought to."""

    column: str
    why: str

    def to_dict(self) -> dict[str, str]:
        """Return the parts by name, ready for JSON."""
        return {"column": self.column, "why": self.why}


def guess_target(columns: Sequence[ColumnSummary]) -> TargetGuess | None:
    """Return the column that probably holds the labels: called like one, else the last one if it has few levels, else the only switch.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.data.columns import Column
    >>> columns = [Column("age", np.arange(50.0)), Column("Churn", np.arange(50) % 2)]
    >>> guess_target([ColumnSummary.of(column, np.ones(50)) for column in columns])
    TargetGuess(column='Churn', why="it is called 'Churn' and has 2 levels")
    """
    able = [column for column in columns if _may_be_classes(column)]
    called = [column for column in able if _words(column.name) & NAMES]
    if called:
        # the exact name before one that holds it: 'churn' before 'churn_reason'
        best = min(called, key=lambda column: (column.name.strip().lower() not in NAMES, column.n_distinct))
        return TargetGuess(best.name, f"it is called {best.name!r} and has {best.n_distinct:.0f} levels")
    if able and able[-1] is columns[-1]:
        return TargetGuess(able[-1].name, f"it is the last column and has {able[-1].n_distinct:.0f} levels")
    switches = [column for column in able if column.n_distinct == 2]
    return TargetGuess(switches[0].name, "it is the only column of two levels") if len(switches) == 1 else None


def _may_be_classes(column: ColumnSummary) -> bool:
    whole = column.type == "text" or column.is_whole or bool(column.levels.counts)
    return column.type != "date" and whole and 2 <= column.n_distinct <= min(MOST_CLASSES, max(2.0, column.count / 5))


def _words(name: str) -> set[str]:
    plain = name.strip().lower()
    return {plain, *plain.replace("-", "_").replace(" ", "_").split("_")}
