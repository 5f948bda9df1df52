"""A connection to a database, as its driver gives it: which dialect it speaks, queries, streams of rows, one snapshot, a time limit.

Drivers of Python's DB-API 2.0 (PEP 249) are all used in one way; those that hand over Arrow (DuckDB, ADBC) stream it. What else differs
between them stands here and nowhere else. Only SELECT is sent, between the beginning of a transaction and its rollback.
"""

from __future__ import annotations

import itertools
import sqlite3
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from ...errors import DatabaseError, InputError, InputTypeError, MissingExtraError, short_text
from ...progress import stop_if_cancelled
from ..files.arrow_types import batch_of
from . import column_kinds
from .query_watch import QueryWatch
from .sql import Dialect, dialect_of, written

_DRIVERS = {"duckdb": "duckdb", "sqlite3": "sqlite", "psycopg": "postgres", "psycopg2": "postgres", "pg8000": "postgres"}
_DRIVERS |= {"snowflake": "snowflake", "pyspark": "spark", "databricks": "spark", "pymssql": "tsql", "google": "bigquery"}

_NUMBERS = itertools.count()
"""Names of cursors, of which several may be open at once."""
_WHOLE = " Whole numbers of the query leave their type: cast one to a double before the arithmetic, CAST(a AS DOUBLE PRECISION) * b."
_ADVICE = {
    "permission": " Ask for the right to SELECT from it, or connect as a user who has it.",
    "transaction is aborted": " A statement before it failed: end its transaction by connection.rollback().",
    "underflow": " Squares of numbers below about 1e-150 do not fit into a double: multiply the column by a large number.",
    "value out of range": " Squares of numbers above about 1e150 do not fit into a double: divide the column by a large number.",
    "out of range": _WHOLE,
    "overflow": _WHOLE,
    "open result": " Rows of it are being read: end that loop first (blocks.close()), or open the second table with connection.cursor().",
    "busy with another call": " Another thread uses it: give each thread a connection of its own, connection.cursor().",
    "created in a thread": " Connect in the thread that fits, or with check_same_thread=False.",
    "division by zero": " Leave such rows out, or divide by NULLIF(…, 0).",
}
"""What to do about a refusal, by words of its reason."""


def connect_duckdb(path: str) -> Any:
    """Return a connection to a DuckDB file, which is not written to, or to an empty database in memory.

    Examples
    --------
    >>> connect_duckdb(":memory:").execute("SELECT 42").fetchall()
    [(42,)]
    """
    try:
        import duckdb
    except ImportError as missing:
        raise MissingExtraError("A query without a connection needs DuckDB: pip install 'separatrix[database]'.") from missing
    try:
        return duckdb.connect(path, read_only=path != ":memory:")
    except duckdb.Error as error:
        raise DatabaseError(f"DuckDB cannot open {path!r}: {short_text_of(error)}.") from error


def dialect_of_connection(connection: Any, dialect: str | None) -> Dialect:
    """Return the dialect that was named, or the one that the driver's name tells."""
    if dialect is not None:
        return dialect_of(dialect)
    driver = type(connection).__module__.split(".")[0].lstrip("_")
    name = _DRIVERS.get(driver)
    if name is None and hasattr(connection, "adbc_get_info"):
        vendor = str(connection.adbc_get_info().get("vendor_name", "")).lower()
        name = next((known for known in ("duckdb", "postgres", "sqlite", "snowflake", "bigquery") if known in vendor), None)
    if name is None:
        raise InputError(
            f"The connection is a {type(connection).__module__}.{type(connection).__name__}, which does not tell which SQL it speaks; name "
            "it: open_table(connection, query, target=…, dialect='postgres')."
        )
    return dialect_of(name)


@dataclass
class Connection:
    """A driver's connection, with what is asked of it.

    Parameters
    ----------
    raw : the connection, which stays the caller's and is never closed here
    dialect : what it speaks
    timeout : seconds that a query may take, or None
    name : how messages call the rows: the user's query
    """

    raw: Any
    dialect: Dialect
    timeout: float | None = None
    name: str = "the query"
    _inside: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        if getattr(self.raw, "closed", False):
            raise InputError("The connection is closed; connect again and pass the new connection.")
        if hasattr(self.raw, "__aenter__") and not hasattr(self.raw, "__enter__"):
            raise InputTypeError("The connection is an asynchronous one, whose queries cannot be waited for here; pass a synchronous one.")
        if getattr(getattr(self.raw, "pgconn", None), "pipeline_status", 0):
            raise InputError("The connection is in pipeline mode, where no query is answered at once; open the table outside of it.")

    @property
    def is_duckdb(self) -> bool:
        """Whether it is DuckDB's own connection, which is its cursor too."""
        return type(self.raw).__module__.split(".")[0].lstrip("_") == "duckdb"

    def fetch(self, sql: str) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        with self.snapshot(), self._watched() as query:
            query.call(query.cursor.execute, sql)
            return [_values(row) for row in query.call(query.cursor.fetchall)]

    def kinds(self, sql: str) -> list[tuple[str, str]]:
        """Return name and kind of each column of a query that is asked for no rows, see :mod:`.column_kinds`."""
        with self.snapshot(), self._watched() as query:
            if self._has_arrow(query.cursor):
                with self._reader(query, sql, 1) as reader:
                    return [(field.name, column_kinds.of_arrow(field.type)) for field in reader.schema]
            query.call(query.cursor.execute, sql)
            described = [(str(about[0]), about[1]) for about in query.cursor.description or ()]
            others = self._other_types([code for _, code in described])
            return [(name, self._kind(code, others)) for name, code in described]

    def _other_types(self, codes: Sequence[Any]) -> dict[int, str]:
        asked = column_kinds.other_types(codes) if self.dialect.name == "postgres" else None
        return {} if asked is None else column_kinds.kinds_told(self.fetch(written(asked, self.dialect)))

    def _kind(self, code: Any, others: dict[int, str]) -> str:
        """Return the kind of a column by the code that the driver describes it with."""
        if self.dialect.name == "postgres":
            return column_kinds.of_postgres(code, others) if isinstance(code, int) else str(code)
        module = sys.modules.get(type(self.raw).__module__.split(".")[0])
        for name, kind in (("NUMBER", "number"), ("STRING", "text"), ("DATETIME", "date")):
            if code is not None and getattr(module, name, None) == code:  # PEP 249: such a type is equal to all codes it stands for
                return kind
        return "unknown"

    def stream(self, sql: str, kinds: Sequence[str], rows: int) -> Generator[Any]:
        """Yield the rows of a query in batches of about `rows`, as Arrow; nothing is held but what was not taken yet."""
        with self.snapshot(), self._watched(streams=True) as query:
            if self._has_arrow(query.cursor):
                with self._reader(query, sql, rows) as reader:
                    while (batch := query.call(next, reader, None)) is not None:
                        yield batch
                return
            query.call(query.cursor.execute, sql)
            while given := query.call(query.cursor.fetchmany, rows):
                yield batch_of([_values(row) for row in given], kinds)

    def _has_arrow(self, cursor: Any) -> bool:
        return self.is_duckdb or hasattr(cursor, "fetch_record_batch")

    @contextmanager
    def _reader(self, query: QueryWatch, sql: str, rows: int) -> Iterator[Any]:
        """Give the rows of a query as Arrow's batches."""
        if self.is_duckdb:
            relation = query.call(query.cursor.sql, sql)  # a result of execute would be copied once more
            read = relation.to_arrow_reader if hasattr(relation, "to_arrow_reader") else relation.fetch_record_batch
            reader = query.call(read, rows)
        else:
            query.call(query.cursor.execute, sql)
            reader = query.call(query.cursor.fetch_record_batch)
        with closing(reader):
            yield reader

    @contextmanager
    def _watched(self, streams: bool = False) -> Iterator[QueryWatch]:
        """Give one query with its cursor; what goes wrong is one error that names the query."""
        query = QueryWatch(self.raw, None, self.timeout)
        try:
            query.cursor = self._cursor(streams)
            yield query
        except (DatabaseError, InputError, GeneratorExit):
            raise
        except Exception as error:  # of the driver, whose classes are its own
            stop_if_cancelled()
            raise self._refused(error, query.is_late) from error
        finally:
            if query.cursor is not None and not self.is_duckdb:
                with suppress(Exception):  # of a broken connection; the error that counts is on its way
                    query.cursor.close()

    def _cursor(self, streams: bool) -> Any:
        """Return a cursor that gives rows as tuples, whatever the connection was asked for."""
        driver = type(self.raw).__module__.split(".")[0]
        if self.is_duckdb:
            return self.raw
        if streams and driver in ("psycopg", "psycopg2"):
            cursor = self.raw.cursor(name=f"separatrix {next(_NUMBERS)}")  # held by the server: others are read whole before the first row
        else:
            cursor = self.raw.cursor()
        if driver in ("psycopg", "sqlite3"):
            cursor.row_factory = None if driver == "sqlite3" else sys.modules["psycopg.rows"].tuple_row
        return cursor

    def _refused(self, error: Exception, late: bool) -> DatabaseError:
        reason = short_text_of(error)
        if late:
            return DatabaseError(
                f"The database did not answer within timeout={self.timeout:g} seconds ({reason}). The query is {short_text(self.name)}; "
                "give it more time, or fewer rows."
            )
        if getattr(self.raw, "broken", False) or getattr(self.raw, "closed", False) or " closed" in reason.lower():
            return DatabaseError(f"The connection was lost during the query {short_text(self.name)}: {reason}. Connect again and fit anew.")
        hint = next((advice for sign, advice in _ADVICE.items() if sign in reason.lower()), "")
        return DatabaseError(f"The database refused the query {short_text(self.name)}: {reason}.{hint}")

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all queries within see the rows as they are now: one transaction, begun here unless the caller has one under way."""
        if self._inside:
            yield
            return
        with self._watched() as query:
            begun = query.call(self._begin)
        self._inside = True
        try:
            yield
        finally:
            self._inside = False
            if begun:
                with suppress(Exception):  # the server ends the transaction of a connection that is lost
                    self._end()

    def _begin(self) -> bool:
        """Begin a transaction; False where one is under way, or where the driver does not say."""
        if self.is_duckdb:
            # Two queries have the same number within a transaction only; to begin a second one would abort the caller's.
            first, second = (self.raw.execute("SELECT txid_current()").fetchall() for _ in range(2))
            if first != second:
                self.raw.begin()
            return bool(first != second)
        if isinstance(self.raw, sqlite3.Connection):
            if not self.raw.in_transaction:
                self.raw.execute("BEGIN")
                return True
            return False
        info = getattr(self.raw, "info", None)
        if self.dialect.name != "postgres" or getattr(info, "transaction_status", 1) != 0:  # 0: idle, of libpq
            return False
        cursor = self.raw.cursor()
        if getattr(self.raw, "autocommit", False):
            cursor.execute("BEGIN")
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        cursor.execute("SET LOCAL extra_float_digits = 3")  # else doubles may travel as decimals of fewer digits than they have
        cursor.close()
        return True

    def _end(self) -> None:
        """Roll the transaction back: nothing was written in it."""
        if isinstance(self.raw, sqlite3.Connection):
            self.raw.execute("ROLLBACK")
        else:
            self.raw.rollback()


def _values(row: Any) -> tuple[Any, ...]:
    """Return the values of a row, which a driver may have been asked to give as a dictionary."""
    return tuple(row.values() if isinstance(row, dict) else row)


def short_text_of(error: Exception) -> str:
    """Return the first lines of an error's text in one line, without a full stop."""
    text = " ".join(str(error).split()) or type(error).__name__
    return (text if len(text) <= 200 else text[:199] + "…").rstrip(".")
