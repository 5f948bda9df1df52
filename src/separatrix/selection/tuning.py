"""Hyperparameters chosen by held-out rows of the training rows alone.

For every point θ of a grid the rows are held out fold by fold, by the road that costs least:

| the model | road |
|---|---|
| no steps before it | `hold_out`: algebra where the model has some, refits elsewhere |
| steps before it (a pipeline) | each step is fitted once per fold and setting, not once per point |
| solved from a summary | one summary per fold, one solution per point |
| may begin at another fit | increasing values of it, each begun where the last one ended, or where the last fold's ended |

The point with the best score wins, the first among equals: grids begin with the simplest. Nothing here sees a row that was not given.
Points that the rows held out so far leave no hope, or no gain that matters, are not fitted in the folds after (`race.py`), and none is
once one point is left. On many values, those beyond a point that seems worse wait for all its folds, and families whose solver
takes long say a tolerance that is enough to choose by; the point chosen is fitted to the default one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from ..abilities import abilities_of, offered
from ..array_types import Codes, Floats, Folds
from ..evaluation.evaluation_rows import EvaluationRows, from_summary
from ..evaluation.held_out import hold_out, method_of, training_summaries
from ..evaluation.plans import NEVER
from ..evaluation.predictions import HeldOut, answers
from ..evaluation.splits import folds_of
from ..evaluation.time_split import TimeSplit, trained_on
from ..models.singular import named_fits, recipe_names
from ..solvers.solution import ConvergenceWarning
from .candidates import Candidate, Point
from .race import Race

Loss = Callable[[HeldOut, EvaluationRows], float]
"""What to minimise: of the answers for held-out rows, given the truth."""
RowLosses = Callable[[HeldOut, EvaluationRows], Floats]
"""The losses of held-out rows whose mean is to be minimised."""
Answered = tuple[int, Codes, Floats | None, str]
"""Number of a point, codes and posteriors of the rows held out, and the road."""
WARM = "warm starts"
MANY = 1e7
"""Rows × columns × classes from which on fits that serve the choice alone may be rough, and those that seem in vain wait."""


@dataclass(slots=True, eq=False)
class Fits:
    """Fitted models where others may begin: the last one of each point, and where a path through the points ended in each fold."""

    of_points: dict[int, Any] = field(default_factory=dict)
    of_folds: dict[int, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TunedPoint:
    """The point chosen, the mean held-out loss of every point (G,), NaN where it was given up, how the rows were held out, the mean
    losses of all points on the rows that each had, and a fit to some of the rows where the fit to all may begin.
    """

    point: Point
    losses: Floats
    method: str
    so_far: Floats
    start: Any = None


def tune_candidate(
    candidate: Candidate,
    rows: EvaluationRows,
    plan: Any,
    loss: Loss,
    groups: Any = None,
    random_state: Any = None,
    row_losses: RowLosses | None = None,
) -> TunedPoint:
    """Return the point of the candidate's grid with the smallest held-out loss, the first among equals.

    Parameters
    ----------
    candidate : Candidate with at least one point
    rows : EvaluationRows to train on; no other is looked at
    plan : inner plan, as in `evaluate`
    loss : what to minimise
    groups, random_state : for the plan
    row_losses : where the loss is their mean, so that points without hope can be given up; None: every point has every fold

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
    given_up: list[bool] = []
    fits = Fits()
    found, method, repeats = [], "", list(folds_of(plan, rows.n, rows.labels, groups, random_state, rows.X))
    for folds in repeats:
        points = hold_out_grid(candidate, rows, plan, folds, row_losses if len(repeats) == 1 else None, fits)
        given_up = [isinstance(held, float) for held in points]
        found.append([held if isinstance(held, float) else loss(held, rows) for held in points])
        method = method_of([held for held in points if not isinstance(held, float)][:1])
    so_far = np.mean(found, axis=0)
    losses = np.where(given_up, np.nan, so_far)
    best = int(np.nanargmin(losses))
    return TunedPoint(candidate.grid[best], losses, method, so_far, fits.of_points.get(best))


def hold_out_grid(
    candidate: Candidate, rows: EvaluationRows, plan: Any, folds: Folds, row_losses: RowLosses | None = None, fits: Fits | None = None
) -> list[HeldOut | float]:
    """Return the answers for held-out rows at every point of the grid; with `row_losses`, the mean loss so far of points given up.

    `fits` receives the fits along a path.
    """
    summaries = None
    if not isinstance(candidate.model, Pipeline) and not _is_path(candidate.model, candidate.grid):
        models = [candidate.at(point) for point in candidate.grid]
        by_summaries = row_losses is not None and not isinstance(plan, TimeSplit)
        summaries = training_summaries(models, rows, plan, folds) if by_summaries else None
        if summaries is None:
            return [hold_out(model, rows, plan, folds) for model in models]
    K, G = len(rows.classes), len(candidate.grid)
    codes = np.full((G, rows.n), -1, dtype=np.int32)
    posteriors = np.full((G, rows.n, K), np.nan)
    race, has, method = Race(G, int((folds >= 0).sum())), True, ""
    fits = Fits() if fits is None else fits
    past = trained_on(plan, rows.X, folds) if isinstance(plan, TimeSplit) else None
    called, n_folds = list(range(G)), int(folds.max()) + 1
    while called:
        for fold in range(n_folds):
            held = np.flatnonzero(folds == fold)
            here = rows.take(held)
            if summaries is not None:
                found = _solutions(candidate, summaries[fold], here, race, called)
            else:
                training = np.flatnonzero(folds != fold) if past is None else past[fold]
                found = _answers(candidate, rows.take(training), here, race, called, fits, fold)
            for g, own, probability, road in found:
                codes[g, held], method = own, method or road  # in later folds a point left alone shares nothing
                if probability is None:
                    has = False
                else:
                    posteriors[g, held] = probability
                if row_losses is not None:
                    race.add(g, row_losses(HeldOut(np.zeros(len(held), dtype=np.int64), own, probability, road), here))
            called = [g for g in called if g not in race.waiting]
            if row_losses is not None:
                race.end_fold()
                if len(race.left) == 1:  # nothing is left to choose
                    folds = np.where(folds < len(race.found[race.left[0]]), folds, NEVER)
                    break
        called = race.call() if len(race.left) > 1 else []
    return [HeldOut(folds, codes[g], posteriors[g] if has else None, method) if race.is_in(g) else race.mean(g) for g in range(G)]


def _answers(
    candidate: Candidate, training: EvaluationRows, held: EvaluationRows, race: Race, called: list[int], fits: Fits, fold: int
) -> Iterator[Answered]:
    """Yield number, codes, posteriors and method of the points called and in the race; steps before the last are fitted once per setting.

    `fits` has where the points of a path may begin: at the fold before, or where the path ended in this one.
    """
    ordered = _is_ordered(candidate.grid)
    is_large = _is_large(training)
    is_rough = is_large and bool(candidate.rough)
    if is_rough:
        candidate = replace(candidate, model=candidate.at(candidate.rough))
    for setting, every in _by_head(candidate):
        numbers = [g for g in every if g in called and race.is_in(g)]
        if not numbers:
            continue
        model = candidate.at(setting)
        head, last = (model[:-1], model[-1]) if isinstance(model, Pipeline) else (None, model)
        if head is not None:
            training_here, steps = training.behind(head)
            held_here = held.through(steps)
        else:
            training_here, held_here = training, held
        points = [_last(candidate.model, candidate.grid[g]) for g in numbers]
        starts = [fits.of_points.get(g) for g in numbers]
        left = set(numbers)
        along = fits_along(last, points, training_here, starts, is_rough, fits.of_folds.get(fold))
        for k, fitted, method in named_fits(along, recipe_names(model)):
            g = numbers[k]
            if method == WARM:
                fits.of_points[g] = fitted
                if ordered:  # all points of a fold share its rows then
                    fits.of_folds[fold] = fitted
            yield g, *answers(fitted, held_here), method
            left.discard(g)
            if ordered and _ends(race, g, sorted(left), is_large):
                break


def _solutions(candidate: Candidate, summary: Any, held: EvaluationRows, race: Race, called: list[int]) -> Iterator[Answered]:
    """Yield number, codes, posteriors and method of the points called and in the race, solved from the summary of the training rows."""
    ordered, numbers = _is_ordered(candidate.grid), [g for g in called if race.is_in(g)]
    for k, g in enumerate(numbers):
        yield g, *answers(from_summary(candidate.at(candidate.grid[g]), summary, held), held), "exact algebra"
        if ordered and _ends(race, g, numbers[k + 1 :], _is_large(held)):
            break


def _ends(race: Race, point: int, beyond: list[int], is_large: bool) -> bool:
    """Whether a fold ends at a point: those beyond it have no hope or, where fits are long, wait."""
    if race.is_lost_at(point):
        race.leave(beyond)
        return True
    if not (is_large and beyond and race.is_behind(point)):
        return False
    race.wait(point, beyond)
    return True


def _is_large(rows: EvaluationRows) -> bool:
    """Whether rows have so many values that their fits are long."""
    return rows.n * float(np.prod(rows.shape[1:])) * len(rows.classes) >= MANY


def _is_ordered(grid: Sequence[Point]) -> bool:
    """Whether points differ in one number, which rises or falls: from the simplest on, as grids are given."""
    names = {name for point in grid for name in point}
    if len(names) != 1 or not all(isinstance(value, int | float) for point in grid for value in point.values()):
        return False
    steps = np.diff([point[name] for name in names for point in grid])
    return bool((steps > 0).all() or (steps < 0).all())


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


def fits_along(
    model: Any,
    points: Sequence[Point],
    rows: EvaluationRows,
    starts: Sequence[Any] | None = None,
    is_rough: bool = False,
    last: Any = None,
) -> Iterator[tuple[int, Any, str]]:
    """Yield number, fitted model and method for every point; those along a path may begin at other fits, None for none.

    Of rough fits it is not said where they end; `last` is where a path through other points of these rows ended.
    """
    if _is_path(model, points) or (starts is not None and any(start is not None for start in starts)):
        yield from _along_path(model, points, rows, starts or [None] * len(points), is_rough, last)
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


def _along_path(
    model: Any, points: Sequence[Point], rows: EvaluationRows, starts: Sequence[Any], is_rough: bool, last: Any
) -> Iterator[tuple[int, Any, str]]:
    warm = offered(abilities_of(model).warm_start)
    name = warm.parameter
    assert name is not None  # asked by _is_path
    for k in sorted(range(len(points)), key=lambda k: points[k][name]):
        here = clone(model).set_params(**points[k])
        # A rough fit does not forget all of where it began: not at a fold before, which saw the rows that this one holds out.
        start = last if starts[k] is None or is_rough else starts[k]
        begun = offered(abilities_of(here).warm_start)
        if start is not None:
            begun.begin_at(start)
        if is_rough and begun.be_rough is not None:
            begun.be_rough()
        with warnings.catch_warnings():
            if is_rough:
                warnings.simplefilter("ignore", ConvergenceWarning)
            last = rows.fitted(here)
        yield k, last, WARM
