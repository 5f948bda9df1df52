"""A state is checked against the layout of its estimator before anything is made of it: names, types, shapes, ranges, finite numbers.

Compiled code trusts indices and shapes, so that a state from a file must not reach it unchecked.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..models.state import SCHEMA, State, is_plain, is_scalar, labels_of
from .state_consistency import check_model, check_record
from .state_document import damaged
from .state_schema import INSIDE, MODELS, PARAMS, RECORDS

Sizes = dict[str, int]
Fields = tuple[tuple[str, str, bool], ...]
_FORM = re.compile(r"|p|df|d|\.\d{1,2}[efg]")
_ALERT = {"code", "subject", "seen", "why", "do", "severity"}


def check_state(state: State, where: str = "") -> None:
    """Raise an error unless a state, and every one inside it, is one that its estimator could have given.

    Parameters
    ----------
    state : as read from a file, or about to be written to one
    where : names of the models around it
    """
    at = f"{where}{state.model[:60]}"
    if state.model not in MODELS:
        raise damaged(at, "is no estimator of this package")
    if state.schema != SCHEMA:
        raise damaged(at, f"has schema {state.schema!r:.20}, and this version of separatrix reads schema {SCHEMA}; upgrade it")
    if state.model in PARAMS and state.params.keys() != PARAMS[state.model]:
        raise damaged(at, "lacks a parameter, or has one that is not known")
    for name, inner in state.inside.items():
        check_state(inner, f"{at}.{name}.")
    _check_inside(state, at)
    sizes = _sizes(state, at)
    seen = _check_fields(state, "", _fields(MODELS[state.model]), sizes, at)
    unknown = (state.values.keys() | state.arrays.keys()) - seen
    if unknown:
        raise damaged(at, f"has {min(unknown)[:60]!r}, which is not known")
    check_model(state, sizes, at)


def _check_inside(state: State, at: str) -> None:
    expected = INSIDE.get(state.model, "")
    if expected.endswith("."):
        names = {f"{expected}{i}" for i in range(len(state.inside))} if state.inside else {"one at least"}
    else:
        names = {expected} if expected else set()
    if state.inside.keys() != names:
        raise damaged(at, "lacks the model inside it, or has one too many")


def _sizes(state: State, at: str) -> Sizes:
    """Return the numbers of classes, columns and rows of coefficients."""
    sizes: Sizes = {}
    p = state.values.get("n_features_in_")
    if type(p) is int and 0 < p < 2**40:
        sizes["p"] = p
    elif p is not None:
        raise damaged(at, "has no number of columns")
    try:
        labels = state.classes
    except (TypeError, ValueError, OverflowError) as error:
        raise damaged(at, "has classes that are no labels") from error
    if labels is not None:
        sizes |= {"K": len(labels), "c": 1 if len(labels) <= 2 else len(labels)}
    return sizes


@cache
def _fields(text: str) -> Fields:
    """Return name, type and whether the field may be absent, of each line."""
    lines = [line.strip().partition(": ") for line in text.split(";") if line.strip()]
    return tuple((name.removeprefix("?"), kind, name.startswith("?")) for name, _, kind in lines)


def _check_fields(state: State, prefix: str, fields: Fields, sizes: Sizes, at: str) -> set[str]:
    """Check the fields of a model or record; return the names of all that was looked at."""
    seen: set[str] = set()
    for name, kind, may_lack in fields:
        key = prefix + name
        if key not in state.values and key not in state.arrays:
            if may_lack:
                continue
            raise damaged(at, f"lacks {key!r}")
        seen.add(key)
        if state.values.get(key, 0) is None and kind.endswith("?"):
            continue
        seen |= _check_one(state, key, kind.removesuffix("?"), sizes, f"{at}.{key}")
    return seen


def _check_one(state: State, key: str, kind: str, sizes: Sizes, at: str) -> set[str]:
    first, *rest = kind.split()
    if first == "tuple":
        return _check_tuple(state, key, rest[0], sizes, at)
    if first == "rows":
        first, rest = ("f", rest) if key in state.arrays else ("SparseRows", rest[-1:])
    if first in RECORDS:
        return _check_record(state, key, first, rest[0], sizes, at)
    if first in ("f", "f-", "f~", "i", "b"):
        _check_array(state.arrays.get(key), first, rest, sizes, at)
    elif first in ("labels", "names"):
        _check_labels(state, key, first, rest[0], sizes, at)
    else:
        _check_value(state.values.get(key), kind, at)
    return set()


def _check_tuple(state: State, key: str, record: str, sizes: Sizes, at: str) -> set[str]:
    value = state.values.get(key)
    if value == {"plain": ()}:
        return set()
    if not isinstance(value, dict) or value.keys() != {"items"}:
        raise damaged(at, "is not a list of records")
    seen: set[str] = set()
    for i in range(value["items"]):
        if f"{key}.{i}" not in state.values:
            raise damaged(at, "is shorter than it says")
        seen |= {f"{key}.{i}"} | _check_record(state, f"{key}.{i}", record, "*", sizes, f"{at}.{i}")
    return seen


def _check_record(state: State, key: str, record: str, columns: str, sizes: Sizes, at: str) -> set[str]:
    value: Any = state.values.get(key)
    given = value.get("fields") if isinstance(value, dict) and value.get("record") == record else None
    known = _fields(RECORDS[record])
    fields = tuple((name, kind, False) for name, kind, may_lack in known if given is None or name in given or not may_lack)
    if given != [name for name, _, _ in fields]:
        raise damaged(at, f"is no {record}")
    own: Sizes = {name: sizes[name] for name in ("K", "c", "p", "S") if name in sizes}
    if columns in sizes:
        own["q"] = sizes[columns]
    seen = _check_fields(state, f"{key}.", fields, own, at)
    check_record(state, key, record, own, at)
    if columns not in sizes and columns != "*" and "q" in own:
        sizes[columns] = own["q"]
    if "S" in own and record == "SparseRows":
        sizes["S"] = own["S"]
    return seen


def _check_array(array: NDArray[Any] | None, kind: str, shape: list[str], sizes: Sizes, at: str) -> None:
    letters, _, bound = " ".join(shape).partition(" < ")
    expected = letters.split()
    if array is None or array.dtype.kind not in {"i": "iu", "b": "b"}.get(kind, "f"):
        raise damaged(at, "is not an array of its type")
    if expected != ["..."] and (
        array.ndim != len(expected) or not all(map(lambda letter, n: _fits(letter, n, sizes), expected, array.shape))
    ):
        raise damaged(at, f"has the shape {array.shape}, which does not fit the other parts of the model")
    if kind == "f" and not np.isfinite(array).all():
        raise damaged(at, "holds numbers that are not finite")
    if kind == "f-" and not (np.isfinite(array) | np.isneginf(array)).all():
        raise damaged(at, "holds numbers that are neither finite nor minus infinity")
    if bound and array.size and not (array.min() >= 0 and array.max() < sizes.get(bound, 0)):
        raise damaged(at, "points to something that is not there")


def _fits(letter: str, n: int, sizes: Sizes) -> bool:
    """Return whether a length is what a letter stands for, which the first length it meets decides."""
    if letter == "*":
        return True
    if letter.isdigit():
        return n == int(letter)
    name, _, more = letter.partition("+")
    return sizes.setdefault(name, n - int(more or 0)) == n - int(more or 0)


def _check_labels(state: State, key: str, kind: str, letter: str, sizes: Sizes, at: str) -> None:
    value = state.values.get(key)
    if key in state.arrays and kind == "labels":
        labels = state.arrays[key]
        if labels.ndim != 1 or (labels.dtype.kind == "f" and not np.isfinite(labels).all()):
            raise damaged(at, "holds no labels")
    elif isinstance(value, dict) and "labels" in value:
        labels = labels_of(value)
    else:
        raise damaged(at, "holds no labels")
    if not _fits(letter, len(labels), sizes):
        raise damaged(at, f"has {len(labels)} labels, which does not fit the other parts of the model")
    found = labels.tolist()
    if kind == "names":
        if not all(is_scalar(name) for name in found):
            raise damaged(at, "holds no names")
    elif not found or None in found or len(set(map(repr, found))) < len(found):
        raise damaged(at, "has no label, or one twice")


def _check_value(value: Any, kind: str, at: str) -> None:
    """Check a number, a text or a plain value."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    plain = value["plain"] if isinstance(value, dict) and value.keys() == {"plain"} else None
    right = {
        "number": number and bool(np.isfinite(value) if isinstance(value, float) else abs(value) < 2**63 if number else False),
        "number~": number,
        "count": type(value) is int and 0 <= value < 2**62,
        "switch": isinstance(value, bool),
        "text": isinstance(value, str),
        "form": isinstance(value, str) and _FORM.fullmatch(value) is not None,
        "alerts": isinstance(plain, list) and all(map(_is_alert, plain)),
        "texts": isinstance(plain, dict) and all(isinstance(part, str) for pair in plain.items() for part in pair),
        "pair": isinstance(plain, tuple) and len(plain) == 2 and all(type(end) in (int, float) for end in plain),
        "plain": value is None or (plain is not None and is_plain(plain)),
    }
    if not (value in kind.removeprefix("one of ").split("|") if kind.startswith("one of ") else right[kind]):
        raise damaged(at, "is not of its type")


def _is_alert(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == _ALERT and all(isinstance(text, str) for text in value.values())
