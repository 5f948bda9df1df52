"""Areas under the ROC curve from ranks: of all rows, of every fold at once, and how far chance moves them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit
from scipy.stats import norm

from ..data.threads import ordered_map, single_threaded_blas, thread_count
from .intervals import Interval, wilson

Floats = NDArray[np.float64]

MANY = 20_000
"""Rows from which the classes are sorted on several threads."""


@dataclass(frozen=True, slots=True)
class Area:
    """Area under one curve, of all rows and of each fold (NaN where a side is missing), and each row's influence on it (n,)."""

    value: float
    per_fold: Floats
    influence: Floats


def macro_area(truth: NDArray[np.int32], posteriors: Floats, weight: Floats | None, folds: NDArray[np.integer] | None) -> Area:
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
    w = np.ones(len(truth)) if weight is None else weight

    def one(k: int) -> Area:
        return area(truth == k, posteriors[:, k], w, folds)

    with single_threaded_blas():
        found = list(ordered_map(one, columns, 1 if len(truth) < MANY else thread_count()))
    return Area(
        float(np.mean([a.value for a in found])),
        np.mean([a.per_fold for a in found], axis=0),
        found[0].influence if len(found) == 1 else np.mean([a.influence for a in found], axis=0),
    )


def area(positive: NDArray[np.bool_], score: Floats, weight: Floats, folds: NDArray[np.integer] | None = None) -> Area:
    """Return the area under one curve.

        A = Σ_pos w_i (Σ_{neg < i} w_j + ½ Σ_{neg ~ i} w_j) / (Σ_pos w Σ_neg w)

    Row i's influence is (V_i − A)/(share of its side), V_i the weighted share of the other side that it stands right to.
    """
    order = np.argsort(score)
    value, right, sides = _sorted_area(positive[order], score[order], weight[order])
    influence = np.empty(len(order))
    own = np.where(positive[order], sides[0], sides[1])
    with np.errstate(invalid="ignore", divide="ignore"):
        influence[order] = (right - value) * (sides.sum() / own) * np.sqrt(own / np.maximum(own - 1.0, 1e-300))
    if folds is None:
        return Area(value, np.empty(0), influence)
    n_folds = int(folds.max()) + 1
    small = folds[order].astype(np.int16 if n_folds < 2**15 else np.int64)
    order = order[np.argsort(small, kind="stable")]
    return Area(value, _areas_of(positive[order], score[order], weight[order], folds[order], n_folds), influence)


def _sorted_area(positive: NDArray[np.bool_], score: Floats, weight: Floats) -> tuple[float, Floats, Floats]:
    """Return the area, the share of the other side each row stands right to, and the weights of both sides."""
    pos, neg = np.where(positive, weight, 0.0), np.where(positive, 0.0, weight)
    sides = np.array([pos.sum(), neg.sum()])
    if not sides.all():
        return float("nan"), np.full(len(score), np.nan), sides
    below_neg, below_pos = _below(neg, score), _below(pos, score)
    right = np.where(positive, below_neg / sides[1], 1.0 - below_pos / sides[0])
    return float(pos @ below_neg / (sides[0] * sides[1])), right, sides


def _below(weight: Floats, score: Floats, starts: NDArray[np.intp] | None = None) -> Floats:
    """Return the weight below each row, half of what is tied with it included; rows in the order of their scores."""
    total = np.cumsum(weight)
    ties = score[1:] == score[:-1]
    if starts is not None:
        ties[starts[1:] - 1] = False
    if not ties.any():
        return total - 0.5 * weight
    begins = np.concatenate([[0], np.flatnonzero(~ties) + 1])
    sums = np.add.reduceat(weight, begins)
    return np.repeat(np.cumsum(sums) - 0.5 * sums, np.diff(np.append(begins, len(weight))))


def _areas_of(positive: NDArray[np.bool_], score: Floats, weight: Floats, folds: NDArray[np.integer], n_folds: int) -> Floats:
    """Return the area of each fold; rows in the order of folds, then scores."""
    pos, neg = np.where(positive, weight, 0.0), np.where(positive, 0.0, weight)
    starts = np.searchsorted(folds, np.arange(n_folds))
    used = starts[np.append(starts[1:], len(folds)) > starts]
    before = np.concatenate([[0.0], np.cumsum(neg)])[starts]
    below = _below(neg, score, used) - before[folds]
    both = np.bincount(folds, pos, minlength=n_folds) * np.bincount(folds, neg, minlength=n_folds)
    hits = np.bincount(folds, pos * below, minlength=n_folds)
    return np.where(both > 0, hits / np.where(both > 0, both, 1.0), np.nan)


def area_interval(found: Area, weight: Floats, smallest: float, level: float = 0.95) -> Interval:
    """Return DeLong's interval of an area, on the logit scale so that it stays inside (0, 1).

        Var A = Σ w_i φ_i²/(Σ w)²

    Where every row stands right (variance 0) it is Wilson's for as many rows as the smallest class has: what was never seen to go wrong
    is not known never to.

    Parameters
    ----------
    found : Area
    weight : (n,)
    smallest : float
        Summed weights of the smallest class.

    Examples
    --------
    >>> x = np.arange(100.0)
    >>> found = area(x > 30, x + 20 * np.sin(x), np.ones(100))
    >>> low, high = area_interval(found, np.ones(100), 31)
    >>> 0.8 < low < found.value < high < 1.0
    True
    """
    variance = float(weight @ found.influence**2) / float(weight.sum()) ** 2
    if not np.isfinite(variance):
        return float("nan"), float("nan")
    if variance <= 1e-16 or not 0.0 < found.value < 1.0:
        return wilson(found.value, smallest, level)
    half = float(norm.ppf(0.5 + level / 2)) * np.sqrt(variance) / (found.value * (1.0 - found.value))
    centre = float(logit(found.value))
    return float(expit(centre - half)), float(expit(centre + half))
