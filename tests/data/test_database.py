"""Queries that cannot be used, rows that cannot be summed, and databases that fail: one clear error each, and no model."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
import time
from contextlib import closing
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from separatrix import BernoulliNB, ClassMoments, GaussianNB, LinearDiscriminantAnalysis, LogisticRegression, open_table
from separatrix.data.database.connection import Connection
from separatrix.errors import DatabaseError, InputError, InputTypeError, UnknownNameError
from tests.data.databases import ENGINES, connect, store
from tests.postgres_server import server

EVERY_ENGINE = pytest.mark.parametrize("engine", ENGINES)


def a_table(connection: Any, **changed: Any) -> Any:
    """Store 40 rows of two classes, some columns replaced."""
    rng = np.random.default_rng(3)
    data = {"a": rng.normal(size=40), "b": rng.normal(size=40), "y": np.arange(40) % 2, **changed}
    store(connection, "t", data)
    return data


@EVERY_ENGINE
@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("DELETE FROM t", "One SELECT is needed"),
        ("SELECT * FROM t; DROP TABLE t", "One SELECT is needed"),
        ("", "One SELECT is needed"),
        ("SELECT FROM WHERE", "cannot be read as SQL|refused the query"),
        ("t", "'t' has no statement"),
        ("SELECT a, y FROM t LIMIT", r"cannot be read as SQL of \w+: line 1, at the end of 'SELECT a, y FROM t LIMIT'\. Correct it there"),
        ("WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone", "changes the database"),
        ("SELECT * FROM nothing_here", "refused the query 'SELECT \\* FROM nothing_here'.*nothing_here"),
        ("SELECT a, y FROM t WHERE a > 1e9", "returns no rows"),
        ("SELECT a, y FROM t WHERE y = 0", "got 1 class, 0"),
        ("SELECT a, CASE WHEN a > 0 THEN 'x' ELSE 'y' END AS c, y FROM t", "Column 'c' holds text"),
        ("SELECT y FROM t", "No column is left for the features"),
        ("SELECT a, b AS y FROM t", "continuous"),
    ],
)
def test_queries_that_cannot_be_used(engine: str, query: str, said: str, request: Any) -> None:
    a_table(connection := connect(engine, request))
    with pytest.raises((InputError, DatabaseError), match=said):
        GaussianNB().fit(open_table(connection, query, target="y"))
    cursor = connection.cursor()
    cursor.execute("SELECT count(*) FROM t")
    assert cursor.fetchone()[0] == 40


@pytest.mark.parametrize(
    ("engine", "query", "said"),
    [
        ("duckdb", "SELECT y * 6000000000000000000 + 6000000000000000000 AS a, y FROM t", "cast one to a double before the arithmetic"),
        ("postgres", "SELECT y * 6000000000000000000 + 6000000000000000000 AS a, y FROM t", "cast one to a double before the arithmetic"),
        ("postgres", "SELECT a * 1e200 AS a, b, y FROM t", "divide the column by a large number"),
        ("postgres", "SELECT a * 1e-170 AS a, b, y FROM t", "multiply the column by a large number"),
        ("postgres", "SELECT 1 / y AS a, b, y FROM t", "divide by NULLIF"),
    ],
)
def test_a_refusal_says_what_to_do_about_it(engine: str, query: str, said: str, request: Any) -> None:
    a_table(connection := connect(engine, request))
    with pytest.raises(DatabaseError, match=f"refused the query .*{said}"):
        LinearDiscriminantAnalysis().fit(open_table(connection, query, target="y"))


def test_a_connection_that_is_busy_says_how_to_have_another(request: Any) -> None:
    a_table(connection := connect("duckdb", request))
    table = open_table(connection, "SELECT * FROM t", target="y", batch_rows=7)
    with closing(table.blocks()) as blocks:
        assert len(next(blocks).X) == 7
        with pytest.raises(DatabaseError, match=r"end that loop first .*, or open the second table with connection.cursor"):
            GaussianNB().fit(table)
        other = open_table(connection.cursor(), "SELECT * FROM t", target="y")
        assert GaussianNB().fit(other).class_count_.sum() == 7 + sum(len(block.X) for block in blocks)


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_a_cursor_is_no_connection(engine: str, request: Any) -> None:
    with pytest.raises(InputTypeError, match="connection itself is needed, not a cursor of it"):
        open_table(connect(engine, request).cursor(), "SELECT * FROM t", target="y")


@EVERY_ENGINE
def test_names_of_any_letters_are_quoted(engine: str, request: Any) -> None:
    names = ["select", 'a "b"', "it's; DROP TABLE t", "Ünï", "w%s"]
    data = {name: np.random.default_rng(j).normal(size=40) for j, name in enumerate(names)}
    store(connection := connect(engine, request), "t", {**data, "order": np.array(["'", '"'])[np.arange(40) % 2]})
    found = GaussianNB().fit(open_table(connection, "SELECT * FROM t", target="order"))
    expected = GaussianNB().fit(np.column_stack(list(data.values())), np.array(["'", '"'])[np.arange(40) % 2])
    assert list(found.feature_names_in_) == names and found.classes_.tolist() == ['"', "'"]
    assert_allclose(found.theta_, expected.theta_, rtol=1e-9)


@EVERY_ENGINE
def test_whole_numbers_do_not_overflow(engine: str, request: Any) -> None:
    large = 3 * 10**18 + np.arange(40) * 10**15
    data = a_table(connection := connect(engine, request), a=large)
    found = ClassMoments.from_data(open_table(connection, "SELECT a, y FROM t", target="y"))
    assert_allclose(found.scatter, ClassMoments.from_data(large[:, None].astype(float), data["y"]).scatter, rtol=1e-9)


@EVERY_ENGINE
def test_gaps_are_refused_by_name_and_never_left_out_in_pairs(engine: str, request: Any) -> None:
    a_table(connection := connect(engine, request))
    query = "SELECT a, CASE WHEN a < -1 THEN NULL ELSE b END AS b, y FROM t"
    for model in (GaussianNB(), LinearDiscriminantAnalysis(), BernoulliNB(), LogisticRegression()):
        with pytest.raises(InputError, match="NaN|null") as caught:
            model.fit(open_table(connection, query, target="y"))
        assert "'b'" in str(caught.value) and not hasattr(model, "classes_")


@EVERY_ENGINE
def test_gaps_that_a_model_leaves_out(engine: str, request: Any) -> None:
    data = a_table(connection := connect(engine, request))
    query = "SELECT CASE WHEN a < -1 THEN NULL ELSE a END AS a, b, y FROM t"
    X = np.column_stack([np.where(data["a"] < -1, np.nan, data["a"]), data["b"]])
    model = BernoulliNB(missing="ignore")
    found = model.fit(open_table(connection, query, target="y")).feature_log_prob_
    assert_allclose(found, BernoulliNB(missing="ignore").fit(X, data["y"]).feature_log_prob_, rtol=1e-9)


@EVERY_ENGINE
def test_rows_without_a_label_are_refused(engine: str, request: Any) -> None:
    a_table(connection := connect(engine, request))
    query = "SELECT a, b, CASE WHEN a < -1 THEN NULL ELSE y END AS y FROM t"
    with pytest.raises(InputError, match="column 'y' misses the label in . row"):
        GaussianNB().fit(open_table(connection, query, target="y"))


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_not_finite_are_refused_by_name(engine: str, value: float, request: Any) -> None:
    a_table(connection := connect(engine, request), b=np.array([value, *range(39)], dtype=float))
    with pytest.raises(InputError, match="column 'b'"):
        LinearDiscriminantAnalysis().fit(open_table(connection, "SELECT * FROM t", target="y"))


@EVERY_ENGINE
@pytest.mark.parametrize(("weight", "said"), [(-1.0, "holds -1"), (0.0, "All weights"), (None, "misses a finite value in 1 row;")])
def test_weights_that_cannot_be_used(engine: str, weight: Any, said: str, request: Any) -> None:
    given = np.array([weight or 0.0] + [0.0 if weight == 0 else 1.0] * 39)
    a_table(connection := connect(engine, request), w=given)
    query = "SELECT * FROM t" if weight is not None else "SELECT a, b, y, CASE WHEN w = 0 THEN NULL ELSE w END AS w FROM t"
    with pytest.raises(InputError, match=said):
        GaussianNB().fit(open_table(connection, query, target="y", weight="w"))


@EVERY_ENGINE
def test_a_changed_table_is_noticed(engine: str, request: Any) -> None:
    a_table(connection := connect(engine, request))
    table = open_table(connection, "SELECT * FROM t", target="y")
    assert len(table.classes) == 2
    connection.execute("INSERT INTO t VALUES (1.0, 2.0, 1)")
    for model in (LinearDiscriminantAnalysis(), LogisticRegression()):
        with pytest.raises(DatabaseError, match="have changed since the table was opened; open it again"):
            model.fit(table)
        assert not hasattr(model, "coef_")


def test_a_gap_that_appears_between_queries_is_noticed(request: Any) -> None:
    a_table(connection := connect("duckdb", request))
    table = open_table(connection, "SELECT * FROM t", target="y")
    assert table.n_rows == 40
    connection.execute("UPDATE t SET a = NULL WHERE b = (SELECT max(b) FROM t)")
    with pytest.raises(InputError, match="column 'a' misses a value in 1 row of"):
        GaussianNB().fit(table)


def test_arguments_that_belong_elsewhere(tmp_path: Any, request: Any) -> None:
    a_table(connection := connect("sqlite", request))
    with pytest.raises(InputError, match="A connection needs a query"):
        open_table(connection, target="y")
    with pytest.raises(InputError, match="dialect and timeout are for databases"):
        open_table(tmp_path, target="y", dialect="duckdb")
    with pytest.raises(UnknownNameError, match="'z' .in target. is not in the table"):
        open_table(connection, "SELECT * FROM t", target="z")
    with pytest.raises(InputError, match="dialect='oracel' is not known"):
        open_table(connection, "SELECT * FROM t", target="y", dialect="oracel")
    with pytest.raises(InputError, match="timeout=-1"):
        open_table(connection, "SELECT * FROM t", target="y", timeout=-1.0)
    with pytest.raises(InputTypeError, match="query"):
        open_table(connection, 3, target="y")
    with pytest.raises(InputTypeError, match="sqlite3 is a module; pass a connection that it gave, such as sqlite3.connect"):
        open_table(sqlite3, "SELECT * FROM t", target="y")
    with pytest.raises(InputTypeError, match=r"rows are in memory already, as a frame; .* fit\(X, y\)"):
        open_table(pd.DataFrame({"a": [1.0], "y": [0]}), target="y")


@EVERY_ENGINE
def test_columns_of_one_name(engine: str, request: Any) -> None:
    a_table(connection := connect(engine, request))
    with pytest.raises(InputError, match="several columns named 'b'; give each a name of its own"):
        open_table(connection, "SELECT a AS b, b, y FROM t", target="y")
    with pytest.raises(InputError, match="several columns named 'a'"):  # else the target would be a feature too, under another name
        open_table(connection, "SELECT * FROM t JOIN t AS s ON t.a = s.a ORDER BY 1 LIMIT 5", target="y")


@EVERY_ENGINE
@pytest.mark.parametrize("query", ["EXPLAIN SELECT * FROM t", "SHOW TABLES", "INSERT INTO t VALUES (1, 2, 1) RETURNING *", "-- a comment"])
def test_statements_that_are_no_select_are_refused_without_a_word_of_the_parser(engine: str, query: str, request: Any, caplog: Any) -> None:
    a_table(connection := connect(engine, request))
    with pytest.raises(InputError, match="One SELECT is needed"):
        open_table(connection, query, target="y")
    assert not caplog.records


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
@pytest.mark.parametrize("value", ["NaN", "Infinity", None])
def test_the_advice_for_values_that_are_not_finite_helps(engine: str, value: Any, request: Any) -> None:
    a_table(connection := connect(engine, request), order=np.arange(40.0))
    held = "NULL" if value is None else f"CAST('{value}' AS DOUBLE PRECISION)"
    query = f'SELECT CASE WHEN "order" = 3 THEN {held} ELSE "order" END AS "order", a, y FROM t'
    with pytest.raises(InputError, match="column 'order'") as caught:
        GaussianNB().fit(open_table(connection, query, target="y"))
    where = str(caught.value).split("(… ")[1].split("), or")[0]
    assert GaussianNB().fit(open_table(connection, f"SELECT * FROM ({query}) AS u {where}", target="y")).class_count_.sum() == 39


def test_connections_as_people_have_them(request: Any) -> None:
    psycopg = pytest.importorskip("psycopg")
    a_table(connection := connect("postgres", request))
    with psycopg.connect(connection.info.dsn, row_factory=psycopg.rows.dict_row) as other:
        for model in (LinearDiscriminantAnalysis(), LogisticRegression()):
            found = model.fit(open_table(other, "SELECT * FROM t", target="y"))
            assert_allclose(found.coef_, model.fit(open_table(connection, "SELECT * FROM t", target="y")).coef_, rtol=1e-9)
        other.rollback()
        with pytest.raises(psycopg.Error):
            other.execute("SELECT nothing")
        with pytest.raises(DatabaseError, match="end its transaction by connection.rollback"):
            open_table(other, "SELECT * FROM t", target="y")
    with pytest.raises(InputError, match="A query needs a connection, and 'postgresql://localhost/x' is text; connect first"):
        open_table("postgresql://localhost/x", "SELECT * FROM t", target="y")
    closed = sqlite3.connect(":memory:")
    closed.close()
    with pytest.raises(DatabaseError, match="connection was lost .*Connect again"):
        open_table(closed, "SELECT 1 AS a, 2 AS y", target="y")


def test_numbers_keep_their_digits_whatever_the_session_writes(request: Any) -> None:
    psycopg = pytest.importorskip("psycopg")
    data = a_table(connection := connect("postgres", request))
    with psycopg.connect(connection.info.dsn) as other:
        other.execute("SET extra_float_digits = -10")
        other.commit()
        for model in (GaussianNB(), LogisticRegression(tol=1e-9)):
            found, expected = model.fit(open_table(other, "SELECT * FROM t", target="y")), np.column_stack([data["a"], data["b"]])
            said = found.predict_log_proba(pd.DataFrame(expected, columns=["a", "b"]))
            assert_allclose(said, model.fit(expected, data["y"]).predict_log_proba(expected), rtol=1e-7)
        with other.pipeline(), pytest.raises(InputError, match="in pipeline mode"):
            open_table(other, "SELECT * FROM t", target="y")


@pytest.mark.parametrize(("kind", "held"), [("uuid", "gen_random_uuid()"), ("interval", "interval '1 day'"), ("oid", "y::oid")])
def test_types_of_postgres_are_named(kind: str, held: str, request: Any) -> None:
    a_table(connection := connect("postgres", request))
    with pytest.raises(InputError, match=f"Column 'u' holds {kind}, where numbers are needed"):
        GaussianNB().fit(open_table(connection, f"SELECT {held} AS u, a, y FROM t", target="y"))
    with pytest.raises(InputError, match=f"is a column of type {kind}; .* or cast it in the query"):
        open_table(connection, f"SELECT a, {held} AS u FROM t", target="u")


def test_a_file_of_duckdb_and_files_that_it_reads(tmp_path: Any) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:
        data = a_table(connection)
        connection.execute(f"COPY t TO '{tmp_path / 't.parquet'}'")
    expected = GaussianNB().fit(np.column_stack([data["a"], data["b"]]), data["y"]).theta_
    found = [open_table(tmp_path / "a.duckdb", "SELECT * FROM t", target="y")]
    found += [open_table(":memory:", f"SELECT * FROM '{tmp_path / 't.parquet'}'", target="y")]
    for table in found:
        assert_allclose(GaussianNB().fit(table).theta_, expected, rtol=1e-9)
    with pytest.raises(DatabaseError, match="DuckDB cannot open .*none.duckdb"):
        open_table(str(tmp_path / "none.duckdb"), "SELECT 1 AS a, 2 AS y", target="y")


def test_a_driver_that_does_not_tell_its_dialect() -> None:
    class Foreign:
        def cursor(self) -> None: ...
        def commit(self) -> None: ...
        def close(self) -> None: ...

    with pytest.raises(InputError, match="does not tell which SQL it speaks; name it"):
        open_table(Foreign(), "SELECT 1 AS a, 2 AS y", target="y")


@EVERY_ENGINE
def test_the_connection_is_left_as_it_was(engine: str, request: Any) -> None:
    a_table(connection := connect(engine, request))
    connection.execute("BEGIN")
    connection.execute("INSERT INTO t VALUES (1.0, 2.0, 1)")
    table = open_table(connection, "SELECT * FROM t", target="y")
    assert LinearDiscriminantAnalysis().fit(table).summary_.counts.sum() == 41  # within the caller's transaction
    assert len(list(table.blocks())) == 1
    connection.execute("ROLLBACK")
    assert open_table(connection, "SELECT * FROM t", target="y").n_rows == 40


def test_sums_of_several_queries_are_of_one_snapshot(request: Any, monkeypatch: Any) -> None:
    psycopg = pytest.importorskip("psycopg")
    connection = connect("postgres", request)
    store(connection, "t", {**{f"x{j}": np.random.default_rng(j).normal(size=30) for j in range(60)}, "y": np.arange(30) % 2})
    table = open_table(connection, "SELECT * FROM t", target="y")
    assert table.n_rows == 30
    fetch, sent = Connection.fetch, []
    with psycopg.connect(connection.info.dsn, autocommit=True) as other:

        def meanwhile(self: Any, sql: str) -> Any:
            found = fetch(self, sql)
            other.execute("UPDATE t SET x0 = 7, x59 = 9 WHERE y = 1")
            sent.append(sql)
            return found

        expected = ClassMoments.from_data(table)
        monkeypatch.setattr(Connection, "fetch", meanwhile)
        assert_allclose(ClassMoments.from_data(table).scatter, expected.scatter, rtol=1e-12, atol=1e-12)
    assert len(sent) == 3  # a sample of rows for the pilot, and the sums in two parts


@EVERY_ENGINE
def test_a_pilot_that_is_far_off_loses_no_digits(engine: str, request: Any) -> None:
    rng, y = np.random.default_rng(5), np.repeat([0, 1], 1500)
    x = rng.normal(size=3000) + np.where(np.arange(3000) < 1000, 0.0, 1e8)  # the first thousand rows lie elsewhere
    store(connection := connect(engine, request), "t", {"x": x, "y": y})
    found = ClassMoments.from_data(open_table(connection, "SELECT * FROM t", target="y"))
    assert_allclose(found.scatter, ClassMoments.from_data(x[:, None], y).scatter, rtol=1e-9)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_query_that_takes_too_long_is_cut_off(engine: str, request: Any) -> None:
    connection = connect(engine, request)
    endless = "WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n WHERE a < 2000000000) SELECT a, a % 2 AS y FROM n"
    began = time.monotonic()
    with pytest.raises(DatabaseError, match="did not answer within timeout=0.5 seconds"):
        GaussianNB().fit(open_table(connection, endless, target="y", timeout=0.5))
    assert time.monotonic() - began < 30
    cursor = connection.cursor()
    cursor.execute("SELECT 1")  # it can be used further
    assert cursor.fetchone()[0] == 1


def test_a_user_without_permission(request: Any) -> None:
    psycopg = pytest.importorskip("psycopg")
    a_table(connection := connect("postgres", request))
    connection.execute("DROP ROLE IF EXISTS guest")
    connection.execute("CREATE ROLE guest LOGIN")
    connection.execute("GRANT USAGE ON SCHEMA public TO guest")
    with psycopg.connect(connection.info.dsn, user="guest") as other:
        with pytest.raises(DatabaseError, match="permission denied for table t.* Ask for the right to SELECT"):
            open_table(other, "SELECT * FROM t", target="y")
        assert other.info.transaction_status == 0


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), LogisticRegression()], ids=["summed", "streamed"])
def test_a_server_that_dies_in_the_middle_of_a_query(model: Any) -> None:
    psycopg = pytest.importorskip("psycopg")
    with server() as address, closing(psycopg.connect(address, autocommit=True)) as connection:
        a_table(connection)
        slow = open_table(connection, "SELECT a + 0 * length(pg_sleep(0.05)::text) AS a, y FROM t", target="y", classes=[0, 1], timeout=60)
        process = connection.info.backend_pid
        threading.Timer(0.5, os.kill, (process, signal.SIGKILL)).start()
        with pytest.raises(DatabaseError, match="connection was lost during the query 'SELECT a \\+ 0"):
            model.fit(slow)
        assert not hasattr(model, "coef_")


def test_a_server_that_answers_nothing_any_more(monkeypatch: Any) -> None:
    psycopg = pytest.importorskip("psycopg")
    monkeypatch.setattr("separatrix.data.database.query_watch.GRACE", 0.5)
    with server() as address, closing(psycopg.connect(address, autocommit=True)) as connection:
        a_table(connection)
        table = open_table(connection, "SELECT * FROM t", target="y", timeout=0.5)
        process = connection.info.backend_pid
        os.kill(process, signal.SIGSTOP)
        try:
            with pytest.raises(DatabaseError, match="did not answer within timeout=0.5"):
                GaussianNB().fit(table)
        finally:
            os.kill(process, signal.SIGCONT)
