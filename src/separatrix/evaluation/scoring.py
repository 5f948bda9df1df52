"""From held-out predictions to an estimate: scores, intervals, counts."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..inference.roc_areas import area_interval
from .estimate import Estimate
from .intervals import corrected_resampled_t, wilson
from .labelled_rows import Floats, HeldOut, LabelledRows, method_of
from .metrics import Score, ScoredRows, says_nothing
from .plans import NEVER
from .scorers import Named, bounded, choose_metrics, computed

Intervals = dict[str, tuple[float, float]]


def estimate(model: Any, rows: LabelledRows, repeats: list[HeldOut], metrics: Any, start: float) -> Estimate:
    """Return what the held-out predictions of one or several repeats say about a model."""
    has = all(repeat.posteriors is not None for repeat in repeats)
    chosen = choose_metrics(metrics, has, type(model).__name__)
    judged = [_judged(rows, repeat) for repeat in repeats]
    found = {name: [metric(replace(one, folds=None)) for one in judged] for name, metric in computed(chosen).items()}
    scores = {name: float(np.mean([score.value for score in values])) for name, values in found.items()}
    by_fold: Callable[[], dict[str, Floats]] = partial(scores_by_fold, judged, chosen)
    if len(repeats) == 1:
        intervals = _intervals_once(judged[0], found, scores)
    else:
        per_fold = _own_by_fold(judged, chosen)
        by_fold = partial(_shown, per_fold, chosen)
        intervals = _intervals_repeated(repeats, per_fold, scores, len(rows.classes))
    confusion = np.mean([_confusion(one) for one in judged], axis=0)
    return Estimate(
        error=scores["error"],
        interval=intervals["error"],
        scores={one.name: one.of(scores[one.own]) for one in chosen},
        intervals={one.name: one.span(intervals[one.own]) for one in chosen if one.own in intervals},
        posteriors=_mean_posteriors(repeats) if has else None,
        confusion=confusion,
        classes=rows.classes,
        method=method_of(repeats),
        seconds=time.perf_counter() - start,
        truth=rows.codes,
        by_fold=by_fold,
        on_training=partial(_training_error, model, rows, repeats[0].fitted),
        weight=rows.weight,
        notes=_notes(rows, judged, scores, confusion),
    )


def _training_error(model: Any, rows: LabelledRows, fitted: Any) -> float:
    return rows.error_of(rows.fit(model) if fitted is None else fitted)


def _judged(rows: LabelledRows, repeat: HeldOut) -> ScoredRows:
    count = int(repeat.folds.max()) + 1
    never = repeat.folds == NEVER
    if not never.any():
        folds = None if count == rows.n else repeat.folds
        return ScoredRows(rows.codes, repeat.codes, repeat.posteriors, rows.weight, folds, rows.classes, repeat.folds)
    held = np.flatnonzero(~never)
    posteriors = None if repeat.posteriors is None else repeat.posteriors[held]
    weight = None if rows.weight is None else rows.weight[held]
    return ScoredRows(rows.codes[held], repeat.codes[held], posteriors, weight, repeat.folds[held], rows.classes, repeat.folds[held])


def _mean_posteriors(repeats: list[HeldOut]) -> Floats:
    if len(repeats) == 1:
        assert repeats[0].posteriors is not None
        return repeats[0].posteriors
    stacked = np.stack([repeat.posteriors for repeat in repeats])  # type: ignore[misc]
    seen = np.isfinite(stacked[..., :1])
    total = np.where(seen, stacked, 0.0).sum(axis=0)
    times = seen.sum(axis=0)
    return np.where(times > 0, total / np.maximum(times, 1), np.nan)


def scores_by_fold(judged: list[ScoredRows], chosen: list[Named]) -> dict[str, Floats]:
    """Return every score of every fold, repeats one after the other."""
    return _shown(_own_by_fold(judged, chosen), chosen)


def _shown(values: dict[str, Floats], chosen: list[Named]) -> dict[str, Floats]:
    return {one.name: one.of(values[one.own]) for one in chosen}


def _own_by_fold(judged: list[ScoredRows], chosen: list[Named]) -> dict[str, Floats]:
    if judged[0].folds is None:  # rows held out alone have an error each and no other score
        none = {name: np.empty(0) for name in computed(chosen)}
        return {**none, "error": np.concatenate([(one.said != one.truth).astype(np.float64) for one in judged])}
    return {name: np.concatenate([metric(one).per_fold for one in judged]) for name, metric in computed(chosen).items()}


def _intervals_once(rows: ScoredRows, found: dict[str, list[Score]], scores: dict[str, float]) -> Intervals:
    """Each row was held out once: Wilson's interval of the error, DeLong's of the area."""
    known: Intervals = {"error": wilson(scores["error"], len(rows.truth) if rows.weight is None else float(rows.weight.sum()))}
    area = found["auc"][0].area if "auc" in found else None
    if area is not None and np.isfinite(area.value):
        smallest = np.bincount(rows.truth, rows.weight, minlength=len(rows.classes)).min()
        known["auc"] = area_interval(area, rows.weight, float(smallest))
    return known


def _intervals_repeated(repeats: list[HeldOut], per_fold: dict[str, Floats], scores: dict[str, float], K: int) -> Intervals:
    """LabelledRows were held out again and again: the interval knows that training sets overlap."""
    share = float(np.mean([np.mean(repeat.folds == 0) for repeat in repeats]))
    known: Intervals = {}
    for name, values in per_fold.items():
        if len(values) > 1 and np.isfinite(values).all():
            low, high = corrected_resampled_t(values, share)
            half = (high - low) / 2.0  # around the value of all rows, which need not be the mean over folds
            known[name] = bounded(name, (scores[name] - half, scores[name] + half), K)
    errors = per_fold["error"]
    if np.ptp(errors) == 0:  # no spread says nothing about the spread, least of all that there is none
        known["error"] = wilson(float(errors[0]), int(np.any([repeat.folds != NEVER for repeat in repeats], axis=0).sum()))
    return known


def _confusion(rows: ScoredRows) -> NDArray[Any]:
    K = len(rows.classes)
    return np.bincount(rows.truth * K + rows.said, rows.weight, minlength=K * K).reshape(K, K).astype(np.float64)


def _notes(rows: LabelledRows, judged: list[ScoredRows], scores: dict[str, float], confusion: Floats) -> tuple[str, ...]:
    """Say which scores mean less than they seem to."""
    notes = []
    said = np.flatnonzero(confusion.sum(axis=0) > 0)
    if len(said) == 1:
        notes.append(f"every held-out row was said to be {rows.classes.tolist()[said[0]]!r}: the model does not tell the classes apart")
    if "auc" in scores and np.isnan(scores["auc"]):
        label = rows.classes.tolist()[int(confusion.sum(axis=1).argmin())]
        notes.append(f"auc is not defined: no row of class {label!r} was held out in some repeat; hold out more rows of it")
    elif "auc" in scores and all(says_nothing(one) for one in judged):
        notes.append("auc is 1/2 by convention: each fit gives all rows the same posteriors, so there is no order to judge")
    return tuple(notes)
