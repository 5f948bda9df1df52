"""Points of a grid that need no further fold, because what they lost is more than chance can give back.

After every fold each point is compared with the best so far, row by row on the rows held out until then: with d_i what it loses more
than the best on row i,

    it is out where   mean(d) > 3 sd(d)/√m   over the m rows held out so far.

Equals stay in. To a point that is truly as good as the best that happens in 1 of 700 folds, and to win in the end it would then have to be
better on the rows left by as much again. Where one number is tuned, in order, a first fold also ends there: values beyond one that is out
by the same rule are not tried. Only losses that are means over rows are raced, of rows of equal weight.
"""

from __future__ import annotations

import numpy as np

from ..array_types import Floats

WIDTH = 3.0
"""Standard errors by which a point that is out is worse than the best."""
FEWEST = 50
"""Rows held out from which on a mean has an interval."""


class Race:
    """Losses of the rows held out so far, for each of G points.

    Parameters
    ----------
    n_points : int

    Examples
    --------
    >>> race = Race(2)
    >>> race.add(0, np.zeros(100))
    >>> race.add(1, np.tile([0.0, 1.0], 50))
    >>> race.is_beaten(1)
    True
    >>> race.end_fold()
    >>> [race.is_in(0), race.is_in(1)]
    [True, False]
    """

    def __init__(self, n_points: int) -> None:
        self.found: list[list[Floats]] = [[] for _ in range(n_points)]
        self.out = np.zeros(n_points, dtype=bool)

    def is_in(self, point: int) -> bool:
        """Whether a point still needs its folds."""
        return not self.out[point]

    def add(self, point: int, losses: Floats) -> None:
        """Take note of what a point lost on the rows of a fold."""
        self.found[point].append(losses)

    def leave(self, points: list[int]) -> None:
        """Take points out."""
        self.out[points] = True

    def is_beaten(self, point: int) -> bool:
        """Whether a point is worse than the best by more than its interval, on the rows that both have held out."""
        folds = len(self.found[point])
        there = [g for g in range(len(self.found)) if self.is_in(g) and len(self.found[g]) >= folds]
        losses = {g: np.concatenate(self.found[g][:folds]) for g in there}
        best = min(there, key=lambda g: float(losses[g].mean()))
        more = losses[point] - losses[best]
        return len(more) >= FEWEST and bool(float(more.mean()) > WIDTH * float(more.std()) / np.sqrt(len(more)))

    def mean(self, point: int) -> float:
        """Return the mean loss of a point on the rows it had; NaN where it had none."""
        return float(np.concatenate(self.found[point]).mean()) if self.found[point] else float("nan")

    def is_lost_at(self, point: int) -> bool:
        """Whether a point is beaten in its first fold, so that values beyond it are not tried."""
        return len(self.found[point]) == 1 and self.is_beaten(point)

    def end_fold(self) -> None:
        """Take out the points that are beaten after a fold."""
        self.leave([g for g in range(len(self.found)) if self.is_in(g) and self.found[g] and self.is_beaten(g)])
