"""Databases for tests: the same rows in DuckDB, SQLite and a PostgreSQL server, and a record of what was asked of them."""

from __future__ import annotations

import sqlite3
from typing import Any

import numpy as np
import pytest

from separatrix.data.database.connection import Connection

ENGINES = ["duckdb", "sqlite", "postgres"]


def connect(engine: str, request: pytest.FixtureRequest) -> Any:
    """Return a connection to an empty database of an engine."""
    if engine == "duckdb":
        return pytest.importorskip("duckdb").connect()
    if engine == "sqlite":
        return sqlite3.connect(":memory:")
    connection = request.getfixturevalue("postgres")
    connection.execute("DROP SCHEMA public CASCADE")
    connection.execute("CREATE SCHEMA public")
    return connection


def store(connection: Any, name: str, columns: dict[str, Any]) -> None:
    """Write columns into a new table: floats as doubles, whole numbers, booleans and text as such."""
    postgres = type(connection).__module__.startswith("psycopg")
    types = {"f": "DOUBLE PRECISION", "i": "BIGINT", "b": "BOOLEAN", "U": "TEXT", "O": "TEXT"}
    arrays = {key: np.asarray(values) for key, values in columns.items()}
    quoted = [(_quoted(key), types[values.dtype.kind]) for key, values in arrays.items()]
    connection.execute(f"CREATE TABLE {_quoted(name)} ({', '.join(f'{key} {kind}' for key, kind in quoted)})")
    places = ", ".join(["%s" if postgres else "?"] * len(arrays))
    rows = list(zip(*(values.tolist() for values in arrays.values()), strict=True))
    connection.cursor().executemany(f"INSERT INTO {_quoted(name)} VALUES ({places})", rows)
    if isinstance(connection, sqlite3.Connection):
        connection.commit()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that were sent; those that stream rows begin with "stream:"."""
    sent: list[str] = []
    fetch, stream = Connection.fetch, Connection.stream

    def fetched(self: Connection, sql: str) -> Any:
        sent.append(sql)
        return fetch(self, sql)

    def streamed(self: Connection, sql: str, *rest: Any) -> Any:
        sent.append(f"stream: {sql}")
        return stream(self, sql, *rest)

    monkeypatch.setattr(Connection, "fetch", fetched)
    monkeypatch.setattr(Connection, "stream", streamed)
    return sent
