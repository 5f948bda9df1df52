"""What contestants do with a problem: fit, predict, one row, fit from a frame, k-fold, leave-one-out, bootstrap, compare."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.model_selection import KFold as PeerKFold
from sklearn.model_selection import LeaveOneOut as PeerLeaveOneOut
from threadpoolctl import threadpool_limits

import separatrix as own
from benchmarks.shapes.families import FAMILIES, Contestant, Family
from benchmarks.shapes.problems import Shape

RESAMPLES = 50
PENALTIES = [1e-3, 1e-2, 1e-1, 1.0, 10.0]
"""Values of C that a comparison chooses from, where a family has it."""
Prepared = tuple[Callable[[], Any], Callable[[Any], dict[str, Any]]]


@dataclass(frozen=True)
class Task:
    """What is timed: `ours` and `peer` take a fresh estimator and a problem and return what to call; `fits`: fits are part of it."""

    ours: Callable[[Any, Shape], Callable[[], Any]]
    peer: Callable[[Any, Shape], Callable[[], Any]]
    suits: Callable[[Shape], bool] = lambda shape: True
    fits: bool = True


def prepare(task: str, family: str, shape: Shape, contestant: Contestant | None, threads: int | None) -> Callable[[], Prepared]:
    """Return what a child calls: ours where no contestant is given, on as many threads as it likes where no number is."""

    def begin() -> Prepared:
        warnings.simplefilter("ignore")
        limits = None if threads is None else threadpool_limits(threads)  # noqa: F841  held until the child ends
        if threads is not None:
            os.environ["SEPARATRIX_NUM_THREADS"] = str(threads)
        model = FAMILIES[family].ours(shape) if contestant is None else contestant.make()
        doing = TASKS[task]
        run = (doing.ours if contestant is None else doing.peer)(model, shape)
        return run, lambda result: report(FAMILIES[family], model, shape, ours=contestant is None) if doing.fits else {}

    return begin


def report(family: Family, model: Any, shape: Shape, *, ours: bool) -> dict[str, Any]:
    """Return the objective at the fitted coefficients, and what our solution says of itself."""
    said: dict[str, Any] = {}
    if family.objective is not None and hasattr(model, "coef_"):
        coef = np.atleast_2d(model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_)
        said["objective"] = family.objective(shape, coef, np.broadcast_to(model.intercept_, len(coef)))
    found = getattr(model, "solution_", None) if ours else None
    if found is not None:
        said |= {"solver": found.solver, "why": found.why, "status": str(found.status), "passes": found.passes}
    iterations = getattr(model, "n_iter_", None)  # None, too, where Ridge has solved a system
    if not ours and iterations is not None and np.max(iterations) >= getattr(model, "max_iter", np.inf):
        said["stopped"] = True  # a peer stopped by max_iter is no peer
    return said


def _fit(model: Any, shape: Shape) -> Callable[[], Any]:
    given = {} if shape.weight is None else {"sample_weight": shape.weight}
    return lambda: model.fit(shape.X, shape.y, **given)


def _fitted(model: Any, shape: Shape) -> Any:
    """Return the model fitted to at most 2,000 rows that show every class: what is timed comes after."""
    few = np.unique(np.append(np.unique(shape.y, return_index=True)[1], np.arange(min(len(shape.y), 2000))))
    if not type(model).__module__.startswith("separatrix") and "max_iter" in model.get_params():
        model.set_params(max_iter=20)  # rough coefficients cost as much to predict with
    return model.fit(shape.X[few], shape.y[few])


def _predict(model: Any, shape: Shape) -> Callable[[], Any]:
    fitted = _fitted(model, shape)
    return lambda: fitted.predict(shape.X)


def _posteriors(model: Any, shape: Shape) -> Callable[[], Any]:
    fitted = _fitted(model, shape)
    return lambda: fitted.predict_proba(shape.X) if hasattr(fitted, "predict_proba") else fitted.decision_function(shape.X)


def _one_row(model: Any, shape: Shape) -> Callable[[], Any]:
    fitted, row = _fitted(model, shape), shape.X[:1]
    return lambda: [fitted.predict(row) for _ in range(50)]


def _frame(model: Any, shape: Shape) -> Callable[[], Any]:
    import pandas as pd

    frame = pd.DataFrame(shape.X, columns=[f"column {j}" for j in range(shape.X.shape[1])])
    return lambda: model.fit(frame, shape.y)


def _folds(model: Any, shape: Shape) -> Callable[[], Any]:
    plan = own.KFold(5, stratified=False, random_state=0)
    return lambda: own.evaluate(model, shape.X, shape.y, plan=plan)


def _peer_folds(model: Any, shape: Shape) -> Callable[[], Any]:
    return lambda: cross_val_predict(model, shape.X, shape.y, cv=PeerKFold(5, shuffle=True, random_state=0))


def _left_out(model: Any, shape: Shape) -> Callable[[], Any]:
    return lambda: own.evaluate(model, shape.X, shape.y, plan=own.LeaveOneOut())


def _peer_left_out(model: Any, shape: Shape) -> Callable[[], Any]:
    return lambda: cross_val_predict(model, shape.X, shape.y, cv=PeerLeaveOneOut())


def _bootstrap(model: Any, shape: Shape) -> Callable[[], Any]:
    return lambda: own.evaluate(model, shape.X, shape.y, plan=own.Bootstrap(RESAMPLES, random_state=0))


def _peer_bootstrap(model: Any, shape: Shape) -> Callable[[], Any]:
    def resample() -> None:
        rng, n = np.random.default_rng(0), len(shape.y)
        for _ in range(RESAMPLES):
            rows = rng.integers(0, n, n)
            clone(model).fit(shape.X[rows], shape.y[rows]).predict(np.delete(shape.X, rows, axis=0))

    return resample


def _compared(model: Any, shape: Shape) -> Callable[[], Any]:
    given = [("the model", model, {"C": PENALTIES} if "C" in model.get_params() else None)]
    return lambda: own.compare(shape.X, shape.y, models=given, plan=own.KFold(5, random_state=0), tune=own.KFold(5, random_state=0))


def _peer_compared(model: Any, shape: Shape) -> Callable[[], Any]:
    folds = PeerKFold(5, shuffle=True, random_state=0)
    search = GridSearchCV(model, {"C": PENALTIES}, cv=folds) if "C" in model.get_params() else model
    return lambda: cross_val_predict(search, shape.X, shape.y, cv=folds)


def _moderate(shape: Shape) -> bool:
    return shape.weight is None and shape.values <= 2e6 and np.bincount(shape.y).min() >= 10


def _small(shape: Shape) -> bool:
    return _moderate(shape) and not shape.is_sparse and shape.values <= 2e5 and shape.n_classes <= 10


TASKS = {
    "fit": Task(_fit, _fit),
    "predict": Task(_predict, _predict, fits=False),
    "predict_proba": Task(_posteriors, _posteriors, fits=False),
    "50 single rows": Task(_one_row, _one_row, fits=False),
    "fit a frame": Task(_frame, _frame, lambda s: not s.is_sparse and s.X.shape[1] <= 3000 and s.weight is None),
    "5-fold": Task(_folds, _peer_folds, _moderate),
    "leave-one-out": Task(_left_out, _peer_left_out, lambda s: _small(s) and len(s.y) <= 3000),
    "bootstrap": Task(_bootstrap, _peer_bootstrap, _small),
    "compare": Task(_compared, _peer_compared, _small),
}
