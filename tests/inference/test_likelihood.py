from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal, norm

from separatrix import ClassMoments
from separatrix.errors import InputError
from separatrix.inference.likelihood import (
    own_covariances,
    own_normals,
    own_variances,
    prior_likelihood,
    shared_covariance,
    shared_normal,
    shares,
    shrunk,
    varying,
)
from tests.inference.test_canonical import rows


def both(rng: Any, kind: str) -> tuple[Any, Any, Any, Any]:
    """Rows, other rows, and the moments of both."""
    X, y = rows(60, 3, 3, rng)
    new, z = rows(30, 3, 3, rng)
    moments = [ClassMoments.from_data(A, b, pooled=kind == "pooled", diagonal=kind == "diagonal") for A, b in ((X, y), (new, z))]
    return (X, y), (new, z), *moments


def test_shared_covariance_is_the_sum_over_rows(rng: Any) -> None:
    (X, y), (new, z), own, given = both(rng, "pooled")
    means = np.stack([X[y == k].mean(0) for k in range(3)])
    S = (X - means[y]).T @ (X - means[y]) / 60
    for alpha, unit in ((0.0, None), (0.4, None), (0.4, np.sqrt(np.diag(S)))):
        C = shrunk(S, alpha, unit)
        for A, b, moments in ((X, y, own), (new, z, given)):
            expected = sum(multivariate_normal(means[k], C).logpdf(A[b == k]).sum() for k in range(3))
            assert_allclose(shared_covariance(own, moments, shared_normal(own, alpha, unit)), expected)


def test_the_maximum_has_a_closed_form(rng: Any) -> None:
    _, _, own, _ = both(rng, "pooled")
    closed = -30 * (3 * np.log(2 * np.pi) + np.linalg.slogdet(own.scatter / 60)[1] + 3)
    assert_allclose(shared_covariance(own, own, shared_normal(own)), closed)


def test_own_covariances_are_the_sum_over_rows(rng: Any) -> None:
    (X, y), (new, z), own, given = both(rng, "full")
    normals = own_normals(own, own.scatter / own.counts[:, None, None])
    densities = [multivariate_normal(X[y == k].mean(0), np.cov(X[y == k].T, ddof=0)) for k in range(3)]
    for A, b, moments in ((X, y, own), (new, z, given)):
        assert_allclose(own_covariances(own, moments, normals), sum(densities[k].logpdf(A[b == k]).sum() for k in range(3)))


def test_own_variances_are_the_sum_over_rows(rng: Any) -> None:
    (X, y), (new, z), own, given = both(rng, "diagonal")
    for A, b, moments in ((X, y, own), (new, z, given)):
        expected = sum(norm(X[y == k].mean(0), X[y == k].std(0)).logpdf(A[b == k]).sum() for k in range(3))
        assert_allclose(own_variances(own, moments, varying(own)), expected)


def test_constant_columns_say_nothing_until_they_move(rng: Any) -> None:
    X, y = rows(60, 2, 3, rng)
    more = np.column_stack([X, np.full(60, 0.1), 1e8 + y])
    own, plain = (ClassMoments.from_data(A, y, diagonal=True) for A in (more, X))
    assert varying(own).tolist() == [True, True, False, False]
    assert_allclose(own_variances(own, own, varying(own)), own_variances(plain, plain, varying(plain)))
    moved = ClassMoments.from_data(more + [0, 0, 0.5, 0], y, diagonal=True)
    assert own_variances(own, moved, varying(own)) == -np.inf


def test_a_class_never_seen_is_impossible(rng: Any) -> None:
    X, y = rows(60, 2, 3, rng)
    seen = ClassMoments.summarise(np.arange(4), "full")
    from separatrix.data import Block

    own, given = seen(Block(X, y.astype(np.int32))), seen(Block(X, (y + 1).astype(np.int32)))
    normals = own_normals(own, own.scatter / np.maximum(own.counts, 1.0)[:, None, None])
    assert own_covariances(own, given, normals) == -np.inf and np.isfinite(own_covariances(own, own, normals))
    assert own_variances(own.to("diagonal"), given.to("diagonal"), varying(own.to("diagonal"))) == -np.inf
    assert prior_likelihood(given.counts, own.counts / 60) == -np.inf


def test_a_likelihood_without_maximum_is_refused(rng: Any) -> None:
    X, y = rows(60, 3, 3, rng)
    X[y == 1, 2] = 7.0
    full = ClassMoments.from_data(X, y)
    message = r"no maximum: class 1 \(17 rows\) varies in 2 of the 3 .* not along 'c'.*use LinearDiscriminantAnalysis"
    with pytest.raises(InputError, match=message):
        own_normals(full, full.scatter / full.counts[:, None, None], ["a", "b", "c"])
    with pytest.raises(InputError, match=r"'c' does not vary within class 1 \(1 column\(s\) like it\).*Leave such columns out"):
        varying(full.to("diagonal"), ["a", "b", "c"])


def test_shares_of_nothing_are_zero() -> None:
    assert shares(np.array([[1.0, 3.0], [0.0, 0.0]]), np.array([[4.0], [0.0]])).tolist() == [[0.25, 0.75], [0.0, 0.0]]
