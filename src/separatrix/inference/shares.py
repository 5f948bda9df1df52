"""Shares of rows, and areas under ROC curves, which are shares of pairs in the right order; both with their intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri

from ..array_types import Bools, Codes, Floats
from ..data.threads import ordered_map, single_threaded_blas, thread_count
from ..thresholds import SORTED

Interval = tuple[float, float]


def normal_quantile(level: float) -> float:
    """Return z with P(|Z| ≤ z) = level."""
    return float(ndtri(0.5 + level / 2))


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


def wilson(share: float, n: float, level: float = 0.95) -> Interval:
    """Return Wilson's interval of one share, as `wilson_band` has it for many.

    Examples
    --------
    >>> [round(v, 4) for v in wilson(0.1, 100)]
    [0.0552, 0.1744]
    """
    low, high = wilson_band(share, n, level)
    return float(low), float(high)


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


@dataclass(frozen=True, slots=True)
class Area:
    """Area under one curve, of all rows and of each fold (NaN where a side is missing), and each row's influence on it (n,)."""

    value: float
    per_fold: Floats
    influence: Floats


def macro_area(truth: Codes, posteriors: Floats, weight: Floats | None, folds: NDArray[np.integer] | None) -> Area:
    """Return the mean area of one class against the rest; of two classes, that of the second.

    Parameters
    ----------
    truth : (n,) class codes
    posteriors : (n, K)
    weight : (n,), or None
    folds : (n,) fold numbers for areas by fold, or None

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or more correlated ROC curves, Biometrics 44.

    Examples
    --------
    >>> P = np.array([[0.9, 0.1], [0.6, 0.4], [0.65, 0.35], [0.2, 0.8]])
    >>> macro_area(np.array([0, 0, 1, 1], dtype=np.int32), P, None, None).value
    0.75
    """
    columns = [1] if posteriors.shape[1] == 2 else list(range(posteriors.shape[1]))
    if weight is None and folds is None and len(columns) == 1 and not SORTED.reached(len(truth)):
        return _two_sorts(truth == 1, posteriors[:, 1])

    def one(k: int) -> Area:
        return area(truth == k, np.ascontiguousarray(posteriors[:, k]), weight, folds)

    if SORTED.reached(len(truth)):
        with single_threaded_blas():
            found = list(ordered_map(one, columns, thread_count()))
    else:
        found = [one(k) for k in columns]
    return Area(
        float(np.mean([a.value for a in found])),
        np.mean([a.per_fold for a in found], axis=0),
        found[0].influence if len(found) == 1 else sum((a.influence for a in found[1:]), found[0].influence) / len(found),
    )


def area(positive: Bools, score: Floats, weight: Floats | None, folds: NDArray[np.integer] | None = None) -> Area:
    """Return the area under one curve.

        A = Σ_pos w_i (Σ_{neg < i} w_j + ½ Σ_{neg ~ i} w_j) / (Σ_pos w Σ_neg w)

    Row i's influence is (V_i − A)/(share of its side), V_i the weighted share of the other side that it stands right to.
    """
    own = np.ones(len(score)) if weight is None else weight
    rows = np.array([own[positive].sum(), own[~positive].sum()])
    weight = None if weight is None else _by_side(weight, positive, rows)
    order, below = _ordered_by_kernel(positive, score, weight) if SORTED.reached(len(score)) else _ordered(positive, score, weight)
    own = np.ones(len(score)) if weight is None else weight
    sides = np.array([own[positive].sum(), own[~positive].sum()])
    if not sides.all():
        return Area(float("nan"), np.full(0 if folds is None else int(folds.max()) + 1, np.nan), np.full(len(score), np.nan))
    value = float(np.einsum("i,i->", own[positive], below[positive])) / float(sides.prod())
    # V − A by side, over the side's share of all weight; m/(m − 1) as in DeLong's variances, for sides of more than one row.
    scale = np.sqrt(rows / np.where(rows > 1.0, rows - 1.0, rows)) / np.maximum(rows / rows.sum(), 1e-300)
    slope, level = np.array([-scale[1] / sides[0], scale[0] / sides[1]]), np.array([(1.0 - value) * scale[1], -value * scale[0]])
    side = positive.view(np.int8)
    below *= slope[side]
    below += level[side]
    return Area(value, np.empty(0) if folds is None else _areas_by_fold(order, positive, score, weight, folds), below)


def _by_side(weight: Floats, positive: Bools, rows: Floats) -> Floats:
    """Return weights of which products of sums stay in float64: the area is the same where one side's weights are divided by a number."""
    if not rows.all() or (rows.min() > 1e-100 and rows.max() < 1e100):
        return weight
    relative: Floats = weight / np.where(positive, weight[positive].max(), weight[~positive].max())
    return relative


def _ordered(positive: Bools, score: Floats, weight: Floats | None) -> tuple[NDArray[np.integer], Floats]:
    """Return the order of the scores, and the weight of the other side below each row, half of what is tied with it included."""
    order = np.argsort(score)
    ranked, below = _ranked(order, positive, score, weight), np.empty(len(order))
    below_neg, below_pos = ranked.below()
    below[order] = np.where(positive[order], below_neg, below_pos)
    return order, below


def _ordered_by_kernel(positive: Bools, score: Floats, weight: Floats | None) -> tuple[NDArray[np.integer], Floats]:
    """The same from keys sorted by their bits: a third of the time."""
    from ..kernels import areas as kernels

    n = len(score)
    keys, order, below = np.empty(n, dtype=np.uint64), np.arange(n, dtype=np.uint32), np.empty(n)
    kernels.sortable(np.ascontiguousarray(score, dtype=np.float64), keys)
    kernels.radix_sort(keys, order, np.empty_like(keys), np.empty_like(order))
    kernels.other_side_below(keys, order, positive.astype(np.float64), np.empty(0) if weight is None else weight, below)
    return order, below


def _two_sorts(positive: Bools, score: Floats) -> Area:
    """Return the area under one curve of rows without weights; influences come in an order of their own.

    Each side is sorted alone and one looked up in the other: less than half the time of ordering all rows with their names.
    """
    pos, neg = np.sort(score[positive]), np.sort(score[~positive])
    if not (len(pos) and len(neg)):
        return Area(float("nan"), np.empty(0), np.full(len(score), np.nan))
    low = np.searchsorted(neg, pos)
    tied = (neg[np.minimum(low, len(neg) - 1)] == pos).any()
    high = np.searchsorted(neg, pos, side="right") if tied else low
    below = 0.5 * (low + high)
    above = np.cumsum(np.bincount(low, minlength=len(neg) + 1)[:-1]).astype(np.float64)
    if tied:
        above = 0.5 * (above + np.cumsum(np.bincount(high, minlength=len(neg) + 1)[:-1]))
    V = below / len(neg), 1.0 - above / len(pos)
    value = float(V[0].mean())
    phi = [(v - value) * len(score) / np.sqrt(len(v) * max(len(v) - 1.0, 1e-300)) for v in V]
    return Area(value, np.empty(0), np.concatenate(phi))


@dataclass(frozen=True, slots=True)
class Ranked:
    """Rows in the order of their scores: weights of the positive and of the negative ones, and where scores are tied with the last."""

    pos: Floats
    neg: Floats
    ties: Bools

    def below(self) -> tuple[Floats, Floats]:
        """Return the negative and the positive weight below each row, half of what is tied with it included."""
        return tuple(_below(weight, self.ties) for weight in (self.neg, self.pos))  # type: ignore[return-value]


def _ranked(order: NDArray[np.integer], positive: Bools, score: Floats, weight: Floats | None) -> Ranked:
    is_pos, ranked = positive[order], score[order]
    if weight is None:
        pos = is_pos.astype(np.float64)
        neg = 1.0 - pos
    else:
        own = weight[order]
        pos = own * is_pos
        neg = own - pos
    return Ranked(pos, neg, ranked[1:] == ranked[:-1])


def _below(weight: Floats, ties: Bools) -> Floats:
    if not ties.any():
        total = np.cumsum(weight)
        total -= 0.5 * weight
        return total
    begins = np.concatenate([[0], np.flatnonzero(~ties) + 1])
    sums = np.add.reduceat(weight, begins)
    return np.repeat(np.cumsum(sums) - 0.5 * sums, np.diff(np.append(begins, len(weight))))


def _areas_by_fold(order: NDArray[np.integer], positive: Bools, score: Floats, weight: Floats | None, folds: NDArray[np.integer]) -> Floats:
    """Return the area of each fold: sorted by fold after scores, one running sum serves all folds."""
    n_folds = int(folds.max()) + 1
    small = folds.astype(np.int16 if n_folds < 2**15 else np.int64)
    order = order[np.argsort(small[order], kind="stable")]
    ranked, own = _ranked(order, positive, score, weight), folds[order]
    starts = np.searchsorted(own, np.arange(n_folds))
    ranked.ties[starts[(starts > 0) & (starts < len(own))] - 1] = False
    before = np.concatenate([[0.0], np.cumsum(ranked.neg)])[starts]
    sides = [np.bincount(own, part, minlength=n_folds) for part in (ranked.pos, ranked.neg)]
    hits = np.bincount(own, ranked.pos * _below(ranked.neg, ranked.ties), minlength=n_folds) - sides[0] * before
    both = sides[0] * sides[1]
    return np.where(both > 0, hits / np.where(both > 0, both, 1.0), np.nan)


def area_interval(found: Area, weight: Floats | None, smallest: float, level: float = 0.95) -> tuple[float, float]:
    """Return DeLong's interval of an area, on the logit scale so that it stays inside (0, 1).

        Var A = Σ w_i φ_i²/(Σ w)²

    Where every row stands right it is Wilson's for as many rows as the smallest class has.

    Parameters
    ----------
    found : Area
    weight : (n,), or None
    smallest : float
        Summed weights of the smallest class.

    Examples
    --------
    >>> x = np.arange(100.0)
    >>> found = area(x > 30, x + 20 * np.sin(x), None)
    >>> low, high = area_interval(found, None, 31)
    >>> 0.8 < low < found.value < high < 1.0
    True
    """
    phi = found.influence
    if not np.isfinite(found.value):
        return float("nan"), float("nan")
    total = float(len(phi) if weight is None else weight.sum())
    # In this order weights and influences of 1e±300 stay in float64: their product is at most the row's share of its side.
    variance = float(np.einsum("i,i->", phi, phi)) / total**2 if weight is None else float((weight / total * phi) @ phi) / total
    return logit_interval(found.value, float(np.sqrt(variance)), smallest, level)
