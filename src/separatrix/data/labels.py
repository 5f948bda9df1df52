"""Labels of any kind become class codes, chunk by chunk.

`numpy.unique(y, return_inverse=True)` sorts all labels and keeps n positions of eight bytes; here the classes are found in
one pass over pieces of y, which numbers texts and objects at once (`distinct.py`), and codes are made for a chunk when the chunk is used.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..array_types import Codes, Ints
from ..errors import InputError, did_you_mean
from .distinct import PIECE, Numbered, number_given, number_labels

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
    numbers: NDArray[Any]
    """Labels, or where `distinct` is given their numbers among those."""
    table: Codes | dict[Any, int] | None
    """What makes codes fast; the codes of `distinct` where that is given."""
    distinct: NDArray[Any] | None = None

    @classmethod
    def of(cls, y: Any, classes: Any = None) -> Labels:
        """Check y and find its classes, or use the `classes` announced."""
        numbered = number_given(y)
        if numbered is None:
            values = check_labels(y)
            numbered = _number(values)
        if numbered is not None and len(numbered[1]):
            distinct, numbers = numbered
            _refuse_missing(distinct, numbers)
            return cls._numbered(distinct, numbers, find_classes(distinct) if classes is None else check_classes(classes))
        known = find_classes(values) if classes is None else check_classes(classes)
        return cls(known, values, code_table(known))

    @classmethod
    def _numbered(cls, distinct: NDArray[Any], numbers: Codes, known: NDArray[Any]) -> Labels:
        return cls(known, numbers, encode(distinct, known, code_table(known)), distinct)

    @property
    def values(self) -> NDArray[Any]:
        """The label of each row."""
        return self.numbers if self.distinct is None else self.distinct[self.numbers]

    def coded_by(self, classes: Any) -> Labels:
        """Return the same labels with codes in terms of the classes given; a label outside them is an error."""
        if self.distinct is None:
            return Labels.of(self.numbers, classes)
        return self._numbered(self.distinct, self.numbers, check_classes(classes))

    def codes(self, begin: int, end: int) -> Codes:
        """Return the codes of rows begin to end."""
        return self._codes(self.numbers[begin:end])

    def codes_at(self, rows: Ints) -> Codes:
        """Return the codes of some rows."""
        return self._codes(self.numbers[rows])

    def _codes(self, numbers: NDArray[Any]) -> Codes:
        if self.distinct is None:
            return encode(numbers, self.classes, self.table)
        assert isinstance(self.table, np.ndarray)
        codes: Codes = self.table[numbers]
        return codes

    def __len__(self) -> int:
        return len(self.numbers)


def _number(values: NDArray[Any]) -> Numbered | None:
    try:
        return number_labels(values)
    except TypeError:
        raise _unhashable(values) from None


def check_labels(y: Any) -> NDArray[Any]:
    """Return y as an array of one dimension that can hold classes."""
    if not isinstance(y, np.ndarray) and hasattr(y, "__len__") and (hasattr(y, "dtype") or hasattr(y, "null_count")):
        from .frames import series_to_numpy

        y = series_to_numpy(y)
    values = np.asarray(y)
    if values.dtype.kind == "U" and isinstance(y, list | tuple) and not all(isinstance(label, str) for label in y):
        values = np.asarray(y, dtype=object)  # numpy would have turned the number 1 into the text "1"
    if values.ndim == 2 and values.shape[1] == 1:
        from sklearn.exceptions import DataConversionWarning

        warnings.warn("A column-vector y was passed when a 1d array was expected; use y.ravel().", DataConversionWarning, stacklevel=2)
        values = values.ravel()
    if isinstance(y, str):
        raise InputError(f"y={y!r} is a text, and one label per row is needed; if it names a column of the table, pass target={y!r}.")
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
    try:
        return find_classes(check_labels(classes))
    except InputError as error:
        raise InputError(f"classes={classes!r:.80} is not a list of labels. {error}") from None


def find_classes(values: NDArray[Any]) -> NDArray[Any]:
    """Return the sorted distinct labels."""
    if len(values) == 0:
        raise InputError("y holds no label: at least one row is needed.")
    kind = values.dtype.kind
    if kind == "O":
        return _object_classes(values)
    if kind in "iu":
        low, high = int(values.min()), int(values.max())
        if _fits_table(low, high):
            seen = np.zeros(high - low + 1, dtype=bool)
            for begin in range(0, len(values), PIECE):
                seen[_above(low, values[begin : begin + PIECE])] = True
            return (np.flatnonzero(seen) + low).astype(values.dtype)
    found = values[:0]
    for begin in range(0, len(values), PIECE):
        found = np.unique(np.concatenate([found, np.unique(values[begin : begin + PIECE])]))
    return found


def joined_labels(parts: Sequence[NDArray[Any]], name: str | None = None) -> NDArray[Any]:
    """Return labels that come in several arrays, of one type or of several, as one; whole numbers stay whole.

    NumPy would make floats of signed and unsigned ones. Floats beyond 2⁵³ are refused: different labels may have become one of them.

    Examples
    --------
    >>> joined_labels([np.array([-1, 2]), np.array([2**60 + 1], dtype=np.uint64)]).tolist()
    [-1, 2, 1152921504606846977]
    """
    if {part.dtype.kind for part in parts} == {"i", "u"}:
        low, high = min(int(part.min()) for part in parts), max(int(part.max()) for part in parts)
        if low >= 0 or high < 2**63:
            return np.concatenate([part.astype(np.int64 if high < 2**63 else np.uint64) for part in parts])
    joined = np.concatenate(parts)
    if joined.dtype.kind == "f" and (far := np.abs(joined) >= 2.0**53).any():
        where = "y" if name is None else f"Column {name!r}"
        raise InputError(
            f"{where} holds the label {joined[far][0]:g}, and from 2**53 on floating-point numbers do not tell whole numbers "
            "apart, so that several labels may have become one. Write labels as text that is no number, such as 'c1', or as whole numbers "
            "of one type of 64 bits."
        )
    return joined


def _above(low: int, values: NDArray[Any]) -> Ints:
    """Return values − low in 64 bits: in their own type 100 − (−100) would be −56 of int8."""
    return values.astype(np.int64, copy=False) - low


def _fits_table(low: Any, high: Any) -> bool:
    return int(high) - int(low) < TABLE_LIMIT and int(high) < 2**63


def _unhashable(values: NDArray[Any]) -> InputError:
    kind = next((type(v).__name__ for v in values.tolist() if type(v).__hash__ is None), "object")
    return InputError(f"y holds a {kind} where a label is needed; use whole numbers, text or booleans.")


def _is_missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label)
    except (TypeError, ValueError):  # pandas.NA is neither equal to itself nor not
        return True


def _refuse_missing(distinct: NDArray[Any], numbers: Codes) -> None:
    missing = [k for k, label in enumerate(distinct.tolist()) if _is_missing(label)]
    if missing:
        row = int((numbers == missing[0]).argmax())
        raise InputError(f"Input y contains NaN or None (first at row {row}): drop the rows without a label before fitting.")


def _object_classes(values: NDArray[Any]) -> NDArray[Any]:
    try:
        distinct = set(values.tolist())
    except TypeError:
        raise _unhashable(values) from None
    if any(_is_missing(v) for v in distinct):
        row = next(i for i, v in enumerate(values) if _is_missing(v))
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


def code_table(classes: NDArray[Any]) -> Codes | dict[Any, int] | None:
    """Return what makes codes fast: a table over a range of integers, a dict for objects, else None."""
    if classes.dtype.kind == "O":
        return {label: code for code, label in enumerate(classes.tolist())}
    if classes.dtype.kind in "iu" and _fits_table(classes[0], classes[-1]):
        table = np.full(int(classes[-1]) - int(classes[0]) + 1, -1, dtype=np.int32)
        table[_above(int(classes[0]), classes)] = np.arange(len(classes), dtype=np.int32)
        return table
    return None


def encode(values: NDArray[Any], classes: NDArray[Any], table: Codes | dict[Any, int] | None) -> Codes:
    """Return the position of each label in `classes`; a label that is not there is an error.

    Examples
    --------
    >>> encode(np.array([3, 1]), np.array([1, 3]), None)
    array([1, 0], dtype=int32)
    """
    if {values.dtype.kind, classes.dtype.kind} == {"i", "u"}:
        values = _of_one_kind(values, classes)
    if values.dtype.kind == "O" and not isinstance(table, dict):
        table = dict(zip(classes.tolist(), range(len(classes))))  # objects are equal to 1 or "a" where they cannot be ordered among them
    if isinstance(table, dict):
        codes = _looked_up(values, table)
    elif table is not None and values.dtype.kind in "iu":
        place = _above(int(classes[0]), values)
        # Read as unsigned, a place below the table lies far above it: one comparison finds both. Labels of uint64 may have wrapped.
        inside = place.view(np.uint64) < len(table) if values.dtype != np.uint64 else (values >= classes[0]) & (values <= classes[-1])
        codes = table[place] if inside.all() else np.where(inside, table[np.where(inside, place, 0)], -1)
    elif _family(values) != _family(classes):
        codes = np.full(len(values), -1, dtype=np.int32)
    else:
        place = np.minimum(np.searchsorted(classes, values), len(classes) - 1)
        codes = np.where(classes[place] == values, place, -1).astype(np.int32)
    if (codes < 0).any():
        _refuse_label(values[np.flatnonzero(codes < 0)[0]], classes)
    return codes


def _of_one_kind(values: NDArray[Any], classes: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers in the type of the classes, signed or not; what that does not hold is no class."""
    inside = (values >= 0) if values.dtype.kind == "i" else values <= np.uint64(2**63 - 1)
    if not inside.all():
        _refuse_label(values[~inside][0], classes)
    return values.astype(np.int64 if classes.dtype.kind == "i" else np.uint64)


def _looked_up(values: NDArray[Any], table: dict[Any, int]) -> Codes:
    labels = list(values) if values.dtype.kind in "mM" else values.tolist()  # which makes whole numbers of nanoseconds
    try:
        return np.fromiter((table.get(v, -1) for v in labels), dtype=np.int32, count=len(values))
    except TypeError:
        raise _unhashable(values) from None


def _family(values: NDArray[Any]) -> str:
    """Return which kinds can be compared: numbers with each other, texts of both types, everything else with its own kind."""
    kind = values.dtype.kind
    return "number" if kind in "fiub" else "text" if kind in "UT" else kind


def _refuse_label(label: Any, classes: NDArray[Any]) -> NoReturn:
    label = label.item() if isinstance(label, np.generic) else label
    if _is_missing(label):
        raise InputError("Input y contains NaN or None: drop the rows without a label before fitting.")
    known = ", ".join(repr(c) for c in classes[:10].tolist()) + (", …" if len(classes) > 10 else "")
    raise InputError(
        f"y contains the label {label!r}, which is not among the classes announced ({known}).{did_you_mean(label, classes.tolist())} "
        "Announce all of them: partial_fit(X, y, classes=[…]) at the first call, or open_table(…, classes=[…])."
    )
