"""A column of some Arrow rows becomes numbers, weights or class codes, or the error that names its file and row.

Only methods of the column are used, so that pyarrow itself is imported in `formats.py` alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..array_types import Codes, Floats
from ..errors import InputError
from .batches import Piece
from .labels import check_labels, encode


def column(piece: Piece, name: str) -> Any:
    """Return one column of a piece; a missing value is an error."""
    values = piece.rows.column(name)
    if values.null_count:
        row = piece.row + values.is_null().index(True).as_py()
        raise InputError(
            f"Input contains NaN or null: column {name!r} misses a value in row {row} of {piece.file!r}. Drop such rows, or fill them "
            "in, for instance with sklearn.impute.SimpleImputer."
        )
    return values


def numbers(values: Any) -> NDArray[Any]:
    """Return a column of numbers as an array, of its own memory where that can be."""
    if hasattr(values, "dictionary"):
        values = values.dictionary_decode()
    if str(values.type).startswith("decimal"):
        values = values.cast("float64")
    return np.asarray(values.to_numpy(zero_copy_only=False))


def weights(piece: Piece, name: str) -> Floats:
    """Return the column of weights, which must be finite and not negative."""
    values = numbers(column(piece, name)).astype(np.float64)
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise InputError(
            f"The weight in row {piece.row + row} of {piece.file!r} (column {name!r}) is {values[row]}. Weights are frequencies and "
            "must be finite and ≥ 0; 0 leaves a row out."
        )
    return values


def text_codes(values: Any, classes: NDArray[Any], by_label: dict[Any, int]) -> Codes:
    """Return the codes of a column of text or categories; only its distinct values are looked up.

    Examples
    --------
    >>> import pyarrow as pa
    >>> text_codes(pa.array(["no", "yes", "no"]), np.array(["no", "yes"]), {"no": 0, "yes": 1})
    array([0, 1, 0], dtype=int32)
    """
    encoded = values if hasattr(values, "dictionary") else values.dictionary_encode()
    places = [by_label.get(label, -1) for label in encoded.dictionary.to_pylist()]
    codes: Codes = np.array(places, dtype=np.int32)[encoded.indices.to_numpy()]
    if len(unknown := np.flatnonzero(codes < 0)):
        # Only now: a category that no row has may well be unknown.
        encode(np.array([values[int(unknown[0])].as_py()], dtype=object), classes, by_label)
    return codes


def distinct_labels(piece: Piece, name: str, is_text: bool) -> NDArray[Any]:
    """Return the distinct labels of a piece, checked."""
    values = column(piece, name)
    if is_text:
        return np.array(values.unique().to_pylist(), dtype=object)
    labels = numbers(values.unique())
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        row = piece.row + int(np.flatnonzero(~np.isfinite(numbers(values)))[0])
        raise InputError(
            f"Input y contains NaN or infinity: column {name!r}, row {row} of {piece.file!r}. Drop the rows without a label before fitting."
        )
    return check_labels(labels)
