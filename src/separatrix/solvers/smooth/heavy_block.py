"""The exact Hessian of the coefficients that curve the loss most: what a diagonal preconditioner leaves of it to conjugate gradients.

Where columns are in units far apart, or hardly a penalty is given and the rows can be separated, a diagonal says little: thousands of
products for a direction. Few coefficients are the cause, those whose own curvature is far above λ; near a minimum that separates rows
they are a fraction of all. Their Hessian is factored and used until a direction costs more than another factor:

    H_B = λ + (1/S) Σ_i s_i D_i ⊗ x_i x_i'    on pairs (column, score),    M⁻¹ = H_B⁻¹ on these pairs, the inverse diagonal on others.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.linalg import lapack

from ...array_types import Floats, Indices
from ..products import ADDED, MEETING, scaled_gram
from ..sparse.class_pairs import rests
from .system import Point, System

SIZES = (250, 500, 1_000, 1_500, 2_000)
"""Numbers of pairs that are tried: a factor of the last takes .1 s, and leaves the cache of no machine much colder than products do."""
LIVE = 0.1
"""Curvature of a coefficient, in units of λ, from which on it is worth a place."""
PRODUCT, FACTOR, SOLVE = 2e-9, 1.8e-11, 1.5e-9
"""Seconds, measured: of a product for a stored value and score, of a factor for m³, of a solution for m²."""
FEWER = 10.0
"""How many times fewer products a direction may need with a block."""
RIDGE = 1e-12
"""Added to the unit diagonal of H_B, for columns that determine each other; a hundred times as much where that is not enough."""


@dataclass(frozen=True, slots=True, eq=False)
class HeavyBlock:
    """The factor of H_B.

    Attributes
    ----------
    pairs : (m,) places in W.ravel(), W (p, R), score by score
    units : (m,) √diagonal
    factor : (m, m) lower Cholesky factor in these units
    """

    pairs: Indices
    units: Floats
    factor: Floats

    def solve(self, r: Floats) -> Floats:
        """Return H_B⁻¹r (m,) for r (p, R)."""
        return np.asarray(lapack.dpotrs(self.factor, r.ravel()[self.pairs] / self.units, lower=1)[0] / self.units)


def cost_of_products(system: System, count: int) -> float:
    """Return about how many seconds so many products take, each with a solution of the block there is."""
    m = 0 if system.block is None else len(system.block.pairs)
    seconds: float = count * (PRODUCT * system.products.X.nnz * system.problem.n_scores + SOLVE * m**2)
    return seconds


def worth(system: System, curvature: Floats, spent: float) -> Indices | None:
    """Return the pairs whose block costs no more than the last direction, given their curvature (p, R) in units of λ; None if none does."""
    live = int(np.count_nonzero(curvature > LIVE))
    last = 0 if system.block is None else len(system.block.pairs)
    order = np.argsort(-curvature, axis=None, kind="stable")[: SIZES[-1]]
    for size in reversed(SIZES):
        m = min(size, live)
        if m < SIZES[0]:
            return None
        pairs = order[:m]
        # A direction with the block needs a fraction of the products, each with a solution.
        each = PRODUCT * system.products.X.nnz * system.problem.n_scores
        if m <= last or _cost(system, pairs) + spent / FEWER * (1.0 + SOLVE * m**2 / each) <= spent:
            return np.asarray(pairs[np.lexsort((pairs, pairs % curvature.shape[1]))])
    return None


def _cost(system: System, pairs: Indices) -> float:
    n, m = system.products.shape[0], len(pairs)
    seconds: float = FACTOR * m**3 + min(MEETING * float(np.square(_meetings(system, pairs)).sum()), ADDED * n * m**2)
    return seconds


def _meetings(system: System, pairs: Indices) -> Indices:
    """Return how many of the pairs each row (n,) has a value for."""
    weight = np.bincount(pairs // system.problem.n_scores, minlength=system.products.shape[1])
    X = system.products.X
    met: Indices = np.add.reduceat(np.append(weight[X.indices], 0), X.indptr[:-1]) * (np.diff(X.indptr) > 0)
    return met


def factored(system: System, point: Point, pairs: Indices) -> HeavyBlock:
    """Return the factor of H_B at a point."""
    ridge, info = RIDGE, 1
    while info != 0:
        H = hessian(system, point, pairs)
        units = np.sqrt(np.einsum("aa->a", H))
        H /= units
        H /= units[:, None]
        H.ravel()[:: len(H) + 1] += ridge
        # The transpose of a symmetric matrix is in the order LAPACK wants: it is factored in place.
        factor, info = lapack.dpotrf(H.T, lower=1, overwrite_a=1)
        ridge *= 100.0
    return HeavyBlock(pairs, units, factor)


def hessian(system: System, point: Point, pairs: Indices) -> Floats:
    """Return H_B (m, m) at a point, for pairs score by score."""
    P, R = point.P, point.P.shape[1]
    columns, scores = np.divmod(pairs, R)
    share = (np.ones(len(P)) if system.weight.size == 0 else system.weight) / system.problem.total
    T = system.products.transposed
    H = np.negative(scaled_gram(T[columns], np.sqrt(share) * P.T, scores)) if R > 1 else np.empty((len(pairs), len(pairs)))
    bent = share[:, None] * P * (1.0 - P if R == 1 else rests(P.T).T)
    for a, b in pairwise(np.searchsorted(scores, np.arange(R + 1))):
        if a < b:
            H[a:b, a:b] = scaled_gram(T[columns[a:b]], np.sqrt(bent.T), scores[a:b])
    np.einsum("aa->a", H)[:] += system.ridge
    return H
