"""The rows of a query as a file for a while: a database gives rows in no order, and whoever holds rows out needs one that stays.

Sums of folds are asked of the database, and no row leaves it (`evaluation/engine_folds.py`). Models that read rows many times get them from
here: one query, one snapshot, a Parquet file in the folder for temporary files that is removed with the last table that reads it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any

from ...errors import CapacityError
from ...progress import task
from ..files.table_writer import TableWriter
from ..source import Source, chunk_rows
from ..sum_engine import KeyFolds
from . import sql
from .columns import changed
from .keys import key_text, require_keys

if TYPE_CHECKING:
    from .table import DatabaseTable


class TemporaryFolder:
    """A folder that is removed when nobody refers to it any more."""

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp(prefix="separatrix-")
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def copied(table: DatabaseTable, key: str | None = None) -> Source:
    """Return the rows of a query, read once into a temporary file, with the key of each row as text beside them.

    Parameters
    ----------
    table : DatabaseTable, with labels
    key : column of whole numbers, text, booleans or days, optional
    """
    from ..table_opening import open_table

    with table.unchanged():
        _require_space(table)
        if key is not None:
            require_keys(table.connection, table.columns, KeyFolds(key, 1))
        folder = TemporaryFolder()
        path = os.path.join(folder.path, "rows.parquet")
        with open(path, "wb") as sink, task("copy rows", total=table.n_rows) as work:
            writer = TableWriter(sink, "parquet")
            for columns in _batches(table, key):
                writer.write(columns)
                work.advance(f"{writer.rows:,} rows", len(next(iter(columns.values()))))
            writer.close()
        if table.n_rows is not None and writer.rows != table.n_rows:
            raise changed(table.connection)
    names = [name for name in table.feature_names if name != key]
    found: Source = open_table(path, target=table.target, weight=table.weight, columns=names, n_jobs=table.n_jobs)
    found.folder = folder  # type: ignore[attr-defined]  # copies of the table refer to it too
    classes = table.classes
    return found if classes is None else found.with_classes(classes)


def _batches(table: DatabaseTable, key: str | None) -> Iterator[dict[str, Any]]:
    """Yield the columns of some rows by name."""
    asked, kinds = table.columns, [table.columns.kinds[name] for name in table.feature_names]
    names = list(table.feature_names)
    if table.target is not None:
        names, kinds = [*names, table.target], [*kinds, "text" if asked.kinds[table.target] == "text" else "label"]
    if table.weight is not None:
        names, kinds = [*names, table.weight], [*kinds, "number"]
    also = None if key is None else key_text(key, asked.kinds[key], asked.dialect)
    if key is not None:
        names, kinds = [*names, key], [*kinds, "text"]
    query = sql.written(asked.rows(also), table.connection.dialect)
    with closing(table.connection.stream(query, kinds, chunk_rows(len(kinds)))) as batches:
        for batch in batches:
            # The key comes last: as text it replaces the number that a feature of the same name would be.
            columns = {name: batch.column(j) for j, name in enumerate(names)}
            if table.target is not None and asked.kinds[table.target] == "boolean":
                columns[table.target] = columns[table.target].cast("bool")
            yield columns


def _require_space(table: DatabaseTable) -> None:
    """Refuse rows that the disk of temporary files does not hold."""
    needed, there = 8 * int(table.n_rows or 0) * (table.n_features + 2), shutil.disk_usage(tempfile.gettempdir()).free
    if needed > there:
        raise CapacityError(
            f"The rows of the query need about {needed / 2**30:,.1f} GiB of temporary files, and {tempfile.gettempdir()!r} has "
            f"{there / 2**30:,.1f} GiB; set TMPDIR to a larger disk, or use fewer rows or columns."
        )
