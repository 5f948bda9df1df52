"""Normal densities on the directions in which rows vary, also where a covariance has no inverse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..array_types import Floats
from ..solvers.closed_form.quadratic import whiten_classes

LOG_2PI = float(np.log(2.0 * np.pi))
OFF = 1e-8
"""Share of the total variance by which rows may leave the support of a degenerate normal before they are impossible."""


@dataclass(frozen=True, slots=True, eq=False)
class Normal:
    """N(μ, Σ) on the r directions in which Σ varies: the density within the plane μ + range(Σ).

        log p(x) = −½ [r log 2π + log pdet Σ + ‖B'(x − μ)‖²],   B'ΣB = I

    with pdet the product of the nonzero eigenvalues.

    Attributes
    ----------
    basis : (p, r), B
    log_det : log pdet Σ
    null : (p, p − r) directions, in units of `spread`, along which x = μ
    spread : (p,) total standard deviations, 1 where a column is constant
    """

    basis: Floats
    log_det: float
    null: Floats
    spread: Floats

    @classmethod
    def of(cls, covariance: Floats, spread: Floats) -> Normal:
        """Return the normal with this covariance; its rank is decided in units of `spread`, the total standard deviations.

        Examples
        --------
        >>> found = Normal.of(np.array([[1.0, 1.0], [1.0, 1.0]]), np.ones(2))
        >>> found.rank, round(found.log_det, 6)
        (1, 0.693147)
        """
        units = np.where(spread > 0, spread, 1.0)
        # What a constant column has left is rounding.
        covariance = covariance * np.outer(spread > 0, spread > 0)
        found = whiten_classes(covariance[None], units)[0]
        if not found.is_singular:
            return cls(found.basis, found.log_det, found.null, units)
        basis = found.basis[:, : found.rank]
        # Σ = GG' with G = ΣB of full column rank, so that pdet Σ = det G'G.
        triangle = np.linalg.qr(covariance @ basis, mode="r")
        return cls(basis, 2.0 * float(np.log(np.abs(np.diag(triangle))).sum()), found.null, units)

    @property
    def rank(self) -> int:
        """r."""
        r: int = self.basis.shape[1]
        return r

    def log_likelihood(self, counts: Floats, deviations: Floats, scatter: Floats) -> float:
        """Return Σ_i w_i log p(x_i) of rows in groups, each group around a mean μ_k of its own.

            −½ { n [r log 2π + log pdet Σ] + tr B'WB + Σ_k n_k ‖B'd_k‖² }

        Parameters
        ----------
        counts : (K,) sums of weights n_k
        deviations : (K, p) d_k, the mean of the rows of group k minus μ_k
        scatter : (p, p) W, of all rows around the means of their groups
        """
        n = float(counts.sum())
        inside, apart = self._square(self.basis, counts, deviations, scatter)
        if self.null.shape[1] and n > 0:
            outside, means = self._square(self.null / self.spread[:, None], counts, deviations, scatter)
            if outside + means > OFF * n:
                return -np.inf
        return -0.5 * (n * (self.rank * LOG_2PI + self.log_det) + inside + apart)

    @staticmethod
    def _square(basis: Floats, counts: Floats, deviations: Floats, scatter: Floats) -> tuple[float, float]:
        """Return tr B'WB and Σ_k n_k ‖B'd_k‖²."""
        spread = float(np.sum(basis * (scatter @ basis)))
        return spread, float(counts @ np.sum((deviations @ basis) ** 2, axis=1))
