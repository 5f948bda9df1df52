"""What each column does to the score: a small chart for each."""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from ..explaining.column_effects import ColumnEffect, ColumnEffects
from .grammar import Rows, alt, data, titled
from .palette import FIRST, QUIET, SECOND
from .sampling import first_drawn, require_most, rows_drawn
from .text import plain

MOST_LEVELS = 12
ACROSS = 3


def column_effects(found: ColumnEffects, most: int = 9) -> Rows:
    """Return a small chart for each column: what it adds to the score over its values, curves as curves, levels as bars.

    Parameters
    ----------
    found : ColumnEffects
    most : columns drawn, those that move the score most
    """
    if not found.effects:
        raise InputError("No column moves the score of this model, so there is nothing to draw.")
    shown = found.effects[: require_most(most)]
    ends = [value for effect in shown for value in (effect.adds.min(), effect.adds.max())]
    pad = 0.05 * (max(ends) - min(ends))
    reach = alt.Scale(domain=[min(ends) - pad, max(ends) + pad], nice=False)
    parts = [_lines(effect, reach) if effect.kind == "number" else _levels(effect, reach) for effect in shown]
    rows = [alt.HConcatChart(hconcat=parts[i : i + ACROSS], spacing=24) for i in range(0, len(parts), ACROSS)]
    caption = (
        f"{rows_drawn(found.rows, found.rows_in_all)} {first_drawn(len(shown), len(found.effects), 'columns', 'those that move it most')}"
    )
    title = f"What each column adds to the score of {plain(found.of, 30)} against {plain(found.against, 30)}"
    return Rows(vconcat=rows, title=titled(title, caption), spacing=20)


def _lines(effect: ColumnEffect, reach: alt.Scale) -> alt.LayerChart:
    rows = data(x=effect.values.astype(np.float64), y=effect.adds, rows=effect.counts)
    x = alt.X("x:Q", title=plain(effect.name, 30), scale=alt.Scale(zero=False, nice=False), axis=alt.Axis(tickCount=4))
    y = alt.Y("y:Q", title=None, scale=reach, axis=alt.Axis(tickCount=4))
    tips = [alt.Tooltip("x:Q", title="value", format=".5g"), alt.Tooltip("y:Q", title="adds", format="+.4f")]
    base = alt.Chart(rows).encode(x=x, y=y)
    layers = [alt.Chart(data(y=[0.0])).mark_rule(color=QUIET, strokeDash=[3, 3]).encode(y=alt.Y("y:Q", title=None, scale=reach))]
    layers += [base.mark_line(color=FIRST), base.mark_tick(orient="vertical", thickness=1, opacity=0.25).encode(y=alt.value(136))]
    return alt.LayerChart(layer=[*layers, base.mark_point(opacity=0, size=60).encode(tooltip=tips)], width=190, height=140)


def _levels(effect: ColumnEffect, reach: alt.Scale) -> alt.LayerChart:
    order = (
        np.arange(len(effect.adds)) if len(effect.adds) <= MOST_LEVELS else np.sort(np.argsort(-effect.counts, kind="stable")[:MOST_LEVELS])
    )
    left = len(effect.adds) - len(order)
    names = [plain(effect.values[i], 16) for i in order]
    names = [name if names.count(name) == 1 else f"{name} ({i + 1})" for i, name in enumerate(names)]
    rows = data(level=names, y=effect.adds[order], rows=effect.counts[order], zero=np.zeros(len(order)))
    title = plain(effect.name, 30) + (f" ({left} rarer levels not drawn)" if left else "")
    tips = [alt.Tooltip("level:N"), alt.Tooltip("y:Q", title="adds", format="+.4f"), alt.Tooltip("rows:Q", format=",")]
    base = alt.Chart(rows).encode(
        x=alt.X("level:N", sort=names, title=title, axis=alt.Axis(labelAngle=-40 if sum(map(len, names)) > 26 else 0, labelLimit=90))
    )
    y = alt.Y("y:Q", title=None, scale=reach, axis=alt.Axis(tickCount=4))
    colour = alt.condition("datum.y >= 0", alt.value(FIRST), alt.value(SECOND))
    layers = [
        alt.Chart(data(y=[0.0])).mark_rule(color=QUIET, strokeDash=[3, 3]).encode(y=alt.Y("y:Q", title=None, scale=reach)),
        base.mark_rule(strokeWidth=3).encode(y=y, y2="zero:Q", color=colour, tooltip=tips),
        base.mark_point(size=60, opacity=1).encode(y=y, color=colour, tooltip=tips),
    ]
    return alt.LayerChart(layer=layers, width=190, height=140)
