"""f, gradients and products with the Hessian of one problem whose rows are held in memory.

Scores Z = XW + c are kept, so that f along a direction d costs no product once Xd is known. A product with the Hessian is
H V = X'(D ∘ (XV + v_c))/S + λV, D_i = s_i d²ℓ_i/dz². W is stored p × R: the R numbers a stored value of X meets lie side
by side.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...array_types import Floats
from ...summaries.grouped import NO_WEIGHT
from ...thresholds import SUMS
from ..accepted_losses import smooth_loss
from ..problem import Problem
from ..products import Products
from ..sparse.compression import Compression
from .single_products import in_single, times

if TYPE_CHECKING:
    from .class_blocks import ClassBlocks
    from .constant_direction import ConstantDirection
    from .heavy_block import HeavyBlock


DOUBLED = 25_000_000
"""Values, 200 MB in float64, up to which float32 rows are converted once."""
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
        self.rough: Any = None if rows.is_sparse else in_single(self.products.X, self.squares)

    @property
    def ridge(self) -> float:
        """λ, or where there is none something far below the square of every column, for preconditioners that must be positive."""
        return self.problem.strength or 1e-12 * float(self.squares.min(initial=1.0, where=self.squares > 0.0))

    def leave_single(self) -> None:
        """Take products in float64 from here on; rows of float32 that have room are converted once, as each product would."""
        self.rough = None
        if self.products.X.dtype == np.float32 and self.products.X.size <= DOUBLED:
            self.products.X = self.products.X.astype(np.float64)

    def expand(self, W: Floats) -> Floats:
        """Return coefficients of the columns as they were given."""
        return W if self.compression is None else self.compression.expand(W, self.problem.n_features)

    def loss(self, Z: Floats, out: Floats | None = None) -> tuple[float, Floats]:
        """Return the mean loss of scores and the residuals, in `out` where that is given."""
        R = Z.copy() if out is None else out
        if out is not None:
            R[:] = Z
        return float(sum(self.products.run(lambda own: self._residuals(R[own], own), cuts(len(R)))) / self.problem.total), R

    def along(self, Z: Floats, V: Floats, t: float) -> tuple[float, float]:
        """Return the mean loss at the scores Z − tV, and its slope in t: part by part, so that nothing of their size is kept."""

        def part(own: slice) -> tuple[float, float]:
            R = t * V[own]
            np.subtract(Z[own], R, out=R)
            loss = self._residuals(R, own)
            return loss, float(np.vdot(R, V[own]))

        loss, slope = (sum(values) / self.problem.total for values in zip(*self.products.run(part, cuts(len(Z)))))
        return loss, -slope

    def _residuals(self, R: Floats, own: slice) -> float:
        """Turn the scores of some rows into residuals and return the sum of their losses."""
        return self.loss_function.residuals(R, self.codes[own], self._part(own), compiled=self.compiled)

    def point(self, W: Floats, c: Floats, Z: Floats, loss: float, R: Floats) -> Point:
        """Return everything at W, c from the scores and residuals there, which are overwritten: one product."""
        problem = self.problem
        g = np.empty_like(W)
        self.products.penalised(R, 1.0 / problem.total, W, problem.strength, g)
        gc = R.sum(axis=0) / problem.total if problem.fit_intercept else np.zeros(len(c))
        f = loss + 0.5 * problem.strength * float(np.vdot(W, W))
        self.passes += 1
        return Point(W, c, Z, f, self.bend(Z, R), g, gc)

    def bend(self, Z: Floats, R: Floats) -> Floats:
        """Return what products with the curvature are made of (`SmoothLoss.bend`), from scores and residuals, which are overwritten."""
        return self.loss_function.bend(Z, R, self.codes, self.weight)

    def curved(self, P: Floats, V: Floats, rows: slice = slice(None)) -> Floats:
        """Return D_i v_i (m, R) of some rows; V is overwritten."""
        P, weight, times = P[rows], self._part(rows), self.loss_function.curvature_times
        if P.shape[1] == 1:
            return times(P, weight, V)
        self.products.run(lambda own: times(P[own], weight if weight.size == 0 else weight[own], V[own]), cuts(len(V)))
        return V

    def product(self, P: Floats, p: Floats, pc: Floats, Hp: Floats) -> tuple[float, Floats]:
        """Fill Hp with what the Hessian makes of p (p, R) and, of the intercepts, pc (R,), in the coefficients; return the form at both,
        and what it makes of them in the intercepts. Dense rows are taken part by part, so that no scores are kept, and in float32 while
        that will do.
        """
        problem, products, curved = self.problem, self.products, self.loss_function.curvature_times
        if products.is_sparse:
            U = products.times(p)
            U += pc
            U = self.curved(P, U)
            pHp, Hpc = products.penalised(U, 1.0 / problem.total, p, problem.strength, Hp), U.sum(axis=0)
        else:

            def part(own: slice) -> tuple[Floats, Floats]:
                X = products.X[own].astype(np.float64, copy=False) if self.rough is None else self.rough[own]
                U = times(X, p)
                U += pc
                U = curved(P[own], self._part(own), U)
                return times(X.T, U), U.sum(axis=0)

            sums, ends = zip(*products.run(part, cuts(len(P), max(p.shape))))
            np.multiply(sum(sums), 1.0 / problem.total, out=Hp)
            Hp += problem.strength * p
            pHp, Hpc = float(np.vdot(p, Hp)), sum(ends)
        Hpc = Hpc / problem.total if problem.fit_intercept else np.zeros_like(pc)
        return pHp + float(pc @ Hpc), Hpc

    def form(self, P: Floats, d: Floats, Xd: Floats) -> float:
        """Return d'Hd of a step d whose scores, with those of the intercepts, are Xd (n, R): no product."""
        bent = 0.0
        for own in cuts(len(P)):
            bent += float(np.vdot(Xd[own], self.curved(P, Xd[own].copy(), own)))
        return bent / self.problem.total + self.problem.strength * float(np.vdot(d, d))

    def diagonal(self, P: Floats, own: slice = slice(None)) -> Floats:
        """Return the diagonals of D_i (n, R) of some rows."""
        return self.loss_function.curvature_diagonal(P[own], self._part(own))

    def mean_diagonal(self, P: Floats) -> Floats:
        """Return the mean (R,) of the diagonals of D_i over the rows."""
        return np.asarray(sum(self.diagonal(P, own).sum(axis=0) for own in cuts(len(P))) / self.problem.total)

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

    def _part(self, own: slice) -> Floats:
        return self.weight if self.weight.size == 0 else self.weight[own]


def cuts(n: int, least: int = 0) -> list[slice]:
    """Return slices of n rows, of 4,096 or more: their scores stay in a cache."""
    size = max(4096, least)
    return [slice(a, min(a + size, n)) for a in range(0, n, size)]
