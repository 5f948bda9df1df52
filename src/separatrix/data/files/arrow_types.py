"""What Arrow's types mean for a table: the kind of a column, and the types that columns of text files are read as."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from ...array_types import Indices

COLUMN_KINDS = ("number", "text", "date", "time", "null")
"""Kinds of columns that a table of columns holds; "time" is a time of day or a duration, read as seconds."""


def kind_of(type_: Any) -> str:
    """Return "number", "text", "date", "time", "null", or the name of another type.

    Examples
    --------
    >>> kind_of(pa.bool_()), kind_of(pa.dictionary(pa.int8(), pa.string())), kind_of(pa.date32()), kind_of(pa.binary())
    ('number', 'text', 'date', 'binary')
    """
    if types.is_dictionary(type_):
        return kind_of(type_.value_type)
    if types.is_boolean(type_) or types.is_integer(type_) or types.is_floating(type_) or types.is_decimal(type_):
        return "number"
    if types.is_string(type_) or types.is_large_string(type_) or types.is_string_view(type_):
        return "text"
    if types.is_date(type_) or types.is_timestamp(type_):
        return "date"
    if types.is_time(type_) or types.is_duration(type_):
        return "time"
    return str(type_)


def is_known(values: Any) -> Any:
    """Return where a column has a value, neither null nor NaN, as Arrow's booleans.

    Examples
    --------
    >>> is_known(pa.array([1.5, None, float("nan")])).to_pylist()
    [True, False, False]
    """
    return pc.invert(pc.is_null(values, nan_is_null=True))


def batch_of(rows: Sequence[Sequence[Any]], kinds: Sequence[str]) -> Any:
    """Return rows of Python's values as Arrow's columns: numbers (and booleans) as doubles, text, dates in microseconds, or as they are.

    Examples
    --------
    >>> batch_of([(1, "a"), (None, "b")], ["number", "text"]).to_pydict()
    {'0': [1.0, None], '1': ['a', 'b']}
    """
    known = {"number": pa.float64(), "boolean": pa.float64(), "text": pa.string(), "date": pa.timestamp("us")}
    arrays = [pa.array(values, known.get(kind)) for values, kind in zip(zip(*rows), kinds, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, [str(j) for j in range(len(kinds))])


def as_indices(rows: Indices) -> Any:
    """Return numbers of rows as Arrow's; `pyarrow.array` would import pandas, 50 megabytes of memory, wherever it is installed."""
    return pa.Array.from_buffers(pa.int64(), len(rows), [None, pa.py_buffer(np.ascontiguousarray(rows, dtype=np.int64))])


def is_single(type_: Any) -> bool:
    """Whether a column holds floats of 32 bits."""
    return bool(type_ == pa.float32())


def agreed(one: Any, other: Any) -> Any:
    """Return the type as which a column is read that is stored as one type in some files and as another in others; None where they differ.

    Whole numbers, floats and decimals are numbers, texts of any layout are texts, days and times of any precision are dates, and a column
    of nothing but missing values is of any type. Booleans are no numbers here: True in one file and 7 in another are a mistake.

    Examples
    --------
    >>> str(agreed(pa.int32(), pa.float64())), str(agreed(pa.null(), pa.string())), agreed(pa.int32(), pa.string())
    ('double', 'string', None)
    >>> str(agreed(pa.timestamp("ns"), pa.date32())), agreed(pa.timestamp("us"), pa.timestamp("us", "UTC"))
    ('timestamp[us]', None)
    """
    if one == other or types.is_null(other):
        return one
    if types.is_null(one):
        return other
    if kind_of(one) == kind_of(other) == "text":
        return pa.string()
    one, other = (type_.value_type if types.is_dictionary(type_) else type_ for type_ in (one, other))
    if types.is_signed_integer(one) and types.is_signed_integer(other):
        return pa.int64()
    if all(types.is_integer(type_) or types.is_floating(type_) or types.is_decimal(type_) for type_ in (one, other)):
        return pa.float64()
    if kind_of(one) == kind_of(other) == "date":
        zones = {getattr(type_, "tz", None) for type_ in (one, other)}
        return pa.timestamp("us", zones.pop()) if len(zones) == 1 else None
    if types.is_time(one) and types.is_time(other):
        return pa.time64("us")
    if types.is_duration(one) and types.is_duration(other):
        return pa.duration("us")
    return one if one == other else None


def coded(type_: Any) -> Any:
    """Return the type that reads text as codes of its distinct values; other types as they are."""
    return pa.dictionary(pa.int32(), pa.string()) if types.is_string(type_) else type_


def read_as(type_: Any, is_target: bool) -> Any:
    """Return the type as which a column of a text file is read, whose first rows look like `type_`.

    Numbers are floats, whatever the first rows look like; dates and times of any precision are microseconds. Labels stay whole numbers.

    Examples
    --------
    >>> str(read_as(pa.int64(), False)), str(read_as(pa.int64(), True)), str(read_as(pa.date32(), False))
    ('double', 'int64', 'timestamp[us]')
    """
    if types.is_integer(type_) and not is_target:
        return pa.float64()
    if types.is_date(type_) or (types.is_timestamp(type_) and type_.unit != "ns"):
        return pa.timestamp("us", getattr(type_, "tz", None))
    return type_


def wider(type_: Any) -> Any:
    """Return the next type to try where a value does not suit this one; at last text, which suits all.

    Examples
    --------
    >>> str(wider(pa.null())), str(wider(pa.float64())), str(wider(pa.timestamp("us")))
    ('double', 'string', 'timestamp[ns]')
    """
    if types.is_null(type_) or types.is_integer(type_):
        return pa.float64()
    if types.is_timestamp(type_) and type_.unit == "us":
        return pa.timestamp("ns", type_.tz)
    return pa.string()


def common(one: Any, other: Any) -> Any:
    """Return the type that suits the values of both.

    Examples
    --------
    >>> str(common(pa.int64(), pa.float64())), str(common(pa.null(), pa.bool_())), str(common(pa.float64(), pa.string()))
    ('double', 'bool', 'string')
    """
    if one == other or types.is_null(other):
        return one
    if types.is_null(one):
        return other
    if all(types.is_integer(type_) or types.is_floating(type_) for type_ in (one, other)):
        return pa.float64()
    if types.is_timestamp(one) and types.is_timestamp(other) and one.tz == other.tz:
        return pa.timestamp("ns", one.tz)
    return pa.string()
