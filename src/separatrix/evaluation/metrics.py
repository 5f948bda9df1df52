"""Scores of held-out predictions: scikit-learn's metrics, asked without an estimator."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import balanced_accuracy_score, brier_score_loss, get_scorer, get_scorer_names, log_loss, roc_auc_score

from ..errors import InputError, did_you_mean

Floats = NDArray[np.float64]
NEED_POSTERIORS = ("log_loss", "brier", "auc")
OWN = ("error", "log_loss", "brier", "auc", "balanced_accuracy")


class Answers(ClassifierMixin, BaseEstimator):
    """Predictions already made, in the shape of a fitted classifier: X is the numbers of the rows asked about."""

    def __init__(self, labels: Any = None, posteriors: Any = None, classes: Any = None) -> None:
        self.labels = labels
        self.posteriors = posteriors
        self.classes = classes
        self.classes_ = classes

    def predict(self, X: Any) -> Any:
        """Return the labels predicted for rows X."""
        return self.labels[np.ravel(X)]

    def predict_proba(self, X: Any) -> Any:
        """Return the posteriors of rows X."""
        return self.posteriors[np.ravel(X)]


def error(y: Any, labels: Any, posteriors: Any, classes: Any, weight: Any) -> float:
    """Return the weighted share of wrong labels."""
    return float(np.average(y != labels, weights=weight))


def auc(y: Any, labels: Any, posteriors: Any, classes: Any, weight: Any) -> float:
    """Return the area under the ROC curve (K classes: mean of one against the rest); NaN where a class is missing."""
    if len(np.unique(y)) < len(classes):
        return float("nan")
    if len(classes) == 2:
        return float(roc_auc_score(y == classes[1], posteriors[:, 1], sample_weight=weight))
    return float(roc_auc_score(y, posteriors, labels=classes, multi_class="ovr", average="macro", sample_weight=weight))


METRICS: dict[str, Callable[..., float]] = {
    "error": error,
    "log_loss": lambda y, labels, P, classes, w: float(log_loss(y, P, labels=classes, sample_weight=w)),
    "brier": lambda y, labels, P, classes, w: float(
        brier_score_loss(y, P, labels=classes, sample_weight=w)
        if len(classes) > 2
        else brier_score_loss(y, P[:, 1], pos_label=classes[1], sample_weight=w)
    ),
    "auc": auc,
    "balanced_accuracy": lambda y, labels, P, classes, w: float(balanced_accuracy_score(y, labels, sample_weight=w)),
}


def choose_metrics(metrics: Any, has_posteriors: bool, model: str) -> dict[str, Callable[..., float]]:
    """Return metrics by name: ours, any scikit-learn scorer by name, or a scorer; `error` is always among them."""
    if metrics is None:
        names: Iterable[Any] = [m for m in OWN if has_posteriors or m not in NEED_POSTERIORS]
    else:
        names = [metrics] if isinstance(metrics, str) or callable(metrics) else list(metrics)
    chosen: dict[str, Callable[..., float]] = {"error": error}
    for name in names:
        if name in NEED_POSTERIORS and not has_posteriors:
            raise InputError(
                f"Metric {name!r} needs probabilities, but {model} has no predict_proba; calibrate it first (for instance with "
                "sklearn.calibration.CalibratedClassifierCV), or use 'error' or 'balanced_accuracy'."
            )
        if name in METRICS:
            chosen[name] = METRICS[name]
        elif callable(name):
            chosen[getattr(name, "__name__", repr(name))] = _from_scorer(name)
        elif name in get_scorer_names():
            chosen[name] = _from_scorer(get_scorer(name))
        else:
            raise InputError(f"Metric {name!r} is not known.{did_you_mean(name, [*METRICS, *get_scorer_names()])}")
    return chosen


def _from_scorer(scorer: Any) -> Callable[..., float]:
    def score(y: Any, labels: Any, posteriors: Any, classes: Any, weight: Any) -> float:
        answers = Answers(labels, posteriors, classes)
        more = {} if weight is None else {"sample_weight": weight}
        return float(scorer(answers, np.arange(len(y))[:, None], y, **more))

    return score
