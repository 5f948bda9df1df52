"""A few numbers with their intervals, side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..decisions.cost_savings import Saving
from ..decisions.shift import PriorShift
from ..decisions.tuning import Tuned
from .grammar import Layers, alt, data, layered
from .palette import FIRST, QUIET
from .text import distinct_plain, plain


def prior_shift(found: PriorShift) -> Layers:
    """Return the estimated share of each class with its interval, beside its share in training.

    Parameters
    ----------
    found : PriorShift
    """
    names = found.classes.tolist()
    values = dict(zip(range(len(names)), zip(found.priors, found.low, found.high)))
    caption = f"Hollow: the shares in training. Test of no change: p = {found.p_value:.3g}. All {found.n:,} rows used; 95 % intervals."
    return _intervals(
        names, [values[k] for k in values], "Have the classes become otherwise common?", "share", caption, found.trained_priors
    )


def tuned(found: Tuned) -> Layers:
    """Return what a tuned decision reaches on the rows it was tuned on, with intervals.

    Parameters
    ----------
    found : Tuned
    """
    nothing = (np.nan, np.nan)
    values = [(value, *found.intervals.get(name, nothing)) for name, value in found.achieved.items()]
    names = list(found.achieved)
    if found.held_out_cost is not None:
        names, values = [*names, "cost of rows not tuned on"], [*values, (found.held_out_cost, np.nan, np.nan)]
    if found.before is not None:
        names, values = [*names, "cost without tuning"], [*values, (found.before, np.nan, np.nan)]
    said = found.goal + ("" if found.threshold is None else f": threshold {found.threshold:.4g}")
    return _intervals(
        names, values, "A decision that was tuned", "value", f"{plain(said, 120)}. All {found.rows:,} rows used; 95 % intervals."
    )


def saving(found: Saving) -> Layers:
    """Return the mean cost of a decision beside that of the same action for all rows.

    Parameters
    ----------
    found : Saving
    """
    always = "rejecting all rows" if found.baseline is None else f"always {plain(found.baseline, 30)}"
    nothing = (np.nan, np.nan)
    values = [(found.cost, *found.cost_interval), (found.baseline_cost, *nothing), (found.saving, *found.saving_interval)]
    caption = f"{found.rejected:.1%} of {found.n:,.6g} rows rejected; all of them used. 95 % intervals."
    return _intervals(["cost of the decision", f"cost of {always}", "saving"], values, "What the decision saves", "per row", caption)


def _intervals(names: list[Any], values: list[Any], title: str, across: str, caption: str, beside: Any = None) -> Layers:
    labels = distinct_plain(names)
    numbers = np.array([[float(v) for v in row] for row in values], dtype=np.float64).reshape(-1, 3)
    rows = data(name=labels, value=numbers[:, 0], low=numbers[:, 1], high=numbers[:, 2])
    base = alt.Chart(rows).encode(y=alt.Y("name:N", sort=labels, title=None, axis=alt.Axis(labelLimit=260)))
    x = alt.X("value:Q", title=across)
    tips = [alt.Tooltip("name:N"), alt.Tooltip("value:Q", format=".4f"), alt.Tooltip("low:Q", title="95 % from", format=".4f")]
    tips += [alt.Tooltip("high:Q", title="to", format=".4f")]
    layers = [
        base.mark_rule(strokeWidth=2, color=FIRST).encode(x=alt.X("low:Q", title=across), x2="high:Q"),
        base.mark_point(size=70, opacity=1, color=FIRST).encode(x=x, tooltip=tips),
    ]
    if beside is not None:
        other = data(name=labels, value=np.asarray(beside, dtype=np.float64))
        marks = alt.Chart(other).mark_point(filled=False, size=110, strokeWidth=2, color=QUIET, shape="diamond")
        layers.append(
            marks.encode(y=alt.Y("name:N", sort=labels), x=x, tooltip=[alt.Tooltip("name:N"), alt.Tooltip("value:Q", title="in training")])
        )
    return layered(layers, title, caption, height=alt.Step(26))
