"""How soon a walk promises to arrive, told by the way that it has left behind."""

from __future__ import annotations

import numpy as np


class Rise:
    """The dual objective of a walk, and the seconds at which it had it.

    It rises by less and less: with a speed that falls by a share e^−r a second, as it did from the first half of the time to the second,
    what is missing is the speed over r, and log(missing/wanted)/r seconds are left. Coordinate descent that will need ten thousand epochs
    rises by the same in each of the first ones, and one that needs a dozen by a fifth of the one before, long before its gap tells.

    Examples
    --------
    >>> rise = Rise()
    >>> for seconds in range(1, 9):
    ...     rise.note(seconds, 1.0 - 0.5**seconds)
    >>> round(rise.left(0.5**13), 1)  # 5 would do
    5.4
    """

    def __init__(self) -> None:
        self.seconds = [0.0]
        self.values = [0.0]

    def note(self, seconds: float, value: float) -> None:
        """Keep a value."""
        self.seconds.append(seconds)
        self.values.append(value)

    def left(self, share: float) -> float:
        """Return the seconds until no more than a share of the value is missing; infinite where the speed does not fall, or nothing is
        known.
        """
        if len(self.values) < 3 or not self.values[-1] > 0.0:
            return np.inf
        half, now = 0.5 * self.seconds[-1], self.values[-1]
        then = float(np.interp(half, self.seconds, self.values))
        if not 0.0 < now - then < then:
            return 0.0 if now <= then else np.inf
        pace = float(np.log(then / (now - then))) / half
        missing = (now - then) / half / pace * np.exp(-0.5 * pace * half)
        return max(0.0, float(np.log(missing / (share * now)))) / pace

    def least(self, value: float) -> float:
        """Return the seconds to a value at the last speed, below which it has never been in the end: the rise becomes slower."""
        if len(self.values) < 2:
            return 0.0
        speed = (self.values[-1] - self.values[-2]) / (self.seconds[-1] - self.seconds[-2])
        return max(0.0, value - self.values[-1]) / speed if speed > 0.0 else np.inf
