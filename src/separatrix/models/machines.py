"""Several two-class machines that share their data: fitted side by side, scored in one pass where all are linear."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from ..abilities import abilities_of
from ..errors import InputError
from ..summaries import ClassMoments
from ..summaries.class_moments import Kind

Floats = NDArray[np.float64]


def fit_machines(
    estimator: Any, tasks: Sequence[tuple[Any, NDArray[Any]]], y_of: Callable[[int], NDArray[Any]], weight: Any, n_jobs: int | None
) -> list[Any]:
    """Fit one clone of an estimator per task on threads; task t is (X, rows) and has labels y_of(t).

    Threads share X; a task of some rows only holds a copy of those rows while it runs.
    """

    def fit_one(t: int) -> Any:
        X, rows = tasks[t]
        whole = rows.dtype == bool and bool(rows.all())
        more = {} if weight is None else {"sample_weight": weight if whole else weight[rows]}
        return clone(estimator).fit(X if whole else X[rows], y_of(t), **more)

    return Parallel(n_jobs=n_jobs or -1, prefer="threads")(delayed(fit_one)(t) for t in range(len(tasks)))


def moments_kind(estimator: Any, n_rows: int, n_features: int) -> Kind | None:
    """Return the moments from which machines on so many rows and columns are solved; None where they need the rows."""
    summary = abilities_of(estimator).summary
    if not summary or summary.kind is None or not summary.suffices(n_rows, n_features):
        return None
    return "diagonal" if summary.kind == "diagonal" else "full"


def fit_from_moments(estimator: Any, parts: Sequence[ClassMoments]) -> list[Any]:
    """Fit one clone per summary: no rows are read again."""
    template = clone(estimator)
    # A shallow copy of an unfitted clone is a clone, without looking up the parameters a hundred times.
    return [copy(template).fit_summary(part) for part in parts]


def scores_of(machines: Sequence[Any], X: Any) -> Floats:
    """Return the scores (n, M) of two-class machines, positive for each machine's second class."""
    parts = linear_parts(machines)
    if parts is not None:
        return np.asarray(X @ parts[0].T + parts[1], dtype=np.float64)
    return np.column_stack([_score(machine, X) for machine in machines])


def _score(machine: Any, X: Any) -> Floats:
    if hasattr(machine, "decision_function"):
        return np.asarray(machine.decision_function(X), dtype=np.float64)
    if hasattr(machine, "predict_proba"):
        return np.asarray(machine.predict_proba(X), dtype=np.float64)[:, 1] - 0.5
    return np.where(np.asarray(machine.predict(X)) == machine.classes_[1], 1.0, -1.0)


def linear_parts(machines: Sequence[Any]) -> tuple[Floats, Floats] | None:
    """Return coef (M, p) and intercept (M,) if every machine is linear with one row of coefficients, else None."""
    if not all(np.ndim(getattr(m, "coef_", 0.0)) == 2 and len(m.coef_) == 1 and hasattr(m, "decision_function") for m in machines):
        return None
    coef = np.vstack([np.asarray(m.coef_, dtype=np.float64) for m in machines])
    return coef, np.array([float(np.ravel(m.intercept_)[0]) for m in machines])


def lengths(machines: Sequence[Any]) -> Floats:
    """Return ‖w‖ of each machine, by which scores are divided to become distances."""
    parts = linear_parts(machines)
    if parts is None:
        raise InputError(
            f"scores='distance' divides by ‖w‖, but {type(machines[0]).__name__} has no weights (coef_); "
            "use scores='raw' or a linear machine."
        )
    norms = np.linalg.norm(parts[0], axis=1)
    return np.where(norms > 0, norms, 1.0)


def check_machine(estimator: Any) -> Any:
    """Return the estimator of the machines, or say what is needed."""
    if estimator is None or not isinstance(estimator, BaseEstimator) or not hasattr(estimator, "fit"):
        raise InputError(
            f"estimator={estimator!r} cannot be fitted; pass a two-class classifier, for instance LinearDiscriminantAnalysis()."
        )
    return estimator
