"""A table in memory as one batch of columns, of any types people have: numbers, text, categories, dates, and mixtures of them."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..errors import InputError, InputTypeError
from .arrays import as_array, refuse_empty
from .columns import Column, ColumnBatch
from .frames import open_frame
from .opening import is_frame
from .tables import TEXT, no_values, numbers_of, object_column, read_column

DATES = ("Date", "Datetime")


def whole_table(X: Any, only: Sequence[str] | None = None) -> ColumnBatch:
    """Return all rows of a frame or an array as one batch, each column read once; of a frame `only` some columns, where given.

    Objects of several types in one column become text. Durations and times of day become seconds.

    Examples
    --------
    >>> import pandas as pd
    >>> table = whole_table(pd.DataFrame({"since": pd.to_datetime(["2024-05-01", None]), "code": ["A1", 7]}))
    >>> table.types(), table.column(1).levels.tolist()
    (['date', 'text'], ['7', 'A1'])
    """
    if isinstance(X, ColumnBatch):
        return X
    if sp.issparse(X):
        raise InputTypeError("X is sparse: its columns are numbers already, and need no preparation; pass them to a model.")
    if is_frame(X):
        frame = open_frame(X)
        refuse_empty(frame.shape)
        if only is not None and (there := [name for name in frame.columns if str(name) in set(only)]):
            frame = frame[:, there]
        unnamed = [j for j, name in enumerate(frame.columns) if not str(name).strip()]
        if unnamed:
            raise InputError(f"Column {unnamed[0]} of the table has no name; give every column one: X.columns = […].")
        return ColumnBatch(tuple(any_column(frame[:, j], str(name)) for j, name in enumerate(frame.columns)))
    X = as_array(X)
    if X.ndim != 2:
        raise InputError(f"Expected 2D array, got {X.ndim}D array instead. Reshape your data: one row per sample.")
    refuse_empty(X.shape)
    if X.dtype.kind in "OUS":
        X = X.astype(object)
        return ColumnBatch(tuple(mixed_column(X[:, j], f"x{j}") for j in range(X.shape[1])))
    if X.dtype.kind not in "biuf":
        raise InputError(f"Complex data not supported: X is of dtype {X.dtype}; pass numbers, text or a frame.")
    return ColumnBatch(tuple(Column(f"x{j}", X[:, j]) for j in range(X.shape[1])))


def any_column(values: Any, name: str) -> Column:
    """Return a frame's column of any type, or the error that names it."""
    kind = str(values.dtype).split("(")[0]
    if kind == "Object":
        return mixed_column(values.to_numpy(), name)
    if kind in TEXT:
        try:
            found = read_column(values, name)
        except (ValueError, TypeError):  # categories of several types, letters that are none: as Python has them
            return mixed_column(np.array(values.to_list(), dtype=object), name)
        levels = None if found.levels is None else _plain(found.levels)
        ordered = kind == "Enum" or bool(getattr(getattr(values.to_arrow(), "type", None), "ordered", False))
        return Column(found.name, found.values, levels, found.missing, ordered=ordered)
    if kind in DATES:
        return Column(name, _array(values.to_arrow().cast("timestamp[us]", safe=False)))
    if kind == "Duration":
        return Column(name, _seconds(_array(values.to_arrow().cast("duration[us]", safe=False))))
    if kind == "Time":
        times = values.to_arrow()
        return Column(name, _array(times.cast("time64[us]", safe=False).cast("int64").cast("float64")) / 1e6)
    if values.dtype.is_decimal():
        return Column(name, np.asarray(_array(values.to_arrow().cast("float64")), dtype=np.float64))
    if values.dtype.is_numeric() or kind == "Boolean":
        return Column(name, numbers_of(values))
    if values.null_count() == len(values):
        return no_values(name, len(values))
    raise InputError(
        f"Column {name!r} is of type {kind}, which is neither numbers, text nor dates; turn it into one of these, or leave it out: "
        f"X.drop(columns=[{name!r}])."
    )


def mixed_column(values: NDArray[Any], name: str) -> Column:
    """Return a column of Python objects: numbers, text, dates, or text of whatever they are."""
    values = np.array([None if _is_missing(value) else value for value in values.tolist()], dtype=object)
    known = [value for value in values.tolist() if value is not None]
    types = {type(value) for value in known}
    if types and all(issubclass(own, datetime.date) for own in types):
        return Column(name, _dates(values))
    text = [issubclass(own, str) for own in types]
    refused = next((own for own in types if issubclass(own, list | tuple | dict | set | np.ndarray | bytes)), None)
    if refused is not None:
        raise InputTypeError(f"Column {name!r} holds objects of type {refused.__name__}; turn them into numbers or text, or leave it out.")
    if all(text) or not any(text):
        try:
            return object_column(values, name)
        except InputTypeError:  # neither numbers nor text, such as times beside dates
            pass
    said = np.array([value if isinstance(value, str) or _is_missing(value) else str(value) for value in values.tolist()], dtype=object)
    return object_column(said, name)


def _plain(levels: NDArray[Any]) -> NDArray[Any]:
    """Return levels that are neither text nor numbers, such as intervals and dates, as text."""
    if all(isinstance(level, str | int | float) for level in levels.tolist()):
        return levels
    said = [f"{v['left']} to {v['right']}" if isinstance(v, dict) and {"left", "right"} <= v.keys() else str(v) for v in levels.tolist()]
    return np.array(said, dtype=object)


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except (TypeError, ArithmeticError):  # what is neither equal to itself nor not: pandas' NA, a signalling NaN
        return True


def _dates(values: NDArray[Any]) -> NDArray[Any]:
    found = np.full(len(values), np.datetime64("NaT", "us"))
    for i, value in enumerate(values.tolist()):
        if value is None or value != value:
            continue
        zone = getattr(value, "tzinfo", None)
        found[i] = np.datetime64(value if zone is None else value.astimezone(datetime.UTC).replace(tzinfo=None), "us")
    return found


def _array(arrow: Any) -> NDArray[Any]:
    combined = arrow.combine_chunks() if hasattr(arrow, "combine_chunks") else arrow
    return np.asarray(combined.to_numpy(zero_copy_only=False))


def _seconds(values: NDArray[Any]) -> NDArray[Any]:
    if values.dtype.kind == "m":
        return np.where(np.isnat(values), np.nan, values / np.timedelta64(1, "s"))
    return values.astype(np.float64) / 1e6
