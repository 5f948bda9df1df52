"""Predictions for held-out rows, by the cheapest exact road the model declares.

Roads, in order: algebra for leave-one-out (`_left_out_scores`); moments of the folds, merged into those of all other folds
(`_summary_kind`); rows taken back out of one fit (`_forgets_exactly`); refits in parallel, for any scikit-learn estimator.
`exact=True` takes the last one always.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from ..data import as_source
from ..errors import InputError
from ..summaries import FoldMoments, all_but_one
from .plans import NEVER, Folds, LeaveOneOut, Plan

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Rows:
    """Labelled rows to evaluate on: X as given, class codes, weights or None, and the classes."""

    X: Any
    codes: Codes
    weight: Floats | None
    classes: NDArray[Any]

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.codes)

    def take(self, rows: NDArray[np.intp]) -> Rows:
        """Return some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return Rows(_safe_indexing(self.X, rows), self.codes[rows], weight, self.classes)

    def fit(self, model: Any) -> Any:
        """Return a fitted clone of a model."""
        more = {} if self.weight is None else {"sample_weight": self.weight}
        return clone(model).fit(self.X, self.classes[self.codes], **more)

    def drawn(self, times: NDArray[np.int64], by_weight: bool) -> Rows:
        """Return a resample: the same rows with other weights, or the rows repeated where a model takes no weights."""
        if not by_weight:
            return self.take(np.repeat(np.arange(self.n), times))
        weight = times.astype(np.float64) if self.weight is None else times * self.weight
        return Rows(self.X, self.codes, weight, self.classes)


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What was predicted for the rows held out in one repeat.

    Attributes
    ----------
    folds : (n,) fold in which each row was held out, −1 for never
    codes : (n,) predicted class, −1 where never held out
    posteriors : (n, K), NaN where never held out; None if the model has none
    method : how it was found
    """

    folds: Folds
    codes: Codes
    posteriors: Floats | None
    method: str


def hold_out(model: Any, rows: Rows, plan: Plan, folds: Folds, exact: bool, fixed_priors: bool, n_jobs: int | None) -> HeldOut:
    """Return predictions for the rows that one repeat of a plan holds out."""
    _require_training_classes(rows, folds, isinstance(plan, LeaveOneOut))
    if fixed_priors:
        model = with_fixed_priors(model, rows)
    if not exact and isinstance(plan, LeaveOneOut) and getattr(model, "_leaves_out", False):
        return _by_algebra(model, rows, folds)
    if not exact and hasattr(model, "_summary_kind") and getattr(model, "shrinkage", None) != "auto":
        return _by_subtraction(model, rows, folds) if isinstance(plan, LeaveOneOut) else _by_summaries(model, rows, folds)
    if not exact and getattr(model, "_forgets_exactly", False):
        return _by_forgetting(model, rows, folds)
    return _by_refits(model, rows, folds, n_jobs)


def with_fixed_priors(model: Any, rows: Rows) -> Any:
    """Return a clone that holds the class priors of all rows, as MASS and SAS do in their leave-one-out tables."""
    name = next((name for name in ("priors", "class_prior") if name in model.get_params(deep=False)), None)
    if name is None:
        raise InputError(f"fixed_priors=True needs a model with priors; {type(model).__name__} has none.")
    counts = np.bincount(rows.codes, rows.weight, minlength=len(rows.classes)).astype(np.float64)
    return clone(model) if getattr(model, name) is not None else clone(model).set_params(**{name: counts / counts.sum()})


def _require_training_classes(rows: Rows, folds: Folds, alone: bool) -> None:
    """Refuse folds whose training rows lack a class. A class of one row, left out alone, is an error of the fit and stays."""
    if alone:
        return
    K = len(rows.classes)
    total = np.bincount(rows.codes, minlength=K)
    for fold in range(int(folds.max()) + 1):
        missing = np.flatnonzero(total == np.bincount(rows.codes[folds == fold], minlength=K))
        if len(missing):
            label = rows.classes[missing[0]]
            raise InputError(
                f"Fold {fold} holds all {total[missing[0]]} rows of class {label!r}, so none is left to train on. Use fewer folds, "
                "a stratified plan, or more rows of that class."
            )


def _by_algebra(model: Any, rows: Rows, folds: Folds) -> HeldOut:
    fitted = rows.fit(model)
    source = as_source(rows.X, rows.codes, rows.weight, classes=np.arange(len(rows.classes)))
    parts = list(source.map(fitted._left_out_scores))
    scores = np.concatenate([part.scores for part in parts])
    for i in np.flatnonzero(np.concatenate([part.refit for part in parts])):
        again = rows.take(np.delete(np.arange(rows.n), i)).fit(model)
        scores[i] = _log_posteriors(again, rows.take(np.array([i])))
    return HeldOut(folds, scores.argmax(axis=1).astype(np.int32), softmax(scores, axis=1), "exact algebra")


def _by_subtraction(model: Any, rows: Rows, folds: Folds) -> HeldOut:
    """Take each row out of the summary of all and solve again: no pass over the other rows."""
    whole = _summary_of(model, rows)
    found = []
    for i in range(rows.n):
        row = rows.take(np.array([i]))
        found.append(_predict(_from_summary(model, whole.subtract(_summary_of(model, row)), rows), row))
    return _gather(rows, folds, found, "exact algebra")


def _log_posteriors(fitted: Any, rows: Rows) -> Floats:
    """Return log posteriors in the order of all classes, −∞ for those the fit has not seen."""
    full = np.full((rows.n, len(rows.classes)), -np.inf)
    full[:, np.searchsorted(rows.classes, fitted.classes_)] = fitted.predict_log_proba(rows.X)
    return full


def _by_summaries(model: Any, rows: Rows, folds: Folds) -> HeldOut:
    n_folds = int(folds.max()) + 1
    parts = _fold_summaries(model, rows, np.where(folds == NEVER, n_folds, folds), n_folds + bool((folds == NEVER).any()))
    training = all_but_one(parts) if len(parts) > 1 else parts
    found = [_predict(_from_summary(model, training[fold], rows), rows.take(np.flatnonzero(folds == fold))) for fold in range(n_folds)]
    return _gather(rows, folds, found, "exact algebra")


def _from_summary(model: Any, summary: Any, rows: Rows) -> Any:
    fitted = clone(model).fit_summary(summary)
    if hasattr(rows.X, "columns"):
        fitted.feature_names_in_ = np.asarray(rows.X.columns, dtype=object)
    return fitted


def _fold_summaries(model: Any, rows: Rows, folds: Folds, n_folds: int) -> list[Any]:
    source = as_source(rows.X, rows.classes[rows.codes], rows.weight, classes=rows.classes)
    moments = source.reduce(FoldMoments.summarise(rows.classes, model._summary_kind(), n_folds, lambda a, b: folds[a:b]))
    if not all(part.is_finite for part in moments.parts):
        source.refuse_nonfinite()
    return list(moments.parts)


def _by_forgetting(model: Any, rows: Rows, folds: Folds) -> HeldOut:
    """Fit all rows once and, for each fold, take its rows back out of a copy."""
    fitted, found = rows.fit(model), []
    for fold in range(int(folds.max()) + 1):
        held = rows.take(np.flatnonzero(folds == fold))
        more = {} if held.weight is None else {"sample_weight": held.weight}
        found.append(_predict(deepcopy(fitted).forget(held.X, rows.classes[held.codes], **more), held))
    return _gather(rows, folds, found, "exact algebra")


def _summary_of(model: Any, rows: Rows) -> Any:
    source = model._labelled(rows.X, rows.classes[rows.codes], rows.weight, rows.classes)
    return model._summarise(source)


def _by_refits(model: Any, rows: Rows, folds: Folds, n_jobs: int | None) -> HeldOut:
    def one(fold: int) -> tuple[Codes, Floats | None]:
        held = folds == fold
        return _predict(rows.take(np.flatnonzero(~held)).fit(model), rows.take(np.flatnonzero(held)))

    found = Parallel(n_jobs=n_jobs)(delayed(one)(fold) for fold in range(int(folds.max()) + 1))
    return _gather(rows, folds, found, "refits")


def _predict(fitted: Any, rows: Rows) -> tuple[Codes, Floats | None]:
    codes = np.searchsorted(rows.classes, np.asarray(fitted.predict(rows.X))).astype(np.int32)
    if not hasattr(fitted, "predict_proba"):
        return codes, None
    full = np.zeros((rows.n, len(rows.classes)))
    full[:, np.searchsorted(rows.classes, fitted.classes_)] = fitted.predict_proba(rows.X)
    return codes, full


def _gather(rows: Rows, folds: Folds, found: list[tuple[Codes, Floats | None]], method: str) -> HeldOut:
    codes = np.full(rows.n, -1, dtype=np.int32)
    posteriors = None if found[0][1] is None else np.full((rows.n, len(rows.classes)), np.nan)
    for fold, (own, probability) in enumerate(found):
        codes[folds == fold] = own
        if posteriors is not None:
            posteriors[folds == fold] = probability
    return HeldOut(folds, codes, posteriors, method)
