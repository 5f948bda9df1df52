"""What a search did: every move with its score, and every candidate it looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..errors import InputError
from ..inference.tables import Column, Table
from ..loading import maker
from ..notebook import view


@dataclass(frozen=True, slots=True)
class Move:
    """One move of a search.

    Attributes
    ----------
    step : number, 0 for the set a search began with
    action : "start", "in" or "out"
    name : the column or group that moved
    members : columns of the set after the move, in the order they came
    groups : names of the columns and groups of the set after the move
    score : of the set after the move
    interval : 95 % interval of the score; NaN where none is known
    error : standard error of the score over the folds
    seconds : since the search began
    candidates : {column or group: score} of all moves looked at
    test : likelihood-ratio statistic, degrees of freedom and p-value of the move, for AIC and BIC
    """

    step: int
    action: str
    name: str
    members: tuple[int, ...]
    groups: tuple[str, ...]
    score: float
    interval: tuple[float, float]
    error: float
    seconds: float
    candidates: dict[str, float]
    test: tuple[float, float, float] | None = None

    @property
    def size(self) -> int:
        """Number of columns and groups in the set."""
        return len(self.groups)


@dataclass(frozen=True, slots=True)
class History:
    """The moves of a search, in order.

    Examples
    --------
    >>> move = Move(1, "in", "age", (0,), ("age",), 0.25, (0.2, 0.3), 0.02, 0.1, {"age": 0.25, "pay": 0.5})
    >>> history = History("error", -1.0, (move,))
    >>> history["column"], history.best().groups
    (['age'], ('age',))
    """

    metric: str
    sign: float
    moves: tuple[Move, ...]

    def __len__(self) -> int:
        return len(self.moves)

    def __iter__(self) -> Iterator[Move]:
        return iter(self.moves)

    def __getitem__(self, name: str) -> list[Any]:
        """Return a column of the table: "step", "move", "column", "size", "score", "low", "high", "seconds"."""
        return self.table[name]

    @property
    def table(self) -> Table:
        """One line per move."""
        moves = self.moves
        columns = [
            Column("step", [m.step for m in moves], "d"),
            Column("move", [m.action for m in moves]),
            Column("column", [m.name for m in moves]),
            Column("size", [m.size for m in moves], "d"),
            Column("score", [m.score for m in moves], ".4f"),
            Column("low", [m.interval[0] for m in moves], ".4f"),
            Column("high", [m.interval[1] for m in moves], ".4f"),
            Column("seconds", [m.seconds for m in moves], ".3f"),
        ]
        if any(m.test is not None for m in moves):
            nan = float("nan")
            tests = [m.test or (nan, nan, nan) for m in moves]
            forms = zip(("chi-square", "df", "p"), (".3f", "df", "p"), zip(*tests, strict=True), strict=True)
            columns[5:7] = [Column(name, list(values), form) for name, form, values in forms]
        return Table(f"Search by {self.metric}", tuple(columns))

    def frame(self, library: Literal["pandas", "polars"] = "pandas") -> Any:
        """Return the table as a data frame."""
        return self.table.to_frame(library)

    def sets(self) -> dict[int, Move]:
        """Return the best set found of each size, one column at least; the first among equals."""
        found: dict[int, Move] = {}
        for move in self.moves:
            if move.size and np.isfinite(move.score) and (move.size not in found or self._better(move.score, found[move.size].score)):
                found[move.size] = move
        return found

    def best(self, within: float = 0.0) -> Move:
        """Return the smallest set whose score is the best, or within some standard errors of the best."""
        sets = self.sets()
        if not sets:
            raise InputError("The search has not judged any set of columns yet.")
        top = max(sets.values(), key=lambda move: (self.sign * move.score, -move.size))
        slack = within * top.error if np.isfinite(top.error) else 0.0
        near = [m for m in sets.values() if self.sign * m.score >= self.sign * top.score - slack - 1e-12]
        return min(near, key=lambda move: move.size)

    def _better(self, score: float, than: float) -> bool:
        return self.sign * (score - than) > 1e-12

    def chart(self) -> Any:
        """Return the score after each move as an Altair chart; needs `separatrix[charts]`."""
        return maker("charts.searches.selection_path")(self)

    def __str__(self) -> str:
        return self.table.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return view(self.table.html)
