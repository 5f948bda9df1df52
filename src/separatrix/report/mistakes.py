"""Where a model fails, row by row: the mistakes it was surest of, and the classes it takes for each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .judged_rows import JudgedRows
from .not_computed import NotComputed

SHOWN = 10
"""Mistakes and pairs listed."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A row judged wrongly: its number in the table, truth, what was said and how surely; its values only where they were asked for."""

    row: int
    truth: str
    said: str
    probability: float
    values: dict[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Confusion:
    """Rows of one class taken for another: their weight, and their share of the class."""

    truth: str
    said: str
    rows: float
    share: float


@dataclass(frozen=True, slots=True)
class Mistakes:
    """What went wrong among held-out rows.

    Attributes
    ----------
    wrong, total : summed weights of the rows judged wrongly, and of all
    surest : mistakes, the surest first
    confused : pairs of classes, the most frequent first
    matrix : (K, K) rows by truth and by what was said; labels name both
    """

    wrong: float
    total: float
    surest: tuple[Mistake, ...] | NotComputed
    confused: tuple[Confusion, ...]
    labels: tuple[str, ...]
    matrix: tuple[tuple[float, ...], ...]

    @classmethod
    def of(cls, rows: JudgedRows, values: Any = None) -> Mistakes:
        """Return the mistakes among held-out rows.

        Parameters
        ----------
        rows : JudgedRows
        values : function from places of rows to a list of {column: value}, where raw rows were asked for

        Examples
        --------
        >>> from separatrix import LinearDiscriminantAnalysis
        >>> from separatrix.evaluation.evaluation_rows import rows_to_evaluate
        >>> model = LinearDiscriminantAnalysis().fit([[0.0], [1.0], [4.0], [5.0]], ["no", "no", "yes", "yes"])
        >>> found = Mistakes.of(JudgedRows.of_model(model, rows_to_evaluate([[0.5], [4.5], [0.6]], ["no", "yes", "yes"])))
        >>> found.wrong, found.surest[0].row, found.confused[0]
        (1.0, 2, Confusion(truth='yes', said='no', rows=1.0, share=0.5))
        """
        labels, matrix = tuple(map(str, rows.labels)), rows.confusion
        wrong = rows.is_wrong
        return cls(
            float(rows.weights[wrong].sum()),
            float(rows.weights.sum()),
            _surest(rows, values),
            _confused(labels, matrix),
            labels,
            tuple(map(tuple, matrix.tolist())),
        )


def _surest(rows: JudgedRows, values: Any) -> tuple[Mistake, ...] | NotComputed:
    if rows.posteriors is None:
        return NotComputed(
            "The surest mistakes", "The model gives no probabilities.", "compare(table, target=…, models=[CalibratedClassifier(model)])"
        )
    wrong = np.flatnonzero(rows.is_wrong)
    sure = rows.posteriors[wrong, rows.predicted[wrong]]
    first = np.lexsort((rows.numbers[wrong], -sure))[:SHOWN]
    shown, labels = wrong[first], rows.labels
    held = [None] * len(shown) if values is None else values(rows.places[shown])
    return tuple(
        Mistake(int(rows.numbers[i]), str(labels[rows.truth[i]]), str(labels[rows.predicted[i]]), float(p), own)
        for i, p, own in zip(shown, sure[first], held, strict=True)
    )


def _confused(labels: tuple[str, ...], matrix: Any) -> tuple[Confusion, ...]:
    off = matrix * (1.0 - np.eye(len(labels)))
    totals = matrix.sum(axis=1)
    order = np.argsort(-off.ravel(), kind="stable")[:SHOWN]
    pairs = [divmod(int(i), len(labels)) for i in order if off.ravel()[i] > 0]
    return tuple(Confusion(labels[t], labels[s], float(off[t, s]), float(off[t, s] / totals[t])) for t, s in pairs)
