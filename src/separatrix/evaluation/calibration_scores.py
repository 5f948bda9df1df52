"""Scores of held-out rows that a calibration map is fitted to: margins, or log-odds of posteriors."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from ..array_types import Floats, Folds
from ..errors import InputError
from ..progress import task
from .evaluation_rows import EvaluationRows
from .held_out import hold_out, require_training_classes

ScoreKind = Literal["posteriors", "margins"]


def kind_of(estimator: Any) -> ScoreKind:
    """Return what an estimator says about rows, or raise the error of one that says nothing but labels."""
    if isinstance(estimator, type):
        raise InputError(f"estimator is the class {estimator.__name__} itself; pass an instance, {estimator.__name__}().")
    if hasattr(estimator, "fit") and hasattr(estimator, "predict_proba"):
        return "posteriors"
    if hasattr(estimator, "fit") and hasattr(estimator, "decision_function"):
        return "margins"
    raise InputError(
        f"estimator={estimator!r} has neither predict_proba nor decision_function, so there is nothing to calibrate; pass a classifier "
        "that has one, such as LinearSVC()."
    )


def held_out_scores(model: Any, rows: EvaluationRows, plan: Any, folds: Folds, kind: ScoreKind, n_jobs: int | None = None) -> Floats:
    """Return posteriors (n, K), or margins (n, 1) or (n, K), of rows held out in one repeat of a plan; NaN if never held out."""
    if kind == "posteriors":
        found = hold_out(model, rows, plan, folds, n_jobs=n_jobs).posteriors
        assert found is not None
        return found
    require_training_classes(rows, folds, alone=False)
    n_folds, scores = int(folds.max()) + 1, np.full((rows.n, 1 if len(rows.classes) == 2 else len(rows.classes)), np.nan)
    with task("calibrate", total=n_folds) as work:
        jobs = (delayed(_margins)(model, rows, folds, fold) for fold in range(n_folds))
        for fold, margins in enumerate(Parallel(n_jobs=n_jobs, return_as="generator")(jobs)):
            scores[folds == fold] = margins
            work.advance(f"fold {fold}")
    return scores


def _margins(model: Any, rows: EvaluationRows, folds: Folds, fold: int) -> Floats:
    held = folds == fold
    return scores_of(rows.take(np.flatnonzero(~held)).fit(model), rows.take(np.flatnonzero(held)).X, "margins", rows.classes)


def scores_of(fitted: Any, X: Any, kind: ScoreKind, classes: NDArray[Any]) -> Floats:
    """Return posteriors (n, K), or margins (n, 1) or (n, K), of rows under a fitted model."""
    if kind == "posteriors":
        return np.asarray(fitted.predict_proba(X), dtype=np.float64)
    scores = np.asarray(fitted.decision_function(X), dtype=np.float64)
    scores = scores[:, None] if scores.ndim == 1 else scores
    if scores.shape[1] != (1 if len(classes) == 2 else len(classes)):
        raise InputError(
            f"{type(fitted).__name__}.decision_function has {scores.shape[1]} columns for {len(classes)} classes; one score per class is "
            "needed (for scikit-learn's SVC: decision_function_shape='ovr')."
        )
    return scores


def class_scores(values: Floats, kind: ScoreKind, method: str, floor: float) -> Floats:
    """Return what goes into the map: margins as they are; of posteriors the log-odds, or for "temperature" of K classes their logs.

    Examples
    --------
    >>> class_scores(np.array([[0.5, 0.25, 0.25]]), "posteriors", "sigmoid", 1e-9).round(4).tolist()
    [[0.0, -1.0986, -1.0986]]
    """
    if kind == "margins":
        return values
    P = np.maximum(values, floor)
    if P.shape[1] == 2:
        return np.log(P[:, 1:]) - np.log(P[:, :1])
    # The others are added up, not 1 − p: exact also where p rounds to 1.
    return np.log(P) if method == "temperature" else np.log(P) - np.log(P @ (1.0 - np.eye(P.shape[1])))


def smallest_posterior(P: Floats) -> float:
    """Return half the smallest positive posterior: what a posterior of 0, from counting or from rounding, is taken for."""
    return max(float(P[P > 0].min()) / 2, 1e-300)
