"""Estimate how a model does on rows it has not seen."""

from __future__ import annotations

import time
from typing import Any

from sklearn.utils import check_random_state

from ..data.labels import Labels
from ..data.selected import picked_from, warn_if_picked
from ..data.weights import check_weights
from ..errors import InputError
from .estimate import Estimate
from .held_out import hold_out, with_fixed_priors
from .plans import Folds, KFold, Plan, count_rows, folds_of, seeded
from .random_plans import Bootstrap
from .resampled import evaluate_bootstrap
from .rows import Rows
from .scoring import estimate


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
    rows = labelled_rows(X, y, sample_weight)
    plan = KFold(10) if plan is None else plan
    if isinstance(plan, Bootstrap):
        if plan.random_state is None and random_state is not None:
            plan = Bootstrap(plan.n_resamples, random_state=check_random_state(random_state))
        model = with_fixed_priors(model, rows) if fixed_priors else model
        return evaluate_bootstrap(model, rows, plan, metrics, exact, start)
    repeats = [hold_out(model, rows, plan, folds, exact, fixed_priors, n_jobs) for folds in _folds(plan, rows, groups, random_state)]
    return estimate(model, rows, repeats, metrics, start)


def labelled_rows(X: Any, y: Any, sample_weight: Any = None) -> Rows:
    """Check rows, labels and weights against each other."""
    labels = Labels.of(y)
    if count_rows(X) != len(labels):
        raise InputError(f"X has {count_rows(X)} rows and y {len(labels)} labels; give one label for each row.")
    rows = Rows(X, labels.codes(0, len(labels)), check_weights(sample_weight, len(labels)), labels.classes)
    if len(rows.classes) < 2:
        raise InputError(f"y holds one class, {rows.classes.tolist()[0]!r}; there is nothing to tell apart.")
    warn_if_picked(
        picked_from(X, rows.codes),
        "the error estimated from these rows is too small",
        "Let every fold select anew: evaluate(make_pipeline(selector, model), X, y) with all columns.",
        stacklevel=4,
    )
    return rows


def _folds(plan: Any, rows: Rows, groups: Any, random_state: Any) -> list[Folds]:
    """Return the fold of each row, for each repeat of a plan; plans of this package need no labels made."""
    if isinstance(plan, Plan) and groups is None:
        return seeded(plan, random_state).coded_folds(rows.codes, rows.classes)
    return folds_of(plan, rows.n, rows.labels, groups, random_state)
