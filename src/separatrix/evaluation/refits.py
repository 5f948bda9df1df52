"""A refit for every fold: the road of every estimator that declares no other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from ..progress import task
from .plans import Folds
from .rows import Codes, Floats, HeldOut, Rows, answers, gather


def by_refits(model: Any, rows: Rows, folds: Folds, n_jobs: int | None, start: Any = None) -> HeldOut:
    """Fit a clone of the model on the other rows of each fold, on `n_jobs` processes, begun at the fit of all rows where given."""
    found = list(refitted(model, rows, folds, range(int(folds.max()) + 1), n_jobs, start))
    return gather(rows, folds, found, "refits", start)


def refitted(
    model: Any, rows: Rows, folds: Folds, chosen: Iterable[int], n_jobs: int | None, start: Any = None
) -> Iterator[tuple[Codes, Floats | None]]:
    """Yield what a refit without it says about each of some folds."""
    chosen = list(chosen)
    if not chosen:
        return
    with task("evaluate", total=len(chosen)) as work:
        jobs = (delayed(_one)(model, rows, folds, fold, start) for fold in chosen)
        for fold, answer in zip(chosen, Parallel(n_jobs=n_jobs, return_as="generator")(jobs), strict=True):
            yield answer
            work.advance(f"fold {fold}")


def _one(model: Any, rows: Rows, folds: Folds, fold: int, start: Any) -> tuple[Codes, Floats | None]:
    held = folds == fold
    return answers(rows.take(np.flatnonzero(~held)).fit(model, start), rows.take(np.flatnonzero(held)))
