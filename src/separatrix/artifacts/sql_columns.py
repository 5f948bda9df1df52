"""Columns of text and dates in SQL: numbers as people write them, and days since 1970."""

from __future__ import annotations

from ..data.database import sql
from ..data.database.sql import Dialect, Expression
from ..errors import InputError
from ..prepare.written_dates import ISO
from ..prepare.written_numbers import MONEY, SWITCHES

DAY = 86_400.0
GAP = "[\\s\u00a0\u202f'’]"
"""What people put between thousands beside a comma or point."""
YEAR = "(?:000[1-9]|00[1-9]\\d|0[1-9]\\d\\d|[1-9]\\d{3})"
LEAP = "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)"
DAY_OF_MONTH = "(?:(?:0[13578]|1[02])-31|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[1-9]|1[0-2])-(?:0[1-9]|1\\d|2[0-8]))"
ZONE = "(?:Z|[+-](?:0\\d|1[0-4])(?::?[0-5]\\d)?)"
TIME = f"(?:[T ](?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d{{1,6}})?)?{ZONE}?)?"
DATE = f"^(?:{YEAR}-{DAY_OF_MONTH}|{LEAP}-02-29){TIME}$"
"""A day of the calendar in ISO 8601, with a time or without."""


def read_number(text: Expression, decimal: str, dialect: Dialect) -> Expression:
    """Return the number that a text stands for, as `WrittenNumbers` reads it: first with the column's decimal mark, then with the other."""
    if not dialect.has_patterns:
        raise InputError(
            f"A column of this model holds numbers written as text, and {dialect.name} has no regular expressions to read them with; make "
            "it a column of numbers before the fit, or export to Python."
        )
    dash = sql.replaced(text, "\u2212", "-")
    marks = (decimal, "," if decimal == "." else ".")
    branches = [pair for mark in marks for pair in _read(dash, mark, dialect)]
    lower = sql.call("lower", text.copy())
    for value in (1.0, 0.0):
        words = [sql.text(word, dialect) for word, stands_for in SWITCHES.items() if stands_for == value]
        branches.append((sql.among(lower.copy(), words), sql.number(value, dialect)))
    return sql.case(branches, sql.cast(sql.null(), "double"))


def _read(text: Expression, mark: str, dialect: Dialect) -> list[tuple[Expression, Expression]]:
    """Return the branches of a CASE for one decimal mark: numbers in brackets, and others."""
    thousands = "," if mark == "." else "."
    part, every = ("\\.", ",") if mark == "." else (",", "\\.")
    digits = f"(?:\\d{{1,3}}(?:{every}\\d{{3}})+|\\d+(?:{GAP}\\d{{3}})*)(?:{part}\\d*)?(?:[eE][+-]?\\d+)?|{part}\\d+(?:[eE][+-]?\\d+)?"
    core = f"([+-]?)\\s*(?:{MONEY}\\s*)?([+-]?)\\s*(?:{MONEY}\\s*)?({digits})(?:\\s*(?:{MONEY}|%))?"
    found = []
    for pattern, sign in ((f"(?i)^{core}$", 1.0), (f"(?i)^\\(\\s*{core}\\s*\\)$", -1.0)):
        bare = sql.group_of(text.copy(), pattern, [3], dialect)
        for gap in (thousands, " ", "\u00a0", "\u202f", "'", "’", "\t"):
            bare = sql.replaced(bare, gap, "")
        bare = bare if mark == "." else sql.replaced(bare, ",", ".")
        minus = sql.among(sql.group_of(text.copy(), pattern, [1, 2], dialect), [sql.text(own, dialect) for own in ("-", "+-", "-+")])
        signed = sql.case([(minus, sql.number(-sign, dialect))], sql.number(sign, dialect))
        value = sql.operation("*", signed, sql.cast(bare, "double"))
        found.append((sql.matches(text.copy(), pattern, dialect), value))
    return found


def days_of(date: Expression, written: str, dialect: Dialect) -> Expression:
    """Return days since 1970 of a date, or of a text in ISO 8601."""
    if written not in ("", ISO):
        raise InputError(
            f"A column of this model holds dates written as {written}, which {dialect.name} cannot read exactly; make it a column of "
            "dates before the fit, or export to Python."
        )
    found = _days(date, bool(written), dialect)
    return sql.case([(_is_date(date.copy(), dialect), found)], sql.cast(sql.null(), "double")) if written else found


def _is_date(text: Expression, dialect: Dialect) -> Expression:
    """Return whether a text is a day of the calendar, with a time or without: databases read, or refuse, others in ways of their own."""
    if dialect.has_patterns:
        return sql.matches(text, DATE, dialect)
    if dialect.name != "sqlite":
        return sql.is_there(text)
    day = sql.call("SUBSTR", text, sql.integer(1), sql.integer(10))
    # strftime takes "now" and February 30 too, which becomes a day of March once days are added.
    again = sql.call("strftime", sql.text("%Y-%m-%d", dialect), day, sql.text("+0 days", dialect))
    return sql.operation("=", again, day.copy())


def _days(date: Expression, is_text: bool, dialect: Dialect) -> Expression:
    name, day = dialect.name, sql.number(DAY, dialect)
    micro = sql.number(DAY * 1e6, dialect)
    if name == "sqlite":
        whole, part = sql.call("strftime", sql.text("%s", dialect), date), sql.call("strftime", sql.text("%f", dialect), date.copy())
        second = sql.call("strftime", sql.text("%S", dialect), date.copy())
        seconds = sql.operation("+", sql.cast(whole, "double"), sql.operation("-", sql.cast(part, "double"), sql.cast(second, "double")))
        return sql.operation("/", seconds, day)
    if name == "tsql":
        origin = sql.cast(sql.text("1970-01-01", dialect), "timestamp")
        stamp = sql.cast(date, "timestamp", attempt=True) if is_text else date
        return sql.operation("/", sql.call("DATEDIFF_BIG", sql.word("MICROSECOND"), origin, stamp), micro)
    stamp = sql.cast(date, "timestamp", attempt=is_text)
    if is_text and name in ("duckdb", "postgres"):  # whose timestamps leave the zone aside
        zoned = sql.matches(date.copy(), f":.*{ZONE}$", dialect)
        return sql.case([(zoned, _since(sql.cast(date.copy(), "instant", attempt=True), dialect))], _since(stamp, dialect))
    return _since(stamp, dialect)


def _since(stamp: Expression, dialect: Dialect) -> Expression:
    """Return days since 1970 of a timestamp."""
    name, micro = dialect.name, sql.number(DAY * 1e6, dialect)
    if name == "postgres":
        return sql.operation("/", sql.cast(sql.epoch(stamp), "double"), sql.number(DAY, dialect))
    if name == "snowflake":
        return sql.operation("/", sql.call("DATE_PART", sql.word("EPOCH_MICROSECOND"), stamp), micro)
    call = "EPOCH_US" if name == "duckdb" else "UNIX_MICROS"
    return sql.operation("/", sql.call(call, stamp), micro)
