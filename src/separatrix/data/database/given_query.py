"""A user's query as a table to select from: read to see that it is one SELECT which changes nothing, and then wrapped as it was written.

Only the check needs a parser. What is sent is the user's own text, from its first word to its last: printed anew from the tree it may be
another query. SQLite's CAST(x AS NUMERIC) would become CAST(x AS REAL), and a column named max(a) one named MAX(a).
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from ...errors import InputError, short_text
from . import sql
from .sql import Dialect, Expression

_CHANGING = (exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Drop, exp.Create, exp.Command, exp.Into, exp.Lock)
_NUMBERED = re.compile(r":\d+$")
"""What SQLite adds to the second column of one name."""


def subquery(query: str, dialect: Dialect, alias: str = "rows", is_repeated: bool = False) -> Expression:
    """Return a user's query in brackets, to select from; it must be one SELECT that changes nothing, and draws nothing if it is repeated.

    Examples
    --------
    >>> subquery("select a from t where b > 1; -- all", sql.dialect_of("duckdb")).sql()
    '(select a from t where b > 1) AS "rows"'
    """
    try:
        found = [one for one in _statements(query, dialect) if one is not None and not isinstance(one, exp.Semicolon)]
    except (SqlglotError, RecursionError) as wrong:
        raise InputError(
            f"The query {short_text(query)} cannot be read as SQL of {dialect.name}{_place(wrong)}. Correct it there; values are "
            "written into it, as parameters (?, %s) cannot be passed on. What the database itself reads can be a view there: "
            "SELECT * FROM my_view."
        ) from None
    if len(found) != 1 or not isinstance(found[0], exp.Query):
        kinds = (
            ", ".join("no statement" if isinstance(one, exp.Condition | exp.Alias) else type(one).__name__.upper() for one in found[:3])
            or "nothing"
        )
        raise InputError(f'One SELECT is needed; {short_text(query)} has {kinds}. Pass a single query, such as "SELECT * FROM t".')
    changing = found[0].find(*_CHANGING)
    if changing is not None:
        raise InputError(f"The query holds {type(changing).__name__.upper()}, which changes the database; pass a SELECT that only reads.")
    _refuse_parameters(query, found[0], dialect)
    if is_repeated:
        _refuse_chance(query, found[0], dialect)
    text = _text(query, dialect)
    whole = found[0] if text is None else exp.Var(this=text)
    return exp.Subquery(this=whole, alias=exp.TableAlias(this=exp.Identifier(this=alias, quoted=True)))


def _statements(query: str, dialect: Dialect) -> list[Any]:
    """Return what sqlglot reads; it logs a warning of its own for statements that are no SELECT, which are refused here anyway."""
    log = logging.getLogger("sqlglot")
    before = log.disabled
    log.disabled = True
    try:
        return list(sqlglot.parse(query, read=dialect.name))
    finally:
        log.disabled = before


def _place(wrong: Exception) -> str:
    """Return the words for the place where a query goes wrong, where sqlglot tells it."""
    found: list[dict[str, Any]] = getattr(wrong, "errors", [])
    if not found or not found[0].get("line"):
        return ""
    read = " ".join(f"{found[0]['start_context']}{found[0]['highlight']}".split())
    return f": line {found[0]['line']}, at the end of {short_text(read[-40:])}"


def _refuse_parameters(query: str, tree: Any, dialect: Dialect) -> None:
    """Raise an error for ?, %s, :name and $1, which other dialects than these have for variables."""
    kinds = (exp.Placeholder, exp.Parameter) if dialect.name in ("duckdb", "postgres", "sqlite") else (exp.Placeholder,)
    found = tree.find(*kinds)
    if found is not None:
        raise InputError(
            f"The query {short_text(query)} holds a parameter, {found.sql(dialect=dialect.name)}, and parameters cannot be passed on; "
            "write its value into the query."
        )


def _refuse_chance(query: str, tree: Any, dialect: Dialect) -> None:
    """Raise an error for rows that are drawn: each query of a fit would see others. A sample with a seed is the same each time."""
    drawn = tree.find(exp.Rand, exp.Randn) or next((one for one in tree.find_all(exp.TableSample) if one.args.get("seed") is None), None)
    if drawn is not None:
        how = drawn.sql(dialect=dialect.name).strip()
        raise InputError(
            f"The query {short_text(query)} draws at random ({how}), and a fit asks it several times; store "
            "what it draws once, CREATE TEMPORARY TABLE drawn AS …, and select from that, or choose rows by a hash of a key."
        )


def _text(query: str, dialect: Dialect) -> str | None:
    """Return the query as it was written, without what stands around it; None where it is printed from the tree instead.

    So it is where a semicolon is left, in a text or a comment: should the database take texts to end elsewhere than the parser does, a
    second statement could hide there. T-SQL wants the queries of a WITH in front of the whole, where printing puts them.
    """
    tokens = sqlglot.tokenize(query, read=dialect.name)
    words = [token for token in tokens if token.token_type != sqlglot.TokenType.SEMICOLON]
    text = query[words[0].start : words[-1].end + 1]
    return None if ";" in text or dialect.name == "tsql" else text


def without_rows(given: Expression, dialect: Dialect) -> Expression:
    """Return a user's query for no rows. DuckDB would number columns of one name in a query that is selected from.

    Examples
    --------
    >>> duckdb = sql.dialect_of("duckdb")
    >>> without_rows(subquery("select a, a from t", duckdb), duckdb).sql()
    '(select a, a from t) LIMIT 0'
    """
    if dialect.name == "duckdb":
        return exp.Subquery(this=given.this.copy(), limit=exp.Limit(expression=exp.Literal.number(0)))
    return sql.select([sql.every_column()], given.copy(), limit=0)


def named_twice(names: Sequence[str], dialect: Dialect) -> str | None:
    """Return the first name that several columns of a query have; None if there is none.

    Examples
    --------
    >>> named_twice(["a", "b", "A"], sql.dialect_of("duckdb")), named_twice(["a", "A"], sql.dialect_of("postgres"))
    ('a', None)
    """
    same = list(names) if dialect.name == "postgres" else [name.lower() for name in names]
    if dialect.name == "sqlite":  # whose second column "a" is "a:1" in a query that is selected from
        same = [_NUMBERED.sub("", name) if _NUMBERED.sub("", name) in same else name for name in same]
    return next((name for name, one in zip(names, same, strict=True) if same.count(one) > 1), None)
