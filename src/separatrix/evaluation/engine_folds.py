"""K-fold evaluation where the rows are: sums of every fold by one query, scores of held-out rows by another.

A database holds the rows in no order, so a fold is told by a key: `HashFold(key=…)`, whose md5 the database computes itself. What comes
back are the sums of each fold, from which the models are solved, and of each row its label, fold and scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial, reduce
from typing import Any, cast

import numpy as np
from sklearn.base import clone

from ..abilities import abilities_of, offered
from ..array_types import Floats
from ..data import Source
from ..data.sum_engine import FoldScores, KeyFolds, NotSummed, SumEngine
from ..errors import InputError
from ..loading import maker
from ..models.labelled_rows import require_two_classes
from ..models.singular import columns_named
from ..solvers.scores import largest, per_class, posteriors_of
from ..summaries import ClassMoments, all_but_one
from ..summaries.class_moments import Kind
from .evaluation_rows import EvaluationRows
from .predictions import HeldOut
from .random_plans import HashFold


def held_out_by_engine(model: Any, table: Any, plan: Any) -> tuple[EvaluationRows, HeldOut, Any] | None:
    """Return truth and held-out predictions of all rows and a function for the training error; None where rows have to be read.

    Parameters
    ----------
    model : classifier
    table : whatever was passed as X
    plan : whatever was passed as plan
    """
    engine = table.sum_engine() if isinstance(table, Source) and isinstance(plan, HashFold) and plan.key is not None else None
    summary = abilities_of(model).summary
    if engine is None or not summary or summary.kind is None or not summary.suffices(table.n_rows, table.n_features):
        return None
    table = _without(table, plan.key)
    table.require_numbers()
    require_two_classes(table.classes)
    folds = KeyFolds(plan.key, plan.n_splits, plan.seed)
    try:
        parts = fold_moments(table, table.sum_engine(), summary.kind, folds)
        models = [_fitted(model, moments, table) for moments in all_but_one(parts)]
        whole = _fitted(model, reduce(lambda a, b: a.merge(b), parts), table)
        found = list(_scored(table.sum_engine(), folds, models))
    except NotSummed:
        return None
    rows, held = _gathered(found, table, hasattr(whole, "predict_proba"))
    return rows, replace(held, fitted=whole), partial(_training_error, table.sum_engine(), folds, whole, rows.n)


def _scored(engine: Any, folds: KeyFolds, models: list[Any]) -> Iterator[FoldScores]:
    """Return the scores of all rows, each by the model of its fold: linear ones by their coefficients, others as they are exported."""
    linear = [part for part in (offered(abilities_of(fitted).scores).linear() for fitted in models) if part is not None]
    if len(linear) == len(models):
        coef, intercept = (np.stack([part[i] for part in linear]) for i in range(2))
        return cast(Iterator[FoldScores], engine.fold_scores(folds, coef, intercept))
    if not hasattr(models[0], "predict_proba"):
        raise NotSummed("Scores that are neither linear nor posteriors are read from the rows.")
    to_sql = maker("artifacts.exports.to_sql")

    def write(fold: int, query: str, dialect: str, keep: list[str]) -> str:
        return str(to_sql(models[fold], dialect, query=query, keep=keep))

    return cast(Iterator[FoldScores], engine.fold_posteriors(folds, write))


def _without(table: Source, key: str) -> Any:
    names = table.feature_names or ()
    return table.only([j for j, name in enumerate(names) if name != key]) if key in names else table


def fold_moments(table: Source, engine: SumEngine, kind: Kind, folds: KeyFolds) -> list[ClassMoments]:
    """Return the moments of each fold; a fold without which a class is missing is refused."""
    classes: Any = table.classes
    found = engine.fold_moments(kind, folds)
    parts = [ClassMoments(classes, part.counts, part.means, part.scatter, kind, part.rows) for part in found]
    if not all(part.is_finite for part in parts):
        table.refuse_nonfinite()
    rows = np.array([part.rows for part in parts])
    for fold, code in np.argwhere(rows == rows.sum(axis=0))[:1]:
        raise InputError(
            f"Fold {fold} holds all {rows[fold, code]} rows of class {classes.tolist()[code]!r}, so none is left to train on. Use fewer "
            "folds, another key or seed, or more rows of that class."
        )
    return parts


def _fitted(model: Any, moments: ClassMoments, table: Source) -> Any:
    with columns_named(table.feature_names):
        fitted = clone(model).fit_summary(moments)
    if table.feature_names is not None:
        fitted.feature_names_in_ = np.array(table.feature_names, dtype=object)
    return fitted


def _gathered(found: list[FoldScores], table: Any, has_posteriors: bool) -> tuple[EvaluationRows, HeldOut]:
    """Return the rows and what was predicted for them, in the order in which they came."""
    scores: Floats = np.concatenate([part.scores for part in found])
    codes = np.concatenate([part.codes for part in found]).astype(np.int32)
    weights = [part.weight for part in found if part.weight is not None]
    rows = EvaluationRows(None, codes, np.concatenate(weights) if weights else None, table.classes)
    posteriors = posteriors_of(per_class(scores)) if has_posteriors else None
    return rows, HeldOut(np.concatenate([part.folds for part in found]), largest(scores), posteriors, "exact algebra")


def _training_error(engine: SumEngine, folds: KeyFolds, whole: Any, n: int) -> float:
    """Return the error on all rows, which is asked for when it is looked at; NaN where there are others by then."""
    found = list(_scored(engine, folds, [whole] * folds.n_splits))
    if sum(len(part.codes) for part in found) != n:
        return float("nan")
    wrong = np.concatenate([largest(part.scores) != part.codes for part in found])
    weights = [part.weight for part in found if part.weight is not None]
    return float(np.average(wrong, weights=np.concatenate(weights) if weights else None))
