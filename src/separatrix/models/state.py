"""What a fitted model is, as arrays and plain values: the base of saving, loading and comparing.

Law: restore(state(m)) == m. Nothing in a state can run code.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

SCHEMA = 1
"""Raised when the meaning of a stored field changes."""


@dataclass(frozen=True, eq=False)
class State:
    """A model's class, parameters and fitted attributes: arrays by name, and values that JSON can hold.

    Labels that are strings or Python objects stand in `values` as lists; everything else that is an array stands in `arrays`.
    """

    model: str
    schema: int
    params: dict[str, Any]
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State) or (self.model, self.schema) != (other.model, other.schema):
            return False
        same_values = self.values == other.values and _same(self.params, other.params)
        return same_values and _same(self.arrays, other.arrays)

    __hash__ = None  # type: ignore[assignment]


def _same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return a.keys() == b.keys() and all(
        np.array_equal(np.asarray(a[k]), np.asarray(b[k]), equal_nan=np.asarray(a[k]).dtype.kind == "f") for k in a
    )


def pack(model: str, params: dict[str, Any], attributes: dict[str, Any], name: str = "") -> State:
    """Return the state of a model from its parameters and fitted attributes."""
    state = State(model, SCHEMA, dict(params))
    for key, value in attributes.items():
        _put(state, key, value)
    return state


def _put(state: State, key: str, value: Any) -> None:
    if isinstance(value, np.ndarray) and value.dtype.kind in "OU":
        state.values[key] = {"labels": value.tolist(), "dtype": value.dtype.str}
    elif isinstance(value, np.ndarray):
        state.arrays[key] = value
    elif is_dataclass(value):
        state.values[key] = {"record": type(value).__name__, "fields": [f.name for f in fields(value)]}
        for f in fields(value):
            _put(state, f"{key}.{f.name}", getattr(value, f.name))
    elif isinstance(value, tuple):
        state.values[key] = {"items": len(value)}
        for i, item in enumerate(value):
            _put(state, f"{key}.{i}", item)
    elif isinstance(value, np.generic):
        state.values[key] = value.item()
    elif value is None or isinstance(value, bool | int | float | str):
        state.values[key] = value
    else:
        raise InputError(f"{key} of type {type(value).__name__} cannot be part of a state: arrays and plain values only.")


def unpack(state: State, records: dict[str, type]) -> dict[str, Any]:
    """Return the fitted attributes held by a state; `records` are the classes of values that have fields of their own."""
    if state.schema != SCHEMA:
        raise InputError(f"This state has schema {state.schema}; this version of separatrix reads schema {SCHEMA}.")
    keys = [k for k in (*state.values, *state.arrays) if "." not in k]
    return {key: _get(state, key, records) for key in keys}


def _get(state: State, key: str, records: dict[str, type]) -> Any:
    if key in state.arrays:
        return state.arrays[key]
    value = state.values[key]
    if isinstance(value, dict) and "labels" in value:
        labels = np.empty(len(value["labels"]), dtype=value["dtype"])
        labels[:] = value["labels"]
        return labels
    if isinstance(value, dict) and "record" in value:
        return records[value["record"]](*[_get(state, f"{key}.{name}", records) for name in value["fields"]])
    if isinstance(value, dict) and "items" in value:
        return tuple(_get(state, f"{key}.{i}", records) for i in range(value["items"]))
    return value
