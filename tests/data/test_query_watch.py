"""Queries that are waited for: a token, Ctrl-C and a limit end them, whatever the driver hears meanwhile."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from typing import Any

import pytest

from separatrix import GaussianNB, open_table
from separatrix.errors import CancelledError
from separatrix.progress import Cancellation, cancellable
from tests.data.databases import ENGINES, connect

EVERY_ENGINE = pytest.mark.parametrize("engine", ENGINES)
ENDLESS = "WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n WHERE a < 50000000) SELECT a, a % 2 AS y FROM n"


def usable(connection: Any) -> bool:
    """Whether a connection answers, and has no transaction of ours."""
    cursor = connection.cursor()
    cursor.execute("SELECT 1")
    return bool(cursor.fetchone()[0] == 1)


@EVERY_ENGINE
def test_a_token_ends_the_query_that_is_waited_for(engine: str, request: Any) -> None:
    connection, token = connect(engine, request), Cancellation()
    table = open_table(connection, ENDLESS, target="y") if engine != "sqlite" else None  # which looks at its values to tell types
    later = threading.Timer(0.5, token.cancel)
    later.start()
    began = time.monotonic()
    with pytest.raises(CancelledError), cancellable(token):
        GaussianNB().fit(open_table(connection, ENDLESS, target="y") if table is None else table)
    assert time.monotonic() - began < 30
    assert usable(connection)


@EVERY_ENGINE
@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_control_c_ends_the_query_that_is_waited_for(engine: str, request: Any) -> None:
    connection = connect(engine, request)
    # Opened before: an interrupt that comes while Python imports a module may be lost in a callback.
    table = open_table(connection, ENDLESS, target="y") if engine != "sqlite" else None
    later = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # which a process in the background ignores
    later.start()
    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            GaussianNB().fit(open_table(connection, ENDLESS, target="y") if table is None else table)
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - began < 30
    assert usable(connection)


def test_a_token_that_was_cancelled_before_ends_the_work_at_once(request: Any) -> None:
    connection, token = connect("duckdb", request), Cancellation()
    token.cancel()
    with pytest.raises(CancelledError), cancellable(token):
        GaussianNB().fit(open_table(connection, ENDLESS, target="y"))
    assert usable(connection)


def test_time_that_the_caller_takes_for_rows_is_not_the_database_s(request: Any) -> None:
    connection = connect("duckdb", request)
    table = open_table(connection, "SELECT range AS a, range % 2 AS y FROM range(40)", target="y", timeout=0.5, batch_rows=20)
    blocks = []
    for block in table.blocks():
        time.sleep(0.4)
        blocks.append(len(block.X))
    assert sum(blocks) == 40
