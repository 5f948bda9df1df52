"""Seconds that the solvers of a smooth loss with an L2 penalty may take on rows held, so that the least can be chosen.

Operations are counted, times their seconds on one core in whole fits; `python -m benchmarks.bench_work` sets these beside the operations
alone on another machine. Only ratios matter, and these differ little between machines. What cannot be counted is how many products
conjugate gradients need: about 5 + 3 s^¼, thrice as many more for several classes, with s = Σ_i s_i ‖x_i‖²/(4 λ S) the curvature of all
columns as a multiple of the penalty's; and epochs of dual coordinate descent: 2 + 4 (4s/n)^0.4, √(n/p) times as many more where rows
outnumber columns. Both are fitted to 70 random problems, where a factor of 3 either way is ordinary.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .problem import Problem
from .smooth.whitened import EXPLICIT, GRAM_WORK, SAMPLE

ADDED, FACTORED = 6e-11, 1.8e-11
"""Of a Hessian of dense rows, for each n q², and of its factor, for each q³; q = R(p + 1) coefficients."""
MEETING = 1.4e-9
"""Of a meeting of two values in a sparse row, for each pair of scores."""
PASS, PRODUCT, FUSED = 8e-10, 6e-10, 3.5e-10
"""Of a value and score: in a pass for f and its gradient, in a product with the Hessian, in a pass of one kernel."""
STORED, EPOCH = 2.2e-9, 5.5e-9
"""Of a stored value of sparse rows: with each score, in a product with the Hessian; in an epoch of dual coordinate descent."""
CALL, STEP = 4e-5, 1e-4
"""Of a product, and of a step of Newton's method, however small."""
SPANNED = 1e-10
"""Of the coordinates in the rows' span, for each n²p; a p × p covariance, for each n p², has the same."""
STEPS, AROUND_HESSIAN, AROUND_COVARIANCE = 8, 25, 40
"""Steps of Newton's method, half as many more for each digit of s above STIFF; passes of L-BFGS around a Hessian, s^¼/3 more where the
penalty is weak, and around a covariance, s^¼ more (4 s^¼ for several
classes)."""
SAMPLE_STEPS, AROUND_SAMPLE = 3, 8
"""Hessians of a sample of the rows, and passes around them."""
STIFF, MOST = 1e8, 1_000.0
"""s from which rows are nearly separable or units far apart; products of conjugate gradients after which they have found a better way."""


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

    @cached_property
    def hessian(self) -> float:
        """A step with the exact Hessian."""
        added = MEETING * self.meetings * self.R**2 if self.is_sparse else ADDED * self.n * float(self.q) ** 2
        return STEP + PASS * self.values * self.R + added + FACTORED * float(self.q) ** 3

    @property
    def newton(self) -> float:
        """Newton's method."""
        return STEPS * self._slower * self.hessian

    @property
    def _slower(self) -> float:
        return 1.0 + max(0.0, float(np.log10(max(self.stiffness, 1.0) / STIFF)) / 2.0)

    @property
    def curved(self) -> float:
        """One Hessian and L-BFGS around it."""
        passes: float = AROUND_HESSIAN + self.stiffness**0.25 / 3.0
        return 1.5 * self.hessian + passes * (CALL + PASS * self.values * self.R)

    @property
    def whitened(self) -> float:
        """The covariance of the columns and L-BFGS around it."""
        passes: float = AROUND_COVARIANCE + (4.0 if self.R > 1 else 1.0) * self.stiffness**0.25
        return (
            SPANNED * min(float(self.n) * self.p**2, GRAM_WORK)
            + FACTORED * self.p**3
            + min(passes, MOST) * (CALL + FUSED * self.values * self.R)
        )

    @property
    def sampled(self) -> float:
        """Newton's method on a sample and L-BFGS around its Hessian; every few rows give the covariance."""
        rows = float(min(self.n, SAMPLE))
        hessians = SAMPLE_STEPS * self._slower * (ADDED * rows * float(self.q) ** 2 + FACTORED * float(self.q) ** 3)
        passes: float = AROUND_SAMPLE + self.stiffness**0.25 / 3.0
        return hessians + SPANNED * rows * self.p**2 + passes * (CALL + FUSED * self.values * self.R)

    @property
    def products(self) -> float:
        """Newton's method by conjugate gradients."""
        count: float = 5.0 + (9.0 if self.R > 1 else 4.0 if self.is_sparse else 3.0) * self.stiffness**0.25
        return min(count, MOST) * (CALL + (STORED if self.is_sparse else PRODUCT) * self.values * self.R)

    @property
    def dual(self) -> float:
        """Dual coordinate descent."""
        epochs: float = 2.0 + 4.0 * (4.0 * self.stiffness / self.n) ** 0.4 * max(1.0, self.n / self.p) ** 0.5
        return epochs * (CALL + EPOCH * self.values)

    @property
    def span(self) -> float:
        """The coordinates of fewer rows than columns in their span, and what solves them there."""
        if self.n >= self.p:
            return np.inf
        inner = Work(self.n, self.n, self.R, float(self.n) ** 2, float(self.n) ** 3, False, self.stiffness)
        least = min(inner.newton, inner.curved, inner.products) if inner.q <= EXPLICIT else inner.products
        gram = MEETING * self.values**2 / self.p if self.is_sparse else SPANNED * self.n * self.values
        return 4.0 * STEP + gram + FACTORED * self.n**3 + least


def _stiffness(problem: Problem) -> float:
    """Return s; infinite where squares overflow."""
    X, weight = problem.rows.X, problem.rows.weight
    values = X.data if problem.rows.is_sparse else X.ravel()
    with np.errstate(over="ignore", invalid="ignore"):
        squares = float(np.dot(values, values)) if values.dtype == np.float64 else float(np.square(values, dtype=np.float64).sum())
    mean = 1.0 if weight is None else problem.total / len(weight)
    found = float(mean * squares / (4.0 * problem.strength * problem.total))
    return found if np.isfinite(found) else 1e300
