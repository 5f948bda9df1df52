"""Binary columns that are hardly ever on, or hardly ever off, tell little: drop them before anything looks at the label."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from ..array_types import Floats
from ..data import Source, as_rows, unchanged
from ..data.opening import check_weights
from ..data.source import ChunkedSource
from ..errors import InputError, InputTypeError
from ..summaries.column_screen import ColumnScreen
from .column_positions import column_name
from .duplicates import duplicates
from .selector import Selector


class RareBinaryFilter(Selector):
    """Drop binary columns that are on in few or in most rows; constant columns and copies of others too.

    A column is binary if it holds nothing but 0 and 1; it is on where it is 1. Other columns are kept. The labels are not looked at.

    Parameters
    ----------
    min_on : int (rows) or float (share of the rows), or None
        A binary column that is on in fewer rows is dropped.
    max_on : int (rows) or float (share of the rows), or None
        A binary column that is on in more rows is dropped.
    drop_constant : bool
        Whether a column with one value only, binary or not, is dropped.
    drop_duplicates : bool
        Whether a column that equals one before it in every row is dropped.
    n_jobs : int, optional
        Threads.

    Attributes
    ----------
    on_ : (p,) number of rows in which a binary column is on, NaN for other columns
    dropped_ : dict {column: why it was dropped}
    support_ : (p,) booleans

    Examples
    --------
    >>> X = [[1, 0, 0, 7], [1, 0, 1, 7], [1, 1, 1, 7], [1, 0, 0, 7]]
    >>> RareBinaryFilter(min_on=2).fit(X).dropped_
    {'x0': 'constant', 'x1': 'on in 1 of 4 rows', 'x3': 'constant'}

    References
    ----------
    Kuhn and Johnson (2013), Applied Predictive Modeling, section 3.5.
    """

    on_: Floats
    dropped_: dict[str, str]
    _uses_labels: ClassVar[bool] = False

    def __init__(
        self,
        min_on: int | float | None = 0.01,
        max_on: int | float | None = 0.99,
        *,
        drop_constant: bool = True,
        drop_duplicates: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.min_on = min_on
        self.max_on = max_on
        self.drop_constant = drop_constant
        self.drop_duplicates = drop_duplicates
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Count the rows in which binary columns are on.

        Parameters
        ----------
        X : array, sparse matrix, frame of n rows, or a table from `open_table`
        y : ignored
        sample_weight : (n,) weights, optional
            Frequencies: a row of weight 2 counts as two rows.
        """
        self._check_given()
        with unchanged(X):
            source = self._unlabelled(X, sample_weight)
            screen = source.reduce(ColumnScreen.summarise(np.zeros(1) if source.classes is None else source.classes))
            if not screen.is_finite:
                source.refuse_nonfinite()
            why = self._why(screen, source)
            support = np.ones(source.n_features, dtype=bool)
            support[list(why)] = False
            dropped = {column_name(j, source.feature_names): why[j] for j in sorted(why)}
            return self._adopt(source, support, {"on_": np.where(screen.is_switch, screen.totals.sum(axis=0), np.nan), "dropped_": dropped})

    def _why(self, screen: ColumnScreen, source: Source) -> dict[int, str]:
        """Return the columns to drop, and why."""
        on, n = screen.totals.sum(axis=0), float(screen.counts.sum())
        low, high = _bound("min_on", self.min_on, n, 0.0), _bound("max_on", self.max_on, n, n)
        if n <= 1 and self.drop_constant:
            raise InputError(f"X holds {n:g} sample, in which every column is constant; give more rows, or drop_constant=False.")
        if low > high:
            raise InputError(f"min_on={self.min_on} and max_on={self.max_on} leave nothing: {low:g} to {high:g} of {n:g} rows.")
        rare = screen.is_switch & ((on < low) | (on > high)) & ~screen.is_constant
        why = {int(j): f"on in {on[j]:g} of {n:g} rows" for j in np.flatnonzero(rare)}
        if self.drop_constant:
            why.update({int(j): "constant" for j in np.flatnonzero(screen.is_constant)})
        if self.drop_duplicates:
            left = np.array([j for j in range(source.n_features) if j not in why], dtype=np.intp)
            copies = duplicates(source, left) if len(left) else {}
            why.update({j: f"equal to {column_name(first, source.feature_names)}" for j, first in copies.items()})
        return why

    def _unlabelled(self, X: Any, sample_weight: Any) -> Source:
        source = as_rows(X, n_jobs=self.n_jobs)
        if isinstance(source, ChunkedSource):
            source.weight = check_weights(sample_weight, source.n_rows)
        elif sample_weight is not None:
            raise InputError("sample_weight belongs to the table here: name its column in open_table(…, weight=…).")
        return source

    def _loosen(self) -> str:
        return f"Binary columns need min_on={self.min_on} and max_on={self.max_on}; loosen these, such as min_on=1 (one row)."


def _bound(parameter: str, given: Any, n: float, default: float) -> float:
    if given is None:
        return default
    if isinstance(given, bool | np.bool_) or not isinstance(given, int | float | np.integer | np.floating):
        raise InputTypeError(f"{parameter}={given!r} must be a whole number (rows), a share between 0 and 1, or None.")
    if isinstance(given, float | np.floating):
        if not 0 <= given <= 1:
            raise InputError(f"{parameter}={given!r} is a share of the rows, between 0 and 1; for a number of rows write an int.")
        return float(given) * n
    if given < 0:
        raise InputError(f"{parameter}={given} must not be negative.")
    return float(given)
