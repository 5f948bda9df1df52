"""Right and wrong decisions at every threshold: what the slider of the page recomputes costs from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..array_types import Floats
from ..decisions.posteriors import Cases
from ..decisions.tuning import threshold_scores
from .judged_rows import JudgedRows
from .not_computed import NotComputed

STEPS = 200
"""Steps of the slider from 0 to 1."""
MOST_CLASSES = 12
"""Classes that a threshold can be looked at for; the largest ones."""


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """Rows above each threshold, for one class against the rest.

    Attributes
    ----------
    label : the class, as text
    positives, negatives : summed weights of its rows and of all others
    true, false : (STEPS + 1,) of them called positive at each threshold: rows of the class, and others
    """

    label: str
    positives: float
    negatives: float
    true: tuple[float, ...]
    false: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ThresholdCounts:
    """Counts at thresholds 0, 1/STEPS, …, 1; a row is called positive where its score is above the threshold.

    The score is the posterior of two classes, and of more classes p/(p + largest other p), so that 1/2 is where the class becomes the most
    probable one.

    Attributes
    ----------
    steps : number of steps from 0 to 1
    classes : a class after the other; of two classes the second comes first, which is the positive one
    start : threshold at which the slider stands first

    Examples
    --------
    >>> from separatrix import LinearDiscriminantAnalysis
    >>> from separatrix.evaluation.evaluation_rows import rows_to_evaluate
    >>> model = LinearDiscriminantAnalysis().fit([[0.0], [1.0], [4.0], [5.0]], ["no", "no", "yes", "yes"])
    >>> found = ThresholdCounts.of(JudgedRows.of_model(model, rows_to_evaluate([[0.5], [4.5], [0.6]], ["no", "yes", "yes"])))
    >>> found.classes[0].label, found.classes[0].true[0], found.classes[0].true[100], found.classes[0].false[100]
    ('yes', 2.0, 1.0, 0.0)
    """

    steps: int
    classes: tuple[ClassCounts, ...]
    start: float = 0.5

    @classmethod
    def of(cls, rows: JudgedRows) -> ThresholdCounts | NotComputed:
        """Return the counts of held-out rows."""
        if rows.posteriors is None:
            return NotComputed(
                "Thresholds and costs",
                "The model gives no probabilities, so that there is no threshold to move.",
                "compare(table, target=…, models=[CalibratedClassifier(model)])",
            )
        cases = Cases(rows.posteriors, rows.truth, rows.weights, rows.classes)
        K = len(rows.classes)
        shares = np.bincount(rows.truth, rows.weights, minlength=K)
        order = [1, 0] if K == 2 else np.argsort(-shares, kind="stable")[:MOST_CLASSES].tolist()
        return cls(STEPS, tuple(_counted(cases, k) for k in order))


def _counted(cases: Cases, k: int) -> ClassCounts:
    scores, own = threshold_scores(cases, k), cases.codes == k
    thresholds = np.arange(STEPS + 1) / STEPS
    sides = own, ~own
    true, false = (tuple(_above(scores[side], cases.weight[side], thresholds)) for side in sides)
    positives, negatives = (float(cases.weight[side].sum()) for side in sides)
    return ClassCounts(str(cases.classes.tolist()[k]), positives, negatives, true, false)


def _above(scores: Floats, weight: Floats, thresholds: Floats) -> list[float]:
    """Return the summed weight of scores above each threshold."""
    order = np.argsort(scores, kind="stable")
    total = np.concatenate([[0.0], np.cumsum(weight[order])])
    found: list[float] = (total[-1] - total[np.searchsorted(scores[order], thresholds, side="right")]).tolist()
    return found
