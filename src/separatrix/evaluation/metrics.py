"""Scores of held-out predictions, from codes and posteriors: of all rows and of each fold at once.

The metrics of this package are computed here from class codes, without labels being made and compared again. Metrics asked for by
name, and scorers of scikit-learn, are in scorers.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..array_types import Codes, Floats
from ..inference.shares import Area, macro_area

NEED_POSTERIORS = ("log_loss", "brier", "auc")
LOSSES = ("error", "log_loss", "brier")
"""Metrics of which less is better; of all others, as of scikit-learn's scorers, more is."""
SHARES = ("f1", "precision", "recall", "jaccard", "average_precision", "roc_auc", "top_k_accuracy")
"""Beginnings of scikit-learn's names of scores between 0 and 1."""


HEAD = 64
"""Rows looked at first."""


@dataclass(frozen=True, slots=True)
class ScoredRows:
    """Rows held out: true codes, predicted codes, posteriors or None, weights or None, folds or None (then no scores by fold).

    `fits` numbers the fit that each row was judged by, where that is known.
    """

    truth: Codes
    predicted: Codes
    posteriors: Floats | None
    weight: Floats | None
    folds: NDArray[np.integer] | None
    classes: NDArray[Any]
    fits: NDArray[np.integer] | None = None

    @property
    def class_weights(self) -> Floats:
        """Summed weights of the rows of each class, (K,)."""
        return np.bincount(self.truth, self.weight, minlength=len(self.classes)).astype(np.float64)

    @property
    def n_folds(self) -> int:
        """Number of folds scored apart."""
        return 0 if self.folds is None else int(self.folds.max()) + 1

    def mean(self, losses: NDArray[Any]) -> Score:
        """Return the weighted mean of a loss of rows, over all and by fold."""
        total = float(np.average(losses, weights=self.weight))
        if self.folds is None:
            return Score(total, np.empty(0))
        weights = np.bincount(self.folds, self.weight, minlength=self.n_folds)
        sums = np.bincount(self.folds, losses if self.weight is None else losses * self.weight, minlength=self.n_folds)
        with np.errstate(invalid="ignore", divide="ignore"):
            return Score(total, sums / weights)


@dataclass(frozen=True, slots=True)
class Score:
    """A score of all rows, of each fold, and for areas what their interval needs."""

    value: float
    per_fold: Floats
    area: Area | None = None


Metric = Callable[[ScoredRows], Score]


def error(rows: ScoredRows) -> Score:
    """Return the weighted share of wrong labels."""
    return rows.mean(rows.predicted != rows.truth)


def log_losses(rows: ScoredRows) -> Floats:
    """Return −log of each row's posterior of the truth, kept finite as scikit-learn keeps it."""
    assert rows.posteriors is not None
    tiny = np.finfo(np.float64).eps
    return -np.log(np.clip(rows.posteriors[np.arange(len(rows.truth)), rows.truth], tiny, 1.0 - tiny))


def brier_losses(rows: ScoredRows) -> Floats:
    """Return Σ_k (p_k − y_k)² of each row; for two classes half of it, (p₁ − y)²."""
    P = rows.posteriors
    assert P is not None
    own = P[np.arange(len(rows.truth)), rows.truth]
    if P.shape[1] == 2:
        return (1.0 - own) ** 2
    losses: Floats = np.einsum("ik,ik->i", P, P) - 2.0 * own + 1.0
    return losses


def auc(rows: ScoredRows) -> Score:
    """Return the area under the ROC curve (K classes: mean of one against the rest); NaN where a class is missing."""
    found = pooled_area(rows)
    return Score(found.value, found.per_fold, found)


def pooled_area(rows: ScoredRows) -> Area:
    """Return the area of all rows in one order, whichever fit judged them; 1/2 where the fits do not look at the rows.

    Such fits differ in the class shares of the rows trained on, which are the lower for a class the more of its rows are held out: in one
    order they would seem to say less than nothing.
    """
    assert rows.posteriors is not None
    found = macro_area(rows.truth, rows.posteriors, rows.weight, rows.folds)
    return Area(0.5, found.per_fold, np.zeros(len(rows.truth))) if np.isfinite(found.value) and says_nothing(rows) else found


def says_nothing(rows: ScoredRows) -> bool:
    """Return whether every fit gives all its rows the same posteriors; of rows held out alone: the class shares of the others.

    Examples
    --------
    >>> truth, P = np.array([0, 1, 1], dtype=np.int32), np.array([[0.0, 1.0], [0.5, 0.5], [0.5, 0.5]])
    >>> says_nothing(ScoredRows(truth, truth, P, None, None, np.arange(2), fits=np.arange(3)))
    True
    """
    P, fits = rows.posteriors, rows.fits
    assert P is not None
    if fits is None:
        return False
    same = _same_by_fit if int(fits.max()) + 1 < len(fits) else _shares_of_others
    return same(rows, P[:HEAD]) and same(rows, P)  # nearly always a few rows suffice to see a difference


def _same_by_fit(rows: ScoredRows, P: Floats) -> bool:
    assert rows.fits is not None
    fits = rows.fits[: len(P)]
    first = np.zeros(int(fits.max(initial=0)) + 1, dtype=np.intp)
    first[fits[::-1]] = np.arange(len(fits))[::-1]
    return bool((P[first[fits]] == P).all())


def _shares_of_others(rows: ScoredRows, P: Floats) -> bool:
    """Return whether the first rows, each held out alone, have the class shares of all other rows for posteriors."""
    n, K = P.shape
    totals = np.bincount(rows.truth, rows.weight, minlength=K)
    left = totals - np.eye(K)[rows.truth[:n]] * (1.0 if rows.weight is None else rows.weight[:n, None])
    return bool((np.abs(P * left.sum(axis=1, keepdims=True) - left) <= 1e-9 * totals.sum()).all())


def balanced_accuracy(rows: ScoredRows) -> Score:
    """Return the mean over the classes of the share of their rows found."""
    K = len(rows.classes)
    table = np.bincount(rows.truth * K + rows.predicted, rows.weight, minlength=K * K).reshape(1, K, K)
    if rows.folds is None:
        return Score(float(_mean_recall(table)[0]), np.empty(0))
    cells = (rows.folds.astype(np.int64) * K + rows.truth) * K + rows.predicted
    by_fold = np.bincount(cells, rows.weight, minlength=rows.n_folds * K * K).reshape(-1, K, K)
    return Score(float(_mean_recall(table)[0]), _mean_recall(by_fold))


def _mean_recall(tables: NDArray[Any]) -> Floats:
    totals = tables.sum(axis=2)
    found, there = np.einsum("fkk->fk", tables) / np.where(totals > 0, totals, 1.0), (totals > 0).sum(axis=1)
    return np.where(there > 0, found.sum(axis=1) / np.maximum(there, 1), np.nan)


METRICS: dict[str, Metric] = {
    "error": error,
    "log_loss": lambda rows: rows.mean(log_losses(rows)),
    "brier": lambda rows: rows.mean(brier_losses(rows)),
    "auc": auc,
    "balanced_accuracy": balanced_accuracy,
}


@dataclass(frozen=True, slots=True)
class NamedMetric:
    """A metric by the name it was asked for: start + sign · (the metric `own`, of this package or of scikit-learn).

    Examples
    --------
    >>> accuracy = NamedMetric("accuracy", "error", error, 1.0, -1.0)
    >>> accuracy.own, accuracy.of(0.25), accuracy.span((0.125, 0.5))
    ('error', 0.75, (0.5, 0.875))
    """

    name: str
    own: str
    metric: Metric
    start: float = 0.0
    sign: float = 1.0

    @property
    def is_loss(self) -> bool:
        """Whether less of the metric `own` is better."""
        return self.own in LOSSES

    def of(self, value: Any) -> Any:
        """Return a value, or an array of values, of the metric `own` as one of the metric asked for."""
        return self.start + self.sign * value if self.start or self.sign != 1.0 else value

    def span(self, interval: tuple[float, float]) -> tuple[float, float]:
        """Return an interval of the metric `own` as one of the metric asked for."""
        low, high = (float(self.of(end)) for end in interval)
        return (low, high) if self.sign > 0 else (high, low)


def own_metrics(has_posteriors: bool) -> list[NamedMetric]:
    """Return all metrics of this package, `error` first; without posteriors those that need labels alone."""
    return [NamedMetric(name, name, metric) for name, metric in METRICS.items() if has_posteriors or name not in NEED_POSTERIORS]


def distinct_metrics(chosen: Sequence[NamedMetric]) -> dict[str, Metric]:
    """Return what has to be computed: every metric once, by its own name."""
    return {one.own: one.metric for one in chosen}


def bounded(name: str, interval: tuple[float, float], K: int) -> tuple[float, float]:
    """Return an interval of a metric without values that the metric cannot have.

    Examples
    --------
    >>> bounded("auc", (0.9, 1.1), 2), bounded("brier", (-0.1, 1.1), 3), bounded("f1_macro", (0.9, 1.1), 2)
    ((0.9, 1.0), (0.0, 1.1), (0.9, 1.0))
    """
    limits = {"brier": (0.0, 1.0 if K == 2 else 2.0), "log_loss": (0.0, np.inf), "matthews_corrcoef": (-1.0, 1.0)}
    if name in METRICS or name.startswith(SHARES):
        least, most = limits.get(name, (0.0, 1.0))
    else:
        least, most = limits.get(name, (-np.inf, np.inf))
    return max(interval[0], least), min(interval[1], most)
