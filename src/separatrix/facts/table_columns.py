"""Any table in memory as named columns: frames with text, gaps and dates, arrays, sparse rows, tables of `open_table`."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..data.arrays import as_array
from ..data.columns import Column, ColumnBatch
from ..data.opening import is_frame
from ..data.source import Source
from ..data.whole_tables import whole_table


def table_columns(X: Any, names: tuple[str, ...] | None = None) -> list[Column]:
    """Return the columns of a table, all rows in each; `names` are those of an array's columns, if they have any.

    Examples
    --------
    >>> import pandas as pd
    >>> [column.type for column in table_columns(pd.DataFrame({"age": [31.0, None], "city": ["Oslo", None]}))]
    ['number', 'text']
    """
    if isinstance(X, Source):
        X, names = _read(X), X.feature_names
    if is_frame(X):
        from ..data.frames import plain_types

        if plain_types(X) is not None:  # one array at once, and not a column after the other
            X, names = X.to_numpy(dtype=np.float64), tuple(str(name) for name in X.columns)
    if not isinstance(X, ColumnBatch) and not is_frame(X):
        X = X.tocsc() if sp.issparse(X) else as_array(X)
        if len(X.shape) == 2 and X.dtype.kind in "biuf":
            X = ColumnBatch(None, X, feature_names=names)
    batch = whole_table(X)
    return [batch.column(j) for j in range(batch.n_features)]


def _read(table: Source) -> Any:
    """Return all rows of a table: a batch of columns from files, else a matrix."""
    blocks: list[Any] = list(table.as_columns().blocks())
    if isinstance(blocks[0], ColumnBatch):
        return ColumnBatch.joined(blocks)
    parts = [block.X for block in blocks]
    return sp.vstack(parts) if sp.issparse(parts[0]) else np.concatenate(parts)
