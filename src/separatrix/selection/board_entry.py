"""A line of a comparison: how one model did on the held-out rows, and what it loses against the best."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from ..array_types import Floats
from ..notebook import Sentences
from .candidates import Candidate, Point
from .differences import Difference
from .performance import Performance

LEVEL = 0.05
"""A model is tied with the best if the p-value of their difference is at least this."""


@dataclass(frozen=True, eq=False, repr=False)
class Entry(Sentences):
    """A model of the board.

    Attributes
    ----------
    name : str
    candidate : Candidate
    scored : Performance
        Value, standard error and interval of the metric.
    place : position in the list of models: the smaller, the simpler
    points : hyperparameters chosen in each fold; empty where there was nothing to choose
    difference : what it loses against the best; None for the best itself and where nothing can be said
    method : how the rows were held out
    seconds : float
    notes : what its fits warned of
    losses : (points of the grid,) held-out loss of each of them within the training rows of each fold
    """

    name: str
    candidate: Candidate
    scored: Performance
    place: int
    points: tuple[Point, ...]
    difference: Difference | None
    method: str
    seconds: float
    notes: tuple[str, ...]
    losses: tuple[Floats, ...] = ()

    @property
    def value(self) -> float:
        """Value of the metric on the rows held out."""
        return self.scored.value

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the value."""
        return self.scored.interval

    @property
    def standard_error(self) -> float:
        """Standard error of the value."""
        return self.scored.standard_error

    def __repr__(self) -> str:
        low, high = self.interval
        chosen = f", {self.chosen}" if self.points else ""
        return f"{self.name}: {self.scored.criterion.name} {self.value:.4f} (95 % interval {low:.4f} to {high:.4f}){chosen}"

    @property
    def is_baseline(self) -> bool:
        """Whether it is the majority class, which the models are compared with."""
        return self.place == 0

    @property
    def is_contender(self) -> bool:
        """Whether it can be picked: neither the majority class nor a reference."""
        return not self.is_baseline and not self.candidate.is_reference

    @property
    def is_worse(self) -> bool:
        """Whether it loses more against the best than chance explains."""
        return self.difference is not None and self.difference.p < LEVEL and self.difference.value > 0

    @property
    def is_tie(self) -> bool:
        """Whether chance explains what it loses against the best."""
        return self.difference is not None and self.difference.p >= LEVEL

    @property
    def chosen(self) -> str:
        """The hyperparameters chosen most often, and in how many of the folds."""
        if not self.points:
            return ""
        words = Counter(", ".join(f"{name.split('__')[-1]}={_show(value)}" for name, value in point.items()) for point in self.points)
        most, times = words.most_common(1)[0]
        return f"{most} ({times} of {len(self.points)})"


def _show(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
