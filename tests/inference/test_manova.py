from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from separatrix.inference import dimension_tests, multivariate_tests
from tests.inference.test_canonical import analysis

SIZES = [(1, 2, 20), (3, 1, 20), (2, 2, 9), (4, 2, 147), (5, 4, 30), (3, 6, 40), (3, 3, 3), (6, 2, 6)]


def roots(p: int, q: int, rng: Any) -> Any:
    return np.sort(rng.gamma(1.0, size=min(p, q)))[::-1]


@pytest.mark.parametrize(("p", "q", "nu"), SIZES)
def test_statistics_are_those_of_the_eigenvalues(p: int, q: int, nu: int, rng: Any) -> None:
    values = roots(p, q, rng)
    wilks, pillai, hotelling, roy = multivariate_tests(values, p, q, nu)
    assert_allclose([wilks.value, pillai.value], [np.prod(1 / (1 + values)), np.sum(values / (1 + values))])
    assert_allclose([hotelling.value, roy.value], [values.sum(), values[0]])
    for test in (wilks, pillai, roy):
        assert_allclose(test.p, stats.f.sf(test.F, test.df1, test.df2))


@pytest.mark.parametrize(("p", "q", "nu"), [(1, 1, 8), (1, 4, 20), (5, 1, 20), (6, 1, 6), (1, 4, 1e12), (5, 1, 4e19), (2, 1, 1e100)])
def test_with_one_root_all_four_are_one_exact_test(p: int, q: int, nu: float) -> None:
    """One column: analysis of variance. Two classes: Hotelling's T² = νλ, F = T²(ν − p + 1)/(νp)."""
    tests = multivariate_tests(np.array([0.7]), p, q, nu)
    F = 0.7 * nu / q if p == 1 else 0.7 * (nu - p + 1) / p
    for test in tests:
        if test.name.startswith("Hotelling") and nu - p - 1 <= 0:
            continue  # Pillai and Samson's approximation is all there is
        assert test.kind == "exact"
        assert_allclose([test.F, test.df1, test.df2], [F, max(p, q), nu if p == 1 else nu - p + 1])


def test_two_roots_give_wilks_exact_form() -> None:
    """s = 2: F = (1 − √Λ)/√Λ · (ν − p + 1)/p with 2p and 2(ν − p + 1) degrees of freedom."""
    values, p, nu = np.array([2.0, 0.3]), 4, 30
    test = multivariate_tests(values, p, 2, nu)[0]
    root = np.sqrt(np.prod(1 / (1 + values)))
    assert test.kind == "exact"
    assert_allclose([test.F, test.df1, test.df2], [(1 - root) / root * (nu - p + 1) / p, 2 * p, 2 * (nu - p + 1)])


def test_p_values_hold_their_level_under_no_difference(rng: Any) -> None:
    """Three classes of 8 normal rows in 4 columns: each p-value is close to uniform; Roy's is too small."""
    y, found = np.arange(24) % 3, []
    H = (y[:, None] == np.arange(3)) / np.sqrt(8.0)
    for _ in range(1500):
        X = rng.normal(size=(24, 4))
        M = H.T @ X
        B = M.T @ M - 24 * np.outer(X.mean(0), X.mean(0))
        values = np.sort(np.linalg.eigvals(np.linalg.solve(X.T @ X - M.T @ M, B)).real)[::-1][:2]
        found.append([t.p for t in multivariate_tests(values, 4, 2, 21)] + [t.chi2_p for t in dimension_tests(values, 4, 2, 21)[:1]])
    below = (np.array(found) < 0.1).mean(axis=0)
    assert_allclose(below[[0, 1, 2, 4]], 0.1, atol=0.025)
    assert below[3] > 0.15


@pytest.mark.parametrize(("p", "q", "nu"), SIZES)
def test_dimensions_leave_out_the_leading_roots(p: int, q: int, nu: int, rng: Any) -> None:
    values = roots(p, q, rng)
    tests = dimension_tests(values, p, q, nu)
    n = nu + q + 1
    for i, test in enumerate(tests):
        assert_allclose(test.wilks.value, np.prod(1 / (1 + values[i:])))
        assert_allclose(test.chi2, -(n - 1 - (p + q + 1) / 2) * np.log(test.wilks.value))
        assert_allclose(test.chi2_p, stats.chi2.sf(test.chi2, (p - i) * (q - i)))
    assert tests[0].wilks == multivariate_tests(values, p, q, nu)[0]


def test_extremes_stay_numbers() -> None:
    for values in (np.zeros(2), np.array([1e300, 1e-300]), np.array([1e14, 1e14])):
        for test in multivariate_tests(values, 3, 2, 10):
            assert np.isfinite([test.value, test.F, test.df2]).all() and 0 <= test.p <= 1
    assert all(test.p == 1 for test in multivariate_tests(np.zeros(2), 3, 2, 10))


def test_without_degrees_of_freedom_there_is_no_test() -> None:
    hotelling = multivariate_tests(np.array([3.0, 1.0, 0.5]), 6, 3, 6)[2]
    assert np.isnan(hotelling.F) and np.isnan(hotelling.p) and hotelling.value == 4.5


def test_three_roots_as_statsmodels_prints_them() -> None:
    """statsmodels' MANOVA on the same rows: value, num df, den df, F, Pr > F."""
    generator, y = np.random.default_rng(3), np.arange(40) % 5
    X = generator.normal(size=(40, 3)) + 0.4 * generator.normal(size=(5, 3))[y]
    found = analysis(X, y)
    tests = multivariate_tests(found.eigenvalues, 3, 4, found.error_freedom)
    expected = [
        (0.640436, 12, 87.601296, 1.339114, 0.211546),
        (0.384247, 12, 105, 1.285352, 0.238088),
        (0.523055, 12, 53.587786, 1.403611, 0.193329),
        (0.436281, 4, 35, 3.817458, 0.011188),
    ]
    assert_allclose([(t.value, t.df1, t.df2, t.F, t.p) for t in tests], expected, atol=6e-7)
