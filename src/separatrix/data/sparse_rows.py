"""Sparse rows as they come in: any of scipy's formats becomes CSR, once its stored places are known to lie within its shape.

scipy checks them only where it builds a matrix from indices, not in one that was changed, loaded or put together from its three arrays.
Compiled code trusts them: a column 99 of 50 is read from whatever memory lies there.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..errors import InputError

COMPRESSED = ("csr", "csc", "bsr")


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
        raise InputError(f"Found array with 0 sample(s) (shape={tuple(shape)}) while a minimum of 1 is required.")
    if shape[1] == 0:
        raise InputError(f"Found array with 0 feature(s) (shape={tuple(shape)}) while a minimum of 1 is required.")


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
