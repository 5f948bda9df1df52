"""Intervals for error rates and other scores that respect how the held-out parts depend on each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from ..inference.intervals import wilson_band

Floats = NDArray[np.float64]
Interval = tuple[float, float]


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
