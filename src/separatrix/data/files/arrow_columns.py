"""A column of some Arrow rows becomes numbers, categories, dates, weights or class codes, or the error that names its file and row.

Only methods of the column are used; pyarrow itself is imported where files are read.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...array_types import Codes, Floats, Ints
from ...errors import InputError
from ..batches import Piece
from ..columns import Column
from ..labels import check_labels, encode
from .arrow_types import as_indices, is_known

SECONDS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
"""How many of a unit of time make a second."""
PLAIN = {"double": "f8", "float": "f4", **{f"{sign}int{8 * size}": f"{sign or 'i'}{size}" for sign in ("", "u") for size in (1, 2, 4, 8)}}
"""Types of numbers that Arrow stores as NumPy does."""


FILL = "Drop such rows, fill them in, or have it done: make_pipeline(TablePrep(), model)."
LEAVE_OUT = "Leave such rows out by naming the labels to keep: open_table(…, where=[({name!r}, 'in', [labels])])."
WEIGH = "Give every row a weight; 0 leaves it out."


def column(piece: Piece, name: str, advice: str = FILL) -> Any:
    """Return one column of a piece; a missing value is an error that says what to do about such a column."""
    values = piece.rows.column(name)
    if values.null_count:
        row = piece.row_of(values.is_null().index(True).as_py())
        raise InputError(
            f"Input contains NaN or null: column {name!r} misses a value in row {row} of {piece.file!r}. {advice.format(name=name)}"
        )
    return values


def as_numpy(values: Any) -> NDArray[Any]:
    """Return an Arrow array as an array, of its own memory where it can be; numbers that are missing are NaN.

    Numbers by their buffers: Arrow's own way imports pandas wherever that is installed, half a second for whoever asks for nothing else.

    Examples
    --------
    >>> import pyarrow as pa
    >>> as_numpy(pa.array([3, None, 5]).slice(1)).tolist(), as_numpy(pa.array([True, False])).tolist()
    ([nan, 5.0], [True, False])
    """
    kind = PLAIN.get(str(values.type))
    if kind is None or not hasattr(values, "buffers") or not len(values):
        return np.asarray(values.to_numpy(zero_copy_only=False))
    known, data = values.buffers()
    n, first = len(values), values.offset
    found: NDArray[Any] = np.frombuffer(data, dtype=kind, count=n, offset=first * np.dtype(kind).itemsize)
    if not values.null_count:
        return found
    there = np.unpackbits(np.frombuffer(known, dtype=np.uint8), bitorder="little")[first : first + n].astype(bool)
    return np.where(there, found, found.dtype.type(np.nan) if found.dtype.kind == "f" else np.nan)


def numbers(values: Any) -> NDArray[Any]:
    """Return a column of numbers as an array, of its own memory where that can be."""
    if hasattr(values, "dictionary"):
        values = values.dictionary_decode()
    if str(values.type).startswith("decimal"):
        values = values.cast("float64")
    return as_numpy(values)


def label_numbers(values: Any) -> NDArray[Any]:
    """Return a column of labels that are no text as an array; decimals without a fraction are whole numbers.

    Examples
    --------
    >>> import decimal
    >>> import pyarrow as pa
    >>> label_numbers(pa.array([decimal.Decimal(9007199254740993)])).tolist()
    [9007199254740993]
    """
    if hasattr(values, "dictionary"):
        values = values.dictionary_decode()
    if str(values.type).startswith("decimal"):
        with suppress(ValueError):  # a fraction, or too large
            values = values.cast("int64")
    return numbers(values)


def weights(piece: Piece, name: str) -> Floats:
    """Return the column of weights, which must be finite and not negative."""
    values = numbers(column(piece, name, WEIGH)).astype(np.float64)
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise InputError(
            f"The weight in row {piece.row_of(row)} of {piece.file!r} (column {name!r}) is {values[row]}. Weights are frequencies and "
            "must be finite and ≥ 0; 0 leaves a row out."
        )
    return values


def key_values(values: Any) -> NDArray[Any]:
    """Return a column of keys as an array whose values keep their type: texts, whole numbers, booleans, days."""
    if hasattr(values, "dictionary"):
        values = values.dictionary_decode()
    plain: NDArray[Any] = values.to_numpy(zero_copy_only=False)
    return plain


def text_codes(values: Any, classes: NDArray[Any], by_label: dict[Any, int]) -> Codes:
    """Return the codes of a column of text or categories; only its distinct values are looked up.

    Examples
    --------
    >>> import pyarrow as pa
    >>> text_codes(pa.array(["no", "yes", "no"]), np.array(["no", "yes"]), {"no": 0, "yes": 1})
    array([0, 1, 0], dtype=int32)
    """
    encoded = values if hasattr(values, "dictionary") else values.dictionary_encode()
    places = [by_label.get(label, -1) for label in encoded.dictionary.to_pylist()]
    codes: Codes = np.array(places, dtype=np.int32)[as_numpy(encoded.indices)]
    if len(unknown := np.flatnonzero(codes < 0)):
        # Only now: a category that no row has may well be unknown.
        encode(np.array([values[int(unknown[0])].as_py()], dtype=object), classes, by_label)
    return codes


def distinct_labels(piece: Piece, name: str, is_text: bool) -> NDArray[Any]:
    """Return the distinct labels of a piece, checked."""
    values = column(piece, name, LEAVE_OUT)
    if is_text:
        return np.array(values.unique().to_pylist(), dtype=object)
    labels = label_numbers(values.unique())
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        row = piece.row_of(int(np.flatnonzero(~np.isfinite(numbers(values)))[0]))
        raise InputError(f"Input y contains NaN or infinity: column {name!r}, row {row} of {piece.file!r}. {LEAVE_OUT.format(name=name)}")
    return check_labels(labels)


def labelled(piece: Piece, name: str) -> Piece:
    """Return the rows of a piece that have a label: neither null nor NaN."""
    values = piece.rows.column(name)
    if hasattr(values, "dictionary") and values.dictionary.null_count:
        values = values.dictionary_decode()
    known = is_known(values)
    return piece if known.true_count == len(known) else piece.only(known)


def read_column(name: str, kind: str, parts: list[Any]) -> Column:
    """Return the values of a column in one piece, given in several: text and categories as codes, dates in microseconds, times in seconds.

    Examples
    --------
    >>> import pyarrow as pa
    >>> town = read_column("town", "text", [pa.array(["Ulm", None]), pa.array(["Rom", "Ulm"])])
    >>> town.categories()
    (array([ 0, -1,  1,  0], dtype=int32), ['Ulm', 'Rom'])
    """
    if kind == "null":
        n = sum(map(len, parts))
        return Column(name, np.zeros(n, dtype=np.int32), np.empty(0, dtype=object), np.ones(n, dtype=bool))
    if kind == "text" or (kind == "number" and hasattr(parts[0], "dictionary")):
        return _categories(name, parts)
    read = {"number": _with_gaps, "date": _dates, "time": _seconds}[kind]
    return Column(name, np.concatenate([read(values.dictionary_decode() if hasattr(values, "dictionary") else values) for values in parts]))


def _with_gaps(values: Any) -> NDArray[Any]:
    """Return numbers as they are, as floats where some are missing."""
    return numbers(values.cast("float64", safe=False) if values.null_count else values)


def _dates(values: Any) -> NDArray[Any]:
    if str(values.type) not in ("date32[day]", "timestamp[us]") or values.null_count:
        days: NDArray[Any] = values.to_numpy(zero_copy_only=False).astype("datetime64[us]")
        return days
    unit = "D" if str(values.type) == "date32[day]" else "us"
    return as_numpy(values.cast("int32" if unit == "D" else "int64")).astype(f"datetime64[{unit}]").astype("datetime64[us]")


def _seconds(values: Any) -> Floats:
    units = values.cast("int32" if values.type.bit_width == 32 else "int64").cast("float64", safe=False)
    found: Floats = as_numpy(units) / SECONDS[values.type.unit]
    return found


def _categories(name: str, parts: list[Any]) -> Column:
    """Return text or categories as codes: levels in the order of their first rows, however files were cut; ordered ones in their own."""
    places: dict[Any, int] = {None: -1}  # a null may stand among the categories themselves
    codes, ordered = [], False
    for values in parts:
        encoded = values if hasattr(values, "dictionary") else values.dictionary_encode()
        own: Ints = as_numpy(encoded.indices.fill_null(-1)).astype(np.int64)
        ordered = encoded.type.ordered
        used = np.arange(len(encoded.dictionary)) if ordered else _first_seen(own, len(encoded.dictionary))
        table = np.full(len(encoded.dictionary) + 1, -1, dtype=np.int32)  # the last one, -1, for what is missing
        table[used] = [places.setdefault(level, len(places) - 1) for level in encoded.dictionary.take(as_indices(used)).to_pylist()]
        codes.append(table[own])
    whole = np.concatenate(codes)
    levels = np.empty(len(places) - 1, dtype=object)
    levels[:] = list(places)[1:]
    missing = whole < 0
    if not missing.any():
        return Column(name, whole, levels, ordered=ordered)
    return Column(name, np.where(missing, np.int32(0), whole), levels, missing, ordered)


def _first_seen(codes: Ints, n_levels: int) -> Ints:
    """Return the codes that occur, in the order of their first rows.

    Examples
    --------
    >>> _first_seen(np.array([2, -1, 0, 2]), 4).tolist()
    [2, 0]
    """
    first = np.full(n_levels + 1, len(codes))
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # of several the last to be written stays, which is the first row
    first = first[:-1]
    used = np.flatnonzero(first < len(codes))
    order: Ints = used[np.argsort(first[used])]
    return order
