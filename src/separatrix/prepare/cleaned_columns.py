"""Columns of a table as a recipe reads them, without making numbers of categories: for naive Bayes on tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.columns import Column, ColumnBatch
from ..summaries.column_summary import days_of
from .recipe import Recipe
from .steps import Category, Dates, Numbers, Ordered
from .steps.base import numbers_of, text_codes
from .steps.dates import dates_of

READ = (Category, Dates, Numbers, Ordered)
"""Steps whose columns are read as they are."""
ANOTHER = "another level"
"""The level that rare and unseen ones become."""


def cleaned_columns(recipe: Recipe, batch: ColumnBatch) -> tuple[Column, ...]:
    """Return the columns of some rows: numbers, dates as days since 1970, ordered levels as their places, and categories with their gaps.

    Examples
    --------
    >>> from .steps import Category
    >>> recipe = Recipe((Category("city", "Oslo", ("Rome",)),))
    >>> (city,) = cleaned_columns(recipe, ColumnBatch((Column("city", np.array([0, 1]), np.array(["Rome", "Bern"], dtype=object)),)))
    >>> city.categories()
    (array([1, 2], dtype=int32), ['Oslo', 'Rome', 'another level'])
    """
    given = recipe.columns_of(batch)
    return tuple(_cleaned(step, given[step.column]) for step in recipe.steps if isinstance(step, READ))


def _cleaned(step: Any, column: Column) -> Column:
    if isinstance(step, Numbers):
        return Column(step.column, numbers_of(column, step.written))
    if isinstance(step, Dates):
        return Column(step.column, days_of(Column(step.column, dates_of(column, step.written))))
    if isinstance(step, Ordered):
        return Column(step.column, step.encode(column)[:, 0])
    known = [step.reference, *step.levels, *step.shared]
    codes, texts = text_codes(column)
    place = {level: i for i, level in enumerate(known)}
    at = np.array([*(place.get(text, len(known)) for text in texts), 0], dtype=np.int32)[codes]
    levels = np.array([*known, ANOTHER], dtype=object)
    return Column(step.column, at, levels, codes < 0 if (codes < 0).any() else None)
