"""Wilks' Λ of a set of columns, and what each column adds to it or takes from it.

With W the scatter within classes, T the total one, S the columns in the set and w_jj·S, t_jj·S what S leaves over of column j,

    Λ(S) = det W_SS/det T_SS,   Λ(S ∪ j)/Λ(S) = λ_j = w_jj·S/t_jj·S,   F = (n − K − |S|)/(K − 1) · (1 − λ_j)/λ_j

One sweep of W and one of T carry everything to the next set.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc

from ..array_types import Bools, Floats
from ..errors import InputError
from ..solvers.closed_form.whitening import total_spread
from .manova import multivariate_tests


@dataclass(frozen=True, slots=True, eq=False)
class PartialTests:
    """What each column adds to the others in the set: partial R² = 1 − λ, F with df1 and df2, p. All (p,); NaN where not asked for."""

    r2: Floats
    F: Floats
    df1: float
    df2: float
    p: Floats


@dataclass(frozen=True, slots=True)
class SetTests:
    """Λ of the set with the p-value of Rao's F; average squared canonical correlation Σρ²/(K − 1) with that of Pillai's."""

    wilks: float
    wilks_p: float
    ascc: float
    ascc_p: float


class WilksSet:
    """A set of columns that grows and shrinks by sweeps.

    Parameters
    ----------
    counts, means, within : (K,), (K, p), (p, p) moments of the classes; those without rows are left out
    tolerance : float
        A column may not enter if the set leaves over less than this share of its variance within classes, or it of a column in the set.

    Examples
    --------
    >>> means, W = np.array([[4.0, 2.0], [2.0, 5.0]]), np.array([[4.0, 2.0], [2.0, 2.0]])
    >>> columns = WilksSet(np.array([2.0, 2.0]), means, W)
    >>> columns.to_enter().F.round(10).tolist()
    [2.0, 9.0]
    >>> columns.enter(1)
    >>> round(columns.test().wilks, 10)
    0.1818181818
    """

    def __init__(self, counts: Floats, means: Floats, within: Floats, tolerance: float = 1e-8) -> None:
        counts, means = counts[counts > 0], means[counts > 0]
        self.n, self.K, self.tolerance = float(counts.sum()), len(counts), tolerance
        if self.K < 2 or self.n <= self.K:
            raise InputError(
                f"Wilks' lambda needs two classes and more rows than classes; there are n = {self.n:g} rows of {self.K} class(es)."
            )
        centre, spread = total_spread(counts, means, np.diag(within))
        unit = np.where(spread > 0, spread, 1.0)
        # In units of each column's total spread, so that sweeps of columns in grams and in tons lose no digits to each other.
        self.V = np.sqrt(counts)[:, None] * (means - centre) / unit
        self.W = within / unit / unit[:, None]
        self.T = self.W + self.V.T @ self.V
        self.w0, self.t0 = np.diag(self.W).copy(), np.diag(self.T).copy()
        self.varies = (spread > 0) & (self.w0 > tolerance * self.t0)
        self.inside = np.zeros(len(self.w0), dtype=bool)

    @property
    def size(self) -> int:
        """Number of columns in the set."""
        return int(self.inside.sum())

    def enter(self, j: int) -> None:
        """Put a column into the set."""
        sweep(self.W, j)
        sweep(self.T, j)
        self.inside[j] = True

    def remove(self, j: int) -> None:
        """Take a column out of the set."""
        sweep(self.W, j, back=True)
        sweep(self.T, j, back=True)
        self.inside[j] = False

    def can_enter(self) -> Bools:
        """Return which columns outside the set are not determined by it, within the tolerance, (p,)."""
        w, t = np.diag(self.W), np.diag(self.T)
        free = ~self.inside & self.varies
        free &= (w > self.tolerance * self.w0) & (t > self.tolerance * self.t0)
        if self.inside.any() and free.any():
            inside, outside = np.flatnonzero(self.inside), np.flatnonzero(free)
            # What a column in the set keeps of its own, 1/(W⁻¹)_ii, once j has entered.
            inverse = -w[inside, None] + self.W[np.ix_(inside, outside)] ** 2 / w[outside]
            free[outside] = (1.0 / inverse > self.tolerance * self.w0[inside, None]).all(axis=0)
        return free

    def to_enter(self) -> PartialTests:
        """Return the tests of the columns that can enter."""
        ratio = np.full(len(self.w0), np.nan)
        free = self.can_enter()
        ratio[free] = np.diag(self.W)[free] / np.diag(self.T)[free]
        return self._tests(ratio, self.size)

    def to_remove(self) -> PartialTests:
        """Return the tests of the columns in the set, each given all others."""
        ratio = np.full(len(self.w0), np.nan)
        ratio[self.inside] = np.diag(self.T)[self.inside] / np.diag(self.W)[self.inside]
        return self._tests(ratio, self.size - 1)

    def _tests(self, ratio: Floats, others: int) -> PartialTests:
        q, nu = self.K - 1.0, self.n - self.K - others
        ratio = np.clip(ratio, 0.0, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            F = np.where(nu > 0, nu / q * (1.0 - ratio) / ratio, np.nan)
        return PartialTests(1.0 - ratio, F, q, nu, fdtrc(q, nu, F))

    def test(self) -> SetTests:
        """Return the tests that the classes have equal means in the columns of the set."""
        S = np.flatnonzero(self.inside)
        q = self.K - 1
        if len(S) == 0:
            return SetTests(1.0, 1.0, 0.0, 1.0)
        V = self.V[:, S]
        # The eigenvalues of W⁻¹B are those of the K × K matrix V W⁻¹ V', B = V'V; what is swept holds −W⁻¹.
        found = np.linalg.eigvalsh(V @ -self.W[np.ix_(S, S)] @ V.T)[::-1][: min(len(S), q)]
        wilks, pillai, *_ = multivariate_tests(np.maximum(found, 0.0), len(S), q, self.n - self.K)
        return SetTests(wilks.value, wilks.p, pillai.value / q, pillai.p)


def sweep(A: Floats, j: int, back: bool = False) -> None:
    """Sweep a symmetric matrix on column j, in place, or take that back.

        d = a_jj,   a_kl ← a_kl − a_kj a_jl/d,   a_kj ← ± a_kj/d (− if back),   a_jj ← −1/d

    After columns S are swept, the rest holds the scatter of what S leaves over, A_RR − A_RS A_SS⁻¹ A_SR, and S holds −A_SS⁻¹. One sweep
    is O(p²).

    Examples
    --------
    >>> A = np.array([[4.0, 2.0], [2.0, 3.0]])
    >>> sweep(A, 0)
    >>> A.tolist()
    [[-0.25, 0.5], [0.5, 2.0]]
    >>> sweep(A, 0, back=True)
    >>> A.tolist()
    [[4.0, 2.0], [2.0, 3.0]]

    References
    ----------
    Goodnight (1979), A tutorial on the SWEEP operator, The American Statistician 33.
    """
    d, column = A[j, j], A[j].copy()
    scaled = column / d
    A -= np.outer(column, scaled)
    A[j] = A[:, j] = -scaled if back else scaled
    A[j, j] = -1.0 / d
