"""Seconds that the roads of the joint machine may take, counted as in `solvers/work.py`.

A step of interior points factors the matrix of all classes but one, or solves by conjugate gradients; an epoch of coordinate descent reads
the rows once with all classes. How many epochs are needed cannot be counted: about 25 + 150 √(C‖x‖²) on six random tables, where a factor
of 2 either way is ordinary.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from ..rows import Rows
from ..work import ADDED, FACTORED, MEETING, STORED

ROW, JOINT_EPOCH = 1e-8, 5e-9
"""Seconds of a row and class around a product, and of a value and class in an epoch."""
STEPS, MOVES = 20, 10
"""Steps of interior points, and products around each one's system."""
FEWEST, MORE = 25.0, 150.0
"""Epochs of coordinate descent, and how many more where C‖x‖² is 1."""
NEWTON, CURVED, DENSE = 60, 0.2, 4e-10
"""Steps of the augmented Lagrangian, the share of the rows that are curved for each of one pair of classes, and seconds of a value of dense
rows in a product with one class.
"""
PRODUCTS, FEWER = 300, 100
"""Products of conjugate gradients for one step, of interior points and of the augmented Lagrangian."""
STIFF = 1e4
"""C‖x‖² from which on conjugate gradients need too many products, and the first problems of the augmented Lagrangian are gentler."""
MOST = 7_000
"""Coefficients up to which their matrix is factored."""


@dataclass(frozen=True)
class JointWork:
    """n rows, q columns with the constant, K classes, `values` of the rows, `meetings` Σ_i (values of row i)².

    Examples
    --------
    >>> onehot, text = JointWork(40_000, 508, 4, 5e5, 7e6, True), JointWork(5_000, 3_000, 3, 1e5, 4e6, True)
    >>> onehot.is_even, text.is_even
    (False, True)
    """

    n: int
    q: int
    K: int
    values: float
    meetings: float
    is_sparse: bool

    @classmethod
    def of(cls, rows: Rows, n_classes: int) -> Self:
        """Count the work on rows held."""
        return cls._of(rows.X, rows.X.shape[1] + 1, n_classes)

    @classmethod
    def of_part(cls, Z: Any, n_classes: int) -> Self:
        """Count the work on some rows with their constant, dense or CSR."""
        return cls._of(Z, Z.shape[1], n_classes)

    @classmethod
    def _of(cls, X: Any, q: int, n_classes: int) -> Self:
        (n, p), is_sparse = X.shape, sp.issparse(X)
        lengths = np.diff(X.indptr).astype(np.float64) if is_sparse else np.full(1, np.sqrt(n) * p)
        return cls(n, q, n_classes, float(X.nnz if is_sparse else X.size), float(lengths @ lengths), is_sparse)

    @property
    def has_factor(self) -> bool:
        """Whether there is room for the matrix."""
        return (self.K - 1) * self.q <= MOST

    @property
    def is_conjugate(self) -> bool:
        """Whether a step of the augmented Lagrangian is cheaper by conjugate gradients, or has no room for its matrix."""
        return not self.has_factor or FEWER * self._both_ways < self.factor

    @property
    def _both_ways(self) -> float:
        """A product of all classes with the rows, and one with their transpose."""
        return 2.0 * self.K * ((0.5 * STORED if self.is_sparse else DENSE) * self.values + ROW * self.n)

    @property
    def factor(self) -> float:
        """The matrix of all classes but one, and its factor."""
        pair = MEETING * self.meetings if self.is_sparse else ADDED * self.n * float(self.q) ** 2
        return 0.5 * self.K * (self.K - 1) * pair + FACTORED * float((self.K - 1) * self.q) ** 3

    @property
    def product(self) -> float:
        """A product with that matrix, which is not formed."""
        return self.K * (STORED * self.values + ROW * self.n)

    @property
    def is_even(self) -> bool:
        """Whether conjugate gradients are cheaper than the factor, while the weights are even."""
        return self.is_sparse and PRODUCTS * self.product < self.factor

    @property
    def interior(self) -> float:
        """All steps of interior points."""
        return STEPS * (min(self.factor, PRODUCTS * self.product) + MOVES * self.product)

    def lagrangian(self, stiffness: float) -> float:
        """All steps of the augmented Lagrangian, whose matrix is summed over few rows, for C‖x‖² of a mean row."""
        pair = MEETING * self.meetings if self.is_sparse else ADDED * self.n * float(self.q) ** 2
        factored = CURVED * pair + FACTORED * float((self.K - 1) * self.q) ** 3 if self.has_factor else np.inf
        products = CURVED * FEWER * self._both_ways if stiffness <= STIFF else np.inf
        return NEWTON * (2.0 * self._both_ways + min(factored, products))

    @property
    def epoch(self) -> float:
        """An epoch of coordinate descent."""
        return JOINT_EPOCH * self.values * self.K

    def epochs(self, stiffness: float) -> float:
        """All epochs, for C‖x‖² of a mean row."""
        return (FEWEST + MORE * float(np.sqrt(stiffness))) * self.epoch
