"""The smallest change of a table's row that changes the decision: numbers move along, columns of levels from one level to another.

    minimise Σ (δ_j/s_j)² + (number of columns whose level changes)   such that another class is predicted

Every set of level changes leaves a problem in numbers alone, solved exactly by `geometry.least_change`. Of the sets only those count that
no other beats in cost and in every score at once: for one boundary at most one for each number of changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..abilities.additive_scores import LinearScores
from ..array_types import Bools, Floats
from ..errors import InputError
from .encoded import Terms
from .explained_rows import predict_rows
from .flip import BEYOND, Flip, least_change_to, shortfall, size_of

MOST = 1000
"""Sets of level changes followed where several boundaries have to be crossed at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """Some columns at other levels: {term: number of the level}, and what the m scores gain by it."""

    levels: dict[int, int]
    gains: Floats


@dataclass(frozen=True, slots=True, eq=False)
class TableRow:
    """A row of parts with what may be done to it.

    Attributes
    ----------
    terms : Terms
    x : (r,) its parts
    values : (T,) what the table holds
    free : (T,) whether a term may change
    scale, lower, upper : (r,) units and bounds of the parts that are numbers and may change; scale is 0 for all others
    """

    terms: Terms
    x: Floats
    values: NDArray[Any]
    free: Bools
    scale: Floats
    lower: Floats
    upper: Floats

    def at(self, moves: Moves) -> Floats:
        """Return the parts after a change of levels."""
        x = self.x.copy()
        for t, level in moves.levels.items():
            known = self.terms.levels[t]
            x[known.parts] = known.patterns[level]
        return x


def level_moves(row: TableRow, D: Floats) -> list[Moves]:
    """Return the sets of level changes worth trying, cheapest first, for scores that change by D (m, r) times the change of the parts."""
    front = [Moves({}, np.zeros(len(D)))]
    for t, known in row.terms.levels.items():
        if not row.free[t] or str(row.values[t]) in known.told:
            continue
        now = row.x[known.parts]
        others = [(level, D[:, known.parts] @ (pattern - now)) for level, pattern in enumerate(known.patterns) if (pattern != now).any()]
        front = _unbeaten([*front, *(Moves({**m.levels, t: level}, m.gains + gain) for m in front for level, gain in others)])
    return front


def _unbeaten(moves: list[Moves]) -> list[Moves]:
    found: list[Moves] = []
    for one in sorted(moves, key=lambda m: (len(m.levels), -float(m.gains.min()))):
        if not any((other.gains >= one.gains).all() for other in found):
            found.append(one)
    return found[:MOST]


def smallest_table_flip(model: Any, view: LinearScores, row: TableRow, a: int, to: int | None) -> Flip:
    """Return the least change of a row that takes it out of class a, or into class `to`.

    Parameters
    ----------
    model : of the parts, whose `predict` has to confirm the flip
    view : its scores
    row : TableRow
    a, to : codes of the present class and of the one wanted, if any
    """
    labels = model.classes_.tolist()
    if to == a:
        raise InputError(f"to={labels[a]!r} is what the row is predicted to be already; name another class.")
    others = [k for k in range(len(labels)) if k != a and (to is None or k == to)]
    for beyond in BEYOND:
        cost, k, end, moves = min(
            (_best(view, row, a, k, to is not None, beyond * size_of(view, row.x)) for k in others), key=lambda f: f[0]
        )
        if not np.isfinite(cost):
            short = [(shortfall(view, f[2], a, f[1]), f) for f in (_best(view, row, a, k, to is not None, 0.0) for k in others)]
            least, (_, k, end, moves) = min(short, key=lambda pair: pair[0])
            return _flip_of(row, labels[k], end, moves, least)
        if not np.isfinite(end).all():
            break
        label = predict_rows(model, end[None])[0]
        if label != model.classes_[a] and (to is None or label == model.classes_[to]):
            return _flip_of(row, label.item() if isinstance(label, np.generic) else label, end, moves, None)
    raise InputError(
        "The boundary could not be crossed in float64: the scores are too large beside their differences; rescale the columns."
    )


def _best(view: LinearScores, row: TableRow, a: int, k: int, into: bool, level: float) -> tuple[float, int, Floats, Moves]:
    """Return cost, class, parts and level changes of the cheapest way to class k; an infinite cost with those that come closest."""
    rivals: Sequence[int] = [i for i in range(len(view.weights)) if i != k] if into else [a]
    best: tuple[float, int, Floats, Moves] | None = None
    closest: tuple[float, Floats, Moves] | None = None
    for moves in level_moves(row, view.weights[k] - view.weights[rivals]):
        if best is not None and len(moves.levels) >= best[0] ** 2:
            break
        x = row.at(moves)
        still = row.scale == 0
        found = least_change_to(view, x, a, k, into, row.scale, np.where(still, x, row.lower), np.where(still, x, row.upper), level)
        cost = float(np.sqrt(len(moves.levels) + found.cost**2))
        if found.reached and (best is None or cost < best[0]):
            best = cost, k, found.point, moves
        short = shortfall(view, found.point, a, k)
        if closest is None or short < closest[0]:
            closest = short, found.point, moves
    assert closest is not None
    return best or (np.inf, k, closest[1], closest[2])


def _as_held(level: Any, value: Any) -> Any:
    """Return a level as the table holds it: a recipe knows numbers as text."""
    if not isinstance(level, str) or not isinstance(value, bool | int | float):
        return level
    try:
        return type(value)(float(level))
    except ValueError:  # text beside numbers in one column
        return level


def _flip_of(row: TableRow, label: Any, end: Floats, moves: Moves, short: float | None) -> Flip:
    """Return the flip in the table's own columns; what the score still lacks is None where it was found."""
    terms = row.terms
    point, change = row.values.copy(), np.zeros(len(terms.names))
    for t, i in terms.numbers.items():
        if end[i] != row.x[i]:
            point[t], change[t] = float(end[i]), float(end[i] - row.x[i])
    levels = {t: _as_held(terms.levels[t].values[level], row.values[t]) for t, level in moves.levels.items()}
    for t, level in levels.items():
        point[t], change[t] = level, np.nan
    moved = row.scale > 0
    cost = float(np.sqrt(len(levels) + np.sum(((end - row.x)[moved] / row.scale[moved]) ** 2)))
    return Flip(short is None, label, point, change, cost, short or 0.0, terms.names)
