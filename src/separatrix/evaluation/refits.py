"""A refit for every fold: the road of every estimator that declares no other."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed

from ..progress import task
from .plans import Folds
from .rows import Codes, Floats, HeldOut, Rows, answers, gather


def by_refits(model: Any, rows: Rows, folds: Folds, n_jobs: int | None) -> HeldOut:
    """Fit a clone of the model on the other rows of each fold, on `n_jobs` processes."""
    n_folds, found = int(folds.max()) + 1, []
    with task("evaluate", total=n_folds) as work:
        jobs = (delayed(_one)(model, rows, folds, fold) for fold in range(n_folds))
        for fold, answer in enumerate(Parallel(n_jobs=n_jobs, return_as="generator")(jobs)):
            found.append(answer)
            work.advance(f"fold {fold}")
    return gather(rows, folds, found, "refits")


def _one(model: Any, rows: Rows, folds: Folds, fold: int) -> tuple[Codes, Floats | None]:
    held = folds == fold
    return answers(rows.take(np.flatnonzero(~held)).fit(model), rows.take(np.flatnonzero(held)))
