"""JSON from files nobody vouches for: bounded before it is parsed, and strict about what JSON leaves open.

Python's own reader takes NaN, the last of two equal keys, numbers that overflow to infinity and halves of characters. None of these is
read here. Numbers that are not finite are written as {"number": "inf"}, and whoever reads a field says whether it may hold one.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from ..errors import DamagedFileError, InputError

DEEPEST = 32
"""Levels of lists and objects within each other; a Pipeline of a recipe, a decision and nested models needs about ten."""
MOST_VALUES = 500_000
"""Values in a text. As Python objects they take at most about 60 MB; long lists belong into arrays."""

_TOKENS = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}:,]', re.DOTALL)
_NUMBERS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def write_json(value: Any) -> str:
    """Return a value as JSON in ASCII, the same text for the same value.

    Examples
    --------
    >>> write_json({"b": 0.1, "a": [None, "text"]})
    '{"b":0.1,"a":[null,"text"]}'
    """
    try:
        text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(
            f"A value cannot be written as JSON: {str(error).splitlines()[0]}; lists, objects, text and finite numbers can."
        ) from error
    try:
        refuse_unbounded(text, "The value")
        _refuse_halves(text, value)
    except DamagedFileError as error:
        raise InputError(f"A value cannot be written as JSON. {error}") from error
    return text


def read_json(text: str, what: str) -> Any:
    """Return the value of a JSON text, or raise an error about `what`.

    Examples
    --------
    >>> read_json('{"a": [1, 2.5]}', "The recipe")
    {'a': [1, 2.5]}
    >>> read_json('{"a": 1, "a": 2}', "The recipe")
    Traceback (most recent call last):
    separatrix.errors.DamagedFileError: The recipe has the key 'a' twice; write it anew.
    """
    refuse_unbounded(text, what)

    def fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise DamagedFileError(f"{what} has the key {twice[:60]!r} twice; write it anew.")
        return found

    def finite(number: str) -> float:
        value = float(number)
        if not math.isfinite(value):
            raise DamagedFileError(f"{what} has the number {number[:30]}, which is larger than any that can be held; write it anew.")
        return value

    def constant(name: str) -> float:
        raise DamagedFileError(f"{what} has the number {name}, which JSON does not know; it is written as {{'number': 'inf'}}.")

    try:
        value = json.loads(text, object_pairs_hook=fields, parse_float=finite, parse_constant=constant)
    except DamagedFileError:
        raise
    except (ValueError, RecursionError) as error:
        raise DamagedFileError(f"{what} is no JSON: {str(error).splitlines()[0][:80]}; write it anew.") from error
    _refuse_halves(text, value)
    return value


def refuse_unbounded(text: str, what: str) -> None:
    """Raise an error for a text of too many levels or values, without parsing it."""
    level = values = 0
    for found in _TOKENS.finditer(text):
        token = found.group()
        if token in "[{":
            level += 1
        elif token in "]}":
            level -= 1
        values += token in ",:[{"
        if level > DEEPEST:
            raise DamagedFileError(f"{what} is more than {DEEPEST} levels deep; no file of this package is.")
        if values > MOST_VALUES:
            raise DamagedFileError(f"{what} has more than {MOST_VALUES:,} values; no file of this package has.")


def _refuse_halves(text: str, value: Any) -> None:
    if "\\ud" in text or "\\uD" in text:  # only then can there be half a character, which no file or terminal takes
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise DamagedFileError("A text has half of a character (a lone surrogate); write it in UTF-8.") from error


def tagged_number(value: float) -> float | dict[str, str]:
    """Return a number as JSON can hold it: itself, or its name where it is not finite.

    Examples
    --------
    >>> tagged_number(1.5), tagged_number(float("-inf"))
    (1.5, {'number': '-inf'})
    """
    if math.isfinite(value):
        return value
    return {"number": "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"}


def untagged_number(value: Any, what: str, allowed: tuple[str, ...] = ("nan", "inf", "-inf")) -> float:
    """Return the number that `tagged_number` wrote; `allowed` names those that this field may hold beside the finite ones.

    Examples
    --------
    >>> untagged_number({"number": "inf"}, "C", allowed=("inf",))
    inf
    >>> untagged_number({"number": "nan"}, "C", allowed=("inf",))
    Traceback (most recent call last):
    separatrix.errors.DamagedFileError: C is nan, which it cannot be; write the file anew.
    """
    if isinstance(value, dict) and list(value) == ["number"] and isinstance(value["number"], str) and value["number"] in _NUMBERS:
        if value["number"] not in allowed:
            raise DamagedFileError(f"{what} is {value['number']}, which it cannot be; write the file anew.")
        return _NUMBERS[value["number"]]
    if isinstance(value, bool) or not isinstance(value, int | float) or (isinstance(value, float) and not math.isfinite(value)):
        raise DamagedFileError(f"{what} is {str(value)[:40]!r}, not a number; write the file anew.")
    return float(value) if isinstance(value, float) else value
