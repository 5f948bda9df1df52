from __future__ import annotations

from typing import Any

import numpy as np
from numpy.testing import assert_allclose
from scipy import stats
from scipy.spatial.distance import cdist

from separatrix.inference import column_tests, pair_tests
from tests.inference.test_canonical import analysis, rows


def test_each_column_alone_is_analysis_of_variance(rng: Any) -> None:
    X, y = rows(60, 4, 3, rng)
    found = column_tests(analysis(X, y))
    expected = [stats.f_oneway(*[X[y == k, j] for k in range(3)]) for j in range(4)]
    assert_allclose(found.F, [e.statistic for e in expected])
    assert_allclose(found.p, [e.pvalue for e in expected])
    assert_allclose(found.r2 / (1 - found.r2) * found.df2 / found.df1, found.F)


def test_distances_are_mahalanobis(rng: Any) -> None:
    X, y = rows(60, 4, 3, rng)
    found = pair_tests(analysis(X, y))
    means = np.stack([X[y == k].mean(0) for k in range(3)])
    S = (X - means[y]).T @ (X - means[y]) / 57
    assert_allclose(found.distances, cdist(means, means, "mahalanobis", VI=np.linalg.inv(S)) ** 2, atol=1e-10)


def test_a_pair_of_classes_is_hotellings_test(rng: Any) -> None:
    """K = 2: T² = n₁n₂/n D², F = T²(n − p − 1)/(p(n − 2)); and a regression on the class has the same F."""
    X, y = rows(30, 3, 2, rng)
    found = pair_tests(analysis(X, y))
    A = np.column_stack([np.ones(30), X])
    rss = np.linalg.lstsq(A, y, rcond=None)[1][0]
    F = (30 * y.var() - rss) / 3 / (rss / 26)
    assert_allclose([found.F[0, 1], found.df1, found.df2], [F, 3, 26])
    assert_allclose(found.p[0, 1], stats.f.sf(F, 3, 26))
