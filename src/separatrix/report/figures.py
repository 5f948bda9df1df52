"""The charts of a report: results in, specifications out."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..decisions.calibration_table import Reliability
from ..decisions.curves import Curve
from ..explaining.column_effects import ColumnEffects
from ..explaining.model_explanation import ModelExplanation
from .curve_points import Curves
from .findings import Findings

WIDE = {"width": "container", "autosize": {"type": "fit-x", "contains": "padding"}}
"""As wide as the place in the page."""
ACROSS = 5
"""Small charts beside each other."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart of the report.

    Attributes
    ----------
    spec : its Vega-Lite specification, without the title, which the page writes
    title, notes : what the chart is, and how many rows are drawn
    caption : what is to be seen
    """

    spec: dict[str, Any]
    title: str
    notes: str
    caption: str

    @classmethod
    def of(cls, spec: dict[str, Any], caption: str) -> Figure:
        """Return a specification as a figure.

        Examples
        --------
        >>> rows = {"values": [{"x": 1}]}
        >>> spec = {"title": {"text": "Two", "subtitle": ["All", "drawn."]}, "layer": [{"data": rows}, {"data": rows}]}
        >>> figure = Figure.of(spec, "")
        >>> figure.title, figure.notes, figure.spec["layer"], figure.spec["width"]
        ('Two', 'All drawn.', [{'data': {'name': 'rows0'}}, {'data': {'name': 'rows0'}}], 'container')
        """
        title = spec.get("title", "")
        said = title if isinstance(title, dict) else {"text": title}
        notes = said.get("subtitle", [])
        datasets: dict[str, Any] = {}
        parts = {name: part for name, part in spec.items() if name != "title"}
        if "layer" in spec:
            parts["layer"] = [layer for layer in spec["layer"] if not _is_empty(layer)]
        if "vconcat" in spec:  # small charts in lines: as many beside each other as the page is wide
            parts = {**parts, "concat": [one for line in parts.pop("vconcat") for one in line["hconcat"]], "columns": ACROSS}
        own = _named(parts, datasets, {})
        # One view is as wide as its place in the page; views beside each other, and cells of a fixed size, stay as they are.
        wide = {**WIDE, **_height(spec)} if "layer" in spec and "width" not in spec else {}
        return cls(
            {**own, **wide, "datasets": datasets}, str(said["text"]), " ".join([notes] if isinstance(notes, str) else notes), caption
        )


def _is_empty(layer: dict[str, Any]) -> bool:
    """Whether a layer draws a field that no row has, such as intervals that were not computed."""
    fields = [own["field"] for own in layer.get("encoding", {}).values() if isinstance(own, dict) and "field" in own]
    rows = layer.get("data", {}).get("values", [])
    return bool(rows) and any(all(row.get(field) is None for row in rows) for field in fields)


def _height(spec: dict[str, Any]) -> dict[str, int]:
    """Return the height in place of steps for each line, which Vega-Lite would warn of in a chart as wide as its place."""
    step = spec["height"].get("step") if isinstance(spec.get("height"), dict) else None
    layers = [spec, *spec["layer"]]
    field = next((layer["encoding"]["y"]["field"] for layer in layers if "field" in layer.get("encoding", {}).get("y", {})), None)
    rows = [row for layer in layers for row in layer.get("data", {}).get("values", []) if field in row]
    return {} if step is None or not rows else {"height": int(step * len({row[field] for row in rows}))}


def _named(part: Any, datasets: dict[str, Any], known: dict[str, str]) -> Any:
    """Return a specification in which equal rows stand once, under a name: layers repeat them."""
    if isinstance(part, list):
        return [_named(one, datasets, known) for one in part]
    if not isinstance(part, dict):
        return part
    if set(part) == {"values"} and isinstance(part["values"], list):
        text = json.dumps(part["values"], sort_keys=True)
        name = known.setdefault(text, f"rows{len(known)}")
        datasets[name] = part["values"]
        return {"name": name}
    return {key: _named(one, datasets, known) if key != "config" else one for key, one in part.items()}


def figures_of(found: Findings) -> dict[str, Figure]:
    """Return the charts of some findings, by name."""
    from ..charts.calibration import calibration
    from ..charts.coefficients import coefficients
    from ..charts.columns import column_effects
    from ..charts.confusion import confusion
    from ..charts.curves import curve
    from ..charts.leaderboard import leaderboard

    made: dict[str, Figure] = {}

    def add(name: str, chart: Callable[[Any], Any], of: Any, caption: str) -> None:
        made[name] = Figure.of(chart(of).spec("auto"), caption)

    if found.board is not None:
        add("leaderboard", leaderboard, found.board, "Every model with its interval on held-out rows.")
    curves = found.curves
    if isinstance(curves, Curves):
        if isinstance(curves.calibration, Reliability):
            add("calibration", calibration, curves.calibration, "On the diagonal, probabilities mean what they say.")
        if isinstance(curves.roc, Curve):
            add("roc", curve, curves.roc, "The share found against the share of false alarms, over all thresholds.")
        if isinstance(curves.precision_recall, Curve):
            add("precision_recall", curve, curves.precision_recall, "How many of the rows called are right, against the share found.")
    if isinstance(found.explanation, ModelExplanation) and found.explanation.coefficients is not None:
        add("coefficients", coefficients, found.explanation, "How far the score moves for one standard deviation of each number.")
    if isinstance(found.effects, ColumnEffects) and found.effects.effects:
        add("effects", column_effects, found.effects, "What each column adds to the score, over the values that it takes.")
    if found.judged is not None:
        add("confusion", confusion, found.judged, "Rows by truth and by what was said; the darker, the larger the share of the truth.")
    return made
