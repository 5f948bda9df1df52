"""The rows on one line: how far apart a direction keeps two classes, and where the threshold lies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import gaussian_kde

from ..abilities.additive_scores import LinearScores
from ..argument_types import as_numbers
from ..array_types import Floats
from ..data.labels import Labels
from ..errors import InputError
from ..inference.tables import Column, Table
from ..loading import maker
from ..notebook import view
from .contributions import first_rows
from .explained_rows import open_rows
from .model_views import explainable, require_fitted, view_of

POINTS = 200
MOST_ROWS = 5_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Projection:
    """Rows projected to a line, x'w/‖w‖.

    Attributes
    ----------
    classes : labels
    direction : (p,) of length 1
    threshold : of the projected rows
    values, codes : (n,) projected rows and their class codes; of more than 5,000 rows, so many chosen at random
    at, densities : (200,), (K, 200) kernel densities of the classes times their shares
    separation : (m₁ − m₂)²/(s₁² + s₂²) of the projected rows, s² their scatters: what Fisher's direction makes as large as can be
    rows_in_all : int
    """

    classes: list[Any]
    direction: Floats
    threshold: float
    values: Floats
    codes: NDArray[Any]
    at: Floats
    densities: Floats
    separation: float
    rows_in_all: int

    @property
    def table(self) -> Table:
        """Mean and spread of the classes along the line."""
        own = [self.values[self.codes == k] for k in range(len(self.classes))]
        columns = (
            Column("class", self.classes),
            Column("mean", [values.mean() for values in own], ".4g"),
            Column("std. dev.", [values.std(ddof=1) if len(values) > 1 else np.nan for values in own], ".4g"),
        )
        return Table("Rows on one line", columns, f"Threshold {self.threshold:.4g}; J = {self.separation:.4g}.")

    def chart(self, title: str | None = None) -> Any:
        """Return the densities of the classes, the rows and the threshold as an Altair chart; needs `separatrix[charts]`.

        Parameters
        ----------
        title : text above it, optional
        """
        return maker("charts.projections.projection_chart")(self, title)

    def __str__(self) -> str:
        return self.table.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return view(self.table.html)


def project(model: Any, X: Any, y: Any, direction: Any = None) -> Projection:
    """Project rows of two classes to one line: a model's own direction, or a given one.

    Parameters
    ----------
    model : fitted linear classifier of two classes; None with a direction
    X, y : rows and labels
    direction : (p,), optional
        Default: the model's weights, with its threshold. Of a given one the threshold is half way between the projected means.

    Examples
    --------
    >>> from separatrix import FisherDiscriminant
    >>> X, y = [[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 2, 2]
    >>> found = project(FisherDiscriminant().fit(X, y), X, y)
    >>> round(found.separation, 6), round(project(None, X, y, direction=[-2, 3]).separation, 2)
    (17.0, 16.9)

    References
    ----------
    Fisher (1936), The use of multiple measurements in taxonomic problems, Annals of Eugenics 7.
    """
    labels = Labels.of(y)
    if len(labels.classes) != 2:
        raise InputError(f"A line has room for two classes, and y has {len(labels.classes)}; use plane='fisher' of charts.regions.")
    codes = labels.codes(0, len(labels))
    rows = _rows(model, X)
    if len(rows) != len(codes):
        raise InputError(f"X has {len(rows)} rows and y has {len(codes)} labels; give one label per row.")
    w, threshold = _model_line(model) if direction is None else (_given(direction, rows.shape[1]), None)
    z = rows @ w
    one, two = z[codes == 0], z[codes == 1]
    threshold = float(one.mean() + two.mean()) / 2 if threshold is None else threshold
    scatter = float(((one - one.mean()) ** 2).sum() + ((two - two.mean()) ** 2).sum())
    separation = float(one.mean() - two.mean()) ** 2 / scatter if scatter > 0 else float("inf")
    kept = np.arange(len(z)) if len(z) <= MOST_ROWS else np.sort(np.random.default_rng(0).choice(len(z), MOST_ROWS, replace=False))
    z, codes = z[kept], codes[kept]
    low, high = float(z.min()), float(z.max())
    pad = 0.15 * (high - low) or 1.0
    at = np.linspace(low - pad, high + pad, POINTS)
    densities = np.stack([_density(z[codes == k], at) * np.mean(codes == k) for k in (0, 1)])
    return Projection(labels.classes.tolist(), w, threshold, z, codes, at, densities, separation, len(rows))


def _rows(model: Any, X: Any) -> Floats:
    if model is None:
        rows = as_numbers("X", X, "give rows of numbers.")
        if rows.ndim != 2 or not np.isfinite(rows).all():
            raise InputError(f"X has shape {rows.shape}; finite rows (n, p) are needed.")
        return rows
    require_fitted(model)
    source = open_rows(model, X)
    return first_rows(source, source.n_rows or 100_000)


def _model_line(model: Any) -> tuple[Floats, float]:
    if model is None:
        raise InputError("There is neither a model nor a direction; pass one of the two.")
    view = view_of(explainable(model))
    plane = view.plane(0, 1) if isinstance(view, LinearScores) else None
    if plane is None:
        raise InputError(f"{type(model).__name__} has no direction: its boundary is curved; pass direction= for one of your own.")
    unit = plane.normalized()
    return np.array(unit.w), -unit.w0


def _given(direction: Any, p: int) -> Floats:
    w = as_numbers("direction", direction, f"give {p} numbers.").ravel()
    if len(w) != p or not np.isfinite(w).all() or not w.any():
        raise InputError(f"direction must be {p} finite numbers, not all zero; got {len(w)}.")
    return np.asarray(w / np.linalg.norm(w))


def _density(values: Floats, at: Floats) -> Floats:
    if len(values) < 2 or np.ptp(values) == 0:
        return np.zeros(len(at))  # a spike has no density
    return np.asarray(gaussian_kde(values)(at))
