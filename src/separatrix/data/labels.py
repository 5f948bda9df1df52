"""Labels of any kind become class codes, chunk by chunk.

`numpy.unique(y, return_inverse=True)` sorts all labels and keeps n positions of eight bytes; here the classes are found in
one pass over pieces of y, and codes are made for a chunk when the chunk is used.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, did_you_mean

PIECE = 65_536
"""Labels looked at in one go."""
TABLE_LIMIT = 1_000_000
"""Widest range of integers for which a table of codes is kept."""


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of all rows and the sorted classes they belong to.

    Examples
    --------
    >>> labels = Labels.of(np.array(["ham", "spam", "ham"]))
    >>> labels.classes.tolist(), labels.codes(1, 3).tolist()
    (['ham', 'spam'], [1, 0])
    """

    classes: NDArray[Any]
    values: NDArray[Any]
    table: NDArray[np.int32] | dict[Any, int] | None

    @classmethod
    def of(cls, y: Any, classes: Any = None) -> Labels:
        """Check y and find its classes, or use the `classes` announced."""
        values = check_labels(y)
        known = find_classes(values) if classes is None else check_classes(classes)
        return cls(known, values, code_table(known))

    def codes(self, begin: int, end: int) -> NDArray[np.int32]:
        """Return the codes of rows begin to end."""
        return encode(self.values[begin:end], self.classes, self.table)

    def __len__(self) -> int:
        return len(self.values)


def check_labels(y: Any) -> NDArray[Any]:
    """Return y as an array of one dimension that can hold classes."""
    if not isinstance(y, np.ndarray) and hasattr(y, "__len__") and hasattr(y, "dtype"):
        from .frames import series_to_numpy

        y = series_to_numpy(y)
    values = np.asarray(y)
    if values.dtype.kind == "U" and isinstance(y, list | tuple) and not all(isinstance(label, str) for label in y):
        values = np.asarray(y, dtype=object)  # numpy would have turned the number 1 into the text "1"
    if values.ndim == 2 and values.shape[1] == 1:
        from sklearn.exceptions import DataConversionWarning

        warnings.warn("A column-vector y was passed when a 1d array was expected; use y.ravel().", DataConversionWarning, stacklevel=2)
        values = values.ravel()
    if values.ndim != 1:
        raise InputError(
            f"y should be a 1d array, got an array of shape {values.shape} instead. "
            "One label per row is needed: pass one column, such as y[:, 0]."
        )
    if values.dtype.kind == "c":
        raise InputError("Complex data not supported in y: labels must be whole numbers, strings or booleans.")
    if values.dtype.kind == "f":
        return _check_float_labels(values)
    return values


def _check_float_labels(values: NDArray[Any]) -> NDArray[Any]:
    for begin in range(0, len(values), PIECE):
        piece = values[begin : begin + PIECE]
        if not np.isfinite(piece).all():
            kind = "NaN" if np.isnan(piece).any() else "infinity"
            row = begin + int(np.flatnonzero(~np.isfinite(piece))[0])
            raise InputError(f"Input y contains {kind} (first at row {row}): drop the rows without a label before fitting.")
        if (piece != np.floor(piece)).any():
            raise InputError(
                "Unknown label type: continuous. Maybe you are trying to fit a classifier, which expects discrete classes on a "
                "regression target with continuous values; cut y into classes first."
            )
    return values


def check_classes(classes: Any) -> NDArray[Any]:
    """Return announced classes sorted and without repetition."""
    return find_classes(check_labels(np.asarray(classes)))


def find_classes(values: NDArray[Any]) -> NDArray[Any]:
    """Return the sorted distinct labels."""
    if len(values) == 0:
        raise InputError("y holds no label: at least one row is needed.")
    kind = values.dtype.kind
    if kind == "O":
        return _object_classes(values)
    if kind in "iu" and _fits_table(values.min(), values.max()):
        low = values.min()
        seen = np.zeros(int(values.max()) - int(low) + 1, dtype=bool)
        for begin in range(0, len(values), PIECE):
            seen[values[begin : begin + PIECE] - low] = True
        return (np.flatnonzero(seen) + low).astype(values.dtype)
    found = values[:0]
    for begin in range(0, len(values), PIECE):
        found = np.unique(np.concatenate([found, np.unique(values[begin : begin + PIECE])]))
    return found


def _fits_table(low: Any, high: Any) -> bool:
    return int(high) - int(low) < TABLE_LIMIT and int(high) < 2**63


def _object_classes(values: NDArray[Any]) -> NDArray[Any]:
    distinct = set(values.tolist())
    missing = [v for v in distinct if v is None or v != v]
    if missing:
        row = next(i for i, v in enumerate(values) if v is None or v != v)
        raise InputError(f"Input y contains NaN or None (first at row {row}): drop the rows without a label before fitting.")
    try:
        ordered = sorted(distinct)
    except TypeError:
        kinds = sorted({type(v).__name__ for v in distinct})
        raise InputError(f"y mixes labels of types {', '.join(kinds)}; use one type, for instance y.astype(str).") from None
    if ordered and all(isinstance(v, float) for v in ordered):
        _check_float_labels(np.array(ordered))
    result = np.empty(len(ordered), dtype=object)
    result[:] = ordered
    return result


def code_table(classes: NDArray[Any]) -> NDArray[np.int32] | dict[Any, int] | None:
    """Return what makes codes fast: a table over a range of integers, a dict for objects, else None."""
    if classes.dtype.kind == "O":
        return {label: code for code, label in enumerate(classes.tolist())}
    if classes.dtype.kind in "iu" and _fits_table(classes[0], classes[-1]):
        table = np.full(int(classes[-1]) - int(classes[0]) + 1, -1, dtype=np.int32)
        table[classes - classes[0]] = np.arange(len(classes), dtype=np.int32)
        return table
    return None


def encode(values: NDArray[Any], classes: NDArray[Any], table: NDArray[np.int32] | dict[Any, int] | None) -> NDArray[np.int32]:
    """Return the position of each label in `classes`; a label that is not there is an error.

    Examples
    --------
    >>> encode(np.array([3, 1]), np.array([1, 3]), None)
    array([1, 0], dtype=int32)
    """
    if isinstance(table, dict):
        codes = np.fromiter((table.get(v, -1) for v in values.tolist()), dtype=np.int32, count=len(values))
    elif table is not None and values.dtype.kind in "iu":
        inside = (values >= classes[0]) & (values <= classes[-1])
        place = values.astype(np.int64, copy=False) - int(classes[0])
        codes = table[place] if inside.all() else np.where(inside, table[np.where(inside, place, 0)], -1)
    else:
        place = np.minimum(np.searchsorted(classes, values), len(classes) - 1)
        codes = np.where(classes[place] == values, place, -1).astype(np.int32)
    if (codes < 0).any():
        label = values[np.flatnonzero(codes < 0)[0]]
        label = label.item() if isinstance(label, np.generic) else label
        known = ", ".join(repr(c) for c in classes[:10].tolist()) + (", …" if len(classes) > 10 else "")
        raise InputError(
            f"y contains the label {label!r}, which is not among the classes announced ({known}).{did_you_mean(label, classes.tolist())} "
            "Announce all classes at the first call: partial_fit(X, y, classes=[…])."
        )
    return codes
