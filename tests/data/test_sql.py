"""SQL trees: quoting that nothing escapes from, doubles to the last bit, balanced sums, limits, and queries that only read."""

from __future__ import annotations

import sqlite3

import duckdb
import numpy as np
import pytest
import sqlglot

from separatrix.data.database import sql
from separatrix.data.database.given_query import subquery
from separatrix.errors import InputError

HOSTILE = ["'; DROP TABLE t; --", 'a"b', "a\\b", "\\'", "a\nb", "`x`", "[x]]", "é雪", '"""', "${x} {{y}} %s ? :z", "--", "/* */"]


def doubles(rng: np.random.Generator) -> list[float]:
    any_bits = rng.integers(0, 2**63, 600, dtype=np.int64).view(np.float64)
    usual = rng.normal(size=600) * 10.0 ** rng.integers(-12, 12, 600)
    return [*any_bits[np.isfinite(any_bits)].tolist(), *usual.tolist(), 0.0, 0.1, -1.0, 1e22, 5e-324, 1.7976931348623157e308]


def expressions(parts: list[sql.Expression], dialect: sql.Dialect) -> str:
    return sql.written(sql.select(parts, sql.table("t")), dialect).split(" FROM ")[0]


@pytest.mark.parametrize("name", ["duckdb", "sqlite", "postgres"])
def test_doubles_are_read_to_the_last_bit(name, rng, request):
    connection = {"duckdb": duckdb.connect, "sqlite": lambda: sqlite3.connect(":memory:")}.get(
        name, lambda: request.getfixturevalue("postgres")
    )()
    values, dialect = doubles(rng), sql.dialect_of(name)
    for start in range(0, len(values), 100):
        part = values[start : start + 100]
        literals = [sql.cast(sql.number(value, dialect), "double") for value in part]
        assert list(connection.execute(expressions(literals, dialect)).fetchone()) == part


@pytest.mark.parametrize("name", sql.DIALECTS)
@pytest.mark.parametrize("hostile", HOSTILE)
def test_names_and_texts_are_read_back_as_they_are(name, hostile):
    dialect = sql.dialect_of(name)
    query = sql.select({hostile: sql.text(hostile, dialect), "y": sql.column(hostile, hostile)}, sql.table(hostile))
    (read,) = sqlglot.parse(sql.written(query, dialect), read=dialect.name)
    literal, own = read.expressions
    assert (literal.alias, literal.this.name, own.this.name, own.this.table) == (hostile,) * 4


@pytest.mark.parametrize("hostile", HOSTILE)
def test_databases_take_hostile_names_and_texts(hostile, postgres):
    for connection, name in ((duckdb.connect(), "duckdb"), (sqlite3.connect(":memory:"), "sqlite"), (postgres, "postgres")):
        dialect = sql.dialect_of(name)
        query = sql.select({hostile: sql.text(hostile, dialect)}, subquery("select 1 as x", dialect))
        cursor = connection.execute(sql.written(query, dialect))
        assert cursor.fetchone()[0] == hostile and cursor.description[0][0] == hostile


def test_sums_of_thousands_are_shallow(rng):
    values = rng.normal(size=5000)
    for connection, name in ((duckdb.connect(), "duckdb"), (sqlite3.connect(":memory:"), "sqlite")):
        dialect = sql.dialect_of(name)
        tree = sql.total([sql.number(value, dialect) for value in values])
        assert sql.depth(tree) <= 13 + 4
        np.testing.assert_allclose(connection.execute(expressions([tree], dialect)).fetchone()[0], values.sum(), atol=1e-10)


def test_what_is_beyond_a_limit_is_refused_with_the_number():
    deep = sql.column("x")
    for _ in range(1200):
        deep = sql.operation("*", deep, sql.column("x"))
    with pytest.raises(InputError, match="duckdb takes 1,000 levels in an expression, and this has 1,20"):
        sql.written(sql.select([deep], sql.table("t")), sql.dialect_of("duckdb"))
    with pytest.raises(InputError, match="postgres takes 1,664 columns in a SELECT, and this has 2,000"):
        sql.written(sql.select([sql.column("x")] * 2000, sql.table("t")), sql.dialect_of("postgres"))
    with pytest.raises(InputError, match="postgres takes 63 bytes in the name 'é+', and this has 80"):
        sql.written(sql.select([sql.column("é" * 40)], sql.table("t")), sql.dialect_of("postgres"))


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("select 1; drop table t", "One SELECT is needed; .* has SELECT, DROP"),
        ("drop table t", "has DROP"),
        ("", "has nothing"),
        ("with x as (delete from t returning *) select * from x", "holds DELETE"),
        ("select * into u from t", "holds INTO"),
        ("select (", "cannot be read as SQL of postgres"),
    ],
)
def test_a_query_of_a_user_only_reads(query, why):
    with pytest.raises(InputError, match=why):
        subquery(query, sql.dialect_of("postgres"))


def test_null_and_nan_are_missing(postgres):
    for connection, name in ((duckdb.connect(), "duckdb"), (sqlite3.connect(":memory:"), "sqlite"), (postgres, "postgres")):
        dialect = sql.dialect_of(name)
        given = ["null", "1e0", "-1e300"] + ["cast('nan' as double precision)"] * (name != "sqlite")
        rows = " union all ".join(f"select cast({value} as double precision) as x, {i} as i" for i, value in enumerate(given))
        present = sql.case([(sql.is_present(sql.column("x"), dialect), sql.number(1, dialect))], sql.number(0, dialect))
        query = sql.written(sql.select({"i": sql.column("i"), "there": present}, subquery(rows, dialect)), dialect)
        assert [there for _, there in sorted(connection.execute(query).fetchall())] == [0, 1, 1, 0][: len(given)]


def test_names_of_dialects_and_impossible_names():
    assert sql.dialect_of("PostgreSQL").name == "postgres"
    with pytest.raises(InputError, match="Did you mean 'duckdb'"):
        sql.dialect_of("dukdb")
    with pytest.raises(InputError, match="without null bytes"):
        sql.column("a\0b")
    with pytest.raises(InputError, match="has a null byte"):
        sql.text("a\0b", sql.dialect_of("duckdb"))
    with pytest.raises(InputError, match="has 4 parts"):
        sql.table(["a", "b", "c", "d"])
    with pytest.raises(InputError, match="nan cannot be written"):
        sql.number(float("nan"), sql.dialect_of("sqlite"))
