"""Worked numbers and figures of the course: least squares, mean difference, Fisher, quadratic discriminants; and identities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_circles
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from separatrix import (
    FisherDiscriminant,
    Hyperplane,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    NearestMean,
    QuadraticDiscriminantAnalysis,
)
from separatrix.errors import SingularWarning

FOUR = np.array([[3.0, 2.0], [5.0, 2.0], [1.0, 4.0], [3.0, 6.0]])
CLASS = np.array([1, 1, 2, 2])
XOR, PARITY = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])


def direction(w: Any) -> Any:
    return np.ravel(w) / np.linalg.norm(w)


def test_mean_difference_of_four_points() -> None:
    """w = m2 − m1 = (−2, 3), threshold 4.5, J = 16.9."""
    model = NearestMean().fit(FOUR, CLASS)
    assert model.coef_.tolist() == [[-2.0, 3.0]] and model.intercept_.tolist() == [-4.5]
    assert_allclose(FisherDiscriminant().fit(FOUR, CLASS).criterion(model.coef_[0]), 16.9)
    plane, between = model.boundary(1, 2), Hyperplane.from_means([4.0, 2.0], [2.0, 5.0])
    assert plane.w.tolist() == between.w.tolist() and plane.w0 == between.w0


def test_fisher_of_four_points() -> None:
    """m1 = (4, 2), m2 = (2, 5), S_W = [[4, 2], [2, 2]], w = (−2.5, 4), midpoint 6.5, J = 17."""
    model = FisherDiscriminant().fit(FOUR, CLASS)
    assert model.means_.tolist() == [[4.0, 2.0], [2.0, 5.0]]
    assert model.summary_.scatter.tolist() == [[4.0, 2.0], [2.0, 2.0]]
    assert_allclose(model.coef_, [[-2.5, 4.0]])
    assert_allclose([model.threshold_, -model.intercept_[0]], 6.5)
    assert_allclose(model.criterion(), 17.0)
    assert_allclose(model.eigenvalues_, 17.0 * 2 * 2 / 4)
    assert model.predict(FOUR).tolist() == [1, 1, 2, 2]


def test_fishers_eigenvalues_of_iris() -> None:
    """32.1919 and 0.2854, as SAS prints them for its CANDISC example."""
    X, y = load_iris(return_X_y=True)
    assert_allclose(FisherDiscriminant().fit(X, y).eigenvalues_, [32.1919, 0.2854], atol=5e-5)


def test_far_correct_points_move_least_squares_and_not_logistic() -> None:
    """Bishop's figure 4.4: points deep on their own side turn the least-squares boundary into the other class."""
    rng = np.random.default_rng(4)
    X = np.vstack([rng.normal([-1.0, 1.0], 0.4, size=(50, 2)), rng.normal([1.0, -1.0], 0.4, size=(50, 2))])
    y = np.repeat([0, 1], 50)
    far = np.vstack([X, rng.normal([8.0, -8.0], 0.4, size=(15, 2))])
    labels = np.append(y, np.ones(15, dtype=int))
    for model, moved in ((LeastSquaresClassifier(), True), (LogisticRegression(), False)):
        before = direction(model.fit(X, y).coef_)
        assert_array_equal(model.predict(X), y)
        assert_array_equal(model.predict(far[100:]), 1)
        angle = np.degrees(np.arccos(before @ direction(model.fit(far, labels).coef_)))
        assert (angle > 45.0 and (model.predict(X) != y).any()) if moved else (angle < 1.0 and (model.predict(X) == y).all())


LINE, PLACE = np.add.outer([-4.0, 0.0, 4.0], [-1.0, -0.5, 0.5, 1.0]).reshape(-1, 1), np.repeat(["left", "middle", "right"], 4)


def test_indicators_lose_the_middle_of_three_classes_on_a_line() -> None:
    """By symmetry the middle class regresses to the constant −1/3, and one of the outer two is always above it."""
    model = LeastSquaresClassifier().fit(LINE, PLACE)
    assert_allclose(model.decision_function(LINE)[:, 1], -1 / 3)
    assert set(model.predict(LINE)) == {"left", "right"}
    assert_array_equal(model.predict(LINE)[PLACE != "middle"], PLACE[PLACE != "middle"])
    for keeper in (LogisticRegression(), LinearDiscriminantAnalysis()):
        assert_array_equal(keeper.fit(LINE, PLACE).predict(LINE), PLACE)


def test_numbers_keep_the_middle_class_in_line_order_only() -> None:
    ordered = LeastSquaresClassifier(coding="numbers").fit(LINE, PLACE)
    assert_array_equal(ordered.predict(LINE), PLACE)
    assert_allclose(ordered.predict_number([[0.0], [100.0]]), [1.0, 2.0])
    permuted = LeastSquaresClassifier(coding="numbers", numbers={"left": 0, "right": 1, "middle": 2}).fit(LINE, PLACE)
    assert set(permuted.predict(LINE[PLACE == "middle"])) == {"right"}


def test_equal_means_and_unequal_variances_have_a_quadratic_boundary() -> None:
    """Variances 1 and 9 about 0 with equal priors: the densities cross at x² = 9 log 9/8."""
    model = QuadraticDiscriminantAnalysis().fit([[-1.0], [1.0], [-3.0], [3.0]], ["narrow", "narrow", "wide", "wide"])
    edge = np.sqrt(9 * np.log(9) / 8)
    assert_allclose(model.decision_function([[edge], [-edge]]), 0.0, atol=1e-12)
    assert model.predict([[edge - 1e-9], [edge + 1e-9], [-edge - 1e-9]]).tolist() == ["narrow", "wide", "wide"]


def test_iris_as_quadratic_discriminants_see_it() -> None:
    """3 errors of 150 (R: MASS::qda); AIC 464.7511 with 44 parameters."""
    X, y = load_iris(return_X_y=True)
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    assert (QuadraticDiscriminantAnalysis(covariance="unbiased").fit(X, y).predict(X) != y).sum() == 3
    likelihood = model.predict_joint_log_proba(X)[np.arange(150), y].sum()
    assert_allclose(2 * 44 - 2 * likelihood, 464.7511, atol=5e-5)


def test_xor_becomes_separable_with_the_product() -> None:
    plain = LeastSquaresClassifier().fit(XOR, PARITY)
    assert_allclose(plain.coef_, 0.0, atol=1e-15)
    more = np.column_stack([XOR, XOR.prod(axis=1)])
    squares = LeastSquaresClassifier().fit(more, PARITY)
    assert_allclose(squares.coef_, [[0.0, 0.0, -1.0]], atol=1e-12)
    assert_array_equal(squares.predict(more), PARITY)
    with pytest.warns(SingularWarning, match="along 1 direction.* involving column 2 no class varies"):
        fisher = FisherDiscriminant().fit(more, PARITY)
    assert_allclose(direction(fisher.coef_), [0.0, 0.0, -1.0], atol=1e-6)
    assert_array_equal(fisher.predict(more), PARITY)


def test_fisher_on_products_and_on_kernel_features() -> None:
    rng = np.random.default_rng(6)
    X = np.repeat(XOR, 30, axis=0) + 0.2 * rng.normal(size=(120, 2))
    y = np.repeat(PARITY, 30)
    assert (FisherDiscriminant().fit(X, y).predict(X) == y).mean() < 0.7
    assert_array_equal(make_pipeline(PolynomialFeatures(2, include_bias=False), FisherDiscriminant()).fit(X, y).predict(X), y)
    X, y = make_circles(200, factor=0.4, noise=0.05, random_state=0)
    assert (FisherDiscriminant().fit(X, y).predict(X) == y).mean() < 0.7
    kernel = make_pipeline(Nystroem(gamma=1.0, n_components=20, random_state=0), FisherDiscriminant())
    assert_array_equal(kernel.fit(X, y).predict(X), y)


def test_two_class_directions_are_one(rng: Any) -> None:
    """Fisher = LDA = least squares, also with classes of unequal size."""
    y = np.arange(80) % 4 // 3
    X = rng.normal(size=(80, 4)) @ rng.normal(size=(4, 4)) + y[:, None]
    fisher = FisherDiscriminant().fit(X, y).coef_
    assert_allclose(direction(fisher), direction(LinearDiscriminantAnalysis().fit(X, y).coef_))
    assert_allclose(direction(fisher), direction(LeastSquaresClassifier().fit(X, y).coef_))


def test_identity_covariance_and_equal_priors_make_lda_the_nearest_mean() -> None:
    corners = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    X = np.vstack([corners, corners + [3.0, 1.0], corners + [-2.0, 5.0]])
    y = np.repeat([0, 1, 2], 4)
    lda, nearest = LinearDiscriminantAnalysis(covariance="mle").fit(X, y), NearestMean().fit(X, y)
    assert_allclose(lda.covariance_, np.eye(2))
    assert_allclose(lda.coef_, nearest.coef_, atol=1e-12)
    assert_allclose(lda.boundary(0, 2).w0, nearest.boundary(0, 2).w0)


def test_pooled_quadratic_discriminants_are_linear() -> None:
    X, y = load_iris(return_X_y=True)
    pooled, lda = QuadraticDiscriminantAnalysis(pooling=1).fit(X, y), LinearDiscriminantAnalysis(covariance="mle").fit(X, y)
    assert_allclose(pooled.predict_log_proba(X), lda.predict_log_proba(X), atol=1e-9)
