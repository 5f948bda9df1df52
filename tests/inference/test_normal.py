from __future__ import annotations

from typing import Any

import numpy as np
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from separatrix.inference.normal import Normal


def likelihood(normal: Normal, X: Any, mean: Any) -> float:
    centred = X - X.mean(axis=0)
    return normal.log_likelihood(np.array([float(len(X))]), (X.mean(axis=0) - mean)[None], centred.T @ centred)


def test_moments_give_the_likelihood_of_the_rows(rng: Any) -> None:
    A = rng.normal(size=(3, 3))
    S, mean, X = A @ A.T, rng.normal(size=3), rng.normal(size=(20, 3))
    assert_allclose(likelihood(Normal.of(S, np.sqrt(np.diag(S))), X, mean), multivariate_normal(mean, S).logpdf(X).sum())


def test_a_degenerate_normal_lives_on_its_plane(rng: Any) -> None:
    A = rng.normal(size=(4, 2)) * [[1.0], [1e-3], [1e3], [1.0]]
    S = A @ A.T
    normal = Normal.of(S, np.sqrt(np.diag(S)))
    X = rng.normal(size=(20, 2)) @ A.T
    values, vectors = np.linalg.eigh(S / 1e3)
    own = X @ vectors[:, 2:] / np.sqrt(1e3)
    expected = multivariate_normal(np.zeros(2), np.diag(values[2:])).logpdf(own).sum() - 20 * np.log(1e3)
    assert normal.rank == 2
    assert_allclose(likelihood(normal, X, np.zeros(4)), expected, rtol=1e-6)
    assert likelihood(normal, X + [0, 0, 0, 1.0], np.zeros(4)) == -np.inf


def test_a_tight_class_far_from_others_has_full_rank() -> None:
    assert Normal.of(1e-14 * np.eye(2), np.ones(2)).rank == 2


def test_what_a_constant_column_has_left_is_rounding() -> None:
    normal = Normal.of(np.diag([1.0, 1e-33]), np.array([1.0, 0.0]))
    assert normal.rank == 1 and normal.log_det == 0.0


def test_no_rows_have_no_likelihood() -> None:
    assert Normal.of(np.ones((2, 2)), np.ones(2)).log_likelihood(np.zeros(1), np.zeros((1, 2)), np.zeros((2, 2))) == 0.0
