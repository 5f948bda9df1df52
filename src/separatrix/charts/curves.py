"""Curves over all thresholds, with bands: ROC, precision and recall, cost, net benefit, risk and coverage; predictive values."""

from __future__ import annotations

import numpy as np

from ..argument_types import check_arguments
from ..decisions.curves import Curve
from ..decisions.predictive import PredictiveValues
from .grammar import Layers, alt, data, layered
from .palette import FIRST, QUIET, SECOND, dashes
from .sampling import thinned

SHARES = {"ROC", "precision and recall", "risk and coverage"}
"""Curves both of whose axes are shares."""
TITLES = {
    "ROC": "ROC curve",
    "precision and recall": "Precision and recall",
    "cost": "Mean cost by threshold",
    "net benefit": "Net benefit by threshold",
    "risk and coverage": "Risk of the rows that are kept",
}


def curve(found: Curve, title: str | None = None) -> Layers:
    """Return the chart of a curve with its band: of `roc`, `precision_recall`, `cost_curve`, `net_benefit` or `risk_coverage`.

    Parameters
    ----------
    found : Curve
    title : text above it, optional

    Examples
    --------
    >>> from separatrix import roc
    >>> curve(roc([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])).to_dict()["title"]["text"]
    'ROC curve'
    """
    check_arguments(curve, locals())
    at = thinned(found.x, found.y)
    x, y = (_axis(name, values, found.name in SHARES) for name, values in zip(found.axes, (found.x, found.y)))
    rows = data(x=found.x[at], y=found.y[at], low=found.low[at], high=found.high[at], threshold=found.thresholds[at])
    more = {} if found.more is None else {name: values[at] for name, values in found.more.items()}
    reach = _reach(found, more)
    base = alt.Chart(rows).encode(x=alt.X("x:Q", axis=x[0], scale=x[1]))
    along = alt.Y("y:Q", axis=y[0], scale=y[1] if found.name in ("ROC", "precision and recall") else alt.Scale(domain=reach, nice=False))
    tips = [
        alt.Tooltip("x:Q", title=found.axes[0], format=".4f"),
        alt.Tooltip("y:Q", title=found.axes[1], format=".4f"),
        alt.Tooltip("low:Q", title="95 % from", format=".4f"),
        alt.Tooltip("high:Q", title="to", format=".4f"),
        alt.Tooltip("threshold:Q", format=".4g"),
    ]
    layers = [
        *_references(found, more, at, x, along),
        base.mark_area(opacity=0.2, color=FIRST, clip=True).encode(y=alt.Y("low:Q", axis=y[0], scale=along["scale"]), y2="high:Q"),
        base.mark_line(color=FIRST, clip=True).encode(y=along),
        base.mark_point(size=90, opacity=0, clip=True).encode(y=along, tooltip=tips),
    ]
    return layered(layers, title or TITLES.get(found.name, found.name), _caption(found, len(at)))


def _axis(name: str, values: object, is_share: bool) -> tuple[alt.Axis, alt.Scale]:
    scale = alt.Scale(domain=[0, 1]) if is_share or name in ("threshold", "prevalence") else alt.Scale(zero=False)
    return alt.Axis(title=name), scale


def _reach(found: Curve, more: dict[str, np.ndarray]) -> list[float]:
    """Return the part of the y axis that matters: a net benefit of −99 at the last threshold would hide all else."""
    low, high = float(np.nanmin(found.low)), float(np.nanmax(found.high))
    if found.name == "net benefit":
        return [-0.15 * max(high, 1e-9), 1.05 * max(high, 1e-9)]
    if found.name == "risk and coverage":
        # The few rows that are kept first have bands from 0 to 1.
        high = float(max(np.nanmax(found.y), np.nanmax(found.high[found.x >= 0.2 * found.x.max()])))
    values = [float(v) for line in more.values() for v in (np.nanmin(line), np.nanmax(line))]
    low, high = min(low, *values, high) if values else low, max(high, *values) if values else high
    pad = 0.04 * (high - low) or 0.5
    return [min(low, max(low - pad, 0.0)), high + pad]


def _references(found: Curve, more: dict[str, np.ndarray], at: np.ndarray, x: tuple[alt.Axis, alt.Scale], along: alt.Y) -> list[alt.Chart]:
    """Return what the curve is compared with: chance, or the same answer for all rows."""
    own = alt.X("x:Q", axis=x[0], scale=x[1])
    if found.name == "ROC":
        return [alt.Chart(data(x=[0.0, 1.0], y=[0.0, 1.0])).mark_line(color=QUIET, strokeDash=[4, 4], strokeWidth=1).encode(x=own, y=along)]
    lines = dict(more)
    if found.name == "net benefit":
        lines["treat none"] = np.zeros(len(at))
    if not lines:
        return []
    names = ["this model", *lines]
    scale = alt.Scale(domain=names, range=[FIRST, SECOND, QUIET][: len(names)])
    dash = alt.StrokeDash("line:N", scale=alt.Scale(domain=names, range=dashes(len(names))), legend=alt.Legend(title=None, orient="bottom"))
    colour = alt.Color("line:N", scale=scale, legend=alt.Legend(title=None, orient="bottom"))
    all_lines = {"this model": found.y[at], **lines}
    drawn = data(
        x=np.tile(found.x[at], len(all_lines)),
        y=np.concatenate(list(all_lines.values())),
        line=np.repeat(list(all_lines), len(at)).tolist(),
    )
    return [alt.Chart(drawn).mark_line(strokeWidth=1.5, clip=True).encode(x=own, y=along, color=colour, strokeDash=dash)]


def _caption(found: Curve, drawn: int) -> str:
    said = []
    if found.area is not None:
        name = {"ROC": "AUC", "precision and recall": "Average precision", "risk and coverage": "Mean risk"}.get(found.name, "Area")
        low, high = found.area_interval or (np.nan, np.nan)
        said.append(f"{name} {found.area:.4f}" + (f" (95 % interval {low:.4f} to {high:.4f})." if np.isfinite(low) else "."))
    rows = "" if found.rows is None else f" of {found.rows:,} rows"
    said.append(f"{drawn:,} of {len(found.x):,} thresholds{rows} drawn; 95 % bands.")
    return "\n".join(said)


def predictive_curve(found: PredictiveValues) -> Layers:
    """Return what a positive and a negative answer mean wherever the condition is more or less common, with bands.

    Parameters
    ----------
    found : PredictiveValues
        Its own prevalence is marked.
    """
    at = np.concatenate([np.geomspace(1e-3, 0.05, 24), np.linspace(0.06, 0.99, 48)])
    lines = {"positive": SECOND, "negative": FIRST}
    values = [found.at(float(p)) for p in at]
    parts: dict[str, list[float]] = {"x": [], "y": [], "low": [], "high": []}
    names: list[str] = []
    for name in lines:
        for p, value in zip(at, values, strict=True):
            low, high = getattr(value, f"{name}_interval")
            for key, number in zip(parts, (p, getattr(value, name), low, high)):
                parts[key].append(float(number))
            names.append(f"{name} predictive value")
    titles = [f"{name} predictive value" for name in lines]
    legend = alt.Legend(title=None, orient="bottom", symbolType="stroke", symbolOpacity=1, symbolStrokeWidth=3)
    colour = alt.Color("line:N", scale=alt.Scale(domain=titles, range=list(lines.values())), legend=legend)
    x = alt.X(
        "x:Q", title="prevalence", scale=alt.Scale(type="log", domain=[1e-3, 1]), axis=alt.Axis(format="~%", values=[0.001, 0.01, 0.1, 1])
    )
    rows = data(**parts, line=names)
    base = alt.Chart(rows).encode(x=x, color=colour)
    y = alt.Y("y:Q", title="share of such answers that are right", scale=alt.Scale(domain=[0, 1]))
    tips = [alt.Tooltip("line:N", title="line"), alt.Tooltip("x:Q", title="prevalence", format=".3g")]
    tips += [alt.Tooltip("y:Q", title="share", format=".4f"), alt.Tooltip("low:Q", title="95 % from", format=".4f")]
    tips += [alt.Tooltip("high:Q", title="to", format=".4f")]
    layers = [
        alt.Chart(rows)
        .encode(x=x, color=colour)
        .mark_area(opacity=0.2)
        .encode(y=alt.Y("low:Q", title=y["title"], scale=y["scale"]), y2="high:Q"),
        base.mark_line().encode(y=y, strokeDash=alt.StrokeDash("line:N", scale=alt.Scale(domain=titles, range=dashes(2)), legend=legend)),
        base.mark_point(size=90, opacity=0).encode(y=y, tooltip=tips),
        alt.Chart(data(x=[found.prevalence])).mark_rule(strokeDash=[4, 4]).encode(x=x),
    ]
    caption = f"Sensitivity {found.sensitivity:.4f}, specificity {found.specificity:.4f}, from {found.rows:,.0f} rows. Dashed: prevalence "
    return layered(layers, "What an answer means, by prevalence", caption + f"{found.prevalence:g}.")
