"""Estimate how a model does on rows it has not seen."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state
from sklearn.utils.validation import has_fit_parameter

from ..data.labels import Labels
from ..data.selected import picked_from, warn_if_picked
from ..data.weights import check_weights
from ..errors import InputError
from .bootstrap import combine, no_information_error
from .estimate import Estimate
from .held_out import HeldOut, Rows, hold_out
from .intervals import auc_interval, corrected_resampled_t, wilson
from .metrics import choose_metrics
from .plans import NEVER, KFold, folds_of
from .random_plans import Bootstrap

Floats = NDArray[np.float64]


def evaluate(
    model: Any,
    X: Any,
    y: Any,
    *,
    plan: Any = None,
    metrics: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    exact: bool = False,
    fixed_priors: bool = False,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> Estimate:
    """Return the held-out performance of a model, by exact algebra where the model allows it.

    Parameters
    ----------
    model : classifier
        Any scikit-learn classifier; it is cloned, never changed.
    X, y : rows and labels
    plan : a plan of this package, a scikit-learn splitter or an int; default KFold(10)
    metrics : name, scorer or list of them, optional
        "error", "log_loss", "brier", "auc", "balanced_accuracy", any scikit-learn scorer.
    sample_weight : (n,) weights, optional
        Used in training and in the scores.
    groups : (n,) groups, for grouped plans
    exact : bool
        Refit for every fold, whatever shortcut there is.
    fixed_priors : bool
        Hold the class priors of all rows in every fit, as MASS and SAS do in their leave-one-out tables.
    n_jobs : int, optional
        Processes for refits.
    random_state : int, RandomState or None
        For plans that have none of their own.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import LinearDiscriminantAnalysis, LeaveOneOut, evaluate
    >>> X, y = load_iris(return_X_y=True)
    >>> found = evaluate(LinearDiscriminantAnalysis(), X, y, plan=LeaveOneOut())
    >>> round(found.error, 4), found.method
    (0.02, 'exact algebra')
    """
    start = time.perf_counter()
    labels = Labels.of(y)
    rows = Rows(X, labels.codes(0, len(labels)), check_weights(sample_weight, len(labels)), labels.classes)
    if len(rows.classes) < 2:
        raise InputError(f"y holds one class, {rows.classes.tolist()[0]!r}; there is nothing to tell apart.")
    warn_if_picked(
        picked_from(X, rows.codes),
        "the error estimated from these rows is too small",
        "Let every fold select anew: evaluate(make_pipeline(selector, model), X, y) with all columns.",
    )
    plan = KFold(10) if plan is None else plan
    if isinstance(plan, Bootstrap):
        return _evaluate_bootstrap(model, rows, plan, metrics, n_jobs, random_state, start)
    repeats = [
        hold_out(model, rows, plan, folds, exact, fixed_priors, n_jobs)
        for folds in folds_of(plan, rows.n, rows.classes[rows.codes], groups, random_state)
    ]
    return _estimate(model, rows, repeats, metrics, start)


def _estimate(model: Any, rows: Rows, repeats: list[HeldOut], metrics: Any, start: float) -> Estimate:
    y = rows.classes[rows.codes]
    has = all(repeat.posteriors is not None for repeat in repeats)
    chosen = choose_metrics(metrics, has, type(model).__name__)
    per_fold: dict[str, list[float]] = {name: [] for name in chosen}
    pooled: dict[str, list[float]] = {name: [] for name in chosen}
    for repeat in repeats:
        held, count = np.flatnonzero(repeat.folds != NEVER), int(repeat.folds.max()) + 1
        # Rows held out alone have an error each and no other score.
        alone = count == len(held) > 1
        parts = [] if alone else [np.flatnonzero(repeat.folds == fold) for fold in range(count)]
        if alone:
            per_fold["error"] += (repeat.codes != rows.codes)[held].astype(np.float64).tolist()
        for name, score in chosen.items():
            pooled[name].append(_score(score, repeat, rows, y, held))
            per_fold[name] += [_score(score, repeat, rows, y, part) for part in parts]
    posteriors = _mean_posteriors(repeats) if has else None
    scores = {name: float(np.mean(values)) for name, values in pooled.items()}
    intervals = _intervals(rows, repeats, scores, per_fold)
    training = _training_error(model, rows, y)
    return Estimate(
        error=scores["error"],
        interval=intervals["error"],
        scores=scores,
        intervals=intervals,
        per_fold={name: np.array(values) for name, values in per_fold.items()},
        posteriors=posteriors,
        confusion=_confusion(rows, repeats),
        classes=rows.classes,
        method=repeats[0].method,
        seconds=time.perf_counter() - start,
        optimism=scores["error"] - training,
        calibration=_calibration(rows, posteriors),
    )


def _score(score: Any, repeat: HeldOut, rows: Rows, y: Any, part: NDArray[np.intp]) -> float:
    posteriors = None if repeat.posteriors is None else repeat.posteriors[part]
    weight = None if rows.weight is None else rows.weight[part]
    return float(score(y[part], rows.classes[repeat.codes[part]], posteriors, rows.classes, weight))


def _mean_posteriors(repeats: list[HeldOut]) -> Floats:
    stacked = np.stack([repeat.posteriors for repeat in repeats])  # type: ignore[misc]
    seen = np.isfinite(stacked[..., :1])
    total = np.where(seen, stacked, 0.0).sum(axis=0)
    times = seen.sum(axis=0)
    return np.where(times > 0, total / np.maximum(times, 1), np.nan)


def _intervals(
    rows: Rows, repeats: list[HeldOut], scores: dict[str, float], per_fold: dict[str, list[float]]
) -> dict[str, tuple[float, float]]:
    held = [int(np.sum(repeat.folds != NEVER)) for repeat in repeats]
    found = {}
    if len(repeats) == 1:
        found["error"] = wilson(scores["error"], held[0])
    else:
        share = float(np.mean([np.mean(repeat.folds == 0) for repeat in repeats]))
        for name, values in per_fold.items():
            if len(values) > 1 and np.isfinite(values).all():
                found[name] = corrected_resampled_t(np.array(values), share)
        low, high = found["error"]
        found["error"] = max(0.0, low), min(1.0, high)
    if len(repeats) == 1 and "auc" in scores and np.isfinite(scores["auc"]):
        repeat = repeats[0]
        inside = np.flatnonzero(repeat.folds != NEVER)
        found["auc"] = _auc_interval(rows, repeat, inside)
    return found


def _auc_interval(rows: Rows, repeat: HeldOut, inside: NDArray[np.intp]) -> tuple[float, float]:
    assert repeat.posteriors is not None
    columns = [1] if len(rows.classes) == 2 else list(range(len(rows.classes)))
    positive = rows.codes[inside][:, None] == np.array(columns)
    weight = np.ones(len(inside)) if rows.weight is None else rows.weight[inside]
    return auc_interval(positive, repeat.posteriors[inside][:, columns], weight)


def _confusion(rows: Rows, repeats: list[HeldOut]) -> Floats:
    K = len(rows.classes)
    table = np.zeros((K, K))
    for repeat in repeats:
        inside = repeat.folds != NEVER
        weight = None if rows.weight is None else rows.weight[inside]
        table += np.bincount(rows.codes[inside] * K + repeat.codes[inside], weight, minlength=K * K).reshape(K, K)
    return table / len(repeats)


def _training_error(model: Any, rows: Rows, y: Any) -> float:
    return float(np.average(np.asarray(rows.fit(model).predict(rows.X)) != y, weights=rows.weight))


def _calibration(rows: Rows, posteriors: Floats | None) -> tuple[float, float] | None:
    """Return intercept and slope of the truth regressed on the held-out log-odds."""
    if posteriors is None or len(rows.classes) != 2:
        return None
    inside = np.isfinite(posteriors).all(axis=1)
    P = np.clip(posteriors[inside], 1e-12, 1.0)
    odds = np.log(P[:, 1] / P[:, 0])
    if np.ptp(odds) == 0 or len(np.unique(rows.codes[inside])) < 2:
        return None
    weight = None if rows.weight is None else rows.weight[inside]
    fit = LogisticRegression(C=np.inf, max_iter=1000).fit(odds[:, None], rows.codes[inside], sample_weight=weight)
    return float(fit.intercept_[0]), float(fit.coef_[0, 0])


def _evaluate_bootstrap(
    model: Any, rows: Rows, plan: Bootstrap, metrics: Any, n_jobs: int | None, random_state: Any, start: float
) -> Estimate:
    if plan.random_state is None and random_state is not None:
        plan = Bootstrap(plan.n_resamples, random_state=check_random_state(random_state))
    y, K = rows.classes[rows.codes], len(rows.classes)
    wrong, times = np.zeros(rows.n), np.zeros(rows.n)
    votes, total = np.zeros((rows.n, K)), np.zeros((rows.n, K))
    base = np.ones(rows.n) if rows.weight is None else rows.weight
    errors, unusable, has = [], 0, hasattr(model, "predict_proba")
    by_weight = has_fit_parameter(model, "sample_weight")
    for drawn in plan.resamples(rows.n):
        out = np.flatnonzero(drawn == 0)
        if len(out) == 0 or len(np.unique(rows.codes[drawn > 0])) < K:
            unusable += 1
            continue
        fitted = rows.drawn(drawn, by_weight).fit(model)
        held = rows.take(out)
        codes = np.searchsorted(rows.classes, np.asarray(fitted.predict(held.X)))
        wrong[out] += codes != rows.codes[out]
        votes[out, codes] += 1
        times[out] += 1
        errors.append(float(np.average(codes != rows.codes[out], weights=base[out])))
        if has:
            total[out] += fitted.predict_proba(held.X)
    if not errors:
        raise InputError(
            "Every resample missed a class or left no row out; use more rows of the rarest class, or a plan such as LeaveOneOut()."
        )
    seen = times > 0
    loss = wrong[seen] / times[seen]
    full = np.asarray(rows.fit(model).predict(rows.X))
    shares = np.bincount(rows.codes, base, minlength=K) / base.sum()
    predicted = np.bincount(np.searchsorted(rows.classes, full), base, minlength=K) / base.sum()
    training = float(np.average(full != y, weights=base))
    both = combine(training, float(np.average(loss, weights=base[seen])), no_information_error(shares, predicted))
    half = 1.959964 * float(np.std(loss)) / np.sqrt(len(loss))
    posteriors = np.where(seen[:, None], total / np.maximum(times, 1.0)[:, None], np.nan) if has else None
    confusion = np.stack([votes[rows.codes == k].sum(axis=0) for k in range(K)]) / max(1.0, float(times.mean()))
    notes = [f"{unusable} of {plan.n_resamples} resamples lacked a class and were left out"] if unusable else []
    if not seen.all():
        notes.append(f"{int((~seen).sum())} rows were in every resample and do not count")
    interval = max(0.0, both.error_632plus - half), min(1.0, both.error_632plus + half)
    return Estimate(
        error=both.error_632plus,
        interval=interval,
        scores={"error": both.error_632plus, "out_of_bag_error": both.out_of_bag},
        intervals={"error": interval},
        per_fold={"error": np.array(errors)},
        posteriors=posteriors,
        confusion=confusion,
        classes=rows.classes,
        method="refits",
        seconds=time.perf_counter() - start,
        optimism=both.error_632plus - training,
        calibration=_calibration(rows, posteriors),
        error_632=both.error_632,
        error_632plus=both.error_632plus,
        notes=tuple(notes),
    )
