"""Intervals of shares and means: the bands of curves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit
from scipy.stats import norm

Floats = NDArray[np.float64]


def normal_quantile(level: float) -> float:
    """Return z with P(|Z| ≤ z) = level."""
    return float(norm.ppf(0.5 + level / 2))


def wilson_band(share: Any, n: Any, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return Wilson's intervals for shares observed in n rows each; of no row nothing is known: 0 to 1.

        (s + z²/2n ± z √(s(1 − s)/n + z²/4n²)) / (1 + z²/n)

    References
    ----------
    Wilson (1927), Probable inference, the law of succession, and statistical inference, JASA 22.

    Examples
    --------
    >>> low, high = wilson_band([0.1, 0.5], [100, 0])
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0552, 0.0], [0.1744, 1.0])
    """
    z, n = normal_quantile(level), np.asarray(n, dtype=np.float64)
    s = np.where(n > 0, share, 0.5)
    # Both sides of the fraction times n: weights may be as small as 1e-300.
    centre, half = n * s + z * z / 2, z * np.sqrt(n * np.maximum(s * (1 - s), 0.0) + z * z / 4)
    return np.maximum(0.0, (centre - half) / (n + z * z)), np.minimum(1.0, (centre + half) / (n + z * z))


def logit_interval(value: float, error: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Return the interval of a share with a standard error, made on the logit scale so that it stays inside (0, 1).

    Where the error is 0 it is Wilson's for n rows: what was never seen to go wrong is not known never to.

    Examples
    --------
    >>> [round(v, 4) for v in logit_interval(0.9, 0.05, 40)]
    [0.7518, 0.9639]
    """
    if not 0.0 < value < 1.0 or error <= 1e-8:
        low, high = wilson_band(value, n, level)
        return float(low), float(high)
    half = normal_quantile(level) * error / (value * (1 - value))
    return float(expit(logit(value) - half)), float(expit(logit(value) + half))


def mean_interval(
    values: Floats, weight: Floats, factor: Any = 1.0, bounds: tuple[float, float] = (-np.inf, np.inf)
) -> tuple[float, float, float]:
    """Return the weighted mean of row values and its normal interval.

    Weights are frequencies times the factor by which rows of a class are made to count more or less, which adds no information.
    The interval stays within the bounds, those of a single value.

    Examples
    --------
    >>> [round(v, 3) for v in mean_interval(np.array([0.0, 1.0, 1.0, 0.0]), np.ones(4))]
    [0.5, -0.066, 1.066]
    """
    n = float(weight.sum())
    mean = float(values @ weight) / n
    half = normal_quantile(0.95) * float(np.sqrt((values - mean) ** 2 @ (weight * factor) / max(n - 1.0, 1.0) / n))
    return mean, max(mean - half, float(bounds[0])), min(mean + half, float(bounds[1]))
