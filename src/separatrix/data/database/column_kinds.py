"""What the columns of a query hold: "number", "boolean", "text", "date", "instant" (a time with its zone), or the name of another type.

Drivers describe columns by codes of their database. Models know fewer kinds (`as_read`): booleans are numbers, and an instant is the date
and time that clocks showed in UTC then, as it is in frames and files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..files.arrow_types import kind_of
from . import sql
from .sql import Expression

_POSTGRES = {16: "boolean", 1082: "date", 1114: "date", 1184: "instant"}
_POSTGRES |= dict.fromkeys((20, 21, 23, 700, 701, 1700), "number") | dict.fromkeys((18, 19, 25, 1042, 1043), "text")
"""Numbers of PostgreSQL's own types, the same in every installation (catalogue pg_type)."""


def as_read(kinds: Mapping[str, str]) -> dict[str, str]:
    """Return the kinds of columns as those who read them know them.

    Examples
    --------
    >>> as_read({"buys": "boolean", "since": "instant", "town": "text"})
    {'buys': 'number', 'since': 'date', 'town': 'text'}
    """
    return {name: {"boolean": "number", "instant": "date"}.get(kind, kind) for name, kind in kinds.items()}


def of_arrow(type_: Any) -> str:
    """Return the kind of an Arrow type."""
    if str(type_) == "bool":
        return "boolean"
    return "instant" if getattr(type_, "tz", None) is not None else kind_of(type_)


def of_postgres(code: int, others: Mapping[int, str]) -> str:
    """Return the kind of a type of PostgreSQL; those that an installation has besides are told by its catalogue."""
    return _POSTGRES.get(code) or others.get(code, f"type {code}")


def other_types(codes: Iterable[Any]) -> Expression | None:
    """Return the question to PostgreSQL's catalogue for types that are not known here; None where all are."""
    unknown = sorted({code for code in codes if isinstance(code, int) and code not in _POSTGRES})
    if not unknown:
        return None
    number = sql.column("oid")
    told = {"oid": number, "name": sql.call("format_type", number, sql.null()), "category": sql.column("typcategory")}
    return sql.select(told, sql.table(["pg_catalog", "pg_type"]), sql.among(number.copy(), [sql.integer(code) for code in unknown]))


def kinds_told(rows: Iterable[tuple[Any, ...]]) -> dict[int, str]:
    """Return what the catalogue answers: enumerations and texts of other kinds are text, all others have their name.

    Examples
    --------
    >>> kinds_told([(16610, "mood", "E"), (16700, "citext", "S"), (142, "xml", "U")])
    {16610: 'text', 16700: 'text', 142: 'xml'}
    """
    return {int(code): "text" if category in ("E", "S") else str(name) for code, name, category in rows}
