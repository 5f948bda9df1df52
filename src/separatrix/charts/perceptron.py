"""The path of a perceptron: its boundary after each update, with a slider."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..argument_types import as_numbers, check_arguments
from ..array_types import Floats
from ..errors import InputError, InputTypeError, short_text
from ..explaining.model_views import names_of, require_fitted
from ..explaining.regions import plane_columns, row_labels
from ..geometry import Hyperplane
from ..geometry.regions import axis_range, line_in_box
from ..models.online_perceptron import OnlinePerceptron
from .grammar import Layers, alt, data, layered
from .palette import QUIET, SECOND, colours, shapes
from .sampling import rows_drawn, sampled
from .text import distinct_plain, plain

MOST_UPDATES = 200


def perceptron_path(model: Any, X: Any, y: Any, plane: Sequence[Any] = (0, 1), title: str | None = None) -> Layers:
    """Return the boundary of a perceptron after each update, with a slider over the updates and the row that caused each.

    Parameters
    ----------
    model : Perceptron of two classes, fitted with trace=True
    X, y : the rows and labels it was fitted on, in the same order
    plane : two columns, by name or number; the others are held at the mean row
    title : text above it, optional

    Examples
    --------
    >>> from separatrix import Perceptron
    >>> X, y = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], [-1, 1, 1, -1, -1, 1]
    >>> model = Perceptron(fit_intercept=False, shuffle=False, trace=True).fit(X, y)
    >>> perceptron_path(model, X, y).to_dict()["params"][0]["bind"]["max"]
    3
    """
    check_arguments(perceptron_path, locals())
    if not isinstance(model, OnlinePerceptron):
        raise InputTypeError(f"model={short_text(model)} is no perceptron; fit Perceptron(trace=True) and pass it.")
    require_fitted(model)
    if len(model.classes_) != 2:
        raise InputError(f"The path of a perceptron is drawn for two classes; this one has {len(model.classes_)}.")
    coefs, intercepts = model.replay(X)
    history = model.history_
    rows = as_numbers("X", X, "give rows of numbers.")
    names = names_of(model, None)
    a, b = plane_columns(plane, names)
    mean = rows.mean(axis=0)
    mean[[a, b]] = 0.0
    W, w0 = coefs[:, 0, :][:, [a, b]], intercepts[:, 0] + coefs[:, 0, :] @ mean
    points, labels = rows[:, [a, b]], row_labels(y, len(rows))
    shown = np.unique(np.linspace(0, len(W) - 1, min(len(W), MOST_UPDATES + 1)).round().astype(int))
    box = axis_range(points[:, 0]), axis_range(points[:, 1])
    along = tuple(
        kind(f"{field}:Q", title=plain(names[j], 40), scale=alt.Scale(domain=list(ends), nice=False, zero=False))
        for kind, field, j, ends in zip((alt.X, alt.Y), "xy", (a, b), box)
    )
    step = alt.param(name="update", value=int(len(W) - 1), bind=alt.binding_range(min=0, max=int(len(W) - 1), step=1, name="after update "))
    layers = [
        _points(points, labels, model.classes_.tolist(), along),
        _boundaries(W, w0, shown, box, along),
        _causes(points, history, shown, along),
    ]
    caption = f"{rows_drawn(min(len(points), 2000), len(points))} {len(W) - 1:,} updates"
    caption += f", {len(shown):,} of the boundaries between them drawn." if len(shown) < len(W) else ", all drawn."
    caption += " Circled: the row that caused the update."
    found: Layers = layered(layers, title or "The path of a perceptron", caption, width=380, height=320).add_params(step)
    return found


def _boundaries(W: Floats, w0: Floats, shown: Any, box: tuple[tuple[float, float], tuple[float, float]], along: Any) -> alt.Chart:
    parts: dict[str, list[float]] = {"x": [], "y": [], "step": [], "until": []}
    for k, t in enumerate(shown):
        ends = line_in_box(Hyperplane(W[t], w0[t]), *box) if W[t].any() else np.empty((0, 2))
        following = shown[k + 1] if k + 1 < len(shown) else len(W)
        for x, y in ends:
            for name, value in zip(parts, (x, y, t, following)):
                parts[name].append(float(value))
    now = "datum.step <= update && update < datum.until"
    return (
        alt.Chart(data(**parts))
        .mark_line(clip=True)
        .encode(
            x=along[0],
            y=along[1],
            detail="step:N",
            opacity=alt.condition(now, alt.value(1.0), alt.value(0.1)),
            color=alt.condition(now, alt.value(SECOND), alt.value(QUIET)),
            tooltip=alt.Tooltip("step:Q", title="after update"),
        )
    )


def _causes(points: Floats, history: Any, shown: Any, along: Any) -> alt.Chart:
    steps = [int(t) for t in shown if t > 0]
    at = points[[int(history["row"][t - 1]) for t in steps]] if steps else np.empty((0, 2))
    rows = data(x=at[:, 0], y=at[:, 1], step=steps, row=[int(history["row"][t - 1]) for t in steps])
    return (
        alt.Chart(rows)
        .mark_point(size=180, filled=False, strokeWidth=2, color=SECOND)
        .encode(x=along[0], y=along[1], opacity=alt.condition("datum.step == update", alt.value(1.0), alt.value(0.0)))
    )


def _points(points: Floats, labels: Any, classes: list[Any], along: Any) -> alt.Chart:
    drawn = sampled(len(points))
    names = distinct_plain(classes)
    known = dict(zip(classes, names))
    rows = data(
        x=points[drawn, 0],
        y=points[drawn, 1],
        row=drawn.tolist(),
        label=[known.get(label, plain(label)) for label in labels[drawn].tolist()],
    )
    legend = alt.Legend(title="class")
    palette = colours(3)
    return (
        alt.Chart(rows)
        .mark_point(size=48, opacity=0.9)
        .encode(
            x=along[0],
            y=along[1],
            color=alt.Color("label:N", scale=alt.Scale(domain=names, range=[palette[0], palette[2]]), legend=legend),
            shape=alt.Shape("label:N", scale=alt.Scale(domain=names, range=shapes(2)), legend=legend),
            tooltip=[
                alt.Tooltip("row:Q"),
                alt.Tooltip("label:N", title="class"),
                alt.Tooltip("x:Q", format=".4g"),
                alt.Tooltip("y:Q", format=".4g"),
            ],
        )
    )
