"""What a model uses: how much each column moves its decisions, coefficients in the columns' own units, and how stable they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..explaining.model_explanation import ModelExplanation
from ..inference.tables import Column, Table
from .fact_tables import FactTable
from .findings import Findings
from .not_computed import NotComputed

MOST_COEFFICIENTS = 60
"""Coefficients listed: the largest per standard deviation."""
SELECTION = NotComputed(
    "The order in which columns would be selected", "No selection was run.", "ForwardSelection(model, 10).fit(X, y).history_"
)


@dataclass(frozen=True, slots=True)
class ColumnUse:
    """How a model uses the columns.

    Attributes
    ----------
    importance : how much each column moves the score, the most first
    coefficients : in the columns' own units, with intervals and the range over refits where they are known
    sentences : boundaries in words, how intervals were found, columns that go together
    missing : what was not computed
    """

    importance: FactTable | NotComputed
    coefficients: FactTable | NotComputed
    sentences: tuple[str, ...]
    missing: tuple[NotComputed, ...]


def column_use(found: Findings) -> ColumnUse:
    """Return how the model of some findings uses the columns.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import KFold, LinearDiscriminantAnalysis, compare
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> use = column_use(Findings.of_board(compare(X, y, models=[LinearDiscriminantAnalysis()], plan=KFold(5), random_state=0)))
    >>> use.importance.columns[0].cells[0], use.coefficients.columns[1].name
    ('petal length (cm)', 'estimate')
    """
    own = found.explanation
    if isinstance(own, NotComputed):
        return ColumnUse(own, NotComputed("Coefficients", own.why), (), (SELECTION,))
    missing = [SELECTION]
    if own.coefficients is not None and not found.is_refitted:
        why = (
            "It takes refits, on the rows trained on, and the table is large."
            if found.board is not None
            else "It takes the rows trained on."
        )
        missing.insert(0, NotComputed("Stability of the coefficients", why, "explain(model, X, y=y, folds=5)"))
    if own.coefficients is not None and own.intervals.startswith("No intervals"):
        missing.insert(0, NotComputed("Intervals of the coefficients", "They take a hundred refits.", "explain(model, X, y=y)"))
    importance = FactTable.of(own.columns) if own.columns is not None else _importance(own)
    coefficients: FactTable | NotComputed
    if own.coefficients is None:
        coefficients = NotComputed("Coefficients", "The scores are not linear in the columns.", "explain(model, X, 0)  # of row 0")
    else:
        coefficients = FactTable.of(_largest(own.coefficients))
    found_how = "" if own.intervals.startswith("No intervals") else own.intervals
    sentences = (*own.boundaries[:6], found_how, *_groups(own.groups), *own.notes)
    return ColumnUse(importance, coefficients, tuple(sentence for sentence in sentences if sentence), tuple(missing))


def _importance(found: ModelExplanation) -> FactTable | NotComputed:
    """Return how much each column of numbers moves the score: the size of its coefficient per standard deviation."""
    table = found.coefficients
    if table is None or "per std. dev." not in table.to_dict():
        return NotComputed("How much each column moves the decision", "The scores do not add up over columns.", "explain(model, X, 0)")
    K = max(1, len(found.classes) - 1)
    per = np.abs(np.array(table["per std. dev."], dtype=np.float64)).reshape(K, -1).max(axis=0)
    order = np.argsort(-per, kind="stable")
    columns = (Column("column", [found.names[i] for i in order]), Column("weight per std. dev.", per[order], ".4f"))
    note = "How far the score moves for a change of one standard deviation" + (" of the class it moves most." if K > 1 else ".")
    return FactTable.of(Table("How much each column moves the decision", columns, note))


def _largest(table: Table) -> Table:
    if len(table) <= MOST_COEFFICIENTS:
        return table
    by = "per std. dev." if "per std. dev." in table.to_dict() else "estimate"
    kept = np.sort(np.argsort(-np.abs(np.array(table[by], dtype=np.float64)), kind="stable")[:MOST_COEFFICIENTS])
    columns = tuple(Column(own.name, [own.values[i] for i in kept], own.form) for own in table.columns)
    note = f"{table.note} The {MOST_COEFFICIENTS} largest of {len(table):,}.".strip()
    return Table(table.title, columns, note)


def _groups(groups: tuple[tuple[str, ...], ...]) -> list[str]:
    return [
        f"Columns that nearly determine each other: {', '.join(group)}; their coefficients are to be read together." for group in groups
    ]
