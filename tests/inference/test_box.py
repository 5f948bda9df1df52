from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from separatrix import ClassMoments
from separatrix.errors import InputError
from separatrix.inference import box_test
from separatrix.inference.box import box_tails
from tests.inference.test_canonical import rows


def test_m_is_a_difference_of_log_determinants(rng: Any) -> None:
    X, y = rows(90, 3, 4, rng)
    found = box_test(ClassMoments.from_data(X, y))
    groups = [X[y == k] for k in range(4)]
    nu = np.array([len(g) - 1 for g in groups])
    covariances = [np.cov(g.T) for g in groups]
    dets = np.array([np.linalg.slogdet(S)[1] for S in covariances])
    pooled = np.linalg.slogdet(sum(n * S for n, S in zip(nu, covariances, strict=True)) / nu.sum())[1]
    assert_allclose(found.log_dets, dets)
    assert_allclose([found.M, found.log_det], [nu.sum() * pooled - nu @ dets, pooled])
    assert_allclose([found.p, found.F_p], [stats.chi2.sf(found.chi2, found.df), stats.f.sf(found.F, found.df1, found.df2)])


def test_one_column_is_bartletts_test(rng: Any) -> None:
    """Bartlett divides M by 1 + c, Box multiplies it by 1 − c."""
    X, y = rng.normal(size=(40, 1)) * (1 + np.arange(40)[:, None] % 3), np.arange(40) % 3
    found = box_test(ClassMoments.from_data(X, y))
    expected = stats.bartlett(*[X[y == k, 0] for k in range(3)])
    nu = np.bincount(y) - 1.0
    c = (np.sum(1 / nu) - 1 / nu.sum()) / 6
    assert_allclose([found.M / (1 + c), found.chi2], [expected.statistic, found.M * (1 - c)])


def test_units_and_redundant_columns_do_not_matter(rng: Any) -> None:
    X, y = rows(90, 3, 3, rng)
    A = np.column_stack([X * [1e-2, 1.0, 1e2], X[:, 0] * 2e-2, np.full(90, 0.1)])
    a, b = box_test(ClassMoments.from_data(X, y)), box_test(ClassMoments.from_data(A, y))
    assert b.rank == 3
    assert_allclose([a.M, a.p, a.F], [b.M, b.p, b.F], rtol=1e-7)
    S = np.cov(A[y == 0].T)
    values = np.linalg.eigvalsh(S[:4, :4])
    assert_allclose(b.log_dets[0], np.log(values[1:]).sum(), rtol=1e-6)


def test_equal_covariances_are_equal(rng: Any) -> None:
    X = rng.normal(size=(20, 3))
    found = box_test(ClassMoments.from_data(np.vstack([X, X + 3.0]), np.repeat([0, 1], 20)))
    assert_allclose([found.M, found.chi2, found.F], 0.0, atol=1e-10)
    assert found.p > 0.999


def test_p_values_hold_their_level(rng: Any) -> None:
    y = np.arange(36) % 3
    found = [box_test(ClassMoments.from_data(rng.normal(size=(36, 2)), y)) for _ in range(600)]
    assert_allclose(np.mean([[f.p < 0.1, f.F_p < 0.1] for f in found], axis=0), 0.1, atol=0.035)


def test_both_branches_of_the_f_approximation_meet_chi_square() -> None:
    """With many rows F·df → χ²; p = 1 has c₂ = 0 < c₁², p = 4 has c₂ > c₁²."""
    for p in (1, 4):
        chi2, df, tail, F, *_, F_tail = box_tails(float(stats.chi2.isf(0.05, p * (p + 1) / 2)), np.full(2, 1e5), p)
        assert_allclose([F * df, F_tail], [chi2, tail], rtol=1e-3)


def test_bad_input_says_what_is_needed(rng: Any) -> None:
    X, y = rows(30, 3, 2, rng)
    with pytest.raises(InputError, match=r"one scatter per class.*'pooled': ClassMoments.from_data\(X, y\)"):
        box_test(ClassMoments.from_data(X, y, pooled=True))
    few = np.r_[np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:3]]
    with pytest.raises(InputError, match=r"class 1 \(3 rows\) does not vary in all of the 3 directions"):
        box_test(ClassMoments.from_data(X[few], y[few]))
    with pytest.raises(InputError, match=r"two classes and columns that vary within them; there are 2 class\(es\) and 0"):
        box_test(ClassMoments.from_data([[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1]))
