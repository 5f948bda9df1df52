"""Rows fewer than columns: discriminants solved in the span of the rows, at most n − 1 coordinates from the n × n Gram matrix.

Everything a discriminant can see lies in the span of the centred rows. In an orthonormal basis of that span the rows have
coordinates Y (n, r); distances, scatters and means carry over, and a coefficient vector there maps back to the columns. X is never
centred or made dense.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...array_types import Floats
from ...data import Block, Source
from ...summaries import ClassMoments
from ...summaries.class_moments import require_memory
from .discriminant import Discriminant
from .eigenvectors import eigenvectors
from .shrinkage import ledoit_wolf_alpha, oas_alpha
from .whitening import NULL_VARIANCE, total_spread

TOLERANCE = 1e-12
"""Smallest share of the largest Gram eigenvalue that counts as a direction of the span."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """Coordinates of rows (x − centre)/scale in an orthonormal basis of their span.

    Attributes
    ----------
    coordinates : (n, r)
    values : (r,)
        Σ_i share_i y_i² of each coordinate; the sums of products of different ones are 0.
    rows : (n, p) dense or sparse, as given
    combine : (n, r)
        Basis vector r is Σ_i combine[i, r] (x_i − centre)/scale.
    """

    coordinates: Floats
    values: Floats
    rows: Any
    combine: Floats
    centre: Floats
    scale: Floats

    def to_columns(self, coef: Floats) -> Floats:
        """Map coefficients (K, r) on the coordinates to coefficients (K, p) on x itself."""
        mix = coef @ self.combine.T
        back = (self.rows.T @ (mix.T)).T - mix.sum(axis=1)[:, None] * self.centre
        return np.asarray(back / self.scale**2)

    def basis(self) -> Floats:
        """Return the basis of the span, (p, r), orthonormal in columns divided by the scale."""
        return self.to_columns(np.eye(self.combine.shape[1])).T * self.scale[:, None]


def embed(rows: Any, centre: Floats, scale: Floats, share: Floats | None = None) -> Embedding:
    """Return the embedding of rows, dense or sparse, centred and scaled by columns, along the principal axes of rows weighted by `share`.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0, 1.0], [0.0, 2.0, 1.0]])
    >>> embedding = embed(X, X.mean(axis=0), np.ones(3))
    >>> embedding.coordinates.shape, embedding.to_columns(np.array([[1.0]])).round(12).tolist()
    ((2, 1), [[0.0, -1.0, 0.0]])
    """
    gram = centred_gram(rows, centre, scale)
    root_share = np.ones(len(gram)) if share is None else np.sqrt(share)
    if share is not None:
        gram *= root_share
        gram *= root_share[:, None]
    values, vectors = eigenvectors(gram, overwrite=True)
    kept = values > TOLERANCE * max(values[-1], 0.0)
    root = np.sqrt(values[kept])
    # The sign of an eigenvector is arbitrary; fix it so that the same rows give the same coordinates everywhere.
    del gram
    vectors = vectors[:, kept]
    vectors *= np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(len(root))])
    coordinates = vectors * root
    coordinates /= root_share[:, None]
    vectors *= root_share[:, None]
    vectors /= root
    return Embedding(coordinates, values[kept], rows, vectors, centre, scale)


def centred_gram(rows: Any, centre: Floats, scale: Floats) -> Floats:
    """Return the products (n, n) of rows, dense or sparse, centred and scaled by columns.

    Examples
    --------
    >>> centred_gram(np.array([[0.0, 3.0], [2.0, 3.0]]), np.array([1.0, 3.0]), np.array([0.5, 1.0])).tolist()
    [[4.0, -4.0], [-4.0, 4.0]]
    """
    if sp.issparse(rows):
        scaled = rows.multiply(1.0 / scale).tocsr()
        gram: Floats = np.asarray((scaled @ scaled.T).todense(), dtype=np.float64)
        cross = np.asarray(scaled @ (centre / scale))
        gram += float(np.sum((centre / scale) ** 2)) - cross[:, None] - cross
        return gram
    centred = rows - centre
    if (scale != 1.0).any():
        centred /= scale
    products: Floats = centred @ centred.T
    return products


@dataclass(frozen=True, slots=True)
class WideSolution:
    """Discriminants on the columns, with the means and priors behind them, the shrinkage used, and the directions without variance."""

    found: Discriminant
    means: Floats
    priors: Floats
    alpha: float
    flat: int


def solve_wide(
    rows: Block,
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
    centre, total = total_spread(moments.counts, moments.means, moments.to_diagonal_sums())
    spread = np.sqrt(moments.to_diagonal_sums() / n) if isinstance(shrinkage, str) else total if not shrinkage else np.ones(p)
    scale = np.where(spread > 0, spread, 1.0)
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
    r = embedding.coordinates.shape[1]
    # Outside the span a covariance is what shrinking puts there, or next to nothing.
    level = alpha * found.trace / ((1.0 - alpha) * p + alpha * r)
    outside = level if level > 0 else NULL_VARIANCE
    log_det = found.whitening.log_det + (p - r) * float(np.log(outside)) + 2.0 * float(np.log(scale).sum())
    whitening = replace(found.whitening, log_det=log_det, rank=p if level > 0 else found.whitening.rank)
    found = replace(found, coef=coef, intercept=intercept, scalings=scalings, mean=mean, whitening=whitening)
    return WideSolution(found, moments.means, priors, alpha, p - whitening.rank)


def all_rows(source: Source, copy: bool = True) -> Block:
    """Return all rows of a source in one block, in float64; without `copy` it may share them with the source."""
    blocks = list(source.blocks())
    if len(blocks) == 1 and not copy:
        return replace(blocks[0], X=blocks[0].X.astype(np.float64, copy=False))
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
