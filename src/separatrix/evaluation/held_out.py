"""Predictions for held-out rows, by the cheapest road among the model's abilities.

| ability | road | file |
|---|---|---|
| `leave_one_out` | leave-one-out by algebra, from one fit | leave_one_out.py |
| `summary`, of class moments | a row taken out of the summary; moments of the folds merged | leave_one_out.py, fold_summaries.py |
| `summary`, of counts | summaries of the folds merged | fold_summaries.py |
| `folds` | Newton steps from the full fit | newton_steps.py |
| none, as every other scikit-learn estimator (pipelines too) | refits | refits.py |

`exact=True` takes the last one always.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..abilities import abilities_of
from ..errors import InputError
from .fold_summaries import by_merging, by_summaries
from .labelled_rows import HeldOut, LabelledRows
from .leave_one_out import by_algebra, by_subtraction
from .newton_steps import by_newton_steps
from .plans import Folds, LeaveOneOut
from .refits import by_refits


def hold_out(
    model: Any, rows: LabelledRows, plan: Any, folds: Folds, exact: bool = False, fixed_priors: bool = False, n_jobs: int | None = None
) -> HeldOut:
    """Return predictions for the rows that one repeat of a plan holds out."""
    alone = isinstance(plan, LeaveOneOut) or int(folds.max()) + 1 == rows.n
    require_training_classes(rows, folds, alone)
    if fixed_priors:
        model = with_fixed_priors(model, rows)
    if exact:
        return by_refits(model, rows, folds, n_jobs)
    abilities = abilities_of(model)
    summary = abilities.summary
    if summary and summary.kind is None:
        return by_algebra(model, summary, rows, folds) if alone and abilities.leave_one_out else by_merging(model, rows, folds)
    if summary and summary.kind is not None and len(np.shape(rows.X)) == 2 and summary.suffices(*np.shape(rows.X)):
        if alone and abilities.leave_one_out:
            return by_algebra(model, summary, rows, folds)
        return by_subtraction(model, summary, rows, folds) if alone else by_summaries(model, summary.kind, rows, folds)
    if abilities.folds:
        return by_newton_steps(model, rows, folds, alone, n_jobs)
    return by_refits(model, rows, folds, n_jobs)


def with_fixed_priors(model: Any, rows: LabelledRows) -> Any:
    """Return a clone that holds the class priors of all rows, as MASS and SAS do in their leave-one-out tables."""
    last = f"{model.steps[-1][0]}__" if hasattr(model, "steps") else ""  # of a pipeline the last step is the classifier
    known = model.get_params()
    name = next((name for name in (f"{last}priors", f"{last}class_prior") if name in known), None)
    if name is None:
        raise InputError(f"fixed_priors=True needs a model with priors; {type(model).__name__} has none.")
    counts = rows.counts
    return clone(model) if known[name] is not None else clone(model).set_params(**{name: counts / counts.sum()})


def require_classes_in(rows: LabelledRows, train: NDArray[np.intp], name: str) -> None:
    """Refuse training rows that lack a class."""
    there = np.bincount(rows.codes[train][rows.counting[train]], minlength=len(rows.classes))
    if (there == 0).any():
        label = rows.classes.tolist()[int(there.argmin())]
        raise InputError(f"{name} trains on no row of class {label!r}. Use a plan whose training rows hold every class.")


def _weighing(rows: LabelledRows) -> str:
    return "" if rows.counting.all() else " that have weight"


def require_training_classes(rows: LabelledRows, folds: Folds, alone: bool) -> None:
    """Refuse folds whose training rows lack a class. A class of one row, left out alone, is an error of the fit and stays."""
    K, n_folds, counting = len(rows.classes), int(folds.max()) + 1, rows.counting
    total, n = np.bincount(rows.codes[counting], minlength=K), int(counting.sum())
    if not (counting & (folds >= 0)).any():
        raise InputError("All rows held out have weight 0, so they say nothing; hold out more rows, or give them weight.")
    if alone:
        if n - 1 < 2 or np.count_nonzero(total) - np.count_nonzero(total == 1) < 1:
            raise InputError(f"Leaving one of {n} rows out leaves too little to train on; give more rows of each class.")
        return
    held = (folds >= 0) & counting
    table = np.bincount(folds[held] * K + rows.codes[held], minlength=n_folds * K).reshape(n_folds, K)
    for fold, code in np.argwhere(table == total)[:1]:
        label = rows.classes.tolist()[code]
        if table[fold].sum() == n:
            raise InputError(f"Fold {fold} holds all {n} rows{_weighing(rows)}: nothing is left to train on. Hold out fewer rows.")
        raise InputError(
            f"Fold {fold} holds all {total[code]} rows of class {label!r}{_weighing(rows)}, so none is left to train on. Use fewer folds, "
            "a stratified plan, or more rows of that class."
        )
