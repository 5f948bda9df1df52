"""The door to tables: files (which there are, whether they agree, which columns and rows are read), a cluster, a query in a database."""

from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from typing import Any

from ..argument_types import check_arguments
from ..errors import InputError, InputTypeError
from .features import choose_features, refuse_differences, require_name
from .files.file_parts import part_of
from .files.file_table import FileTable
from .files.folder_columns import beside_stored, folder_columns, with_folders
from .files.formats import kinds_of, refuse_other_encodings, schema_of, shared_types, stamp_of, widest, with_rows
from .files.paths import find_files
from .files.row_filter import RowFilter
from .opening import is_frame
from .source import Source


def open_table(
    path: Any,
    query: str | None = None,
    *,
    target: Any = None,
    columns: Sequence[str] | None = None,
    weight: Any = None,
    classes: Any = None,
    where: Any = None,
    batch_rows: int | None = None,
    cluster: Any = None,
    n_jobs: int | None = None,
    dialect: str | None = None,
    timeout: float | None = None,
) -> Any:
    r"""Open files as a table that is read in blocks whenever a model needs its rows, never held in memory; or rows on a cluster, or in a
    database.

    Parameters
    ----------
    path : str, path, or a list of them; or a Dask frame or array; or a connection to a database
        A file, a folder or a glob: Parquet (.parquet, .pq), Arrow (.arrow, .feather, .ipc), text with a header (.csv, .tsv; delimited
        by , ; | or tabs, as the header is) or JSON lines (.jsonl, .ndjson); the last two also with .gz, .bz2, .zst or .xz after it.
        The rows come in the order of the sorted files; those of a list in the order of the list. Folders such as year=2024/ add a
        column, `year`. A connection is one of DuckDB, of ADBC or of any driver of Python's DB-API; it stays yours, and is neither closed
        nor committed. The name of a .duckdb file, or ":memory:" for queries of files, is opened with DuckDB.
    query : str
        One SELECT for the database. It is wrapped, never changed; what a closed-form model needs is summed there, in one snapshot, and no
        row leaves it, while other models stream the rows. For files, the target may stand here.
    target : str, optional
        Column of the labels: whole numbers, text, categories or booleans. Not needed to predict. For a Dask array, the Dask array of
        labels; `weight` likewise.
    columns : list of str, optional
        Columns of the features, in this order; all but `target` and `weight` if not given. Most models need numbers or booleans;
        text, dates and missing values are there for those that take tables, as batches of columns: see `FileTable.as_columns`.
    weight : str, optional
        Column of the weights.
    classes : list of labels, optional
        All labels there are. If not given they are found by reading the target column alone, once, when they are needed.
    where : list of tuples, optional
        Which rows, as pyarrow has it: [("year", ">=", 2023), ("town", "in", ["Ulm", "Rom"])], all of which must hold; in a list of such
        lists, one. Row groups of Parquet and folders that cannot hold such rows are not read.
    batch_rows : int, optional
        Rows of a block, about 12 megabytes of them by default.
    cluster : distributed.Client, address of a scheduler, or True, optional
        Where passes run: workers read the files, a partition each, and only sums travel. True is a local cluster of one process per
        CPU, and the client of this process where there is one; a Dask collection needs no other word.
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
    if inspect.ismodule(path):
        raise InputTypeError(f"{path.__name__} is a module; pass a connection that it gave, such as {path.__name__}.connect(…).")
    if is_connection(path) or (isinstance(path, str | os.PathLike) and os.fspath(path).endswith((".duckdb", ":memory:"))):
        check_arguments(open_table, locals())
        if where is not None or cluster is not None:
            raise InputError("where and cluster are for files; write WHERE into the query, which the database runs itself.")
        return _open_query(path, query, target, columns, weight, classes, batch_rows, n_jobs, dialect, timeout)
    if not hasattr(path, "__dask_graph__") and callable(getattr(path, "fetchmany", None)):
        raise InputTypeError("The connection itself is needed, not a cursor of it: open_table(cursor.connection, 'SELECT …', target='y').")
    if dialect is not None or timeout is not None:
        raise InputError("dialect and timeout are for databases; leave them out, or pass a connection and a query.")
    if isinstance(path, str) and isinstance(query, str) and query.lstrip(" (").lower().startswith(("select ", "with ", "from ")):
        raise InputError(
            f"A query needs a connection, and {path!r:.60} is text; connect first, with the driver of the database: "
            "open_table(psycopg.connect('…'), 'SELECT …', target='y')."
        )
    if query is not None and target is not None:
        raise InputError(f"Files have no query, so {query!r:.60} is one argument too many; pass the files and target={target!r:.60} alone.")
    target = query if target is None else target
    if cluster is not None or hasattr(path, "__dask_graph__"):
        return _on_cluster(path, cluster, target, columns, weight, classes, where, batch_rows)
    if is_frame(path):
        raise InputTypeError("The rows are in memory already, as a frame; pass them to the model itself: fit(X, y), evaluate(model, X, y).")
    check_arguments(open_table, {**locals(), "cluster": None})
    require_name("target", target)
    require_name("weight", weight)
    return _open_files(path, target, columns, weight, classes, where, batch_rows, n_jobs)


def is_connection(given: Any) -> bool:
    """Whether something is a connection to a database: it can make cursors, and end a transaction.

    Examples
    --------
    >>> import sqlite3
    >>> is_connection(sqlite3.connect(":memory:")), is_connection("rows.parquet")
    (True, False)
    """
    if isinstance(given, type) or hasattr(given, "__dask_graph__"):  # a Delayed of Dask has an attribute of any name
        return False
    return all(callable(getattr(given, name, None)) for name in ("cursor", "commit", "close"))


def _open_query(
    connection: Any,
    query: str | None,
    target: Any,
    columns: Sequence[str] | None,
    weight: Any,
    classes: Any,
    batch_rows: int | None,
    n_jobs: int | None,
    dialect: str | None,
    timeout: float | None,
) -> Source:
    if query is None:
        raise InputError("A connection needs a query: open_table(connection, 'SELECT * FROM customers', target='churn').")
    require_name("target", target)
    require_name("weight", weight)
    from .database.connection import connect_duckdb
    from .database.table import open_query

    connection = connection if is_connection(connection) else connect_duckdb(os.fspath(connection))
    options = {"columns": columns, "weight": weight, "classes": classes, "batch_rows": batch_rows, "n_jobs": n_jobs}
    return open_query(connection, query, target, dialect=dialect, timeout=timeout, **options)


def _on_cluster(
    data: Any, cluster: Any, target: Any, columns: Sequence[str] | None, weight: Any, classes: Any, where: Any, batch_rows: Any
) -> Source:
    from .cluster import open_cluster

    if is_frame(data) and not hasattr(data, "__dask_graph__"):
        raise InputTypeError("The rows are in memory here, as a frame; give them to Dask: dask.dataframe.from_pandas(X, npartitions=8).")
    if not hasattr(data, "__dask_graph__"):
        data = _open_files(data, target, columns, weight, None, where, batch_rows, None)
    elif where is not None or batch_rows is not None:
        raise InputError("where and batch_rows are for files; filter the Dask collection itself: frame[frame.year >= 2023].")
    return open_cluster(data, cluster, target, columns, weight, classes)


def _open_files(
    path: Any, target: Any, columns: Sequence[str] | None, weight: Any, classes: Any, where: Any, batch_rows: int | None, n_jobs: int | None
) -> FileTable:
    if batch_rows is not None and batch_rows < 1:
        raise InputError(f"batch_rows={batch_rows}: a block needs at least one row; leave it out for about 12 megabytes.")
    found, kind = find_files(path)
    stamped = {file: stamp_of(file) for file in found}
    read = with_rows({file: schema_of(file, kind, target) for file in found})
    files, stamps = list(read), {file: stamped[file] for file in read}
    schemas = shared_types(read, kind)
    constants = beside_stored(folder_columns(files), schemas)
    schema = with_folders(widest(schemas), constants)
    refuse_other_encodings(read, kind, [name for name in (target, weight) if name is not None])
    features = choose_features(kinds_of(schema), columns, target, weight)
    used = [*features, *(name for name in (target, weight) if name is not None)]
    refuse_other_encodings(read, kind, used)
    rows = None if where is None else RowFilter.of(where, schema)
    asked = [*used, *(rows.names if rows else ())]
    stored = set(schemas[files[0]].names)
    refuse_differences(schemas, None if columns is None else [name for name in asked if name in stored], target)
    parts = [part_of(file, stamps[file], kind, schema, constants[file], rows) for file in files]
    table = FileTable(stamps, kind, schema, features, target, weight, [part for part in parts if part is not None], rows)
    table.batch_rows = batch_rows or table.batch_rows
    table.n_jobs = n_jobs
    return table if classes is None else table.with_classes(classes)
