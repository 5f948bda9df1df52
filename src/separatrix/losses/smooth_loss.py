"""Losses with a second derivative, and the passes over rows that the smooth solvers make.

A new loss of two classes defines `value`, `slope` and `curvature`, and that is all: the passes written here call these. Logistic and
softmax losses bring compiled passes of their own. Solvers call passes, never a formula or a kernel.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..array_types import Codes, Floats
from .base import Loss

STRAIGHT = 1e-3
"""Curvature of a straight slope of 1, for the solvers' steps: each then comes nearer by about this factor, where many rows have it."""


class SmoothLoss(Loss):
    """A loss whose slope is continuous.

    The passes take scores S (n, R), R = 1 for margin losses, class codes (for R = 1, y = +1 where the code is 1), and weights s (n,), an
    empty array for all ones.

    Attributes
    ----------
    has_row_kernels : bool
        Whether `add_rows` (and for R = 1 `add_curved_rows`) read rows and scores at once; without them BLAS does the products.
    separated_below : float
        Where ℓ falls for ever as margins grow: the least loss of a row on the wrong side. A sum of losses below it proves that classes are
        separable, and without a penalty there is no minimum then. 0 for losses that have one all the same.
    """

    has_row_kernels: ClassVar[bool] = False
    separated_below: ClassVar[float] = 0.0

    def curvature(self, z: Floats, y: NDArray[Any]) -> Floats:
        """Return d²ℓ/dz², (n,) or (n, K, K); where the slope has a kink, the derivative on either side of it."""
        raise TypeError(f"{type(self).__name__} must define curvature")

    def residuals(self, S: Floats, codes: Codes, weight: Floats, root: Floats | None = None, compiled: bool = False) -> float:
        """Turn scores into s_i dℓ_i/dz_i in place and return Σ s_i ℓ_i.

        Parameters
        ----------
        S : (n, R)
        codes, weight : (n,)
        root : (n, R) or None
            To be filled with ρ: the curvature is s_i d²ℓ_i/dz² = ρ_i² for R = 1, and diag(ρ_k Σ_l ρ_l) − ρρ' for R = K.
        compiled : bool
            Whether a kernel is worth loading.
        """
        z, y = S[:, 0].copy(), signs(codes)
        values = self.value(z, y)
        S[:, 0] = self.slope(z, y)
        if root is not None:
            root[:, 0] = np.sqrt(self._bent(z, y))
        return weighted(values, S, weight, root)

    def add_rows(self, X: NDArray[Any], codes: Codes, weight: Floats, W: Floats, c: Floats, gradient: Floats) -> float:
        """Return Σ s_i ℓ_i of the scores XW' + c and add Σ s_i dℓ_i/dz_i [x_i, 1]' to gradient (R, p + 1)."""
        raise TypeError(f"{type(self).__name__} must define add_rows, or set has_row_kernels to False")

    def add_curved_rows(self, X: NDArray[Any], codes: Codes, weight: Floats, W: Floats, c: Floats, gradient: Floats, Z: Floats) -> float:
        """Do as `add_rows` for R = 1 and fill Z (n, p + 1) with ρ_i [x_i, 1], so that Z'Z is the Hessian of the sum."""
        raise TypeError(f"{type(self).__name__} must define add_curved_rows, or set has_row_kernels to False")

    def bend(self, Z: Floats, residuals: Floats, codes: Codes, weight: Floats) -> Floats:
        """Return B (n, R), from which products with the curvature are made; here curvatures d²ℓ_i/dz², without weights.

        Parameters
        ----------
        Z, residuals : (n, R) scores, and what `residuals` has made of them, which may be overwritten
        """
        return self._bent(Z[:, 0], signs(codes))[:, None]

    def _bent(self, z: Floats, y: Floats) -> Floats:
        """Return the curvature, and on straight slopes a little of it: a Newton step towards rows without any would have no end.

        Any positive number serves, since slopes are exact and a line search guards the steps; a small one costs few of them.
        """
        h = self.curvature(z, y)
        return np.where(h > 0.0, h, STRAIGHT * np.abs(self.slope(z, y)))

    def curvature_times(self, B: Floats, weight: Floats, V: Floats) -> Floats:
        """Return s_i d²ℓ_i/dz² v_i (n, R); V is overwritten."""
        V *= B
        return V if weight.size == 0 else V * weight[:, None]

    def curvature_diagonal(self, B: Floats, weight: Floats) -> Floats:
        """Return the diagonals of s_i d²ℓ_i/dz² (n, R)."""
        return B if weight.size == 0 else weight[:, None] * B

    def constant_scores(self, counts: Floats) -> Floats:
        """Return scores (R,) that suit a model without columns, for classes with these weights (K,): a start, so that 0 will do."""
        return np.zeros(1 if len(counts) == 2 else len(counts))

    def constant_value(self, counts: Floats) -> float:
        """Return the mean loss at `constant_scores`."""
        codes = np.arange(len(counts), dtype=np.int32)
        S = np.tile(self.constant_scores(counts), (len(counts), 1))
        return self.residuals(S, codes, counts) / float(counts.sum())


def signs(codes: Codes) -> Floats:
    """Return y = ±1, + for code 1."""
    return np.where(codes == 1, 1.0, -1.0)


def weighted(values: Floats, S: Floats, weight: Floats, root: Floats | None) -> float:
    """Bring weights into slopes S and roots ρ of rows, in place, and return the weighted sum of the values."""
    if weight.size == 0:
        return float(values.sum())
    S *= weight[:, None]
    if root is not None:
        root *= np.sqrt(weight)[:, None]
    return float(values @ weight)
