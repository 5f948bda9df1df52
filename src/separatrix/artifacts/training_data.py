"""What a model file keeps of the table a model was made from: a hash that tells tables apart, and facts of its columns. No rows."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from ..facts.table_columns import table_columns
from ..inference.column_values import measurements
from ..models import TableClassifier
from ..prepare.recipe import Recipe
from .column_facts import ColumnFacts
from .training_columns import facts_of, steps_of


def column_facts(X: Any, recipe: Recipe | None = None) -> tuple[ColumnFacts, ...]:
    """Return counts and quantiles of a table's columns.

    Levels of fewer than five rows are not named, and neither the least nor the largest number is kept: they would be those of single rows.

    Parameters
    ----------
    X : frame, array, sparse matrix, or a table from `open_table`
    recipe : how a model reads the columns, optional: prices written as text are then numbers

    Examples
    --------
    >>> import pandas as pd
    >>> age, city = column_facts(pd.DataFrame({"age": range(101), "city": ["Oslo"] * 60 + ["Rome"] * 40 + ["Ur"]}))
    >>> age.quantiles[:3], city.levels, city.rare
    ((1.0, 5.0, 10.0), (('Oslo', 60.0), ('Rome', 40.0)), 1.0)
    """
    steps = steps_of(recipe)
    return tuple(facts_of(column, steps.get(column.name)) for column in table_columns(X))


def recipe_of(model: Any) -> Recipe | None:
    """Return how a fitted model reads the columns of a table; None where it reads numbers.

    Examples
    --------
    >>> recipe_of(None) is None
    True
    """
    return model.recipe_ if isinstance(model, TableClassifier) else None


def data_hash(X: Any, labels: Any = None) -> str:
    """Return SHA-256 of a table's values in the order of its rows, the same for the same values in a frame of any library.

    Parameters
    ----------
    X : frame, array, sparse matrix, or a table from `open_table`
    labels : (n,), optional

    Examples
    --------
    >>> data_hash([[1.0, 2.0]]) == data_hash(np.array([[1.0, 2.0]])), data_hash([[1.0, 2.0]]) == data_hash([[2.0, 1.0]])
    (True, False)
    """
    total = hashlib.sha256()
    for column in table_columns(X):
        values = measurements(column)
        total.update(repr((column.name, "number" if values is not None else "level")).encode("utf-8", "surrogatepass"))
        if values is not None:
            # NaN and zero have several bit patterns each.
            total.update(np.where(np.isnan(values), np.nan, values + 0.0).astype("<f8").tobytes())
        else:
            codes, levels = column.categories()
            _add_levels(total, codes, [str(level) for level in levels])
    if labels is not None:
        distinct, places = np.unique(np.asarray(labels).astype(str), return_inverse=True)
        _add_levels(total, places, distinct.tolist())
    return total.hexdigest()


def _add_levels(total: Any, codes: Any, levels: list[str]) -> None:
    """Add the levels of rows, as numbers in the order of the levels' texts, which no library changes."""
    order = sorted(range(len(levels)), key=levels.__getitem__)
    place = np.full(len(levels) + 1, -1, dtype="<i8")
    place[order] = np.arange(len(levels))
    total.update(repr(sorted(levels)).encode("utf-8", "surrogatepass"))
    total.update(place[codes].tobytes())
