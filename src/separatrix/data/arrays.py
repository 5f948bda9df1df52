"""Rows in a dense array, a memory map or a sparse matrix.

Any of scipy's sparse formats becomes CSR, once its stored places are known to lie within its shape. scipy checks them only where it builds
a matrix from indices, not in one that was changed, loaded or put together from its three arrays, and compiled code trusts them: a column
99 of 50 is read from whatever memory lies there.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..array_types import Floats
from ..errors import InputError, InputTypeError
from .labels import Labels
from .namespaces import refuse_foreign
from .source import ChunkedSource, as_float, chunk_rows, csr_rows

COMPRESSED = ("csr", "csc", "bsr")


class ArraySource(ChunkedSource):
    """Rows of a dense or sparse array. float32 and float64 are read where they lie, in any memory order; other number
    types are converted chunk by chunk; CSC and other sparse formats are converted to CSR once, with each column at most once in a row and in
    order, unless `distinct` is False: products need neither.

    Examples
    --------
    >>> source = ArraySource(np.eye(3), Labels.of([0, 1, 1]))
    >>> [(block.X.shape, block.codes.tolist()) for block in source.blocks()]
    [((3, 3), [0, 1, 1])]
    """

    def __init__(
        self,
        X: Any,
        labels: Labels | None = None,
        weight: Floats | None = None,
        *,
        feature_names: tuple[str, ...] | None = None,
        n_jobs: int | None = None,
        distinct: bool = True,
    ) -> None:
        self.X: Any = check_sparse(X, distinct) if sp.issparse(X) else check_dense(X)
        self.n_rows, self.n_features = (int(s) for s in self.X.shape)
        self.labels, self.weight = labels, weight
        self.feature_names, self.n_jobs = feature_names, n_jobs

    @property
    def values(self) -> int:
        """Values that are stored."""
        return int(self.X.nnz if sp.issparse(self.X) else self.X.size)

    @property
    def chunk_rows(self) -> int:
        """Rows of a chunk; sparse ones by what is stored of them, because a summary of many columns and classes is dear to merge."""
        return chunk_rows(self.n_features, self.X.nnz / self.n_rows if sp.issparse(self.X) else None)

    def rows(self, begin: int, end: int) -> Any:
        """Return rows begin to end: a view, converted only if they are not floats yet."""
        return csr_rows(self.X, begin, end) if sp.issparse(self.X) else as_float(self.X[begin:end])


def check_dense(X: Any) -> NDArray[Any]:
    """Return X as a numeric array of two dimensions with at least one row and one column; nothing is copied if it is one."""
    array = as_array(X)
    if array.dtype.kind == "c":
        raise InputError("Complex data not supported: X must hold real numbers; use X.real or split it into two columns.")
    if array.dtype.kind not in "fiub":
        array = to_numbers(array)
    if array.ndim != 2:
        raise InputError(
            f"Expected 2D array, got {'scalar' if array.ndim == 0 else f'{array.ndim}D array'} instead (shape={array.shape}).\n"
            "Reshape your data either using array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it "
            "contains a single sample."
        )
    refuse_empty(array.shape)
    return array


def as_array(X: Any) -> NDArray[Any]:
    """Return X as an array, of whatever it holds; rows of different lengths, or a model in their place, are an error."""
    if hasattr(X, "fit"):
        raise InputTypeError(f"X is a {type(X).__name__}, which is a model and no table; give rows there, such as an array (n, p).")
    refuse_foreign(X)
    try:
        return np.asarray(X)
    except ValueError:
        raise InputError(
            "The rows of X are of different lengths, or hold lists; give every row one number per column, as in [[1, 2], [3, 4]]."
        ) from None


def to_numbers(array: NDArray[Any]) -> Floats:
    """Convert an array of Python objects or of text to float64, or say which value cannot be."""
    try:
        return np.asarray(array, dtype=np.float64)
    except TypeError as error:
        raise InputTypeError(f"X holds objects that are not numbers: {error}. Give X as an array of numbers.") from None
    except OverflowError:
        raise InputError("X holds a number above 1.8e308, the largest of float64; rescale its column.") from None
    except ValueError:
        example = next((v for v in array.ravel().tolist() if not _is_number(v)), "")
        raise InputError(
            f"X holds {example!r} (dtype {array.dtype}), which is not a number, and could not convert string to float. Have such columns "
            "prepared, with make_pipeline(TablePrep(), model), or leave them out."
        ) from None


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def check_sparse(X: Any, distinct: bool = True) -> sp.csr_array:
    """Return X as a CSR array of floats sharing its memory where it is one, with sorted indices and no repeated entries if `distinct`."""
    rows = as_csr(X)
    if rows.dtype not in (np.float32, np.float64):
        rows = rows.astype(np.float64)
    if distinct and not rows.has_canonical_format:
        rows = rows.copy() if rows.data is X.data or np.shares_memory(rows.data, X.data) else rows
        rows.sum_duplicates()
    return rows


def as_csr(X: Any) -> sp.csr_array:
    """Return a sparse X of real numbers as a CSR array whose stored places were checked, sharing its memory where it is CSR.

    Examples
    --------
    >>> as_csr(sp.coo_array(([2.0], ([0], [1])), shape=(1, 3))).toarray()
    array([[0., 2., 0.]])
    """
    if X.dtype.kind not in "fiub":
        raise InputError(f"X must hold real numbers, got a sparse array of dtype {X.dtype}. Complex data not supported: use X.real.")
    if X.ndim != 2:
        raise InputError(f"Expected 2D array, got a sparse array of shape {X.shape} instead. Reshape your data: one row per sample.")
    refuse_empty(X.shape)
    refuse_corrupt(X)
    if isinstance(X, sp.csr_array) and len(X.data) == X.indptr[-1]:
        return X
    try:
        rows = sp.csr_array(X)
    except (ValueError, TypeError, IndexError) as error:
        _damaged(str(error))
    if X.format in ("lil", "dok"):
        refuse_corrupt(rows)  # their lists of columns are made an array only now
    return rows


def with_rows(X: Any) -> Any:
    """Return X in a form whose rows can be taken by number: sparse formats that cannot become CSR. Stored places are checked.

    Examples
    --------
    >>> with_rows(sp.dia_array(np.eye(3)))[[0, 2]].shape
    (2, 3)
    """
    if not sp.issparse(X):
        return X
    if X.ndim == 2 and X.format in ("csr", "csc"):
        refuse_corrupt(X)
        return X
    return as_csr(X)


def refuse_empty(shape: tuple[int, ...]) -> None:
    """Raise an error for an X without rows or without columns."""
    if shape[0] == 0:
        raise InputError(f"Found array with 0 sample(s) (shape={tuple(shape)}) while a minimum of 1 is required; give at least one row.")
    if shape[1] == 0:
        raise InputError(f"Found array with 0 feature(s) (shape={tuple(shape)}) while a minimum of 1 is required; give one or more.")


def refuse_corrupt(X: Any) -> None:
    """Raise an error if a sparse X stores a value outside its shape; a dense X passes. One pass over the indices.

    Examples
    --------
    >>> X = sp.csr_array(np.eye(3))
    >>> X.indices[1] = 99
    >>> refuse_corrupt(X)
    Traceback (most recent call last):
    ...
    separatrix.errors.InputError: The sparse X is damaged: X.indices[1] is 99, where 0 to 2 is possible. Build it anew, for instance ...
    """
    if not sp.issparse(X) or X.ndim != 2:
        return
    if X.format in COMPRESSED:
        _check_compressed(X)
    elif X.format == "coo":
        for name, places, length in zip(("row", "col"), X.coords, X.shape):
            if len(places) != len(X.data):
                _damaged(f"X.{name} has {len(places)} entries, X.data {len(X.data)}")
            _check_places(f"X.{name}", places, length)
    elif X.format == "dia" and X.data.shape[:-1] != X.offsets.shape:
        _damaged(f"X.data has shape {X.data.shape}, X.offsets {X.offsets.shape}")
    elif X.format == "lil" and (len(X.rows), [*map(len, X.rows)]) != (X.shape[0], [*map(len, X.data)]):
        _damaged("X.rows and X.data have lists of different lengths")


def _check_compressed(X: Any) -> None:
    """Check the arrays of CSR, CSC or BSR: CSC is CSR turned over, and BSR counts in blocks of rows and columns."""
    across, along = X.shape if X.format != "csc" else X.shape[::-1]
    if X.format == "bsr":
        if X.data.ndim != 3 or 0 in X.data.shape[1:] or across % X.data.shape[1] or along % X.data.shape[2]:
            _damaged(f"its blocks of shape {X.data.shape[1:]} do not make up {X.shape}")
        across, along = across // X.data.shape[1], along // X.data.shape[2]
    indptr, indices = X.indptr, X.indices
    if indptr.shape != (across + 1,):
        _damaged(f"X.indptr has shape {indptr.shape}, where {(across + 1,)} is needed")
    if indices.ndim != 1 or len(indices) != len(X.data):
        _damaged(f"X.indices has shape {indices.shape}, X.data {X.data.shape}")
    _check_places("X.indptr", indptr, len(indices) + 1)
    if indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any():
        _damaged("X.indptr does not begin at 0 or does not rise")
    _check_places("X.indices", indices[: indptr[-1]], along)


def _check_places(name: str, places: NDArray[Any], length: int) -> None:
    if places.dtype.kind not in "iu" or not places.dtype.isnative:
        _damaged(f"{name} is of dtype {places.dtype}, where whole numbers are needed")
    # Read as unsigned a negative number is a large one, so that one maximum finds both: a quarter of a millisecond per million.
    if len(places) and places.view(f"u{places.dtype.itemsize}").max() >= length:
        k = int(np.flatnonzero((places < 0) | (places >= length))[0])
        _damaged(f"{name}[{k}] is {places[k]}, where 0 to {length - 1} is possible")


def _damaged(what: str) -> NoReturn:
    raise InputError(
        f"The sparse X is damaged: {what}. Build it anew, for instance by scipy.sparse.csr_array((data, (row, column)), shape=(n, p))."
    )
