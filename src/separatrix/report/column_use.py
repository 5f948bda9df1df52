"""What a model uses: how much each column moves its decisions, coefficients in the columns' own units, and how stable they are."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.columns import ColumnBatch
from ..errors import InputError, InputTypeError
from ..evaluation.evaluation_rows import EvaluationRows
from ..explaining import explain
from ..inference.column_values import row_sample
from ..inference.tables import Column, Table
from .fact_tables import FactTable
from .not_computed import NotComputed

MOST_ROWS = 20_000
"""Rows over which what a column adds is averaged."""
MOST_COEFFICIENTS = 60
"""Coefficients listed: the largest per standard deviation."""
FOLDS = 5
"""Refits behind the stability of coefficients."""
MOST_VALUES = 2_000_000
"""Rows times columns up to which these refits are made unasked."""


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


def column_use(model: Any, rows: EvaluationRows, name: str, is_training: bool) -> ColumnUse:
    """Return how a fitted model uses the columns of some rows.

    Parameters
    ----------
    model : fitted classifier
    rows : labelled rows
    name : what the model is called
    is_training : whether these are the rows it was fitted on, so that refits without some of them say how stable it is

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import LinearDiscriminantAnalysis
    >>> from separatrix.evaluation.evaluation_rows import rows_to_evaluate
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> found = column_use(LinearDiscriminantAnalysis().fit(X, y), rows_to_evaluate(X, y), "LDA", is_training=True)
    >>> found.importance.columns[0].cells[0], found.coefficients.columns[1].name
    ('petal length (cm)', 'estimate')
    """
    selection = NotComputed(
        "The order in which columns would be selected",
        "No selection was run.",
        "ForwardSelection(model, 10).fit(X, y).history_",
    )
    size = rows.n * int(np.shape(rows.X)[1]) if len(np.shape(rows.X)) == 2 else MOST_VALUES + 1
    can_refit = is_training and size <= MOST_VALUES and not isinstance(rows.X, ColumnBatch) and rows.counts.min() >= 2 * FOLDS
    try:
        found = _explained(model, rows, FOLDS if can_refit else 0)
    except (InputError, InputTypeError) as problem:
        refused = NotComputed(f"What {name} uses", str(problem))
        return ColumnUse(refused, NotComputed("Coefficients", str(problem)), (), (selection,))
    missing = [selection]
    if found.coefficients is not None and not can_refit:
        missing.insert(0, NotComputed("Stability of the coefficients", _why_not(is_training), "explain(model, X, y=y, folds=5)"))
    importance = FactTable.of(found.columns) if found.columns is not None else _importance(found)
    coefficients: FactTable | NotComputed
    if found.coefficients is None:
        coefficients = NotComputed("Coefficients", "The scores are not linear in the columns.", "explain(model, X, 0)  # of row 0")
    else:
        coefficients = FactTable.of(_largest(found.coefficients))
    sentences = (*found.boundaries[:6], found.intervals, *_groups(found.groups), *found.notes)
    return ColumnUse(importance, coefficients, tuple(sentence for sentence in sentences if sentence), tuple(missing))


def _explained(model: Any, rows: EvaluationRows, folds: int) -> Any:
    """Return the explanation of a model: contributions over some of the rows, refits over all of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # refits repeat what the fit has warned of, and the report shows that
        if folds:
            return explain(model, rows.X, y=rows.labels, folds=folds, resamples=0)
        some = rows.take(row_sample(rows.n, MOST_ROWS))
        return explain(model, some.X, folds=0, resamples=0)


def _why_not(is_training: bool) -> str:
    return "The table is large, and it takes refits." if is_training else "It takes refits on the rows trained on, which are not these."


def _importance(found: Any) -> FactTable | NotComputed:
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
    return [f"Columns that nearly determine each other: {', '.join(group)}; their coefficients are to be read together." for group in groups]
