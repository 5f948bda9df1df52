"""The charts of a report: results in, specifications out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..decisions.calibration_table import Reliability
from ..decisions.curves import Curve
from ..explaining.model_explanation import ModelExplanation
from .curve_points import Curves
from .findings import Findings


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart of the report: its Vega-Lite specification, and a sentence that says what is to be seen."""

    spec: dict[str, Any]
    caption: str


def figures_of(found: Findings) -> dict[str, Figure]:
    """Return the charts of some findings, by name."""
    from ..charts.calibration import calibration
    from ..charts.coefficients import coefficients
    from ..charts.confusion import confusion
    from ..charts.curves import curve
    from ..charts.leaderboard import leaderboard

    made: dict[str, Figure] = {}

    def add(name: str, chart: Callable[[Any], Any], of: Any, caption: str) -> None:
        made[name] = Figure(chart(of).spec("auto"), caption)

    if found.board is not None:
        add("leaderboard", leaderboard, found.board, "Every model with its 95 % interval on held-out rows.")
    curves = found.curves
    if isinstance(curves, Curves):
        if isinstance(curves.calibration, Reliability):
            add("calibration", calibration, curves.calibration, "On the diagonal, probabilities mean what they say.")
        if isinstance(curves.roc, Curve):
            add("roc", curve, curves.roc, "The share found against the share of false alarms, over all thresholds.")
        if isinstance(curves.precision_recall, Curve):
            add("precision_recall", curve, curves.precision_recall, "How many of the rows called are right, against the share found.")
    if isinstance(found.explanation, ModelExplanation) and found.explanation.coefficients is not None:
        add("coefficients", coefficients, found.explanation, "How far the score moves per standard deviation of each column.")
    if found.judged is not None:
        add("confusion", confusion, found.judged, "Held-out rows by truth and by what was said.")
    return made
