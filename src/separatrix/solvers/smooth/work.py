"""Seconds that the solvers of a smooth loss with an L2 penalty may take on rows held, so that the least can be chosen.

A solver takes some passes, or products, or epochs, each of which costs what it reads. What one costs is measured; how many there will be is
not known, but depends on two numbers that are: s = Σ_i s_i ‖x_i‖²/(4 λ S), the curvature of all columns as a multiple of the penalty's, and
how many rows there are for a column, x = n/p. Rows that outnumber the columns overlap, and then the penalty no longer matters:

    count = a (1 + s)^(b w) max(1, x)^c min(1, x)^d,    w = min(1, (k/x)^e)

fitted to 190 random problems (all kinds of rows, C from 1e-4 to 1e6), where a factor of 2 either way is ordinary. The solver chosen by
these takes 1.12 times as long as the best in the mean, and more than 1.5 times in one problem of ten.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..problem import Problem
from .newton import DEAR
from .whitened import SAMPLE


@dataclass(frozen=True, slots=True)
class Count:
    """a, b, k, e, c, d of the formula."""

    first: float
    stiff: float
    overlap: float
    decay: float
    tall: float = 0.0
    wide: float = 0.0

    def of(self, n: int, p: int, stiffness: float) -> float:
        """Return how many passes, products or epochs there may be."""
        x = n / max(p, 1)
        power = self.stiff * min(1.0, (self.overlap / x) ** self.decay)
        found: float = self.first * (1.0 + stiffness) ** power * max(1.0, x) ** self.tall * min(1.0, x) ** self.wide
        return min(max(found, LEAST), MOST)


EXACT = 6_000
"""Coefficients of dense rows up to which the exact Hessian of all of them has room: 288 MB."""
LEAST, MOST = 2.0, 5_000.0
"""Passes at least, and products after which conjugate gradients have found a better way."""
NEWTON = Count(5.6, 0.088, 100.0, 0.5, wide=-0.65), Count(12.0, 0.12, 30.0, 0.5)
NEWTON_FEW = Count(6.0, 0.03, np.inf, 1.0)
NEWTON_SPARSE = Count(3.3, 0.126, 1.0, 0.5, 0.109, 0.54)
CURVED = Count(3.5, 0.091, 100.0, 0.5, 0.13, -0.53), Count(4.8, 0.181, 30.0, 1.0, 0.097)
PRODUCTS = Count(9.3, 0.124, 100.0, 0.5, 0.1, -0.056), Count(59.0, 0.157, 10.0, 1.0, wide=0.31)
PRODUCTS_SPARSE = Count(9.9, 0.171, 20.0, 0.5, 0.153, -0.04), Count(13.0, 0.212, 10.0, 0.5, 0.235, 0.175)
EPOCHS = Count(8.5, 0.17, 3.0, 0.5, 0.218, 0.175)
AROUND_COVARIANCE = Count(7.0, 0.17, 10.0, 0.5)
AROUND_SAMPLE = Count(14.0, 0.01, np.inf, 1.0, -0.18)
"""How many; the second of a pair for several classes."""

PASS, ROW_PASS, CALL = 4.7e-10, 9e-9, 6e-5
"""Seconds of a pass over dense rows: for a value and score, for a row and score, and for the call."""
PRODUCT, ROW_PRODUCT, COLUMN_PRODUCT, PRODUCT_CALL = 5e-10, 6e-9, 2e-9, 4.4e-5
"""Of a product with the Hessian: for a value of dense rows, a row, and a column, with each score; and for the call."""
STORED, COLUMN_STORED = 7.5e-10, 4e-10
"""The same for a stored value of sparse rows, and for one of their columns."""
EPOCH, ROW_EPOCH, EPOCH_CALL = 1.5e-9, 4e-8, 2.6e-5
"""Of an epoch of dual coordinate descent: for a stored value, for a row, and for the call."""
ADDED, FACTORED = 3e-11, 4e-11
"""Of a Hessian of dense rows, for each n q², and of its factor, for each q³; q = R(p + 1) coefficients. Of a covariance, with p for q."""
STORED_PASS, MEETING, COLUMNS_SQUARED = 2e-9, 2.6e-10, 6.2e-9
"""Of a pass over sparse rows, for a stored value and score; of a Hessian, for a meeting of two values and pair of scores, and for q²."""
SPANNED, SPANNED_FACTOR, SPARSE_GRAM = 5e-11, 1.2e-11, 1.4e-9
"""Of the coordinates in the rows' span: for each n²p of dense rows, for each n³, and for a meeting of two sparse rows."""
BEGIN, DUAL_BEGIN, CURVED_BEGIN, SPAN_BEGIN, SAMPLE_BEGIN = 2e-4, 3e-4, 4e-4, 6e-4, 1e-3
"""Of what comes before and after."""
SAMPLE_STEPS, NEAR = 3.0, 12.0
"""Hessians of a sample of the rows, and passes over it."""
UNSURE = 1.2
"""Times as long that a sample may take: it misleads where rows are separable."""
AROUND_ALL, SOLVED = 12.0, 1e-9
"""Steps of L-BFGS around the Hessian of a fit to a few rows more, and the seconds for each q² of its inverse."""
WANDERING = 2.0
"""Times as many products that dense rows of several classes may need."""
TURNED = 1.5
"""Times as long that sparse rows of two classes take in their span, where they are dense."""


@dataclass(frozen=True)
class Work:
    """What each solver would have to do: n rows, p columns, R scores, `values` of the rows, `meetings` Σ_i (values of row i)².

    Examples
    --------
    >>> wide, tall = Work(60, 1000, 1, 60_000, 6e7, False, 1e4), Work(6_000, 10, 1, 60_000, 6e5, False, 1e4)
    >>> wide.newton > 10 * wide.products, tall.newton < 2 * tall.products
    (True, True)
    """

    n: int
    p: int
    R: int
    values: float
    meetings: float
    is_sparse: bool
    stiffness: float

    @classmethod
    def of(cls, problem: Problem, is_sparse: bool) -> Work:
        """Count the work of a problem whose rows are held, as dense ones or as sparse."""
        rows, (n, p) = problem.rows, problem.rows.X.shape
        if is_sparse:
            values, meetings = float(rows.values), float(np.square(np.diff(rows.X.indptr).astype(np.float64)).sum())
        else:
            values, meetings = float(n) * p, float(n) * p * p
        return cls(n, p, problem.n_scores, values, meetings, is_sparse, _stiffness(problem))

    @property
    def q(self) -> int:
        """Number of coefficients."""
        return self.R * (self.p + 1)

    def _count(self, counts: tuple[Count, Count] | Count) -> float:
        own = counts if isinstance(counts, Count) else counts[self.R > 1]
        return own.of(self.n, self.p, self.stiffness)

    def _pass(self, rows: float) -> float:
        """A pass over some rows."""
        value = STORED_PASS if self.is_sparse else PASS
        return CALL + (value * self.values / self.n + ROW_PASS) * rows * self.R

    def _hessian(self, rows: float) -> float:
        """The Hessian of some rows, and its factor."""
        if not self.is_sparse:
            return ADDED * rows * float(self.q) ** 2 + FACTORED * float(self.q) ** 3
        pairs = 1.0 if self.R == 1 else 0.5 * self.R * (self.R - 1)
        return MEETING * self.meetings * pairs + COLUMNS_SQUARED * float(self.q) ** 2 + FACTORED * float(self.q) ** 3

    @cached_property
    def newton(self) -> float:
        """Newton's method."""
        if self.is_sparse:
            return self._count(NEWTON_SPARSE) * (self._hessian(self.n) + 3.0 * self._pass(self.n))
        if self.q < DEAR:
            return self._count(NEWTON_FEW) * (self._hessian(self.n) + 1.5 * self._pass(self.n))
        return 1.5 * self._hessian(self.n) + self._count(NEWTON) * 1.5 * self._pass(self.n)

    @property
    def one_pass(self) -> float:
        """A pass over all rows."""
        return self._pass(self.n)

    @property
    def step(self) -> float:
        """A step of Newton's method with its own Hessian."""
        return self._hessian(self.n) + self._pass(self.n)

    def of_coefficients(self, count: int) -> Work:
        """Return the work on so many coefficients alone, spread evenly over scores and columns."""
        columns = min(-(-count // self.R), self.p)
        share = columns / max(self.p, 1)
        return replace(self, p=columns, values=self.values * share, meetings=self.meetings * share**2)

    @property
    def steps_around(self) -> float:
        """A fold's steps of L-BFGS around a Hessian known."""
        return AROUND_ALL * (self._pass(self.n) + SOLVED * float(self.q) ** 2)

    @property
    def curved(self) -> float:
        """One Hessian and L-BFGS around it."""
        return CURVED_BEGIN + self._hessian(self.n) + self._count(CURVED) * self._pass(self.n)

    @property
    def covariance(self) -> float:
        """The covariance of the columns and L-BFGS around it."""
        return ADDED * float(self.n) * self.p**2 + FACTORED * self.p**3 + self._count(AROUND_COVARIANCE) * self._pass(self.n)

    @property
    def sampled(self) -> float:
        """Newton's method on a sample and L-BFGS around its Hessian."""
        rows = float(min(self.n, SAMPLE))
        sample = SAMPLE_STEPS * self._hessian(rows) + NEAR * self._pass(rows)
        return UNSURE * (SAMPLE_BEGIN + sample + self._count(AROUND_SAMPLE) * self._pass(self.n))

    @cached_property
    def product(self) -> float:
        """A product with the Hessian."""
        value, column = (STORED, COLUMN_STORED) if self.is_sparse else (PRODUCT, COLUMN_PRODUCT)
        return PRODUCT_CALL + self.R * (value * self.values + ROW_PRODUCT * self.n + column * self.p)

    @property
    def products(self) -> float:
        """Newton's method by conjugate gradients."""
        if self.is_sparse:
            return BEGIN + self._count(PRODUCTS_SPARSE) * self.product
        return BEGIN + (1.0 if self.R == 1 else WANDERING) * self._count(PRODUCTS) * self.product

    @property
    def dual(self) -> float:
        """Dual coordinate descent."""
        return DUAL_BEGIN + self._count(EPOCHS) * (EPOCH_CALL + EPOCH * self.values + ROW_EPOCH * self.n)

    @property
    def span(self) -> float:
        """The coordinates of fewer rows than columns in their span, and what solves them there."""
        if self.n >= self.p:
            return np.inf
        inner = Work(self.n, self.n, self.R, float(self.n) ** 2, float(self.n) ** 3, False, self.stiffness)
        least = min(inner.newton, inner.curved, inner.products) if inner.q <= EXACT else inner.products
        gram = SPARSE_GRAM * self.values**2 / self.p if self.is_sparse else SPANNED * self.n * self.values
        return (TURNED if self.is_sparse and self.R == 1 else 1.0) * (SPAN_BEGIN + gram + SPANNED_FACTOR * self.n**3 + least)


def _stiffness(problem: Problem) -> float:
    """Return s; infinite where squares overflow."""
    X, weight = problem.rows.X, problem.rows.weight
    values = X.data if problem.rows.is_sparse else X.ravel()
    with np.errstate(over="ignore", invalid="ignore"):
        squares = float(np.dot(values, values)) if values.dtype == np.float64 else float(np.square(values, dtype=np.float64).sum())
    mean = 1.0 if weight is None else problem.total / len(weight)
    found = float(mean * squares / (4.0 * problem.strength * problem.total))
    return found if np.isfinite(found) else 1e300
