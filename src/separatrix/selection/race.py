"""Points of a grid that need no further fold, because what they lost is more than chance can give back.

After every fold each point is compared with the best so far, row by row on the rows held out until then: with d_i what it loses more
than the best on row i,

    it is out where   mean(d) > 3 sd(d)/√m   over the m rows held out so far.

To a point that is truly as good as the best that happens in 1 of 700 folds, and to win in the end it would then have to be
better on the rows left by as much again. Where one number is tuned, in order, a first fold also ends there: values beyond one that is out
by the same rule are not tried. Where fits are long, values beyond one that lost more than the best in its first fold wait until all folds
have told whether it is out, by that rule or the next.

A point that cannot matter is out, too: with d_i what it loses less than a simpler point, one before it in the grid,

    it is out where   mean(d) + 3 √((Σ(d_i − mean(d))² + r²)/m)/√m < sd(l)/√n

that is, where its gain is certainly below the standard error that the mean of the simpler point's losses l will have over all n rows. The
range r of the losses, as one row more, keeps a few rows without a difference from being taken for proof: of errors it takes thousands.

Once one point is left there is nothing to choose. Only losses that are means over rows are raced, of rows of equal weight.
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
    n_rows : int
        Rows that are held out in the end.

    Examples
    --------
    >>> race = Race(2, n_rows=500)
    >>> race.add(0, np.zeros(100))
    >>> race.add(1, np.tile([0.0, 1.0], 50))
    >>> race.is_beaten(1)
    True
    >>> race.end_fold()
    >>> [race.is_in(0), race.is_in(1)]
    [True, False]
    """

    def __init__(self, n_points: int, n_rows: int) -> None:
        self.n_rows = n_rows
        self.found: list[list[Floats]] = [[] for _ in range(n_points)]
        self.out = np.zeros(n_points, dtype=bool)
        self.edge, self.waiting = -1, list[int]()

    def is_in(self, point: int) -> bool:
        """Whether a point still needs its folds."""
        return not self.out[point]

    def add(self, point: int, losses: Floats) -> None:
        """Take note of what a point lost on the rows of a fold."""
        self.found[point].append(losses)

    def leave(self, points: list[int]) -> None:
        """Take points out."""
        self.out[points] = True

    def wait(self, edge: int, points: list[int]) -> None:
        """Let the points beyond an edge wait until it is known whether that one is out: they are, too, then."""
        self.edge, self.waiting = edge, points

    def call(self) -> list[int]:
        """Return the points that have waited and still need their folds."""
        called, self.waiting = [g for g in self.waiting if self.is_in(g)], []
        return called

    def is_behind(self, point: int) -> bool:
        """Whether a point lost more in its first fold than another one there."""
        if len(self.found[point]) != 1:
            return False
        return float(self.found[point][0].mean()) > min(float(self.found[g][0].mean()) for g in self.left if self.found[g])

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

    def is_no_better(self, point: int) -> bool:
        """Whether a point gains less over a simpler one than the standard error that this one's loss will have."""
        folds = len(self.found[point])
        simpler = [g for g in range(point) if self.is_in(g) and len(self.found[g]) == folds]
        own = np.concatenate(self.found[point])
        return len(own) >= FEWEST and any(_is_small(np.concatenate(self.found[g]), own, self.n_rows) for g in simpler)

    def end_fold(self) -> None:
        """Take out the points that are beaten after a fold, and then those that gain nothing over simpler ones."""
        self.leave([g for g in self.left if self.found[g] and self.is_beaten(g)])
        for g in self.left[::-1]:
            if self.found[g] and self.is_no_better(g):
                self.leave([g])
        if self.waiting and not self.is_in(self.edge):
            self.leave(self.waiting)

    @property
    def left(self) -> list[int]:
        """Points in the race."""
        return [g for g in range(len(self.found)) if self.is_in(g)]


def _is_small(simple: Floats, other: Floats, n_rows: int) -> bool:
    gain = simple - other
    deviation = np.sqrt((float(np.sum(np.square(gain - gain.mean()))) + float(np.ptp([simple, other])) ** 2) / len(gain))
    # Not ≤: losses that are all the same tell nothing yet.
    return bool(gain.mean() + WIDTH * deviation / np.sqrt(len(gain)) < simple.std() / np.sqrt(n_rows))
