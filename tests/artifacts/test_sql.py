"""SQL says what models say, in real databases."""

from __future__ import annotations

import sqlite3
import warnings

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlglot

from separatrix import LogisticRegression, MixedNB, TableClassifier, TablePrep
from separatrix.artifacts.exports import to_sql
from separatrix.artifacts.formula import formula_of
from separatrix.data.database.sql import DIALECTS
from separatrix.data.whole_tables import whole_table
from separatrix.errors import InputError
from tests.artifacts.models import Case, answers, machine_cases, number_cases, table, table_cases
from tests.data.test_sql import HOSTILE

TYPES = {"number": "DOUBLE PRECISION", "text": "TEXT", "date": "TIMESTAMP"}


def rows_in(database, frame, postgres):
    """Put a table into a database, and return what runs a query there."""
    frame = frame.copy()
    frame.columns = [str(name) for name in frame.columns]
    frame.insert(0, "row id", range(len(frame)))
    kinds = [_kind(frame[name]) for name in frame]
    connection = {"duckdb": duckdb.connect, "sqlite": lambda: sqlite3.connect(":memory:")}.get(database, lambda: postgres)()
    quoted = ['"' + name.replace('"', '""') + '"' for name in frame]
    columns = ", ".join(f"{name} {TYPES[kind]}" for name, kind in zip(quoted, kinds))
    connection.execute("DROP TABLE IF EXISTS rows")
    connection.execute(f"CREATE TABLE rows ({columns})")
    mark = "%s" if database == "postgres" else "?"
    insert = f"INSERT INTO rows VALUES ({', '.join([mark] * len(kinds))})"
    values = [[_plain(value, kind, database) for value, kind in zip(row, kinds)] for row in frame.itertuples(index=False)]
    (connection.cursor() if database == "postgres" else connection).executemany(insert, values)
    return connection


def _kind(values):
    if pd.api.types.is_datetime64_any_dtype(values):
        return "date"
    return "number" if pd.api.types.is_numeric_dtype(values) else "text"


def _plain(value, kind, database):
    if value is None or value is pd.NaT or (kind == "text" and isinstance(value, float) and np.isnan(value)):
        return None
    if kind == "date":
        return str(value)
    return float(value) if kind == "number" else str(value)


def says_the_same(case, database, postgres, **how):
    frame = (
        pd.DataFrame(case.rows, columns=[f"x{j}" for j in range(case.rows.shape[1])]) if isinstance(case.rows, np.ndarray) else case.rows
    )
    connection = rows_in(database, frame, postgres)
    found = connection.execute(to_sql(case.model, database, keep=["row id"], **how)).fetchall()
    found = sorted(found)
    formula = formula_of(case.model)
    own = formula.predictions(case.rows if isinstance(case.rows, np.ndarray) else whole_table(case.rows))
    at = 3 if formula.rule is not None else 2
    told = own.posteriors if own.posteriors is not None else own.scores
    np.testing.assert_allclose(np.array([row[at:] for row in found], dtype=float), told, rtol=1e-9, atol=1e-9)
    clear = margins(own) > 1e-9
    assert [row[1] for row, sure in zip(found, clear) if sure] == own.labels[clear].tolist()
    if at == 3:
        assert [row[2] for row, sure in zip(found, clear) if sure] == own.actions[clear].tolist()


def margins(own):
    scores = own.scores if own.posteriors is None else own.posteriors
    if scores.shape[1] == 1:
        return np.abs(scores[:, 0])
    ordered = np.sort(scores, axis=1)
    return ordered[:, -1] - ordered[:, -2]


@pytest.mark.parametrize("database", ["duckdb", "sqlite", "postgres"])
@pytest.mark.parametrize("case", [case for case in number_cases() if case.name != "VotedPerceptron-3"], ids=str)
def test_numbers(case, database, postgres):
    says_the_same(case, database, postgres)


@pytest.mark.parametrize("case", machine_cases(), ids=str)
def test_machines(case):
    says_the_same(case, "duckdb", None)


@pytest.mark.parametrize("database", ["duckdb", "postgres"])
@pytest.mark.parametrize("case", table_cases(), ids=str)
def test_tables(case, database, postgres):
    says_the_same(case, database, postgres)


@pytest.mark.parametrize("case", table_cases(written=False), ids=str)
def test_tables_without_patterns(case):
    says_the_same(case, "sqlite", None)


@pytest.mark.parametrize("database", ["duckdb", "sqlite", "postgres"])
@pytest.mark.parametrize("K", [2, 3])
def test_scores_of_a_thousand_and_two_thousand_terms(database, K, postgres, rng):
    columns = 2000 // (1 if K == 2 else K)
    if database == "postgres":  # whose rows have at most 8,160 bytes; three classes have 2,000 terms all the same
        columns = min(columns, 900)
    X = rng.normal(size=(30, columns))
    model = LogisticRegression(max_iter=3) if K == 2 else LogisticRegression()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X[:, :2], np.arange(30) % K)
    model.coef_ = rng.normal(size=(1 if K == 2 else K, columns)) * 1000 / np.sqrt(columns)
    model.intercept_, model.n_features_in_ = np.zeros(len(model.coef_)), columns
    assert np.abs(model.decision_function(X)).max() > 1000
    array = ", ".join(f"x{j}" for j in range(columns))
    connection = {"duckdb": duckdb.connect, "sqlite": lambda: sqlite3.connect(":memory:")}.get(database, lambda: postgres)()
    types = ", ".join(f"x{j} DOUBLE PRECISION" for j in range(columns))
    connection.execute("DROP TABLE IF EXISTS rows")
    connection.execute(f"CREATE TABLE rows ({types})")
    for row in X[:10]:
        connection.execute(f"INSERT INTO rows ({array}) VALUES ({', '.join(map(repr, row.tolist()))})")
    found = connection.execute(to_sql(model, database)).fetchall()
    np.testing.assert_allclose([row[1:] for row in found], model.predict_proba(X[:10]), rtol=1e-9, atol=1e-9)
    assert [row[0] for row in found] == model.predict(X[:10]).tolist()


@pytest.mark.parametrize("database", ["duckdb", "sqlite", "postgres"])
@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_names_levels_and_labels(hostile, database, postgres):
    frame = pd.DataFrame({hostile: ["a", hostile, "b", hostile] * 10, "z": np.arange(40.0)})
    y = np.array([hostile, "no", "no", hostile] * 10)
    model = TableClassifier().fit(frame, y)
    connection = rows_in(database, frame, postgres)
    connection.execute("DROP TABLE IF EXISTS t")
    connection.execute("CREATE TABLE t (x INTEGER)")
    found = sorted(connection.execute(to_sql(model, database, keep=["row id"])).fetchall())
    np.testing.assert_allclose([row[2:] for row in found], model.predict_proba(frame), rtol=1e-9)
    assert [row[1] for row in found] == model.predict(frame).tolist()
    assert connection.execute("SELECT count(*) FROM t").fetchall()[0][0] == 0


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_is_one_select(dialect):
    for case in [*number_cases()[:8], *table_cases(written=False)[:4]]:
        (query,) = sqlglot.parse(to_sql(case.model, dialect, table=["my schema", "my table"], pretty=True), read=dialect)
        assert query.key == "select"


def test_rows_without_a_rule_get_no_label():
    case = number_cases()[0]
    rows = "SELECT 1e0 AS x0, CAST('nan' AS DOUBLE) AS x1, 1e0 AS x2, 1e0 AS x3 UNION ALL SELECT NULL, 1, 1, 1"
    found = duckdb.connect().execute(to_sql(case.model, query=rows)).fetchall()
    assert [row[0] for row in found] == [None, None]


def test_what_cannot_be_said_in_sql_is_refused():
    frame = table()
    y, names = answers(frame), ["age", "code"]
    from separatrix import TablePrep

    hashed = TableClassifier(prep=TablePrep(kinds={"code": "hash"})).fit(frame[names], y)
    with pytest.raises(InputError, match="Column 'code' becomes numbers by hash"):
        to_sql(hashed)
    written = table_cases()[0].model
    with pytest.raises(InputError, match="sqlite has no regular expressions"):
        to_sql(written, "sqlite")
    case = number_cases()[0]
    with pytest.raises(InputError, match="Did you mean 'postgres'"):
        to_sql(case.model, "postgress")
    with pytest.raises(InputError, match="One SELECT is needed"):
        to_sql(case.model, query="drop table rows")
    with pytest.raises(InputError, match="keep names column 'label'"):
        to_sql(case.model, keep=["label"])
    voted = next(case for case in number_cases() if case.name == "VotedPerceptron-3")
    with pytest.raises(InputError, match="Use AveragedPerceptron"):
        to_sql(voted.model)


@pytest.mark.parametrize("database", ["duckdb", "sqlite", "postgres"])
@pytest.mark.parametrize("model", [LogisticRegression(), MixedNB()], ids=str)
def test_levels_that_look_alike_and_texts_that_are_no_dates(model, database, postgres):
    days = [str(day) for day in np.arange("2024-01-05", "2024-07-05", dtype="datetime64[D]")]
    table = pd.DataFrame({"grade": (["1", "1.0", "true", "b", "1.0"] * 40)[: len(days)], "day": days})
    fitted = TableClassifier(model).fit(table, np.where(table["grade"].isin(["1", "b"]) ^ (np.arange(len(days)) % 7 == 0), "x", "y"))
    odd = ["2023-02-29", "2024-02-29", "now", "2024-3-4", "soon", "", "2024-03-04T05:06:07.25", "2024-03-04 23:00:00+05:00", "1900-02-29"]
    rows = pd.DataFrame({"grade": ["1", "1.0", "true"] * 3, "day": odd})
    says_the_same(Case("look-alikes", fitted, rows), database, postgres)


@pytest.mark.parametrize("database", ["duckdb", "sqlite", "postgres"])
def test_numbers_that_are_levels_are_found_however_a_database_writes_them(database, postgres):
    levels = [1e20, 1e-7, 0.5, 3.0, -1.0, 1e15, 123456.789, 0.1 + 0.2]
    table = pd.DataFrame({"code": levels * 30})
    fitted = TableClassifier(prep=TablePrep(kinds={"code": "category"})).fit(table, np.arange(len(table)) * 7 % 13 > table.index % 8)
    says_the_same(Case("levels", fitted, pd.DataFrame({"code": [*levels, 7.0, np.nan]})), database, postgres)
