"""SQL as trees: names, literals, balanced sums and queries for seven dialects. The only file that imports sqlglot.

Whoever writes SQL builds it of the functions here, so that names and texts of others are quoted in one place, and no text is ever put
together by hand. `written` turns a tree into text and refuses what is beyond the limits of a database.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InputError, MissingExtraError, one_of, short_text

try:
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError
except ImportError as missing:  # pragma: no cover
    raise MissingExtraError("Writing SQL needs sqlglot: pip install 'separatrix[sql]'.") from missing

Expression = Any
"""A tree of sqlglot; built, nested and written by the functions of this file alone."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a database can take.

    Attributes
    ----------
    name : as users write it
    depth : levels that an expression may have
    columns : columns that a SELECT may have
    characters : length of a statement
    name_bytes : length of a name
    collation : how texts are compared byte by byte, whatever the column says; empty where no name is needed
    has_nan : whether numbers may be NaN there
    """

    name: str
    depth: int
    columns: int
    characters: int
    name_bytes: int
    collation: str
    has_nan: bool


_ROWS = (
    # Depth: DuckDB's max_expression_depth and SQLite's SQLITE_MAX_EXPR_DEPTH are 1,000; PostgreSQL has 2 MB of stack, about 5,000 levels;
    # of the others nothing is promised, and a thousand levels are far more than a balanced sum has.
    Dialect("duckdb", 1000, 1_000_000, 1_000_000_000, 1_000_000, "C", True),
    Dialect("postgres", 5000, 1664, 1_000_000_000, 63, "C", True),
    Dialect("sqlite", 1000, 2000, 1_000_000, 1_000_000, "BINARY", False),
    Dialect("bigquery", 1000, 10_000, 1_000_000, 300, "", True),
    Dialect("snowflake", 1000, 10_000, 1_000_000, 255, "", True),
    Dialect("spark", 1000, 1_000_000, 1_000_000_000, 1_000_000, "", True),
    Dialect("tsql", 1000, 4096, 250_000_000, 256, "Latin1_General_BIN2", False),
)
DIALECTS: Mapping[str, Dialect] = {row.name: row for row in _ROWS}
"""The dialects that are written."""
_OTHER_NAMES = {"postgresql": "postgres", "mssql": "tsql", "t-sql": "tsql", "sqlserver": "tsql", "databricks": "spark", "sqlite3": "sqlite"}

_OPERATIONS = {
    "+": exp.Add, "-": exp.Sub, "*": exp.Mul, "/": exp.Div, "=": exp.EQ, "<>": exp.NEQ, "<": exp.LT, "<=": exp.LTE, ">": exp.GT,
    ">=": exp.GTE, "and": exp.And, "or": exp.Or, "||": exp.DPipe,
}  # fmt: skip
_CALLS = {
    "exp": exp.Exp, "ln": exp.Ln, "sqrt": exp.Sqrt, "abs": exp.Abs, "floor": exp.Floor, "lower": exp.Lower, "length": exp.Length,
    "sum": exp.Sum, "avg": exp.Avg, "min": exp.Min, "max": exp.Max, "count": exp.Count, "trim": exp.Trim,
}  # fmt: skip
_POWER = 62
"""Powers of two up to this one are integers that every database reads exactly."""


def dialect_of(name: str) -> Dialect:
    """Return a dialect by name.

    Examples
    --------
    >>> dialect_of("postgresql").name, dialect_of("SQLite").depth
    ('postgres', 1000)
    """
    known = str(name).lower()
    found = DIALECTS.get(_OTHER_NAMES.get(known, known))
    if found is None:
        raise one_of("dialect", name, DIALECTS)
    return found


def column(name: str, table: str = "") -> Expression:
    """Return a column, quoted: letters of either case are different, as in the table itself."""
    return exp.Column(this=_identifier(name), table=_identifier(table) if table else None)


def table(name: str | Sequence[str]) -> Expression:
    """Return a table by its name, or by the names of database, schema and table; a dot in a name is part of it."""
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
    """Return one sign other …, from left to right: + - * / = <> < <= > >= and or ||; several `and`, `or` and `+` are balanced.

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


def cast(part: Expression, kind: str) -> Expression:
    """Return a value as "double", "text", "integer" or "timestamp"."""
    names = {"double": "double", "text": "text", "integer": "bigint", "timestamp": "timestamp"}
    return exp.Cast(this=part, to=exp.DataType.build(names[kind]))


def is_null(part: Expression) -> Expression:
    """Return whether a value is NULL."""
    return exp.Is(this=_wrapped(part), expression=exp.Null())


def is_present(part: Expression, dialect: Dialect) -> Expression:
    """Return whether a number is there: neither NULL nor NaN, which is greater than any number, or compared with none."""
    if dialect.has_nan:
        infinity = "inf" if dialect.name in ("bigquery", "snowflake") else "Infinity"
        return operation("<=", part, cast(exp.Literal.string(infinity), "double"))
    return exp.Not(this=is_null(part))


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
    source: Expression,
    where: Expression | None = None,
    group_by: Sequence[Expression] = (),
    named: Mapping[str, Expression] | None = None,
) -> Expression:
    """Return SELECT columns FROM source; `named` are the queries of a WITH before it, in the order in which they use each other.

    Examples
    --------
    >>> select({"n": call("count", exp.Star())}, table("people"), group_by=[column("city")]).sql()
    'SELECT COUNT(*) AS "n" FROM "people" GROUP BY "city"'
    """
    listed = columns
    if isinstance(columns, Mapping):
        listed = [exp.Alias(this=part, alias=_identifier(name)) for name, part in columns.items()]
    found = exp.Select(expressions=list(listed), **{_FROM: exp.From(this=source)})
    if where is not None:
        found.set("where", exp.Where(this=where))
    if group_by:
        found.set("group", exp.Group(expressions=list(group_by)))
    if named:
        queries = [exp.CTE(this=query, alias=exp.TableAlias(this=_identifier(name))) for name, query in named.items()]
        found.set(_WITH, exp.With(expressions=queries))
    return found


_FROM = "from_" if "from_" in exp.Select.arg_types else "from"
_WITH = "with_" if "with_" in exp.Select.arg_types else "with"
"""Newer versions of sqlglot write both with an underscore."""


def every_column(table: str = "") -> Expression:
    """Return *: all columns, of a table if named."""
    return exp.Column(this=exp.Star(), table=_identifier(table)) if table else exp.Star()


def subquery(query: str, dialect: Dialect, alias: str = "rows") -> Expression:
    """Return a user's query in brackets, to select from; it must be one SELECT that changes nothing.

    Examples
    --------
    >>> subquery("select a from t where b > 1;", dialect_of("duckdb")).sql()
    '(SELECT a FROM t WHERE b > 1) AS "rows"'
    """
    try:
        found = [one for one in sqlglot.parse(query, read=dialect.name) if one is not None]
    except (SqlglotError, RecursionError) as wrong:
        reason = " ".join(str(wrong).split())
        raise InputError(f"The query {short_text(query)} cannot be read as SQL of {dialect.name}: {short_text(reason, 120)}") from None
    if len(found) != 1 or not isinstance(found[0], exp.Query):
        kinds = ", ".join(type(one).__name__.upper() for one in found[:3]) or "nothing"
        raise InputError(f'One SELECT is needed; {short_text(query)} has {kinds}. Pass a single query, such as "SELECT * FROM t".')
    changing = found[0].find(exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Drop, exp.Create, exp.Command, exp.Into)
    if changing is not None:
        raise InputError(f"The query holds {type(changing).__name__.upper()}, which changes the database; pass a SELECT that only reads.")
    return exp.Subquery(this=found[0], alias=exp.TableAlias(this=_identifier(alias)))


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
    try:
        found: str = query.sql(dialect=dialect.name, pretty=pretty, copy=False, unsupported_level=sqlglot.ErrorLevel.RAISE)
    except SqlglotError as wrong:
        raise InputError(f"This cannot be written for {dialect.name}: {short_text(str(wrong), 200)}") from None
    _limit(dialect, len(found), dialect.characters, "characters in a statement")
    return found


def _limit(dialect: Dialect, given: int, most: int, what: str) -> None:
    if given > most:
        raise InputError(f"{dialect.name} takes {most:,} {what}, and this has {given:,}; use another dialect, or fewer and shorter parts.")
