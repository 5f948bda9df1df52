"""How each column was prepared, from the table to the numbers that the model weighs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..data.columns import Column
from ..inference.column_values import is_date
from ..prepare import Recipe
from ..prepare.steps import Dropped

MOST_COLUMNS = 500
"""Columns listed."""


@dataclass(frozen=True, slots=True)
class PreparedColumn:
    """A column of the table.

    Attributes
    ----------
    name, type : of the column: number, text or date
    gaps : share of its values that are missing
    done : what is done with it, in a few words
    outputs : numbers that it becomes
    is_used : whether the model sees it
    """

    name: str
    type: str
    gaps: float
    done: str
    outputs: int
    is_used: bool


@dataclass(frozen=True, slots=True)
class Preparation:
    """All columns, how many numbers they become, and sentences about it.

    Examples
    --------
    >>> found = prepared_columns([Column("age", np.array([31.0, np.nan]))], None)
    >>> found.columns[0].gaps, found.columns[0].done
    (0.5, 'as it is')
    """

    columns: tuple[PreparedColumn, ...]
    outputs: int
    sentences: tuple[str, ...]


def prepared_columns(columns: Sequence[Column], recipe: Recipe | None, reads_tables: bool = False) -> Preparation:
    """Return how columns are prepared.

    Parameters
    ----------
    columns : of the table, without the target
    recipe : what is done with them; None where they are numbers as they are
    reads_tables : whether the model takes columns as they are, and the recipe says only what other models would see
    """
    steps = {} if recipe is None else {step.column: step for step in recipe.steps}
    found = []
    for column in columns[:MOST_COLUMNS]:
        step = steps.get(column.name)
        kind = "date" if is_date(column) else column.type
        done, outputs = ("as it is", 1) if step is None else (step.said, len(step.outputs))
        found.append(PreparedColumn(column.name, kind, float(np.mean(column.absent)), done, outputs, not isinstance(step, Dropped)))
    total = len(columns) if recipe is None else len(recipe.outputs)
    sentences = []
    if recipe is not None:
        sentences.append("What is done was learned anew inside every training part; shown is what all rows together say.")
        sentences += [f"{one} × {two}: their products are columns too." for one, two in recipe.interactions]
    if reads_tables:
        sentences.append(
            "The model reported reads the columns as they are, text and gaps included; the others see the numbers described here."
        )
    if len(columns) > MOST_COLUMNS:
        sentences.append(f"The first {MOST_COLUMNS} of {len(columns):,} columns are listed.")
    return Preparation(tuple(found), total, tuple(sentences))
