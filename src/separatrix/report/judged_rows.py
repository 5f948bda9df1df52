"""Rows with their truth and what was said of them by a model that had not seen them: the ground of every number in a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..array_types import Codes, Floats, Indices
from ..evaluation.evaluation_rows import EvaluationRows
from ..evaluation.plans import NEVER
from ..evaluation.predictions import HeldOut, answers
from ..inference.shares import wilson, wilson_band


@dataclass(frozen=True, slots=True, eq=False)
class JudgedRows:
    """Rows that were held out, in the order of the table.

    Attributes
    ----------
    truth, predicted : (m,) class codes
    posteriors : (m, K), or None where the model gives none
    weight : (m,) weights, or None
    classes : (K,) labels
    places : (m,) where the rows stand among the rows evaluated
    numbers : (m,) numbers of the rows in the table as it was given, from 0

    Examples
    --------
    >>> from separatrix import LinearDiscriminantAnalysis
    >>> from separatrix.evaluation.evaluation_rows import rows_to_evaluate
    >>> model = LinearDiscriminantAnalysis().fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> rows = JudgedRows.of_model(model, rows_to_evaluate([[0.5], [4.5], [0.6]], ["a", "b", "b"]))
    >>> rows.is_wrong.tolist(), rows.numbers.tolist()
    ([False, False, True], [0, 1, 2])
    """

    truth: Codes
    predicted: Codes
    posteriors: Floats | None
    weight: Floats | None
    classes: NDArray[Any]
    places: Indices
    numbers: Indices

    @classmethod
    def of_repeat(cls, held: HeldOut, rows: EvaluationRows) -> JudgedRows:
        """Return the rows that one repeat of a comparison held out."""
        there = np.flatnonzero((held.folds != NEVER) & rows.has_weight)
        posteriors = None if held.posteriors is None else held.posteriors[there]
        return cls._of(rows, there, held.codes[there], posteriors)

    @classmethod
    def of_model(cls, model: Any, rows: EvaluationRows) -> JudgedRows:
        """Return rows that a fitted model has not seen."""
        codes, posteriors = answers(model, rows)
        there = np.flatnonzero(rows.has_weight)
        return cls._of(rows, there, codes[there], None if posteriors is None else posteriors[there])

    @classmethod
    def _of(cls, rows: EvaluationRows, there: Indices, codes: Codes, posteriors: Floats | None) -> JudgedRows:
        weight = None if rows.weight is None else rows.weight[there]
        numbers = there if rows.kept is None else rows.kept[there]
        return cls(rows.codes[there], codes, posteriors, weight, rows.classes, there, numbers)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.truth)

    @property
    def labels(self) -> list[Any]:
        """Labels of the classes."""
        return list(self.classes.tolist())

    @property
    def is_wrong(self) -> NDArray[np.bool_]:
        """Which rows were judged wrongly, (m,)."""
        return np.asarray(self.predicted != self.truth)

    @property
    def weights(self) -> Floats:
        """Weights of the rows, 1 where none were given."""
        return np.ones(self.n) if self.weight is None else self.weight

    @property
    def error(self) -> float:
        """Share of the rows judged wrongly."""
        return float(np.average(self.is_wrong, weights=self.weight))

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the error."""
        return wilson(self.error, float(self.weights.sum()))

    @property
    def confusion_intervals(self) -> Floats:
        """Ends and share (K, K, 3) of each cell within its true class: low, share, high; Wilson's intervals."""
        counts = self.confusion
        totals = np.broadcast_to(counts.sum(axis=1, keepdims=True), counts.shape)
        share = counts / np.where(totals > 0, totals, 1.0)
        low, high = wilson_band(share, totals)
        return np.stack([low, share, high], axis=-1)

    @property
    def confusion(self) -> Floats:
        """Summed weights (K, K) of rows by truth and by what was said."""
        K = len(self.classes)
        return np.bincount(self.truth * K + self.predicted, self.weights, minlength=K * K).reshape(K, K).astype(np.float64)
