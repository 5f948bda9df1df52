"""How far to go along a direction.

The search is a generator that yields the points at which it wants f and its gradient: who runs it may answer several at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeVar

import numpy as np

from ...array_types import Floats

T = TypeVar("T")
Asking = Generator[Floats, tuple[float, Floats], T]
"""Yields θ, is sent f and its gradient there, returns a T."""

ARMIJO = 1e-4
HALVINGS = 30


def answered(asking: Asking[T], evaluate: Callable[[Floats], tuple[float, Floats]]) -> T:
    """Return what a generator returns, all its points evaluated."""
    try:
        theta = next(asking)
        while True:
            theta = asking.send(evaluate(theta))
    except StopIteration as end:
        result: T = end.value
        return result


def backtrack(
    evaluate: Callable[[Floats], tuple[float, Floats]], theta: Floats, f: float, d: Floats, slope: float
) -> tuple[Floats, float, Floats] | None:
    """Return the first point θ − t d, from t = 1 down, with f lower by at least ARMIJO t g'd; None if rounding lets none be.

    Each shorter t is the minimiser of the parabola through what is known, kept within a tenth and a half of the last.

    Parameters
    ----------
    evaluate : function from θ to f and its gradient
    slope : g'd > 0

    Examples
    --------
    >>> half_square = lambda x: (0.5 * float(x @ x), x)
    >>> backtrack(half_square, np.array([1.0]), 0.5, np.array([4.0]), 4.0)
    (array([0.]), 0.0, array([0.]))
    """
    return answered(trials(theta, f, d, slope), evaluate)


def trials(theta: Floats, f: float, d: Floats, slope: float) -> Asking[tuple[Floats, float, Floats] | None]:
    """Search as `backtrack` does, asking for the values."""
    rounding = 4.0 * np.finfo(float).eps * abs(f)
    t = 1.0
    for _ in range(HALVINGS):
        if t * slope <= rounding:
            return None
        trial = theta - t * d
        value, gradient = yield trial
        if value <= f - ARMIJO * t * slope:
            return trial, value, gradient
        curvature = 2.0 * (value - f + t * slope) / t**2
        best = slope / curvature if np.isfinite(curvature) and curvature > 0.0 else 0.1 * t
        t = float(np.clip(best, 0.1 * t, 0.5 * t))
    return None
