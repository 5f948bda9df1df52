"""Which class a model gives to every point of a plane: two columns, or the plane in which the classes lie farthest apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..argument_types import is_listed
from ..array_types import Bools, Floats
from ..errors import InputError, InputTypeError
from ..inference.tables import Column, Table
from ..models import FisherDiscriminant
from .columns import column_number
from .contributions import finite_spread, first_rows
from .explained_rows import call_model, log_posteriors, open_rows, predict_rows
from .model_views import remembered

CLOSE = 0.2
"""A point is ambiguous where its two largest posteriors differ by less than this."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Regions:
    """Labels on a grid of a plane.

    Attributes
    ----------
    axes : names of the two axes
    x, y : (m,) values along them
    labels : (m, m) array, labels[i, j] at (x[j], y[i])
    ambiguous : (m, m) bool
        Where the model's machines contradict each other, if it can tell (`model.ambiguous`); else where the two largest posteriors
        differ by less than 0.2.
    rows : (m, m, p) the rows that were classified
    held : {column: value} of the columns that are the same everywhere
    """

    axes: tuple[str, str]
    x: Floats
    y: Floats
    labels: NDArray[Any]
    ambiguous: Bools
    rows: Floats
    held: dict[str, float]

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


def decision_regions(
    model: Any, X: Any = None, y: Any = None, plane: Sequence[Any] | Literal["fisher"] = (0, 1), names: Sequence[str] = (), grid: int = 100
) -> Regions:
    """Classify a grid of points of a plane.

    Parameters
    ----------
    model : fitted classifier
    X, y : rows and labels, optional
        They give the ranges of the axes, and the Fisher plane where the model has none of its own.
    plane : two columns, or "fisher"
        Two columns: the others are held at the mean row. "fisher": the first two discriminant directions; a point of that plane stands for
        the most likely row that projects to it, x̄ + ΣD z.
    names : of the columns
    grid : points along each axis
    """
    check_is_fitted(model)
    if grid < 2:
        raise InputError(f"grid={grid!r}: at least 2 points along each axis are needed.")
    if isinstance(plane, str):
        if plane != "fisher":
            raise InputError(f"regions={plane!r} is not known; use 'fisher' or two columns, such as regions=({names[0]!r}, {names[-1]!r}).")
        axes, ends, back, held = _fisher_plane(model, X, y)
    else:
        axes, ends, back, held = _two_columns(model, X, plane, names)
    u, v = (np.linspace(low, high, grid) for low, high in ends)
    points = np.stack(np.meshgrid(u, v), axis=-1).reshape(-1, 2)
    rows = back(points)
    labels = predict_rows(model, rows)
    return Regions(axes, u, v, labels.reshape(grid, grid), _ambiguous(model, rows).reshape(grid, grid), rows.reshape(grid, grid, -1), held)


def _two_columns(model: Any, X: Any, plane: Sequence[Any], names: Sequence[str]) -> Any:
    if not is_listed(plane) or len(plane) != 2:
        raise InputError(f"regions={plane!r} does not name two columns, as a plane needs; write two, or 'fisher'.")
    a, b = (column_number(names, key, "regions") for key in plane)
    if a == b:
        raise InputError(f"regions={plane!r} names one column twice; a plane needs two different ones.")
    if X is None:
        mean, sd = remembered(model)
        if mean is None or sd is None:
            raise InputError(f"{type(model).__name__} does not remember the range of its columns: pass X, as in explain(model, X).")
        ends = [(mean[j] - 3 * sd[j], mean[j] + 3 * sd[j]) for j in (a, b)]
    else:
        source = open_rows(model, X)
        mean = finite_spread(source).mean
        values = first_rows(source, source.n_rows or 100_000)
        ends = [_range(values[:, j]) for j in (a, b)]

    def back(points: Floats) -> Floats:
        rows = np.tile(mean, (len(points), 1))
        rows[:, [a, b]] = points
        return rows

    held = {names[j]: float(mean[j]) for j in range(len(names)) if j not in (a, b)}
    return (names[a], names[b]), ends, back, held


def _fisher_plane(model: Any, X: Any, y: Any) -> Any:
    if len(model.classes_) < 3:
        raise InputError("Two classes differ along one Fisher direction, so there is no plane; name two columns: regions=(first, second).")
    if X is None or y is None:
        raise InputError("regions='fisher' needs rows and labels: explain(model, X, y=y, regions='fisher').")
    values = first_rows(source := open_rows(model, X), source.n_rows or 100_000)
    fisher = FisherDiscriminant().fit(values, np.asarray(y)[: len(values)])
    if fisher.scalings_.shape[1] < 2:
        raise InputTypeError("One column gives one Fisher direction, so there is no plane.")
    D, moments = fisher.scalings_[:, :2], fisher.summary_.to("pooled")
    # B D with B = Σ: E[x | D'(x − x̄) = z] within a class, since D'ΣD = I.
    lift = (moments.scatter / (moments.counts.sum() - len(moments.counts))) @ D
    ends = [_range(z) for z in ((values - fisher.xbar_) @ D).T]
    return ("Fisher 1", "Fisher 2"), ends, lambda points: fisher.xbar_ + points @ lift.T, {}


def _range(values: Floats) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    margin = 0.05 * (high - low) or 0.5
    return low - margin, high + margin


def _ambiguous(model: Any, rows: Floats) -> Bools:
    if hasattr(model, "ambiguous"):
        return call_model(model, "ambiguous", rows)
    logs = log_posteriors(model, rows)
    if logs is None:
        return np.zeros(len(rows), dtype=bool)
    top = np.sort(np.exp(logs), axis=1)
    return np.asarray(top[:, -1] - top[:, -2] < CLOSE)
