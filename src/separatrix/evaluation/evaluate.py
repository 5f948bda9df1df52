"""Estimate how a model does on rows it has not seen."""

from __future__ import annotations

import time
from typing import Any

from ..argument_types import check_arguments
from ..arguments import PLAN, SILENT, answers_to
from .asked import generator, require_jobs
from .estimate import Estimate
from .given import labelled_rows, require_classifier
from .held_out import hold_out, require_classes_in, with_fixed_priors
from .labelled_rows import HeldOut, LabelledRows
from .plans import KFold, Plan, require_groups, seeded
from .random_plans import Bootstrap
from .refits import by_refits, told_once
from .resampled import evaluate_bootstrap
from .scoring import estimate
from .splits import Pair, pairs_of, repeats_of


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
    X : array, sparse matrix, pandas, polars or Arrow frame of n rows, or a table from `open_table`, which is read into memory
    y : (n,) labels; or leave it out and name the column of a frame in `target`
    target : column of X that holds the labels
    plan : a plan of this package, a scikit-learn splitter, pairs of training and held-out rows, or an int; default KFold(10)
        Pairs that leave rows aside, as of TimeSeriesSplit, are followed by refits.
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
    rows = labelled_rows(X, y, sample_weight, target)
    plan = KFold(10) if plan is None else plan
    with told_once():
        return _evaluated(model, rows, plan, metrics, groups, exact, fixed_priors, n_jobs, random_state, start)


def _evaluated(
    model: Any,
    rows: LabelledRows,
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
        if plan.random_state is None:
            plan = Bootstrap(plan.n_resamples, random_state=generator(random_state))
        model = with_fixed_priors(model, rows) if fixed_priors else model
        return evaluate_bootstrap(model, rows, plan, metrics, exact, start)
    require_groups(groups, rows.n)
    if isinstance(plan, Plan):
        given = seeded(plan, random_state).coded_folds(rows.codes, rows.classes, groups)
        repeats = [hold_out(model, rows, plan, folds, exact, fixed_priors, n_jobs) for folds in given]
    else:
        repeats = _by_pairs(model, rows, pairs_of(plan, rows.n, rows.labels, groups), exact, fixed_priors, n_jobs)
    return estimate(model, rows, repeats, metrics, start)


def _by_pairs(model: Any, rows: LabelledRows, pairs: list[Pair], exact: bool, fixed_priors: bool, n_jobs: int | None) -> list[HeldOut]:
    """Follow pairs of training and held-out rows: by folds where none leaves a row aside, else by refits."""
    repeats = repeats_of(pairs, rows.n)
    if all(pair.covers(rows.n) for pair in pairs):
        return [hold_out(model, rows, None, repeat.folds, exact, fixed_priors, n_jobs) for repeat in repeats]
    for number, pair in enumerate(pairs):
        require_classes_in(rows, pair.train, f"Split {number}")
    model = with_fixed_priors(model, rows) if fixed_priors else model
    return [by_refits(model, rows, repeat.folds, n_jobs, trained_on=[pair.train for pair in repeat.pairs]) for repeat in repeats]
