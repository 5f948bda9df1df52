"""Folds of rows by the md5 of a key, in SQL: :mod:`separatrix.data.key_hash` has the definition, and the same in Python."""

from __future__ import annotations

from ...errors import InputError
from ..features import require_column
from ..key_hash import DIGITS
from ..sum_engine import KeyFolds, NotSummed
from . import sql
from .columns import QueryColumns, count, instant, number_of_rows
from .connection import Connection
from .sql import Dialect, Expression

KINDS = ("number", "text", "boolean", "date", "instant", "uuid")
"""Kinds of columns whose text is the same in every database."""
FIRST_DAY, LAST_DAY = "0001-01-01", "9999-12-31"
"""Days between which years have four digits everywhere."""
LARGEST = 1e38
"""Whole numbers below it are exact decimals of 38 digits."""


def key_text(key: str, kind: str, dialect: Dialect) -> Expression:
    """Return the text of a key; numbers must be whole and dates days, which :func:`require_keys` sees to."""
    column = sql.column(key)
    if kind not in KINDS:
        raise InputError(
            f"Column {key!r}, the key, is of kind {kind}; a key is whole numbers, text, booleans or days: cast it in the query."
        )
    if kind == "number":
        return sql.cast(sql.cast(column, "integer" if dialect.name == "sqlite" else "whole"), "text")
    if kind in ("date", "instant"):
        return sql.day_text(_time(column, kind, dialect), dialect)
    return sql.cast(column, "text")


def _time(column: Expression, kind: str, dialect: Dialect) -> Expression:
    return instant(column, dialect) if kind == "instant" else sql.cast(column, "timestamp")


def fold_of(folds: KeyFolds, kind: str, dialect: Dialect) -> Expression:
    """Return the fold of a row."""
    if kind not in KINDS:
        raise NotSummed(f"Keys of kind {kind} are not the same text in every database.")
    seeded = sql.operation("||", sql.text(f"{folds.seed}:", dialect), key_text(folds.key, kind, dialect))
    if dialect.name == "postgres":  # which would hash the bytes of the encoding that the database has
        seeded = sql.call("convert_to", seeded, sql.text("UTF8", dialect))
    digits = sql.call("substr", sql.call("md5", seeded), sql.integer(1), sql.integer(DIGITS))
    if dialect.name == "duckdb":
        number = sql.cast(sql.operation("||", sql.text("0x", dialect), digits), "integer")
    elif dialect.name == "postgres":
        number = sql.cast(sql.cast(sql.operation("||", sql.text("x0", dialect), digits), "bits"), "integer")
    else:
        raise NotSummed(f"{dialect.name} has no md5.")
    return sql.operation("%", number, sql.integer(folds.n_splits))


def require_keys(connection: Connection, columns: QueryColumns, folds: KeyFolds) -> None:
    """Raise an error where a row has no key, or one that is neither a whole number nor a whole day."""
    require_column("the key of the folds", folds.key, columns.kinds)
    key, kind, dialect = sql.column(folds.key), columns.kinds[folds.key], connection.dialect
    bad, what = sql.is_null(key), "misses a value"
    if kind == "number":
        value = sql.cast(key, "double")
        small = sql.operation("<", sql.call("abs", value), sql.number(LARGEST, dialect))  # NaN is not small
        bad = sql.operation("or", bad, sql.negation(small), sql.operation("<>", value, sql.call("floor", value)))
        what = "misses a value, or holds a fraction or no finite number below 1e38,"
    elif kind in ("date", "instant"):
        time = _time(key, kind, dialect)
        first, last = (sql.cast(sql.text(day, dialect), "timestamp") for day in (FIRST_DAY, LAST_DAY))
        midnight = sql.cast(sql.cast(time.copy(), "date"), "timestamp")
        bad = sql.operation(
            "or", bad, sql.operation("<", time, first), sql.operation(">", time.copy(), last), sql.operation("<>", time.copy(), midnight)
        )
        what = "misses a value, or holds a time of day or a year beyond 1 to 9999,"
    query = sql.select({"n": count()}, columns.given.copy(), bad)
    [(n,)] = connection.fetch(sql.written(query, dialect))
    if n:
        raise InputError(
            f"Column {folds.key!r}, the key of the folds, {what} in {number_of_rows(n)}; a key is whole numbers, text, booleans or days, "
            "and every row has one. Name another column, or cast it in the query."
        )
