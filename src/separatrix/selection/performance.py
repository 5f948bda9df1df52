"""The value of a metric on held-out rows with its standard error and interval, and what one model loses against another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.stats import norm

from ..array_types import Floats
from ..errors import InputError
from ..evaluation.estimate import corrected_resampled_t
from ..evaluation.evaluation_rows import EvaluationRows
from ..evaluation.metrics import Metric, NamedMetric, ScoredRows, bounded, brier_losses, log_losses, pooled_area
from ..evaluation.plans import NEVER
from ..evaluation.predictions import HeldOut
from ..evaluation.scorers import named_metric, needs_posteriors
from ..inference.shares import Area, area_interval, wilson
from .differences import Difference, delong, mcnemar, paired_rows, resampled_t

Interval = tuple[float, float]

UNKNOWN = float("nan")
ROW_LOSSES = {"error": lambda rows: (rows.predicted != rows.truth).astype(np.float64), "log_loss": log_losses, "brier": brier_losses}
"""Metrics that are means of losses of rows."""


@dataclass(frozen=True, slots=True)
class ComparisonMetric:
    """What models are tuned, ranked and tested by.

    Attributes
    ----------
    given : name or scorer
    name : as printed
    own : name of the metric that is computed, which may be known by other names too
    """

    given: Any
    name: str
    own: str

    @classmethod
    def of(cls, given: Any) -> ComparisonMetric:
        """Return the criterion of a name or scorer; an unknown one is an error."""
        found = named_metric(given)
        return cls(given, found.name, found.own)

    @property
    def named(self) -> NamedMetric:
        """The metric behind the name; looked up at use, because closures do not travel to other processes."""
        return named_metric(self.given)

    @property
    def metric(self) -> Metric:
        """The function of the metric `own`."""
        return self.named.metric

    @property
    def is_loss(self) -> bool:
        """Whether less of the metric `own` is better."""
        return self.named.is_loss

    def require(self, model: Any) -> None:
        """Raise an error if the metric needs probabilities and the model gives none."""
        if needs_posteriors(self.given) and not hasattr(model, "predict_proba"):
            raise InputError(
                f"Metric {self.name!r} needs probabilities, but there is no predict_proba; compare CalibratedClassifier(model) instead, or "
                "use 'error' or 'balanced_accuracy'."
            )

    def loss(self, held: HeldOut, rows: EvaluationRows) -> float:
        """Return what a choice of hyperparameters is to minimise."""
        value = self.metric(scored_rows(held, rows, by_fold=False)).value
        return value if self.is_loss else -value

    def row_losses(self, rows: EvaluationRows) -> Callable[[HeldOut, EvaluationRows], Floats] | None:
        """Return the losses of held-out rows whose mean is the metric; None where it is no mean over rows, or they have weights."""
        of = ROW_LOSSES.get(self.own)
        return None if of is None or rows.weight is not None else lambda held, here: of(scored_rows(held, here))


def scored_rows(held: HeldOut, rows: EvaluationRows, by_fold: bool = True) -> ScoredRows:
    """Return the rows held out with their truth; by fold too, unless each is held out alone."""
    inside = np.flatnonzero(held.folds != NEVER)
    folds = held.folds[inside]
    posteriors = None if held.posteriors is None else held.posteriors[inside]
    weight = None if rows.weight is None else rows.weight[inside]
    apart = by_fold and int(folds.max()) + 1 < len(folds)
    return ScoredRows(rows.codes[inside], held.codes[inside], posteriors, weight, folds if apart else None, rows.classes, folds)


@dataclass(frozen=True, eq=False)
class Performance:
    """A criterion on what a model said of the rows held out, one `HeldOut` per repeat.

    `value` and `interval` are those of the metric as it was asked for; all others are of the metric that is computed.
    """

    criterion: ComparisonMetric
    rows: EvaluationRows
    repeats: tuple[HeldOut, ...]

    @property
    def value(self) -> float:
        """Mean over the repeats of the value of all rows held out."""
        return float(self.criterion.named.of(self.own))

    @property
    def interval(self) -> Interval:
        """95 % interval: Wilson's for an error, DeLong's for an area, Nadeau and Bengio's for repeats and folds, normal for losses."""
        return self.criterion.named.span(self._interval)

    @property
    def loss(self) -> float:
        """The value, or minus the value, so that less is better."""
        return self.own if self.criterion.is_loss else -self.own

    @cached_property
    def own(self) -> float:
        """The value of the metric that is computed."""
        return float(np.mean([self.criterion.metric(scored_rows(held, self.rows, by_fold=False)).value for held in self.repeats]))

    @cached_property
    def per_fold(self) -> Floats:
        """Values of all folds of all repeats; empty where rows are held out alone."""
        return np.concatenate([self.criterion.metric(scored_rows(held, self.rows)).per_fold for held in self.repeats])

    @cached_property
    def row_losses(self) -> Floats | None:
        """Loss of each row, the mean over repeats, where the criterion is a mean of such losses and every row is held out equally often."""
        of, times = ROW_LOSSES.get(self.criterion.own), [held.folds != NEVER for held in self.repeats]
        if of is None or any((times[0] != other).any() for other in times):
            return None
        losses: Floats = np.mean([of(scored_rows(held, self.rows)) for held in self.repeats], axis=0)
        return losses

    @cached_property
    def standard_error(self) -> float:
        """Of the mean loss of rows, where the criterion is one; DeLong's for the area under the curve; else of the mean over folds."""
        if self.row_losses is not None:
            weight = self._weight
            spread = np.sqrt(np.average((self.row_losses - np.average(self.row_losses, weights=weight)) ** 2, weights=weight))
            return float(spread / np.sqrt(len(self.row_losses) if weight is None else weight.sum()))
        if self._area is not None:
            return float(np.linalg.norm(self._area.influence)) / len(self._area.influence)
        finite = self.per_fold[np.isfinite(self.per_fold)]
        return float(np.std(finite, ddof=1) / np.sqrt(len(finite))) if len(finite) > 1 else UNKNOWN

    @cached_property
    def _interval(self) -> Interval:
        once = len(self.repeats) == 1
        if once and self.criterion.own == "error":
            return wilson(self.own, float(np.sum(self.repeats[0].folds != NEVER) if self._weight is None else self._weight.sum()))
        if once and self._area is not None:
            return area_interval(self._area, None, float(np.bincount(scored_rows(self.repeats[0], self.rows).truth).min()))
        if once and self.row_losses is not None:
            half = float(norm.ppf(0.975)) * self.standard_error
        elif len(self.per_fold) > 1 and np.isfinite(self.per_fold).all():
            low, high = corrected_resampled_t(self.per_fold, self._share)
            half = (high - low) / 2.0  # around the value of all rows, which need not be the mean over folds
        else:
            return UNKNOWN, UNKNOWN
        return bounded(self.criterion.own, (self.own - half, self.own + half), len(self.rows.classes))

    def against(self, other: Performance) -> Difference | None:
        """Return what this one loses against another one on the same rows; None where nothing can be said."""
        if len(self.repeats) == 1 and self._weight is None:
            if self.row_losses is not None and other.row_losses is not None:
                test = paired_rows if self.criterion.own != "error" else _mcnemar
                return test(self.row_losses, other.row_losses)
            if self._area is not None and other._area is not None:
                return delong(self._area, other._area)
        sign = 1.0 if self.criterion.is_loss else -1.0
        return resampled_t(sign * self.per_fold, sign * other.per_fold, self._share, self.loss - other.loss)

    @property
    def _share(self) -> float:
        """Share of the rows held out at a time."""
        return float(np.mean([np.mean(held.folds == 0) for held in self.repeats]))

    @property
    def _weight(self) -> Floats | None:
        return None if self.rows.weight is None else self.rows.weight[self.repeats[0].folds != NEVER]

    @cached_property
    def _area(self) -> Area | None:
        """The area under the ROC curve with influences in the order of the rows, where that is the criterion and rows are held out once."""
        if self.criterion.own != "auc" or len(self.repeats) > 1 or self._weight is not None:
            return None
        rows = scored_rows(self.repeats[0], self.rows)
        one_fold = np.zeros(len(rows.truth), dtype=np.int64)  # without folds, influences come in an order of their own
        found = pooled_area(replace(rows, folds=one_fold))
        return found if np.isfinite(found.value) else None


def _mcnemar(losses: Floats, other: Floats) -> Difference:
    return mcnemar(losses > 0, other > 0)
