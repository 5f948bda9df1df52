"""Which columns of a table are its features, and whether all files of a table agree on them.

A table's columns are told by their kinds: "number" (booleans too), "text" (categories too), "date", "time", "null" (no values), or the
name of another type.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..argument_types import is_listed
from ..errors import InputError, InputTypeError, UnknownNameError, did_you_mean


def choose_features(
    kinds: Mapping[str, str], columns: Sequence[str] | None = None, target: str | None = None, weight: str | None = None
) -> tuple[str, ...]:
    """Return the names of the features: `columns` as given, or all columns but target and weight.

    Examples
    --------
    >>> choose_features({"age": "number", "pages": "number", "buys": "text"}, target="buys")
    ('age', 'pages')
    """
    for role, name in (("target", target), ("weight", weight)):
        if name is not None:
            require_column(role, name, kinds)
    if target is not None and kinds[target] not in ("number", "text", "null"):
        raise InputError(
            f"target={target!r} is a column of type {kinds[target]}; labels must be whole numbers, text, categories or booleans. "
            "Store it as text, or cast it in the query."
        )
    if weight is not None and kinds[weight] != "number":
        raise InputError(f"weight={weight!r} is a column of type {kinds[weight]}; weights must be numbers.")
    if columns is None:
        features = tuple(name for name in kinds if name not in (target, weight))
    else:
        features = _given(columns, kinds, {target: "target", weight: "weight"})
    if not features:
        raise InputError(f"No column is left for the features: the table holds {_listed(list(kinds))} only.")
    return features


def _given(columns: Sequence[str], kinds: Mapping[str, str], roles: Mapping[str | None, str]) -> tuple[str, ...]:
    if isinstance(columns, str):
        raise InputTypeError(f"columns={columns!r} must be a list of names; write columns=[{columns!r}].")
    if not is_listed(columns):
        raise InputTypeError(f"columns={columns!r:.60} must be a list of names, such as columns={list(kinds)[:1]!r}.")
    columns = tuple(columns)
    seen: set[str] = set()
    for name in columns:
        require_column("columns", name, kinds)
        if name in roles:
            raise InputError(f"Column {name!r} is the {roles[name]} and cannot be a feature too; leave it out of columns.")
        if name in seen:
            raise InputError(f"Column {name!r} is listed twice in columns; list every feature once.")
        seen.add(name)
    return columns


def require_column(role: str, name: Any, kinds: Collection[str]) -> None:
    """Raise an error for the name of a column that the table does not have."""
    if not isinstance(name, str) or name not in kinds:
        known = list(kinds)
        raise UnknownNameError(f"Column {name!r} (in {role}) is not in the table.{did_you_mean(name, known)} It holds {_listed(known)}.")


def require_name(role: str, name: Any) -> None:
    """Raise an error for a target or weight that is no name of a column."""
    if not (name is None or isinstance(name, str)):
        raise InputTypeError(f"{role}={name!r:.60} must be the name of a column, as text.")


def refuse_text(features: Sequence[str], kinds: Mapping[str, str]) -> None:
    """Raise an error where a feature is not made of numbers.

    Examples
    --------
    >>> refuse_text(["age"], {"age": "number", "town": "text"})
    """
    text = [name for name in features if kinds[name] != "number"]
    if text:
        rest = [name for name in features if kinds[name] == "number"]
        raise InputError(
            f"{_holds(text, kinds)}, where numbers are needed; could not convert to numbers. Pass columns=[…] to name features of "
            f"numbers{_instead(rest)}, or let TablePrep make numbers of all columns: make_pipeline(TablePrep(), model)."
        )


def refuse_other_kinds(features: Sequence[str], kinds: Mapping[str, str], possible: Sequence[str]) -> None:
    """Raise an error where a feature is of a kind that no table of columns holds, such as a list."""
    other = [name for name in features if kinds[name] not in possible]
    if other:
        rest = [name for name in features if kinds[name] in possible]
        raise InputError(
            f"{_holds(other, kinds)}, which is neither numbers nor text nor dates. Write such columns as one of these, or pass columns=[…] "
            f"to leave them out{_instead(rest)}."
        )


def _holds(names: Sequence[str], kinds: Mapping[str, str]) -> str:
    words = {"date": "dates", "time": "times", "null": "no values"}
    held = " or ".join(sorted({words.get(kinds[name], kinds[name]) for name in names}))
    return f"Column{'s' * (len(names) > 1)} {_listed(names)} hold{'s' * (len(names) == 1)} {held}"


def _instead(names: Sequence[str]) -> str:
    return f", for instance columns=[{_listed(names)}]" if names else ""


def refuse_differences(schemas: Mapping[str, Any], used: Sequence[str] | None = None, target: str | None = None) -> None:
    """Raise an error that names the first file whose columns differ from those of the first file.

    Parameters
    ----------
    schemas : by file, something with `names` and `field(name).type`
    used : the columns to compare, all if not given
        The order of the columns may differ: they are read by name.
    target : the column of the labels
    """
    from .files.arrow_types import agreed  # not above: frames need this file, and no Arrow

    (first, expected), *others = schemas.items()
    known = expected.names if used is None else used
    for file, schema in others:
        names = set(schema.names)
        for name in known:
            there, here = schema.field(name).type if name in names else None, expected.field(name).type
            if there is None or agreed(here, there) is None:
                _differ(name, first, str(here), file, str(there or "missing"), name == target)
        extra = sorted(names.difference(known), key=schema.names.index) if used is None else []
        if extra:
            _differ(extra[0], first, "missing", file, str(schema.field(extra[0]).type), False)


def _differ(name: str, first: str, expected: str, file: str, there: str, is_target: bool) -> None:
    raise InputError(
        f"The files differ in column {name!r}: {expected} in {first!r}, {there} in {file!r}. Write all files with the same columns "
        f"and types{'' if is_target else ', or name the columns they share: columns=[…]'}."
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names[:8]) + (", …" if len(names) > 8 else "")
