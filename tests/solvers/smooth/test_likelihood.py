"""The likelihood and its maxima: derivatives by finite differences, optimality, agreement with the models' solver."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.errors import InputError
from separatrix.models.logistic import LogisticRegression
from separatrix.solvers.smooth.firth import FirthLikelihood
from separatrix.solvers.smooth.likelihood import Likelihood, inverse, maximise
from tests.solvers.problems import make_problem, make_rows, make_sparse

KINDS = pytest.mark.parametrize("kind", [Likelihood, FirthLikelihood])
CLASSES = pytest.mark.parametrize("K", [2, 3])


def made(kind: Any, K: int, **options: Any) -> Any:
    X, y = make_rows(n=60, p=3, K=K, offset=5.0)
    return kind(make_problem(X, y, C=np.inf, weight=np.random.default_rng(0).random(60) + 0.5, **options))


@KINDS
@CLASSES
@pytest.mark.parametrize("intercept", [True, False])
def test_the_score_is_the_derivative(kind: Any, K: int, intercept: bool, rng: np.random.Generator) -> None:
    likelihood = made(kind, K, fit_intercept=intercept)
    gamma = 0.3 * rng.standard_normal(likelihood.shape)
    if not intercept:
        gamma[:, -1] = 0.0
    point, step = likelihood.at(gamma.ravel()), 1e-5
    slopes = [
        (likelihood.value(gamma.ravel() + step * e) - likelihood.value(gamma.ravel() - step * e)) / (2 * step) for e in np.eye(gamma.size)
    ]
    free = np.ones(gamma.shape, dtype=bool)
    free[:, -1] = intercept
    assert_allclose(point.score[free.ravel()], np.array(slopes)[free.ravel()], atol=1e-5)
    assert likelihood.value(gamma.ravel()) == pytest.approx(point.value, rel=1e-12)


@CLASSES
def test_the_information_is_minus_the_second_derivative(K: int, rng: np.random.Generator) -> None:
    likelihood = made(Likelihood, K)
    gamma, step = 0.3 * rng.standard_normal(np.prod(likelihood.shape)), 1e-5
    second = [(likelihood.at(gamma + step * e).score - likelihood.at(gamma - step * e).score) / (2 * step) for e in np.eye(len(gamma))]
    point = likelihood.at(gamma)
    assert_allclose(point.information, -np.array(second), atol=1e-4)
    assert_allclose(point.inverse @ point.information, np.eye(len(gamma)), atol=1e-8)


@KINDS
@CLASSES
def test_a_maximum_under_equations_is_one(kind: Any, K: int, rng: np.random.Generator) -> None:
    likelihood = made(kind, K)
    Q = int(np.prod(likelihood.shape))
    A, v = np.linalg.qr(rng.standard_normal((Q, 2)))[0], np.array([0.3, -0.2])
    found = maximise(likelihood, np.zeros(Q), A, v)
    assert found.is_converged
    assert_allclose(A.T @ found.point.gamma, v, atol=1e-10)
    assert_allclose(found.point.score, A @ found.multipliers, atol=1e-5)
    aside = rng.standard_normal((Q, 5))
    aside -= A @ (A.T @ aside)
    assert all(likelihood.value(found.point.gamma + 0.01 * d) < found.point.value for d in aside.T)
    # The multiplier is the slope of the maximum.
    more = maximise(likelihood, found.point.gamma, A, v + [1e-4, 0.0]).point.value
    less = maximise(likelihood, found.point.gamma, A, v - [1e-4, 0.0]).point.value
    assert (more - less) / 2e-4 == pytest.approx(found.multipliers[0], abs=1e-4)


@CLASSES
def test_the_free_maximum_is_the_models_fit(K: int) -> None:
    X, y = make_rows(n=100, p=3, K=K)
    likelihood = Likelihood(make_problem(X, y, C=np.inf))
    model = LogisticRegression(C=np.inf).fit(X, y)
    coef, intercept = likelihood.coefficients(maximise(likelihood, np.zeros(np.prod(likelihood.shape))).point.gamma)
    assert_allclose(coef, model.coef_, atol=1e-6)
    assert_allclose(intercept, model.intercept_, atol=1e-6)
    assert_allclose(likelihood.coefficients(likelihood.baseline(coef, intercept))[0], coef, atol=1e-12)


def test_an_inverse_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InputError, match="information matrix has no inverse"):
        inverse(np.array([[1.0, 2.0], [2.0, 1.0]]))


def test_sparse_rows_are_the_same_rows() -> None:
    X, y = make_sparse(n=80, p=4, K=3)
    a, b = (FirthLikelihood(make_problem(rows, y, C=np.inf, fit_intercept=False)) for rows in (X, X.toarray()))
    gamma = np.linspace(-1, 1, 10)
    gamma[4::5] = 0.0
    assert_allclose(a.at(gamma).score, b.at(gamma).score, atol=1e-10)
