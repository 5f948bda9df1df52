"""Profile-likelihood intervals: all values of a coefficient that a likelihood-ratio test would not reject."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from ..array_types import Floats
from ..solvers.smooth.likelihood import Likelihood, Maximum, maximise

TOLERANCE = 1e-7
"""On the signed root of the likelihood ratio at an end of the interval."""
PRECISION = 1e-13
"""Gap left in a maximum under an equation, relative to the log-likelihood: less than the tolerance sees."""
STEPS = 60
FARTHEST = 1e3
"""Standard errors from the estimate at which an end counts as infinite."""


@dataclass(frozen=True, slots=True)
class Profile:
    """An interval, and the likelihood-ratio test that the coefficient is 0."""

    estimate: float
    lower: float
    upper: float
    statistic: float
    p: float


def profile(likelihood: Likelihood, best: Maximum, a: Floats, level: float = 0.95) -> Profile:
    """Return the profile-likelihood interval of a'γ.

        {v : 2 [l(γ̂) − max of l(γ) where a'γ = v] ≤ χ²₁(level)}

    Parameters
    ----------
    likelihood : Likelihood
        Or one with Jeffreys' prior, for the intervals of Heinze and Schemper.
    best : Maximum
        Of all γ.
    a : (mq,)
    level : float

    References
    ----------
    Venzon and Moolgavkar (1988), A method for computing profile-likelihood-based confidence intervals, Applied Statistics 37.
    """
    root = float(np.sqrt(chi2.ppf(level, 1)))
    lower, upper = (_end(likelihood, best, a, side, root) for side in (-1.0, 1.0))
    at_null = maximise(likelihood, best.point.gamma, a[:, None], np.zeros(1))
    statistic = max(0.0, 2.0 * (best.point.value - at_null.point.value))
    return Profile(float(a @ best.point.gamma), lower, upper, statistic, float(chi2.sf(statistic, 1)))


def _end(likelihood: Likelihood, best: Maximum, a: Floats, side: float, root: float) -> float:
    """Return where the signed root z(v) of the likelihood ratio is `root`, by Newton's steps on z, which is nearly linear.

    By the envelope theorem dl/dv = λ, the multiplier of the equation, so that dz/dv = −λ/z. A bracket guards the steps.
    """
    estimate, error = float(a @ best.point.gamma), float(np.sqrt(a @ best.point.inverse @ a))
    inside, outside = 0.0, np.inf  # distances from the estimate
    distance, gamma = root * error, best.point.gamma
    for _ in range(STEPS):
        found = maximise(likelihood, gamma, a[:, None], np.array([estimate + side * distance]), precision=PRECISION)
        gamma = found.point.gamma
        z = float(np.sqrt(max(0.0, 2.0 * (best.point.value - found.point.value))))
        if abs(z - root) <= TOLERANCE:
            return estimate + side * distance
        inside, outside = (distance, outside) if z < root else (inside, distance)
        slope = -side * float(found.multipliers[0]) / z if z > 0.0 else 0.0
        step = distance + (root - z) / slope if slope > 0.0 else np.inf
        ceiling = min(outside, 3.0 * max(inside, error))
        distance = step if inside < step < ceiling else 0.5 * (inside + ceiling) if np.isfinite(outside) else ceiling
        if distance > FARTHEST * error:
            return side * np.inf
    return estimate + side * distance
