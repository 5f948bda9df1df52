"""Curves over all thresholds of two classes, from held-out posteriors, with bands: ROC, precision and recall, cost, net benefit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, confusion_matrix_at_thresholds

from ..argument_types import as_numbers, check_arguments
from ..array_types import Floats
from ..errors import InputError
from ..inference.shares import area, area_interval, logit_interval, normal_quantile, wilson_band
from ..loading import maker
from ..notebook import Sentences
from .cost_savings import at_priors
from .decision import Decision
from .posteriors import Cases
from .tuning import threshold_scores


@dataclass(frozen=True, eq=False)
class Curve(Sentences):
    """Points of a curve with a pointwise 95 % band, and its area where that has a meaning.

    Attributes
    ----------
    name : what it is
    x, y : (m,) the points, named by `axes`
    low, high : (m,) ends of the band of y
    thresholds : (m,) score at and above which a row is called positive; for net benefit and cost the threshold itself
    axes : names of x and y
    area, area_interval : area under the curve (ROC: AUC; precision and recall: average precision), None where it has no meaning
    more : further lines by name, such as those of calling all rows positive
    rows : number of rows behind it
    """

    name: str
    x: Floats
    y: Floats
    low: Floats
    high: Floats
    thresholds: Floats
    axes: tuple[str, str]
    area: float | None = None
    area_interval: tuple[float, float] | None = None
    more: dict[str, Floats] | None = None
    rows: int | None = None

    def chart(self, title: str | None = None) -> Any:
        """Return the curve with its band as an Altair chart; needs `separatrix[charts]`.

        Parameters
        ----------
        title : text above it, optional
        """
        return maker("charts.curves.curve")(self, title)

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Draw it on axes of matplotlib, new ones by default, and return them.

        Parameters
        ----------
        ax : axes of matplotlib, optional
        style : of the line, such as color="black"
        """
        return maker("charts.axes.curve")(self, ax, **style)

    def at(self, x: float) -> tuple[float, float, float]:
        """Return y, low and high at x, between points linearly.

        Parameters
        ----------
        x : float
        """
        check_arguments(Curve.at, locals())
        order = np.argsort(self.x, kind="stable")
        y, low, high = (float(np.interp(x, self.x[order], line[order])) for line in (self.y, self.low, self.high))
        return y, low, high

    def __str__(self) -> str:
        area = "" if self.area is None else f", area {self.area:.4f}"
        if self.area_interval is not None:
            area += f" (95 % interval {self.area_interval[0]:.4f} to {self.area_interval[1]:.4f})"
        return f"{self.name}: {self.axes[1]} against {self.axes[0]}, {len(self.x)} points{area}"


@dataclass(frozen=True, slots=True)
class ThresholdCounts:
    """Sums of weights of rows with a score at or above each threshold (descending): false and true positives."""

    fp: Floats
    tp: Floats
    thresholds: Floats
    cases: Cases
    per_row: float

    @property
    def rows(self) -> int:
        """Number of rows counted."""
        return len(self.cases.codes)

    @classmethod
    def of(cls, posteriors: Any, y: Any, positive: Any, classes: Any, sample_weight: Any, priors: Any = None) -> ThresholdCounts:
        """Count the rows of posteriors with known truth."""
        cases = at_priors(Cases.of(posteriors, y, classes, sample_weight), priors)
        k = cases.positive(positive)
        truth = cases.codes == k
        if truth.all() or not truth.any():
            raise InputError(f"A curve needs rows of both kinds; {'all' if truth.all() else 'none'} are of the positive class.")
        _, fp, _, tp, levels = confusion_matrix_at_thresholds(truth, threshold_scores(cases, k), sample_weight=cases.weight)
        return cls(fp.astype(np.float64), tp.astype(np.float64), levels, cases, cases.effective / cases.n)


def roc(posteriors: Any, y: Any, *, positive: Any = None, classes: Any = None, sample_weight: Any = None) -> Curve:
    """Return the ROC curve: recall against the share of false alarms, with Wilson's band, and the AUC with DeLong's interval.

    Parameters
    ----------
    posteriors, y : held-out posteriors, as `evaluate` gives them (an Estimate will do), and the truth
    positive : a class, default the second of two
    classes : (K,) labels, where y lacks one
    sample_weight : (n,) weights, optional

    Examples
    --------
    >>> curve = roc([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])
    >>> curve.area, curve.x.tolist(), curve.y.tolist()
    (0.75, [0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or more correlated ROC curves, Biometrics 44.
    """
    counts = ThresholdCounts.of(posteriors, y, positive, classes, sample_weight)
    fp, tp = np.append(0.0, counts.fp), np.append(0.0, counts.tp)
    m, n = tp[-1], fp[-1]
    low, high = wilson_band(tp / m, m * counts.per_row)
    k = counts.cases.positive(positive)
    found = area(counts.cases.codes == k, threshold_scores(counts.cases, k), counts.cases.weight)
    interval = area_interval(found, counts.cases.weight, float(min(m, n)))
    thresholds = np.append(np.inf, counts.thresholds)
    return Curve("ROC", fp / n, tp / m, low, high, thresholds, ("false positive rate", "recall"), found.value, interval, rows=counts.rows)


def precision_recall(
    posteriors: Any, y: Any, *, positive: Any = None, priors: Any = None, classes: Any = None, sample_weight: Any = None
) -> Curve:
    """Return precision against recall, with Wilson's band, and the average precision with an interval on the logit scale.

    Parameters
    ----------
    posteriors, y, positive, classes, sample_weight : as in `roc`
    priors : (K,) or {label: prior}, optional
        How common the classes are where it is used; default: as in y.

    Examples
    --------
    >>> curve = precision_recall([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])
    >>> curve.y.round(4).tolist(), round(curve.area, 4)
    ([1.0, 0.5, 0.6667, 0.5], 0.8333)

    References
    ----------
    Boyd, Eng and Page (2013), Area under the precision-recall curve: point estimates and confidence intervals, ECML.
    """
    counts = ThresholdCounts.of(posteriors, y, positive, classes, sample_weight, priors)
    called = counts.tp + counts.fp
    precision, recall = counts.tp / called, counts.tp / counts.tp[-1]
    low, high = wilson_band(precision, called * counts.per_row)
    k = counts.cases.positive(positive)
    average = float(average_precision_score(counts.cases.codes == k, threshold_scores(counts.cases, k), sample_weight=counts.cases.weight))
    positives = float(counts.tp[-1]) * counts.per_row
    interval = logit_interval(average, float(np.sqrt(average * (1 - average) / positives)), positives)
    axes = ("recall", "precision")
    return Curve("precision and recall", recall, precision, low, high, counts.thresholds, axes, average, interval, rows=counts.rows)


def cost_curve(posteriors: Any, y: Any, costs: Any = None, *, priors: Any = None, classes: Any = None, sample_weight: Any = None) -> Curve:
    """Return the mean cost of two classes against the threshold, with a normal band; `more` has the cost of one class for all rows.

    Parameters
    ----------
    posteriors, y, classes, sample_weight : as in `roc`
    costs : (2, 2), rows are the truth; default: 1 for every mistake
    priors : as in `precision_recall`

    Examples
    --------
    >>> curve = cost_curve([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1], [[0, 1], [3, 0]])
    >>> curve.y.tolist()
    [1.5, 0.75, 1.0, 0.25, 0.5]
    """
    counts = ThresholdCounts.of(posteriors, y, None, classes, sample_weight, priors)
    C = Decision(costs).table(counts.cases.classes)
    fp, tp, n = np.append(0.0, counts.fp), np.append(0.0, counts.tp), counts.cases.n
    cells = np.stack([fp[-1] - fp, fp, tp[-1] - tp, tp]) / n
    paid = C.ravel()
    cost = paid @ cells
    half = normal_quantile(0.95) * np.sqrt(np.maximum(paid**2 @ cells - cost**2, 0.0) / (n * counts.per_row))
    thresholds = np.append(1.0, counts.thresholds)
    more = {"all first": np.full(len(cost), cost[0]), "all second": np.full(len(cost), cost[-1])}
    return Curve("cost", thresholds, cost, cost - half, cost + half, thresholds, ("threshold", "mean cost"), more=more, rows=counts.rows)


def net_benefit(
    posteriors: Any,
    y: Any,
    thresholds: Any = None,
    *,
    positive: Any = None,
    priors: Any = None,
    classes: Any = None,
    sample_weight: Any = None,
) -> Curve:
    """Return the net benefit of treating rows whose posterior is at or above t (decision curve analysis), with a normal band.

        NB(t) = share of true positives − share of false positives · t/(1 − t)

    `more` has the benefit of treating all rows; treating none has 0.

    Parameters
    ----------
    posteriors, y, positive, classes, sample_weight : as in `roc`
    thresholds : (m,) in (0, 1), default .01 … .99
    priors : as in `precision_recall`

    Examples
    --------
    >>> net_benefit([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1], [0.2, 0.5]).y.tolist()
    [0.4375, 0.25]

    References
    ----------
    Vickers and Elkin (2006), Decision curve analysis: a novel method for evaluating prediction models, Medical Decision Making 26.
    """
    t = (
        np.linspace(0.01, 0.99, 99)
        if thresholds is None
        else np.atleast_1d(as_numbers("thresholds", thresholds, "give numbers between 0 and 1."))
    )
    if not ((t > 0) & (t < 1)).all():
        raise InputError("thresholds of a decision curve must lie between 0 and 1, both excluded: t/(1 − t) is the price of a false alarm.")
    counts = ThresholdCounts.of(posteriors, y, positive, classes, sample_weight, priors)
    reached = np.searchsorted(-counts.thresholds, -t, side="right")
    n, odds = counts.cases.n, t / (1 - t)
    tp, fp = np.append(0.0, counts.tp)[reached] / n, np.append(0.0, counts.fp)[reached] / n
    benefit = tp - fp * odds
    half = normal_quantile(0.95) * np.sqrt(np.maximum(tp + fp * odds**2 - benefit**2, 0.0) / (n * counts.per_row))
    everyone = counts.tp[-1] / n - counts.fp[-1] / n * odds
    more = {"treat all": everyone}
    return Curve("net benefit", t, benefit, benefit - half, benefit + half, t, ("threshold", "net benefit"), more=more, rows=counts.rows)
