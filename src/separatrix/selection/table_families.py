"""The families of models that a comparison takes for a table as people have it, simplest first, and one reference outside the contest."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import make_pipeline

from ..data.columns import ColumnBatch
from ..models import (
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    MixedNB,
    NearestMean,
    QuadraticDiscriminantAnalysis,
)
from ..prepare import Recipe, TablePrep
from ..prepare.column_scaler import ColumnScaler
from ..prepare.steps import Numbers
from ..prepare.table_columns import TableColumns
from ..summaries.table_summary import TableSummary
from .candidates import Candidate
from .families import COSTS, SHRINKAGE, rough_fits, tuned

MOST_QUADRATIC = 200
"""Columns of numbers up to which a covariance for each class is tried."""
REFERENCE = "gradient boosting (reference)"


def table_families(batch: ColumnBatch, given: TablePrep | None = None) -> dict[str, Candidate]:
    """Return the families that suit a table, by name, simplest first; the reference comes last.

    Every model but naive Bayes, which reads columns as they are, stands behind a `TablePrep` that learns its recipe inside every training
    part. Gradient boosting is there so that people see what a straight line costs; it is never picked.

    Examples
    --------
    >>> import pandas as pd
    >>> from separatrix.data.whole_tables import whole_table
    >>> list(table_families(whole_table(pd.DataFrame({"age": range(9), "city": ["Oslo", "Rome", "Bern"] * 3}))))[:3]
    ['nearest mean', 'mixed naive Bayes', 'LDA']
    """
    summary, own = TableSummary.of(batch), TablePrep() if given is None else given
    recipe = Recipe.learn(summary, own.wishes(), has_labels=True)
    recipe.require_outputs()
    curved = Recipe.learn(summary, replace(own.wishes(), shapes="auto"), has_labels=True)
    # Models that read columns as they are make no products of them and draw no curves.
    as_they_are = None if given is None else replace(own.wishes(), shapes={}, units={}, interactions=())
    prep, scaler = clone(own).set_params(sparse_output=recipe.is_sparse), ColumnScaler(with_mean=not recipe.is_sparse)
    found = [
        tuned("nearest mean", prep, scaler, NearestMean()),
        tuned("mixed naive Bayes", TableColumns(wishes=as_they_are), MixedNB(missing="ignore"), alpha=[10.0, 1.0, 0.1]),
        tuned("LDA", prep, LinearDiscriminantAnalysis()),
        tuned("shrinkage LDA", prep, scaler, LinearDiscriminantAnalysis(), shrinkage=SHRINKAGE),
        tuned("logistic L1", prep, scaler, LogisticRegression(l1_ratio=1.0), C=[0.01, 0.1, 1.0, 10.0]),
        tuned("logistic L2", prep, scaler, LogisticRegression(), C=[0.001, 0.01, 0.1, 1.0, 10.0, 100.0]),
        tuned("linear SVM", prep, scaler, LinearSVC(), C=[0.0001, 0.001, 0.01, 0.1, 1.0]),
    ]
    if any(isinstance(step, Numbers) and step.shape != "line" for step in curved.steps):
        curves = clone(own).set_params(shapes="auto", sparse_output=curved.is_sparse)
        last = LogisticRegression(), {"C": [0.001, 0.01, 0.1, 1.0, 10.0, 100.0]}
        found.append(tuned("logistic with curves", curves, ColumnScaler(with_mean=not curved.is_sparse), last[0], **last[1]))
    if len(recipe.outputs) <= MOST_QUADRATIC:
        found.append(tuned("QDA", prep, QuadraticDiscriminantAnalysis(), pooling=[0.9, 0.5, 0.25, 0.1]))
    reference = make_pipeline(TableColumns(as_numbers=True, wishes=as_they_are), HistGradientBoostingClassifier())
    named = [
        replace(candidate, reads_tables=True, rough=rough_fits(candidate.model), cost=COSTS.get(candidate.name, 0)) for candidate in found
    ]
    return {one.name: one for one in [*named, Candidate(REFERENCE, reference, reads_tables=True, is_reference=True, cost=5)]}


def behind_prep(candidate: Candidate, prep: TablePrep | None = None) -> Candidate:
    """Return a candidate of numbers behind a `TablePrep`, its grid with it."""
    model = make_pipeline(TablePrep() if prep is None else clone(prep), candidate.model)
    prefix = f"{model.steps[-1][0]}__"
    grid: tuple[dict[str, Any], ...] = tuple({prefix + name: value for name, value in point.items()} for point in candidate.grid)
    return replace(candidate, model=model, grid=grid, reads_tables=True)
