"""Which class a model gives to every point of a plane: two columns, or the plane in which the classes lie farthest apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..argument_types import check_arguments, is_listed
from ..array_types import Bools, Floats
from ..errors import InputError, InputTypeError, short_text
from ..geometry.regions import ambiguity, axis_range, grid_points
from ..inference.tables import Column, Table
from ..loading import maker
from ..models import FisherDiscriminant, LinearSVC, OneVsOne
from ..notebook import view
from .columns import column_number
from .contributions import finite_spread, first_rows
from .explained_rows import call_model, log_posteriors, open_rows, predict_rows
from .model_views import inside, names_of, remembered, require_fitted

MOST_GRID = 2_000
MOST_ROWS = 2_000
"""Rows kept as points of the plane."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Regions:
    """Labels on a grid of a plane.

    Attributes
    ----------
    axes : names of the two axes
    x, y : (m,) values along them
    labels : (m, m) array, labels[i, j] at (x[j], y[i])
    ambiguity : (m, m), positive where a point is ambiguous
        Where the model's machines contradict each other, if it can tell (`model.ambiguous`); else where the two largest posteriors
        differ by less than 0.2.
    rows : (m, m, p) the rows that were classified
    held : {column: value} of the columns that are the same everywhere
    classes : labels of the model
    scores : (m, m, K) what the labels are the largest of; None where they follow from something else, such as costs
    margin : half the width of the margin in units of the score, where the model has one (a support vector machine: 1)
    points, truth : (n, 2) rows of X in this plane, and their labels; None without
    rows_in_all : number of rows of X, of which at most 2,000 are points
    """

    axes: tuple[str, str]
    x: Floats
    y: Floats
    labels: NDArray[Any]
    ambiguity: Floats
    rows: Floats
    held: dict[str, float]
    classes: list[Any]
    scores: Floats | None = None
    margin: float | None = None
    points: Floats | None = None
    truth: NDArray[Any] | None = None
    rows_in_all: int = 0

    @property
    def ambiguous(self) -> Bools:
        """(m, m) whether each point is ambiguous."""
        return np.asarray(self.ambiguity > 0)

    def chart(self, title: str | None = None) -> Any:
        """Return regions, boundaries, margins, ambiguous places and rows as an Altair chart; needs `separatrix[charts]`.

        Parameters
        ----------
        title : text above it, optional
        """
        return maker("charts.decision_regions.regions_chart")(self, title)

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Draw it on axes of matplotlib, new ones by default, and return them.

        Parameters
        ----------
        ax : axes of matplotlib, optional
        style : of the regions, such as alpha=0.4
        """
        return maker("charts.axes.regions")(self, ax, **style)

    @property
    def table(self) -> Table:
        """Share of the grid that each class has, and how much of it is ambiguous."""
        labels = np.unique(self.labels)
        own = [self.labels == label for label in labels]
        columns = (
            Column("class", labels.tolist()),
            Column("share", [part.mean() for part in own], ".3f"),
            Column("ambiguous", [(part & self.ambiguous).mean() for part in own], ".3f"),
        )
        held = ", ".join(f"{name} = {value:.4g}" for name, value in list(self.held.items())[:8])
        held += ", …" if len(self.held) > 8 else ""
        ends = " × ".join(f"{name} {v[0]:.4g} to {v[-1]:.4g}" for name, v in zip(self.axes, (self.x, self.y)))
        return Table(f"Decision regions: {ends}", columns, f"Held: {held}." if held else "")

    def __str__(self) -> str:
        return self.table.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return view(self.table.html)


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """A plane in the space of the rows: x = origin + points @ lift, and points = (x − origin) @ directions.

    Attributes
    ----------
    axes : names
    ends : (low, high) of each axis
    origin : (p,) the row at (0, 0)
    lift, directions : (2, p), (p, 2)
    values : (n, p) rows that were given, or None
    held : {column: value} of the columns that are the same everywhere
    """

    axes: tuple[str, str]
    ends: list[tuple[float, float]]
    origin: Floats
    lift: Floats
    directions: Floats
    values: Floats | None
    held: dict[str, float]


def decision_regions(
    model: Any, X: Any = None, y: Any = None, plane: Sequence[Any] | Literal["fisher"] = (0, 1), names: Sequence[str] = (), grid: int = 100
) -> Regions:
    """Classify a grid of points of a plane.

    Parameters
    ----------
    model : fitted classifier
    X, y : rows and labels, optional
        They give the ranges of the axes, the points drawn, and the Fisher plane where the model has none of its own.
    plane : two columns, or "fisher"
        Two columns: the others are held at the mean row. "fisher": the first two discriminant directions; a point of that plane stands for
        the most likely row that projects to it, x̄ + ΣD z.
    names : of the columns; default: the model's
    grid : points along each axis

    Examples
    --------
    >>> from separatrix import NearestMean
    >>> model = NearestMean().fit([[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 2, 2])
    >>> decision_regions(model, [[3, 2], [5, 2], [1, 4], [3, 6]], grid=3).labels.tolist()
    [[1, 1, 1], [2, 2, 1], [2, 2, 2]]
    """
    require_fitted(model)
    check_arguments(_require_grid, {"grid": grid})
    _require_grid(grid)
    names = names or names_of(model, None if X is None else open_rows(model, X))
    if isinstance(plane, str):
        if plane != "fisher":
            raise InputError(f"regions={plane!r} is not known; use 'fisher' or two columns, such as regions=({names[0]!r}, {names[-1]!r}).")
        found = _fisher_plane(model, X, y)
    else:
        found = _two_columns(model, X, plane, names)
    u, v = (np.linspace(low, high, grid) for low, high in found.ends)
    rows = found.origin + grid_points(u, v) @ found.lift
    labels, shape = predict_rows(model, rows), (grid, grid)
    scores = _scores(model, rows, labels)
    points, truth, n = _points(found, y)
    return Regions(
        axes=found.axes,
        x=u,
        y=v,
        labels=labels.reshape(shape),
        ambiguity=_ambiguity(model, rows).reshape(shape),
        rows=rows.reshape(*shape, -1),
        held=found.held,
        classes=model.classes_.tolist(),
        scores=None if scores is None else scores.reshape(*shape, -1),
        margin=1.0 if isinstance(inside(model), LinearSVC) and len(model.classes_) == 2 else None,
        points=points,
        truth=truth,
        rows_in_all=n,
    )


def _require_grid(grid: int) -> None:
    if not 2 <= grid <= MOST_GRID:
        raise InputError(f"grid={short_text(grid)}: between 2 and {MOST_GRID:,} points along each axis, such as 150.")


def plane_columns(plane: Any, names: Sequence[str]) -> tuple[int, int]:
    """Return the positions of the two columns that a plane names."""
    if not is_listed(plane) or len(plane) != 2:
        raise InputError(f"regions={plane!r} does not name two columns, as a plane needs; write two, or 'fisher'.")
    a, b = (column_number(names, key, "regions") for key in plane)
    if a == b:
        raise InputError(f"regions={plane!r} names one column twice; a plane needs two different ones.")
    return a, b


def row_labels(y: Any, n: int) -> NDArray[Any]:
    """Return the labels of n rows, one for each."""
    labels = np.asarray(y)
    if labels.ndim != 1 or len(labels) < n:
        raise InputError(f"y={short_text(y)} has no label for each of the {n} rows; give one label per row.")
    return labels[:n]


def _two_columns(model: Any, X: Any, plane: Sequence[Any], names: Sequence[str]) -> Plane:
    a, b = plane_columns(plane, names)
    values = None
    if X is None:
        mean, sd = remembered(model)
        if mean is None or sd is None:
            raise InputError(f"{type(model).__name__} does not remember the range of its columns: pass X, as in explain(model, X).")
        ends = [(mean[j] - 3 * sd[j], mean[j] + 3 * sd[j]) for j in (a, b)]
    else:
        source = open_rows(model, X)
        mean = finite_spread(source).mean
        values = first_rows(source, source.n_rows or 100_000)
        ends = [axis_range(values[:, j]) for j in (a, b)]
    directions = np.eye(len(names))[:, [a, b]]
    held = {names[j]: float(mean[j]) for j in range(len(names)) if j not in (a, b)}
    origin = np.array(mean, dtype=np.float64)
    origin[[a, b]] = 0.0
    return Plane((names[a], names[b]), ends, origin, directions.T, directions, values, held)


def _fisher_plane(model: Any, X: Any, y: Any) -> Plane:
    if len(model.classes_) < 3:
        raise InputError("Two classes differ along one Fisher direction, so there is no plane; name two columns: regions=(first, second).")
    if X is None or y is None:
        raise InputError("regions='fisher' needs rows and labels: explain(model, X, y=y, regions='fisher').")
    values = first_rows(source := open_rows(model, X), source.n_rows or 100_000)
    fisher = FisherDiscriminant().fit(values, row_labels(y, len(values)))
    if fisher.scalings_.shape[1] < 2:
        raise InputTypeError("One column gives one Fisher direction, so there is no plane.")
    D, moments = fisher.scalings_[:, :2], fisher.summary_.to("pooled")
    # B D with B = Σ: E[x | D'(x − x̄) = z] within a class, since D'ΣD = I.
    lift = (moments.scatter / (moments.counts.sum() - len(moments.counts))) @ D
    ends = [axis_range(z) for z in ((values - fisher.xbar_) @ D).T]
    return Plane(("Fisher 1", "Fisher 2"), ends, fisher.xbar_, lift.T, D, values, {})


def _points(plane: Plane, y: Any) -> tuple[Floats | None, NDArray[Any] | None, int]:
    """Return rows as points of the plane, their labels, and how many rows there are; of many, some chosen with a fixed seed."""
    if plane.values is None:
        return None, None, 0
    n = len(plane.values)
    kept = np.arange(n) if n <= MOST_ROWS else np.sort(np.random.default_rng(0).choice(n, MOST_ROWS, replace=False))
    points = (plane.values[kept] - plane.origin) @ plane.directions
    return points, None if y is None else row_labels(y, n)[kept], n


def _scores(model: Any, rows: Floats, labels: NDArray[Any]) -> Floats | None:
    """Return what the labels are the largest of, (n, K), or None where they are not the largest of anything known."""
    found = log_posteriors(model, rows)
    if found is None and hasattr(model, "decision_function"):
        found = call_model(model, "decision_function", rows)
        found = np.column_stack([np.zeros(len(rows)), found]) if found.ndim == 1 else found
    classes = model.classes_
    if found is None or found.shape[1] != len(classes) or not (classes[found.argmax(axis=1)] == labels).all():
        return None
    if isinstance(inside(model), OneVsOne):
        return None  # votes: they jump at a boundary, and say nothing of where it lies between two points
    return np.asarray(found, dtype=np.float64)


def _ambiguity(model: Any, rows: Floats) -> Floats:
    if hasattr(model, "ambiguous"):
        return _contradiction(model, rows, call_model(model, "ambiguous", rows))
    logs = log_posteriors(model, rows)
    return np.full(len(rows), -1.0) if logs is None else ambiguity(np.exp(logs))


def _contradiction(model: Any, rows: Floats, ambiguous: Bools) -> Floats:
    """Return how much machines contradict each other, positive where they do: max(−g₁, g₂) of the two largest scores, if that says it."""
    scores = call_model(model, "decision_function", rows) if hasattr(model, "decision_function") else np.empty(0)
    if scores.ndim == 2 and scores.shape[1] > 1:
        top = np.sort(scores, axis=1)
        found: Floats = np.maximum(-top[:, -1], top[:, -2])
        if ((found > 0) == ambiguous).all():
            return found
    return np.where(ambiguous, 1.0, -1.0)
