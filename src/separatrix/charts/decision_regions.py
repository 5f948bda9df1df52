"""Which class a model gives to every point of a plane, with boundaries, margins, ambiguous places and rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from scipy.ndimage import uniform_filter

from ..argument_types import check_arguments, is_among
from ..array_types import Floats, Indices
from ..explaining.regions import Regions, decision_regions
from ..geometry.bands import bands
from ..geometry.regions import leads, level_lines
from .grammar import Layers, alt, data, layered
from .palette import QUIET, colours, shapes
from .sampling import rows_drawn
from .text import distinct_plain, plain

GRID = 150


def regions(
    model: Any, X: Any, y: Any = None, plane: Sequence[Any] | Literal["fisher"] = (0, 1), *, grid: int = GRID, title: str | None = None
) -> Layers:
    """Return the decision regions of a fitted model with the rows, in the plane of two columns or of the discriminants.

    Parameters
    ----------
    model : fitted classifier
    X, y : rows, and labels for the colours of their points
    plane : two columns by name or number (the others are held at the mean row), or "fisher"
    grid : points along each axis
    title : text above it, optional

    Examples
    --------
    >>> from separatrix import NearestMean
    >>> X, y = [[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 2, 2]
    >>> len(regions(NearestMean().fit(X, y), X, y, grid=5).to_dict()["layer"])
    3
    """
    found = decision_regions(model, X, y, plane, grid=grid)
    return regions_chart(found, f"Decision regions of {type(model).__name__}" if title is None else title)


def regions_chart(found: Regions, title: str | None = None) -> Layers:
    """Return the chart of regions that were computed: see `regions`."""
    check_arguments(regions_chart, locals())
    names = _names(found)
    scale = alt.Scale(domain=names, range=[*colours(len(found.classes)), *[QUIET] * (len(names) - len(found.classes))])
    x, y = (alt.Axis(title=plain(name, 40)) for name in found.axes)
    ends = [alt.Scale(domain=[float(values[0]), float(values[-1])], nice=False, zero=False) for values in (found.x, found.y)]
    along = alt.X("x:Q", axis=x, scale=ends[0]), alt.Y("y:Q", axis=y, scale=ends[1])
    layers = [_areas(found, names, scale, along)]
    if found.ambiguous.any():
        layers.append(_ambiguous(found, along))
    layers.append(_lines(boundaries(found), along, strokeWidth=1.6))
    if found.margin is not None and found.scores is not None:
        score = found.scores[..., 1] - found.scores[..., 0]
        sides = [line for level in (-found.margin, found.margin) for line in level_lines(found.x, found.y, score, level)]
        layers.append(_lines(sides, along, strokeWidth=1.2, strokeDash=[5, 4]))
    if found.points is not None:
        layers.append(_points(found, names, scale, along))
    return layered(layers, title or "Decision regions", _caption(found), width=380, height=320)


def _names(found: Regions) -> list[str]:
    return distinct_plain(["rejected" if label is None else label for label in shown_labels(found)])


def codes_of(found: Regions) -> Indices:
    """Return the class codes of the grid."""
    return np.asarray(scores_of(found).argmax(axis=-1), dtype=np.intp)


def shown_labels(found: Regions) -> list[Any]:
    """Return the labels of the regions: the classes, and what else a decision gives, such as None for a rejected row."""
    extra = [label for label in dict.fromkeys(found.labels.ravel().tolist()) if not is_among(label, found.classes)]
    return [*found.classes, *extra]


def scores_of(found: Regions) -> Floats:
    """Return what the regions are the largest of: the model's scores, else how much of the neighbourhood has each label.

    The mean over a few neighbours makes a straight line of a boundary that is known only as steps of the grid.
    """
    if found.scores is not None:
        return found.scores
    place = {label: k for k, label in enumerate(shown_labels(found))}
    codes = np.array([place[label] for label in found.labels.ravel().tolist()]).reshape(found.labels.shape)
    own = (codes[..., None] == np.arange(len(place))).astype(np.float64)
    return np.asarray(uniform_filter(own, size=(5, 5, 1), mode="nearest") + 1e-6 * own)


def _areas(found: Regions, names: list[str], scale: alt.Scale, along: tuple[alt.X, alt.Y]) -> alt.Chart:
    parts = bands(found.x, found.y, codes_of(found), scores_of(found))
    rows = data(
        x=np.concatenate([part.left for part in parts]),
        x2=np.concatenate([part.right for part in parts]),
        y=np.concatenate([part.y for part in parts]),
        label=[names[part.code] for part in parts for _ in part.y],
        part=[k for k, part in enumerate(parts) for _ in part.y],
    )
    fill = alt.Fill("label:N", scale=scale, legend=alt.Legend(title="class", symbolOpacity=1))
    return (
        alt.Chart(rows)
        .mark_area(orient="horizontal", opacity=0.22, strokeWidth=0, line=False)
        .encode(x=along[0], x2="x2:Q", y=along[1], fill=fill, detail="part:N", tooltip=alt.Tooltip("label:N", title="predicted here"))
    )


def _ambiguous(found: Regions, along: tuple[alt.X, alt.Y]) -> alt.Chart:
    scores = np.stack([np.zeros_like(found.ambiguity), found.ambiguity], axis=-1)
    parts = [part for part in bands(found.x, found.y, found.ambiguous.astype(np.intp), scores) if part.code]
    rows = data(
        x=np.concatenate([part.left for part in parts]),
        x2=np.concatenate([part.right for part in parts]),
        y=np.concatenate([part.y for part in parts]),
        part=[k for k, part in enumerate(parts) for _ in part.y],
    )
    return (
        alt.Chart(rows)
        .mark_area(orient="horizontal", opacity=0.4, color=QUIET, strokeWidth=0, line=False)
        .encode(x=along[0], x2="x2:Q", y=along[1], detail="part:N", tooltip=alt.value("ambiguous"))
    )


def boundaries(found: Regions) -> list[Floats]:
    """Return the lines (m, 2) between the regions."""
    ahead = leads(scores_of(found))
    return [line for k in range(ahead.shape[-1] - 1) for line in level_lines(found.x, found.y, ahead[..., k])]


def _lines(lines: list[Floats], along: tuple[alt.X, alt.Y], **style: Any) -> alt.Chart:
    points = np.concatenate(lines) if lines else np.empty((0, 2))
    rows = data(x=points[:, 0], y=points[:, 1], line=[k for k, line in enumerate(lines) for _ in line], step=list(range(len(points))))
    return alt.Chart(rows).mark_line(color=QUIET, **style).encode(x=along[0], y=along[1], detail="line:N", order="step:Q")


def _points(found: Regions, names: list[str], scale: alt.Scale, along: tuple[alt.X, alt.Y]) -> alt.Chart:
    assert found.points is not None
    tips = [alt.Tooltip("x:Q", title="across", format=".4g"), alt.Tooltip("y:Q", title="up", format=".4g")]
    x, y = found.points.T
    size = 42 if len(x) <= 300 else 24 if len(x) <= 1000 else 14
    if found.truth is None:
        return (
            alt.Chart(data(x=x, y=y))
            .mark_point(size=size, opacity=0.7, clip=True, color=QUIET)
            .encode(x=along[0], y=along[1], tooltip=tips)
        )
    known = dict(zip(found.classes, names))
    labels = [known.get(label, plain(label)) for label in found.truth.tolist()]
    mark = alt.Shape("label:N", scale=alt.Scale(domain=names, range=shapes(len(names))), legend=alt.Legend(title="class", symbolOpacity=1))
    colour = alt.Color("label:N", scale=scale, legend=alt.Legend(title="class", symbolOpacity=1))
    base = alt.Chart(data(x=x, y=y, label=labels)).mark_point(size=size, opacity=0.85, clip=True)
    return base.encode(x=along[0], y=along[1], color=colour, shape=mark, tooltip=[alt.Tooltip("label:N", title="class"), *tips])


def _caption(found: Regions) -> str:
    said = []
    if found.points is not None:
        said.append(rows_drawn(len(found.points), found.rows_in_all))
    if found.held:
        listed = [f"{plain(name, 24)} = {value:.4g}" for name, value in list(found.held.items())[:3]]
        said.append(f"Held: {', '.join(listed)}{', …' if len(found.held) > 3 else ''}.")
    if found.ambiguous.any():
        said.append("Grey: ambiguous.")
    if found.margin is not None:
        said.append("Dashed: the margins.")
    return " ".join(said)
