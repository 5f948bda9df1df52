"""A first look at a table: what its columns are, what is missing, what would be done with them, and what to ask before a fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..alerts import Alert
from ..data.columns import Column, ColumnBatch
from ..errors import UnknownNameError, did_you_mean
from ..inference.tables import Column as TableColumn
from ..inference.tables import Table
from ..prepare.recipe import Recipe
from ..prepare.steps import Dropped, Step
from ..summaries.column_summary import ColumnSummary
from ..summaries.table_summary import TableSummary
from .target_guess import TargetGuess, guess_target

MOST_VALUES = 4_000_000
"""Values of a table up to which its alerts look at every row; beyond, at a sample."""


@dataclass(frozen=True, eq=False)
class TableLook:
    """What was seen of a table.

    Attributes
    ----------
    summary : of all its columns
    recipe : what would be done with the columns other than the target
    target : name of the column of the labels, given or guessed; None where there is none
    guess : the guess behind it, where it was not given
    rows : the rows that alerts are looked for in
    """

    summary: TableSummary
    recipe: Recipe
    target: str | None
    guess: TargetGuess | None
    rows: ColumnBatch

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.summary.rows)

    def table(self) -> Table:
        """Return the columns: kind, gaps, different values, and what would be done."""
        steps = {step.column: step for step in self.recipe.steps}
        own = self.summary.columns
        columns = (
            TableColumn("column", [column.name for column in own]),
            TableColumn("kind", [self._kind(column, steps.get(column.name)) for column in own]),
            TableColumn("gaps", [_gaps(column) for column in own]),
            TableColumn("different", [_different(column) for column in own]),
            TableColumn("planned", [self._planned(column, steps.get(column.name)) for column in own]),
        )
        return Table(f"{self.n_rows:,} rows, {len(own)} columns; {len(self.recipe.outputs):,} after preparation", columns)

    def _kind(self, column: ColumnSummary, step: Step | None) -> str:
        if column.name == self.target:
            return "target"
        return "" if step is None else "left out" if isinstance(step, Dropped) else step.kind

    def _planned(self, column: ColumnSummary, step: Step | None) -> str:
        if column.name != self.target:
            return "" if step is None else step.said
        most = sorted(column.levels.counts.items(), key=lambda pair: -pair[1])[:5]
        shown = ", ".join(f"{_level(level)} {100 * count / column.count:.0f} %" for level, count in most)
        return f"classes: {shown}" + (", …" if len(column.levels.counts) > 5 else "")

    @cached_property
    def alerts(self) -> tuple[Alert, ...]:
        """What to ask before a fit: of the columns, and where there is a target of the columns against it."""
        found = self.recipe.alerts
        columns = {self.rows.column(j).name: self.rows.column(j) for j in range(self.rows.n_features)}
        label = columns.pop(self.target) if self.target is not None else None
        if label is None:
            return found
        from .table_alerts import alerts_of_columns

        codes, classes = label.categories()
        kept = np.flatnonzero(codes >= 0)
        own: list[Column] = [column.take(kept) for column in columns.values()]
        used = {step.column for step in self.recipe.steps if not isinstance(step, Dropped)}
        return (*found, *alerts_of_columns([column for column in own if column.name in used], codes[kept], np.array(classes, dtype=object)))

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, ready for JSON."""
        table = self.table().to_dict()
        columns = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
        for column, own in zip(columns, self.summary.columns, strict=True):
            column |= {"gaps": own.absent / own.total if own.total else 0.0, "different": own.n_distinct, "type": own.type}
        guess = None if self.guess is None else self.guess.to_dict()
        alerts = [alert.to_dict() for alert in self.alerts]
        return {"rows": self.n_rows, "columns": columns, "target": self.target, "guess": guess, "alerts": alerts}


def look_at(table: Any, target: str | None = None, prep: Any = None) -> TableLook:
    r"""Look at a table of files in one pass.

    Parameters
    ----------
    table : a table from `open_table`, without a target
    target : column of the labels; default: the one that looks like it
    prep : wishes for the preparation, optional

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from separatrix import open_table
    >>> folder = tempfile.TemporaryDirectory()
    >>> rows = "".join(f"{20 + i % 40},{'yes' if i % 3 else 'no'}\n" for i in range(90))
    >>> _ = Path(folder.name, "visits.csv").write_text("age,buys\n" + rows)
    >>> look = look_at(open_table(folder.name))
    >>> look.n_rows, look.target, look.table()["kind"]
    (90, 'buys', ['number', 'target'])
    >>> folder.cleanup()
    """
    columns = table.as_columns()
    require_column(target, columns.feature_names)
    summary, rows = _read(columns)
    guess = guess_target(summary.columns) if target is None else None
    target = target if guess is None else guess.column
    features = TableSummary(summary.rows, tuple(own for own in summary.columns if own.name != target), summary.sample.without(target))
    classes = next((_labels(own) for own in summary.columns if own.name == target), ())
    return TableLook(summary, Recipe.learn(features, prep, target is not None, classes), target, guess, rows)


def _labels(column: ColumnSummary) -> tuple[str, ...]:
    """Return the labels that a column of a target holds, where they are few enough to have been counted."""
    return tuple(sorted(map(_level, column.levels.counts))) if column.levels.is_exact else ()


def require_column(name: str | None, columns: Sequence[str]) -> None:
    """Raise an error that names the column probably meant, where a table has none of this name."""
    if name is not None and name not in columns:
        shown = ", ".join(repr(own) for own in list(columns)[:8]) + (", …" if len(columns) > 8 else "")
        raise UnknownNameError(f"Column {name!r} is not in the table.{did_you_mean(name, columns)} It has {shown}.")


def _read(table: Any) -> tuple[TableSummary, ColumnBatch]:
    """Return the summary of a table, and its rows, or of a large one the sample."""
    kept: list[ColumnBatch] = []
    most = max(1, MOST_VALUES // max(1, table.n_features))

    def summarised(batch: ColumnBatch) -> TableSummary:
        if batch.start < most:
            kept.append(batch)
        return TableSummary.of(batch)

    summary = table.reduce(summarised)
    if summary.rows > most:
        return summary, summary.sample.settled().rows
    return summary, ColumnBatch.joined(sorted(kept, key=lambda batch: batch.start))


def _gaps(column: ColumnSummary) -> str:
    share = 100 * column.absent / column.total if column.total else 0.0
    return "" if share == 0 else f"{share:.1f} %" if share >= 0.1 else "< 0.1 %"


def _different(column: ColumnSummary) -> str:
    exact = bool(column.levels.counts) or column.distinct.is_exact
    return f"{column.n_distinct:,.0f}" if exact else f"about {float(f'{column.n_distinct:.2g}'):,.0f}"


def _level(level: Any) -> str:
    return f"{level:g}" if isinstance(level, float) else str(level)
