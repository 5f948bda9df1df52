"""The columns of a user's query, and the pilot: one query that finds the classes, the gaps and about where the columns lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..array_types import Floats, Ints
from ..errors import DatabaseError, InputError
from . import sql
from .database_connection import Connection
from .labels import check_labels, find_classes
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
    features : names of the columns
    kinds : kind of every column of the query, by name
    target, weight : names, or None
    """

    given: Expression
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

    def rows(self, also: Expression | None = None) -> Expression:
        """Return the query for the columns x0, x1, …, the label y, the weight w, and another value f."""
        columns = {f"x{j}": self.value(name) for j, name in enumerate(self.features)}
        columns |= {"y": self.label()} if self.target is not None else {}
        columns |= {"w": self.value(self.weight)} if self.weight is not None else {}
        columns |= {"f": also} if also is not None else {}
        return sql.select(columns, self.given.copy())


@dataclass(frozen=True, slots=True, eq=False)
class Pilot:
    """What the first query tells.

    Attributes
    ----------
    classes : (K,) sorted labels
    labels : the same as they stand in the queries
    sizes : (K,) numbers of rows
    counts : (K,) sums of weights
    rows : (K,) numbers of rows that have a weight
    means : (K, p), of rows as such; NaN where a value is NaN or all are missing
    gaps : (K, p) numbers of rows whose value is missing
    unlabelled : number of rows without a label
    """

    classes: NDArray[Any]
    labels: tuple[Any, ...]
    sizes: Ints
    counts: Floats
    rows: Ints
    means: Floats
    gaps: Ints
    unlabelled: int

    @property
    def n_rows(self) -> int:
        """Number of rows that have a label."""
        return int(self.sizes.sum())

    def only(self, columns: Sequence[int]) -> Pilot:
        """Return the pilot of some columns."""
        chosen = list(columns)
        means, gaps = self.means[:, chosen], self.gaps[:, chosen]
        return Pilot(self.classes, self.labels, self.sizes, self.counts, self.rows, means, gaps, self.unlabelled)


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


def take_pilot(connection: Connection, columns: QueryColumns) -> Pilot:
    """Ask for the classes, their rows and weights, and the means and gaps of the columns."""
    p = len(columns.features)
    with connection.snapshot():
        found = [_part(connection, columns, range(p)[part]) for part in parts_of(p, connection.dialect, 2)]
    labels = [label for label in found[0] if label is not None]
    if any(set(part) != set(found[0]) or any(part[y][:4] != found[0][y][:4] for y in part) for part in found):
        raise changed(connection)
    if None in found[0] and not labels:
        raise InputError(f"No row of the query has a label: column {columns.target!r} holds missing values only; name another as target.")
    if not labels:
        raise InputError(f"The query {connection.name!r:.60} returns no rows; at least one is needed.")
    _require_weights(columns.weight, found[0])
    classes, order = _sorted(labels, columns)
    about = [found[0][label] for label in order]
    sizes = np.array([own[0] for own in about], dtype=np.int64)
    sums = [np.concatenate([part[label][4] for part in found], axis=1) for label in order]
    return Pilot(
        classes,
        tuple(order),
        sizes,
        np.array([own[1] for own in about], dtype=np.float64),
        np.array([own[2] for own in about], dtype=np.int64),
        np.array([own[0] for own in sums], dtype=np.float64),
        sizes[:, None] - np.array([own[1] for own in sums]).astype(np.int64),
        int(found[0][None][0]) if None in found[0] else 0,
    )


def _part(connection: Connection, columns: QueryColumns, features: range) -> dict[Any, tuple[Any, ...]]:
    """Return, by label, rows, weight, rows that have a weight, the smallest weight, and (2, p) means and numbers of values."""
    w, one, nothing = sql.column("w"), sql.integer(1), sql.integer(0)
    counted: dict[str, Expression] = {"n": count()}
    if columns.weight is not None:
        has = sql.call("sum", sql.case([(sql.operation(">", w, nothing), one)], nothing))
        finite = sql.call("sum", sql.case([(is_finite(w, connection.dialect), one)], nothing))
        counted |= {"total": sql.call("sum", w), "has": has, "least": sql.call("min", w), "finite": finite}
    for j in features:
        counted |= {f"m{j}": sql.call("avg", sql.column(f"x{j}")), f"c{j}": sql.call("count", sql.column(f"x{j}"))}
    query = sql.select({"y": sql.column("y"), **counted}, sql.table("rows"), None, [sql.column("y")], {"rows": columns.rows()})
    found = {}
    for row in connection.fetch(sql.written(query, connection.dialect)):
        label, n = plain(row[0]), int(row[1])
        weights = (
            (n, float(n), n, (1.0, n)) if columns.weight is None else (n, _number(row[2]), int(row[3]), (_number(row[4]), int(row[5])))
        )
        sums = row[2 if columns.weight is None else 6 :]
        found[label] = (*weights, np.array([[_number(v) for v in sums[::2]], [int(v) for v in sums[1::2]]]))
    return found


def _require_weights(weight: str | None, found: dict[Any, tuple[Any, ...]]) -> None:
    if weight is None:
        return
    least, finite = min(own[3][0] for own in found.values()), sum(own[3][1] for own in found.values())
    bad = sum(own[0] for own in found.values()) - finite
    if bad or least < 0:
        what = f"misses a finite value in {bad} rows" if bad else f"holds {least:g}"
        raise InputError(f"The column of weights, {weight!r}, {what}; weights are frequencies, finite and ≥ 0, and 0 leaves a row out.")
    if not sum(own[1] for own in found.values()) > 0:
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
        given = check_labels(np.array(labels))
    classes = find_classes(given)
    by_label = {label: label for label in labels}
    return classes, [by_label[label] for label in classes.tolist()]


def plain(value: Any) -> Any:
    """Return a label as Python's own number or text: whole decimals are whole numbers.

    Examples
    --------
    >>> plain(Decimal("3")), plain("a"), plain(None)
    (3, 'a', None)
    """
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)


def count() -> Expression:
    """Return the number of rows."""
    return sql.call("count", sql.every_column())


def is_finite(part: Expression, dialect: Dialect) -> Expression:
    """Return whether a number is there and finite: NaN is greater than every number, or compared with none."""
    return sql.operation("<=", sql.call("abs", part), sql.number(float(np.finfo(np.float64).max), dialect))


def changed(connection: Connection) -> DatabaseError:
    """Return the error for rows that are not those of the query before."""
    return DatabaseError(
        f"The rows of {connection.name!r:.60} have changed since the table was opened; open it again, in a transaction of its own "
        "(REPEATABLE READ) or while no one writes to them."
    )
