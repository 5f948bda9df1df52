"""Moments of time, as dates or written as text, on one axis: days since 1970."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..array_types import Floats
from ..data.columns import Column
from .column_values import DAY, is_date, is_text, measurements

WRITTEN_DATE = re.compile(r"\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}.*)?)?")
"""Dates as text that sort like time: year, month, day."""


def as_times(values: NDArray[Any]) -> Floats | None:
    """Return dates as days since 1970 and numbers as they are, NaN where missing; None where values are neither."""
    if values.dtype.kind in "biuf":
        return values.astype(np.float64)
    if values.dtype.kind == "O":
        values = np.array([None if v is None or v != v else v for v in values.tolist()], dtype=object)
    if values.dtype.kind in "OU" and any(isinstance(v, str) and not WRITTEN_DATE.fullmatch(v) for v in values.tolist()):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of time zones, which are taken as UTC
            moments = values.astype("datetime64[us]")
    except (TypeError, ValueError):
        return None
    return np.where(np.isnat(moments), np.nan, moments.astype(np.int64) / DAY)


def times_in(column: Column) -> Floats | None:
    """Return the times (n,) of a column of dates, also written as 2024-01-31; None for other columns."""
    if is_date(column):
        return measurements(column)
    if not is_text(column) or column.levels is None or not len(column.levels):
        return None
    codes = column.categories()[0]
    found = as_times(np.asarray(column.levels.astype(object)))
    return None if found is None else np.append(found, np.nan)[codes]
