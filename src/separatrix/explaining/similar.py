"""The training rows that a model holds to be most like a given one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..abilities import abilities_of
from ..array_types import Floats, Indices
from ..data import Block, Source
from ..data.labels import Labels
from ..errors import InputError
from ..inference.tables import Column, Table
from .explained_rows import predict_rows, take
from .model_views import inside


def similar_rows(model: Any, x: Floats, code: int, source: Source, labels: Labels | None, sd: Floats, n: int, called: Any = None) -> Table:
    """Return the n rows of a source nearest to x, in the metric of the model where it has one, or in standard deviations.

    Parameters
    ----------
    model : fitted classifier
    x : (p,)
    code : class predicted for x
    source, labels : reference rows, and their labels if known
    sd : (p,) standard deviations of the reference rows
    n : int
    called : labels of the reference rows, if they have any
    """
    if n < 1:
        raise InputError(f"neighbours={n!r}: at least one is needed.")
    metric, name = _metric(model, code, sd)
    distances = np.concatenate(list(source.map(lambda block: _distances(block, x, metric))))
    nearest = np.argsort(distances, kind="stable")[:n]
    rows = np.stack([take(source, int(i)) for i in nearest])
    columns = [*row_columns(called, nearest), Column("distance", distances[nearest], ".4g")]
    if labels is not None:
        columns.append(Column("class", [labels.classes[labels.codes(int(i), int(i) + 1)[0]] for i in nearest]))
    columns.append(Column("predicted", predict_rows(model, rows).tolist()))
    return Table("Reference rows most like this one", tuple(columns), f"Distances {name}.")


def row_columns(called: Any, rows: Indices) -> list[Column]:
    """Return the positions of rows, with their labels where they have any."""
    return [Column("row", rows.tolist(), "d"), *([] if called is None else [Column("label", [called[int(i)] for i in rows])])]


def _metric(model: Any, code: int, sd: Floats) -> tuple[Floats, str]:
    similarity = abilities_of(inside(model)).similarity
    declared = similarity.metric(code) if similarity else None
    if declared is None:
        return np.where(sd > 0, 1.0 / np.where(sd > 0, sd, 1.0), 0.0), "in standard deviations of each column"
    if declared.ndim == 1:
        return declared, "in the model's own units of each column"
    return declared, "of Mahalanobis, in the model's own covariance"


def _distances(block: Block, x: Floats, metric: Floats) -> Floats:
    away = np.asarray(block.dense(), dtype=np.float64) - x
    away[np.isnan(away)] = 0.0  # a value that is missing is no difference
    distances: Floats = np.linalg.norm(away * metric if metric.ndim == 1 else away @ metric, axis=1)
    return distances
