"""The exact Hessian of each class's own coefficients, for dense rows on which a diagonal leaves conjugate gradients thousands of products.

    H_k = λ + (1/S) Σ_i s_i p_ik (1 − p_ik) x_i x_i'    for every score k,    M⁻¹ = diag(H_k⁻¹)

What classes share is left to conjugate gradients, which then need some dozens of products. Blocks are p × p where the whole Hessian would
be Rp × Rp; they serve until a direction costs more than new ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import lapack

from ...array_types import Floats, Indices
from ..products import ADDED
from .heavy_block import FACTOR
from .system import Point, System

ROOM = 10_000_000
"""Numbers of all blocks, 80 MB, up to which they are formed."""
PRODUCT = 6e-10
"""Seconds, measured, of a product for a value of dense rows and a score."""
DEARER = 4.0
"""Times their price that the last direction must have cost: soon after, it is worth nothing."""
RIDGE = 1e-13
"""Added to the unit diagonal of a block, for columns that determine each other; a hundred times as much where that is not enough."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassBlocks:
    """The factors of the blocks.

    Attributes
    ----------
    pairs : (pR,) places in W.ravel(), W (p, R): all
    units : (p, R) √diagonals
    factors : R lower Cholesky factors (p, p) in these units
    """

    pairs: Indices
    units: Floats
    factors: tuple[Floats, ...]

    @classmethod
    def at(cls, system: System, point: Point) -> Self:
        """Return the blocks at a point."""
        P, R = point.P, point.P.shape[1]
        share = (np.ones(len(P)) if system.weight.size == 0 else system.weight) / system.problem.total
        top = P.argmax(axis=1)

        def bent(k: int) -> Floats:
            rest, likeliest = 1.0 - P[:, k], np.flatnonzero(top == k)
            if R > 1:  # to full relative precision; class by class, for all are as many as the scores
                others = P[likeliest]
                others[:, k] = 0.0
                rest[likeliest] = others.sum(axis=1)
            return np.asarray(share * P[:, k] * rest)

        return cls.of((system.products.gram(bent(k)) for k in range(R)), system.ridge)

    @classmethod
    def of(cls, matrices: Iterable[Floats], ridge: float) -> Self:
        """Return the blocks of matrices (p, p), one for each score, with λ on their diagonals; they are overwritten."""
        units, factors = [], []
        for H in matrices:
            H.ravel()[:: len(H) + 1] += ridge
            diagonal = np.einsum("aa->a", H)
            units.append(np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0)))
            factors.append(_factor(H, units[-1]))
        return cls(np.arange(len(units) * len(units[0])), np.column_stack(units), tuple(factors))

    def solve(self, r: Floats) -> Floats:
        """Return M⁻¹r (pR,) for r (p, R); one block serves any number of scores."""
        scaled = r / self.units
        if len(self.factors) == 1:
            scaled = np.asarray(lapack.dpotrs(self.factors[0], scaled, lower=1)[0])
        else:
            for k, factor in enumerate(self.factors):
                scaled[:, k] = lapack.dpotrs(factor, scaled[:, k], lower=1)[0]
        scaled = scaled / self.units
        return scaled.ravel()


def worth(system: System, products: int) -> bool:
    """Whether blocks have room, and cost less than the last direction of so many products."""
    (n, p), R = system.products.shape, system.problem.n_scores
    each = PRODUCT * n * p * R
    return bool(R * p * p <= ROOM and each * products > DEARER * R * (ADDED * n * p**2 + FACTOR * p**3))


def _factor(H: Floats, units: Floats) -> Floats:
    """Return the lower factor of H in units of its diagonal; H is overwritten."""
    H /= units
    H /= units[:, None]
    ridge, info, factor = 0.0, 1, H
    while info != 0:
        # The transpose of a symmetric matrix is in the order LAPACK wants.
        factor, info = lapack.dpotrf(H.T, lower=1, clean=0)
        ridge = 100.0 * ridge if ridge else RIDGE
        H.ravel()[:: len(H) + 1] += ridge
    return factor
