"""SQL as trees: names, literals, balanced sums and queries for seven dialects. It imports sqlglot, as only `given_query.py` does too.

Whoever writes SQL builds it of the functions here, so that names and texts of others are quoted in one place, and no text is ever put
together by hand; the query of a user, which is passed on as it is, comes from `given_query.py`. `written` turns a tree into text and
refuses what is beyond the limits of a database.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...argument_types import is_listed
from ...errors import InputError, InputTypeError, MissingExtraError, short_text
from .sql_dialects import DIALECTS as DIALECTS
from .sql_dialects import Dialect as Dialect
from .sql_dialects import dialect_of as dialect_of

try:
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError
except ImportError as missing:  # pragma: no cover
    raise MissingExtraError("Writing SQL needs sqlglot: pip install 'separatrix[sql]'.") from missing

Expression = Any
"""A tree of sqlglot; built, nested and written by the functions of this file alone."""


_OPERATIONS = {
    "+": exp.Add, "-": exp.Sub, "*": exp.Mul, "/": exp.Div, "=": exp.EQ, "<>": exp.NEQ, "<": exp.LT, "<=": exp.LTE, ">": exp.GT,
    ">=": exp.GTE, "and": exp.And, "or": exp.Or, "||": exp.DPipe, "%": exp.Mod,
}  # fmt: skip
_CALLS = {
    "exp": exp.Exp, "ln": exp.Ln, "sqrt": exp.Sqrt, "abs": exp.Abs, "floor": exp.Floor, "lower": exp.Lower, "length": exp.Length,
    "sum": exp.Sum, "avg": exp.Avg, "min": exp.Min, "max": exp.Max, "count": exp.Count, "trim": exp.Trim,
}  # fmt: skip
_POWER = 62
"""Powers of two up to this one are integers that every database reads exactly."""


def column(name: str, table: str = "") -> Expression:
    """Return a column, quoted: letters of either case are different, as in the table itself."""
    return exp.Column(this=_identifier(name), table=_identifier(table) if table else None)


def table(name: str | Sequence[str]) -> Expression:
    """Return a table by its name, or by the names of database, schema and table; a dot in a name is part of it."""
    if not is_listed(name) and not isinstance(name, str):
        raise InputTypeError(f"table={short_text(name)} must be the name of a table, or a list of the names of its schema and itself.")
    parts = [name] if isinstance(name, str) else list(name)
    if not 1 <= len(parts) <= 3:
        raise InputError(f"A table has a name, and may have a schema and a database before it; {short_text(name)} has {len(parts)} parts.")
    found = [_identifier(part) for part in reversed(parts)]
    return exp.Table(**dict(zip(("this", "db", "catalog"), found, strict=False)))


def _identifier(name: str) -> Expression:
    if not isinstance(name, str) or not name or "\0" in name:
        raise InputError(f"{short_text(name)} cannot be the name of a column or table in SQL; rename it: a text without null bytes.")
    return exp.Identifier(this=name, quoted=True)


def number(value: float, dialect: Dialect) -> Expression:
    """Return a finite number so that the database reads the same bits.

    An exponent makes it a double where 0.1 alone would be a decimal. SQLite rounds decimals of 16 digits to a neighbour now and then: there
    a number is written as an integer and a power of two.

    Examples
    --------
    >>> [number(0.1 + 0.2, dialect_of(name)).sql() for name in ("duckdb", "sqlite")]
    ['30000000000000004e-17', '(1351079888211149.0 / 4503599627370496.0)']
    """
    value = float(value)
    if not math.isfinite(value):
        raise InputError(f"{value} cannot be written as a number in SQL.")
    digits, power = _shortest(abs(value))
    if dialect.name == "sqlite" and (len(digits) > 15 or abs(power) > 22):
        found = _binary(abs(value))
    elif dialect.name == "snowflake":  # which would make a decimal of it, whatever the exponent
        found = cast(exp.Literal.string(f"{digits}e{power}"), "double")
    else:
        found = exp.Literal.number(f"{digits}e{power}")
    return exp.Neg(this=found) if value < 0 else found


def integer(value: int) -> Expression:
    """Return a whole number, also one that a double cannot hold."""
    found = exp.Literal.number(str(abs(value)))
    return exp.Neg(this=found) if value < 0 else found


def _shortest(value: float) -> tuple[str, int]:
    """Return digits and exponent of the shortest decimal that is read as the number."""
    digits, _, power = repr(value).partition("e")
    whole, _, part = digits.partition(".")
    part = "" if part == "0" else part
    found = (whole + part).lstrip("0") or "0"
    trimmed = found.rstrip("0") or "0"
    exponent = int(power or 0) - len(part) + len(found) - len(trimmed)
    return trimmed, (0 if trimmed == "0" else exponent)


def _binary(value: float) -> Expression:
    share, power = math.frexp(value)
    whole, power = int(math.ldexp(share, 53)), power - 53
    shift = (whole & -whole).bit_length() - 1
    whole, power = whole >> shift, power + shift
    found: Expression = exp.Literal.number(f"{whole}.0")
    for step in [_POWER] * (abs(power) // _POWER) + [abs(power) % _POWER] * (abs(power) % _POWER > 0):
        kind = exp.Mul if power > 0 else exp.Div
        found = kind(this=found, expression=exp.Literal.number(f"{2**step}.0"))
    return exp.Paren(this=found)


def text(value: str, dialect: Dialect) -> Expression:
    """Return a text, quoted; T-SQL needs a mark where letters are beyond ASCII."""
    if "\0" in value:
        raise InputError(f"The text {short_text(value)} has a null byte, which texts in a database cannot have; replace it before the fit.")
    if dialect.name == "tsql" and not value.isascii():
        return exp.National(this=value)
    return exp.Literal.string(value)


def null() -> Expression:
    """Return NULL."""
    return exp.Null()


def operation(sign: str, one: Expression, *others: Expression) -> Expression:
    """Return one sign other …, from left to right: + - * / = <> < <= > >= and or || %; several `and`, `or` and `+` are balanced.

    Examples
    --------
    >>> operation("*", column("a"), operation("+", column("b"), column("c"))).sql()
    '"a" * ("b" + "c")'
    """
    kind = _OPERATIONS[sign]
    if sign in ("and", "or", "+") and len(others) > 1:
        return _balanced(kind, [one, *others])
    found = one
    for other in others:
        found = kind(this=_wrapped(found), expression=_wrapped(other))
    return found


def total(terms: Sequence[Expression]) -> Expression:
    """Return the sum of one or more terms as a tree whose depth is the logarithm of their number.

    Examples
    --------
    >>> total([column(name) for name in "abcd"]).sql()
    '("a" + "b") + ("c" + "d")'
    """
    return _balanced(exp.Add, list(terms))


def _balanced(kind: Any, terms: list[Expression]) -> Expression:
    while len(terms) > 1:
        joined = [kind(this=_wrapped(one), expression=_wrapped(two)) for one, two in zip(terms[::2], terms[1::2], strict=False)]
        terms = joined + terms[len(joined) * 2 :]
    return terms[0]


def _wrapped(part: Expression) -> Expression:
    loose = exp.Binary | exp.Connector | exp.Not | exp.Neg | exp.Is | exp.In | exp.Between | exp.Collate
    return exp.Paren(this=part) if isinstance(part, loose) and not isinstance(part, exp.Dot) else part


def negation(part: Expression) -> Expression:
    """Return NOT part."""
    return exp.Not(this=exp.Paren(this=part))


def call(name: str, *arguments: Expression) -> Expression:
    """Return a function of the database; exp, ln, sqrt, … are named as each dialect names them, others are written as given."""
    kind = _CALLS.get(name.lower())
    if kind is None:
        return exp.Anonymous(this=name, expressions=list(arguments))
    return kind(this=arguments[0])


def coalesce(one: Expression, *others: Expression) -> Expression:
    """Return the first that is not NULL."""
    return exp.Coalesce(this=one, expressions=list(others))


def case(branches: Sequence[tuple[Expression, Expression]], otherwise: Expression) -> Expression:
    """Return the value of the first branch (condition, value) whose condition is true."""
    if not branches:
        return otherwise
    return exp.Case(ifs=[exp.If(this=condition, true=value) for condition, value in branches], default=otherwise)


def among(part: Expression, values: Sequence[Expression]) -> Expression:
    """Return whether a value is one of several."""
    return exp.In(this=_wrapped(part), expressions=list(values))


def cast(part: Expression, kind: str, attempt: bool = False) -> Expression:
    """Return a value as another type.

    Kinds are "double", "text", "integer", "whole" (38 digits), "date", "timestamp", "instant" (with its zone) and "bits", 64 of them.
    `attempt` gives NULL for what is none, wherever a database can: PostgreSQL and SQLite cannot.
    """
    names = {"double": "double", "text": "text", "integer": "bigint", "timestamp": "timestamp", "instant": "timestamptz", "bits": "bit(64)"}
    names |= {"date": "date", "whole": "decimal(38, 0)"}
    return (exp.TryCast if attempt else exp.Cast)(this=part, to=exp.DataType.build(names[kind]))


def extreme(parts: Sequence[Expression], dialect: Dialect, largest: bool) -> Expression:
    """Return the largest or smallest of several numbers; SQL Server has it from 2022 on."""
    one, many = ("GREATEST", "MAX") if largest else ("LEAST", "MIN")
    return exp.Anonymous(this=many if dialect.name == "sqlite" else one, expressions=list(parts))


def power(base: Expression, exponent: Expression) -> Expression:
    """Return base to the power of exponent."""
    return exp.Pow(this=base, expression=exponent)


def trim(part: Expression, characters: Expression, dialect: Dialect) -> Expression:
    """Return a text without certain characters at its ends."""
    if dialect.name in ("postgres", "sqlite", "duckdb", "bigquery", "snowflake"):
        return exp.Anonymous(this="BTRIM" if dialect.name == "postgres" else "TRIM", expressions=[part, characters])
    return exp.Trim(this=part, expression=characters, position=None if dialect.name == "tsql" else "BOTH")


def matches(part: Expression, pattern: str, dialect: Dialect) -> Expression:
    """Return whether a text matches a regular expression; see `Dialect.has_patterns`."""
    own = exp.Literal.string(pattern)
    if dialect.name == "duckdb":
        return exp.Anonymous(this="REGEXP_MATCHES", expressions=[part, own])
    return exp.RegexpLike(this=_wrapped(part), expression=own)


def group_of(part: Expression, pattern: str, groups: Sequence[int], dialect: Dialect) -> Expression:
    """Return some groups of a regular expression, one after the other, of a text that matches it as a whole."""
    mark = "$" if dialect.name == "spark" else "\\"
    chosen = exp.Literal.string("".join(f"{mark}{group}" for group in groups))
    return exp.Anonymous(this="REGEXP_REPLACE", expressions=[part, exp.Literal.string(pattern), chosen])


def replaced(part: Expression, old: str, new: str) -> Expression:
    """Return a text with all `old` replaced by `new`."""
    return exp.Anonymous(this="REPLACE", expressions=[part, exp.Literal.string(old), exp.Literal.string(new)])


def truth(value: bool, dialect: Dialect) -> Expression:
    """Return true or false; 1 or 0 where a database has no such constants."""
    return integer(int(value)) if dialect.name in ("sqlite", "tsql") else exp.Boolean(this=bool(value))


def word(name: str) -> Expression:
    """Return a word of the language itself, such as the unit of a date; never a name of a user."""
    return exp.Var(this=name)


def day_text(stamp: Expression, dialect: Dialect) -> Expression:
    """Return the day of a timestamp as text, 2024-01-31, however the session writes dates."""
    if dialect.name == "postgres":
        return exp.Anonymous(this="TO_CHAR", expressions=[stamp, exp.Literal.string("YYYY-MM-DD")])
    if dialect.name == "duckdb":
        return exp.Anonymous(this="STRFTIME", expressions=[stamp, exp.Literal.string("%Y-%m-%d")])
    return cast(cast(stamp, "date"), "text")


def at_utc(part: Expression, dialect: Dialect) -> Expression:
    """Return a time with its zone as the date and time that clocks showed in UTC."""
    if dialect.name == "postgres":
        return exp.Anonymous(this="TIMEZONE", expressions=[exp.Literal.string("UTC"), part])
    return cast(part, "timestamp")


def epoch(stamp: Expression) -> Expression:
    """Return the seconds since 1970 of a timestamp, as PostgreSQL has them."""
    return exp.Extract(this=exp.Var(this="EPOCH"), expression=stamp)


def is_null(part: Expression) -> Expression:
    """Return whether a value is NULL."""
    return exp.Is(this=_wrapped(part), expression=exp.Null())


def is_there(part: Expression) -> Expression:
    """Return whether a value is not NULL."""
    return exp.Is(this=_wrapped(part), expression=exp.Not(this=exp.Null()))


def is_present(part: Expression, dialect: Dialect) -> Expression:
    """Return whether a number is there: neither NULL nor NaN, which is greater than any number, or compared with none."""
    if dialect.has_nan:
        infinity = "inf" if dialect.name in ("bigquery", "snowflake") else "Infinity"
        return operation("<=", part, cast(exp.Literal.string(infinity), "double"))
    return is_there(part)


def bytewise(part: Expression, dialect: Dialect) -> Expression:
    """Return a text so that it is compared byte by byte, whatever its column says."""
    if dialect.name in ("bigquery", "snowflake"):
        return exp.Anonymous(this="COLLATE", expressions=[part, exp.Literal.string("")])
    if not dialect.collation:
        return part
    named = exp.Identifier(this=dialect.collation, quoted=dialect.name == "postgres")
    return exp.Collate(this=part, expression=named)


def select(
    columns: Mapping[str, Expression] | Sequence[Expression],
    source: Expression | None,
    where: Expression | None = None,
    group_by: Sequence[Expression] = (),
    named: Mapping[str, Expression] | None = None,
    join: tuple[Expression, Expression] | None = None,
    limit: int | None = None,
    apart: bool = False,
    named_apart: Dialect | None = None,
) -> Expression:
    """Return SELECT columns FROM source; `named` are the queries of a WITH before it, in the order in which they use each other.

    `join` is a second table and the condition under which a row of it goes with one of the source. A query within another that is `apart`
    is computed as it stands (OFFSET 0), and not taken apart into the other, which would compute its columns anew wherever they are used.
    So are the queries of the WITH, given the dialect in `named_apart`: a value that is used twice would else be computed twice, in the next
    query four times, and so on.

    Examples
    --------
    >>> select({"n": call("count", exp.Star())}, table("people"), group_by=[column("city")]).sql()
    'SELECT COUNT(*) AS "n" FROM "people" GROUP BY "city"'
    """
    listed = columns
    if isinstance(columns, Mapping):
        listed = [exp.Alias(this=part, alias=_identifier(name)) for name, part in columns.items()]
    found = exp.Select(expressions=list(listed))
    if source is not None:
        found.set(_FROM, exp.From(this=source))
    if join is not None:
        found.set("joins", [exp.Join(this=join[0], kind="INNER", on=join[1])])
    if limit is not None:
        found.set("limit", exp.Limit(expression=exp.Literal.number(limit)))
    if apart:
        found.set("offset", exp.Offset(expression=exp.Literal.number(0)))
    if where is not None:
        found.set("where", exp.Where(this=where))
    if group_by:
        found.set("group", exp.Group(expressions=list(group_by)))
    if named:
        found.set(_WITH, exp.With(expressions=[_named(name, query, named_apart) for name, query in named.items()]))
    return found


def _named(name: str, query: Expression, apart: Dialect | None) -> Expression:
    fence = "" if apart is None else apart.name
    if fence == "postgres":  # which then still passes row after row on
        query.set("offset", exp.Offset(expression=exp.Literal.number("0")))
    return exp.CTE(this=query, alias=exp.TableAlias(this=_identifier(name)), materialized=True if fence == "sqlite" else None)


_FROM = "from_" if "from_" in exp.Select.arg_types else "from"
_WITH = "with_" if "with_" in exp.Select.arg_types else "with"
"""Newer versions of sqlglot write both with an underscore."""


def union(queries: Sequence[Expression]) -> Expression:
    """Return the rows of all queries, one after the other.

    Examples
    --------
    >>> union([select({"a": exp.Literal.number(1)}, None), select({"a": exp.Literal.number(2)}, None)]).sql()
    'SELECT 1 AS "a" UNION ALL SELECT 2 AS "a"'
    """
    found = queries[0]
    for query in queries[1:]:
        found = exp.Union(this=found, expression=query, distinct=False)
    return found


def every_column(table: str = "") -> Expression:
    """Return *: all columns, of a table if named."""
    return exp.Column(this=exp.Star(), table=_identifier(table)) if table else exp.Star()


def quoted(name: str, dialect: Dialect) -> str:
    """Return a name as it is written into a query, for messages.

    Examples
    --------
    >>> quoted("order", dialect_of("duckdb"))
    '"order"'
    """
    found: str = column(name).sql(dialect=dialect.name)
    return found


def depth(tree: Expression) -> int:
    """Return the levels of the deepest expression of a tree; brackets are none.

    Examples
    --------
    >>> depth(total([column(str(j)) for j in range(1000)]))
    11
    """
    deepest, level = 0, [(tree, 1)]
    while level:
        node, at = level.pop()
        deepest = max(deepest, at)
        if isinstance(node, exp.Column | exp.Literal):
            continue
        level += [(child, at + (not isinstance(node, exp.Paren))) for child in node.iter_expressions()]
    return deepest


def written(query: Expression, dialect: Dialect, pretty: bool = False) -> str:
    """Return a query as text for a database; what is beyond its limits is refused with the number."""
    for name in {node.this for node in query.find_all(exp.Identifier)}:
        _limit(dialect, len(name.encode()), dialect.name_bytes, f"bytes in the name {short_text(name)}")
    for part in query.find_all(exp.Select):
        _limit(dialect, len(part.expressions), dialect.columns, "columns in a SELECT")
    _limit(dialect, depth(query), dialect.depth, "levels in an expression")
    for given in query.find_all(exp.Var) if pretty else ():  # whose lines may be those of a text, which would be indented
        given.set("this", given.name.replace("\n", sqlglot.Generator.SENTINEL_LINE_BREAK))
    try:
        found: str = query.sql(dialect=dialect.name, pretty=pretty, copy=False, unsupported_level=sqlglot.ErrorLevel.RAISE)
    except SqlglotError as wrong:
        raise InputError(f"This cannot be written for {dialect.name}: {short_text(str(wrong), 200)}") from None
    _limit(dialect, len(found), dialect.characters, "characters in a statement")
    return found


class BeyondLimits(InputError):  # noqa: N818  # named by what it says; messages do not show it
    """A query is more than a database takes; fewer terms of it may not be."""


def _limit(dialect: Dialect, given: int, most: int, what: str) -> None:
    if given > most:
        raise BeyondLimits(
            f"{dialect.name} takes {most:,} {what}, and this has {given:,}; use fewer and shorter parts, or another dialect."
        )
