"""A number for each row that looks random and depends on the row's key alone: the same in Python and in the SQL of a database.

The definition, in one place for every road:

1. The *text* of a key is the text itself, the decimal digits of a whole number (−12 is "-12"), "true" or "false", the ISO form of a
   day, "2024-01-31", or that of a UUID. A key that is missing, a number with a fraction, a day with a time (in UTC, where it has a zone),
   or a value of another type is refused.
2. Its *number* is that of the first 15 hexadecimal digits of md5("seed:text" in UTF-8): a whole number below 2⁶⁰, which a signed integer
   of 64 bits holds.
3. Its *fold* among F is the number modulo F.

In SQL, with `t` the text and the seed 0:

    DuckDB       CAST('0x' || substr(md5('0:' || t), 1, 15) AS BIGINT) % F
    PostgreSQL   CAST(CAST('x0' || substr(md5(convert_to('0:' || t, 'UTF8')), 1, 15) AS bit(64)) AS bigint) % F

with CAST(CAST(key AS DECIMAL(38, 0)) AS VARCHAR) in place of `t` for numbers, CAST(key AS VARCHAR) for booleans and UUIDs, and for days
STRFTIME(key, '%Y-%m-%d') or TO_CHAR(key, 'YYYY-MM-DD'): both engines then write what is written above.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from hashlib import md5
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from ..array_types import Ints
from ..errors import InputError, short_text

DIGITS = 15
"""Hexadecimal digits of md5 that are read: 60 bits, so that no engine meets a sign."""


def key_number(text: str, seed: int = 0) -> int:
    """Return the number of a key, given as text.

    Examples
    --------
    >>> key_number("abc"), key_number("abc") % 10
    (1007738591113426928, 8)
    """
    return int(md5(f"{seed}:{text}".encode(), usedforsecurity=False).hexdigest()[:DIGITS], 16)


def key_numbers(keys: Any, seed: int = 0, name: str = "key") -> Ints:
    """Return the numbers (n,) of keys.

    Parameters
    ----------
    keys : (n,) whole numbers, texts, booleans or days
    seed : int
    name : what messages call the column

    Examples
    --------
    >>> (key_numbers(["7", "abc", "7"]) % 10).tolist() == (key_numbers([7, "abc", 7.0]) % 10).tolist()
    True
    """
    return np.array([key_number(text, seed) for text in key_texts(_plain(keys, name), name)], dtype=np.int64)


def key_texts(keys: NDArray[Any], name: str = "key") -> list[str]:
    """Return the text of each key, or refuse what has none: days of Python, NumPy and pandas are all days.

    Examples
    --------
    >>> key_texts(np.array([-12, 7])), key_texts(np.array(["2024-01-31"], dtype="datetime64[us]")), key_texts(np.array([True]))
    (['-12', '7'], ['2024-01-31'], ['true'])
    """
    if keys.dtype.kind == "M":
        days = keys.astype("datetime64[D]")
        if np.isnat(keys).any() or (days != keys).any():
            raise _refused(name, keys[(np.isnat(keys)) | (days != keys)][0])
        return [str(day) for day in days]
    return [_text(key, name) for key in keys.tolist()]


def _text(key: Any, name: str) -> str:
    if isinstance(key, np.generic):  # among objects
        key = key.item()
    if isinstance(key, str):
        return key
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, int) or (isinstance(key, float) and key.is_integer() and abs(key) < 2**53):
        return str(int(key))
    if isinstance(key, Decimal) and key.is_finite() and key == key.to_integral_value():
        return str(int(key))
    if isinstance(key, UUID):
        return str(key)
    if isinstance(key, date) and key == key:  # not pandas' NaT, which is a date too
        return _day(key, name)
    raise _refused(name, key)


def _day(key: date, name: str) -> str:
    if not isinstance(key, datetime):
        return key.isoformat()
    at = key if key.tzinfo is None else key.astimezone(UTC)
    if at.time() != time():
        raise _refused(name, key)
    return at.date().isoformat()


def _refused(name: str, key: Any) -> InputError:
    missing = key is None or key != key
    said = "misses a value" if missing else f"holds {short_text(key)}"
    return InputError(
        f"Column {name!r}, the key of the folds, {said}; a key is whole numbers, text, booleans or days, and every row has one. Name "
        "another column, or leave key= out to take the numbers of the rows."
    )


def _plain(keys: Any, name: str) -> NDArray[Any]:
    """Return keys as an array of one dimension whose values keep their type."""
    if not isinstance(keys, list | tuple | np.ndarray):
        from .frames import series_to_numpy

        keys = series_to_numpy(keys)
    values = keys if isinstance(keys, np.ndarray) else np.asarray(keys, dtype=object if _is_mixed(keys) else None)
    if values.ndim != 1 or values.dtype.kind not in "biufUOM":
        raise InputError(
            f"Column {name!r}, the key of the folds, is of shape {values.shape} and type {values.dtype}; give one key per row."
        )
    return values


def _is_mixed(keys: Any) -> bool:
    """Whether numpy would make one type of values that have several."""
    return isinstance(keys, list | tuple) and len({type(key) for key in keys}) > 1
