"""Numbers behind the tables of logistic regression: each equal to its definition, written out in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import softmax
from scipy.stats import chi2

from separatrix.inference.collinearity import collinear_groups, collinearity_table, total_scatter, variance_inflation
from separatrix.inference.influence import influence
from separatrix.inference.logistic import (
    FisherInformation,
    effective_parameters,
    null_log_likelihood,
    pseudo_inverse,
    pseudo_r2,
    score_products,
)
from separatrix.inference.logistic_leave_one_out import approximate_leave_one_out
from separatrix.inference.logistic_tests import overall_test, term_test, wald_statistic
from separatrix.inference.profile import profile
from separatrix.models.logistic import LogisticRegression
from separatrix.solvers.smooth.firth import FirthLikelihood
from separatrix.solvers.smooth.likelihood import Likelihood, maximise
from separatrix.solvers.smooth.objective import Objective
from separatrix.summaries import ClassMoments, Moments
from tests.solvers.problems import make_problem, make_rows

CLASSES = pytest.mark.parametrize("K", [2, 3])


def fitted(K: int, n: int = 80, p: int = 3, weighted: bool = True, **options: Any) -> Any:
    X, y = make_rows(n=n, p=p, K=K, offset=3.0)
    w = np.random.default_rng(1).random(n) + 0.5 if weighted else None
    likelihood = Likelihood(make_problem(X, y, C=np.inf, weight=w, **options))
    best = maximise(likelihood, np.zeros(np.prod(likelihood.shape)))
    return X, y, np.ones(n) if w is None else w, likelihood, best, FisherInformation.of(likelihood, best.point)


def design(X: Any) -> Any:
    return np.column_stack([X, np.ones(len(X))])


def model_parts(X: Any, gamma: Any) -> tuple[Any, Any]:
    """Return p (n, m) and, for each row, (diag(p) − pp') ⊗ zz', with intercepts at x = 0."""
    Z, m = design(X), len(gamma)
    P = softmax(np.column_stack([np.zeros(len(Z)), Z @ gamma.T]), axis=1)[:, 1:]
    D = P[:, :, None] * (np.eye(m) - P[:, None, :])
    return P, np.array([np.kron(d, np.outer(z, z)) for d, z in zip(D, Z)])


@CLASSES
def test_covariances_are_the_inverse_information_and_the_sandwich(K: int) -> None:
    X, y, w, likelihood, best, fisher = fitted(K)
    P, parts = model_parts(X, fisher.coefficients)
    V = np.linalg.inv(np.tensordot(w, parts, 1))
    assert_allclose(fisher.covariance(), V, rtol=1e-5)
    U = np.array([np.kron((np.arange(1, K) == k) - p, z) for k, p, z in zip(y, P, design(X))])
    robust = fisher.covariance(score_products(likelihood, best.point.gamma))
    assert_allclose(robust, V @ (U.T * w) @ U @ V, rtol=1e-5)


@CLASSES
def test_likelihoods_and_pseudo_r2(K: int) -> None:
    X, y, w, _, _, fisher = fitted(K)
    P, _ = model_parts(X, fisher.coefficients)
    full = np.column_stack([1 - P.sum(axis=1), P])
    assert_allclose(fisher.log_likelihood, w @ np.log(full[np.arange(len(y)), y]))
    shares = np.bincount(y, w) / w.sum()
    assert_allclose(fisher.null_log_likelihood, w @ np.log(shares[y]))
    assert null_log_likelihood(np.array([2.0, 3.0]), False) == pytest.approx(-5 * np.log(2))
    found = pseudo_r2(fisher.log_likelihood, fisher.null_log_likelihood, fisher.n)
    assert found["Cox-Snell"] == pytest.approx(1 - np.exp(-2 * (fisher.log_likelihood - fisher.null_log_likelihood) / w.sum()))
    assert 0 < found["McFadden"] < found["Nagelkerke"] < 1
    assert fisher.n_parameters == (K - 1) * 4


@CLASSES
def test_tests_of_terms_are_refits_without_their_columns(K: int) -> None:
    X, y, w, likelihood, best, fisher = fitted(K)
    found = term_test(likelihood, best, [0, 2])
    smaller = Likelihood(make_problem(X[:, [1]], y, C=np.inf, weight=w))
    without = maximise(smaller, np.zeros(np.prod(smaller.shape))).point
    assert_allclose(found.likelihood_ratio.statistic, 2 * (best.point.value - without.value), rtol=1e-8)
    assert found.likelihood_ratio.freedom == 2 * (K - 1)
    coef, intercept = smaller.coefficients(without.gamma)
    wide = np.zeros((len(coef), 3))
    wide[:, 1] = coef[:, 0]
    at = likelihood.at(likelihood.baseline(wide, intercept))
    assert_allclose(found.score.statistic, at.score @ np.linalg.solve(at.information, at.score), rtol=1e-6)
    V, beta = fisher.covariance(), fisher.coefficients
    where = np.concatenate([4 * k + np.array([0, 2]) for k in range(K - 1)])
    assert_allclose(found.wald.statistic, beta.ravel()[where] @ np.linalg.solve(V[np.ix_(where, where)], beta.ravel()[where]), rtol=1e-6)
    assert found.wald.p == pytest.approx(chi2.sf(found.wald.statistic, 2 * (K - 1)))


@CLASSES
@pytest.mark.parametrize("intercept", [True, False])
def test_the_overall_test_is_that_of_all_columns(K: int, intercept: bool) -> None:
    _, _, _, likelihood, best, fisher = fitted(K, fit_intercept=intercept)
    overall, term = overall_test(likelihood, fisher), term_test(likelihood, best, [0, 1, 2])
    for name in ("likelihood_ratio", "score", "wald"):
        assert getattr(overall, name).statistic == pytest.approx(getattr(term, name).statistic, rel=1e-6)
    assert wald_statistic(fisher) == pytest.approx(term.wald.statistic, rel=1e-6)


@CLASSES
@pytest.mark.parametrize("kind", [Likelihood, FirthLikelihood])
def test_the_ends_of_a_profile_are_where_the_ratio_is_critical(K: int, kind: Any) -> None:
    X, y = make_rows(n=60, p=2, K=K)
    likelihood = kind(make_problem(X, y, C=np.inf))
    best = maximise(likelihood, np.zeros(np.prod(likelihood.shape)))
    a = np.zeros(likelihood.shape)
    a[0], a[0, -1] = [*-likelihood.centre, 0.0], 1.0  # the first intercept
    for direction in (a.ravel(), np.eye(a.size)[0]):
        found = profile(likelihood, best, direction, 0.9)
        for end in (found.lower, found.upper):
            at = maximise(likelihood, best.point.gamma, direction[:, None], np.array([end])).point.value
            assert 2 * (best.point.value - at) == pytest.approx(chi2.ppf(0.9, 1), abs=1e-5)
        assert found.lower < found.estimate < found.upper
        assert (found.p < 0.1) == (not found.lower < 0 < found.upper)


@CLASSES
def test_leverage_cook_and_dfbetas_by_their_definitions(K: int) -> None:
    X, y, w, likelihood, best, fisher = fitted(K, n=40)
    found = influence(likelihood, fisher, best.point.inverse)
    P, parts = model_parts(X, fisher.coefficients)
    whole = np.tensordot(w, parts, 1)
    assert found.leverage.sum() == pytest.approx((K - 1) * 4) and found.leverage.max() < 1
    errors = np.sqrt(np.diag(np.linalg.inv(whole)))
    for i in (0, 7, 33):
        r = (np.arange(1, K) == y[i]) - P[i]
        step = np.linalg.solve(whole - w[i] * parts[i], w[i] * np.kron(r, design(X)[i]))
        assert_allclose(found.dfbetas[i].ravel(), step / errors, rtol=1e-5)
        assert_allclose(found.cook[i], step @ whole @ step / (4 * (K - 1)), rtol=1e-5)
        assert_allclose(found.leverage[i], w[i] * np.trace(np.linalg.solve(whole, parts[i])), rtol=1e-6)


def test_residuals_and_pregibons_formulas_of_two_classes() -> None:
    X, y, _, likelihood, best, fisher = fitted(2, weighted=False)
    found = influence(likelihood, fisher, best.point.inverse)
    p = model_parts(X, fisher.coefficients)[0][:, 0]
    assert_allclose(found.pearson, (y - p) / np.sqrt(p * (1 - p)))
    assert_allclose(np.sum(found.deviance**2), -2 * fisher.log_likelihood)
    assert (np.sign(found.deviance) == np.sign(y - p)).all()
    h = found.leverage
    assert_allclose(found.cook, found.pearson**2 * h / (1 - h) ** 2 / 4, rtol=1e-8)
    rows = found.table(3)
    assert rows["row"][0] == found.cook.argmax() and len(rows) == 3


def test_residuals_of_three_classes_add_up() -> None:
    X, y, _, likelihood, best, fisher = fitted(3, weighted=False)
    found = influence(likelihood, fisher, best.point.inverse, dfbetas=False)
    P = model_parts(X, fisher.coefficients)[0]
    full = np.column_stack([1 - P.sum(axis=1), P])
    assert_allclose(found.pearson**2, (((y[:, None] == np.arange(3)) - full) ** 2 / full).sum(axis=1))
    assert_allclose(np.sum(found.deviance**2), -2 * fisher.log_likelihood)
    assert found.dfbetas is None


def test_variance_inflation_is_that_of_regressions() -> None:
    X, y = make_rows(n=50, p=4, K=3)
    found = variance_inflation(total_scatter(ClassMoments.from_data(X, y, pooled=True)))
    for j in range(4):
        others = design(np.delete(X, j, axis=1))
        rest = X[:, j] - others @ np.linalg.lstsq(others, X[:, j])[0]
        assert found[j] == pytest.approx(X[:, j].var() / rest.var(), rel=1e-8)
    assert np.isinf(variance_inflation(np.ones((2, 2)))).all()


def test_only_columns_that_take_part_in_a_dependence_are_inflated_without_bound(rng: Any) -> None:
    age, pay = rng.normal(size=(2, 200))
    sex, town = np.eye(2)[rng.integers(0, 2, 200)], np.eye(3)[rng.integers(0, 3, 200)]
    X = np.column_stack([age, pay + age, sex, town, np.full(200, 0.1), age + 1e5, 1e-6 * rng.normal(size=200)])
    scatter = total_scatter(Moments.from_data(X))
    assert np.flatnonzero(np.isinf(variance_inflation(scatter))).tolist() == [0, 2, 3, 4, 5, 6, 7, 8]
    regular = [1, 2, 4, 5, 8, 9]  # one of each dependence left out
    assert_allclose(variance_inflation(scatter)[[1, 9]], variance_inflation(scatter[np.ix_(regular, regular)])[[0, 5]])
    assert collinear_groups(scatter) == [[0, 8], [2, 3], [4, 5, 6]]
    table = collinearity_table(scatter, list("abcdefghij"))
    assert table.note == "A factor of 10 or more: a, c, d, e, f, g, i; other columns nearly determine each of these. Constant: h."


def test_columns_that_nothing_determines_are_not_said_to_be_when_rows_are_few(rng: Any) -> None:
    assert np.isinf(variance_inflation(total_scatter(Moments.from_data(rng.normal(size=(4, 6)))))).all()  # any 3 determine the rest
    assert np.isinf(variance_inflation(np.zeros((2, 2)))).all() and collinear_groups(np.zeros((2, 2))) == []


@CLASSES
def test_effective_parameters_are_a_trace(K: int) -> None:
    X, y = make_rows(n=60, p=3, K=K)
    problem = make_problem(X, y, C=np.inf)
    H = 60 * Objective(problem).curved(np.full((problem.n_scores, 4), 0.1) * np.arange(problem.n_scores)[:, None])[2]
    penalty = np.tile([0.7, 0.7, 0.7, 0.0], problem.n_scores)
    expected = np.trace(np.linalg.pinv(H + np.diag(penalty), rcond=1e-10) @ H)
    assert effective_parameters(H, penalty) == pytest.approx(expected, rel=1e-6)
    assert effective_parameters(H, np.zeros(len(H))) == pytest.approx((K - 1) * 4)
    active = np.arange(len(H)) % 4 != 1
    part = np.linalg.pinv((H + np.diag(penalty))[np.ix_(active, active)], rcond=1e-10) @ H[np.ix_(active, active)]
    assert effective_parameters(H, penalty, active) == pytest.approx(np.trace(part), rel=1e-6)


@CLASSES
def test_approximate_leave_one_out_is_one_newton_step_without_the_row(K: int) -> None:
    """z' of the formula == the scores after a Newton step on the other rows, with C held."""
    X, y = make_rows(n=50, p=3, K=K)
    w = np.random.default_rng(2).random(50) + 0.5
    model = LogisticRegression(C=0.5, tol=1e-9).fit(X, y, sample_weight=w)
    objective = Objective(make_problem(X, y, C=np.inf, weight=w))
    theta = np.column_stack([model.coef_, model.intercept_])
    penalty = np.tile([2.0, 2.0, 2.0, 0.0], len(theta))
    V, _ = pseudo_inverse(w.sum() * objective.curved(theta)[2] + np.diag(penalty))
    found = approximate_leave_one_out(objective, theta, V)
    for i in (0, 9, 31):
        kept = w * (np.arange(50) != i)
        others = Objective(make_problem(X, y, C=np.inf, weight=kept))
        _, g, H = others.curved(theta)
        U = kept.sum() * g.ravel() + penalty * theta.ravel()
        moved = theta - (pseudo_inverse(kept.sum() * H + np.diag(penalty))[0] @ U).reshape(theta.shape)
        z = moved @ [*X[i], 1.0]
        full = z if K > 2 else np.array([0.0, z[0]])
        assert found.losses[i] == pytest.approx(np.log(np.exp(full - full[y[i]]).sum()), rel=1e-5)
    assert not found.is_doubtful.any() and found.mean == pytest.approx(found.losses @ w / w.sum())
