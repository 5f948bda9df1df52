"""Worked numbers of the course: linear discriminants, decision theory, LDA, Gaussian naive Bayes; and two-class identities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal, norm
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression

from separatrix import GaussianNB, Hyperplane, LinearDiscriminantAnalysis
from separatrix.errors import SingularWarning

FOUR = np.array([[2.0, 4.0], [4.0, 6.0], [1.0, 6.0], [3.0, 8.0]])
BODIES = np.array(
    [(6, 180, 12), (5.92, 190, 11), (5.58, 170, 12), (5.92, 165, 10), (5, 100, 6), (5.5, 150, 8), (5.42, 130, 7), (5.75, 150, 9)]
)
SEX = np.repeat(["male", "female"], 4)


def test_spam_by_weights() -> None:
    """Bias −3, free 4, money 2: "free money" scores 3."""
    plane = Hyperplane([4.0, 2.0], -3.0)
    assert plane.score([[1, 1]]).tolist() == [3.0]
    assert plane.side([[1, 1], [0, 1]]).tolist() == [1, -1]


def test_singular_covariance_of_four_points_is_said_and_solved() -> None:
    """Class 1 (2,4),(4,6); class 2 (1,6),(3,8): Σ_ML = [[1,1],[1,1]], and no class varies along (1,−1)."""
    with pytest.warns(SingularWarning, match="along 1 direction.* involving column 0, column 1 no class varies.*shrinkage='auto'"):
        lda = LinearDiscriminantAnalysis(covariance="mle").fit(FOUR, [1, 1, 2, 2])
    assert lda.means_.tolist() == [[3.0, 5.0], [2.0, 7.0]]
    assert_allclose(lda.covariance_, [[1.0, 1.0], [1.0, 1.0]])
    assert lda.predict(FOUR).tolist() == [1, 1, 2, 2]
    assert_allclose(lda.predict_proba(FOUR), [[1, 0], [1, 0], [0, 1], [0, 1]], atol=1e-12)
    assert lda.rank_ == 1


def test_one_variable_with_equal_priors_splits_at_the_midpoint() -> None:
    lda = LinearDiscriminantAnalysis(priors=[0.5, 0.5]).fit([[4.0], [6.0], [0.0], [2.0], [1.0]], [1, 1, 2, 2, 2])
    edge = (5.0 + 1.0) / 2
    assert lda.predict([[edge + 1e-9], [edge - 1e-9]]).tolist() == [1, 2]
    assert_allclose(lda.boundary(2, 1).project([[0.0]]), [[edge]])


def test_independent_normals_have_a_diagonal_covariance() -> None:
    """N(67, 20) and N(9, 1): covariance diag(20, 1)."""
    density = multivariate_normal([67, 9], np.diag([20.0, 1.0]))
    product = norm(67, np.sqrt(20)).logpdf(70) + norm(9, 1).logpdf(8)
    assert_allclose(density.logpdf([70, 8]), product)


@pytest.mark.parametrize("priors", [None, [0.2, 0.5, 0.3]])
def test_discriminants_are_those_of_the_formula(priors: Any) -> None:
    """δ_k(x) = x'Σ⁻¹μ_k − ½ μ_k'Σ⁻¹μ_k + log π_k, up to a term that all classes share; log-odds are linear in x."""
    X, y = load_iris(return_X_y=True)
    lda = LinearDiscriminantAnalysis(priors=priors).fit(X, y)
    centred = X - lda.means_[y]
    assert_allclose(lda.covariance_, centred.T @ centred / (150 - 3))
    inverse = np.linalg.inv(lda.covariance_)
    delta = X @ inverse @ lda.means_.T - 0.5 * np.einsum("kj,ji,ki->k", lda.means_, inverse, lda.means_) + np.log(lda.priors_)
    assert_allclose(lda.decision_function(X) - lda.decision_function(X)[:, :1], delta - delta[:, :1], atol=1e-8)


def test_joint_density_is_prior_times_normal() -> None:
    X, y = load_iris(return_X_y=True)
    lda = LinearDiscriminantAnalysis().fit(X, y)
    joint = np.stack([np.log(1 / 3) + multivariate_normal(m, lda.covariance_).logpdf(X) for m in lda.means_], axis=1)
    assert_allclose(lda.predict_joint_log_proba(X), joint)
    assert_allclose(lda.log_density(X), np.log(np.exp(joint).sum(axis=1)))
    assert_allclose(lda.log_density(X, label=2), multivariate_normal(lda.means_[2], lda.covariance_).logpdf(X))


def test_iris_as_printed_by_mass() -> None:
    """R: MASS::lda(Species ~ ., iris)."""
    X, y = load_iris(return_X_y=True)
    lda = LinearDiscriminantAnalysis().fit(X, y)
    first = [0.8293776, 1.5344731, -2.2012117, -2.8104603]
    second = [0.02410215, 2.16452123, -0.93192121, 2.83918785]
    assert_allclose(np.abs(lda.scalings_.T), np.abs([first, second]), atol=5e-8)
    assert_allclose(lda.explained_variance_ratio_, [0.9912, 0.0088], atol=5e-5)
    Z = lda.transform(X)
    within = Z - np.stack([Z[y == k].mean(axis=0) for k in range(3)])[y]
    assert_allclose(within.T @ within / 147, np.eye(2), atol=1e-10)


def test_reduced_rank_prediction_with_all_directions_is_prediction() -> None:
    X, y = load_iris(return_X_y=True)
    lda = LinearDiscriminantAnalysis(n_components=1).fit(X, y)
    assert_array_equal(lda.predict(X, rank=2), lda.predict(X))
    assert lda.transform(X).shape == (150, 1) and (lda.predict(X, rank=1) != y).sum() == 2


def test_heights_weights_and_feet() -> None:
    """Variances with n − 1; (6, 130, 8) is female: joint 6.19707e−09 against 5.37791e−04, posterior male 1.1523e−05."""
    model = GaussianNB(ddof=1, var_smoothing=0).fit(BODIES, SEX)
    assert_allclose(model.var_[1], [0.035033, 122.92, 0.91667], rtol=1e-4)
    assert_allclose(model.var_[0], [0.097225, 558.33, 1.6667], rtol=1e-4)
    female, male = np.exp(model.predict_joint_log_proba([[6, 130, 8]]))[0]
    assert_allclose([male, female], [6.19707e-09, 5.37791e-04], rtol=1e-5)
    assert_allclose(model.predict_proba([[6, 130, 8]])[0, 1], 1.1523e-05, rtol=1e-4)
    assert model.predict([[6, 130, 8]]).tolist() == ["female"]


def test_two_class_direction_is_that_of_fisher_and_of_least_squares(rng: Any) -> None:
    X, y = rng.normal(size=(80, 4)) @ rng.normal(size=(4, 4)), np.arange(80) % 4 // 3
    X[y == 1] += 1.0
    lda = LinearDiscriminantAnalysis().fit(X, y)
    scatter = sum((X[y == k] - X[y == k].mean(0)).T @ (X[y == k] - X[y == k].mean(0)) for k in (0, 1))
    fisher = np.linalg.solve(scatter, X[y == 1].mean(0) - X[y == 0].mean(0))
    squares = LinearRegression().fit(X, y).coef_
    for w in (fisher, squares):
        assert_allclose(lda.coef_[0] / np.linalg.norm(lda.coef_), w / np.linalg.norm(w))


def test_mahalanobis_distance_and_prior_give_the_linear_discriminant(rng: Any) -> None:
    X, y = load_iris(return_X_y=True)
    lda = LinearDiscriminantAnalysis().fit(X, y)
    inverse = np.linalg.inv(lda.covariance_)
    distance = np.stack([np.einsum("ij,jk,ik->i", X - m, inverse, X - m) for m in lda.means_], axis=1)
    score = -distance / 2 + np.log(lda.priors_)
    assert_allclose(np.diff(score, axis=1), np.diff(lda.decision_function(X), axis=1), atol=1e-9)


def test_shared_variances_make_gaussian_naive_bayes_linear(rng: Any) -> None:
    X = rng.normal(size=(30, 3))
    X, y = np.vstack([X, X + [1.0, 2.0, 3.0]]), np.repeat([0, 1], 30)
    model = GaussianNB().fit(X, y)
    odds = np.subtract(*model.predict_log_proba(np.vstack([X[:2], X[:2].mean(axis=0)])).T[::-1])
    assert_allclose(odds[2], odds[:2].mean())


def test_boundary_is_where_two_classes_score_the_same() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    lda = LinearDiscriminantAnalysis().fit(X.to_numpy(), np.array(["s", "v", "w"])[y])
    plane = lda.boundary("v", "w")
    scores = lda.decision_function(plane.project(X.to_numpy()))
    assert_allclose(scores[:, 1], scores[:, 2], atol=1e-7)
    assert_array_equal(plane.side(X.to_numpy()) > 0, np.subtract(*lda.decision_function(X.to_numpy())[:, [2, 1]].T) > 0)
