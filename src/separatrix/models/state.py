"""What a fitted model is, as arrays and plain values: the base of saving, loading, exporting and comparing. Needs no scikit-learn.

Law: restore(state(m)) == m. Nothing in a state can run code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, short_text

SCHEMA = 1
"""Raised when the meaning of a stored field changes."""


@dataclass(frozen=True, eq=False)
class State:
    """A model's class, parameters and fitted attributes: arrays by name, and values that JSON can hold.

    Attributes
    ----------
    model : name of the class, one of `registry.PLACES`
    schema : number of this layout
    params : parameters as Python values; an estimator or plan among them is a `Blueprint`
    arrays : fitted attributes that are arrays of numbers or switches, by name
    values : all other fitted attributes
        Plain values stand for themselves. {"labels", "dtype"} is an array of labels, {"record", "fields"} a value with fields of its own,
        which stand beside it as "name.field"; {"items": n} a tuple of such, "name.0" …; {"plain"} a list, tuple or dict of plain values.
    inside : fitted models inside, by the name of the attribute: "estimator_", or "estimators_.0" … of several
    """

    model: str
    schema: int
    params: dict[str, Any]
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    inside: dict[str, State] = field(default_factory=dict)

    @property
    def machines(self) -> tuple[State, ...]:
        """The models of `estimators_`, in their order."""
        return tuple(self.inside[f"estimators_.{i}"] for i in range(sum(name.startswith("estimators_.") for name in self.inside)))

    @property
    def classes(self) -> NDArray[Any] | None:
        """The labels, in the order of scores and posteriors; None where there are none."""
        if "classes_" in self.arrays:
            return self.arrays["classes_"]
        if "classes_" in self.values:
            return labels_of(self.values["classes_"])
        names = [name for name in ("estimator_", "model_", f"steps.{len(self.inside) - 1}") if name in self.inside]
        return self.inside[names[0]].classes if names else None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return False
        return all(same(getattr(self, own.name), getattr(other, own.name)) for own in fields(State))

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Blueprint:
    """An estimator that is not fitted, or a plan: the name of its class, and its parameters."""

    name: str
    params: dict[str, Any]


def same(a: Any, b: Any) -> bool:
    """Return whether two values of states are the same, NaN being equal to NaN."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(np.asarray(a), np.asarray(b), equal_nan=np.asarray(a).dtype.kind == "f")
    return bool(a == b or (isinstance(a, float) and isinstance(b, float) and a != a and b != b))


def pack(model: str, params: dict[str, Any], attributes: Mapping[str, Any]) -> State:
    """Return the state of a model from its parameters and fitted attributes; an attribute that is a state stands inside."""
    state = State(model, SCHEMA, dict(params))
    for key, value in attributes.items():
        if isinstance(value, State):
            state.inside[key] = value
        else:
            _put(state, key, value)
    return state


def _put(state: State, key: str, value: Any) -> None:
    if isinstance(value, np.ndarray) and value.dtype.kind in "OUSM":
        state.values[key] = labels_as_value(value)
    elif isinstance(value, np.ndarray):
        state.arrays[key] = value
    elif is_dataclass(value):
        state.values[key] = {"record": type(value).__name__, "fields": [f.name for f in fields(value)]}
        for f in fields(value):
            _put(state, f"{key}.{f.name}", getattr(value, f.name))
    elif isinstance(value, np.generic):
        state.values[key] = value.item()
    elif is_scalar(value):
        state.values[key] = value
    elif isinstance(value, tuple) and not is_plain(value):
        state.values[key] = {"items": len(value)}
        for i, item in enumerate(value):
            _put(state, f"{key}.{i}", item)
    elif is_plain(value):
        state.values[key] = {"plain": value}
    else:
        hint = "; call densify() first" if hasattr(value, "tocsr") else ""
        raise InputError(f"{key} of type {type(value).__name__} cannot be part of a state: arrays and plain values only{hint}.")


def is_scalar(value: Any) -> bool:
    """Return whether a value is a number, a text, a truth value or None."""
    return value is None or isinstance(value, bool | int | float | str | np.generic)


def is_plain(value: Any) -> bool:
    """Return whether a value is made of lists, tuples, dicts and scalars alone."""
    if isinstance(value, list | tuple):
        return all(map(is_plain, value))
    if isinstance(value, dict):
        return all(is_scalar(name) and is_plain(item) for name, item in value.items())
    return is_scalar(value)


def labels_as_value(labels: NDArray[Any]) -> dict[str, Any]:
    """Return an array of texts, dates or objects as a value of a state."""
    dtype = labels.dtype.str
    if labels.dtype.kind == "M":
        return {"labels": labels.astype(np.int64).tolist(), "dtype": dtype}
    if labels.dtype.kind == "S":
        return {"labels": [text.decode("latin-1") for text in labels.tolist()], "dtype": dtype}
    found = [label.item() if isinstance(label, np.generic) else label for label in labels.tolist()]
    odd = [label for label in found if not is_scalar(label)]
    if odd:
        raise InputError(
            f"The label {short_text(odd[0])} is a {type(odd[0]).__name__}, which cannot be part of a state; use text, numbers or "
            "dates of numpy."
        )
    return {"labels": found, "dtype": dtype}


def labels_of(value: dict[str, Any]) -> NDArray[Any]:
    """Return the array of labels that a value of a state describes."""
    dtype, found = np.dtype(value["dtype"]), value["labels"]
    if dtype.kind == "M":
        return np.array(found, dtype=np.int64).view(dtype)
    labels = np.empty(len(found), dtype=dtype)
    labels[:] = [text.encode("latin-1") for text in found] if dtype.kind == "S" else found
    return labels


def unpack(state: State, records: Mapping[str, type]) -> dict[str, Any]:
    """Return the fitted attributes held by a state; `records` are the classes of values that have fields of their own."""
    if state.schema != SCHEMA:
        raise InputError(f"This state has schema {state.schema}; this version of separatrix reads schema {SCHEMA}.")
    keys = [k for k in (*state.values, *state.arrays) if "." not in k]
    return {key: _get(state, key, records) for key in keys}


def _get(state: State, key: str, records: Mapping[str, type]) -> Any:
    if key in state.arrays:
        return state.arrays[key]
    value = state.values[key]
    if isinstance(value, dict) and "labels" in value:
        return labels_of(value)
    if isinstance(value, dict) and "record" in value:
        # By name: a field that came later has its default where a file of an earlier version lacks it.
        return records[value["record"]](**{name: _get(state, f"{key}.{name}", records) for name in value["fields"]})
    if isinstance(value, dict) and "items" in value:
        return tuple(_get(state, f"{key}.{i}", records) for i in range(value["items"]))
    return value["plain"] if isinstance(value, dict) else value
