"""Confidence intervals of shares, of means, and of scores from overlapping training sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit
from scipy.stats import norm, t

Floats = NDArray[np.float64]


Interval = tuple[float, float]


def normal_quantile(level: float) -> float:
    """Return z with P(|Z| ≤ z) = level."""
    return float(norm.ppf(0.5 + level / 2))


def wilson_band(share: Any, n: Any, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return Wilson's intervals for shares observed in n rows each; NaN where there is no row.

        (s + z²/2n ± z √(s(1 − s)/n + z²/4n²)) / (1 + z²/n)

    References
    ----------
    Wilson (1927), Probable inference, the law of succession, and statistical inference, JASA 22.

    Examples
    --------
    >>> low, high = wilson_band([0.1, 0.5], [100, 0])
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0552, nan], [0.1744, nan])
    """
    z, s = normal_quantile(level), np.asarray(share, dtype=np.float64)
    n = np.where(np.asarray(n) > 0, n, np.nan)
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


def wilson(share: float, n: float, level: float = 0.95) -> Interval:
    """Return Wilson's interval for a share observed in n rows, each held out once.

        (s + z²/2n ± z √(s(1 − s)/n + z²/4n²)) / (1 + z²/n)

    References
    ----------
    Wilson (1927), Probable inference, the law of succession, and statistical inference, JASA 22.

    Examples
    --------
    >>> [round(v, 4) for v in wilson(0.1, 100)]
    [0.0552, 0.1744]
    """
    low, high = wilson_band(share, n, level)
    return float(low), float(high)


def corrected_resampled_t(values: Floats, held_out_share: float, level: float = 0.95) -> Interval:
    """Return the interval of the mean of J scores whose training sets overlap.

        mean ± t_{J−1} √((1/J + r) s²),   r = rows held out / rows trained on

    References
    ----------
    Nadeau and Bengio (2003), Inference for the generalization error, Machine Learning 52.

    Examples
    --------
    >>> [round(v, 3) for v in corrected_resampled_t(np.array([0.1, 0.2, 0.3]), 0.25)]
    [-0.151, 0.551]
    """
    J = len(values)
    if J < 2:
        return float("nan"), float("nan")
    ratio = held_out_share / (1.0 - held_out_share)
    half = float(t.ppf(0.5 + level / 2, J - 1)) * np.sqrt((1.0 / J + ratio) * float(np.var(values, ddof=1)))
    return float(values.mean() - half), float(values.mean() + half)
