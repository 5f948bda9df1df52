"""Whatever a user passes as X, y and sample_weight becomes a source here.

Weights are frequencies: a row of weight 3 counts as three equal rows, one of weight 0 as none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..array_types import Floats
from ..errors import InputError, InputTypeError
from .arrays import ArraySource, with_rows
from .labels import Labels
from .namespaces import is_foreign, refuse_foreign
from .source import ChunkedSource, Source


def as_rows(X: Any, *, n_jobs: int | None = None, on_device: bool = False, distinct: bool = True) -> Source:
    """Return the source of rows without labels: a Source as it is, a frame, a sparse matrix, or anything array-like.

    With `on_device` an array of another library than NumPy stays where it is; else it is refused. Without `distinct` sparse rows may
    have columns twice, and in any order: enough for products, and sorting takes several times as long as they do.
    """
    if isinstance(X, Source):
        X.require_numbers()
        return X
    if on_device and is_foreign(X):
        from .device import DeviceSource

        return DeviceSource(X)
    if is_frame(X):
        from .frames import FrameSource

        return FrameSource(X, n_jobs=n_jobs)
    return ArraySource(X, n_jobs=n_jobs, distinct=distinct)


def as_matrix(X: Any) -> Any:
    """Return all rows of X in one matrix of finite floats, CSR where X is sparse.

    Examples
    --------
    >>> as_matrix([[1, 2], [3, 4]])
    array([[1., 2.],
           [3., 4.]])
    """
    source = as_rows(X)
    if not isinstance(source, ChunkedSource):
        raise InputTypeError("Rows are needed in memory here, not in files: pass an array, a sparse matrix or a frame.")
    rows = source.rows(0, source.n_rows)
    if not np.isfinite(rows.data if hasattr(rows, "indptr") else rows).all():
        source.refuse_nonfinite()
    return rows


def indexed_rows(X: Any) -> Any:
    """Return X in a form whose rows can be taken by number, as holding rows out asks for; what has no rows in an order is refused.

    Examples
    --------
    >>> indexed_rows({1, 2})
    Traceback (most recent call last):
    ...
    separatrix.errors.InputTypeError: X of type set holds no rows that can be taken by number; give an array, a frame or a list of rows.
    """
    if is_frame(X):
        return X
    if isinstance(X, np.matrix):  # its rows are matrices again, of two dimensions
        return np.asarray(X)
    if hasattr(X, "__array__") and not hasattr(X, "shape") and not isinstance(X, type):
        X = np.asarray(X)
    listed = isinstance(X, Sequence) and not isinstance(X, str | bytes)
    if not (listed or getattr(X, "shape", None)) or isinstance(X, type):
        raise InputTypeError(
            f"X of type {type(X).__name__} holds no rows that can be taken by number; give an array, a frame or a list of rows."
        )
    return with_rows(X)


def as_source(X: Any, y: Any = None, sample_weight: Any = None, *, classes: Any = None, n_jobs: int | None = None) -> Source:
    """Return the source of labelled rows, with lengths checked against each other.

    Examples
    --------
    >>> as_source([[1.0, 2.0], [3.0, 4.0]], ["no", "yes"]).classes.tolist()
    ['no', 'yes']
    """
    source = X if isinstance(X, Source) else as_rows(X, n_jobs=n_jobs)  # what is a source already was opened as its model reads rows
    if not isinstance(source, ChunkedSource):
        return _with_own_labels(source, y, sample_weight, classes)
    refuse_foreign(y, "y")
    refuse_foreign(sample_weight, "sample_weight")
    if y is None:
        raise InputError("This classifier requires y to be passed, but the target y is None: pass one label per row of X, as in fit(X, y).")
    source.labels = Labels.of(y, classes)
    if len(source.labels) != source.n_rows:
        raise InputError(
            f"Found input variables with inconsistent numbers of samples: X has {source.n_rows} rows, y has {len(source.labels)} "
            "labels. Pass one label per row."
        )
    source.weight = check_weights(sample_weight, source.n_rows)
    return source


def _with_own_labels(source: Source, y: Any, sample_weight: Any, classes: Any) -> Source:
    from .device import DeviceSource

    if isinstance(source, DeviceSource):
        known = y is None and sample_weight is None and source.codes is not None
        return source if known else source.labelled(y, sample_weight, classes)
    if y is not None or sample_weight is not None:
        raise InputError(
            "y and sample_weight belong to the table here: name their columns in open_table(…, target=…, weight=…) and pass the "
            "table alone, as in fit(table)."
        )
    if source.classes is None:
        raise InputError("The table was opened without a target; name its column: open_table(…, target='y').")
    return source


def is_frame(X: Any) -> bool:
    """Whether X is a data frame or an Arrow table, told without importing any frame library."""
    if hasattr(X, "collect_schema") and not hasattr(X, "__len__"):
        raise InputTypeError(f"X is a {type(X).__name__}, which is a plan and holds no rows yet; pass X.collect().")
    return hasattr(X, "columns") and (hasattr(X, "__dataframe__") or hasattr(X, "__arrow_c_stream__") or hasattr(X, "iloc"))


def check_weights(sample_weight: Any, n_rows: int) -> Floats | None:
    """Return the weights as float64, or None where every row counts once.

    Examples
    --------
    >>> check_weights([1, 2], 2)
    array([1., 2.])
    >>> check_weights(None, 2) is None
    True
    """
    if sample_weight is None:
        return None
    weight = _numbers(sample_weight)
    if weight.ndim == 0:
        weight = np.full(n_rows, weight)
    if weight.ndim != 1:
        raise InputError(f"Sample weights must be 1D array or scalar, got shape {weight.shape}; pass one weight per row.")
    if len(weight) != n_rows:
        raise InputError(
            f"sample_weight.shape == {weight.shape}, expected {(n_rows,)}! One weight per row is needed: X has {n_rows} rows, "
            f"sample_weight has {len(weight)}."
        )
    weight = np.ascontiguousarray(weight, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        total = weight.sum()
    negative = weight < 0
    if not np.isfinite(total) and not (negative.any() and np.isfinite(weight).all()):
        if np.isfinite(weight).all():
            raise InputError("The sum of sample_weight is infinite in float64; divide the weights by a large number.")
        raise InputError("Input sample_weight contains NaN or infinity; give every row a finite weight (0 leaves it out).")
    if negative.any():
        row = int(np.flatnonzero(negative)[0])
        raise InputError(
            f"Negative values in sample_weight: row {row} has {weight[row]}. Weights are frequencies and must be ≥ 0; "
            "to take rows back out of a fitted model use forget(X, y)."
        )
    if not weight.any():
        raise InputError("All entries of sample_weight are zero, so no row would count; give at least some rows a positive weight.")
    return weight


def _numbers(sample_weight: Any) -> NDArray[Any]:
    """Return the weights as an array of real numbers, or say what was given instead."""
    try:
        weight = np.asarray(sample_weight)
        if weight.dtype.kind in "fiub":
            return weight
        if weight.dtype.kind == "O":
            return weight.astype(np.float64)
        found = f"of dtype {weight.dtype}"
    except (TypeError, ValueError, OverflowError) as error:
        found = f"a {type(sample_weight).__name__} that does not become numbers ({error})"
    raise InputError(
        f"sample_weight is {found}; pass one number per row, such as np.ones(len(X)), or None. For weights by class use "
        "class_weight={label: weight} where the model has it."
    )


def with_squares(weight: Floats) -> Floats:
    """Return weights of which only the ratios count, divided by the largest where sums of their squares would leave float64.

    Examples
    --------
    >>> with_squares(np.array([1e-300, 2e-300])).tolist(), with_squares(np.array([1.0, 2.0])).tolist()
    ([0.5, 1.0], [1.0, 2.0])
    """
    largest = float(weight.max(initial=0.0))
    return weight if largest == 0.0 or 1e-100 < largest < 1e100 else weight / largest
