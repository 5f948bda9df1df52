"""Keys of folds in a database: the same folds as in Python, for every kind of column whose text is the same everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from separatrix import HashFold, LinearDiscriminantAnalysis, evaluate, open_table
from separatrix.data.key_hash import key_numbers
from separatrix.errors import InputError
from tests.data.databases import connect, store
from tests.data.test_database import a_table

KEYS = {
    "number": "CAST(y AS DECIMAL(38, 0)) * 10000000000000000000000 + id",
    "day": "DATE '1969-12-20' + CAST(id AS INTEGER)",
    "midnight": "CAST(DATE '1969-12-20' + CAST(id AS INTEGER) AS TIMESTAMP)",
    "instant": "CAST(concat(DATE '1969-12-20' + CAST(id AS INTEGER), ' 00:00:00+00') AS timestamptz)",
    "uuid": "CAST(concat('A0EEBC99-9C0B-4EF8-BB6D-6BB9BD3800', id + 10) AS uuid)",
    "text": "concat('ä', id)",
    "boolean": "y = 1",
}


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
@pytest.mark.parametrize("kind", KEYS)
def test_folds_are_those_of_the_values_that_the_driver_gives(engine: str, kind: str, request: Any) -> None:
    data = a_table(connection := connect(engine, request), id=np.arange(40))
    query = f"SELECT a, b, y, {KEYS[kind]} AS k FROM t ORDER BY id"
    cursor = connection.cursor()
    cursor.execute("SET TIME ZONE 'UTC'")
    cursor.execute(query) if engine == "postgres" or kind != "instant" else cursor.execute(query.replace("AS k", "AT TIME ZONE 'UTC' AS k"))
    folds = key_numbers(np.array([row[-1] for row in cursor.fetchall()], dtype=object)) % 2
    plan = [(np.flatnonzero(folds != f), np.flatnonzero(folds == f)) for f in range(2)]
    table = open_table(connection, query, target="y", columns=["a", "b"])
    X = np.column_stack([data["a"], data["b"]])
    if kind == "boolean":
        with pytest.raises(InputError, match="holds all 20 rows of class 0"):
            evaluate(LinearDiscriminantAnalysis(), table, plan=HashFold(2, key="k"))
        return
    found = evaluate(LinearDiscriminantAnalysis(), table, plan=HashFold(2, key="k"))
    expected = evaluate(LinearDiscriminantAnalysis(), X, data["y"], plan=plan)
    assert found.scores["log_loss"] == pytest.approx(expected.scores["log_loss"], rel=1e-9)


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("id + 0.5", "fraction"),
        ("CAST('Infinity' AS DOUBLE PRECISION)", "no finite number below 1e38, in 40 rows"),
        ("CASE WHEN id = 3 THEN 1e39 ELSE id END", "no finite number below 1e38, in 1 row"),
        ("TIMESTAMP '2024-01-01 12:00:00'", "holds a time of day .* in 40 rows"),
        ("DATE '9999-12-20' + CAST(id AS INTEGER)", "year beyond 1 to 9999, in 28 rows"),
    ],
)
def test_keys_whose_text_is_not_the_same_everywhere(engine: str, key: str, said: str, request: Any) -> None:
    a_table(connection := connect(engine, request), id=np.arange(40))
    table = open_table(connection, f"SELECT a, b, y, {key} AS k FROM t", target="y", columns=["a", "b"])
    with pytest.raises(InputError, match=said):
        evaluate(LinearDiscriminantAnalysis(), table, plan=HashFold(2, key="k"))


def test_a_database_of_another_encoding_has_the_same_folds(request: Any) -> None:
    psycopg = pytest.importorskip("psycopg")
    main = connect("postgres", request)
    main.execute("DROP DATABASE IF EXISTS latin")
    main.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    rng, n = np.random.default_rng(0), 60
    data = {"a": rng.normal(size=n), "y": np.arange(n) % 2, "k": np.array([f"ä{i}" for i in range(n)])}
    with psycopg.connect(main.info.dsn, dbname="latin", autocommit=True) as connection:
        store(connection, "t", data)
        found = evaluate(
            LinearDiscriminantAnalysis(), open_table(connection, "SELECT * FROM t", target="y", columns=["a"]), plan=HashFold(3, key="k")
        )
    folds = HashFold(3, key="k").fold_of_keys(data["k"])
    plan = [(np.flatnonzero(folds != f), np.flatnonzero(folds == f)) for f in range(3)]
    expected = evaluate(LinearDiscriminantAnalysis(), data["a"][:, None], data["y"], plan=plan)
    assert found.scores["log_loss"] == pytest.approx(expected.scores["log_loss"], rel=1e-9)
