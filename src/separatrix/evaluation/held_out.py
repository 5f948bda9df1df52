"""Predictions for held-out rows, by the cheapest road among the model's abilities.

| ability | road | file |
|---|---|---|
| `leave_one_out` | leave-one-out by algebra, from one fit | leave_one_out.py |
| `summary`, of class moments | a row taken out of the summary; moments of the folds merged | leave_one_out.py, here |
| `summary`, of counts | summaries of the folds merged | here |
| `folds` | Newton steps from the full fit | newton_steps.py |
| none, logistic regression on another device, as every other scikit-learn estimator (pipelines too) | refits | refits.py |

`exact=True` takes the last one always, and so does a `TimeSplit`, which trains on the past alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod
from typing import Any

import numpy as np
from sklearn.base import clone

from ..abilities import abilities_of, offered
from ..abilities.protocols import LeavesRowsOutOfSpan, ScoresBlocks
from ..array_types import Codes, Floats, Folds, Indices
from ..data import Block
from ..data.device import is_on_device
from ..data.namespaces import like, namespace, to_host
from ..errors import InputError
from ..progress import task
from ..solvers.scores import codes_of, largest, per_class, posteriors_of
from ..summaries import FoldMoments, all_but_one
from ..summaries.class_moments import Kind, scatter_shape
from ..thresholds import SCORES
from .evaluation_rows import EvaluationRows, from_summary
from .leave_one_out import by_algebra, by_subtraction
from .newton_steps import by_newton_steps
from .plans import NEVER, LeaveOneOut
from .predictions import HeldOut, answers, gather
from .refits import by_refits
from .table_rows import TableRows
from .time_split import TimeSplit, trained_on


def hold_out(
    model: Any, rows: EvaluationRows, plan: Any, folds: Folds, exact: bool = False, fixed_priors: bool = False, n_jobs: int | None = None
) -> HeldOut:
    """Return predictions for the rows that one repeat of a plan holds out."""
    if isinstance(plan, TimeSplit):
        return by_past(with_fixed_priors(model, rows) if fixed_priors else model, rows, plan, folds, n_jobs)
    alone = isinstance(plan, LeaveOneOut) or int(folds.max()) + 1 == rows.n
    require_training_classes(rows, folds, alone)
    if fixed_priors:
        model = with_fixed_priors(model, rows)
    if exact:
        return by_refits(model, rows, folds, n_jobs)
    abilities = abilities_of(model)
    summary = abilities.summary
    if isinstance(rows, TableRows):
        return _of_table(model, rows, folds, alone, n_jobs)
    if summary and summary.kind is None:
        return by_algebra(model, summary, rows, folds) if alone and abilities.leave_one_out else by_merging(model, rows, folds)
    if summary and summary.kind is not None and len(rows.shape) == 2:
        suffices = summary.suffices(rows.n, rows.shape[1], rows.on_device)
        spanned = isinstance(abilities.leave_one_out, LeavesRowsOutOfSpan) and not rows.on_device
        if alone and (spanned or (suffices and abilities.leave_one_out)):
            return by_algebra(model, summary, rows, folds)
        if not suffices:
            return by_refits(model, rows, folds, n_jobs)
        return by_subtraction(model, summary, rows, folds) if alone else by_summaries(model, summary.kind, rows, folds)
    if rows.on_device:
        return by_refits(model, rows, folds, None, start=rows.fit(model) if abilities.folds else None)
    if abilities.folds:
        return by_newton_steps(model, rows, folds, alone, n_jobs)
    return by_refits(model, rows, folds, n_jobs)


def _of_table(model: Any, rows: EvaluationRows, folds: Folds, alone: bool, n_jobs: int | None) -> HeldOut:
    """Hold rows out of a table that is not in memory: by moments of the folds, or by refits that read it again."""
    if alone:
        raise InputError(
            f"Leaving each of {rows.n:,} rows out alone needs them in memory, and this table is larger; use plan=HashFold(10), or "
            "another plan of folds."
        )
    summary = abilities_of(model).summary
    if summary and summary.kind is not None and summary.suffices(rows.n, rows.shape[1]):
        return by_summaries(model, summary.kind, rows, folds)
    return by_refits(model, rows, folds, None if rows.X.is_remote else n_jobs)


def by_past(model: Any, rows: EvaluationRows, plan: TimeSplit, folds: Folds, n_jobs: int | None = None) -> HeldOut:
    """Fit the rows before each stretch of time, and no later ones."""
    training = trained_on(plan, rows.X, folds)
    for number, train in enumerate(training):
        require_classes_in(rows, train, f"Split {number} of {plan!r}")
    return by_refits(model, rows, folds, n_jobs, trained_on=training)


def with_fixed_priors(model: Any, rows: EvaluationRows) -> Any:
    """Return a clone that holds the class priors of all rows, as MASS and SAS do in their leave-one-out tables."""
    last = f"{model.steps[-1][0]}__" if hasattr(model, "steps") else ""  # of a pipeline the last step is the classifier
    known = model.get_params()
    name = next((name for name in (f"{last}priors", f"{last}class_prior") if name in known), None)
    if name is None:
        raise InputError(f"fixed_priors=True needs a model with priors; {type(model).__name__} has none.")
    counts = rows.counts
    return clone(model) if known[name] is not None else clone(model).set_params(**{name: counts / counts.sum()})


def require_classes_in(rows: EvaluationRows, train: Indices, name: str) -> None:
    """Refuse training rows that lack a class."""
    there = np.bincount(rows.codes[train][rows.has_weight[train]], minlength=len(rows.classes))
    if (there == 0).any():
        label = rows.classes.tolist()[int(there.argmin())]
        raise InputError(f"{name} trains on no row of class {label!r}. Use a plan whose training rows hold every class.")


def _weighing(rows: EvaluationRows) -> str:
    return "" if rows.has_weight.all() else " that have weight"


def require_training_classes(rows: EvaluationRows, folds: Folds, alone: bool) -> None:
    """Refuse folds whose training rows lack a class. A class of one row, left out alone, is an error of the fit and stays."""
    K, n_folds, counting = len(rows.classes), int(folds.max()) + 1, rows.has_weight
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


Part = tuple[Codes, Floats | None]


def by_summaries(model: Any, kind: Kind, rows: EvaluationRows, folds: Folds) -> HeldOut:
    """Summarise every fold in one pass, solve all but one fold for each, and score the rows in a second pass."""
    n_folds = int(folds.max()) + 1
    parts = fold_moments(kind, model.n_jobs, rows, folds)
    training = all_but_one(parts)
    models = [from_summary(clone(model), training[fold], rows) for fold in range(n_folds)]
    codes, posteriors = _scored(models, rows, folds.astype(np.int32))
    whole = from_summary(clone(model), reduce(lambda a, b: a.merge(b), parts), rows)
    return HeldOut(folds, codes, posteriors, "exact algebra", whole)


def training_summaries(models: Sequence[Any], rows: EvaluationRows, plan: Any, folds: Folds) -> list[Any] | None:
    """Return one summary of the training rows of each fold that serves all models; None where they need different ones, or more."""
    alone = isinstance(plan, LeaveOneOut) or int(folds.max()) + 1 == rows.n
    summaries = [abilities_of(model).summary for model in models]
    first = summaries[0]
    if alone or not first or first.kind is None or len(rows.shape) != 2:
        return None
    if not all(own and own.kind == first.kind and own.suffices(rows.n, rows.shape[1], rows.on_device) for own in summaries):
        return None
    require_training_classes(rows, folds, alone)
    return list(all_but_one(fold_moments(first.kind, models[0].n_jobs, rows, folds)))[: int(folds.max()) + 1]


def fold_moments(kind: Kind, n_jobs: int | None, rows: EvaluationRows, folds: Folds) -> list[Any]:
    """Return the moments of every fold, and last those of the rows that are never held out, if there are any."""
    source, never, n_folds = rows.source(n_jobs), folds == NEVER, int(folds.max()) + 1
    numbers = np.where(never, n_folds, folds).astype(np.int32)  # they travel with the pass, where rows lie elsewhere
    n_parts = n_folds + bool(never.any())
    totals = n_parts * prod(scatter_shape(kind, len(rows.classes), source.n_features))
    moments = source.for_totals(totals).reduce(FoldMoments.summarise(rows.classes, kind, n_parts, lambda a, b: numbers[a:b]))
    if not all(part.is_finite for part in moments.parts):
        source.refuse_nonfinite()
    return list(moments.parts)


def _scored(models: list[Any], rows: EvaluationRows, folds: Codes) -> tuple[Codes, Floats | None]:
    """Score each row by the model of its fold; one pass."""
    has, K = hasattr(models[0], "predict_proba"), len(rows.classes)
    scorers = [offered(abilities_of(model).scores) for model in models]
    stacked = _stacked(scorers)

    def part(block: Block) -> Part:
        own = folds[block.start : block.start + block.n_rows]
        if is_on_device(block):
            return _scored_on_device(scorers, block, own, K if has else 0)
        large = not block.is_sparse and SCORES.reached(block.X.size)
        scores = _grouped_linear(block, own, *stacked) if stacked is not None and large else _grouped(scorers, block, own)
        codes = largest(scores)
        codes[own == NEVER] = -1
        return codes, posteriors_of(per_class(scores)) if has else None

    parts = list(rows.source(models[0].n_jobs).told(part))
    codes = np.concatenate([own for own, _ in parts])
    return codes, np.concatenate([own for _, own in parts]).reshape(-1, K) if has else None


def _scored_on_device(scorers: list[ScoresBlocks], block: Block, folds: Codes, n_posteriors: int) -> Part:
    """Score the rows of a block fold by fold on their device; classes and posteriors come to the host."""
    codes, posteriors = np.full(block.n_rows, -1, dtype=np.int32), np.full((block.n_rows, n_posteriors), np.nan)
    for fold in np.unique(folds[folds != NEVER]):
        own = np.flatnonzero(folds == fold)
        scores = scorers[fold].scores(Block(namespace(block.X).take(block.X, like(own.astype(np.int64), block.X), axis=0)))
        codes[own] = to_host(codes_of(scores))
        if n_posteriors:
            posteriors[own] = to_host(posteriors_of(per_class(scores)))
    return codes, posteriors if n_posteriors else None


def _stacked(scorers: list[ScoresBlocks]) -> tuple[Floats, Floats] | None:
    """Return coef (F, R, p) and intercept (F, R) of models whose scores are linear in the rows, else None."""
    known = [part for part in (scorer.linear() for scorer in scorers) if part is not None]
    if len(known) < len(scorers):
        return None
    return np.stack([coef for coef, _ in known]), np.stack([intercept for _, intercept in known])


def _grouped_linear(block: Block, folds: Codes, coef: Floats, intercept: Floats) -> Floats:
    from ..kernels.fold_scores import grouped_scores

    scores = np.full((block.n_rows, coef.shape[1]), np.nan)
    for tile in block.tiles(block.n_rows):
        grouped_scores(tile.X, coef, intercept, folds, scores)
    return scores


def _grouped(scorers: list[ScoresBlocks], block: Block, folds: Codes) -> Floats:
    """Score the rows of a block fold by fold."""
    scores: Floats | None = None
    for fold in np.unique(folds[folds != NEVER]):
        own = np.flatnonzero(folds == fold)
        found = scorers[fold].scores(Block(block.X[own]))
        if scores is None:
            scores = np.full((block.n_rows, found.shape[1]), np.nan)
        scores[own] = found
    return np.full((block.n_rows, 1), np.nan) if scores is None else scores


def by_merging(model: Any, rows: EvaluationRows, folds: Folds) -> HeldOut:
    """Summarise every fold, and for each fit the merged summaries of the others; where that is not the fit without it, refit."""
    fitted, n_folds = rows.fit(model), int(folds.max()) + 1
    own = offered(abilities_of(fitted).summary)
    held = [rows.take(np.flatnonzero(folds == fold)) for fold in range(n_folds)]
    never = rows.take(np.flatnonzero(folds == NEVER))
    sources = [own.source(part.X, part.labels, part.weight, rows.classes) for part in [*held, *([never] if never.n else [])]]
    stands, found, refitted = own.stands(sources), [], 0
    with task("evaluate", total=n_folds) as work:
        for fold, summary in enumerate(all_but_one([own.summarise(source) for source in sources])[:n_folds]):
            whole = stands[fold] and (summary.counts > 0).all()  # a class that goes with the fold has to go from the fit
            training = from_summary(clone(model), summary, rows) if whole else rows.take(np.flatnonzero(folds != fold)).fit(model)
            refitted += 0 if whole else held[fold].n
            found.append(answers(training, held[fold]))
            work.advance(f"fold {fold}")
    return gather(rows, folds, found, "exact algebra", fitted, refitted)


def method_of(repeats: Sequence[HeldOut]) -> str:
    """Return how the rows of all repeats were held out: the road, and how many of them were refitted after all.

    Examples
    --------
    >>> folds = np.arange(4)
    >>> [method_of([HeldOut(folds, folds, None, "exact algebra", refitted=some)]) for some in (0, 1, 4)]
    ['exact algebra', 'exact algebra, 1 of 4 rows refitted', 'refits']
    """
    held, refitted = sum(int((repeat.folds != NEVER).sum()) for repeat in repeats), sum(repeat.refitted for repeat in repeats)
    return method_text(repeats[0].method, refitted, held, "rows")


def method_text(road: str, refitted: int, total: int, unit: str) -> str:
    """Return a road with how much of the work was done by refits in its place."""
    if not refitted:
        return road
    return "refits" if refitted == total else f"{road}, {refitted} of {total} {unit} refitted"
