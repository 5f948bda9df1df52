"""Folds held out of a summary: merge what the other folds left behind, or take the rows of a fold back out of one fit."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from sklearn.base import clone

from ..abilities import abilities_of, offered
from ..abilities.protocols import ScoresBlocks, SolvedFromSummary
from ..data import Block
from ..models.from_summary import columns_named
from ..progress import task
from ..solvers.scores import largest, per_class, posteriors_of
from ..summaries import FoldMoments, all_but_one
from ..summaries.class_moments import Kind
from ..thresholds import SCORES
from .plans import NEVER, Folds
from .rows import Codes, Floats, HeldOut, Rows, answers, gather

Part = tuple[Codes, Floats | None]


def by_summaries(model: Any, kind: Kind, rows: Rows, folds: Folds) -> HeldOut:
    """Summarise every fold in one pass, solve all but one fold for each, and score the rows in a second pass."""
    n_folds = int(folds.max()) + 1
    never = folds == NEVER
    parts = _fold_moments(kind, model.n_jobs, rows, np.where(never, n_folds, folds), n_folds + bool(never.any()))
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


def summary_of(summary: SolvedFromSummary, rows: Rows) -> Any:
    """Return the summary that a model would keep of some rows."""
    return summary.summarise(summary.source(rows.X, rows.labels, rows.weight, rows.classes))


def _fold_moments(kind: Kind, n_jobs: int | None, rows: Rows, folds: Folds, n_folds: int) -> list[Any]:
    source = rows.source(n_jobs)
    moments = source.reduce(FoldMoments.summarise(rows.classes, kind, n_folds, lambda a, b: folds[a:b]))
    if not all(part.is_finite for part in moments.parts):
        source.refuse_nonfinite()
    return list(moments.parts)


def _scored(models: list[Any], rows: Rows, folds: Codes) -> tuple[Codes, Floats | None]:
    """Score each row by the model of its fold; one pass."""
    has, K = hasattr(models[0], "predict_proba"), len(rows.classes)
    scorers = [offered(abilities_of(model).scores) for model in models]
    stacked = _stacked(scorers)

    def part(block: Block) -> Part:
        own = folds[block.start : block.start + block.n_rows]
        large = not block.is_sparse and SCORES.reached(block.X.size)
        scores = _grouped_linear(block, own, *stacked) if stacked is not None and large else _grouped(scorers, block, own)
        codes = largest(scores)
        codes[own == NEVER] = -1
        return codes, posteriors_of(per_class(scores)) if has else None

    parts = list(rows.source(models[0].n_jobs).map(part))
    codes = np.concatenate([own for own, _ in parts])
    return codes, np.concatenate([own for _, own in parts]).reshape(-1, K) if has else None


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


def by_merging(model: Any, rows: Rows, folds: Folds) -> HeldOut:
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
