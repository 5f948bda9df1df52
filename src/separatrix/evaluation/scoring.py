"""From held-out predictions to an estimate: scores, intervals, counts."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .areas import area_interval
from .estimate import Estimate
from .intervals import corrected_resampled_t, wilson
from .metrics import Judged, Score, choose_metrics
from .plans import NEVER
from .rows import Floats, HeldOut, Rows

Intervals = dict[str, tuple[float, float]]


def estimate(model: Any, rows: Rows, repeats: list[HeldOut], metrics: Any, start: float) -> Estimate:
    """Return what the held-out predictions of one or several repeats say about a model."""
    has = all(repeat.posteriors is not None for repeat in repeats)
    chosen = choose_metrics(metrics, has, type(model).__name__)
    judged = [_judged(rows, repeat) for repeat in repeats]
    found = {name: [metric(one) for one in judged] for name, metric in chosen.items()}
    per_fold = {name: np.concatenate([score.per_fold for score in scores]) for name, scores in found.items()}
    if judged[0].folds is None:  # rows held out alone have an error each and no other score
        per_fold["error"] = np.concatenate([(one.said != one.truth).astype(np.float64) for one in judged])
    scores = {name: float(np.mean([score.value for score in values])) for name, values in found.items()}
    intervals = _intervals(repeats, judged, found, scores, per_fold)
    fitted = repeats[0].fitted
    training = rows.error_of(rows.fit(model) if fitted is None else fitted)
    return Estimate(
        error=scores["error"],
        interval=intervals["error"],
        scores=scores,
        intervals=intervals,
        per_fold=per_fold,
        posteriors=_mean_posteriors(repeats) if has else None,
        confusion=np.mean([_confusion(one) for one in judged], axis=0),
        classes=rows.classes,
        method=repeats[0].method,
        seconds=time.perf_counter() - start,
        training_error=training,
        truth=rows.codes,
        weight=rows.weight,
        notes=_notes(rows, judged, scores),
    )


def _judged(rows: Rows, repeat: HeldOut) -> Judged:
    count = int(repeat.folds.max()) + 1
    never = repeat.folds == NEVER
    if not never.any():
        folds = None if count == rows.n else repeat.folds
        return Judged(rows.codes, repeat.codes, repeat.posteriors, rows.weight, folds, rows.classes)
    held = np.flatnonzero(~never)
    posteriors = None if repeat.posteriors is None else repeat.posteriors[held]
    weight = None if rows.weight is None else rows.weight[held]
    return Judged(rows.codes[held], repeat.codes[held], posteriors, weight, repeat.folds[held], rows.classes)


def _mean_posteriors(repeats: list[HeldOut]) -> Floats:
    if len(repeats) == 1:
        assert repeats[0].posteriors is not None
        return repeats[0].posteriors
    stacked = np.stack([repeat.posteriors for repeat in repeats])  # type: ignore[misc]
    seen = np.isfinite(stacked[..., :1])
    total = np.where(seen, stacked, 0.0).sum(axis=0)
    times = seen.sum(axis=0)
    return np.where(times > 0, total / np.maximum(times, 1), np.nan)


def _intervals(
    repeats: list[HeldOut],
    judged: list[Judged],
    found: dict[str, list[Score]],
    scores: dict[str, float],
    per_fold: dict[str, Floats],
) -> Intervals:
    """Wilson's interval where each row is held out once, else one that knows that training sets overlap."""
    known: Intervals = {}
    if len(repeats) == 1:
        rows = judged[0]
        known["error"] = wilson(scores["error"], len(rows.truth))
        area = found["auc"][0].area if "auc" in found else None
        if area is not None and np.isfinite(area.value):
            weight = np.ones(len(rows.truth)) if rows.weight is None else rows.weight
            known["auc"] = area_interval(area, weight, float(np.bincount(rows.truth, weight, minlength=len(rows.classes)).min()))
        return known
    share = float(np.mean([np.mean(repeat.folds == 0) for repeat in repeats]))
    for name, values in per_fold.items():
        if len(values) > 1 and np.isfinite(values).all():
            known[name] = corrected_resampled_t(values, share)
    low, high = known["error"]
    known["error"] = max(0.0, low), min(1.0, high)
    return known


def _confusion(rows: Judged) -> NDArray[Any]:
    K = len(rows.classes)
    return np.bincount(rows.truth * K + rows.said, rows.weight, minlength=K * K).reshape(K, K).astype(np.float64)


def _notes(rows: Rows, judged: list[Judged], scores: dict[str, float]) -> tuple[str, ...]:
    """Say which scores mean less than they seem to."""
    notes = []
    said = np.unique(np.concatenate([np.unique(one.said) for one in judged]))
    if len(said) == 1:
        notes.append(f"every held-out row was said to be {rows.classes[said[0]].item()!r}: the model does not tell the classes apart")
    if "auc" in scores and np.isnan(scores["auc"]):
        held = np.bincount(np.concatenate([one.truth for one in judged]), minlength=len(rows.classes))
        label = rows.classes[int(held.argmin())]
        notes.append(f"auc is not defined: no row of class {label.item()!r} was held out in some repeat; hold out more rows of it")
    elif "auc" in scores and all(one.posteriors is not None and not np.ptp(one.posteriors, axis=0).any() for one in judged):
        notes.append("auc is 1/2 by convention: all held-out rows have the same posteriors, so there is no order to judge")
    return tuple(notes)
