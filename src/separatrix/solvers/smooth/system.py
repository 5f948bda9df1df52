"""f, gradients and products with the Hessian of one problem whose rows are held in memory.

Scores Z = XW + c are kept, so that f along a direction d costs no product once Xd is known. A product with the Hessian is
H V = X'(D ∘ (XV + v_c))/S + λV, D_i = s_i (diag(p_i) − p_i p_i'). W is stored p × R: the R numbers a stored value of X meets lie side
by side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...summaries.grouped import NO_WEIGHT
from ..problem import Problem
from ..products import Products
from ..sparse.compression import Compression

if TYPE_CHECKING:
    from .heavy_block import HeavyBlock

Floats = NDArray[np.float64]

SWEEP = 200_000
"""Coefficients that one thread sweeps over in one go."""


@dataclass(slots=True)
class Point:
    """W (p, R) and c (R,), the scores there, f, residuals s_i dℓ_i/dz_i (n, R), probabilities and the gradient."""

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
        self.block: HeavyBlock | None = None
        self.spent = 0.0

    @property
    def ridge(self) -> float:
        """λ, or where there is none something far below the square of every column, for preconditioners that must be positive."""
        return self.problem.strength or 1e-12 * float(self.squares.min(initial=1.0, where=self.squares > 0.0))

    def expand(self, W: Floats) -> Floats:
        """Return coefficients of the columns as they were given."""
        return W if self.compression is None else self.compression.expand(W, self.problem.n_features)

    def loss(self, Z: Floats) -> tuple[float, Floats]:
        """Return the mean loss of scores and the residuals."""
        from ...kernels import logistic, softmax

        R = Z.copy()
        kernel = logistic.residuals if R.shape[1] == 1 else softmax.residuals
        cuts = _cuts(len(R))
        losses = self.products.run(lambda ab: kernel(R[ab[0] : ab[1]], self.codes[ab[0] : ab[1]], self._part(ab)), cuts)
        return float(sum(losses) / self.problem.total), R

    def point(self, W: Floats, c: Floats, Z: Floats, loss: float, R: Floats) -> Point:
        """Return everything at W, c from the scores and residuals there: one product."""
        problem = self.problem
        g = np.empty_like(W)
        self.products.penalised(R, 1.0 / problem.total, W, problem.strength, g)
        gc = R.sum(axis=0) / problem.total if problem.fit_intercept else np.zeros(len(c))
        f = loss + 0.5 * problem.strength * float(np.vdot(W, W))
        self.passes += 1
        return Point(W, c, Z, f, self.probabilities(R), g, gc)

    def probabilities(self, R: Floats) -> Floats:
        """Return p_i (n, R) from the residuals s_i (p_i − e_y)."""
        s = self.weight
        P = R if s.size == 0 else np.divide(R, s[:, None], out=np.zeros_like(R), where=s[:, None] > 0)
        if P.shape[1] == 1:
            return P + (self.codes == 1)[:, None]
        P = P.copy()
        P[np.arange(len(P)), self.codes] += 1.0
        return P

    def curved(self, P: Floats, V: Floats) -> Floats:
        """Replace V (n, R) by D_i v_i."""
        if P.shape[1] == 1:
            V *= P * (1.0 - P)
            return V if self.weight.size == 0 else V * self.weight[:, None]
        from ...kernels.softmax import curvature_times

        self.products.run(lambda ab: curvature_times(P[ab[0] : ab[1]], self._part(ab), V[ab[0] : ab[1]]), _cuts(len(V)))
        return V

    def _part(self, ab: tuple[int, int]) -> Floats:
        return self.weight if self.weight.size == 0 else self.weight[ab[0] : ab[1]]


def _cuts(n: int) -> list[tuple[int, int]]:
    return [(a, min(a + 4096, n)) for a in range(0, n, 4096)]
