"""The minimum of an L1-penalised quadratic with an explicit matrix, the step of a proximal Newton method.

    minimise over x    g'(x − x₀) + ½(x − x₀)'H(x − x₀) + Σ_j t_j |x_j|

Few coordinates: the feature-sign search, exact after finitely many small linear systems. Many: coordinate descent, whose every step
costs one row of H.

References
----------
Lee, Battle, Raina and Ng (2006), Efficient sparse coding algorithms, NIPS.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import lapack

from ...array_types import Bools, Floats, Indices

FEW = 64
"""Coordinates up to which linear systems beat loading compiled code and sweeping."""
ROUNDING = 1e-13
"""Share of the largest slope below which a subgradient is rounding."""
SWEEPS = 50
LOOSE = 1e-2
STEPS = 12
"""How far sweeps lower the subgradient, and how many systems follow them: twice as many at each turn, up to the number of coordinates."""
ROUNDS, ENOUGH = 20, 0.1
"""How often sweeps and systems take turns, and the share of the largest violation that is enough where no other is given."""
ENTRIES = 3
"""Systems in which coordinates that enter together may sort out which of them do."""
RIDGE = 1e-10
"""Added to the unit diagonal of a system, for coordinates that determine each other: well above the rounding of their other direction."""


class Quadratic:
    """The quadratic of a matrix H (q, q), for any number of gradients; remembers its last factor.

    Examples
    --------
    >>> Quadratic(np.diag([1.0, 1.0])).minimise(np.array([-3.0, -0.5]), np.zeros(2), np.ones(2), 1e-12).tolist()
    [2.0, 0.0]
    """

    def __init__(self, H: Floats) -> None:
        self.H = H
        self._index: Indices | None = None
        self._factor: Any = None

    @property
    def units(self) -> Floats:
        """√H_jj, or 1 where that is 0."""
        return self._scaled[1]

    def minimise(self, g: Floats, start: Floats, penalty: Floats, slack: float, share: float = 0.0) -> Floats:
        """Return the minimiser x (q,).

        Parameters
        ----------
        g : (q,) gradient at x₀
        start : (q,) x₀
        penalty : (q,) t_j ≥ 0
        slack : float
            Entry of the subgradient that counts as 0.
        share : float
            Subgradient left that is enough, as a share of that at x₀, both in units of the coordinates.
        """
        # In units in which H has a unit diagonal: what is rounding in a column of large values may be all there is of a small one.
        H, units = self._scaled
        g, penalty, x = g / units, penalty / units, start * units
        a = g - H @ x
        worst = float(violation(g, x, penalty).max(initial=0.0))
        enough = max(share * worst, ROUNDING * float(np.abs(a).max(initial=0.0)))
        slacks = np.maximum(np.maximum(slack / units, ROUNDING * penalty), enough)
        if len(g) <= FEW:
            found, done = self._feature_sign(a, x, penalty, slacks, 10 * len(g) + 20)
            if done:
                return found / units
        from ...kernels.proximal import descend

        order = np.empty(len(g), dtype=np.int64)
        tolerance = max(LOOSE * worst, float(slacks.min()))
        for turn in range(ROUNDS):
            # Sweeps find the support; a system on it gives the digits that sweeps would have to pay for one by one.
            r = a + H @ x
            descend(H, penalty, x, r, order, tolerance, SWEEPS)
            x, done = self._feature_sign(a, x, penalty, slacks, min(STEPS << turn, max(STEPS, len(g))))
            if done or violation(a + H @ x, x, penalty).max() <= (share or ENOUGH) * worst:
                break
            tolerance = max(LOOSE * tolerance, float(slacks.min()))
        return np.asarray(x / units)

    def _feature_sign(self, a: Floats, x: Floats, penalty: Floats, slack: Floats, steps: int) -> tuple[Floats, bool]:
        """Return where a'x + ½x'Hx + Σ t|x|, H of unit diagonal, is least, and True; or how far the steps given came from x, and False."""
        free, H = penalty == 0.0, self._scaled[0]
        for _ in range(steps):
            slope = a + H @ x
            moving = (x != 0.0) | free
            signs = np.sign(x)
            if ((np.abs(slope + penalty * signs) - slack)[moving] <= 0.0).all():
                over = np.where(moving, -np.inf, np.abs(slope) - penalty - slack)
                if over.max() <= 0.0:
                    return x, True
                x = self._entered(a, x, signs, penalty, moving, slope, over)
            else:
                before, x = x, self._towards(a, x, signs, penalty, np.flatnonzero(moving))
                if np.array_equal(x, before):  # the same system would only end here again
                    break
        return x, False

    def _entered(self, a: Floats, x: Floats, signs: Floats, penalty: Floats, moving: Bools, slope: Floats, over: Floats) -> Floats:
        """Return the best point on the way to the minimum with coordinates that leave 0.

        All that want to, without those that the others would push to the wrong side; where these are all, the one that wants most.
        """
        entering = over > 0.0
        signs = np.where(entering, -np.sign(slope), signs)
        for _ in range(ENTRIES):
            index = np.flatnonzero(moving | entering)
            target = self._solved(index, -(a[index] + penalty[index] * signs[index]))
            wrong = index[entering[index] & (signs[index] * target <= 0.0)]
            if len(wrong) == 0:
                return self._towards(a, x, signs, penalty, index, target)
            entering[wrong] = False
        j = int(over.argmax())
        moving = moving.copy()
        moving[j] = True
        signs[j] = -np.sign(slope[j])
        return self._towards(a, x, signs, penalty, np.flatnonzero(moving))

    def _towards(self, a: Floats, x: Floats, signs: Floats, penalty: Floats, index: Indices, found: Floats | None = None) -> Floats:
        """Return the best point on the way to the minimum for the signs given; a coordinate that reaches 0 stays there."""
        target = np.zeros_like(x)
        target[index] = self._solved(index, -(a[index] + penalty[index] * signs[index])) if found is None else found
        step = target - x
        crossing = index[(penalty[index] > 0.0) & (signs[index] * target[index] < 0.0) & (x[index] != 0.0)]
        if len(crossing) == 0:
            return target
        zeros = x[crossing] / (x[crossing] - target[crossing])
        ends = np.append(np.sort(zeros), 1.0)
        t = ends[int(np.argmin(self._values(a, x, step, penalty, ends)))]
        new: Floats = x + t * step
        new[crossing[np.abs(zeros - t) <= 1e-12 * t]] = 0.0
        return new

    def _values(self, a: Floats, x: Floats, step: Floats, penalty: Floats, ends: Floats) -> Floats:
        """Return the objective, without a constant, at x + t step for each end t."""
        Hs = self._scaled[0] @ step
        kinks = np.abs(x + ends[:, None] * step) @ penalty
        return ends * float(a @ step + x @ Hs) + 0.5 * ends**2 * float(step @ Hs) + kinks

    @cached_property
    def _scaled(self) -> tuple[Floats, Floats]:
        """H scaled to a unit diagonal, and the units."""
        diagonal = np.einsum("jj->j", self.H)
        units = np.sqrt(np.where(diagonal > 1e-280, diagonal, 1.0))
        scaled = self.H / units
        scaled /= units[:, None]
        return scaled, units

    def _solved(self, index: Indices, right: Floats) -> Floats:
        """Return H⁻¹ right on some coordinates, by Cholesky with a little ridge, whose effect one step of refinement takes back."""
        if self._index is None or not np.array_equal(index, self._index):
            scaled = self._scaled[0]
            if len(index) < len(scaled):
                scaled = scaled[index[:, None], index]
            ridged = scaled.copy()
            ridged.ravel()[:: len(index) + 1] += RIDGE
            # The transpose of a symmetric matrix is in the order LAPACK wants: it is factored in place.
            factor, info = lapack.dpotrf(ridged.T, lower=1, overwrite_a=1)
            self._index, self._factor = index, (scaled, factor if info == 0 else None)
        scaled, factor = self._factor
        if factor is None:
            return np.asarray(np.linalg.lstsq(scaled, right, rcond=1e-12)[0])
        x = lapack.dpotrs(factor, right, lower=1)[0]
        return np.asarray(x + lapack.dpotrs(factor, right - scaled @ x, lower=1)[0])


def violation(slope: Floats, x: Floats, penalty: Floats) -> Floats:
    """Return the entries of the least subgradient, without signs."""
    return np.where(x != 0.0, np.abs(slope + penalty * np.sign(x)), np.maximum(np.abs(slope) - penalty, 0.0))
