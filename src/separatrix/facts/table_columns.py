"""Any table in memory as named columns: frames with text, gaps and dates, arrays, sparse rows, tables of `open_table`."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..data.arrays import as_array
from ..data.columns import Column, ColumnBatch
from ..data.opening import is_frame
from ..data.source import Source
from ..data.tables import object_column, read_column
from ..errors import InputError

DATES = ("Date", "Datetime")
"""Types of a frame's columns that are moments of time."""


def table_columns(X: Any, names: tuple[str, ...] | None = None) -> list[Column]:
    """Return the columns of a table, all rows in each; `names` are those of an array's columns, if they have any.

    Examples
    --------
    >>> import pandas as pd
    >>> [column.type for column in table_columns(pd.DataFrame({"age": [31.0, None], "city": ["Oslo", None]}))]
    ['number', 'text']
    """
    if isinstance(X, Source):
        return _read(X)
    if is_frame(X):
        return _frame_columns(X)
    X = X if sp.issparse(X) else as_array(X) if not hasattr(X, "shape") else np.asarray(X)
    if len(X.shape) != 2:
        raise InputError(f"Expected 2D array, got {len(X.shape)}D array instead; give n rows × p columns, one column as X.reshape(-1, 1).")
    if X.dtype.kind in "OUS":
        return [object_column(X[:, j].astype(object), str(j)) for j in range(X.shape[1])]
    return _matrix_columns(X, names)


def _matrix_columns(X: Any, names: tuple[str, ...] | None) -> list[Column]:
    batch = ColumnBatch(None, X.tocsc() if sp.issparse(X) else X, feature_names=names)
    return [batch.column(j) for j in range(batch.n_features)]


def _frame_columns(X: Any) -> list[Column]:
    from ..data.frames import open_frame, plain_types

    if plain_types(X) is not None:  # one array at once, and not a column after the other
        return _matrix_columns(X.to_numpy(dtype=np.float64), tuple(str(name) for name in X.columns))
    return [_frame_column(values) for values in open_frame(X).iter_columns()]


def _frame_column(values: Any) -> Column:
    name = str(values.name)
    if str(values.dtype).split("(")[0] in DATES:
        return Column(name, values.to_numpy().astype("datetime64[us]"))
    return read_column(values, name)


def _read(table: Source) -> list[Column]:
    """Return the numbers of a table from files, read into memory."""
    blocks = [block.X for block in table.blocks()]
    X = sp.vstack(blocks, format="csc") if sp.issparse(blocks[0]) else np.concatenate(blocks)
    return _matrix_columns(X, table.feature_names)
