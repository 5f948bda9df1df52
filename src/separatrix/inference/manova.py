"""Do class means differ at all, and in how many dimensions? Tests on the eigenvalues λ of W⁻¹B.

With p columns, q = K − 1, ν = n − K, s = min(p, q), m = (|p − q| − 1)/2 and N = (ν − p − 1)/2,

    Wilks' Λ = Π 1/(1 + λ)    Pillai's V = Σ λ/(1 + λ)    Hotelling–Lawley U = Σ λ    Roy's Θ = λ₁
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import chdtrc, fdtrc

from ..array_types import Floats

Kind = Literal["exact", "approximate", "upper bound"]


@dataclass(frozen=True, slots=True)
class FTest:
    """A statistic, its F with degrees of freedom, the p-value, and whether F is exact. Without degrees of freedom left, F is NaN."""

    name: str
    value: float
    F: float
    df1: float
    df2: float
    p: float
    kind: Kind


@dataclass(frozen=True, slots=True)
class DimensionTest:
    """Whether dimension `first` and all after it are noise: Wilks' Λ of these, Rao's F and Bartlett's χ²."""

    first: int
    wilks: FTest
    chi2: float
    chi2_df: float
    chi2_p: float


def f_test(name: str, value: float, F: float, df1: float, df2: float, kind: Kind) -> FTest:
    """Return the test with its p-value, or with NaN where degrees of freedom are missing."""
    if not (df1 > 0 and df2 > 0):
        return FTest(name, value, np.nan, df1, np.nan, np.nan, kind)
    return FTest(name, value, F, df1, df2, float(fdtrc(df1, df2, max(F, 0.0))), kind)


def multivariate_tests(eigenvalues: Floats, p: int, q: int, error_freedom: float) -> tuple[FTest, ...]:
    """Return the four tests that all class means are equal: Wilks, Pillai, Hotelling–Lawley, Roy, with the F approximations of SAS.

    Wilks' F is Rao's, exact for s ≤ 2. Hotelling–Lawley's is McKeon's where N > 1, else that of Pillai and Samson. Roy's F is an
    upper bound, so that its p-value is a lower one. With s = 1 all four are one exact test.

    Parameters
    ----------
    eigenvalues : (s,) of W⁻¹B
    p, q : number of columns and K − 1
    error_freedom : ν = n − K

    Examples
    --------
    >>> tests = multivariate_tests(np.array([32.1919, 0.2854]), p=4, q=2, error_freedom=147)
    >>> [(test.name, round(test.F, 1), test.df1, round(test.df2, 1)) for test in tests[:2]]
    [("Wilks' lambda", 199.1, 8.0, 288.0), ("Pillai's trace", 53.5, 8.0, 290.0)]

    References
    ----------
    SAS/STAT User's Guide, Introduction to regression procedures: multivariate tests. McKeon (1974), F approximations to the distribution of
    Hotelling's T₀², Biometrika 61.
    """
    s = min(p, q)
    kind: Kind = "exact" if s == 1 else "approximate"
    if s == 0:  # no column varies, so there is nothing in which means could differ
        values = {"Wilks' lambda": 1.0, "Pillai's trace": 0.0, "Hotelling-Lawley trace": 0.0, "Roy's greatest root": 0.0}
        return tuple(f_test(name, value, np.nan, 0.0, np.nan, "exact") for name, value in values.items())
    return (
        rao(eigenvalues, p, q, error_freedom),
        _pillai(eigenvalues, p, q, error_freedom, kind),
        _hotelling_lawley(eigenvalues, p, q, error_freedom, kind),
        _roy(eigenvalues, p, q, error_freedom, kind if s == 1 else "upper bound"),
    )


def rao(eigenvalues: Floats, p: int, q: int, error_freedom: float, first: int = 0) -> FTest:
    """Return Rao's F for Wilks' Λ of the eigenvalues from number `first` on (0: all)."""
    log_lambda = -float(np.log1p(eigenvalues[first:]).sum())
    r = error_freedom - (p - q + 1) / 2.0
    p, q = p - first, q - first
    squares = p**2 + q**2 - 5
    t = np.sqrt((p**2 * q**2 - 4) / squares) if squares > 0 else 1.0
    df1, df2 = float(p * q), float(r * t - (p * q - 2) / 2.0)
    # Λ^(−1/t) − 1, without losing a Λ near 1 or running over near 0.
    F = float(np.expm1(min(-log_lambda / t, 700.0))) * df2 / df1
    return f_test("Wilks' lambda", float(np.exp(log_lambda)), F, df1, df2, "exact" if min(p, q) <= 2 else "approximate")


def _pillai(eigenvalues: Floats, p: int, q: int, error_freedom: float, kind: Kind) -> FTest:
    s, V = min(p, q), float((eigenvalues / (1.0 + eigenvalues)).sum())
    df1, df2 = float(s * max(p, q)), float(s * (error_freedom - p + s))
    # s − V as Σ 1/(1 + λ): V may be s to the last digit.
    return f_test("Pillai's trace", V, df2 / df1 * V / float((1.0 / (1.0 + eigenvalues)).sum()), df1, df2, kind)


def _hotelling_lawley(eigenvalues: Floats, p: int, q: int, error_freedom: float, kind: Kind) -> FTest:
    s, U = min(p, q), float(eigenvalues.sum())
    N = (error_freedom - p - 1) / 2.0
    if N > 1:
        # McKeon's df2 = 4 + (pq + 2)/(b − 1), b = (p + 2N)(q + 2N)/(2(2N + 1)(N − 1)), without the 1 that b comes near for large N.
        df1, df2 = float(p * q), 4 + (p * q + 2) * 2 * (2 * N + 1) * ((N - 1) / (p * q + 2 + 2 * N * (p + q + 1)))
        c = (df2 - 2) / (2 * N)
        return f_test("Hotelling-Lawley trace", U, U / c * df2 / df1, df1, df2, kind)
    df1, df2 = float(s * max(p, q)), 2 * (s * N + 1)
    return f_test("Hotelling-Lawley trace", U, U * df2 / (s * df1), df1, df2, kind)


def _roy(eigenvalues: Floats, p: int, q: int, error_freedom: float, kind: Kind) -> FTest:
    d = max(p, q)
    df2 = error_freedom - d + q
    return f_test("Roy's greatest root", float(eigenvalues[0]), float(eigenvalues[0]) * df2 / d, float(d), float(df2), kind)


def dimension_tests(eigenvalues: Floats, p: int, q: int, error_freedom: float) -> tuple[DimensionTest, ...]:
    """Return, for each dimension, the test that it and all after it are noise.

    Rao's F as SAS prints it, and Bartlett's χ² = −(n − 1 − (p + q + 1)/2) log Λ with (p − i)(q − i) degrees of freedom.

    Parameters
    ----------
    eigenvalues, p, q, error_freedom : as in `multivariate_tests`

    Examples
    --------
    >>> tests = dimension_tests(np.array([32.1919, 0.2854]), p=4, q=2, error_freedom=147)
    >>> [(round(test.wilks.value, 4), round(test.wilks.F, 2), round(test.chi2, 1), test.chi2_df) for test in tests]
    [(0.0234, 199.15, 546.1, 8.0), (0.778, 13.79, 36.5, 3.0)]

    References
    ----------
    Bartlett (1938), Further aspects of the theory of multiple regression, Proceedings of the Cambridge Philosophical Society 34.
    """
    factor = error_freedom + q - (p + q + 1) / 2.0
    found = []
    for i in range(len(eigenvalues)):
        wilks, df = rao(eigenvalues, p, q, error_freedom, i), float((p - i) * (q - i))
        chi2 = max(factor, 0.0) * float(np.log1p(eigenvalues[i:]).sum())
        found.append(DimensionTest(i + 1, wilks, chi2, df, float(chdtrc(df, chi2))))
    return tuple(found)
