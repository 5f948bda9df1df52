"""Rows in a pandas, polars or Arrow frame, all through narwhals. The only file that imports it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, InputTypeError
from .arrays import refuse_empty
from .features import require_column
from .labels import Labels
from .source import ChunkedSource


class FrameSource(ChunkedSource):
    """Rows of a frame whose columns are numbers or booleans, converted chunk by chunk on the threads.

    Examples
    --------
    >>> import pandas as pd
    >>> source = FrameSource(pd.DataFrame({"age": [31, 47], "member": [True, False]}))
    >>> source.feature_names, next(source.blocks()).X.tolist()
    (('age', 'member'), [[31.0, 1.0], [47.0, 0.0]])
    """

    def __init__(self, X: Any, labels: Labels | None = None, *, n_jobs: int | None = None) -> None:
        plain = plain_types(X)
        self.native, self.is_plain = X, plain is not None
        names = X.columns.tolist() if self.is_plain else list(self.frame.columns)
        self.n_rows, self.n_features = X.shape if self.is_plain else self.frame.shape
        refuse_empty((self.n_rows, self.n_features))
        self._check_columns()
        self.feature_names = tuple(names) if all(isinstance(name, str) for name in names) else None
        if self.feature_names is None and any(isinstance(name, str) for name in names):
            raise InputTypeError(
                f"Feature names are only supported if all input features have string names, "
                f"but X mixes {sorted({type(n).__name__ for n in names})}; use X.columns = X.columns.astype(str)."
            )
        self.labels, self.n_jobs = labels, n_jobs
        single = all(t == nw.Float32 for t in self.frame.schema.values()) if plain is None else plain == {np.dtype(np.float32)}
        self.dtype = np.float32 if single else np.float64

    @cached_property
    def frame(self) -> nw.DataFrame[Any]:
        """The frame as narwhals sees it: a hundred microseconds, and some more for every column."""
        return open_frame(self.native)

    def _check_columns(self) -> None:
        if not self.is_plain:
            refuse_text(self.frame)

    def rows(self, begin: int, end: int) -> NDArray[np.floating]:
        """Return rows begin to end as floats: a view of a plain frame of one type, else one column after the other."""
        if self.is_plain:
            part = self.native if (begin, end) == (0, self.n_rows) else self.native.iloc[begin:end]
            plain: NDArray[np.floating] = part.to_numpy(dtype=self.dtype)
            return plain
        part = self.frame[begin:end]
        X = np.empty((end - begin, self.n_features), dtype=self.dtype, order="F")
        for j in range(self.n_features):
            X[:, j] = self._column(part, j)
        return X

    def row_label(self, i: int) -> str:
        """Return the number of a row, and its label where the frame has an index of its own."""
        index = nw.maybe_get_index(self.frame)
        label = i if index is None else index[i]
        label = label.item() if isinstance(label, np.generic) else label
        return str(i) if isinstance(label, int) and label == i else f"{i} (index {label!r})"

    def _column(self, part: Any, j: int) -> NDArray[Any]:
        values = part[:, j]
        if values.null_count() and not _only_nan(values):
            raise InputError(
                f"Input X contains NaN (missing values) in column {part.columns[j]!r}. Drop such rows, fill them "
                "in, or have it done: make_pipeline(TablePrep(), model)."
            )
        column: NDArray[Any] = values.cast(nw.Float64).to_numpy() if values.dtype.is_decimal() else values.to_numpy()
        return column


def plain_types(X: Any) -> set[np.dtype[Any]] | None:
    """Return the types of columns of a pandas frame of plain numbers or booleans, which pandas itself turns into one array; else None.

    Missing values are NaN there; names are all texts or all numbers, and each stands there once.
    """
    kind = type(X)
    if kind.__name__ != "DataFrame" or kind.__module__.partition(".")[0] != "pandas":
        return None
    names = X.columns
    if not names.is_unique or names.inferred_type not in ("string", "integer"):
        return None
    types = set(X.dtypes)
    return types if all(isinstance(dtype, np.dtype) and dtype.kind in "biuf" for dtype in types) else None


def in_one_block(X: Any) -> Any:
    """Return a frame of plain pandas numbers with all its values in one array of floats, row by row; other frames as they are.

    Rows of it are taken, and become an array, without a look at its columns.

    Examples
    --------
    >>> import pandas as pd
    >>> in_one_block(pd.DataFrame({"age": [31, 47], "member": [True, False]})).to_numpy().tolist()
    [[31.0, 1.0], [47.0, 0.0]]
    """
    types = plain_types(X)
    if types is None:
        return X
    values = X.to_numpy(dtype=np.float32 if types == {np.dtype(np.float32)} else np.float64)
    return type(X)(np.ascontiguousarray(values), index=X.index, columns=X.columns, copy=False)


def is_numeric(X: Any) -> bool:
    """Whether every column of a frame holds numbers or booleans; columns of objects that are numbers do too."""
    if plain_types(X) is not None:
        return True
    frame = open_frame(X)
    return all(
        kind.is_numeric() or kind == nw.Boolean or (kind == nw.Object and _holds_numbers(frame[name]))
        for name, kind in frame.schema.items()
    )


def gaps_in(X: Any) -> bool:
    """Whether any value of a frame is missing, or NaN.

    Examples
    --------
    >>> import pandas as pd
    >>> gaps_in(pd.DataFrame({"age": [31, None]})), gaps_in(pd.DataFrame({"age": [31, 47]}))
    (True, False)
    """
    types = plain_types(X)
    if types is not None:
        return any(dtype.kind == "f" for dtype in types) and bool(np.isnan(X.to_numpy(dtype=np.float64)).any())
    frame = open_frame(X)
    return any(frame[name].null_count() or _has_nan(frame[name]) for name in frame.columns)


def _has_nan(values: Any) -> bool:
    return bool(values.dtype.is_float() and np.isnan(values.to_numpy().astype(np.float64)).any())


def _only_nan(values: Any) -> bool:
    # pandas counts a float NaN as null; the finite check of the summary then names its row.
    is_nan: bool = values.dtype.is_float() and values.to_numpy().dtype.kind == "f"
    return is_nan


def refuse_text(frame: Any) -> None:
    """Raise the error that names columns which are not numbers."""
    text = [str(c) for c, t in frame.schema.items() if not (t.is_numeric() or t == nw.Boolean)]
    # An object column of pandas may well hold numbers; it is tried when its rows are read.
    text = [c for c in text if frame.schema.get(c) != nw.Object or not _holds_numbers(frame[c])]
    if text:
        listed = ", ".join(repr(c) for c in text[:8]) + (", …" if len(text) > 8 else "")
        raise InputError(
            f"Columns {listed} hold text, categories, dates or objects, which are not numbers; could not convert string to float. "
            "Have them prepared, with TableClassifier(model) or make_pipeline(TablePrep(), model), or leave them out: X.drop(columns=[…])."
        )


def _holds_numbers(values: Any) -> bool:
    try:
        values.to_numpy().astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def open_frame(X: Any) -> nw.DataFrame[Any]:
    """Return X as narwhals sees it; damaged Arrow tables and columns of one name are errors."""
    refuse_damaged(X, "X")
    try:
        frame: nw.DataFrame[Any] = nw.from_native(X, eager_only=True)
        names = [str(name) for name in frame.columns]
    except nw.exceptions.DuplicateError:
        names = [str(name) for name in getattr(X, "column_names", X.columns)]
    except TypeError as error:
        raise InputTypeError(f"X is a {type(X).__name__}, which cannot be read ({error}); pass a pandas, polars or Arrow table.") from None
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"Two columns of X are called {twice!r}; give every column a name of its own: X.columns = […].")
    return frame


def take_column(X: Any, name: str) -> tuple[Any, Any]:
    """Return a frame without one of its columns, and that column.

    Examples
    --------
    >>> import pandas as pd
    >>> rest, ids = take_column(pd.DataFrame({"id": ["a", "b"], "age": [31, 47]}), "id")
    >>> list(rest.columns), ids.tolist()
    (['age'], ['a', 'b'])
    """
    frame = open_frame(X)
    require_column("key", name, frame.columns)
    return frame.drop(name).to_native(), frame[name].to_native()


def refuse_damaged(data: Any, name: str) -> None:
    """Raise an error for an Arrow table or column with codes or lengths that lead outside its memory, which Arrow's own code trusts."""
    if not type(data).__module__.startswith("pyarrow"):
        return
    try:
        data.validate(full=True)
    except ValueError as error:
        raise InputError(f"The Arrow data of {name} are damaged: {error}. Build them anew, or read them from their file again.") from None


def series_to_numpy(y: Any) -> NDArray[Any]:
    """Return a pandas, polars or Arrow column of labels as an array; missing labels are an error.

    Examples
    --------
    >>> import pandas as pd
    >>> series_to_numpy(pd.Series(["a", "b"], dtype="category")).tolist()
    ['a', 'b']
    """
    refuse_damaged(y, "y")
    series = nw.from_native(y, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return np.asarray(y)
    missing = series.null_count()
    if missing:
        raise InputError(
            f"Input y contains NaN or null: {missing} of {len(series)} labels are missing. Drop the rows without a label before fitting."
        )
    values = series.to_numpy()
    if series.dtype.is_integer() and values.dtype.kind == "O":
        return values.astype(np.int64)
    return values.astype(bool) if series.dtype == nw.Boolean else values
