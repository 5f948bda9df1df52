"""The results behind a report: facts are read off them, and charts drawn from them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.columns import Column, ColumnBatch
from ..data.opening import is_frame
from ..errors import InputError, InputTypeError
from ..evaluation.evaluation_rows import EvaluationRows
from ..explaining import explain
from ..explaining.column_effects import ColumnEffects, column_effects
from ..explaining.model_explanation import ModelExplanation
from ..facts.table_columns import table_columns
from ..inference.column_values import row_sample
from ..selection.board import Board
from .curve_points import Curves, curves_of
from .judged_rows import JudgedRows
from .not_computed import NotComputed

MOST_COLUMNS = 2_000
"""Columns up to which a table is looked at column by column."""
MOST_ROWS = 20_000
"""Rows over which what a column adds is averaged."""
TRAINED_ON = "The rows given are those that the model was trained on, and say nothing about others."
NEW_ROWS = "separatrix report MODEL NEW_ROWS"
FOLDS = 5
"""Refits behind the stability of coefficients."""
MOST_VALUES = 2_000_000
"""Rows times columns up to which these refits are made unasked."""


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """A model, the rows at hand, and what was found with them.

    Attributes
    ----------
    name, target : what the model and what it predicts are called
    model : fitted classifier
    rows : labelled rows
    columns : of their table; none where there are too many, or no table
    judged : rows that the model, or its twins in the folds, had not seen; None where all rows were trained on
    curves : of the rows judged
    explanation : what the model has learned, or why that cannot be said
    is_refitted : whether the explanation has refits without some of the rows
    effects : what each column does to the score over its values, or why that cannot be said
    board : the comparison, where there was one
    """

    name: str
    target: str
    model: Any
    rows: EvaluationRows
    columns: Sequence[Column]
    judged: JudgedRows | None
    curves: Curves | NotComputed
    explanation: ModelExplanation | NotComputed
    is_refitted: bool
    effects: ColumnEffects | NotComputed
    board: Board | None = None

    @classmethod
    def of_board(cls, board: Board) -> Findings:
        """Return what a comparison found with its picked model."""
        rows, picked = board.setting.rows, board.picked
        judged = JudgedRows.of_repeat(picked.scored.repeats[0], rows)
        can_refit = _can_refit(rows)
        return cls(
            picked.name,
            "the class" if rows.target is None else rows.target,
            board.model,
            rows,
            columns_of(rows),
            judged,
            curves_of(judged),
            explained(board.model, rows, FOLDS if can_refit else 0),
            can_refit,
            effects_of(board.model, rows),
            board,
        )

    @classmethod
    def of_model(cls, model: Any, name: str, target: str, rows: EvaluationRows, is_training: bool) -> Findings:
        """Return what is found with a model and labelled rows; of rows that it was trained on nothing is counted.

        Parameters
        ----------
        model : fitted classifier
        name, target : what it and what it predicts are called
        rows : labelled rows
        is_training : whether the model was trained on them
        """
        judged = None if is_training else JudgedRows.of_model(model, rows)
        return cls(
            name,
            target,
            model,
            rows,
            columns_of(rows),
            judged,
            NotComputed("Curves", TRAINED_ON, NEW_ROWS) if judged is None else curves_of(judged),
            explained(model, rows, 0),
            False,
            effects_of(model, rows),
        )


def columns_of(rows: EvaluationRows) -> list[Column]:
    """Return the columns of evaluated rows; none of texts in one column, or where there are too many to look at each.

    Examples
    --------
    >>> from separatrix.evaluation.evaluation_rows import rows_to_evaluate
    >>> [column.name for column in columns_of(rows_to_evaluate([[1.0, 2.0], [3.0, 4.0]], ["no", "yes"]))]
    ['x0', 'x1']
    """
    X = rows.X
    if not (isinstance(X, ColumnBatch) or is_frame(X) or len(np.shape(X)) == 2) or np.shape(X)[1] > MOST_COLUMNS:
        return []
    names = None if isinstance(X, ColumnBatch) or is_frame(X) else tuple(f"x{j}" for j in range(np.shape(X)[1]))
    return table_columns(X, names)


def explained(model: Any, rows: EvaluationRows, folds: int) -> ModelExplanation | NotComputed:
    """Return what a model has learned: contributions over some of the rows; with folds, the range of its coefficients over refits."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # refits repeat what the fit has warned of, and the report shows that
        try:
            if folds:
                return explain(model, rows.X, y=rows.labels, folds=folds, resamples=0)  # type: ignore[return-value]
            some = rows.take(row_sample(rows.n, MOST_ROWS))
            return explain(model, some.X, folds=0, resamples=0)  # type: ignore[return-value]
        except (InputError, InputTypeError) as problem:
            return NotComputed("What the model uses", str(problem))


def effects_of(model: Any, rows: EvaluationRows) -> ColumnEffects | NotComputed:
    """Return what each column does to the score over the values that it takes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return column_effects(model, rows.X)
        except (InputError, InputTypeError) as problem:
            return NotComputed("What each column does to the score", str(problem))


def _can_refit(rows: EvaluationRows) -> bool:
    """Whether refits without some of the rows are cheap enough to be made unasked."""
    is_table = len(np.shape(rows.X)) == 2 and not isinstance(rows.X, ColumnBatch)
    return is_table and rows.n * int(np.shape(rows.X)[1]) <= MOST_VALUES and bool(rows.counts.min() >= 2 * FOLDS)
