"""Classes as normal distributions of two columns: means, covariances, and the boundary they imply beside the true one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..argument_types import as_numbers
from ..array_types import Floats
from ..errors import InputError
from ..geometry.regions import gaussian_scores, grid_points, leads, level_lines
from ..inference.tables import Column, Table
from ..loading import maker
from ..models import LinearDiscriminantAnalysis
from ..notebook import view
from ..summaries import ClassMoments
from .contributions import first_rows
from .explained_rows import open_rows
from .model_views import inside, names_of
from .regions import Regions, decision_regions, plane_columns, row_labels


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClassEllipses:
    """Means and covariances of the classes in two columns, with the boundary of a model.

    Attributes
    ----------
    regions : Regions of the model in these columns
    means, covariances : (K, 2), (K, 2, 2) estimated from the rows; one covariance for all classes where the model has one
    shared : whether it has
    truth : (means, covariances, priors) that the rows were drawn from, or None
    true_boundary : lines (m, 2) of the boundary that the truth implies; empty without
    """

    regions: Regions
    means: Floats
    covariances: Floats
    shared: bool
    truth: tuple[Floats, Floats, Floats] | None
    true_boundary: tuple[Floats, ...]

    @property
    def table(self) -> Table:
        """Means, standard deviations and correlation of each class."""
        sd = np.sqrt(np.einsum("kii->ki", self.covariances))
        a, b = self.regions.axes
        columns = (
            Column("class", self.regions.classes),
            Column(f"mean {a}", self.means[:, 0], ".4g"),
            Column(f"mean {b} ", self.means[:, 1], ".4g"),
            Column(f"std. dev. {a}", sd[:, 0], ".4g"),
            Column(f"std. dev. {b} ", sd[:, 1], ".4g"),
            Column("correlation", self.covariances[:, 0, 1] / (sd[:, 0] * sd[:, 1]), ".3f"),
        )
        return Table("Classes in two columns", columns, "One covariance for all classes." if self.shared else "")

    def chart(self, share: float = 0.9, title: str | None = None) -> Any:
        """Return ellipses, boundaries and rows as an Altair chart; needs `separatrix[charts]`.

        Parameters
        ----------
        share : of each class that its ellipse holds
        title : text above it, optional
        """
        return maker("charts.class_ellipses.ellipses_chart")(self, share, title)

    def __str__(self) -> str:
        return self.table.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return view(self.table.html)


def class_ellipses(model: Any, X: Any, y: Any, plane: Sequence[Any] = (0, 1), truth: Any = None, grid: int = 150) -> ClassEllipses:
    """Describe the classes in two columns by means and covariances, beside the boundary of a model and the true one.

    Parameters
    ----------
    model : fitted classifier; linear discriminant analysis has one covariance for all classes
    X, y : rows and labels
    plane : two columns, by name or number
    truth : (means, covariances) or (means, covariances, priors), optional
        What the rows were drawn from: (K, 2), (K, 2, 2) or (2, 2) for all, and (K,), equal by default.
    grid : points along each axis

    Examples
    --------
    >>> from separatrix import LinearDiscriminantAnalysis
    >>> X, y = [[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 2, 2]
    >>> class_ellipses(LinearDiscriminantAnalysis().fit(X, y), X, y).means.tolist()
    [[4.0, 2.0], [2.0, 5.0]]
    """
    found = decision_regions(model, X, y, plane, grid=grid)
    source = open_rows(model, X)
    a, b = plane_columns(plane, names_of(model, source))
    rows = first_rows(source, source.n_rows or 100_000)[:, [a, b]]
    moments = ClassMoments.from_data(rows, row_labels(y, len(rows)))
    shared = isinstance(inside(model), LinearDiscriminantAnalysis)
    known = None if truth is None else _truth(truth, len(found.classes))
    lines: tuple[Floats, ...] = ()
    if known is not None:
        scores = gaussian_scores(grid_points(found.x, found.y), *known).reshape(len(found.y), len(found.x), -1)
        ahead = leads(scores)
        lines = tuple(line for k in range(len(found.classes) - 1) for line in level_lines(found.x, found.y, ahead[..., k]))
    return ClassEllipses(found, moments.means, _covariances(moments, shared), shared, known, lines)


def _covariances(moments: ClassMoments, shared: bool) -> Floats:
    K, n = len(moments.counts), moments.counts
    if shared:
        pooled = moments.scatter.sum(axis=0) / max(float(n.sum()) - K, 1.0)
        return np.repeat(pooled[None], K, axis=0)
    return np.asarray(moments.scatter / np.maximum(n - 1.0, 1.0)[:, None, None])


def _truth(truth: Any, K: int) -> tuple[Floats, Floats, Floats]:
    if not isinstance(truth, tuple | list) or len(truth) not in (2, 3):
        raise InputError("truth must be (means, covariances) or (means, covariances, priors).")
    means, covariances = (as_numbers("truth", part, "give numbers.") for part in truth[:2])
    priors = np.full(K, 1.0 / K) if len(truth) == 2 else as_numbers("truth", truth[2], "give one prior for each class.")
    covariances = np.repeat(covariances[None], K, axis=0) if covariances.ndim == 2 else covariances
    if means.shape != (K, 2) or covariances.shape != (K, 2, 2) or priors.shape != (K,):
        raise InputError(
            f"truth needs means ({K}, 2), covariances ({K}, 2, 2) or (2, 2), and priors ({K},); got {means.shape}, "
            f"{covariances.shape}, {priors.shape}."
        )
    return means, covariances, priors
