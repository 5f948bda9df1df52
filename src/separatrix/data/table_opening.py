"""The door for tables: files, or a query in a database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..argument_types import check_arguments
from ..errors import InputError
from . import files


def open_table(
    path: Any,
    query: str | None = None,
    *,
    target: str | None = None,
    columns: Sequence[str] | None = None,
    weight: str | None = None,
    classes: Any = None,
    batch_rows: int | None = None,
    n_jobs: int | None = None,
    dialect: str | None = None,
    timeout: float | None = None,
) -> Any:
    r"""Open files as a table that is read in blocks whenever a model needs its rows, and never held in memory; or a query in a database.

    Parameters
    ----------
    path : str, path, or a list of them; or a connection to a database
        A file, a folder or a glob: Parquet (.parquet, .pq), Arrow (.arrow, .feather, .ipc), text with a header (.csv, .tsv; delimited
        by , ; | or tabs, as the header is) or JSON lines (.jsonl, .ndjson); the last two also with .gz, .bz2, .zst or .xz after it.
        The rows come in the order of the sorted files; those of a list in the order of the list. A connection is one of DuckDB, of ADBC,
        or of any driver of Python's DB-API; it stays yours, and is neither closed nor committed.
    query : str
        One SELECT for the database. It is wrapped and never changed; what a closed-form model needs is summed there, in one snapshot, and
        no row leaves it, while other models stream the rows. For files this is the target.
    target : str, optional
        Column of the labels: whole numbers, text, categories or booleans. Not needed to predict.
    columns : list of str, optional
        Columns of the features, in this order; all but `target` and `weight` if not given. Most models need numbers or booleans;
        text, dates and missing values are there for those that take tables, as batches of columns: see `FileTable.as_columns`.
    weight : str, optional
        Column of the weights.
    classes : list of labels, optional
        All labels there are. If not given they are found by reading the target column alone, once, when they are needed.
    batch_rows : int, optional
        Rows of a block, about 12 megabytes of them by default.
    n_jobs : int, optional
        Threads, see :func:`separatrix.data.threads.thread_count`. With one, nothing is read ahead.
    dialect : str, optional
        The SQL of the database, such as "postgres", where its driver does not tell.
    timeout : float, optional
        Seconds that each query of the database may take.

    Examples
    --------
    >>> import sqlite3, tempfile
    >>> from pathlib import Path
    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = Path(folder.name, "visits.csv").write_text("age,pages,buys\n31,4,no\n47,9,yes\n")
    >>> table = open_table(folder.name + "/*.csv", target="buys")
    >>> table.feature_names, table.classes.tolist(), [block.X.tolist() for block in table.blocks()]
    (('age', 'pages'), ['no', 'yes'], [[[31.0, 4.0], [47.0, 9.0]]])
    >>> folder.cleanup()
    >>> database = sqlite3.connect(":memory:")
    >>> _ = database.executescript("create table visits (age, pages, buys); insert into visits values (31, 4, 'no'), (47, 9, 'yes')")
    >>> open_table(database, "select age, buys from visits", target="buys").feature_names
    ('age',)
    """
    check_arguments(open_table, locals())
    if is_connection(path):
        return _open_query(
            path,
            query,
            target,
            columns=columns,
            weight=weight,
            classes=classes,
            batch_rows=batch_rows,
            n_jobs=n_jobs,
            dialect=dialect,
            timeout=timeout,
        )
    if dialect is not None or timeout is not None:
        raise InputError("dialect and timeout are for databases; leave them out, or pass a connection and a query.")
    if query is not None and target is not None:
        raise InputError(
            f"Files have no query, so that {query!r:.60} is one argument too many; pass the files and target={target!r} alone."
        )
    named = query if target is None else target
    return files.open_table(path, named, columns=columns, weight=weight, classes=classes, batch_rows=batch_rows, n_jobs=n_jobs)


def is_connection(given: Any) -> bool:
    """Whether something is a connection to a database: it can make cursors, and end a transaction.

    Examples
    --------
    >>> import sqlite3
    >>> is_connection(sqlite3.connect(":memory:")), is_connection("rows.parquet")
    (True, False)
    """
    return not isinstance(given, type) and all(callable(getattr(given, name, None)) for name in ("cursor", "commit", "close"))


def _open_query(connection: Any, query: str | None, target: str | None, **options: Any) -> Any:
    if query is None:
        raise InputError("A connection needs a query: open_table(connection, 'SELECT * FROM customers', target='churn').")
    from .database import open_query

    return open_query(connection, query, target, **options)
