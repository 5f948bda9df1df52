"""Moments of time, as dates or written as text, on one axis: days since 1970."""

from __future__ import annotations

import re
import warnings

import numpy as np

from ..array_types import Floats
from ..data.columns import Column
from .column_values import DAY, is_date, is_text, measurements

WRITTEN_DATE = re.compile(r"\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}.*)?)?")
"""Dates as text that sort like time: year, month, day."""


def times_in(column: Column) -> Floats | None:
    """Return the times (n,) of a column of dates, also written as 2024-01-31: days since 1970, NaN where missing; None for other columns.

    Examples
    --------
    >>> times_in(Column("day", np.array([1, 0]), np.array(["1970-01-01", "1970-01-11"], dtype=object)))
    array([10.,  0.])
    """
    if is_date(column):
        return measurements(column)
    if not is_text(column):
        return None
    codes, names = column.categories()
    if not all(isinstance(name, str) and WRITTEN_DATE.fullmatch(name) for name in names):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of time zones, which are taken as UTC
            moments = np.array(names, dtype="datetime64[us]")
    except ValueError:
        return None
    return np.append(moments.astype(np.int64) / DAY, np.nan)[codes]
