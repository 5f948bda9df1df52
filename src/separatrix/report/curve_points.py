"""Curves of held-out posteriors with few points: as many as a screen can show, however many rows are behind them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..charts.sampling import thinned as evenly_thinned
from ..decisions import Curve, Reliability, precision_recall, reliability, roc
from .judged_rows import JudgedRows
from .not_computed import NotComputed

POINTS = 160
"""Points of a curve in a report."""
NO_POSTERIORS = "The model gives no probabilities."
CALIBRATE = "compare(table, target=…, models=[CalibratedClassifier(model)])"


@dataclass(frozen=True, slots=True)
class Curves:
    """ROC, precision and recall, and calibration of held-out rows, or why there are none."""

    roc: Curve | NotComputed
    precision_recall: Curve | NotComputed
    calibration: Reliability | NotComputed

    def with_few_points(self) -> Curves:
        """Return the same with as many points as a screen can show."""
        few, other = (one if isinstance(one, NotComputed) else thinned(one) for one in (self.roc, self.precision_recall))
        return Curves(few, other, self.calibration)


def curves_of(rows: JudgedRows) -> Curves:
    """Return the curves of held-out rows.

    Examples
    --------
    >>> from separatrix import LinearDiscriminantAnalysis
    >>> from separatrix.evaluation.evaluation_rows import rows_to_evaluate
    >>> model = LinearDiscriminantAnalysis().fit([[0.0], [1.0], [4.0], [5.0]], ["no", "no", "yes", "yes"])
    >>> curves_of(JudgedRows.of_model(model, rows_to_evaluate([[0.5], [4.5], [0.6]], ["no", "yes", "yes"]))).roc.area
    1.0
    """
    P, labels, weight = rows.posteriors, rows.classes[rows.truth], rows.weight
    if P is None:
        one, two, three = (NotComputed(what, NO_POSTERIORS, CALIBRATE) for what in ("The ROC curve", "Precision and recall", "Calibration"))
        return Curves(one, two, three)
    calibration = reliability(P, labels, classes=rows.classes, sample_weight=weight)
    if len(rows.classes) > 2 or len(np.unique(rows.truth)) < 2:
        why, call = "There are more than two classes; name one that counts as positive.", "roc(estimate, y, positive=…)"
        return Curves(NotComputed("The ROC curve", why, call), NotComputed("Precision and recall", why, call), calibration)
    made = [curve(P, labels, classes=rows.classes, sample_weight=weight) for curve in (roc, precision_recall)]
    return Curves(made[0], made[1], calibration)


def thinned(curve: Curve, points: int = POINTS) -> Curve:
    """Return a curve with about so many points at most, chosen where it bends.

    Examples
    --------
    >>> x = np.linspace(0.0, 1.0, 9_001)
    >>> few = thinned(Curve("line", x, x**2, x**2, x**2, x, ("x", "y")))
    >>> len(few.x) <= 200, few.x[[0, -1]].tolist()
    (True, [0.0, 1.0])
    """
    kept = evenly_thinned(curve.x, curve.y, points)
    parts = {name: getattr(curve, name)[kept] for name in ("x", "y", "low", "high", "thresholds")}
    more = None if curve.more is None else {name: line[kept] for name, line in curve.more.items()}
    return replace(curve, **parts, more=more)
