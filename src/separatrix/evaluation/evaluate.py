"""Estimate how a model does on rows it has not seen."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..argument_types import check_arguments
from ..arguments import PLAN, SILENT, answers_to
from ..array_types import Floats
from ..data import unchanged
from ..data.calm_blas import calm_blas
from ..inference.shares import area_interval, wilson
from .asked_for import AskedFor
from .bootstrap import evaluate_bootstrap
from .engine_folds import held_out_by_engine
from .estimate import Estimate, corrected_resampled_t
from .evaluation_rows import EvaluationRows, require_classifier, require_jobs, rows_to_evaluate
from .held_out import hold_out, method_of, require_classes_in, with_fixed_priors
from .key_folds import key_apart, with_kept
from .metrics import NamedMetric, Score, ScoredRows, auc, bounded, distinct_metrics, own_metrics, says_nothing
from .plans import NEVER, KFold, LeaveOneOut, Plan, generator, seeded
from .predictions import HeldOut, training_error
from .prepared import prepared, prepared_once
from .random_plans import Bootstrap
from .refits import RepeatedWarnings, by_refits
from .row_groups import as_groups
from .scorers import choose_metrics
from .splits import Pair, pairs_of, repeats_of
from .time_split import TimeSplit


@answers_to(
    cv=PLAN,
    scoring="use metrics='roc_auc', a scorer, or a list of them",
    metric="use metrics='auc', a scorer, or a list of them",
    estimator="the model is the first argument: evaluate(model, X, y)",
    return_train_score="`training_error` of the result has it",
    return_estimator="model.fit(X, y) is the fit of all rows; fits of folds are not kept, and mostly not made",
    method="`posteriors` of the result are those of held-out rows",
    params="use sample_weight=… and groups=…",
    fit_params="use sample_weight=…",
    verbose=SILENT,
)
def evaluate(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
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
    X : array, sparse matrix, pandas, polars or Arrow frame of n rows, or a table from `open_table`
        A table is read into memory where it fits; a larger one, or one on a cluster, is left where it is and read for each pass.
    y : (n,) labels; or leave it out and name the column of a frame in `target`
    target : column of X that holds the labels
    plan : a plan of this package, a scikit-learn splitter, pairs of training and held-out rows, or an int; default KFold(10)
        Pairs that leave rows aside, and TimeSplit(column), which trains on the past alone, are followed by refits. An int is
        scikit-learn's StratifiedKFold, with the rows in their order, whatever `random_state` is.
    metrics : name, scorer or list of them, optional
        "error", "log_loss", "brier", "auc", "balanced_accuracy", any scikit-learn scorer. "accuracy", "neg_log_loss", "neg_brier_score" and
        "roc_auc" are "error", "log_loss", "brier" and "auc" by other names, with the same intervals. "auc" is pooled: the area of all
        held-out rows in one order (K classes: mean of one against the rest), 1/2 for a model that does not look at the rows.
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
        For plans that have none of their own; None is 0: the same call gives the same result.

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
    require_classifier(model)
    require_jobs(n_jobs)
    check_arguments(evaluate, {**locals(), "random_state": None})  # the plan's own seed counts before it
    with unchanged(X):
        engine = None if exact or fixed_priors else held_out_by_engine(model, X, plan)
        if engine is not None:
            rows, held, on_training = engine
            return replace(estimate(model, rows, [held], metrics, start), on_training=on_training)
        plan, X = key_apart(plan, X, groups)
        rows = rows_to_evaluate(X, y, sample_weight, target, takes_columns=True)
    groups, plan = rows.of_kept(groups), with_kept(plan, rows.kept)
    plan = KFold(10) if plan is None else plan
    rows.require_followed(plan)
    model, rows = prepared_once(model, rows, "Leave-one-out") if isinstance(plan, LeaveOneOut) else prepared(model, rows)
    with _warnings_once(), calm_blas(_one_fit(rows)):
        return _evaluated(model, rows, plan, metrics, groups, exact, fixed_priors, n_jobs, random_state, start)


def _one_fit(rows: EvaluationRows) -> float:
    """Return the multiplications behind the moments of all rows; an evaluation is made of many pieces of work as large."""
    shape = rows.shape
    stored = float(rows.X.nnz) if sp.issparse(rows.X) else float(np.prod(shape))
    return stored * min(shape) if len(shape) == 2 else 0.0


@contextmanager
def _warnings_once() -> Iterator[None]:
    """Hold warnings back, and give each of them once at the end, whatever numbers are in it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    if caught:
        repeated = RepeatedWarnings()
        for warning in caught:
            repeated.add([(warning.category, str(warning.message))])
        repeated.warn(1, stacklevel=6)


def _evaluated(
    model: Any,
    rows: EvaluationRows,
    plan: Any,
    metrics: Any,
    groups: Any,
    exact: bool,
    fixed_priors: bool,
    n_jobs: int | None,
    random_state: Any,
    start: float,
) -> Estimate:
    if isinstance(plan, Bootstrap):
        model = with_fixed_priors(model, rows) if fixed_priors else model
        return evaluate_bootstrap(model, rows, plan.seeded(generator(random_state)), metrics, exact, start)
    groups = as_groups(groups, rows.n)
    if isinstance(plan, Plan):
        in_time = [plan.folds_in(rows.X)] if isinstance(plan, TimeSplit) else None
        given = in_time or seeded(plan, random_state).coded_folds(rows.codes, rows.classes, groups)
        repeats = [hold_out(model, rows, plan, folds, exact, fixed_priors, n_jobs) for folds in given]
    else:
        repeats = _by_pairs(model, rows, pairs_of(plan, rows.n, rows.labels, groups), exact, fixed_priors, n_jobs)
    return estimate(model, rows, repeats, metrics, start)


def _by_pairs(model: Any, rows: EvaluationRows, pairs: list[Pair], exact: bool, fixed_priors: bool, n_jobs: int | None) -> list[HeldOut]:
    """Follow pairs of training and held-out rows: by folds where none leaves a row aside, else by refits."""
    repeats = repeats_of(pairs, rows.n)
    if all(pair.covers(rows.n) for pair in pairs):
        return [hold_out(model, rows, None, repeat.folds, exact, fixed_priors, n_jobs) for repeat in repeats]
    for number, pair in enumerate(pairs):
        require_classes_in(rows, pair.train, f"Split {number}")
    model = with_fixed_priors(model, rows) if fixed_priors else model
    return [by_refits(model, rows, repeat.folds, n_jobs, trained_on=[pair.train for pair in repeat.pairs]) for repeat in repeats]


Intervals = dict[str, tuple[float, float]]


def estimate(model: Any, rows: EvaluationRows, repeats: list[HeldOut], metrics: Any, start: float) -> Estimate:
    """Return what the held-out predictions of one or several repeats say about a model."""
    has = all(repeat.posteriors is not None for repeat in repeats)
    chosen = own_metrics(has) if metrics is None else choose_metrics(metrics, has, type(model).__name__)
    judged = [_judged(rows, repeat) for repeat in repeats]
    later = [one for one in chosen if one.own == "auc" and len(repeats) == 1]  # sorting the rows takes as long as all the rest
    metrics_now = {name: metric for name, metric in distinct_metrics(chosen).items() if not later or name != "auc"}
    scores = {name: float(np.mean([metric(replace(one, folds=None)).value for one in judged])) for name, metric in metrics_now.items()}
    by_fold: Callable[[], dict[str, Floats]] = partial(scores_by_fold, judged, chosen)
    if len(repeats) == 1:
        n = float(judged[0].class_weights.sum())
        intervals = {"error": wilson(scores["error"], n)}
    else:
        per_fold = _own_by_fold(judged, chosen)
        by_fold = partial(_shown, per_fold, chosen)
        intervals = _intervals_repeated(repeats, per_fold, scores, len(rows.classes))
    area = cache(partial(auc, replace(judged[0], folds=None)))
    spans: dict[str, Any] = {one.name: one.span(intervals[one.own]) for one in chosen if one.own in intervals}
    defined = all(_holds_all(one) for one in judged)
    spans |= {one.name: None for one in later if defined}
    confusion = np.mean([_confusion(one) for one in judged], axis=0)
    return Estimate(
        error=scores["error"],
        interval=intervals["error"],
        scores=AskedFor(
            {one.name: one.of(scores.get(one.own, np.nan)) for one in chosen}, {one.name: partial(_area, one, area) for one in later}
        ),
        intervals=AskedFor(spans, {one.name: partial(_area_interval, one, area, judged[0]) for one in later if defined}),
        posteriors=_mean_posteriors(repeats) if has else None,
        confusion=confusion,
        classes=rows.classes,
        method=method_of(repeats),
        seconds=time.perf_counter() - start,
        truth=rows.codes,
        by_fold=by_fold,
        on_training=partial(_training_error, model, rows, repeats[0].fitted),
        weight=rows.weight,
        notes=_notes(rows, judged, any(one.own == "auc" for one in chosen), defined, confusion),
    )


def _training_error(model: Any, rows: EvaluationRows, fitted: Any) -> float:
    return training_error(rows.fit(model) if fitted is None else fitted, rows)


def _judged(rows: EvaluationRows, repeat: HeldOut) -> ScoredRows:
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


def scores_by_fold(judged: list[ScoredRows], chosen: list[NamedMetric]) -> dict[str, Floats]:
    """Return every score of every fold, repeats one after the other."""
    return _shown(_own_by_fold(judged, chosen), chosen)


def _shown(values: dict[str, Floats], chosen: list[NamedMetric]) -> dict[str, Floats]:
    return {one.name: one.of(values[one.own]) for one in chosen}


def _own_by_fold(judged: list[ScoredRows], chosen: list[NamedMetric]) -> dict[str, Floats]:
    if judged[0].folds is None:  # rows held out alone have an error each and no other score
        none = {name: np.empty(0) for name in distinct_metrics(chosen)}
        return {**none, "error": np.concatenate([(one.predicted != one.truth).astype(np.float64) for one in judged])}
    return {name: np.concatenate([metric(one).per_fold for one in judged]) for name, metric in distinct_metrics(chosen).items()}


def _area(one: NamedMetric, area: Callable[[], Score]) -> float:
    value: float = one.of(area().value)
    return value


def _area_interval(one: NamedMetric, area: Callable[[], Score], rows: ScoredRows) -> tuple[float, float]:
    """Each row was held out once: DeLong's interval."""
    found = area().area
    assert found is not None
    return one.span(area_interval(found, rows.weight, float(rows.class_weights.min())))


def _holds_all(rows: ScoredRows) -> bool:
    """Return whether rows of every class were held out, without which there is no area."""
    return bool((rows.class_weights > 0).all())


def _intervals_repeated(repeats: list[HeldOut], per_fold: dict[str, Floats], scores: dict[str, float], K: int) -> Intervals:
    """Rows were held out again and again: the interval knows that training sets overlap."""
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
    return np.bincount(rows.truth * K + rows.predicted, rows.weight, minlength=K * K).reshape(K, K).astype(np.float64)


def _notes(rows: EvaluationRows, judged: list[ScoredRows], areas: bool, defined: bool, confusion: Floats) -> tuple[str, ...]:
    """Say which scores mean less than they seem to."""
    notes = []
    said = np.flatnonzero(confusion.sum(axis=0) > 0)
    if len(said) == 1:
        notes.append(f"every held-out row was said to be {rows.classes.tolist()[said[0]]!r}: the model does not tell the classes apart")
    if areas and not defined:
        label = rows.classes.tolist()[int(confusion.sum(axis=1).argmin())]
        notes.append(f"auc is not defined: no row of class {label!r} was held out in some repeat; hold out more rows of it")
    elif areas and all(says_nothing(one) for one in judged):
        notes.append("auc is 1/2 by convention: each fit gives all rows the same posteriors, so there is no order to judge")
    return tuple(notes)
