"""A recipe as JSON and back. What comes from outside is checked field by field before it is used; nothing in it is run."""

from __future__ import annotations

import dataclasses
import json
import types
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from ..errors import InputError, InputTypeError, short_text
from .steps import STEPS, Step

MOST_BYTES = 200_000_000


def to_plain(value: Any) -> Any:
    """Return a value as lists, dicts, numbers and text."""
    if isinstance(value, Step):
        return {"kind": value.kind, **{own.name: to_plain(getattr(value, own.name)) for own in dataclasses.fields(value)}}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {own.name: to_plain(getattr(value, own.name)) for own in dataclasses.fields(value)}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple | list):
        return [to_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: to_plain(item) for key, item in value.items()}
    return value.item() if isinstance(value, np.generic) else value


def parsed(text: str | bytes) -> Any:
    """Return the JSON of a text; numbers that are not finite and names that stand there twice are refused."""
    if not isinstance(text, str | bytes):
        raise InputTypeError(f"A recipe is read from text, not from {short_text(text)}; pass what Recipe.to_json gave.")
    if len(text) > MOST_BYTES:
        raise InputError(f"The recipe is {len(text):,} characters long; at most {MOST_BYTES:,} are read.")
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise InputError(f"The recipe is no JSON that can be read: {error}.") from None


def _refuse_constant(name: str) -> None:
    raise InputError(f"it holds {name}, which is no number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InputError("a name stands there twice in one place")
    return found


def step_of(given: Any) -> Step:
    """Return the step that a dict describes."""
    if not isinstance(given, dict) or not isinstance(given.get("kind"), str) or given["kind"] not in STEPS:
        raise InputError(f"A column of the recipe must have a kind, one of {', '.join(STEPS)}; got {str(given)[:80]}.")
    fields = {name: value for name, value in given.items() if name != "kind"}
    step: Step = record_of(STEPS[given["kind"]], fields, f"column {given.get('column')!r}")
    step.check()
    return step


def record_of(type_: Any, given: Any, where: str) -> Any:
    """Return a record with the fields of a dict, each of the type that it must have."""
    if not isinstance(given, dict):
        raise InputError(f"The recipe's {where} must be a dict with names, not {str(given)[:60]!r}.")
    hints, fields = _hints(type_), {own.name: own for own in dataclasses.fields(type_)}
    unknown = [name for name in given if name not in fields]
    if unknown:
        raise InputError(f"The recipe's {where} has {unknown[0]!r}, which is not known there; it has {', '.join(fields)}.")
    needed = [
        name
        for name, own in fields.items()
        if name not in given and own.default is dataclasses.MISSING and own.default_factory is dataclasses.MISSING
    ]
    if needed:
        raise InputError(f"The recipe's {where} lacks {needed[0]!r}.")
    return type_(**{name: value_of(hints[name], value, f"{where}, {name!r},") for name, value in given.items()})


@cache
def _hints(type_: Any) -> dict[str, Any]:
    return get_type_hints(type_)


def value_of(hint: Any, given: Any, where: str) -> Any:
    """Return a value of the type that a field must have."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        options = get_args(hint)
        if given is None and type(None) in options:
            return None
        return value_of(next(own for own in options if own is not type(None)), given, where)
    if origin is Literal:
        if given not in get_args(hint) or isinstance(given, bool):
            raise InputError(f"The recipe's {where} is {given!r}; it must be one of {', '.join(map(repr, get_args(hint)))}.")
        return given
    if origin is tuple:
        return _tuple(get_args(hint), given, where)
    if origin is np.ndarray:
        return _array(given, where)
    if dataclasses.is_dataclass(hint):
        return record_of(hint, given, where)
    return _plain(hint, given, where)


def _tuple(items: tuple[Any, ...], given: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(given, list):
        raise InputError(f"The recipe's {where} must be a list, not {str(given)[:60]!r}.")
    if items[-1] is not Ellipsis:
        if len(given) != len(items):
            raise InputError(f"The recipe's {where} must have {len(items)} values, not {len(given)}.")
        return tuple(value_of(hint, value, where) for hint, value in zip(items, given, strict=True))
    return tuple(value_of(items[0], value, where) for value in given)


def _array(given: Any, where: str) -> Any:
    try:
        found = np.array(given)
    except (TypeError, ValueError, OverflowError):
        found = np.array(None)
    if found.dtype.kind not in "if" or not np.isfinite(found).all() or (found < 0).any():
        raise InputError(f"The recipe's {where} must be a table of numbers, none of them negative.")
    return found.astype(np.float64)


def _plain(hint: Any, given: Any, where: str) -> Any:
    if hint is float and isinstance(given, int | float) and not isinstance(given, bool):
        if not -1e300 < given < 1e300:
            raise InputError(f"The recipe's {where} is {short_text(given)}; it must be a number that is not that large.")
        return float(given)
    if hint is int and isinstance(given, int) and not isinstance(given, bool):
        return given
    if get_origin(hint) is dict and isinstance(given, dict):
        return given
    if hint in (str, bool) and type(given) is hint:
        return given
    raise InputError(f"The recipe's {where} must be of type {getattr(hint, '__name__', hint)}, not {str(given)[:60]!r}.")
