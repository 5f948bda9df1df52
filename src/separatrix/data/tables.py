"""Tables in memory whose columns may be of any type and may have holes: sources of column batches."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, InputTypeError
from .arrays import refuse_empty
from .columns import Column, ColumnBatch
from .frames import FrameSource
from .source import ChunkedSource

TEXT = ("String", "Categorical", "Enum")


class NullableFrame(FrameSource):
    """Rows of a frame of numbers in which missing values become NaN."""

    def _column(self, part: Any, j: int) -> NDArray[Any]:
        return numbers_of(part[:, j])


class FrameTable(FrameSource):
    """Rows of a frame with columns of numbers, booleans, text and categories; its chunks are column batches.

    Examples
    --------
    >>> import pandas as pd
    >>> table = FrameTable(pd.DataFrame({"age": [31, None], "city": ["Oslo", None]}))
    >>> table.chunk(0).numbers([0]).tolist(), table.chunk(0).column(1).categories()
    ([[31.0], [nan]], (array([ 0, -1], dtype=int32), ['Oslo']))
    """

    def _check_columns(self) -> None:
        for j in range(self.n_features):
            column_type(self.frame[:, j])

    def chunk(self, begin: int) -> Any:
        """Return the chunk that begins at a row, as a column batch."""
        end = min(begin + self.chunk_rows, self.n_rows)
        part = self.frame[begin:end]
        columns = tuple(read_column(part[:, j], str(name)) for j, name in enumerate(self.frame.columns))
        return _labelled(self, columns, begin, end)


class ObjectTable(ChunkedSource):
    """Rows of an array of objects or of text; each column is numbers, or text.

    Examples
    --------
    >>> ObjectTable(np.array([["Oslo", 31], ["Rome", None]], dtype=object)).chunk(0).types()
    ['text', 'number']
    """

    def __init__(self, X: Any, *, n_jobs: int | None = None) -> None:
        self.X = np.asarray(X, dtype=object)
        if self.X.ndim != 2:
            raise InputError(f"Expected 2D array, got {self.X.ndim}D array instead. Reshape your data: one row per sample.")
        refuse_empty(self.X.shape)
        self.n_rows, self.n_features = self.X.shape
        self.n_jobs = n_jobs
        for j in range(self.n_features):
            object_column(self.X[:, j], str(j))

    def rows(self, begin: int, end: int) -> Any:
        """Return rows begin to end as they are."""
        return self.X[begin:end]

    def chunk(self, begin: int) -> Any:
        """Return the chunk that begins at a row, as a column batch."""
        end = min(begin + self.chunk_rows, self.n_rows)
        columns = tuple(object_column(self.X[begin:end, j], str(j)) for j in range(self.n_features))
        return _labelled(self, columns, begin, end)


def _labelled(source: ChunkedSource, columns: tuple[Column, ...], begin: int, end: int) -> ColumnBatch:
    codes = None if source.labels is None else source.labels.codes(begin, end)
    weight = None if source.weight is None else source.weight[begin:end]
    return ColumnBatch(columns, None, codes, weight, begin)


def column_type(values: Any) -> str:
    """Return "number", "text" or "object" for a frame's column, or refuse it."""
    kind = str(values.dtype).split("(")[0]
    if values.dtype.is_numeric() or kind == "Boolean":
        return "number"
    if kind in TEXT:
        return "text"
    if kind == "Object":
        object_column(values.to_numpy(), str(values.name))
        return "object"
    raise InputError(
        f"Column {values.name!r} is of type {kind}, which is neither a number nor text. Turn it into numbers, such as the year or "
        "the days since a date, or leave it out: X.drop(columns=[…])."
    )


def read_column(values: Any, name: str) -> Column:
    """Return a frame's column with its values as an array, codes for text."""
    kind = column_type(values)
    if kind == "object":
        return object_column(values.to_numpy(), name)
    if kind == "number":
        return Column(name, numbers_of(values))
    # Arrow codes text without Python objects: 10 ns a value, where a dict takes 60, and other threads can run meanwhile.
    arrow = values.to_arrow()
    arrow = arrow.combine_chunks() if hasattr(arrow, "combine_chunks") else arrow  # frames put together have several
    if arrow.null_count == len(arrow):
        return no_values(name, len(arrow))
    coded = arrow if hasattr(arrow, "dictionary") else arrow.dictionary_encode()
    if coded.dictionary.null_count:  # a null may stand among the categories themselves; coded anew it does not
        coded = coded.dictionary_decode().dictionary_encode()
    missing = coded.indices.is_null().to_numpy(zero_copy_only=False)
    codes = coded.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int32)
    levels = np.empty(len(coded.dictionary), dtype=object)
    levels[:] = coded.dictionary.to_pylist()
    return Column(name, codes, levels, missing if missing.any() else None)


def no_values(name: str, n_rows: int) -> Column:
    """Return a column of which every value is missing."""
    return Column(name, np.zeros(n_rows, dtype=np.int32), np.empty(0, dtype=object), np.ones(n_rows, dtype=bool))


def numbers_of(values: Any) -> NDArray[Any]:
    """Return a frame's column of numbers, NaN where missing."""
    if not values.null_count():
        return np.asarray(values.to_numpy())
    found = np.full(len(values), np.nan)
    found[~values.is_null().to_numpy().astype(bool)] = values.drop_nulls().to_numpy()
    return found


def object_column(values: NDArray[Any], name: str) -> Column:
    """Return a column of Python objects: all numbers (or booleans), or all text; None and NaN are missing."""
    missing = np.array([v is None or v != v for v in values.tolist()], dtype=bool)
    if missing.all():
        return no_values(name, len(values))
    known = values[~missing]
    text = [isinstance(v, str) for v in known.tolist()]
    if not any(text):
        numbers = np.full(len(values), np.nan)
        try:
            numbers[~missing] = known.astype(np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise InputTypeError(
                f"Column {name!r} holds objects that are neither numbers nor text ({error}); turn them into one of these (a date: into "
                "days, or its year), or leave the column out."
            ) from None
        return Column(name, numbers)
    if not all(text):
        one, other = known[text.index(True)], known[text.index(False)]
        raise InputError(
            f"Column {name!r} mixes text and numbers, such as {one!r} and {other!r}; make it one type, for instance .astype(str)."
        )
    levels, places = np.unique(known, return_inverse=True)
    codes = np.zeros(len(values), dtype=np.int32)
    codes[~missing] = places
    return Column(name, codes, levels, missing if missing.any() else None)
