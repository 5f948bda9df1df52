"""Values of a table's columns as arrays that statistics are made of: measurements, levels, and what of them is known."""

from __future__ import annotations

import numpy as np

from ..array_types import Bools, Floats, Indices
from ..data.columns import Column
from ..data.row_hash import row_hash

DAY = 86_400_000_000
"""Microseconds of a day."""


def is_date(column: Column) -> bool:
    """Return whether a column holds moments of time."""
    return column.values.dtype.kind == "M"


def is_text(column: Column) -> bool:
    """Return whether a column holds categories or text."""
    return not is_date(column) and column.type == "text"


def measurements(column: Column) -> Floats | None:
    """Return numbers as they are and dates as days since 1970, NaN where missing or infinite; None for text.

    Examples
    --------
    >>> measurements(Column("day", np.array(["1970-01-02", "NaT"], dtype="datetime64[us]")))
    array([ 1., nan])
    """
    if is_text(column):
        return None
    if is_date(column):
        moments = column.values.astype("datetime64[us]")
        values = np.where(np.isnat(moments), np.nan, moments.astype(np.int64) / DAY)
        return values if column.missing is None else np.where(column.missing, np.nan, values)
    values = column.numbers()
    return np.where(np.isfinite(values), values, np.nan)


def levels(column: Column) -> tuple[Indices, int]:
    """Return the number of each row's value among the distinct ones, −1 where missing, and how many there are; numbers in their order.

    Examples
    --------
    >>> levels(Column("age", np.array([31.0, np.nan, 20.0])))
    (array([ 1, -1,  0]), 2)
    """
    values = measurements(column)
    if values is None:
        codes, known = column.categories()
        return codes.astype(np.intp), len(known)
    there = ~np.isnan(values)
    found, places = np.unique(values[there], return_inverse=True)
    numbers = np.full(len(values), -1, dtype=np.intp)
    numbers[there] = places
    return numbers, len(found)


def known(column: Column) -> Bools:
    """Return which rows have a value (n,)."""
    values = measurements(column)
    if values is not None:
        return ~np.isnan(values)
    return ~column.absent


def listed(names: list[str], most: int = 6) -> str:
    """Return names in a sentence: the first ones, and how many there are.

    Examples
    --------
    >>> listed(["age", "zip"]), listed(list("abcdefgh"), 2)
    ("'age', 'zip'", "'a', 'b', … (8 in all)")
    """
    shown = ", ".join(repr(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown}, … ({len(names)} in all)"


def row_sample(n: int, most: int) -> Indices:
    """Return at most `most` of n rows, spread as at random and always the same."""
    if n <= most:
        return np.arange(n)
    return np.sort(np.argpartition(row_hash(0, n), most)[:most])
