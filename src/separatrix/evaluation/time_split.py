"""The plan for rows that come in time: train on the past, hold out the next stretch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..array_types import Codes, Floats, Folds, Indices
from ..data import Source
from ..data.columns import Column, ColumnBatch
from ..data.opening import is_frame
from ..errors import InputError, InputTypeError, UnknownNameError, did_you_mean, short_text
from ..inference.column_values import is_text, measurements
from ..inference.dates import times_in
from .plans import REPLACED, KFold, Plan, count_rows, require_count


class TimeSplit(Plan):
    """Train on the past and hold out the next stretch of time, several times.

    The rows are put in the order of a column and cut into n_splits + 1 stretches of about equal numbers of rows; rows of one time stay
    together. Every stretch but the first is held out once, by a fit of the rows before it alone: the error is that of a model which is
    used after it was made, and not in the middle of the rows it was made from.

    Parameters
    ----------
    column : str, int or None
        Column of X with dates, or numbers that grow with time: its name in a frame, its position in an array. None: the rows are in the
        order of time.
    n_splits : int
        Stretches held out.
    gap : float
        Rows closer than this to the stretch held out are not trained on: days for dates, the column's own unit for numbers, rows for
        None. For labels that are known only some time after the row.

    Examples
    --------
    >>> X = np.array([[2021.0], [2019.0], [2020.0], [2022.0]])
    >>> [(train.tolist(), held.tolist()) for train, held in TimeSplit(0, n_splits=2).split(X)]
    [([1, 2], [0]), ([0, 1, 2], [3])]

    References
    ----------
    Tashman (2000), Out-of-sample tests of forecasting accuracy, International Journal of Forecasting 16.
    """

    replaced: ClassVar[dict[str, str]] = {
        **REPLACED,
        "shuffle": "rows are held out in the order of time",
        "test_size": "stretches have about equal numbers of rows; use n_splits=5",
        "max_train_size": "all rows before a stretch are trained on; leave it out",
        "n_repeats": "time goes one way; leave it out",
    }

    def __init__(self, column: str | int | None, n_splits: int = 5, gap: float = 0) -> None:
        self.column = column
        self.n_splits = n_splits
        self.gap = gap

    def folds(self, n: int, y: Any = None, groups: Any = None) -> list[Folds]:
        """Refuse: which rows are trained on depends on their times, and is not all the others."""
        raise InputError(
            f"{self!r} trains on the rows before the stretch held out alone, which evaluate and compare follow; here every row not held "
            "out is trained on. Use a plan such as KFold(5)."
        )

    def folds_in(self, X: Any) -> Folds:
        """Return the stretch in which each row of X is held out (n,), −1 for the first one, which is only trained on."""
        require_count("n_splits", self.n_splits, 2)
        if not (isinstance(self.gap, int | float | np.number) and 0 <= self.gap < np.inf):
            raise InputError(f"gap={short_text(self.gap)} must be a number ≥ 0: days for dates, the column's unit for numbers.")
        times = times_of(X, self.column)
        known, places, counts = np.unique(times, return_inverse=True, return_counts=True)
        if len(known) <= self.n_splits:
            raise InputError(
                f"{self._named} has {len(known)} different times, too few to hold out {self.n_splits} stretches and train before each; "
                f"use n_splits={max(len(known) - 1, 2)} or fewer, or KFold(5)."
            )
        starts = self._starts(np.cumsum(counts) - counts, len(times))
        if not (times < known[starts[0]] - self.gap).any():
            raise InputError(f"gap={self.gap!r} leaves no row to train on before the first stretch held out; use a smaller gap.")
        return np.asarray(np.searchsorted(starts, places, side="right") - 1, dtype=np.int64)

    def _starts(self, before: NDArray[np.integer], n: int) -> Indices:
        """Return the distinct time with which each stretch begins: of equal size, as far as ties allow; the first has the rest."""
        starts: list[int] = []
        size = n // (self.n_splits + 1)
        for fold in range(1, self.n_splits + 1):
            near = int(np.abs(before - (n - (self.n_splits + 1 - fold) * size)).argmin())
            first, last = starts[-1] + 1 if starts else 1, len(before) - 1 - (self.n_splits - fold)
            starts.append(min(max(near, first), last))
        return np.array(starts)

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Indices, Indices]]:
        """Yield the numbers of the rows before each stretch and of the rows in it."""
        folds = self.folds_in(X)
        for fold, train in enumerate(trained_on(self, X, folds)):
            yield train, np.flatnonzero(folds == fold)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of stretches held out."""
        require_count("n_splits", self.n_splits, 2)
        return self.n_splits

    @property
    def _named(self) -> str:
        return "The order of the rows" if self.column is None else f"Column {self.column!r}"


def times_of(X: Any, column: str | int | None) -> Floats:
    """Return a time for each row: days since 1970 of dates, numbers as they are.

    Examples
    --------
    >>> import pandas as pd
    >>> times_of(pd.DataFrame({"day": ["1970-01-02", "1970-01-03"]}), "day")
    array([1., 2.])
    """
    if column is None:
        return np.arange(_rows_of(X), dtype=np.float64)
    if isinstance(X, Source):
        found = _table_column(X, column)
    else:
        found = _array_column(X, column) if not isinstance(X, ColumnBatch) and not is_frame(X) else _named_column(X, column)
    times = times_in(found) if is_text(found) else measurements(found)
    if times is None:
        raise InputError(
            f"Column {column!r} holds no times, but values such as {short_text(found.categories()[1][0])}; give a column of dates or of "
            "numbers that grow with time, for text pd.to_datetime(frame[column])."
        )
    for row in np.flatnonzero(np.isnan(times))[:1]:
        raise InputError(f"Column {column!r} has no time in row {row}; leave such rows out, or give them a time.")
    return times


def _named_column(X: Any, column: Any) -> Column:
    from ..data.frames import open_frame
    from ..data.whole_tables import any_column

    frame = None if isinstance(X, ColumnBatch) else open_frame(X)
    names = [X.column(j).name for j in range(X.n_features)] if frame is None else list(frame.columns)
    place = names.index(column) if column in names else column
    if isinstance(place, str) or not isinstance(place, int | np.integer):
        raise UnknownNameError(f"Column {column!r} is not in the table.{did_you_mean(column, names)} Name one of its columns as time.")
    if not -len(names) <= place < len(names):
        raise InputError(f"There is no column {column}: the table has {len(names)}; name one of its columns as time.")
    return X.column(place % len(names)) if frame is None else any_column(frame[names[place]], str(names[place]))


def _rows_of(X: Any) -> int:
    if isinstance(X, Source):
        return sum(X.told(lambda block: block.n_rows)) if X.n_rows is None else X.n_rows
    return X.n_rows if isinstance(X, ColumnBatch) else count_rows(X)


def _table_column(X: Source, column: Any) -> Column:
    """Return the times of a table that is not in memory, from a column that it was opened with."""
    names = [] if X.feature_names is None else list(X.feature_names)
    place = names.index(column) if column in names else column
    if not isinstance(place, int | np.integer) or not -X.n_features <= place < X.n_features:
        raise UnknownNameError(
            f"Column {column!r}, the time, is not among the columns of numbers that the table was opened with."
            f"{did_you_mean(column, names)} A table left where it is takes no others: open_table(…, columns=[…, {column!r}])."
        )
    return Column.joined(list(X.only([place % X.n_features]).told(lambda block: ColumnBatch.of(block, (str(column),)).column(0))))


def _array_column(X: Any, column: Any) -> Column:
    if not isinstance(column, int | np.integer) or isinstance(column, bool):
        raise InputTypeError(f"column={column!r} is a name, but X is a {type(X).__name__} without names; give the column's position.")
    width = np.shape(X)[1] if len(np.shape(X)) == 2 else 0
    if not -width <= column < width:
        raise InputError(f"There is no column {column}: X has {width}; give a position from 0 to {width - 1}.")
    values = X.tocsc()[:, [column]].toarray()[:, 0] if sp.issparse(X) else np.asarray(X)[:, column]
    if values.dtype.kind in "biufM":
        return Column(str(column), values)
    from ..data.whole_tables import mixed_column

    return mixed_column(values.astype(object), str(column))


def trained_on(plan: TimeSplit, X: Any, folds: Folds) -> list[Indices]:
    """Return the rows trained on for each stretch that a plan holds out: those before it by more than the gap."""
    times = times_of(X, plan.column)
    return [np.flatnonzero(times < times[folds == fold].min() - plan.gap) for fold in range(int(folds.max()) + 1)]


def plan_inside(plan: TimeSplit, X: Any, codes: Codes, n_classes: int) -> Plan:
    """Return the plan by which hyperparameters are chosen within training rows: stretches of time again.

    As many as leave each class something to train on, five at most; folds at random where the classes come one after the other.
    """
    for n_splits in range(5, 1, -1):
        shorter = TimeSplit(plan.column, n_splits, plan.gap)
        try:
            first = trained_on(shorter, X, shorter.folds_in(X))[0]
        except InputError:
            continue
        if np.bincount(codes[first], minlength=n_classes).all():
            return shorter
    smallest = int(np.bincount(codes, minlength=n_classes).min())
    return KFold(max(2, min(5, smallest)), stratified=smallest > 1)
