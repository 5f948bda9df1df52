"""The columns of a user's query, and its classes: a query that counts them, and reads no other column but the weights."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...array_types import Ints
from ...errors import DatabaseError, InputError, short_text
from ..labels import check_labels, find_classes
from . import sql
from .connection import Connection
from .sql import Dialect, Expression

MOST_SUMS = 4096
"""Sums of one query: to plan more takes DuckDB longer than another look at the rows (12 s for 45,150 of them, 0.5 s for 5,050)."""
MARGIN = 16
"""Columns of a query besides the sums: label, fold, counts."""


@dataclass(frozen=True, slots=True)
class QueryColumns:
    """What is read of a user's query.

    Parameters
    ----------
    given : the query as a table to select from
    dialect : what the database speaks
    features : names of the columns
    kinds : kind of every column of the query, by name
    target, weight : names, or None
    """

    given: Expression
    dialect: Dialect
    features: tuple[str, ...]
    kinds: dict[str, str]
    target: str | None
    weight: str | None

    def value(self, name: str) -> Expression:
        """Return a column as a double; text as text, and dates as they are."""
        column, kind = sql.column(name), self.kinds[name]
        if kind == "boolean":  # PostgreSQL has no cast from booleans to doubles
            return sql.case(
                [(column, sql.cast(sql.integer(1), "double")), (sql.negation(column), sql.cast(sql.integer(0), "double"))], sql.null()
            )
        if kind == "instant":
            return instant(column, self.dialect)
        if kind == "date":
            return sql.cast(column, "timestamp")
        return sql.cast(column, "text" if kind == "text" else "double")

    def label(self) -> Expression:
        """Return the labels as they are compared: text as text (not as one of PostgreSQL's enumerations), booleans as 0 and 1."""
        assert self.target is not None
        column, kind = sql.column(self.target), self.kinds[self.target]
        if kind == "boolean":
            return sql.case([(column, sql.integer(1)), (sql.negation(column), sql.integer(0))], sql.null())
        return sql.cast(column, "text") if kind == "text" else column

    def rows(self, also: Expression | None = None, with_features: bool = True) -> Expression:
        """Return the query for the columns x0, x1, …, the label y, the weight w, and another value f."""
        columns = {f"x{j}": self.value(name) for j, name in enumerate(self.features)} if with_features else {}
        columns |= {"y": self.label()} if self.target is not None else {}
        columns |= {"w": self.value(self.weight)} if self.weight is not None else {}
        columns |= {"f": also} if also is not None else {}
        return sql.select(columns, self.given.copy())


@dataclass(frozen=True, slots=True, eq=False)
class QueryClasses:
    """The classes of a query and their rows.

    Attributes
    ----------
    classes : (K,) sorted labels
    labels : the same as they stand in queries
    sizes : (K,) numbers of rows
    unlabelled : number of rows without a label
    """

    classes: NDArray[Any]
    labels: tuple[Any, ...]
    sizes: Ints
    unlabelled: int

    @property
    def n_rows(self) -> int:
        """Number of rows that have a label."""
        return int(self.sizes.sum())


def widest(dialect: Dialect) -> int:
    """Return how many sums one query has at most."""
    return min(MOST_SUMS, dialect.columns - MARGIN)


def parts_of(n: int, dialect: Dialect, each: int = 1) -> Iterator[slice]:
    """Yield the parts of n things of which each takes so many columns: as few queries as the database allows.

    Examples
    --------
    >>> list(parts_of(4000, sql.dialect_of("postgres")))
    [slice(0, 1648, None), slice(1648, 3296, None), slice(3296, 4000, None)]
    """
    step = widest(dialect) // each
    return (slice(begin, min(begin + step, n)) for begin in range(0, n, step))


def take_classes(connection: Connection, columns: QueryColumns) -> QueryClasses:
    """Ask for the classes and their rows; weights that cannot be used are refused."""
    w, one, nothing = sql.column("w"), sql.integer(1), sql.integer(0)
    counted: dict[str, Expression] = {"y": sql.column("y"), "n": count()}
    if columns.weight is not None:
        finite = sql.call("sum", sql.case([(is_finite(w, connection.dialect), one)], nothing))
        counted |= {"finite": finite, "least": sql.call("min", w), "most": sql.call("max", w)}
    rows = columns.rows(with_features=False)
    query = sql.select(counted, sql.table("rows"), None, [sql.column("y")], {"rows": rows})
    found = {plain(row[0]): row[1:] for row in connection.fetch(sql.written(query, connection.dialect))}
    labels = [label for label in found if label is not None]
    if not found:
        raise InputError(f"The query {short_text(connection.name)} returns no rows; at least one is needed.")
    _require_finite_labels(columns, found)
    if not labels:
        raise InputError(f"No row of the query has a label: column {columns.target!r} holds missing values only; name another as target.")
    if columns.weight is not None:
        _require_weights(columns.weight, list(found.values()))
    classes, order = _sorted(labels, columns)
    sizes = np.array([int(found[label][0]) for label in order], dtype=np.int64)
    return QueryClasses(classes, tuple(order), sizes, int(found[None][0]) if None in found else 0)


def _require_finite_labels(columns: QueryColumns, found: dict[Any, tuple[Any, ...]]) -> None:
    """Raise an error that says how many labels are NaN or infinite."""
    bad = sum(int(own[0]) for label, own in found.items() if isinstance(label, float) and not math.isfinite(label))
    if bad:
        y = sql.quoted(str(columns.target), columns.dialect)
        raise InputError(
            f"Input y contains NaN or infinity: column {columns.target!r} holds such in {number_of_rows(bad)}. Leave them out: … WHERE {y} "
            "BETWEEN -1e308 AND 1e308."
        )


def _require_weights(weight: str, found: Sequence[tuple[Any, ...]]) -> None:
    bad = sum(int(own[0]) - int(own[1]) for own in found)
    least = min((float(own[2]) for own in found if own[2] is not None), default=0.0)
    if bad or least < 0:
        what = f"misses a finite value in {number_of_rows(bad)}" if bad else f"holds {least:g}"
        raise InputError(f"The column of weights, {weight!r}, {what}; weights are frequencies, finite and ≥ 0, and 0 leaves a row out.")
    if not any(float(own[3]) > 0 for own in found):
        raise InputError(f"All weights in column {weight!r} are zero, so no row would count; give at least some rows a positive weight.")


def _sorted(labels: list[Any], columns: QueryColumns) -> tuple[NDArray[Any], list[Any]]:
    """Return the classes, sorted, and the labels in the same order as they stand in queries."""
    assert columns.target is not None
    if columns.kinds[columns.target] == "boolean":
        order = sorted(labels)
        return np.array([bool(label) for label in order]), order
    if all(isinstance(label, str) for label in labels):
        given = np.empty(len(labels), dtype=object)
        given[:] = labels
    else:
        _require_64_bits(labels, columns)
        given = check_labels(np.array(labels))
    classes = find_classes(given)
    by_label = {label: label for label in labels}
    return classes, [by_label[label] for label in classes.tolist()]


def _require_64_bits(labels: list[Any], columns: QueryColumns) -> None:
    """Raise an error for whole numbers that no array holds."""
    whole = [label for label in labels if isinstance(label, int)]
    least, most = min(whole, default=0), max(whole, default=0)
    if least < -(2**63) or most >= 2**64 or (least < 0 and most >= 2**63):
        raise InputError(
            f"Column {columns.target!r}, the target, holds {short_text(least if least < -(2**63) else most)}, which is more than 64 "
            f"bits; make it text: CAST({sql.quoted(str(columns.target), columns.dialect)} AS VARCHAR)."
        )


def plain(value: Any) -> Any:
    """Return a label as Python's own number or text: whole decimals are whole numbers, and bytes are text that SQLite was told to give so.

    Examples
    --------
    >>> plain(Decimal("3")), plain(b"a"), plain(None)
    (3, 'a', None)
    """
    if isinstance(value, Decimal):
        return int(value) if value.is_finite() and value == value.to_integral_value() else float(value)
    return value.decode() if isinstance(value, bytes) else value


def number_of_rows(n: int) -> str:
    """Return how many rows, in words.

    Examples
    --------
    >>> number_of_rows(1), number_of_rows(2000)
    ('1 row', '2,000 rows')
    """
    return f"{n:,} row{'s' * (n != 1)}"


def number(value: Any) -> float:
    """Return a number of a query as a float, NaN where it is missing."""
    return float("nan") if value is None else float(value)


def label_of(label: Any, dialect: Dialect) -> Expression:
    """Return a label as a constant."""
    if isinstance(label, str):
        return sql.text(label, dialect)
    return (
        sql.integer(int(label))
        if float(label).is_integer() and not isinstance(label, float)
        else sql.cast(sql.number(label, dialect), "double")
    )


def instant(column: Expression, dialect: Dialect) -> Expression:
    """Return a time with its zone as clocks showed it in UTC, whatever the zone of the session: as it is in frames and files."""
    if dialect.name == "duckdb":  # whose zones are an extension, which may not be there
        return sql.call("make_timestamp", sql.call("epoch_us", column))
    return sql.at_utc(column, dialect)


def count() -> Expression:
    """Return the number of rows."""
    return sql.call("count", sql.every_column())


def is_finite(part: Expression, dialect: Dialect) -> Expression:
    """Return whether a number is there and finite: NaN is greater than every number, or compared with none."""
    return sql.operation("<=", sql.call("abs", part), sql.number(float(np.finfo(np.float64).max), dialect))


def changed(connection: Connection) -> DatabaseError:
    """Return the error for rows that are not those of the query before."""
    return DatabaseError(
        f"The rows of {short_text(connection.name)} have changed since the table was opened; open it again, in a transaction of its own "
        "(REPEATABLE READ) or while no one writes to them."
    )
