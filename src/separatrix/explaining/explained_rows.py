"""Rows to be explained: one of them as numbers, and the mean and spread of all."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..array_types import Floats
from ..data import Block, Source, as_rows
from ..data.row_labels import row_position
from ..data.source import ChunkedSource
from ..errors import InputError, InputTypeError
from ..solvers.closed_form.whitening import ROUNDING


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Count, mean and sums of squares about the mean of each column: mergeable.

    Examples
    --------
    >>> Spread.of(Block(np.array([[1.0, 5.0], [3.0, 5.0]]))).sd.round(4).tolist()
    [1.4142, 0.0]
    """

    count: float
    mean: Floats
    squares: Floats

    @classmethod
    def of(cls, block: Block) -> Self:
        """Summarise a block."""
        X = np.asarray(block.dense(), dtype=np.float64)
        mean = X.mean(axis=0)
        return cls(float(len(X)), mean, ((X - mean) ** 2).sum(axis=0))

    def merge(self, other: Self) -> Self:
        """Return the value of both sets of rows."""
        n, away = self.count + other.count, other.mean - self.mean
        squares = self.squares + other.squares + away**2 * (self.count * other.count / n)
        return type(self)(n, self.mean + away * (other.count / n), squares)

    @property
    def sd(self) -> Floats:
        """Standard deviations, with n − 1; exactly 0 where what a column varies is rounding."""
        return self.over(self.count)

    def over(self, count: Any) -> Floats:
        """Return the standard deviations for a count, or one for each column."""
        sd = np.sqrt(self.squares / np.maximum(count - 1.0, 1.0))
        return np.where(sd > ROUNDING * np.abs(self.mean), sd, 0.0)


def open_rows(model: Any, X: Any, name: str = "X") -> Source:
    """Return the source of rows, with its columns checked against the model's."""
    if X is None:
        raise InputError("X is missing: pass the rows, as in explain(model, X, row=0).")
    if not isinstance(X, Source) and not hasattr(X, "columns") and np.ndim(X) == 1 and not hasattr(X, "tocsr"):
        raise InputError(f"{name} has one dimension; rows are needed: type np.reshape({name}, (1, -1)) for one row of {len(X)} columns.")
    source = as_rows(X)
    p = int(model.n_features_in_)
    if source.n_features != p:
        raise InputError(f"{name} has {source.n_features} columns; the model was fitted on {p}: pass the same columns in the same order.")
    names = getattr(model, "feature_names_in_", None)
    if names is not None and source.feature_names is not None and list(names) != list(source.feature_names):
        raise InputError(
            f"{name} has the columns {list(source.feature_names)}; the model was fitted on {list(names)}: type {name}[{list(names)}]."
        )
    return source


def row_number(X: Any, row: Any, n: int | None) -> int:
    """Return the position of a row given by position, from the end if negative, or by the label of a frame's index."""
    found = row_position(X, row)
    if isinstance(found, bool) or not isinstance(found, (int, np.integer)):
        raise InputTypeError(
            f"row={row!r:.60} must be the number of a row of X: 0, 1, …, or a label of its index; for a row of your own "
            "pass X=[values], row=0."
        )
    i = int(found) + n if n is not None and found < 0 else int(found)
    if i < 0 or (n is not None and i >= n):
        raise _out_of_range(row, n or 0)
    return i


def take(source: Source, i: int, gaps: bool = False) -> Floats:
    """Return the row at a position as numbers (p,). With gaps, values may be missing."""
    if isinstance(source, ChunkedSource):
        return _numbers(source, Block(source.rows(i, i + 1)), 0, gaps)
    return _take_streamed(source, i, gaps)


def _take_streamed(source: Source, row: int, gaps: bool) -> Floats:
    seen = 0
    if row >= 0:
        for block in source.blocks():
            if row < block.start + block.n_rows:
                return _numbers(source, block, row - block.start, gaps)
            seen = block.start + block.n_rows
    raise _out_of_range(row, seen)


def _out_of_range(row: Any, n: int) -> InputError:
    return InputError(f"row={row} is not a row of X, which has {n}: use 0 to {n - 1}." if n else f"row={row}: use 0, 1, …")


def _numbers(source: Source, block: Block, i: int, gaps: bool) -> Floats:
    x: Floats = np.asarray(block.part(i, i + 1).dense(), dtype=np.float64)[0]
    bad = ~np.isfinite(x) & ~(gaps & np.isnan(x))
    if bad.any():
        j = int(bad.argmax())
        name = j if source.feature_names is None else repr(source.feature_names[j])
        raise InputError(f"Column {name} of this row is missing or infinite; fill it in first.")
    return x


def call_model(model: Any, method: str, rows: Floats) -> NDArray[Any]:
    """Return model.method(rows) of rows given as numbers, also where the model was fitted on named columns."""
    with warnings.catch_warnings(), np.errstate(divide="ignore"):
        warnings.filterwarnings("ignore", message="X does not have valid feature names")  # the order of the columns was checked
        return np.asarray(getattr(model, method)(rows))  # names: methods of the contract


def predict_rows(model: Any, rows: Floats) -> NDArray[Any]:
    """Return the labels of rows given as numbers."""
    return call_model(model, "predict", rows)


def log_posteriors(model: Any, rows: Floats) -> Floats | None:
    """Return the log posteriors of rows (n, K), or None where the model has none."""
    return call_model(model, "predict_log_proba", rows) if hasattr(model, "predict_log_proba") else None
