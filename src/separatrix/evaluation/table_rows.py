"""Rows of a table that is not read into memory: folds and resamples are views of it, and every fit reads it again.

Labels, weights and what models say of each row are in memory, a few numbers per row; the columns are not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import Pipeline

from ..array_types import Codes, Indices, Ints
from ..data import Source, as_source
from ..data.row_view import Rewritten, RowView
from ..data.targets import warn_of_unlabelled
from ..errors import InputError, no_rows
from ..prepare.prepared_table import PreparedTable
from ..thresholds import KEPT
from .evaluation_rows import EvaluationRows
from .table_steps import behind, fit_steps


@dataclass(frozen=True, slots=True)
class TableRows(EvaluationRows):
    """Labelled rows to evaluate on, left where they are."""

    X: Source
    copies: bool = False
    """Whether weights are how often a row was drawn, which all steps of a pipeline count."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of rows and of columns."""
        return self.n, self.X.n_features

    @property
    def names(self) -> NDArray[Any] | None:
        """Names of the columns, where they have names."""
        return None if self.X.feature_names is None else np.asarray(self.X.feature_names, dtype=object)

    def source(self, n_jobs: int | None = None) -> Source:
        """Return the rows as a source whose labels are the codes."""
        return self.X

    def take(self, rows: Indices) -> EvaluationRows:
        """Return some rows, in the order in which they stand in the table."""
        keep = np.zeros(self.n, dtype=bool)
        keep[rows] = True
        weight = None if self.weight is None else self.weight[keep]
        view = RowView(self.X, self.classes, Rewritten(keep=keep))
        return TableRows(view, self.codes[keep], weight, self.classes, copies=self.copies)

    def taken(self, rows: Indices) -> Indices:
        """Return the numbers of rows in the order in which `take` gives them: that of the table."""
        return np.sort(rows)

    def with_codes(self, codes: Codes) -> EvaluationRows:
        """Return the same rows with other labels."""
        return TableRows(RowView(self.X, self.classes, Rewritten(codes=codes)), codes, self.weight, self.classes)

    def resampled(self, times: Ints, by_weight: bool) -> EvaluationRows:
        """Return a resample: the same rows with other weights."""
        weight = times.astype(np.float64) if self.weight is None else times * self.weight
        view = RowView(self.X, self.classes, Rewritten(weight=weight))
        return TableRows(view, self.codes, weight, self.classes, copies=not by_weight)

    def read_by(self, fitted: Any) -> tuple[Any, Any]:
        """Return what predicts these rows, and the rows as it reads them: behind the first steps of a pipeline, block by block.

        The majority class sees the number of rows alone.
        """
        if isinstance(fitted, Pipeline):
            return fitted[-1], self.through(fitted[:-1]).X
        return fitted, np.zeros((self.n, 1)) if isinstance(fitted, DummyClassifier) else self.X

    def behind(self, steps: Any) -> tuple[EvaluationRows, Any]:
        """Return the rows behind the first steps of a pipeline, and these steps, fitted by passes over the table."""
        fitted, source = fit_steps(steps.steps, self.X, self.copies)
        return replace(self, X=source), Pipeline(fitted)

    def through(self, steps: Any) -> EvaluationRows:
        """Return the rows behind fitted steps of a pipeline."""
        source = self.X
        for _, step in steps.steps:
            source = behind(step, source)
        return replace(self, X=source)

    def trained_by(self, prep: Any) -> EvaluationRows:
        """Return the rows as a TablePrep that was fitted to them prepared them for the fit."""
        return replace(self, X=PreparedTable(self.X.as_columns(), prep.recipe_, is_training=True))

    def fitted(self, model: Any) -> Any:
        """Return the model given, fitted on the table, which foreign models cannot read; the majority class needs its labels alone."""
        if isinstance(model, DummyClassifier):
            return model.fit(np.zeros((self.n, 1)), self.labels)
        if isinstance(model, Pipeline):
            rows, steps = self.behind(model[:-1])
            last = rows.fitted(model.steps[-1][1])
            return model.set_params(steps=[*steps.steps, (model.steps[-1][0], last)])
        if not type(model).__module__.startswith("separatrix."):
            raise InputError(
                f"{type(model).__name__} takes rows in memory, and this table is left where it is; use a model of this package, such as "
                "LogisticRegression(), or fewer rows and columns: open_table(…, columns=[…], where=[…])."
            )
        return model.fit(self._of_seen_classes())

    def _of_seen_classes(self) -> Source:
        """Return the rows with the classes alone that they hold."""
        seen = np.unique(self.codes)
        if len(seen) == len(self.classes):
            return self.X
        places = np.zeros(len(self.classes), dtype=np.int32)
        places[seen] = np.arange(len(seen))
        return RowView(self.X, self.classes[seen], Rewritten(codes=places[self.codes]))


def is_large(table: Source) -> bool:
    """Whether the rows of a table are known to be read anew in every pass: on other machines, or more than memory should hold."""
    return table.is_remote or (table.n_rows is not None and KEPT.reached(8.0 * table.n_rows * table.n_features))


def left_where_it_is(table: Source, y: Any, sample_weight: Any, takes_columns: bool = False) -> TableRows:
    """Read the labels and weights of a table, and leave its columns where they are: columns of numbers, or of any kind where asked for."""
    if takes_columns and table.is_columns:
        return _of_labels(as_source(table, y, sample_weight))
    try:
        table.require_numbers()
    except InputError as problem:
        columns = table.as_columns() if takes_columns else table
        if columns.is_columns:
            return _of_labels(as_source(columns, y, sample_weight))
        held = str(problem).split(", where numbers")[0]
        raise InputError(
            f"This table is left where it is, where columns of numbers alone are evaluated: {held}. Open "
            "it with columns=[…] that are numbers, or with where=[…] for so few rows that memory holds them; MixedNB().fit(table) and "
            "TableClassifier().fit(table) read all columns, block by block."
        ) from None
    return _of_labels(as_source(table, y, sample_weight).settled())


def _of_labels(source: Source) -> TableRows:
    """Return rows whose labels and weights are read."""
    narrow = source.only([0]) if source.n_features > 1 and source.feature_names is not None else source  # files then read no other column
    parts = list(narrow.told(lambda block: (block.codes, block.weight)))
    if not parts:
        raise no_rows()
    weights = [weight for _, weight in parts if weight is not None]
    assert source.classes is not None
    codes = np.concatenate([codes for codes, _ in parts]).astype(np.int32)
    if source.unlabelled:
        warn_of_unlabelled(source.target, source.unlabelled, source.unlabelled + len(codes), stacklevel=6)  # type: ignore[attr-defined]
    return TableRows(source, codes, np.concatenate(weights) if weights else None, source.classes)
