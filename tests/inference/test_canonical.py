from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh

from separatrix import ClassMoments
from separatrix.errors import InputError
from separatrix.inference import canonical_analysis, column_tests, pair_tests

SIZES = [(60, 4, 3), (40, 2, 5), (30, 6, 2), (12, 7, 4)]


def rows(n: int, p: int, K: int, rng: Any) -> tuple[Any, Any]:
    y = np.where(np.arange(n) % 7 == 6, 0, np.arange(n) % K)  # classes of different size
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + rng.normal(size=(K, p))[y] + 5.0, y


def analysis(X: Any, y: Any, **more: Any) -> Any:
    moments = ClassMoments.from_data(X, y, pooled=True, **more)
    return canonical_analysis(moments.counts, moments.means, moments.scatter)


def scatters(X: Any, y: Any) -> tuple[Any, Any]:
    means = np.stack([X[y == k].mean(0) for k in np.unique(y)])[np.searchsorted(np.unique(y), y)]
    return (X - means).T @ (X - means), (means - X.mean(0)).T @ (means - X.mean(0))


@pytest.mark.parametrize(("n", "p", "K"), SIZES)
def test_directions_solve_the_generalised_eigenproblem(n: int, p: int, K: int, rng: Any) -> None:
    X, y = rows(n, p, K, rng)
    W, B = scatters(X, y)
    found = analysis(X, y)
    assert_allclose(found.eigenvalues, eigh(B, W, eigvals_only=True)[::-1][: min(K - 1, p)])
    assert_allclose(B @ found.raw, W @ found.raw * found.eigenvalues, atol=1e-7 * np.abs(B).max())
    assert_allclose(found.raw.T @ W @ found.raw / (n - K), np.eye(found.raw.shape[1]), atol=1e-9)
    assert_allclose([found.within, found.between], [W, B], atol=1e-9 * np.abs(W).max())
    assert_allclose(found.proportions.sum(), 1.0)


@pytest.mark.parametrize(("n", "p", "K"), SIZES)
def test_canonical_correlations_are_those_with_the_indicators(n: int, p: int, K: int, rng: Any) -> None:
    X, y = rows(n, p, K, rng)
    found = analysis(X, y)
    Z, H = X @ found.raw, (y[:, None] == np.unique(y)).astype(float)
    fitted = H @ np.linalg.lstsq(H, Z, rcond=None)[0]
    assert_allclose(found.correlations, [np.corrcoef(Z[:, i], fitted[:, i])[0, 1] for i in range(Z.shape[1])])
    assert_allclose(found.centroids, np.stack([(Z - Z.mean(0))[y == k].mean(0) for k in np.unique(y)]), atol=1e-10)


@pytest.mark.parametrize(("n", "p", "K"), SIZES)
def test_structure_is_plain_correlation(n: int, p: int, K: int, rng: Any) -> None:
    X, y = rows(n, p, K, rng)
    found = analysis(X, y)
    Z = X @ found.raw
    means = [np.stack([A[y == k].mean(0) for k in np.unique(y)])[np.searchsorted(np.unique(y), y)] for A in (X, Z)]
    parts = {"total": (X, Z), "within": (X - means[0], Z - means[1]), "between": (means[0], means[1])}
    for kind, (A, C) in parts.items():
        expected = np.corrcoef(A.T, C.T)[: X.shape[1], X.shape[1] :]
        assert_allclose(found.structure(kind), expected, atol=1e-9)
    assert_allclose(found.standardised("total"), found.raw * X.std(axis=0, ddof=1)[:, None])
    assert_allclose(found.standardised("within"), found.raw * np.sqrt(np.diag(found.within) / found.error_freedom)[:, None])


def test_standard_deviations_do_not_change_with_units(rng: Any) -> None:
    X, y = rows(60, 4, 3, rng)
    a, b = analysis(X, y), analysis(X * [1e-6, 1.0, 30.0, 1e8], y)
    assert_allclose(a.eigenvalues, b.eigenvalues)
    for kind in ("within", "total"):
        assert_allclose(np.abs(a.standardised(kind)), np.abs(b.standardised(kind)), rtol=1e-6)
        assert_allclose(np.abs(a.structure(kind)), np.abs(b.structure(kind)), rtol=1e-6)


def test_weights_are_repeated_rows(rng: Any) -> None:
    X, y = rows(60, 4, 3, rng)
    w = rng.integers(0, 4, 60)
    a, b = analysis(X, y, sample_weight=w), analysis(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert_allclose(a.eigenvalues, b.eigenvalues)
    assert_allclose(pair_tests(a).p, pair_tests(b).p)
    assert_allclose(column_tests(a).p, column_tests(b).p)


def test_redundant_columns_change_no_test(rng: Any) -> None:
    X, y = rows(60, 3, 3, rng)
    more = np.column_stack([X, X[:, 0] - 2 * X[:, 1], np.full(60, 0.1)])
    a, b = analysis(X, y), analysis(more, y)
    assert (b.rank, b.raw.shape) == (3, (5, 2))
    assert_allclose(a.eigenvalues, b.eigenvalues)
    assert_allclose(pair_tests(a).F, pair_tests(b).F)
    assert_allclose(np.abs(a.centroids), np.abs(b.centroids))
    assert np.isnan(b.structure("total")[4]).all() and np.isnan(column_tests(b).F[4])
    assert_allclose(np.abs(b.coefficients[:3]), np.abs(a.raw))
    assert np.isnan(b.coefficients[3:]).all() and b.aliases.aliased.tolist() == [3, 4]


def test_classes_without_rows_are_left_out(rng: Any) -> None:
    X, y = rows(60, 4, 3, rng)
    moments = ClassMoments.summarise(np.arange(5), "pooled")
    from separatrix.data import Block

    wide = moments(Block(X, (2 * (y > 0) + (y > 1)).astype(np.int32)))
    assert_allclose(canonical_analysis(wide.counts, wide.means, wide.scatter).eigenvalues, analysis(X, y).eigenvalues)


def test_equal_means_have_no_direction() -> None:
    X = np.array([[1.0, 0.0], [-1.0, 0.5], [0.0, -0.5], [1.0, 0.0], [-1.0, 0.5], [0.0, -0.5]])
    found = analysis(X, [0, 0, 0, 1, 1, 1])
    assert_allclose(found.eigenvalues, 0.0, atol=1e-30)
    assert_allclose(found.proportions, 0.0)


def test_means_apart_where_no_class_varies_are_refused() -> None:
    """Class 1 (2,4),(4,6); class 2 (1,6),(3,8): no class varies along (1, −1), and there the means differ."""
    moments = ClassMoments.from_data([[2, 4], [4, 6], [1, 6], [3, 8]], [1, 1, 2, 2], pooled=True)
    with pytest.raises(InputError, match="no class varies, involving 'age', 'height': Wilks' lambda is 0.*Drop columns"):
        canonical_analysis(moments.counts, moments.means, moments.scatter, ["age", "height"])


def test_too_few_rows_are_refused() -> None:
    with pytest.raises(InputError, match="more rows than classes, and two classes; there are n = 2 rows of 2 class"):
        canonical_analysis(np.ones(2), np.eye(2), np.zeros((2, 2)))
