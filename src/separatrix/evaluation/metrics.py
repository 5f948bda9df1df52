"""Scores of held-out predictions, from codes and posteriors: of all rows and of each fold at once.

The names of this package are computed here, without labels being made and compared again; every other scorer of scikit-learn is
asked about predictions already made.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.utils.metaestimators import available_if

from ..decisions.areas import Area, macro_area
from ..errors import InputError, did_you_mean

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
NEED_POSTERIORS = ("log_loss", "brier", "auc")
OWN = ("error", "log_loss", "brier", "auc", "balanced_accuracy")


@dataclass(frozen=True, slots=True)
class Judged:
    """Rows held out: true codes, predicted codes, posteriors or None, weights or None, folds or None (then no scores by fold)."""

    truth: Codes
    said: Codes
    posteriors: Floats | None
    weight: Floats | None
    folds: NDArray[np.integer] | None
    classes: NDArray[Any]

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


Metric = Callable[[Judged], Score]


def error(rows: Judged) -> Score:
    """Return the weighted share of wrong labels."""
    return rows.mean(rows.said != rows.truth)


def log_losses(rows: Judged) -> Floats:
    """Return −log of each row's posterior of the truth, kept finite as scikit-learn keeps it."""
    assert rows.posteriors is not None
    tiny = np.finfo(np.float64).eps
    return -np.log(np.clip(rows.posteriors[np.arange(len(rows.truth)), rows.truth], tiny, 1.0 - tiny))


def brier_losses(rows: Judged) -> Floats:
    """Return Σ_k (p_k − y_k)² of each row; for two classes half of it, (p₁ − y)²."""
    P = rows.posteriors
    assert P is not None
    own = P[np.arange(len(rows.truth)), rows.truth]
    if P.shape[1] == 2:
        return (1.0 - own) ** 2
    return np.einsum("ik,ik->i", P, P) - 2.0 * own + 1.0


def auc(rows: Judged) -> Score:
    """Return the area under the ROC curve (K classes: mean of one against the rest); NaN where a class is missing."""
    assert rows.posteriors is not None
    found = macro_area(rows.truth, rows.posteriors, rows.weight, rows.folds)
    return Score(found.value, found.per_fold, found)


def balanced_accuracy(rows: Judged) -> Score:
    """Return the mean over the classes of the share of their rows found."""
    K = len(rows.classes)
    table = np.bincount(rows.truth * K + rows.said, rows.weight, minlength=K * K).reshape(1, K, K)
    if rows.folds is None:
        return Score(float(_mean_recall(table)[0]), np.empty(0))
    cells = (rows.folds.astype(np.int64) * K + rows.truth) * K + rows.said
    by_fold = np.bincount(cells, rows.weight, minlength=rows.n_folds * K * K).reshape(-1, K, K)
    return Score(float(_mean_recall(table)[0]), _mean_recall(by_fold))


def _mean_recall(tables: NDArray[Any]) -> Floats:
    totals = tables.sum(axis=2)
    found = np.einsum("fkk->fk", tables) / np.where(totals > 0, totals, 1.0)
    return found.sum(axis=1) / np.maximum((totals > 0).sum(axis=1), 1)


METRICS: dict[str, Metric] = {
    "error": error,
    "log_loss": lambda rows: rows.mean(log_losses(rows)),
    "brier": lambda rows: rows.mean(brier_losses(rows)),
    "auc": auc,
    "balanced_accuracy": balanced_accuracy,
}


def bounded(name: str, interval: tuple[float, float], K: int) -> tuple[float, float]:
    """Return an interval of a metric without values that the metric cannot have.

    Examples
    --------
    >>> bounded("auc", (0.9, 1.1), 2), bounded("brier", (-0.1, 1.1), 3), bounded("f1", (0.9, 1.1), 2)
    ((0.9, 1.0), (0.0, 1.1), (0.9, 1.1))
    """
    most = {"error": 1.0, "auc": 1.0, "balanced_accuracy": 1.0, "brier": 1.0 if K == 2 else 2.0, "log_loss": np.inf}.get(name)
    return interval if most is None else (max(interval[0], 0.0), min(interval[1], most))


def choose_metrics(metrics: Any, has_posteriors: bool, model: str) -> dict[str, Metric]:
    """Return metrics by name: ours, any scikit-learn scorer by name, or a scorer; `error` is always among them."""
    if metrics is None:
        names: Iterable[Any] = [m for m in OWN if has_posteriors or m not in NEED_POSTERIORS]
    else:
        names = [metrics] if isinstance(metrics, str) or callable(metrics) else list(metrics)
    chosen: dict[str, Metric] = {"error": error}
    for name in names:
        if not has_posteriors and needs_posteriors(name):
            raise InputError(
                f"Metric {name!r} needs probabilities, but {model} has no predict_proba; calibrate it first "
                f"(separatrix.CalibratedClassifier({model}())), or use 'error' or 'balanced_accuracy'."
            )
        if isinstance(name, str) and name in METRICS:
            chosen[name] = METRICS[name]
        elif callable(name):
            chosen[getattr(name, "__name__", repr(name))] = _from_scorer(name)
        elif name in get_scorer_names():
            chosen[name] = _from_scorer(get_scorer(name))
        else:
            raise InputError(f"Metric {name!r} is not known.{did_you_mean(name, [*METRICS, *get_scorer_names()])}")
    return chosen


def one_metric(metric: Any, has_posteriors: bool, model: str) -> tuple[str, Metric]:
    """Return one metric, given by name or as a scorer, with its name."""
    chosen = choose_metrics(metric, has_posteriors, model)
    name = "error" if isinstance(metric, str) and metric == "error" else next(name for name in chosen if name != "error")
    return name, chosen[name]


def needs_posteriors(metric: Any) -> bool:
    """Return whether a metric, by name or as a scorer, asks for more than labels.

    Examples
    --------
    >>> needs_posteriors("roc_auc"), needs_posteriors("f1")
    (True, False)
    """
    if isinstance(metric, str) and (metric in METRICS or metric not in get_scorer_names()):
        return metric in NEED_POSTERIORS
    asked = getattr(get_scorer(metric) if isinstance(metric, str) else metric, "_response_method", "predict")
    return "predict" not in ((asked,) if isinstance(asked, str) else asked)


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

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(
            f"the scorer asks the model for {name!r}, but evaluate scores predictions already made: it has predict, classes_ and, where "
            "the model has it, predict_proba. Use sklearn.model_selection.cross_validate for scorers that look into the model."
        )

    @available_if(lambda self: self.posteriors is not None)
    def predict_proba(self, X: Any) -> Any:
        """Return the posteriors of rows X."""
        return self.posteriors[np.ravel(X)]


def takes_weights(scorer: Any) -> bool:
    """Return whether a scorer takes `sample_weight`: those of scikit-learn do, as a keyword; a plain function need not."""
    return hasattr(scorer, "_score_func") or "sample_weight" in inspect.signature(scorer).parameters


def _name(scorer: Any) -> str:
    return str(getattr(getattr(scorer, "_score_func", scorer), "__name__", repr(scorer)))


def _average(scorer: Any, classes: NDArray[Any]) -> str:
    """Return what to write where a score is about one class and the labels do not say which."""
    if "pos_label" not in inspect.signature(getattr(scorer, "_score_func", scorer)).parameters:
        return ""
    write = f"sklearn.metrics.make_scorer({_name(scorer)}, pos_label={classes.tolist()[-1]!r})"
    return f" Write metrics={write}." if len(classes) == 2 else " Use the average over classes, such as 'f1_macro'."


def _from_scorer(scorer: Any) -> Metric:
    weighs = takes_weights(scorer)

    def score(rows: Judged) -> Score:
        answers = Answers(rows.classes[rows.said], rows.posteriors, rows.classes)
        y = rows.classes[rows.truth]

        def of(part: NDArray[np.intp]) -> float:
            more = {"sample_weight": rows.weight[part]} if rows.weight is not None and weighs else {}
            try:
                return float(scorer(answers, part[:, None], y[part], **more))
            except ValueError as problem:
                raise InputError(f"{_name(scorer)} cannot score these rows: {problem}{_average(scorer, rows.classes)}") from problem

        parts = [] if rows.folds is None else [np.flatnonzero(rows.folds == fold) for fold in range(rows.n_folds)]
        return Score(of(np.arange(len(y))), np.array([of(part) for part in parts]))

    return score
