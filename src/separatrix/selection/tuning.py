"""Hyperparameters chosen by held-out rows of the training rows alone.

For every point θ of a grid the rows are held out fold by fold, by the road that costs least:

| the model | road |
|---|---|
| no steps before it | `hold_out`: algebra where the model has some, refits elsewhere |
| steps before it (a pipeline) | each step is fitted once per fold and setting, not once per point |
| solved from a summary | one summary per fold, one solution per point |
| may begin at another fit | increasing values of it, each begun where the last one ended |

The point with the best score wins, the first among equals: grids begin with the simplest. Nothing here sees a row that was not given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from ..abilities import abilities_of, offered
from ..array_types import Codes, Floats, Folds
from ..evaluation.evaluation_rows import EvaluationRows
from ..evaluation.held_out import hold_out, method_of
from ..evaluation.predictions import HeldOut, answers
from ..evaluation.splits import folds_of
from ..evaluation.time_split import TimeSplit
from .candidates import Candidate, Point

Loss = Callable[[HeldOut, EvaluationRows], float]
"""What to minimise: of the answers for held-out rows, given the truth."""


@dataclass(frozen=True, slots=True)
class TunedPoint:
    """The point chosen, the mean held-out loss of every point (G,), and how the rows were held out."""

    point: Point
    losses: Floats
    method: str


def tune_candidate(
    candidate: Candidate, rows: EvaluationRows, plan: Any, loss: Loss, groups: Any = None, random_state: Any = None
) -> TunedPoint:
    """Return the point of the candidate's grid with the smallest held-out loss, the first among equals.

    Parameters
    ----------
    candidate : Candidate with at least one point
    rows : EvaluationRows to train on; no other is looked at
    plan : inner plan, as in `evaluate`
    loss : what to minimise
    groups, random_state : for the plan

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import KFold, LinearDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> rows = EvaluationRows(X, y.astype(np.int32), None, np.arange(3))
    >>> lda = Candidate("LDA", LinearDiscriminantAnalysis(), ({"shrinkage": 1.0}, {"shrinkage": 0.0}))
    >>> tune_candidate(lda, rows, KFold(5), lambda held, rows: float(np.mean(held.codes != rows.codes)), random_state=0).point
    {'shrinkage': 0.0}
    """
    found, method = [], ""
    for folds in folds_of(plan, rows.n, rows.labels, groups, random_state, rows.X):
        points = hold_out_grid(candidate, rows, plan, folds)
        found.append([loss(held, rows) for held in points])
        method = method_of(points[:1])
    losses = np.mean(found, axis=0)
    return TunedPoint(candidate.grid[int(np.nanargmin(losses))], losses, method)


def hold_out_grid(candidate: Candidate, rows: EvaluationRows, plan: Any, folds: Folds) -> list[HeldOut]:
    """Return the answers for held-out rows at every point of the candidate's grid."""
    if not isinstance(candidate.model, Pipeline) and not _is_path(candidate.model, candidate.grid):
        return [hold_out(candidate.at(point), rows, plan, folds) for point in candidate.grid]
    K, G = len(rows.classes), len(candidate.grid)
    codes = np.full((G, rows.n), -1, dtype=np.int32)
    posteriors = np.full((G, rows.n, K), np.nan)
    has, method = True, ""
    past = plan.trained_on(rows.X, folds) if isinstance(plan, TimeSplit) else None
    for fold in range(int(folds.max()) + 1):
        held = np.flatnonzero(folds == fold)
        training = np.flatnonzero(folds != fold) if past is None else past[fold]
        for g, own, probability, road in _answers(candidate, rows.take(training), rows.take(held)):
            codes[g, held], method = own, road
            if probability is None:
                has = False
            else:
                posteriors[g, held] = probability
    return [HeldOut(folds, codes[g], posteriors[g] if has else None, method) for g in range(G)]


def _answers(candidate: Candidate, training: EvaluationRows, held: EvaluationRows) -> Iterator[tuple[int, Codes, Floats | None, str]]:
    """Yield number, codes, posteriors and method of every point; the steps before the last are fitted once per setting of theirs."""
    for setting, numbers in _by_head(candidate):
        model = candidate.at(setting)
        head, last = (model[:-1], model[-1]) if isinstance(model, Pipeline) else (None, model)
        if head is not None:
            Z = head.fit_transform(training.X, training.labels)
            training_here = EvaluationRows(Z, training.codes, training.weight, training.classes)
            held_here = EvaluationRows(head.transform(held.X), held.codes, None, held.classes)
        else:
            training_here, held_here = training, held
        points = [_last(candidate.model, candidate.grid[g]) for g in numbers]
        for k, fitted, method in fits_along(last, points, training_here):
            yield numbers[k], *answers(fitted, held_here), method


def _by_head(candidate: Candidate) -> list[tuple[Point, list[int]]]:
    """Return the settings of the steps before the last one, each with the points that share it."""
    groups: list[tuple[Point, list[int]]] = []
    for g, point in enumerate(candidate.grid):
        own = _last(candidate.model, point, prefixed=True)
        setting = {name: value for name, value in point.items() if name not in own}
        same = next((numbers for known, numbers in groups if known == setting), None)
        if same is None:
            groups.append((setting, [g]))
        else:
            same.append(g)
    return groups


def _last(model: Any, point: Point, prefixed: bool = False) -> Point:
    """Return the parameters of the last step in a point."""
    if not isinstance(model, Pipeline):
        return point
    prefix = model.steps[-1][0] + "__"
    return {name if prefixed else name.removeprefix(prefix): value for name, value in point.items() if name.startswith(prefix)}


def fits_along(model: Any, points: Sequence[Point], rows: EvaluationRows) -> Iterator[tuple[int, Any, str]]:
    """Yield number, fitted model and method for every point; a model is to be used before the next one is asked for."""
    if _is_path(model, points):
        yield from _along_path(model, points, rows)
        return
    first: Any = None
    for k, point in enumerate(points):
        here = clone(model).set_params(**point)
        if first is not None and _shares_summary(first, here):
            fitted = here.fit_summary(first.summary_)
            if "feature_names_in_" in vars(first):
                fitted.feature_names_in_ = first.feature_names_in_
            yield k, fitted, "fold summaries"
            continue
        fitted = rows.fit(here)
        first = fitted if first is None else first
        yield k, fitted, "refits" if len(points) == 1 or not _shares_summary(first, here) else "fold summaries"


def _shares_summary(fitted: Any, other: Any) -> bool:
    """Whether the other model can be solved from the summary that the fitted one keeps."""
    own, theirs = abilities_of(fitted).summary, abilities_of(other).summary
    if not own or not theirs or own.kind is None or own.kind != theirs.kind or fitted.summary_ is None:
        return False
    return theirs.suffices(int(fitted.summary_.rows.sum()), fitted.n_features_in_)


def _is_path(model: Any, points: Sequence[Point]) -> bool:
    """Whether the points differ in the parameter alone along which the model can begin where its last fit ended."""
    warm = abilities_of(model).warm_start
    name = warm.parameter if warm else None
    return name is not None and len(points) > 1 and all(set(point) == {name} for point in points)


def _along_path(model: Any, points: Sequence[Point], rows: EvaluationRows) -> Iterator[tuple[int, Any, str]]:
    name = offered(abilities_of(model).warm_start).parameter
    assert name is not None  # asked by _is_path
    warm = clone(model).set_params(warm_start=True)
    for k in sorted(range(len(points)), key=lambda k: points[k][name]):
        warm.set_params(**points[k]).fit(rows.X, rows.labels, rows.weight)
        yield k, warm, "warm starts"
