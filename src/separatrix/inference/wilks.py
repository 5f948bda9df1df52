"""Wilks' Λ of a set of columns, and what each column adds to it or takes from it.

With W the scatter within classes, T the total one, S the columns in the set and w_jj·S, t_jj·S what S leaves over of column j,

    Λ(S) = det W_SS/det T_SS,   Λ(S ∪ j)/Λ(S) = λ_j = w_jj·S/t_jj·S,   F = (n − K − |S|)/(K − 1) · (1 − λ_j)/λ_j

One sweep of W and one of T carry everything to the next set. Where rows are not many more than columns, W and T stay products of rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc

from ..array_types import Bools, Floats, Indices
from ..errors import InputError
from ..solvers.closed_form.whitening import total_spread
from .manova import multivariate_tests
from .swept import Swept, SweptMatrix, SweptRows

PRODUCTS = 4_000_000
"""Products of columns inside and outside a set, held at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class PartialTests:
    """What each column adds to the others in the set: partial R² = 1 − λ, F with df1 and df2. All (p,); NaN where not asked for."""

    r2: Floats
    F: Floats
    df1: float
    df2: float

    def p_value(self, j: int) -> float:
        """Return the p-value of a column: those of all would take longer than the tests."""
        return float(fdtrc(self.df1, self.df2, self.F[j]))


@dataclass(frozen=True, slots=True)
class CentredRows:
    """Rows (n, p) minus the means of their classes, times √w: their products are the scatter within the classes."""

    values: Floats


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
        Or `within` as :class:`CentredRows`, which are overwritten.
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

    def __init__(self, counts: Floats, means: Floats, within: Floats | CentredRows, tolerance: float = 1e-8) -> None:
        counts, means = counts[counts > 0], means[counts > 0]
        self.n, self.K, self.tolerance = float(counts.sum()), len(counts), tolerance
        if self.K < 2 or self.n <= self.K:
            raise InputError(
                f"Wilks' lambda needs two classes and more rows than classes; there are n = {self.n:g} rows of {self.K} class(es)."
            )
        own = np.einsum("ij,ij->j", within.values, within.values) if isinstance(within, CentredRows) else np.diag(within)
        centre, spread = total_spread(counts, means, own)
        unit = np.where(spread > 0, spread, 1.0)
        # In units of each column's total spread, so that sweeps of columns in grams and in tons lose no digits to each other.
        self.V = np.sqrt(counts)[:, None] * (means - centre) / unit
        self.W: Swept
        self.T: Swept
        if isinstance(within, CentredRows):
            rows = np.divide(within.values, unit, out=within.values)
            self.W, self.T = SweptRows(rows, self.V[:0]), SweptRows(rows, self.V)
        else:
            W = within / unit / unit[:, None]
            self.W, self.T = SweptMatrix(W), SweptMatrix(W + self.V.T @ self.V)
        self.w0, self.t0 = self.W.left.copy(), self.T.left.copy()
        self.varies = (spread > 0) & (self.w0 > tolerance * self.t0)
        self.inside = np.zeros(len(self.w0), dtype=bool)
        self.barred = np.zeros(len(self.w0), dtype=bool)  # what would leave another column nothing, as it does in every larger set

    @property
    def size(self) -> int:
        """Number of columns in the set."""
        return int(self.inside.sum())

    def enter(self, j: int) -> None:
        """Put a column into the set."""
        self.W.enter(j)
        self.T.enter(j)
        self.inside[j] = True

    def remove(self, j: int) -> None:
        """Take a column out of the set."""
        self.W.remove(j)
        self.T.remove(j)
        self.inside[j] = False
        self.barred[:] = False

    def can_enter(self) -> Bools:
        """Return which columns outside the set are not determined by it, within the tolerance, (p,)."""
        free = self._varying()
        outside = np.flatnonzero(free)
        for some in np.array_split(outside, 1 + self.size * len(outside) // PRODUCTS):
            free[some] = self._leaves_the_others(some)
        return free

    def may_enter(self, j: int) -> bool:
        """Return whether one column can enter."""
        return bool(self._varying()[j] and self._leaves_the_others(np.array([j]))[0])

    def _varying(self) -> Bools:
        """Return which columns outside the set have something left."""
        free: Bools = ~self.inside & self.varies & ~self.barred
        free &= (self.W.left > self.tolerance * self.w0) & (self.T.left > self.tolerance * self.t0)
        return free

    def _leaves_the_others(self, columns: Indices) -> Bools:
        """Return whether every column in the set keeps something of its own, 1/(W⁻¹)_ii, once one of these has entered."""
        if not len(self.W.columns) or not len(columns):
            return np.ones(len(columns), dtype=bool)
        inverse = self.W.inverse_diagonal[:, None] + self.W.coefficients(columns) ** 2 / self.W.left[columns]
        kept: Bools = np.all(1.0 / inverse > self.tolerance * self.w0[self.W.columns, None], axis=0)
        return kept

    def to_enter(self) -> PartialTests:
        """Return the tests of the columns that can enter; of those that cannot, only ones that add less than the best are among them."""
        free = self._varying()
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(free, self.W.left / self.T.left, np.nan)
        tried = 1 if free.any() else 0
        while tried:
            # The best alone, then ever more of the best: near saturation nearly all columns would leave another one nothing.
            best = np.array([np.nanargmin(ratio)]) if tried == 1 else np.argsort(ratio, kind="stable")[:tried]
            best = best[~np.isnan(ratio[best])]
            stays = self._leaves_the_others(best)
            failing = best[: int(stays.argmax())] if stays.any() else best
            ratio[failing], self.barred[failing] = np.nan, True
            tried = 0 if stays.any() or np.isnan(ratio).all() else 8 * tried
        return self._tests(ratio, self.size)

    def to_remove(self) -> PartialTests:
        """Return the tests of the columns in the set, each given all others."""
        ratio = np.full(len(self.w0), np.nan)
        ratio[self.W.columns] = self.T.inverse_diagonal / self.W.inverse_diagonal
        return self._tests(ratio, self.size - 1)

    def _tests(self, ratio: Floats, others: int) -> PartialTests:
        q, nu = self.K - 1.0, self.n - self.K - others
        ratio = np.clip(ratio, 0.0, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            F = np.where(nu > 0, nu / q * (1.0 - ratio) / ratio, np.nan)
        return PartialTests(1.0 - ratio, F, q, nu)

    def test(self) -> SetTests:
        """Return the tests that the classes have equal means in the columns of the set."""
        S = self.W.columns
        q = self.K - 1
        if len(S) == 0:
            return SetTests(1.0, 1.0, 0.0, 1.0)
        V = self.V[:, S]
        # The eigenvalues of W⁻¹B are those of the K × K matrix V W⁻¹ V', B = V'V.
        found = np.linalg.eigvalsh(V @ self.W.inverse @ V.T)[::-1][: min(len(S), q)]
        wilks, pillai, *_ = multivariate_tests(np.maximum(found, 0.0), len(S), q, self.n - self.K)
        return SetTests(wilks.value, wilks.p, pillai.value / q, pillai.p)
