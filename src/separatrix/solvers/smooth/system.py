"""f, gradients and products with the Hessian of one problem whose rows are held in memory.

Scores Z = XW + c are kept, so that f along a direction d costs no product once Xd is known. A product with the Hessian is
H V = X'(D ∘ (XV + v_c))/S + λV, D_i = s_i d²ℓ_i/dz². W is stored p × R: the R numbers a stored value of X meets lie side
by side.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...array_types import Floats
from ...summaries.grouped import NO_WEIGHT
from ...thresholds import SUMS
from ..accepted_losses import smooth_loss
from ..problem import Problem
from ..products import Products
from ..sparse.compression import Compression

if TYPE_CHECKING:
    from .class_blocks import ClassBlocks
    from .constant_direction import ConstantDirection
    from .heavy_block import HeavyBlock


SWEEP = 200_000
"""Coefficients that one thread sweeps over in one go."""


@dataclass(slots=True)
class Point:
    """W (p, R) and c (R,), the scores there, f, what products with the curvature are made of (probabilities), and the gradient."""

    W: Floats
    c: Floats
    Z: Floats
    f: float
    P: Floats
    g: Floats
    gc: Floats


class System:
    """f, gradients and Hessian products of one problem."""

    def __init__(self, problem: Problem) -> None:
        rows = problem.rows
        assert rows.codes is not None
        self.loss_function = smooth_loss(problem)
        self.problem, self.codes = problem, rows.codes
        self.weight = NO_WEIGHT if rows.weight is None else rows.weight
        self.compression = Compression.of(rows.X) if rows.is_sparse and problem.n_scores > 1 and problem.strength > 0.0 else None
        self.products = Products(rows, self.compression)
        self.squares = self.products.column_squares(rows.weight) / problem.total
        self.sweeps = [slice(j, j + SWEEP // problem.n_scores) for j in range(0, self.products.shape[1], SWEEP // problem.n_scores)]
        units = problem.in_units(self.squares).units
        assert units is not None
        self.units = units
        self.passes, self.longest, self.is_slow, self.is_exact = 1, 0, False, True
        self.most = sys.maxsize
        self.block: HeavyBlock | ClassBlocks | None = None
        self.spent, self.share, self.flattest, self.last = 0.0, 1.0, 1.0, 0
        self.constant: ConstantDirection | None = None
        self.compiled = rows.is_sparse or SUMS.reached(rows.values)

    @property
    def ridge(self) -> float:
        """λ, or where there is none something far below the square of every column, for preconditioners that must be positive."""
        return self.problem.strength or 1e-12 * float(self.squares.min(initial=1.0, where=self.squares > 0.0))

    def expand(self, W: Floats) -> Floats:
        """Return coefficients of the columns as they were given."""
        return W if self.compression is None else self.compression.expand(W, self.problem.n_features)

    def loss(self, Z: Floats) -> tuple[float, Floats]:
        """Return the mean loss of scores and the residuals."""
        R, loss = Z.copy(), self.loss_function

        def fill(ab: tuple[int, int]) -> float:
            return loss.residuals(R[ab[0] : ab[1]], self.codes[ab[0] : ab[1]], self._part(ab), compiled=self.compiled)

        return float(sum(self.products.run(fill, _cuts(len(R)))) / self.problem.total), R

    def point(self, W: Floats, c: Floats, Z: Floats, loss: float, R: Floats) -> Point:
        """Return everything at W, c from the scores and residuals there: one product."""
        problem = self.problem
        g = np.empty_like(W)
        self.products.penalised(R, 1.0 / problem.total, W, problem.strength, g)
        gc = R.sum(axis=0) / problem.total if problem.fit_intercept else np.zeros(len(c))
        f = loss + 0.5 * problem.strength * float(np.vdot(W, W))
        self.passes += 1
        return Point(W, c, Z, f, self.bend(Z, R), g, gc)

    def bend(self, Z: Floats, R: Floats) -> Floats:
        """Return what products with the curvature are made of (`SmoothLoss.bend`), from scores and residuals."""
        return self.loss_function.bend(Z, R, self.codes, self.weight)

    def curved(self, P: Floats, V: Floats) -> Floats:
        """Return D_i v_i (n, R); V is overwritten."""
        times = self.loss_function.curvature_times
        if P.shape[1] == 1:
            return times(P, self.weight, V)
        self.products.run(lambda ab: times(P[ab[0] : ab[1]], self._part(ab), V[ab[0] : ab[1]]), _cuts(len(V)))
        return V

    def diagonal(self, P: Floats) -> Floats:
        """Return the diagonals of D_i (n, R)."""
        return self.loss_function.curvature_diagonal(P, self.weight)

    def advance(self, alpha: float, p: Floats, Hp: Floats, scale: tuple[Floats, Floats], d: Floats, r: Floats) -> float:
        """Add α p to d, take α Hp from r, and return Σ r²/(1 + a h) for the scales a, h."""
        a, h = scale
        if self.compiled:
            from ...kernels.conjugate import advance

            return float(sum(self.products.run(lambda j: advance(alpha, p[j], Hp[j], a[j], h, d[j], r[j]), self.sweeps)))
        d += alpha * p
        r -= alpha * Hp
        return float((r * r / (1.0 + a * h)).sum())

    def turn(self, beta: float, r: Floats, scale: tuple[Floats, Floats], p: Floats) -> None:
        """Turn p into r/(1 + a h) + β p for the scales a, h."""
        a, h = scale
        if self.compiled:
            from ...kernels.conjugate import turn

            self.products.run(lambda j: turn(beta, r[j], a[j], h, p[j]), self.sweeps)
            return
        p *= beta
        p += r / (1.0 + a * h)

    def _part(self, ab: tuple[int, int]) -> Floats:
        return self.weight if self.weight.size == 0 else self.weight[ab[0] : ab[1]]


def _cuts(n: int) -> list[tuple[int, int]]:
    return [(a, min(a + 4096, n)) for a in range(0, n, 4096)]
