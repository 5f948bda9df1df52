"""Rows of a table that is not read into memory: folds and resamples are views of it, and every fit reads it again.

Labels, weights and what models say of each row are in memory, a few numbers per row; the columns are not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier

from ..array_types import Codes, Indices, Ints
from ..data import Source, as_source
from ..data.row_view import Rewritten, RowView
from ..errors import InputError
from ..thresholds import KEPT
from .evaluation_rows import EvaluationRows


@dataclass(frozen=True, slots=True)
class TableRows(EvaluationRows):
    """Labelled rows to evaluate on, left where they are."""

    X: Source

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
        return TableRows(RowView(self.X, self.classes, Rewritten(keep=keep)), self.codes[keep], weight, self.classes)

    def taken(self, rows: Indices) -> Indices:
        """Return the numbers of rows in the order in which `take` gives them: that of the table."""
        return np.sort(rows)

    def with_codes(self, codes: Codes) -> EvaluationRows:
        """Return the same rows with other labels."""
        return TableRows(RowView(self.X, self.classes, Rewritten(codes=codes)), codes, self.weight, self.classes)

    def resampled(self, times: Ints, by_weight: bool) -> EvaluationRows:
        """Return a resample: the same rows with other weights."""
        weight = times.astype(np.float64) if self.weight is None else times * self.weight
        return TableRows(RowView(self.X, self.classes, Rewritten(weight=weight)), self.codes, weight, self.classes)

    def seen_by(self, fitted: Any) -> Any:
        """Return X as a fitted model reads it: the majority class sees the number of rows alone."""
        return np.zeros((self.n, 1)) if isinstance(fitted, DummyClassifier) else self.X

    def require_memory(self, name: str) -> None:
        """Refuse rows that are not in memory, which a model of this name needs."""
        raise InputError(
            f"{name} takes rows in memory, and this table is left where it is; use a model of this package, such as "
            "LogisticRegression(), or fewer rows and columns: open_table(…, columns=[…], where=[…])."
        )

    def fitted(self, model: Any) -> Any:
        """Return the model given, fitted on the table, which foreign models cannot read; the majority class needs its labels alone."""
        if isinstance(model, DummyClassifier):
            return model.fit(np.zeros((self.n, 1)), self.labels)
        if not type(model).__module__.startswith("separatrix."):
            self.require_memory(type(model).__name__)
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
    """Whether the rows of a table are read anew in every pass: they lie on other machines, or are more than memory should hold."""
    return table.is_remote or (table.n_rows is not None and KEPT.reached(8.0 * table.n_rows * table.n_features))


def left_where_it_is(table: Source, y: Any, sample_weight: Any) -> TableRows:
    """Read the labels and weights of a table of numbers, and leave its columns where they are."""
    source = as_source(table, y, sample_weight)
    source.require_numbers()
    parts = list(source.map(lambda block: (block.codes, block.weight)))
    if not parts:
        raise InputError("There are no rows in the data; at least one is needed.")
    weights = [weight for _, weight in parts if weight is not None]
    assert source.classes is not None
    codes = np.concatenate([codes for codes, _ in parts]).astype(np.int32)
    return TableRows(source, codes, np.concatenate(weights) if weights else None, source.classes)
