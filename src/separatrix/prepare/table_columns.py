"""A table's columns as they are, cleaned: for models that read numbers, gaps and categories side by side."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from ..array_types import Floats
from ..data.columns import Column, ColumnBatch
from ..data.whole_tables import whole_table
from ..errors import NoFeatureLeftError
from ..summaries.table_summary import TableSummary
from .cleaned_columns import READ, cleaned_columns
from .recipe import Recipe


class TableColumns(TransformerMixin, BaseEstimator):
    """Keep the columns of a table that tell something, numbers as numbers and categories as categories, with their gaps.

    Identifiers, constants, texts and columns of very many levels are left out; dates become days.

    Parameters
    ----------
    as_numbers : bool
        Whether categories become their numbers, so that the result is an array with NaN for gaps.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"id": range(30), "age": [31, None, 25] * 10, "city": ["Oslo", "Rome", None] * 10})
    >>> [column.name for column in TableColumns().fit_transform(table).columns]
    ['age', 'city']
    """

    recipe_: Recipe

    def __init__(self, *, as_numbers: bool = False) -> None:
        self.as_numbers = as_numbers

    def fit(self, X: Any, y: Any = None) -> Self:
        """Look at the columns."""
        batch = whole_table(X)
        recipe = Recipe.learn(TableSummary.of(batch))
        recipe.require_outputs()
        if not self.as_numbers and not any(isinstance(step, READ) for step in recipe.steps):
            raise NoFeatureLeftError(
                "No column of the table is a number, a date or a category of few levels: "
                f"{recipe.steps[0].column!r} {recipe.steps[0].said}. Use TablePrep, which also reads texts."
            )
        self.recipe_ = recipe
        self.n_features_in_ = batch.n_features
        self.feature_names_in_ = np.array([batch.column(j).name for j in range(batch.n_features)], dtype=object)
        return self

    @property
    def n_outputs(self) -> int:
        """How many columns are kept."""
        return sum(isinstance(step, READ) for step in self.recipe_.steps)

    def transform(self, X: Any) -> Any:
        """Return the columns of some rows: a batch of columns, or an array."""
        batch = whole_table(X, self.recipe_.columns)
        found = cleaned_columns(self.recipe_, batch)
        if not self.as_numbers:
            return ColumnBatch(found)
        return np.stack([_as_numbers(column) for column in found], axis=1) if found else np.zeros((batch.n_rows, 1))


def _as_numbers(column: Column) -> Floats:
    if column.levels is None:
        return column.numbers()
    return np.where(column.absent, np.nan, column.values.astype(np.float64))
