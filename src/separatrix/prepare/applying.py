"""Steps applied to the columns of some rows."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..array_types import Floats
from ..data.columns import Column, ColumnBatch
from ..data.row_hash import row_hash, scattered
from ..data.value_hash import content_hashes, occurrences
from ..errors import DataWarning, InputError, InputTypeError, did_you_mean
from .outputs import Piece, side_by_side
from .steps import Dates, Dropped, Numbers, Step, TargetStatistics
from .steps.dates import unread
from .steps.target_statistics import FOLDS

UNREAD = 0.2
"""Share of a column's values that cannot be read, beyond which that is said."""


def used_columns(batch: ColumnBatch, names: Sequence[str]) -> dict[str, Column]:
    """Return the columns of these names; one that is not there is an error."""
    if not isinstance(batch, ColumnBatch):
        raise InputTypeError(f"A {type(batch).__name__} is no batch of columns; use transform(table).")
    given = {batch.column(j).name: batch.column(j) for j in range(batch.n_features)}
    lost = [name for name in names if name not in given]
    if lost:
        listed = ", ".join(repr(name) for name in list(given)[:8]) + (", …" if len(given) > 8 else "")
        raise InputError(
            f"The table lacks column{'s' * (len(lost) > 1)} {', '.join(map(repr, lost[:5]))}, which the recipe was learned with."
            f"{did_you_mean(lost[0], given)} It has {listed}; name the columns as in training, or fill {lost[0]!r} with gaps."
        )
    return {name: given[name] for name in names}


def encoded(steps: Sequence[Step], columns: Mapping[str, Column], folds: NDArray[Any] | None) -> dict[str, Piece]:
    """Return the numbers that each column becomes; with inner folds, of rows that the steps were learned from."""
    found: dict[str, Piece] = {}
    for step in steps:
        if folds is not None and isinstance(step, TargetStatistics):
            found[step.column] = step.encode_training(columns[step.column], folds)
        elif not isinstance(step, Dropped):
            found[step.column] = step.encode(columns[step.column])
    return found


def products(one: Piece, two: Piece, n_rows: int) -> Floats:
    """Return all products of columns of two pieces, (n, k₁ k₂)."""
    a, b = (side_by_side([piece], n_rows, sparse=False) for piece in (one, two))
    return np.asarray((a[:, :, None] * b[:, None, :]).reshape(n_rows, -1))


def inner_folds(columns: Mapping[str, Column], batch: ColumnBatch, by_place: bool) -> NDArray[Any]:
    """Return the inner fold of each row.

    By what it holds and how many rows before hold the same, so that it does not depend on where a part of a table begins, and the copies
    of a row in a resample share it; rows of files by their place, because no pass remembers what all rows before held.
    """
    if by_place:
        keys = row_hash(batch.start, batch.start + batch.n_rows)
    else:
        own = content_hashes(ColumnBatch(tuple(columns.values())))
        keys = scattered(own ^ occurrences(own, batch.copies).astype(np.uint64))
    return (keys % np.uint64(FOLDS)).astype(np.intp)


def warn_of_unread(steps: Sequence[Step], columns: Mapping[str, Column], n_rows: int) -> None:
    """Warn where many of a column's texts cannot be read as the numbers or dates it held in training; called by `transform` itself."""
    for step in steps:
        if not isinstance(step, Numbers | Dates) or columns[step.column].type != "text":
            continue
        lost = unread(step, columns[step.column])
        if sum(lost.values()) > UNREAD * max(1, int((~columns[step.column].absent).sum())):
            kind, first = "numbers" if isinstance(step, Numbers) else "dates", next(iter(lost))
            warnings.warn(
                f"Column {step.column!r} was {kind} in training; {sum(lost.values()):,} of {n_rows:,} values, such as {first!r}, cannot be "
                "read as such and count as missing.",
                DataWarning,
                stacklevel=4,
            )
