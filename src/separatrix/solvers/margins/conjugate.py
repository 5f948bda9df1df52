"""Semismooth Newton without a matrix: conjugate gradients on the curved rows, for columns too many for their curvature.

A step solves (D + Σ_F σ_i x̃_i x̃_i') d = −g (see `semismooth`) as far as pays, in units of each column (Jacobi's preconditioner): a product
reads the curved rows F alone, which near the end are few.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...array_types import Floats, Indices
from .pieces import Pieces
from .semismooth import Descent

PRODUCTS = 500
"""Products of a step at most."""
SHARE = 1e-2
"""Residual at which a step is exact enough, as a share of the gradient."""


class ConjugateDescent(Descent):
    """A descent whose steps come from conjugate gradients; see `Descent`."""

    exact = False
    read = 0
    products = 0
    slope: Floats
    curved: Indices
    sigma: Floats

    def _begin(self, pieces: Pieces, kept: float) -> None:
        self.status = None

    def _follow(self, pieces: Pieces) -> bool:
        y = self.machine.signs
        self.status = pieces.status(self.margins)
        self.slope = self._ridge(self.theta) - self.rows.sums(y * pieces.multipliers(self.margins))
        self.passes += 1
        if not self.machine.has_intercept:
            self.slope[-1] = 0.0
        if not np.isfinite(self.slope).all():
            raise np.linalg.LinAlgError
        self.curved = np.flatnonzero(self.status == 1)
        self.sigma = pieces.sigma[self.curved]
        return True

    def _solve(self) -> Floats:
        assert self.status is not None
        X: Any = self.rows.rows.X[self.curved]
        across = X.T  # once: SciPy makes a matrix of it
        unit = float(self.machine.has_intercept)
        self.products = 0

        def curvature(v: Floats) -> Floats:
            z = self.sigma * (X @ v[:-1] + unit * (v[-1] - v[:-1] @ self.rows.centre))
            total = unit * z.sum()
            self.products += 1
            return np.append(across @ z - total * self.rows.centre, total + loose * v[-1]) + self._ridge(v)

        squares = X.multiply(X).T @ self.sigma if self.rows.rows.is_sparse else self.sigma @ (X - self.rows.centre) ** 2
        diagonal = np.append(np.asarray(squares).ravel() + 1.0, 0.0)
        # No curved row: the intercept has no curvature of its own; any will do, the line search finds how far to go.
        bend = self.sigma.sum() + self.machine.ridge if unit else 1.0
        loose = 0.0 if bend > 0.0 else 1.0
        diagonal[-1] = bend + loose
        found = conjugate_gradients(curvature, -self.slope, diagonal)
        # Iterations are counted by the rows that their products read.
        self.read += 2 * len(self.curved) * self.products
        self.passes += 1 + self.read // len(self.status)
        self.iterations += self.read // len(self.status)
        self.read %= len(self.status)
        return self.theta + found

    def gradient(self) -> Floats:
        """Return g at θ."""
        return self.slope


def conjugate_gradients(curvature: Any, right: Floats, diagonal: Any, share: float = SHARE, most: int = PRODUCTS) -> Floats:
    """Return d with H d ≈ right, H given by its products, to a residual of a share of `right` in units of the diagonal.

    The diagonal is an array, or a function that divides by what stands for it.

    Examples
    --------
    >>> H = np.array([[2.0, 1.0], [1.0, 3.0]])
    >>> conjugate_gradients(lambda v: H @ v, np.array([3.0, 4.0]), np.diag(H), share=1e-12).round(9).tolist()
    [1.0, 1.0]
    """
    d, r = np.zeros_like(right), right.copy()
    scaled = diagonal if callable(diagonal) else lambda r: r / diagonal
    s = scaled(r)
    size = first = float(np.vdot(r, s))
    p = s.copy()
    for _ in range(most):
        if size <= share * share * first or size == 0.0:
            break
        Hp = curvature(p)
        bend = float(np.vdot(p, Hp))
        if bend <= 0.0:
            break
        d += (size / bend) * p
        r -= (size / bend) * Hp
        s = scaled(r)
        size, before = float(np.vdot(r, s)), size
        p = s + (size / before) * p
    return d
