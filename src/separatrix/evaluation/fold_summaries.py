"""Folds held out of a summary: merge what the other folds left behind, or take the rows of a fold back out of one fit."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from sklearn.base import clone

from ..data import Block, as_source
from ..models.singular import columns_named
from ..progress import task
from ..summaries import FoldMoments, all_but_one
from ..thresholds import SCORES
from .plans import NEVER, Folds
from .rows import Codes, Floats, HeldOut, Rows, answers, gather, largest, posteriors_of

Part = tuple[Codes, Floats | None]


def by_summaries(model: Any, rows: Rows, folds: Folds) -> HeldOut:
    """Summarise every fold in one pass, solve all but one fold for each, and score the rows in a second pass."""
    n_folds = int(folds.max()) + 1
    never = folds == NEVER
    parts = _fold_moments(model, rows, np.where(never, n_folds, folds), n_folds + bool(never.any()))
    training = all_but_one(parts)
    models = [from_summary(clone(model), training[fold], rows) for fold in range(n_folds)]
    codes, posteriors = _scored(models, rows, folds.astype(np.int32))
    whole = from_summary(clone(model), reduce(lambda a, b: a.merge(b), parts), rows)
    return HeldOut(folds, codes, posteriors, "exact algebra", whole)


def from_summary(model: Any, summary: Any, rows: Rows) -> Any:
    """Return the model fitted from a summary, with the names of the rows' columns."""
    # The columns of an Arrow table are arrays; their names have a name of their own.
    names = np.asarray(getattr(rows.X, "column_names", rows.X.columns), dtype=object) if hasattr(rows.X, "columns") else None
    with columns_named(None if names is None else names.tolist()):
        fitted = model.fit_summary(summary)
    if names is not None:
        fitted.feature_names_in_ = names
    return fitted


def summary_of(model: Any, rows: Rows) -> Any:
    """Return the summary that the model would keep of some rows."""
    source = model._labelled(rows.X, rows.labels, rows.weight, rows.classes)
    return model._summarise(source)


def _fold_moments(model: Any, rows: Rows, folds: Folds, n_folds: int) -> list[Any]:
    source = as_source(rows.X, rows.codes, rows.weight, classes=np.arange(len(rows.classes)), n_jobs=getattr(model, "n_jobs", None))
    moments = source.reduce(FoldMoments.summarise(rows.classes, model._summary_kind(), n_folds, lambda a, b: folds[a:b]))
    if not all(part.is_finite for part in moments.parts):
        source.refuse_nonfinite()
    return list(moments.parts)


def _scored(models: list[Any], rows: Rows, folds: Codes) -> tuple[Codes, Floats | None]:
    """Score each row by the model of its fold; one pass."""
    has, K = hasattr(models[0], "predict_proba"), len(rows.classes)
    stacked = _stacked(models)

    def part(block: Block) -> Part:
        own = folds[block.start : block.start + block.n_rows]
        large = not block.is_sparse and SCORES.reached(block.X.size)
        scores = _grouped_linear(block, own, *stacked) if stacked is not None and large else _grouped(models, block, own)
        codes = largest(scores)
        codes[own == NEVER] = -1
        if scores.shape[1] == 1 and has:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        return codes, posteriors_of(scores) if has else None

    parts = list(rows.source(models[0].n_jobs).map(part))
    codes = np.concatenate([own for own, _ in parts])
    return codes, np.concatenate([own for _, own in parts]).reshape(-1, K) if has else None


def _stacked(models: list[Any]) -> tuple[Floats, Floats] | None:
    """Return coef (F, R, p) and intercept (F, R) of models whose scores are linear in the rows, else None."""
    parts = [model._linear_parts() for model in models if hasattr(model, "_linear_parts")]
    known = [part for part in parts if part is not None]
    if len(known) < len(models):
        return None
    return np.stack([coef for coef, _ in known]), np.stack([intercept for _, intercept in known])


def _grouped_linear(block: Block, folds: Codes, coef: Floats, intercept: Floats) -> Floats:
    from ..kernels.fold_scores import grouped_scores

    scores = np.full((block.n_rows, coef.shape[1]), np.nan)
    for tile in block.tiles(block.n_rows):
        grouped_scores(tile.X, coef, intercept, folds, scores)
    return scores


def _grouped(models: list[Any], block: Block, folds: Codes) -> Floats:
    """Score the rows of a block fold by fold."""
    scores: Floats | None = None
    for fold in np.unique(folds[folds != NEVER]):
        own = np.flatnonzero(folds == fold)
        found = models[fold]._posterior_scores(Block(block.X[own]))
        if scores is None:
            scores = np.full((block.n_rows, found.shape[1]), np.nan)
        scores[own] = found
    return np.full((block.n_rows, 1), np.nan) if scores is None else scores


def by_merging(model: Any, rows: Rows, folds: Folds) -> HeldOut:
    """Summarise every fold, and for each fit the merged summaries of the others.

    The model's `_merges_stand(parts)` says for which of the parts that is not the fit without them; those are refitted.
    """
    fitted, n_folds = rows.fit(model), int(folds.max()) + 1
    held = [rows.take(np.flatnonzero(folds == fold)) for fold in range(n_folds)]
    never = rows.take(np.flatnonzero(folds == NEVER))
    sources = [fitted._labelled(part.X, part.labels, part.weight, rows.classes) for part in [*held, *([never] if never.n else [])]]
    stands, found, refitted = fitted._merges_stand(sources), [], 0
    with task("evaluate", total=n_folds) as work:
        for fold, summary in enumerate(all_but_one([fitted._summarise(source) for source in sources])[:n_folds]):
            whole = stands[fold] and (summary.counts > 0).all()  # a class that goes with the fold has to go from the fit
            training = from_summary(clone(model), summary, rows) if whole else rows.take(np.flatnonzero(folds != fold)).fit(model)
            refitted += 0 if whole else held[fold].n
            found.append(answers(training, held[fold]))
            work.advance(f"fold {fold}")
    return gather(rows, folds, found, "exact algebra", fitted, refitted)
