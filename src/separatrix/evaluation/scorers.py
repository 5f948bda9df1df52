"""Metrics as they are asked for: names of this package, names and scorers of scikit-learn.

What scikit-learn calls "accuracy", "roc_auc" or "neg_log_loss" is a metric of this package under another name. It is computed, tested and
given its interval as that metric, and turned at the very end: one quantity has one value, one interval and one p-value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer, get_scorer_names

from ..argument_types import is_listed
from ..errors import InputError, did_you_mean
from .metrics import METRICS, NEED_POSTERIORS, Metric, from_scorer

LOSSES = ("error", "log_loss", "brier")
"""Metrics of which less is better; of all others, as of scikit-learn's scorers, more is."""
ALIASES = {
    "accuracy": ("error", 1.0, -1.0),
    "neg_log_loss": ("log_loss", 0.0, -1.0),
    "neg_brier_score": ("brier", 0.0, -1.0),
    "roc_auc": ("auc", 0.0, 1.0),
    "roc_auc_ovr": ("auc", 0.0, 1.0),
}
"""{name in scikit-learn: (name here, start, sign)}: the one is start + sign · the other."""
SHARES = ("f1", "precision", "recall", "jaccard", "average_precision", "roc_auc", "top_k_accuracy")
"""Beginnings of scikit-learn's names of scores between 0 and 1."""


@dataclass(frozen=True, slots=True)
class Named:
    """A metric by the name it was asked for: start + sign · (the metric `own`, of this package or of scikit-learn).

    Examples
    --------
    >>> accuracy = named_metric("accuracy")
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


def named_metric(metric: Any) -> Named:
    """Return a metric given by name or as a scorer; an unknown one is an error."""
    if isinstance(metric, type) or not (isinstance(metric, str) or callable(metric)):
        raise InputError(f"{metric!r} is not a metric; give a name such as 'error' or 'log_loss', or a scikit-learn scorer.")
    if metric in METRICS:
        return Named(metric, metric, METRICS[metric])
    name = metric if isinstance(metric, str) else getattr(metric, "__name__", repr(metric))
    alias = ALIASES.get(metric if isinstance(metric, str) else _aliases_by_scorer().get(repr(metric), ""))
    if alias is not None:
        return Named(name, alias[0], METRICS[alias[0]], *alias[1:])
    if callable(metric):
        return Named(name, name, from_scorer(metric))
    if metric in get_scorer_names():
        return Named(name, name, from_scorer(get_scorer(metric)))
    raise InputError(
        f"Metric {metric!r} is not known.{did_you_mean(metric, [*METRICS, *get_scorer_names()])} Give a name such as 'error' or 'log_loss'."
    )


@cache
def _aliases_by_scorer() -> dict[str, str]:
    """Scorers of the same function, asked the same way, print the same."""
    return {repr(get_scorer(name)): name for name in ALIASES}


def choose_metrics(metrics: Any, has_posteriors: bool, model: str) -> list[Named]:
    """Return the metrics asked for, `error` always first among them; None: all of this package."""
    if metrics is None:
        names: Iterable[Any] = [m for m in METRICS if has_posteriors or m not in NEED_POSTERIORS]
    else:
        names = list(metrics) if is_listed(metrics) else [metrics]
    chosen = {"error": named_metric("error")}
    for name in names:
        if not has_posteriors and needs_posteriors(name):
            raise InputError(
                f"Metric {name!r} needs probabilities, but {model} has no predict_proba; calibrate it first "
                f"(separatrix.CalibratedClassifier({model}())), or use 'error' or 'balanced_accuracy'."
            )
        found = named_metric(name)
        chosen[found.name] = found
    return list(chosen.values())


def one_metric(metric: Any, has_posteriors: bool, model: str) -> Named:
    """Return one metric, given by name or as a scorer."""
    if is_listed(metric):
        raise InputError(f"{metric!r:.60} is not one metric; give a name such as 'error' or 'log_loss', or a scikit-learn scorer.")
    return choose_metrics(metric, has_posteriors, model)[0 if isinstance(metric, str) and metric == "error" else 1]


def computed(chosen: Sequence[Named]) -> dict[str, Metric]:
    """Return what has to be computed: every metric once, by its own name."""
    return {one.own: one.metric for one in chosen}


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
