"""Piecewise quadratic losses of margins, and the exact minimum of their sum along a line.

A row loss M(m) has slope −a(m), a(m) = clip(base + σ(1 − m), 0, cap): zero beyond a margin, then quadratic, then linear. The
squared hinge c max(0, 1 − m)² is base = 0, σ = 2c, cap = ∞; the hinge, smoothed about multipliers α₀, is base = α₀, cap = c. Hence
one Newton method for both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...array_types import Floats
from ...thresholds import MARGIN_ROWS

EXACT = 1e-13
"""Share of the first derivative that is as good as 0."""
EVALUATIONS = 60


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """The row losses of a machine.

        M(m) = max_{0 ≤ a ≤ cap} a(1 − m) − (a − base)²/2σ

    Attributes
    ----------
    base, sigma, cap : (n,)
        A row of σ = 0 has no loss.

    Examples
    --------
    >>> squared = Pieces(np.zeros(3), np.full(3, 2.0), np.full(3, np.inf))
    >>> squared.multipliers(np.array([0.0, 1.0, 2.0])), squared.status(np.array([0.0, 1.0, 2.0]))
    (array([2., 0., 0.]), array([1, 0, 0], dtype=int8))
    """

    base: Floats
    sigma: Floats
    cap: Floats

    def raw(self, m: Floats) -> Floats:
        """Return base + σ(1 − m)."""
        v = 1.0 - m
        v *= self.sigma
        v += self.base
        return v

    def multipliers(self, m: Floats) -> Floats:
        """Return a(m), minus the slopes."""
        v = self.raw(m)
        return np.minimum(np.maximum(v, 0.0, out=v), self.cap, out=v)

    def status(self, m: Floats) -> NDArray[np.int8]:
        """Return 0 where a = 0, 2 where a = cap, and 1 between, where the loss is curved."""
        v = self.raw(m)
        found = (v > 0.0).astype(np.int8)
        found += v >= self.cap
        return np.where(v > 0.0, found, np.int8(0))

    def along(self, m: Floats, dm: Floats, t: float) -> tuple[float, float]:
        """Return −Σ a_i dm_i and Σ σ_i dm_i² over curved rows at m + t dm: the first two derivatives in t."""
        if MARGIN_ROWS.reached(len(m)):
            from ...kernels.margins import along

            out = np.empty(2)
            along(m, dm, self.base, self.sigma, self.cap, t, out)
            return -float(out[0]), float(out[1])
        v = self.raw(m + t * dm)
        curved = (v > 0.0) & (v < self.cap)
        a = np.minimum(np.maximum(v, 0.0, out=v), self.cap, out=v)
        return -float(a @ dm), float((self.sigma * dm) @ (dm * curved))


class SlopesAlong(Protocol):
    """Row losses that give their sum's first two derivatives along a line."""

    def along(self, m: Floats, dm: Floats, t: float, /) -> tuple[float, float]:
        """Return the derivatives in t at m + t dm."""
        ...


def line_minimum(pieces: SlopesAlong, m: Floats, dm: Floats, start: float, slope: float, curvature: float, share: float = EXACT) -> float:
    """Return the t > 0 that minimises Σ M(m + t dm) + (a quadratic with derivative slope + t·curvature).

    The derivative rises and is piecewise linear, so that Newton's method kept inside a bracket ends on the exact root.

    Parameters
    ----------
    m, dm : (n,) margins and their change for t = 1
    start : float
        Derivative of all at t = 0, negative.
    slope, curvature : derivatives of the quadratic
    share : float
        Share of the first derivative that may be left: near the minimum is near enough for a step that others follow.

    Examples
    --------
    >>> pieces = Pieces(np.zeros(1), np.full(1, 2.0), np.full(1, np.inf))
    >>> line_minimum(pieces, np.zeros(1), np.full(1, 4.0), -8.0, 0.0, 32.0)
    0.125
    """
    low, high, t = 0.0, np.inf, 1.0
    for _ in range(EVALUATIONS):
        h, k = pieces.along(m, dm, t)
        h, k = h + slope + t * curvature, k + curvature
        if abs(h) <= share * abs(start):
            break
        low, high = (t, high) if h < 0.0 else (low, t)
        step = t - h / k if k > 0.0 else np.inf
        if not low < step < high:
            # Beyond a kink the curvature says nothing: bisect, or double while there is no upper end.
            step = 0.5 * (low + high) if np.isfinite(high) else 2.0 * t
        if step == t or t > 1e12:
            break
        t = step
    return t
