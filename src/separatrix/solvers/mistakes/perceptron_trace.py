"""Every update of a perceptron, and the weights between updates rebuilt from them.

An update t of row x_t in class y changes the weights by a step s_t times (x_t, unit), unit being the intercept's feature:

    two classes   w_{t+1} = w_t ± s_t (x_t, unit)          more   row y of W_t + s_t (x_t, unit), row k (the rival) − the same

So the row numbers and steps are all there is to remember: 40 bytes an update, however many columns there are.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...array_types import Codes, Floats, Ints
from ...data import Source
from ...errors import InputError
from .perceptron_rows import take_rows

HISTORY = np.dtype(
    [
        ("epoch", np.int32),
        ("row", np.int64),
        ("score", np.float64),
        ("mistakes", np.int64),
        ("label", np.int32),
        ("rival", np.int32),
        ("step", np.float64),
    ]
)


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """The weights at the start and all T updates, column by column.

    Attributes
    ----------
    start : (R, p + 1), the intercept last
    unit : float, 1 where the intercept is learned, else 0
    epoch, row : (T,) when and on which row
    score : (T,) f(x) before the update; for more than two classes f_label(x) − f_rival(x)
    own, rival : (T,) codes of the row's class and of the class that scored too high
    step : (T,) eta0 times the row's weight
    clock : (T,) weight of the rows visited before this one

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> one, two = np.array([1.0]), np.array([0], dtype=np.int32)
    >>> trace = Trace(np.zeros((1, 3)), 1.0, np.array([1]), np.array([0]), 0 * one, two, two + 1, one, 0 * one)
    >>> trace.replay(as_source([[3.0, 4.0]], [0]))[:, 0]
    array([[ 0.,  0.,  0.],
           [-3., -4., -1.]])
    """

    start: Floats
    unit: float
    epoch: Ints
    row: Ints
    score: Floats
    own: Codes
    rival: Codes
    step: Floats
    clock: Floats

    @classmethod
    def of(cls, start: Floats, unit: float, logged: list[Floats]) -> Self:
        """Return the trace of what a learner logged."""
        log = np.vstack(logged) if logged else np.empty((0, 7))
        kinds = (np.int64, np.int64, np.float64, np.int32, np.int32, np.float64, np.float64)
        return cls(start, unit, *[log[:, j].astype(kind) for j, kind in enumerate(kinds)])

    def __len__(self) -> int:
        return len(self.row)

    def then(self, later: Self) -> Self:
        """Return this trace and a later one, which began where this one ended."""
        columns = [f.name for f in fields(self)][2:]
        return type(self)(self.start, self.unit, *[np.append(getattr(self, c), getattr(later, c)) for c in columns])

    def history(self) -> NDArray[Any]:
        """Return all updates as one structured array; `mistakes` counts them up to and including each."""
        table = np.empty(len(self), dtype=HISTORY)
        table["mistakes"] = np.arange(1, len(self) + 1)
        for name in ("epoch", "row", "score", "rival", "step"):
            table[name] = getattr(self, name)
        table["label"] = self.own
        return table

    def signed_steps(self, first: int = 0, last: int | None = None) -> Floats:
        """Return (m, R) by how much of (x_t, unit) each row of the weights changed at some updates."""
        part = slice(first, last)
        step, own, rival = self.step[part], self.own[part], self.rival[part]
        if len(self.start) == 1:
            return np.where(own == 1, step, -step)[:, None]
        steps = np.zeros((len(step), len(self.start)))
        steps[np.arange(len(step)), own] = step
        steps[np.arange(len(step)), rival] = -step
        return steps

    def replay(self, source: Source, first: int = 0, last: int | None = None) -> Floats:
        """Return the weights (m + 1, R, p + 1) before update `first` and after it and each update up to `last`.

        Parameters
        ----------
        source : the rows that were learned, in the same order
        first, last : int
            Updates, as in `history()[first:last]`; all by default.
        """
        last = len(self) if last is None else last
        if not 0 <= first <= last <= len(self):
            raise InputError(
                f"There are {len(self)} updates, so first={first}, last={last} cannot be shown; use 0 ≤ first ≤ last ≤ {len(self)}."
            )
        R, width = self.start.shape
        rows, place = np.unique(self.row[:last], return_inverse=True)
        X = take_rows(source, rows)
        weights = np.empty((last - first + 1, R, width))
        weights[0] = self.start + self._total(X, place, first)
        Z = X[place[first:]]
        weights[1:, :, :-1] = (Z.toarray() if sp.issparse(Z) else Z)[:, None, :]
        weights[1:, :, -1] = self.unit
        weights[1:] *= self.signed_steps(first, last)[:, :, None]
        return np.cumsum(weights, axis=0, out=weights)

    def _total(self, X: Any, place: Ints, last: int) -> Floats:
        """Return the sum of the first updates; X are the distinct rows, place where each update's row is in them."""
        steps = self.signed_steps(0, last)
        by_row = np.zeros((X.shape[0], steps.shape[1]))
        np.add.at(by_row, place[:last], steps)
        return np.column_stack([(X.T @ by_row).T, self.unit * steps.sum(axis=0)])
