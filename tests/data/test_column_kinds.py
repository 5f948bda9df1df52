"""What drivers say of columns: times with zones, enumerations and types of one installation, labels of any type."""

from __future__ import annotations

import sqlite3
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from separatrix import GaussianNB, TableClassifier, open_table
from separatrix.errors import InputError
from tests.data.databases import connect, store
from tests.data.test_database import a_table


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_times_with_zones_are_those_of_utc_whatever_the_session_has(engine: str, request: Any) -> None:
    connection = connect(engine, request)
    times = pd.date_range("2024-01-01", periods=60, freq="7h", tz="UTC")
    y = np.where(times.hour.to_numpy() < 12, "am", "pm")
    store(connection, "t", {"time": times.strftime("%Y-%m-%d %H:%M:%S+00").to_numpy(str), "y": y})
    query = "SELECT CAST(time AS timestamptz) AS time, y FROM t"
    if engine == "postgres":
        connection.execute("SET TIME ZONE 'Asia/Tokyo'")
    try:
        found = TableClassifier(GaussianNB()).fit(open_table(connection, query, target="y"))
        expected = TableClassifier(GaussianNB()).fit(pd.DataFrame({"time": times}), y)
        assert_allclose(np.sort(found.pipeline_[-1].theta_), np.sort(expected.pipeline_[-1].theta_), rtol=1e-9, atol=1e-9)
    finally:
        if engine == "postgres":
            connection.execute("RESET TIME ZONE")


def test_types_that_an_installation_has_besides(request: Any) -> None:
    a_table(connection := connect("postgres", request))
    connection.execute("CREATE TYPE mood AS ENUM ('sad', 'glad')")
    query = "SELECT a, b, CAST(CASE WHEN y = 1 THEN 'sad' ELSE 'glad' END AS mood) AS m FROM t"
    found = GaussianNB().fit(open_table(connection, query, target="m"))
    assert found.classes_.tolist() == ["glad", "sad"] and found.class_count_.tolist() == [20, 20]
    with pytest.raises(InputError, match="'d' holds tsvector"):
        GaussianNB().fit(open_table(connection, "SELECT a, CAST('x' AS tsvector) AS d, y FROM t", target="y"))


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_labels_that_are_no_numbers_of_a_class(engine: str, request: Any) -> None:
    a_table(connection := connect(engine, request))
    query = "SELECT a, CASE WHEN a < -1 THEN CAST('NaN' AS DOUBLE PRECISION) ELSE y END AS y FROM t"
    with pytest.raises(InputError, match="NaN or infinity: column 'y' holds such in . row"):
        GaussianNB().fit(open_table(connection, query, target="y"))
    query = "SELECT a, CAST(y AS DECIMAL(38, 0)) * 100000000000000000000 AS y FROM t"
    with pytest.raises(InputError, match="'y', the target, holds 100000000000000000000, which is more than 64 bits; make it text"):
        GaussianNB().fit(open_table(connection, query, target="y"))


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_whole_decimals_keep_all_digits_as_labels(engine: str, request: Any) -> None:
    data = a_table(connection := connect(engine, request))
    query = "SELECT a, b, CAST(9007199254740992 + y AS DECIMAL(38, 0)) AS y FROM t"  # which doubles cannot tell apart
    table = open_table(connection, query, target="y")
    assert table.classes.tolist() == [2**53, 2**53 + 1]
    assert np.concatenate([block.codes for block in table.blocks()]).tolist() == data["y"].tolist()


def test_a_connection_of_sqlite_that_gives_text_as_bytes() -> None:
    a_table(connection := sqlite3.connect(":memory:"), y=np.array(["ä", "b"])[np.arange(40) % 2])
    connection.text_factory = bytes
    table = open_table(connection, "SELECT * FROM t", target="y")
    assert table.classes.tolist() == ["b", "ä"]
    assert GaussianNB().fit(table).class_count_.tolist() == [20, 20]
