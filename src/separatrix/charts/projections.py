"""Rows projected to one line: densities of the classes, the rows themselves, and the threshold."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..argument_types import check_arguments
from ..explaining.projection import Projection, project
from .grammar import Layers, alt, data, layered
from .palette import QUIET, colours
from .sampling import rows_drawn, sampled
from .text import distinct_plain

TICKS = 600
"""Rows drawn below the densities."""


def projection(model: Any, X: Any, y: Any, direction: Any = None, title: str | None = None) -> Layers:
    """Return rows of two classes on the line that a model (Fisher's discriminant, say) or a direction projects them to.

    Parameters
    ----------
    model : fitted linear classifier of two classes, or None with a direction
    X, y : rows and labels
    direction : (p,), optional
    title : text above it, optional

    Examples
    --------
    >>> from separatrix import FisherDiscriminant
    >>> X, y = [[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 2, 2]
    >>> projection(FisherDiscriminant().fit(X, y), X, y).to_dict()["title"]["text"]
    'Rows on one line'
    """
    return projection_chart(project(model, X, y, direction), title)


def projection_chart(found: Projection, title: str | None = None) -> Layers:
    """Return the chart of a projection that was computed: see `projection`."""
    check_arguments(projection_chart, locals())
    names = distinct_plain(found.classes)
    scale, legend = alt.Scale(domain=names, range=colours(len(names))), alt.Legend(title="class", orient="bottom", symbolOpacity=1)
    x = alt.X("x:Q", title="x'w / ‖w‖", scale=alt.Scale(domain=[float(found.at[0]), float(found.at[-1])], nice=False, zero=False))
    top = float(found.densities.max()) or 1.0
    reach = alt.Scale(domain=[-0.12 * top, 1.05 * top], nice=False)
    axis = alt.Axis(title="density", labels=False, ticks=False, grid=False)
    curves = data(x=np.tile(found.at, len(names)), y=found.densities.ravel(), label=np.repeat(names, len(found.at)).tolist())
    drawn = sampled(len(found.values), TICKS)
    rows = data(
        x=found.values[drawn],
        label=[names[k] for k in found.codes[drawn]],
        y=np.full(len(drawn), -0.02 * top),
        y2=np.full(len(drawn), -0.1 * top),
    )
    colour = alt.Color("label:N", scale=scale, legend=legend)
    tips = [alt.Tooltip("label:N", title="class"), alt.Tooltip("x:Q", title="on the line", format=".4g")]
    layers = [
        alt.Chart(curves)
        .mark_area(opacity=0.25, line={"strokeWidth": 2})
        .encode(x=x, y=alt.Y("y:Q", axis=axis, scale=reach, stack=None), color=colour, tooltip=tips),
        alt.Chart(rows)
        .mark_rule(strokeWidth=1, opacity=0.5)
        .encode(x=x, y=alt.Y("y:Q", axis=axis, scale=reach), y2="y2:Q", color=colour, tooltip=tips),
        alt.Chart(data(x=[found.threshold]))
        .mark_rule(color=QUIET, strokeWidth=2, strokeDash=[5, 4])
        .encode(x=x, tooltip=alt.Tooltip("x:Q", title="threshold", format=".4g")),
    ]
    caption = f"J = {found.separation:.4g}; dashed: the threshold {found.threshold:.4g}.\n"
    ticks = f" {len(drawn):,} of them as lines below." if len(drawn) < len(found.values) else ""
    return layered(layers, title or "Rows on one line", caption + rows_drawn(len(found.values), found.rows_in_all) + ticks, height=220)
