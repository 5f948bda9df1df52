"""What a model file keeps of the table a model was made from: a hash that tells tables apart, and facts of its columns. No rows."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from ..array_types import Floats
from ..data.columns import Column
from ..facts.table_columns import table_columns
from ..inference.column_values import is_date, measurements
from .column_facts import LEAST, MOST_LEVELS, PROBABILITIES, ColumnFacts


def column_facts(X: Any) -> tuple[ColumnFacts, ...]:
    """Return counts and quantiles of a table's columns.

    Levels of fewer than five rows are not named, and neither the least nor the largest number is kept: they would be those of single rows.

    Parameters
    ----------
    X : frame, array, sparse matrix, or a table from `open_table`

    Examples
    --------
    >>> import pandas as pd
    >>> age, city = column_facts(pd.DataFrame({"age": range(101), "city": ["Oslo"] * 60 + ["Rome"] * 40 + ["Ur"]}))
    >>> age.quantiles[:3], city.levels, city.rare
    ((1.0, 5.0, 10.0), (('Oslo', 60), ('Rome', 40)), 1)
    """
    return tuple(_facts(column) for column in table_columns(X))


def _facts(column: Column) -> ColumnFacts:
    values = measurements(column)
    if values is not None:
        return _numbers(column, values)
    codes, levels = column.categories()
    counts = np.bincount(codes[codes >= 0], minlength=len(levels))
    order = [int(i) for i in np.argsort(-counts, kind="stable")[:MOST_LEVELS] if counts[i] >= LEAST]
    named = tuple((str(levels[i]), int(counts[i])) for i in order)
    missing = int((codes < 0).sum())
    return ColumnFacts(column.name, "level", len(codes), missing, (), named, int(counts.sum() - counts[order].sum()))


def _numbers(column: Column, values: Floats) -> ColumnFacts:
    there = values[~np.isnan(values)]
    quantiles = tuple(float(q) for q in np.quantile(there, PROBABILITIES)) if len(there) >= LEAST else ()
    kind = "date" if is_date(column) else "number"
    return ColumnFacts(column.name, kind, len(values), len(values) - len(there), quantiles)


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
