"""A state as a JSON document beside arrays, and back.

A node is {"model", "schema", "params", "values", "arrays", "inside"}. Python has kinds of values that JSON has not; they are tagged, and
since plain dicts are tagged too, no content can be taken for a tag:

    {"number": "inf"}   {"tuple": […]}   {"pairs": [[key, value], …]}   {"array": […], "dtype": "<f8"}   {"blueprint": name, "params": …}

A value that is long as JSON (a recipe, many labels) stands among the arrays as bytes; its place in the document says {"bytes": true}.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DamagedFileError, InputTypeError
from ..models.state import Blueprint, State, is_scalar
from ..storage import read_json, tagged_number, untagged_number, write_json
from ..storage.container import DTYPES

LONG = 1_000
"""Characters of JSON from which a value stands among the arrays."""
LABEL_TYPES = re.compile(r"\|O|<U([1-9]\d{0,6})|\|S([1-9]\d{0,6})|<M8(\[(\d{1,4})?[a-zA-Z]{1,2}\])")
MOST_TEXT = 2**22
"""Characters of an array of fixed-width labels beyond what the labels themselves have."""


def to_document(state: State, arrays: dict[str, NDArray[Any]], prefix: str = "") -> dict[str, Any]:
    """Return a state as a node of JSON; its arrays are put into `arrays` under names that begin with the prefix."""
    # Names are sorted: the same model gives the same bytes, in whichever order its attributes were set.
    for name, array in state.arrays.items():
        arrays[prefix + name] = array.transpose(axes) if (axes := axes_in_memory(array)) else array
    return {
        "model": state.model,
        "schema": state.schema,
        "params": {name: kept(encoded(value), f"{prefix}params/{name}", arrays) for name, value in sorted(state.params.items())},
        "values": {name: kept(_value(value), prefix + name, arrays) for name, value in sorted(state.values.items())},
        "arrays": {name: axes_in_memory(array) for name, array in sorted(state.arrays.items())},
        "inside": {name: to_document(own, arrays, f"{prefix}{name}/") for name, own in sorted(state.inside.items())},
    }


def axes_in_memory(array: NDArray[Any]) -> list[int] | None:
    """Return the axes from the slowest to the fastest in memory; None where they stand in their order.

    BLAS adds up in another order for the transpose of a matrix: the layout belongs to the same bits.

    Examples
    --------
    >>> axes_in_memory(np.ones((2, 3)).T), axes_in_memory(np.ones((2, 3)))
    ([1, 0], None)
    """
    axes = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
    return axes if not array.flags.c_contiguous and array.transpose(axes).flags.c_contiguous else None


def kept(value: Any, name: str, arrays: dict[str, NDArray[Any]]) -> Any:
    """Return a value of JSON; a long one is put into `arrays` as bytes, and its mark returned."""
    text = write_json(value)
    if len(text) <= LONG:
        return value
    arrays[name] = np.frombuffer(text.encode("ascii"), dtype=np.uint8)
    return {"bytes": True}


def encoded(value: Any) -> Any:
    """Return a Python value as JSON can hold it, what JSON does not know being tagged.

    Examples
    --------
    >>> encoded({"C": float("inf"), 1: (0.5, None)})
    {'pairs': [['C', {'number': 'inf'}], [1, {'tuple': [0.5, None]}]]}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return tagged_number(value)
    if is_scalar(value):
        return value
    if isinstance(value, tuple):
        return {"tuple": [encoded(item) for item in value]}
    if isinstance(value, list):
        return [encoded(item) for item in value]
    if isinstance(value, dict):
        return {"pairs": [[encoded(name), encoded(item)] for name, item in value.items()]}
    if isinstance(value, Blueprint):
        return {"blueprint": value.name, "params": encoded(value.params)}
    if isinstance(value, np.ndarray) and (value.dtype.str in (*DTYPES.values(), "|O") or value.dtype.kind == "U"):
        return {"array": encoded(value.tolist()), "dtype": value.dtype.str}
    raise InputTypeError(f"A value of type {type(value).__name__} cannot be stored in a model file; numbers, texts and lists can.")


def decoded(value: Any, where: str) -> Any:
    """Return the Python value that `encoded` wrote.

    Examples
    --------
    >>> decoded({"pairs": [["C", {"number": "inf"}], [1, {"tuple": [0.5, None]}]]}, "params")
    {'C': inf, 1: (0.5, None)}
    """
    if isinstance(value, list):
        return [decoded(item, where) for item in value]
    if not isinstance(value, dict):
        return value
    keys = set(value)
    if keys == {"number"}:
        return untagged_number(value, where)
    if keys == {"tuple"} and isinstance(value["tuple"], list):
        return tuple(decoded(item, where) for item in value["tuple"])
    if keys == {"pairs"} and isinstance(value["pairs"], list) and all(isinstance(pair, list) and len(pair) == 2 for pair in value["pairs"]):
        return _mapping([(decoded(name, where), decoded(item, where)) for name, item in value["pairs"]], where)
    if keys == {"array", "dtype"}:
        return _small_array(decoded(value["array"], where), value["dtype"], where)
    if keys == {"blueprint", "params"} and isinstance(value["blueprint"], str):
        params = decoded(value["params"], where)
        if isinstance(params, dict) and all(isinstance(name, str) for name in params):
            return Blueprint(value["blueprint"], params)
    raise damaged(where, "has a value of no known kind")


def damaged(where: str, what: str) -> DamagedFileError:
    """Return the error about a part of a model file."""
    return DamagedFileError(f"The model file is damaged or hostile: {where[:80]} {what}. Write it anew with separatrix.save.")


def _mapping(pairs: list[tuple[Any, Any]], where: str) -> dict[Any, Any]:
    if not all(is_scalar(name) for name, _ in pairs) or len(found := dict(pairs)) < len(pairs):
        raise damaged(where, "has a key twice, or one that is none")
    return found


def _small_array(given: Any, dtype: Any, where: str) -> NDArray[Any]:
    if not isinstance(dtype, str) or (dtype not in DTYPES.values() and not re.fullmatch(r"\|O|<U[1-9]\d{0,3}", dtype)):
        raise damaged(where, "has an array of no known type")
    try:
        return np.array(given, dtype=dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise damaged(where, "has an array that its type cannot hold") from error


def _value(value: Any) -> Any:
    """Return a value of a state as JSON; dicts among them are marks of the state's own."""
    if not isinstance(value, dict):
        return encoded(value)
    return {mark: encoded(item) for mark, item in value.items()}


def from_document(node: Any, arrays: dict[str, NDArray[Any]], prefix: str = "") -> State:
    """Return the state that a node describes; what it takes from `arrays` is removed there."""
    where = prefix.rstrip("/") or "the model"
    if not isinstance(node, dict) or node.keys() != {"model", "schema", "params", "values", "arrays", "inside"}:
        raise damaged(where, "lacks its name, parameters, values or arrays")
    if not isinstance(node["model"], str) or type(node["schema"]) is not int:
        raise damaged(where, "has no name or no version")
    for part in ("params", "values", "arrays", "inside"):
        if not isinstance(node[part], dict):
            raise damaged(where, f"has {part} that are no object")
    params = {name: decoded(whole(item, f"{prefix}params/{name}", arrays), prefix + name) for name, item in node["params"].items()}
    values = {name: _value_of(whole(item, prefix + name, arrays), prefix + name) for name, item in node["values"].items()}
    own = {name: _array(name, order, arrays, prefix) for name, order in node["arrays"].items()}
    if own.keys() & values.keys():
        raise damaged(where, f"has {min(own.keys() & values.keys())!r} twice")
    inside = {name: from_document(inner, arrays, f"{prefix}{name}/") for name, inner in node["inside"].items()}
    return State(node["model"], node["schema"], params, own, values, inside)


def _array(name: str, axes: Any, arrays: dict[str, NDArray[Any]], prefix: str) -> NDArray[Any]:
    found = arrays.pop(prefix + name, None)
    if found is None:
        raise damaged(prefix + name, "is announced and not there")
    if axes is None:
        return found
    if not isinstance(axes, list) or any(type(axis) is not int for axis in axes) or sorted(axes) != list(range(found.ndim)):
        raise damaged(prefix + name, "has axes that it cannot have")
    return found.transpose(np.argsort(axes))


def whole(value: Any, name: str, arrays: dict[str, NDArray[Any]]) -> Any:
    """Return a value of JSON, taken from `arrays` where `kept` put it there."""
    if not isinstance(value, dict) or "bytes" not in value:
        return value
    found = arrays.pop(name, None)
    if value != {"bytes": True} or found is None or found.dtype != np.uint8 or found.ndim != 1:
        raise damaged(name, "is announced and not there")
    try:
        return read_json(found.tobytes().decode("ascii"), name)
    except UnicodeDecodeError as error:
        raise damaged(name, "is no text") from error


def _value_of(value: Any, where: str) -> Any:
    if not isinstance(value, dict) or value.keys() == {"number"}:
        return decoded(value, where)
    marks = {mark: decoded(item, where) for mark, item in value.items()}
    match marks:
        case {"labels": list() as labels, "dtype": str() as dtype} if len(marks) == 2 and _can_label(labels, dtype):
            return marks
        case {"record": str(), "fields": list() as names} if len(marks) == 2 and all(isinstance(name, str) for name in names):
            return marks
        case {"items": int() as items} if len(marks) == 1 and 0 <= items <= 100_000 and items is not True:
            return marks
        case {"plain": _} if len(marks) == 1:
            return marks
    raise damaged(where, "is no value that a model can have")


def _can_label(labels: list[Any], dtype: str) -> bool:
    """Return whether labels fit a type, without asking for more memory than about what they take themselves."""
    found = LABEL_TYPES.fullmatch(dtype)
    if found is None:
        return False
    text, raw, unit = found.group(1), found.group(2), found.group(3)
    if unit:
        return all(type(label) is int and abs(label) < 2**63 for label in labels)
    if text is None and raw is None:
        return all(is_scalar(label) for label in labels)
    width = int(text or raw)
    fits = all(isinstance(label, str) and len(label) <= width for label in labels)
    return fits and width * len(labels) <= MOST_TEXT + sum(map(len, labels)) and (text is not None or all(map(_is_latin, labels)))


def _is_latin(text: str) -> bool:
    return all(ord(letter) < 256 for letter in text)
