"""Discriminants where columns outnumber rows by far: everything happens in the span of the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ..data import Block, Source
from ..decisions.class_weights import class_factors
from ..solvers.closed_form.discriminant import Discriminant
from ..solvers.closed_form.embedding import embed
from ..solvers.closed_form.shrinkage import ledoit_wolf_alpha, oas_alpha
from ..summaries import ClassMoments
from ..summaries.class_moments import require_memory
from ..thresholds import WIDE

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class WideSolution:
    """Discriminants on the columns, with the means and priors behind them and the shrinkage used."""

    found: Discriminant
    means: Floats
    priors: Floats
    alpha: float


def solve_wide(
    source: Source,
    moments: ClassMoments,
    factors: Floats | None,
    shrinkage: Any,
    solve: Callable[[ClassMoments, float, Floats | None, int, bool], tuple[Discriminant, Floats]],
) -> WideSolution:
    """Embed the rows, solve there with the solver given, and map the directions back to the columns.

    The units of the embedding are those in which the problem is posed: standard deviations within classes for "auto" and "oas",
    the columns as they are for a number, and total standard deviations (the metric of directions without variance) for none.
    """
    n, p = float(moments.counts.sum()), moments.n_features
    within = moments.to_diagonal_sums() / n
    centre = moments.grand_mean
    total = within + np.einsum("kj,k->j", (moments.means - centre) ** 2, moments.counts) / n
    variance = within if isinstance(shrinkage, str) else total if not shrinkage else np.ones(p)
    scale = np.sqrt(np.where(variance > 0, variance, 1.0))
    rows = all_rows(source)
    require_memory((rows.X.shape[0], rows.X.shape[0]))
    embedding = embed(rows.X, centre, scale)
    coordinates = embedded_moments(embedding.coordinates, rows, moments, factors)
    alpha = _alpha(shrinkage, coordinates, embedding.coordinates, rows, factors, p)
    # In the embedding's coordinates all units are equal: a spread of one in every direction keeps its metric.
    found, priors = solve(coordinates, alpha, None, p, False)
    back = embedding.to_columns
    coef, scalings = back(found.coef), back(found.scalings.T).T
    mean = priors @ moments.means
    intercept = found.intercept + found.coef @ found.mean - coef @ mean
    return WideSolution(replace(found, coef=coef, intercept=intercept, scalings=scalings, mean=mean), moments.means, priors, alpha)


def is_wide(n_rows: int, n_features: int) -> bool:
    """Return whether the rows are embedded in their own span.

    Examples
    --------
    >>> is_wide(100, 5_000), is_wide(100, 500)
    (True, False)
    """
    return WIDE.reached(n_features) and n_rows < n_features


def column_moments(source: Source, class_weight: Any) -> tuple[ClassMoments, Floats | None]:
    """Return the class moments of the columns one by one, after class weights, and the factors that these are."""
    moments = source.reduce(ClassMoments.summarise(source.classes, "diagonal"))
    if not moments.is_finite:
        source.refuse_nonfinite()
    factors = class_factors(class_weight, moments.classes, moments.counts)
    return (moments if factors is None else moments.scaled(factors)), factors


def all_rows(source: Source) -> Block:
    """Return all rows of a source in one block."""
    blocks = list(source.blocks())
    X = sp.vstack([b.X for b in blocks], format="csr") if blocks[0].is_sparse else np.vstack([b.X for b in blocks])
    weight = None if blocks[0].weight is None else np.concatenate([b.weight for b in blocks])
    return Block(X.astype(np.float64, copy=False), np.concatenate([b.codes for b in blocks]), weight)


def embedded_moments(Y: Floats, rows: Block, moments: ClassMoments, factors: Floats | None) -> ClassMoments:
    """Return the pooled class moments of the coordinates Y of these rows."""
    kind = "pooled" if factors is None else "full"
    found = ClassMoments.summarise(moments.classes, kind)(Block(Y, rows.codes, rows.weight))  # type: ignore[arg-type]
    return (found if factors is None else found.scaled(factors)).to("pooled")


def _alpha(shrinkage: Any, moments: ClassMoments, Y: Floats, rows: Block, factors: Floats | None, p: int) -> float:
    if not isinstance(shrinkage, str):
        return float(shrinkage or 0.0)
    n = float(moments.counts.sum())
    covariance = moments.scatter / n
    if shrinkage == "oas":
        return oas_alpha(covariance, n, p)
    weight = np.ones(len(Y)) if rows.weight is None else rows.weight
    weight = weight if factors is None else weight * factors[rows.codes]
    norms = np.sum((Y - moments.means[rows.codes]) ** 2, axis=1)
    return ledoit_wolf_alpha(covariance, float(weight @ norms**2), n, p)
