"""The smallest change of a row that changes the decision about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..abilities.additive_scores import LinearScores
from ..array_types import Floats
from ..data import Block
from ..errors import InputError
from ..geometry.least_change import LeastChange, cross_plane, cross_planes
from ..notebook import Sentences
from .explained_rows import predict_rows

BEYOND = (1e-10, 1e-8, 1e-6)
"""How far behind the boundary to stop, beside the size of the score's terms; on it, rounding would decide. The first that flips counts."""


@dataclass(frozen=True, slots=True, eq=False)
class Flip(Sentences):
    """The smallest change of the allowed columns that changes the decision.

    Attributes
    ----------
    found : bool
        Whether the bounds allow one.
    label : the class after the change; where there is none, the class that came closest
    point, change : (p,) the changed row, or the one that came closest; and by how much it differs, NaN where a level became another one
    cost : float
        √Σ (change_j/s_j)², s_j = 1 or the standard deviation of column j; a change of level counts as one such unit
    shortfall : float
        What the score of `label` against the present class still lacks; 0 if found.
    names : of the columns
    """

    found: bool
    label: Any
    point: NDArray[Any]
    change: Floats
    cost: float
    shortfall: float
    names: Sequence[str]

    def __str__(self) -> str:
        size = np.where(np.isnan(self.change), np.inf, np.abs(self.change))  # levels first
        moved = [j for j in np.argsort(-size, kind="stable") if size[j] != 0]
        steps = ", ".join(self._step(j) for j in moved[:8])
        steps += f" and {len(moved) - 8} more" if len(moved) > 8 else ""
        if self.found:
            return f"Smallest change that makes it {self.label!r}: {steps}."
        return (
            "No change within the bounds changes the decision: "
            + (f"with {steps}" if steps else "nothing that may change matters, and")
            + f" the score of {self.label!r} still lacks {self.shortfall:.4g}. Free more columns or widen the bounds."
        )

    def _step(self, j: int) -> str:
        if np.isnan(self.change[j]):
            return f"{self.names[j]} to {self.point[j]!r}"
        return f"{self.names[j]} {_signed(self.change[j])} to {self.point[j]:.6g}"


def smallest_flip(
    model: Any, view: LinearScores, x: Floats, a: int, to: int | None, scale: Floats, lower: Floats, upper: Floats, names: Sequence[str]
) -> Flip:
    """Return the least change of x that takes it out of the region of class a, or into that of class `to`.

    The region of a class under linear scores is cut out by planes, and the nearest way out of it is through the nearest of them: nearer
    than the boundary to the runner-up, if another class is behind a nearer one. The way into a given class has to satisfy all its planes.

    Parameters
    ----------
    model : whose `predict` has to confirm the flip
    x : (p,)
    a, to : codes of the present class and of the one wanted, if any
    scale, lower, upper : (p,) as in `geometry.least_change`
    """
    if to == a:
        raise InputError(f"to={model.classes_.tolist()[a]!r} is what the row is predicted to be already; name another class.")
    others = [k for k in range(len(model.classes_)) if k != a and (to is None or k == to)]
    size = size_of(view, x)
    ways: list[tuple[int, LeastChange]] = []
    for beyond in BEYOND:
        ways = [(k, least_change_to(view, x, a, k, to is not None, scale, lower, upper, beyond * size)) for k in others]
        k, best = min(
            ways, key=lambda way: (not way[1].reached, way[1].cost if way[1].reached else shortfall(view, way[1].point, a, way[0]))
        )
        if not best.reached:
            return _flip(model, k, x, best, shortfall(view, best.point, a, k), names)
        if not np.isfinite(best.point).all():
            break
        label = predict_rows(model, best.point[None])[0]
        if label != model.classes_[a] and (to is None or label == model.classes_[to]):
            return _flip(model, int(np.searchsorted(model.classes_, label)), x, best, 0.0, names)
    raise InputError(
        "The boundary could not be crossed in float64: the scores are too large beside their differences; rescale the columns."
    )


def size_of(view: LinearScores, x: Floats) -> float:
    """Return the size of the score's terms, beside which rounding is judged."""
    return float(np.abs(view.weights).max(axis=0) @ np.abs(x) + np.abs(view.offsets).max()) or 1.0


def least_change_to(
    view: LinearScores, x: Floats, a: int, k: int, into: bool, scale: Floats, lower: Floats, upper: Floats, level: float
) -> LeastChange:
    """Return the least change of x that takes it across the boundary from class a to k; with `into`, across all boundaries of k."""
    if not into or len(view.weights) == 2:
        return cross_plane(view.weights[k] - view.weights[a], view.offsets[k] - view.offsets[a], x, scale, lower, upper, level)
    rest = [i for i in range(len(view.weights)) if i != k]
    found = cross_planes(view.weights[k] - view.weights[rest], view.offsets[k] - view.offsets[rest], x, scale, lower, upper, level)
    if found.reached:
        return found
    # As far as it gets against the present class alone.
    alone = cross_plane(view.weights[k] - view.weights[a], view.offsets[k] - view.offsets[a], x, scale, lower, upper, level)
    return LeastChange(alone.point, alone.cost, False)


def shortfall(view: LinearScores, point: Floats, a: int, k: int) -> float:
    """Return what the score of class k still lacks at a point."""
    scores = view.scores(Block(point[None]))[0]
    return float(scores.max() - scores[k]) if scores[k] >= scores[a] else float(scores[a] - scores[k])


def _flip(model: Any, k: int, x: Floats, way: LeastChange, lack: float, names: Sequence[str]) -> Flip:
    return Flip(way.reached, model.classes_.tolist()[k], way.point, way.point - x, way.cost, lack, names)


def _signed(value: float) -> str:
    return f"{'−' if value < 0 else '+'}{abs(value):.4g}"
