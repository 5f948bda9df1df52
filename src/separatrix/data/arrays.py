"""Rows in a dense array, a memory map or a sparse matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..errors import InputError, InputTypeError
from .block import as_float, csr_rows
from .labels import Labels
from .source import ChunkedSource
from .sparse_rows import as_csr, refuse_empty


class ArraySource(ChunkedSource):
    """Rows of a dense or sparse array. float32 and float64 are read where they lie, in any memory order; other number
    types are converted chunk by chunk; CSC and other sparse formats are converted to CSR once.

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
        weight: NDArray[np.float64] | None = None,
        *,
        feature_names: tuple[str, ...] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.X = check_sparse(X) if sp.issparse(X) else check_dense(X)
        self.n_rows, self.n_features = (int(s) for s in self.X.shape)
        self.labels, self.weight = labels, weight
        self.feature_names, self.n_jobs = feature_names, n_jobs

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
    """Return X as an array, of whatever it holds; rows of different lengths are an error."""
    try:
        return np.asarray(X)
    except ValueError:
        raise InputError(
            "The rows of X are of different lengths, or hold lists; give every row one number per column, as in [[1, 2], [3, 4]]."
        ) from None


def to_numbers(array: NDArray[Any]) -> NDArray[np.float64]:
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
            f"X holds {example!r} (dtype {array.dtype}), which is not a number, and could not convert string to float. Encode such columns "
            "first, for instance with sklearn.preprocessing.OneHotEncoder, or leave them out."
        ) from None


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def check_sparse(X: Any) -> sp.csr_array:
    """Return X as a CSR array with sorted indices and no repeated entries, sharing its memory where it is one already."""
    rows = as_csr(X)
    if rows.dtype not in (np.float32, np.float64):
        rows = rows.astype(np.float64)
    if not rows.has_canonical_format:
        rows = rows.copy() if rows.data is X.data or np.shares_memory(rows.data, X.data) else rows
        rows.sum_duplicates()
    return rows
