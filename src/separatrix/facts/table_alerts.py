"""What a table should make its reader ask before a model is fitted to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..alerts import Alert
from ..array_types import Codes, Floats
from ..data.columns import Column
from ..data.source import Source
from ..evaluation.class_sizes import class_size_alerts
from ..evaluation.row_copies import first_of_copies, row_copy_alerts
from ..evaluation.time_order import time_order_alerts
from ..inference.collinearity import collinearity_alerts, total_scatter
from ..inference.column_values import is_date, measurements, row_sample
from ..inference.gaps_by_class import gaps_by_class_alerts
from ..inference.leakage import leakage_alerts
from ..inference.near_duplicates import near_duplicate_alerts, near_duplicates
from ..logic.separation import separation
from ..summaries import Moments
from .table_columns import table_columns

MOST_COLUMNS = 500
"""Columns of numbers up to which they are held against all others together: the work grows with the cube."""
MOST_ROWS = 20_000
"""Rows that are looked at for that."""
MOST_CELLS = 100_000
"""Values up to which separation is decided: a linear program."""


def alerts_of_rows(X: Any, y: Any = None, *, target: str | None = None, plan: Any = None) -> tuple[Alert, ...]:
    """Return the alerts of a table with its labels, before anything is fitted.

    Parameters
    ----------
    X : array, sparse matrix, frame with text, gaps and dates
    y : (n,) labels; or leave it out and name the column of a frame in `target`
    target : column of X that holds the labels
    plan : how rows are going to be held out; default KFold(10)

    Returns
    -------
    tuple of Alert
        Near-duplicate columns, columns that leak the target, copies of rows, ignored order of time, small classes, separation,
        collinear columns, gaps that depend on the class.

    Examples
    --------
    >>> import pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> frame = pd.DataFrame({"age": rng.normal(40, 9, 200).round(), "churn": rng.choice(["no", "yes"], 200)})
    >>> frame["refund"] = np.where(frame["churn"] == "yes", 1.0, 0.0)
    >>> [(alert.code, alert.subject) for alert in alerts_of_rows(frame, target="churn")]
    [('SPX005', 'refund'), ('SPX009', 'refund')]
    """
    from ..evaluation.evaluation_rows import rows_to_evaluate  # here: columns that are read already need no scikit-learn

    rows = rows_to_evaluate(X, y, None, target)
    names = X.feature_names if isinstance(X, Source) else None
    return alerts_of_columns(table_columns(rows.X, names), rows.codes, rows.classes, plan)


def alerts_of_columns(columns: Sequence[Column], codes: Codes, classes: NDArray[Any], plan: Any = None) -> tuple[Alert, ...]:
    """Return the same for columns that are read already, with class codes (n,) and the labels they stand for."""
    if not columns:
        return ()
    alike = near_duplicates(columns)
    again = {j for group in alike for j in group.columns[1:]}
    numbers, names = _complete_numbers([column for j, column in enumerate(columns) if j not in again])
    copies = row_copy_alerts(columns, codes)
    # A row is judged by others like it: its own copy would give its label away in every column.
    once = first_of_copies(columns) if copies else slice(None)
    return (
        *near_duplicate_alerts(columns, alike),
        *leakage_alerts([column.take(once) for column in columns], codes[once], len(classes)),
        *copies,
        *time_order_alerts(columns, plan),
        *class_size_alerts(codes, classes, plan),
        *_separation(numbers, names, codes, classes),
        *_collinear(numbers, names),
        *gaps_by_class_alerts(columns, codes, classes),
    )


def _complete_numbers(columns: Sequence[Column]) -> tuple[Floats, list[str]]:
    """Return the columns of numbers (n, q) that vary, medians in place of gaps, and their names; none where there are too many."""
    found = {}
    for column in columns:
        values = None if is_date(column) else measurements(column)
        if values is None or np.isnan(values).all():
            continue
        filled = np.where(np.isnan(values), np.nanmedian(values), values)
        filled = filled / max(float(np.abs(filled).max()), 1e-300)  # no answer depends on units, but squares of 1e200 are infinite
        if filled.min() < filled.max():
            found[column.name] = filled
    few = 1 < len(found) <= MOST_COLUMNS
    return (np.stack(list(found.values()), axis=1), list(found)) if few else (np.empty((0, 0)), [])


def _separation(numbers: Floats, names: list[str], codes: Codes, classes: NDArray[Any]) -> tuple[Alert, ...]:
    n, p = numbers.shape
    if not 0 < numbers.size * max(len(classes) - 1, 1) <= MOST_CELLS or n <= p or len(np.unique(codes)) < 2:
        return ()  # rows no more than columns are always separated, which is said in the page of the alert
    found = separation(numbers, classes[codes])
    return replace(found, columns=tuple(names[j] for j in found.columns), alone=tuple(names[j] for j in found.alone)).alerts


def _collinear(numbers: Floats, names: list[str]) -> tuple[Alert, ...]:
    if len(numbers) <= len(names) or not names:  # rows no more than columns always determine each other
        return ()
    return collinearity_alerts(total_scatter(Moments.from_data(numbers[row_sample(len(numbers), MOST_ROWS)])), names)
