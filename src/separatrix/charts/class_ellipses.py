"""Ellipses of the classes in two columns, with the boundary of a model and, where it is known, the true one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..argument_types import check_arguments
from ..explaining.ellipses import ClassEllipses, class_ellipses
from ..geometry.regions import ellipse
from .decision_regions import boundaries
from .grammar import Layers, alt, data, layered
from .palette import QUIET, colours, shapes
from .sampling import rows_drawn
from .text import distinct_plain, plain

LINES = {"boundary of the model": [1, 0], "true boundary": [6, 4], "true ellipse": [2, 3]}


def ellipses(
    model: Any, X: Any, y: Any, plane: Sequence[Any] = (0, 1), *, truth: Any = None, share: float = 0.9, title: str | None = None
) -> Layers:
    """Return the classes of two columns as ellipses, with the boundary that a model draws and the true one where it is given.

    Parameters
    ----------
    model : fitted classifier
    X, y : rows and labels
    plane : two columns, by name or number
    truth : (means, covariances) or (means, covariances, priors) that the rows were drawn from, optional
    share : of each class that its ellipse holds
    title : text above it, optional
    """
    return ellipses_chart(class_ellipses(model, X, y, plane, truth), share, title)


def ellipses_chart(found: ClassEllipses, share: float = 0.9, title: str | None = None) -> Layers:
    """Return the chart of ellipses that were computed: see `ellipses`."""
    check_arguments(ellipses_chart, locals())
    own = found.regions
    names = distinct_plain(own.classes)
    ends = [alt.Scale(domain=[float(values[0]), float(values[-1])], nice=False, zero=False) for values in (own.x, own.y)]
    along = alt.X("x:Q", title=plain(own.axes[0], 40), scale=ends[0]), alt.Y("y:Q", title=plain(own.axes[1], 40), scale=ends[1])
    scale = alt.Scale(domain=names, range=colours(len(names)))
    colour = alt.Color("label:N", scale=scale, legend=alt.Legend(title="class", symbolOpacity=1))
    layers = [_points(found, names, colour, along)]
    layers.append(_ellipses(names, found.means, found.covariances, share, colour, along, strokeWidth=2))
    lines = [("boundary of the model", line) for line in boundaries(own)] + [("true boundary", line) for line in found.true_boundary]
    if found.truth is not None:
        layers.append(_ellipses(names, *found.truth[:2], share, colour, along, strokeWidth=1.2, strokeDash=LINES["true ellipse"]))
    layers.append(_lines(lines, found.truth is not None, along))
    caption = f"{rows_drawn(len(own.points), own.rows_in_all) if own.points is not None else ''} Each ellipse holds {share:.0%} of a class"
    caption += "; dotted: of the true ones." if found.truth is not None else "."
    caption += " One covariance for all classes." if found.shared else ""
    return layered(layers, title or "Classes as normal distributions", caption.strip(), width=380, height=320)


def _points(found: ClassEllipses, names: list[str], colour: alt.Color, along: tuple[alt.X, alt.Y]) -> alt.Chart:
    own = found.regions
    assert own.points is not None and own.truth is not None
    known = dict(zip(own.classes, names))
    rows = data(x=own.points[:, 0], y=own.points[:, 1], label=[known.get(label, plain(label)) for label in own.truth.tolist()])
    mark = alt.Shape("label:N", scale=alt.Scale(domain=names, range=shapes(len(names))), legend=alt.Legend(title="class"))
    tips = [
        alt.Tooltip("label:N", title="class"),
        alt.Tooltip("x:Q", title="across", format=".4g"),
        alt.Tooltip("y:Q", title="up", format=".4g"),
    ]
    return (
        alt.Chart(rows).mark_point(size=24, opacity=0.55, clip=True).encode(x=along[0], y=along[1], color=colour, shape=mark, tooltip=tips)
    )


def _ellipses(
    names: list[str], means: Any, covariances: Any, share: float, colour: alt.Color, along: tuple[alt.X, alt.Y], **style: Any
) -> alt.Chart:
    edges = [ellipse(mean, covariance, share) for mean, covariance in zip(means, covariances, strict=True)]
    points = np.concatenate(edges)
    rows = data(x=points[:, 0], y=points[:, 1], label=[n for n, e in zip(names, edges) for _ in e], step=list(range(len(points))))
    return alt.Chart(rows).mark_line(clip=True, **style).encode(x=along[0], y=along[1], color=colour, order="step:Q")


def _lines(lines: list[tuple[str, Any]], legend: bool, along: tuple[alt.X, alt.Y]) -> alt.Chart:
    points = np.concatenate([line for _, line in lines]) if lines else np.empty((0, 2))
    rows = data(
        x=points[:, 0],
        y=points[:, 1],
        kind=[kind for kind, line in lines for _ in line],
        line=[k for k, (_, line) in enumerate(lines) for _ in line],
        step=list(range(len(points))),
    )
    shown = list(LINES)[:2]
    dash = alt.StrokeDash(
        "kind:N",
        scale=alt.Scale(domain=shown, range=[LINES[name] for name in shown]),
        legend=alt.Legend(title=None, orient="bottom", symbolStrokeColor=QUIET) if legend else None,
    )
    return (
        alt.Chart(rows)
        .mark_line(color=QUIET, strokeWidth=2)
        .encode(x=along[0], y=along[1], strokeDash=dash, detail="line:N", order="step:Q")
    )
