"""Intervals for error rates and other scores that respect how the held-out parts depend on each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from ..decisions.shares import wilson_band

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


def auc_interval(
    positive: NDArray[np.bool_], scores: Floats, weight: Floats, level: float = 0.95, draws: int = 400, seed: int = 0
) -> Interval:
    """Return the bootstrap percentile interval of the area under the ROC curve, the mean over columns of (n, M) scores.

    The rows are sorted once; a resample is a vector of counts w, and with T the rows tied with or below a positive one

        AUC = Σ_pos w_i (Σ_{neg < i} w_j + ½ Σ_{neg ~ i} w_j) / (Σ_pos w Σ_neg w)

    Draws without a positive or a negative row are left out.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.

    Examples
    --------
    >>> x = np.arange(100.0)
    >>> low, high = auc_interval((x > 30)[:, None], (x + 20 * np.sin(x))[:, None], np.ones(100))
    >>> 0.8 < low < high <= 1.0
    True
    """
    n = len(scores)
    times = np.random.default_rng(seed).multinomial(n, np.full(n, 1.0 / n), size=draws) * weight
    found = np.mean([_areas(positive[:, m], scores[:, m], times) for m in range(scores.shape[1])], axis=0)
    found = found[np.isfinite(found)]
    if len(found) < draws // 2:
        return float("nan"), float("nan")
    low, high = np.quantile(found, [0.5 - level / 2, 0.5 + level / 2])
    return float(low), float(high)


def _areas(positive: NDArray[np.bool_], score: Floats, times: Floats) -> Floats:
    """Return the area under the curve for each line of counts (draws, n)."""
    order = np.argsort(score, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], np.diff(score[order]) > 0]))
    pos = np.add.reduceat(np.where(positive[order], times[:, order], 0.0), starts, axis=1)
    neg = np.add.reduceat(np.where(positive[order], 0.0, times[:, order]), starts, axis=1)
    below = np.cumsum(neg, axis=1) - 0.5 * neg
    both = pos.sum(axis=1) * neg.sum(axis=1)
    return np.where(both > 0, (pos * below).sum(axis=1) / np.where(both > 0, both, 1.0), np.nan)
