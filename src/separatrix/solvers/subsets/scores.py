"""Held-out scores of a model on every set of columns one move away, without refitting.

A search over sets of columns asks, at each step, how the held-out rows of every fold would score with one column (or group of columns)
more or less. Models answer by a `SubsetScores`: linear, Gaussian and logistic ones in the files
of these names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...array_types import Bools, Floats, Indices
from .pivots import Entering, Leaving, independent, without_aliases

CHUNK = 1 << 16
"""Scores held at once: half a megabyte, to stay in a core's cache."""
REFRESH = 32
"""Columns taken out by pivots before the inverse is computed anew."""

Part = tuple[int, Indices, Floats]
"""Fold, numbers of the candidates (−1: none), and their scores (R, n_f, c) of the fold's held-out rows."""


class SubsetScores:
    """Held-out scores of a set of columns and of its neighbours, fold by fold: R = 1 score for two classes, else K.

    A subclass gives `begin`, `add`, `drop`, `dependent`, `now`, `adding` and `dropping`.

    Attributes
    ----------
    columns : the set
    n_folds : int
    """

    columns: list[int]
    n_folds: int

    def begin(self, columns: Sequence[int]) -> None:
        """Go to a set of columns."""
        raise TypeError(f"{type(self).__name__} must define begin")

    def add(self, group: Indices) -> None:
        """Take a group of columns in."""
        raise TypeError(f"{type(self).__name__} must define add")

    def drop(self, group: Indices) -> None:
        """Take a group of columns out."""
        raise TypeError(f"{type(self).__name__} must define drop")

    def dependent(self, groups: Sequence[Indices]) -> Bools:
        """Return, for each group, whether a column of it does not vary or can be computed from the set (and the rest of the group)."""
        raise TypeError(f"{type(self).__name__} must define dependent")

    def independent(self, groups: Sequence[Indices]) -> Bools:
        """Return which of some groups, in this order, are not determined by those before them."""
        raise TypeError(f"{type(self).__name__} must define independent")

    def without_aliases(self, groups: Sequence[Indices]) -> list[Indices]:
        """Return the groups without columns that the others of the same group determine."""
        return list(groups)

    def now(self) -> Iterator[Part]:
        """Yield the scores of the set itself, as one candidate."""
        raise TypeError(f"{type(self).__name__} must define now")

    def adding(self, groups: Sequence[Indices]) -> Iterator[Part]:
        """Yield the scores with each group more."""
        raise TypeError(f"{type(self).__name__} must define adding")

    def dropping(self, groups: Sequence[Indices]) -> Iterator[Part]:
        """Yield the scores with each group less."""
        raise TypeError(f"{type(self).__name__} must define dropping")


class PivotScores(SubsetScores):
    """Scores by pivots in B problems (folds, or folds × classes). A subclass gives `_base`, `_singles` and `_group`.

    Parameters
    ----------
    A, rows, forms : as of `Entering`
    """

    def __init__(self, A: Floats, rows: list[Floats], forms: Floats) -> None:
        self.A, self.rows, self.forms = A, rows, forms
        self.begin([])

    def begin(self, columns: Sequence[int]) -> None:
        """Go to a set of columns."""
        self.columns: list[int] = list(columns)
        self.entering: Entering | None = None
        self.leaving: Leaving | None = None
        self.pivots_out = 0
        self.base = self._base()

    def _base(self) -> list[Floats]:
        """Return the scores (R, n_f) of the set, of each fold."""
        raise TypeError(f"{type(self).__name__} must define _base")

    def _singles(self, state: Entering | Leaving, d: Floats, places: Indices, numbers: Indices, sign: float) -> Iterator[Part]:
        """Yield the scores after moves of single columns at some places of the state's arrays, in (1) or out (−1)."""
        raise TypeError(f"{type(self).__name__} must define _singles")

    def _group(self, state: Entering | Leaving, block: Floats, places: Indices, number: int, sign: float) -> Iterator[Part]:
        """Yield the scores after a move of several columns."""
        raise TypeError(f"{type(self).__name__} must define _group")

    def _entering(self) -> Entering:
        if self.entering is None:
            self.entering = Entering(self.A, self.rows, self.forms, self.columns)
        return self.entering

    def _leaving(self) -> Leaving:
        if self.leaving is None or self.pivots_out >= REFRESH:
            self.leaving = Leaving(self.A, self.rows, self.forms, self.columns)
            self.pivots_out = 0
        return self.leaving

    def dependent(self, groups: Sequence[Indices]) -> Bools:
        """Return, for each group, whether a column of it does not vary or can be computed from the set (and the rest of the group)."""
        return self._entering().dependent(groups)

    def independent(self, groups: Sequence[Indices]) -> Bools:
        """Return which of some groups, in this order, are not determined by those before them."""
        return independent(self.A, groups)

    def without_aliases(self, groups: Sequence[Indices]) -> list[Indices]:
        """Return the groups without columns that the others of the same group determine."""
        return without_aliases(self.A, groups)

    def add(self, group: Indices) -> None:
        """Take a group of columns in."""
        state = self._entering()
        for column in group.tolist():
            for f, _, scores in self._singles(state, state.residual, np.array([column]), np.zeros(1, dtype=np.intp), 1.0):
                self.base[f] = scores[:, :, -1]
            state.pivot(column)
            self.columns.append(column)
        self.leaving = None

    def drop(self, group: Indices) -> None:
        """Take a group of columns out."""
        state = self._leaving()
        for column in group.tolist():
            place = np.array([state.columns.index(column)])
            for f, _, scores in self._singles(state, state.diagonal, place, np.zeros(1, dtype=np.intp), -1.0):
                self.base[f] = scores[:, :, -1]
            state.pivot(column)
            self.columns.remove(column)
            self.pivots_out += 1
        self.entering = None

    def now(self) -> Iterator[Part]:
        """Yield the scores of the set itself, as one candidate."""
        for f, base in enumerate(self.base):
            yield f, np.zeros(1, dtype=np.intp), base[:, :, None]

    def adding(self, groups: Sequence[Indices]) -> Iterator[Part]:
        """Yield the scores with each group more."""
        state = self._entering()
        alone, together = split_groups(groups)
        if len(alone):
            yield from self._singles(state, state.residual, np.array([groups[g][0] for g in alone]), alone, 1.0)
        for g in together:
            yield from self._group(state, state.block(groups[g]), groups[g], g, 1.0)

    def dropping(self, groups: Sequence[Indices]) -> Iterator[Part]:
        """Yield the scores with each group less."""
        state = self._leaving()
        place = {column: i for i, column in enumerate(state.columns)}
        alone, together = split_groups(groups)
        if len(alone):
            yield from self._singles(state, state.diagonal, np.array([place[groups[g][0]] for g in alone]), alone, -1.0)
        for g in together:
            own = np.array([place[j] for j in groups[g]])
            yield from self._group(state, state.inverse[:, own[:, None], own], own, g, -1.0)


def split_groups(groups: Sequence[Indices]) -> tuple[Indices, list[int]]:
    """Return the numbers of the groups of one column, and of the others."""
    alone = [g for g, group in enumerate(groups) if len(group) == 1]
    return np.array(alone, dtype=np.intp), [g for g, group in enumerate(groups) if len(group) > 1]


def whole_or_few(width: int, places: Indices, numbers: Indices) -> tuple[Any, Indices]:
    """Return an index to all columns if most are asked for, else to those at `places`; and the candidate's number at each, −1 for none.

    Taking along the columns that are no candidates costs less than picking the others out.

    Examples
    --------
    >>> whole_or_few(3, np.array([0, 2]), np.array([5, 6]))[1].tolist()
    [5, -1, 6]
    """
    if 2 * len(places) <= width:
        return places, numbers
    given = np.full(width, -1, dtype=np.intp)
    given[places] = numbers
    return slice(None), given


def reciprocal(d: Floats) -> Floats:
    """Return 1/d, 0 where d is not positive: such columns are no candidates."""
    return np.divide(1.0, d, out=np.zeros_like(d), where=d > 0)
