"""The column of a table that holds the labels, taken apart from the others."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..alerts import Alert
from ..array_types import Indices
from ..errors import DataWarning, InputError, InputTypeError, UnknownNameError, did_you_mean
from .frames import open_frame, series_to_numpy

MANY = 100
"""Different whole numbers from which a target may be a measurement."""


def split_target(X: Any, target: str) -> tuple[Any, NDArray[Any], Indices | None]:
    """Return a frame without the column that holds the labels, the labels, and which rows were kept where some had none.

    Rows without a label are left out, with a warning that counts them.

    Examples
    --------
    >>> import pandas as pd
    >>> frame, labels, kept = split_target(pd.DataFrame({"age": [31, 47], "churn": ["no", "yes"]}), "churn")
    >>> list(frame.columns), labels.tolist(), kept is None
    (['age'], ['no', 'yes'], True)
    """
    frame = open_frame(X)
    if not isinstance(target, str):
        raise InputTypeError(
            f"target={target!r:.60} must be the name of a column, as text; X.columns = X.columns.astype(str) makes names of numbers."
        )
    if target not in frame.columns:
        shown = ", ".join(repr(c) for c in frame.columns[:8]) + (", …" if len(frame.columns) > 8 else "")
        guess = did_you_mean(target, frame.columns)
        raise UnknownNameError(f"Column {target!r} is not in the table.{guess} Name one of {shown} as target.")
    if len(frame.columns) == 1:
        raise InputError(f"The table has the column {target!r} only, and nothing to tell its classes by; add columns.")
    missing, kept = frame[target].is_null().to_numpy().astype(bool), None
    if missing.any():
        kept = np.flatnonzero(~missing)
        if not len(kept):
            raise InputError(f"No row has a label: column {target!r} holds missing values only. Name another column as target.")
        warn_of_unlabelled(target, int(missing.sum()), len(missing), stacklevel=5)
        frame = frame[kept]
    labels = series_to_numpy(frame[target].to_native())
    if missing.any() and labels.dtype.kind == "f" and (labels == np.floor(labels)).all():
        labels = labels.astype(np.int64)  # whole numbers, which pandas turned into floats because of the gaps
    _refuse_measurement(labels, target)
    return frame.drop(target).to_native(), labels, kept


def warn_of_unlabelled(target: str, missing: int, rows: int, stacklevel: int = 2) -> None:
    """Warn (SPX019) that rows without a label are left out."""
    seen = f"{missing:,} of {rows:,} rows have no label in column {target!r}."
    alert = Alert("SPX019", target, seen, "They are left out: nothing can be learned from them.", "Fill them in where you know them.")
    warnings.warn(str(alert), DataWarning, stacklevel=stacklevel)


def _refuse_measurement(labels: NDArray[Any], target: str) -> None:
    """Raise an error for labels that are a measurement, or all different."""
    if labels.dtype.kind in "fiu":
        different = len(np.unique(labels))
        if different > MANY and different > 0.05 * len(labels):
            raise InputError(
                f"SPX021 The target {target!r} has {different:,} different numbers in {len(labels):,} rows; was regression meant? Cut "
                f"it into classes first, for instance table[{target!r}] = table[{target!r}] > {np.median(labels):g}."
            )
    elif len(labels) > 2 and labels.dtype.kind == "O":
        different = len({label for label in labels.tolist() if isinstance(label, str)})
        if different == len(labels) or (different > MANY and different > 0.5 * len(labels)):
            raise InputError(
                f"The target {target!r} has {different:,} different labels in {len(labels):,} rows, so that hardly one can be "
                "learned; name the column that holds the classes."
            )
