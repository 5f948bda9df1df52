"""How much a positive or negative answer means where the condition is as common as stated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from ..argument_types import check_arguments
from ..errors import InputError
from ..inference.shares import normal_quantile, wilson_band
from ..inference.tables import Column, Table
from ..loading import maker
from ..notebook import view
from .posteriors import Cases
from .tuning import threshold_scores

Interval = tuple[float, float]


@dataclass(frozen=True)
class PredictiveValues:
    """Sensitivity, specificity, and what they make of answers at a prevalence; each with its 95 % interval.

    Attributes
    ----------
    sensitivity, specificity : share of positive (negative) rows called so, with Wilson intervals
    positive, negative : p(positive | called so), p(negative | called so), with intervals on the logit scale
    prevalence : float
    counts : rows that are positive and negative, by weight
    """

    sensitivity: float
    sensitivity_interval: Interval
    specificity: float
    specificity_interval: Interval
    positive: float
    positive_interval: Interval
    negative: float
    negative_interval: Interval
    prevalence: float
    counts: tuple[float, float]

    @property
    def rows(self) -> float:
        """Rows behind it, by weight."""
        return sum(self.counts)

    def at(self, prevalence: float) -> PredictiveValues:
        """Return the same at another prevalence.

        Parameters
        ----------
        prevalence : float in (0, 1)
        """
        check_arguments(PredictiveValues.at, locals())
        _require_share(prevalence)
        return _at(self.sensitivity, self.specificity, *self.counts, prevalence)

    def chart(self) -> Any:
        """Return the predictive values at all prevalences as an Altair chart; needs `separatrix[charts]`."""
        return maker("charts.curves.predictive_curve")(self)

    def _repr_html_(self) -> str:
        names = ("sensitivity", "specificity", "positive", "negative")
        said = [*names[:2], f"positive predictive value at prevalence {self.prevalence:g}", "negative predictive value"]
        ends = [getattr(self, f"{name}_interval") for name in names]
        columns = (
            Column("", said),
            Column("value", [getattr(self, name) for name in names], ".4f"),
            Column("95 % low", [end[0] for end in ends], ".4f"),
            Column("high", [end[1] for end in ends], ".4f"),
        )
        return view(Table("What an answer means", columns, f"From {self.rows:,.6g} rows.").html)

    def __str__(self) -> str:
        rows = [("sensitivity", "sensitivity"), ("specificity", "specificity")]
        rows += [("positive", f"positive predictive value at prevalence {self.prevalence:g}"), ("negative", "negative predictive value")]
        spans = {name: getattr(self, f"{name}_interval") for name, _ in rows}
        return "\n".join(f"{text} {getattr(self, name):.4f}  ({spans[name][0]:.4f} to {spans[name][1]:.4f})" for name, text in rows)


def predictive_values(
    posteriors: Any,
    y: Any,
    *,
    prevalence: float,
    threshold: float = 0.5,
    positive: Any = None,
    classes: Any = None,
    sample_weight: Any = None,
) -> PredictiveValues:
    """Return predictive values at a stated prevalence π, from sensitivity s and specificity c of held-out rows.

        PPV = s π / (s π + (1 − c)(1 − π)),    NPV = c (1 − π) / (c (1 − π) + (1 − s) π)

    Parameters
    ----------
    posteriors, y : held-out posteriors, as `evaluate` gives them (an Estimate will do), and the truth
    prevalence : float in (0, 1)
        How common the positive class is where the answers are used.
    threshold : float
        Rows above it are called positive; it is one on the posteriors as given.
    positive : a class, default the second of two
    classes : (K,) labels, where y lacks one
    sample_weight : (n,) weights, optional

    Returns
    -------
    PredictiveValues
        A predictive value is NaN where no row is called so.

    Examples
    --------
    >>> y = np.repeat([0, 1], [1000, 100])
    >>> p = np.concatenate([np.repeat([0.2, 0.8], [950, 50]), np.repeat([0.2, 0.8], [10, 90])])
    >>> found = predictive_values(p, y, prevalence=0.01)
    >>> found.sensitivity, found.specificity, round(found.positive, 4), round(found.negative, 4)
    (0.9, 0.95, 0.1538, 0.9989)

    References
    ----------
    Mercaldo, Lau and Zhou (2007), Confidence intervals for predictive values with an emphasis to case-control studies,
    Statistics in Medicine 26.
    """
    check_arguments(predictive_values, locals())
    _require_share(prevalence)
    cases = Cases.of(posteriors, y, classes, sample_weight)
    k = cases.positive(positive)
    truth, called = cases.codes == k, threshold_scores(cases, k) > threshold
    ill, well = float(cases.weight[truth].sum()), float(cases.weight[~truth].sum())
    if ill == 0 or well == 0:
        raise InputError("Predictive values need rows of both kinds, positive and negative.")
    s, c = float(cases.weight[truth & called].sum()) / ill, float(cases.weight[~truth & ~called].sum()) / well
    return _at(s, c, ill, well, prevalence)


def _require_share(prevalence: float) -> None:
    if not 0.0 < prevalence < 1.0:
        raise InputError(f"prevalence={prevalence!r} is a share between 0 and 1, such as 0.01.")


def _at(s: float, c: float, ill: float, well: float, prevalence: float) -> PredictiveValues:
    odds = prevalence / (1 - prevalence)
    # Half a row in each cell keeps the logits finite where one of them is empty; the estimates themselves are as counted.
    a, b = (s * ill + 0.5) / (ill + 1), (c * well + 0.5) / (well + 1)
    error_p = np.sqrt((1 - a) / (a * ill) + b / ((1 - b) * well))
    error_n = np.sqrt(a / ((1 - a) * ill) + (1 - b) / (b * well))
    ppv, npv = _share(s * odds, 1 - c), _share(c / odds, 1 - s)
    around_p, around_n = _around(a * odds / (1 - b), float(error_p)), _around(b / odds / (1 - a), float(error_n))
    sure = _pair(wilson_band(s, ill)), _pair(wilson_band(c, well))
    return PredictiveValues(s, sure[0], c, sure[1], ppv, around_p, npv, around_n, float(prevalence), (ill, well))


def _share(part: float, other: float) -> float:
    return part / (part + other) if part + other > 0 else float("nan")


def _around(odds: float, error: float) -> Interval:
    low, high = expit(np.log(odds) + np.array([-1.0, 1.0]) * normal_quantile(0.95) * error)
    return float(low), float(high)


def _pair(band: tuple[Any, Any]) -> Interval:
    return float(band[0]), float(band[1])
