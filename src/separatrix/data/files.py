"""The door to files: which there are, whether they agree, and which of their columns and rows are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..argument_types import check_arguments
from ..errors import InputError
from .features import choose_features, refuse_differences
from .file_parts import part_of, with_folders
from .file_table import FileTable
from .formats import kinds_of, refuse_other_encodings, schema_of, shared_types, stamp_of, widest
from .paths import find_files
from .row_filter import RowFilter, folder_columns
from .source import Source


def open_table(
    path: Any,
    target: str | None = None,
    *,
    columns: Sequence[str] | None = None,
    weight: str | None = None,
    classes: Any = None,
    where: Any = None,
    batch_rows: int | None = None,
    cluster: Any = None,
    n_jobs: int | None = None,
) -> Any:
    r"""Open files as a table that is read in blocks whenever a model needs its rows, and never held in memory; or rows on a cluster.

    Parameters
    ----------
    path : str, path, or a list of them; or a Dask frame or array
        A file, a folder or a glob: Parquet (.parquet, .pq), Arrow (.arrow, .feather, .ipc), text with a header (.csv, .tsv; delimited
        by , ; | or tabs, as the header is) or JSON lines (.jsonl, .ndjson); the last two also with .gz, .bz2, .zst or .xz after it.
        The rows come in the order of the sorted files; those of a list in the order of the list. Folders such as year=2024/ add a
        column, `year`.
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

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = Path(folder.name, "visits.csv").write_text("age,pages,buys\n31,4,no\n47,9,yes\n")
    >>> table = open_table(folder.name + "/*.csv", target="buys")
    >>> table.feature_names, table.classes.tolist(), [block.X.tolist() for block in table.blocks()]
    (('age', 'pages'), ['no', 'yes'], [[[31.0, 4.0], [47.0, 9.0]]])
    >>> folder.cleanup()
    """
    if cluster is not None or hasattr(path, "__dask_graph__"):
        return _on_cluster(path, cluster, target, columns, weight, classes, where, batch_rows)
    check_arguments(open_table, {**locals(), "cluster": None})
    return _open_files(path, target, columns, weight, classes, where, batch_rows, n_jobs)


def _on_cluster(
    data: Any, cluster: Any, target: Any, columns: Sequence[str] | None, weight: Any, classes: Any, where: Any, batch_rows: Any
) -> Source:
    from .cluster import open_cluster

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
    files, kind = find_files(path)
    stamps = {file: stamp_of(file) for file in files}
    read = {file: schema_of(file, kind, target) for file in files}
    schemas = shared_types(read, kind)
    constants = folder_columns(files)
    schema = with_folders(widest(schemas), constants)
    refuse_other_encodings(read, kind, [name for name in (target, weight) if name is not None])
    features = choose_features(kinds_of(schema), columns, target, weight)
    used = [*features, *(name for name in (target, weight) if name is not None)]
    refuse_other_encodings(read, kind, used)
    rows = None if where is None else RowFilter.of(where, schema)
    asked = [*used, *(rows.names if rows else ())]
    refuse_differences(schemas, None if columns is None else [name for name in asked if name in schemas[files[0]].names], features)
    parts = [part_of(file, stamps[file], kind, schema, constants[file], rows) for file in files]
    table = FileTable(stamps, kind, schema, features, target, weight, [part for part in parts if part is not None], rows)
    table.batch_rows = batch_rows or table.batch_rows
    table.n_jobs = n_jobs
    return table if classes is None else table.with_classes(classes)
