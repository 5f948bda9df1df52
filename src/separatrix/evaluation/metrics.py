"""Scores of held-out predictions, from codes and posteriors: of all rows and of each fold at once.

The names of this package are computed here, without labels being made and compared again; every other scorer of scikit-learn is
asked about predictions already made.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils.metaestimators import available_if

from ..decisions.areas import Area, macro_area
from ..errors import InputError, SeparatrixWarning

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
NEED_POSTERIORS = ("log_loss", "brier", "auc")
HEAD = 64
"""Rows looked at first."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Rows held out: true codes, predicted codes, posteriors or None, weights or None, folds or None (then no scores by fold).

    `fits` numbers the fit that each row was judged by, where that is known.
    """

    truth: Codes
    said: Codes
    posteriors: Floats | None
    weight: Floats | None
    folds: NDArray[np.integer] | None
    classes: NDArray[Any]
    fits: NDArray[np.integer] | None = None

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
    found = pooled_area(rows)
    return Score(found.value, found.per_fold, found)


def pooled_area(rows: Judged) -> Area:
    """Return the area of all rows in one order, whichever fit judged them; 1/2 where the fits do not look at the rows.

    Such fits differ in the class shares of the rows trained on, which are the lower for a class the more of its rows are held out: in one
    order they would seem to say less than nothing.
    """
    assert rows.posteriors is not None
    found = macro_area(rows.truth, rows.posteriors, rows.weight, rows.folds)
    return Area(0.5, found.per_fold, np.zeros(len(rows.truth))) if np.isfinite(found.value) and says_nothing(rows) else found


def says_nothing(rows: Judged) -> bool:
    """Return whether every fit gives all its rows the same posteriors; of rows held out alone: the class shares of the others.

    Examples
    --------
    >>> truth, P = np.array([0, 1, 1], dtype=np.int32), np.array([[0.0, 1.0], [0.5, 0.5], [0.5, 0.5]])
    >>> says_nothing(Judged(truth, truth, P, None, None, np.arange(2), fits=np.arange(3)))
    True
    """
    P, fits = rows.posteriors, rows.fits
    assert P is not None
    if fits is None or not _same_by_fit(P[:HEAD], fits[:HEAD]):  # nearly always a few rows suffice to see a difference
        return False
    if int(fits.max()) + 1 < len(fits):
        return _same_by_fit(P, fits)
    weight = np.ones(len(P)) if rows.weight is None else rows.weight
    own = np.eye(P.shape[1])[rows.truth] * weight[:, None]
    left = own.sum(axis=0) - own
    return bool(np.allclose(P * left.sum(axis=1, keepdims=True), left, rtol=0.0, atol=1e-9 * weight.sum()))


def _same_by_fit(P: Floats, fits: NDArray[np.integer]) -> bool:
    first = np.zeros(int(fits.max(initial=0)) + 1, dtype=np.intp)
    first[fits[::-1]] = np.arange(len(fits))[::-1]
    return bool((P[first[fits]] == P).all())


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
    found, there = np.einsum("fkk->fk", tables) / np.where(totals > 0, totals, 1.0), (totals > 0).sum(axis=1)
    return np.where(there > 0, found.sum(axis=1) / np.maximum(there, 1), np.nan)


METRICS: dict[str, Metric] = {
    "error": error,
    "log_loss": lambda rows: rows.mean(log_losses(rows)),
    "brier": lambda rows: rows.mean(brier_losses(rows)),
    "auc": auc,
    "balanced_accuracy": balanced_accuracy,
}


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

    def score(rows: Judged) -> Score:
        answers = Answers(rows.classes[rows.said], rows.posteriors, rows.classes)
        y = rows.classes[rows.truth]

        def of(part: NDArray[np.intp]) -> float:
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
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        yield
    undefined = [str(warning.message) for warning in heard if issubclass(warning.category, UndefinedMetricWarning)]
    if undefined:
        warnings.warn(f"{name} is not defined for some of the rows scored. {undefined[0]}", SeparatrixWarning, stacklevel=4)
    for other in heard:
        if not issubclass(other.category, UndefinedMetricWarning):
            warnings.warn_explicit(other.message, other.category, other.filename, other.lineno)
