"""A user's query is sent as it was written, once it is known to be one SELECT that only reads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from separatrix import GaussianNB, open_table, to_sql
from separatrix.data.database import sql
from separatrix.data.database.connection import Connection
from separatrix.data.database.given_query import subquery
from separatrix.errors import InputError
from tests.data.databases import ENGINES, connect, store

EVERY_ENGINE = pytest.mark.parametrize("engine", ENGINES)


def a_table(connection: Any) -> Any:
    store(connection, "t", {"a": np.arange(40.0) / 7.0, "y": np.arange(40) % 2})
    return connection


@pytest.mark.parametrize("around", ["{}", "{};", "-- first\n{}", "{} -- last", "{}; -- last", "/* a; b */ {} ;; /* c */\n;"])
@EVERY_ENGINE
def test_semicolons_and_comments_around_a_query_do_no_harm(engine: str, around: str, request: Any) -> None:
    connection = a_table(connect(engine, request))
    assert open_table(connection, around.format("SELECT a, y FROM t"), target="y").n_rows == 40


def test_the_query_is_not_written_anew(request: Any) -> None:
    connection = a_table(connect("sqlite", request))
    table = open_table(connection, "SELECT max(a), y, CAST(y AS NUMERIC) / 2 AS whole FROM t GROUP BY a, y", target="y")
    assert table.feature_names == ("max(a)", "whole")
    assert GaussianNB().fit(table).theta_[1, 1] == 0.0  # 1 / 2 in whole numbers, as SQLite has it


@EVERY_ENGINE
@pytest.mark.parametrize("text", ["a ; b", "'' ; DROP TABLE t; --"])
def test_a_text_with_a_semicolon_is_a_text(engine: str, text: str, request: Any) -> None:
    connection = a_table(connect(engine, request))
    query = f"SELECT a, CASE y WHEN 0 THEN '{text}' ELSE 'z' END AS y FROM t"
    assert open_table(connection, query, target="y").classes.tolist() == [text.replace("''", "'"), "z"]


@pytest.mark.parametrize(("engine", "held"), [("duckdb", "?"), ("duckdb", "$1"), ("sqlite", ":a"), ("postgres", "%s"), ("postgres", "$1")])
def test_parameters_are_refused_before_anything_is_sent(engine: str, held: str, request: Any, monkeypatch: Any) -> None:
    connection = a_table(connect(engine, request))
    monkeypatch.setattr(Connection, "kinds", lambda *_: pytest.fail("something was sent"))
    with pytest.raises(InputError, match="parameters.* cannot be passed on"):
        open_table(connection, f"SELECT a, y FROM t WHERE a > {held}", target="y")


def test_a_query_that_locks_rows_is_refused() -> None:
    with pytest.raises(InputError, match="holds LOCK, which changes the database"):
        subquery("SELECT a FROM t FOR UPDATE", sql.dialect_of("postgres"))


def test_lines_of_a_text_stay_what_they_are_where_sql_is_broken_into_lines() -> None:
    import duckdb

    model = GaussianNB().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    written = to_sql(model, query="SELECT 'one\n  two' AS key, 0.5 AS x0", keep=["key"], pretty=True)
    assert duckdb.sql(written).fetchall()[0][0] == "one\n  two" and "\n" in written.split("FROM")[0]


DRAWN = [
    "SELECT * FROM t ORDER BY random() LIMIT 9",
    "SELECT a + random() AS a, y FROM t",
    "SELECT * FROM (SELECT * FROM t TABLESAMPLE BERNOULLI (50)) AS u",
]


@pytest.mark.parametrize("query", DRAWN)
@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_rows_that_are_drawn_are_refused_as_each_query_sees_others(engine: str, query: str, request: Any) -> None:
    store(connection := connect(engine, request), "t", {"a": np.arange(40.0), "y": np.arange(40) % 2, "random": np.arange(40) % 3})
    with pytest.raises(InputError, match=r"draws at random \(.*CREATE TEMPORARY TABLE"):
        open_table(connection, query, target="y")
    seeded = 'SELECT a, y, "random" FROM t TABLESAMPLE BERNOULLI (60%) REPEATABLE (3)'.replace("%", "%" if engine == "duckdb" else "")
    assert GaussianNB().fit(open_table(connection, seeded, target="y")).class_count_.sum() < 40
