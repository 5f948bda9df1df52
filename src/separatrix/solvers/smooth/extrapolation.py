"""Guesses of the next point of a smooth path from the last ones.

θ(λ) is smooth in t = log λ: the polynomial of degree m through the last m + 1 points, Σ_j w_j θ_j with Lagrange's weights
w_j = Π_{i≠j} (t − t_i)/(t_j − t_i), is off by a product of m + 1 steps. On a fine path a high degree wins, on a coarse one none does.
Which one is a guess that costs nothing to check afterwards: the guess that would have been the best of the last point makes the next.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import prod

import numpy as np

from ...array_types import Floats

DEGREE = 3
"""Highest degree: the weights of the next, up to 10 on equal steps, amplify what the tolerance leaves open."""


class Track:
    """The last points of a path (t, θ), and which guess served best.

    Examples
    --------
    >>> track = Track()
    >>> for t in (0.0, 1.0, 3.0):
    ...     track.add(t, np.array([t * t]))
    >>> [guess.round(9).tolist() for guess in track.guesses(4.0)]
    [[13.0], [16.0]]
    """

    def __init__(self) -> None:
        self.points: deque[tuple[float, Floats]] = deque(maxlen=DEGREE + 1)
        self.best, self.compared = 0, 0

    def add(self, place: float, point: Floats) -> None:
        """Go on to another point; at the same place, it takes the last one's."""
        if self.points and self.points[-1][0] == place:
            self.points.pop()
        self.points.append((place, point))

    def guesses(self, place: float) -> list[Floats]:
        """Return the values at a place of the polynomials of degree 1, 2, … through the last points."""
        found = []
        for count in range(2, len(self.points) + 1):
            last = list(self.points)[-count:]
            weights = [prod((place - other) / (at - other) for other, _ in last if other != at) for at, _ in last]
            found.append(np.sum([w * point for w, (_, point) in zip(weights, last)], axis=0))
        return found

    def choose(self, guesses: list[Floats]) -> Floats:
        """Return the guess of the kind that was best last time; one degree more where that was the highest there was."""
        more = 0 < self.best == self.compared - 1 and len(guesses) > self.compared
        return guesses[min(self.best + more, len(guesses) - 1)]

    def compare(self, guesses: list[Floats], point: Floats, size: Callable[[Floats], float]) -> None:
        """Learn which of the guesses was nearest to the point that was found."""
        self.best, self.compared = int(np.argmin([size(guess - point) for guess in guesses])), len(guesses)
