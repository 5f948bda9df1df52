"""Metrics as they are asked for: names of this package, names and scorers of scikit-learn.

What scikit-learn calls "accuracy", "roc_auc" or "neg_log_loss" is a metric of this package under another name. It is computed, tested and
given its interval as that metric, and turned at the very end: one quantity has one value, one interval and one p-value.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.utils.metaestimators import available_if

from ..argument_types import is_listed
from ..array_types import Indices
from ..errors import InputError, SeparatrixWarning, UnknownNameError, did_you_mean
from .metrics import METRICS, NEED_POSTERIORS, Metric, NamedMetric, Score, ScoredRows, own_metrics

ALIASES = {
    "accuracy": ("error", 1.0, -1.0),
    "neg_log_loss": ("log_loss", 0.0, -1.0),
    "neg_brier_score": ("brier", 0.0, -1.0),
    "roc_auc": ("auc", 0.0, 1.0),
    "roc_auc_ovr": ("auc", 0.0, 1.0),
}
"""{name in scikit-learn: (name here, start, sign)}: the one is start + sign · the other."""


def named_metric(metric: Any) -> NamedMetric:
    """Return a metric given by name or as a scorer; an unknown one is an error."""
    if isinstance(metric, type) or not (isinstance(metric, str) or callable(metric)):
        raise InputError(f"{metric!r} is not a metric; give a name such as 'error' or 'log_loss', or a scikit-learn scorer.")
    if metric in METRICS:
        return NamedMetric(metric, metric, METRICS[metric])
    name = metric if isinstance(metric, str) else getattr(metric, "__name__", repr(metric))
    alias = ALIASES.get(metric if isinstance(metric, str) else _aliases_by_scorer().get(repr(metric), ""))
    if alias is not None:
        return NamedMetric(name, alias[0], METRICS[alias[0]], *alias[1:])
    if callable(metric):
        return NamedMetric(name, name, from_scorer(metric))
    if metric in get_scorer_names():
        return NamedMetric(name, name, from_scorer(get_scorer(metric)))
    raise UnknownNameError(
        f"Metric {metric!r} is not known.{did_you_mean(metric, [*METRICS, *get_scorer_names()])} Give a name such as 'error' or 'log_loss'."
    )


@cache
def _aliases_by_scorer() -> dict[str, str]:
    """Scorers of the same function, asked the same way, print the same."""
    return {repr(get_scorer(name)): name for name in ALIASES}


def choose_metrics(metrics: Any, has_posteriors: bool, model: str) -> list[NamedMetric]:
    """Return the metrics asked for, `error` always first among them; None: all of this package."""
    if metrics is None:
        return own_metrics(has_posteriors)
    chosen = {"error": named_metric("error")}
    for name in list(metrics) if is_listed(metrics) else [metrics]:
        if not has_posteriors and needs_posteriors(name):
            raise InputError(
                f"Metric {name!r} needs probabilities, but {model} has no predict_proba; calibrate it first "
                f"(separatrix.CalibratedClassifier({model}())), or use 'error' or 'balanced_accuracy'."
            )
        found = named_metric(name)
        chosen[found.name] = found
    return list(chosen.values())


def one_metric(metric: Any, has_posteriors: bool, model: str) -> NamedMetric:
    """Return one metric, given by name or as a scorer."""
    if is_listed(metric):
        raise InputError(f"{metric!r:.60} is not one metric; give a name such as 'error' or 'log_loss', or a scikit-learn scorer.")
    return choose_metrics(metric, has_posteriors, model)[0 if isinstance(metric, str) and metric == "error" else 1]


def needs_posteriors(metric: Any) -> bool:
    """Return whether a metric, by name or as a scorer, asks for more than labels.

    Examples
    --------
    >>> needs_posteriors("roc_auc"), needs_posteriors("f1")
    (True, False)
    """
    if isinstance(metric, str) and (metric in METRICS or metric not in get_scorer_names()):
        return metric in NEED_POSTERIORS
    asked = getattr(
        get_scorer(metric) if isinstance(metric, str) else metric, "_response_method", "predict"
    )  # names: scikit-learn's scorers keep it there
    return "predict" not in ((asked,) if isinstance(asked, str) else asked)


where_posteriors: Callable[[Callable[..., Any]], Callable[..., Any]] = available_if(lambda self: self.posteriors is not None)
"""The decorator of a method that a model without posteriors does not have."""


class StoredPredictions(ClassifierMixin, BaseEstimator):
    """Predictions already made, in the shape of a fitted classifier: X is the numbers of the rows asked about."""

    def __init__(self, labels: Any = None, posteriors: Any = None, classes: Any = None) -> None:
        self.labels = labels
        self.posteriors = posteriors
        self.classes = classes
        self.classes_ = classes

    def predict(self, X: Any) -> Any:
        """Return the labels predicted for rows X."""
        return self.labels[np.ravel(X)]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(
            f"the scorer asks the model for {name!r}, but evaluate scores predictions already made: it has predict, classes_ and, where "
            "the model has it, predict_proba. Use sklearn.model_selection.cross_validate for scorers that look into the model."
        )

    @where_posteriors
    def predict_proba(self, X: Any) -> Any:
        """Return the posteriors of rows X."""
        return self.posteriors[np.ravel(X)]


def takes_weights(scorer: Any) -> bool:
    """Return whether a scorer takes `sample_weight`: those of scikit-learn do, as a keyword; a plain function need not."""
    return (
        hasattr(scorer, "_score_func") or "sample_weight" in inspect.signature(scorer).parameters
    )  # names: scikit-learn's scorers keep it there


def _name(scorer: Any) -> str:
    return str(getattr(getattr(scorer, "_score_func", scorer), "__name__", repr(scorer)))  # names: scikit-learn's scorers keep it there


def _average(scorer: Any, classes: NDArray[Any]) -> str:
    """Return what to write where a score is about one class and the labels do not say which."""
    if (
        "pos_label" not in inspect.signature(getattr(scorer, "_score_func", scorer)).parameters
    ):  # names: scikit-learn's scorers keep it there
        return ""
    write = f"sklearn.metrics.make_scorer({_name(scorer)}, pos_label={classes.tolist()[-1]!r})"
    return f" Write metrics={write}." if len(classes) == 2 else " Use the average over classes, such as 'f1_macro'."


def from_scorer(scorer: Any) -> Metric:
    """Return the metric that asks a scorer of scikit-learn about predictions already made."""
    weighs = takes_weights(scorer)

    def score(rows: ScoredRows) -> Score:
        answers = StoredPredictions(rows.classes[rows.predicted], rows.posteriors, rows.classes)
        y = rows.classes[rows.truth]

        def of(part: Indices) -> float:
            if rows.weight is not None and not rows.weight[part].any():
                return float("nan")
            more = {"sample_weight": rows.weight[part]} if rows.weight is not None and weighs else {}
            try:
                return float(scorer(answers, part[:, None], y[part], **more))
            except ValueError as problem:
                raise InputError(f"{_name(scorer)} cannot score these rows: {problem}{_average(scorer, rows.classes)}") from problem

        parts = [] if rows.folds is None else [np.flatnonzero(rows.folds == fold) for fold in range(rows.n_folds)]
        with undefined_once(_name(scorer)):
            return Score(of(np.arange(len(y))), np.array([of(part) for part in parts]))

    return score


@contextmanager
def undefined_once(name: str) -> Iterator[None]:
    """Say once, in a warning of ours, what scikit-learn says for every fold: that a score is not defined there."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    undefined = [str(warning.message) for warning in caught if issubclass(warning.category, UndefinedMetricWarning)]
    if undefined:
        warnings.warn(f"{name} is not defined for some of the rows scored. {undefined[0]}", SeparatrixWarning, stacklevel=4)
    for other in caught:
        if not issubclass(other.category, UndefinedMetricWarning):
            warnings.warn_explicit(other.message, other.category, other.filename, other.lineno)
