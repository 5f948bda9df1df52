"""Rows and folds held out of a minimised loss: Newton steps from the fit of all rows, refits where these do not arrive."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..abilities import abilities_of, offered
from ..array_types import Folds
from ..solvers.scores import largest, per_class, posteriors_of
from .evaluation_rows import EvaluationRows
from .plans import NEVER
from .predictions import HeldOut
from .refits import by_refits, refitted


def by_newton_steps(model: Any, rows: EvaluationRows, folds: Folds, alone: bool, n_jobs: int | None) -> HeldOut:
    """Fit once and ask the model for the scores of held-out rows; what it is not certain of is refitted from there."""
    fitted = rows.fit(model)
    found = offered(abilities_of(fitted).folds).scores(rows.source(model.n_jobs), folds, alone)
    if found is None:
        return by_refits(model, rows, folds, n_jobs, fitted)
    left, method = found
    scores, has = left.scores, hasattr(fitted, "predict_proba")
    total = np.bincount(rows.codes, minlength=len(rows.classes))
    doubtful = left.refit | (alone & (total[rows.codes] == 1))  # a class that vanishes with its row
    codes = largest(scores)
    codes[folds == NEVER] = -1
    posteriors = None
    if has:
        posteriors = posteriors_of(per_class(scores))
    again = np.unique(folds[doubtful & (folds != NEVER)])
    for fold, (own, probability) in zip(again, refitted(model, rows, folds, again, n_jobs, fitted), strict=True):
        codes[folds == fold] = own
        if posteriors is not None and probability is not None:
            posteriors[folds == fold] = probability
    return HeldOut(folds, codes, posteriors, method, fitted, int(np.isin(folds, again).sum()))
