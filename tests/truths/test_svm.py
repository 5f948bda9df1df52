"""Published and hand-worked support vector machines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from separatrix.models.svm import LinearSVC

POINTS = np.array([[3.0, 2.0], [5.0, 2.0], [1.0, 4.0], [3.0, 6.0]])
CLASSES = np.array([1, 1, 0, 0])
"""Two points of each class, class 1 positive."""


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sp.csr_array, sp.csc_array], ids=lambda f: f.__name__)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_hard_margin_of_four_points(form: Any, loss: Any) -> None:
    model = LinearSVC(C=np.inf, loss=loss, tol=1e-10, store_dual=True).fit(form(POINTS), CLASSES)
    assert_allclose(model.coef_, [[0.5, -0.5]], atol=1e-9)
    assert_allclose(model.intercept_, [0.5], atol=1e-9)
    assert_allclose(model.margin_, [np.sqrt(2.0)], atol=1e-8)
    # (3, 6) lies on the margin too, but its multiplier is 0.
    assert_array_equal(model.support_, [0, 2])
    assert_allclose(model.dual_coef_, [[0.25, -0.25]], atol=1e-9)
    assert_allclose(model.decision_function(POINTS), [1.0, 2.0, -1.0, -1.0], atol=1e-8)
    assert_allclose(model.solution_.objective, 0.25, atol=1e-9)
    assert model.solution_.gap < 1e-9


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_large_price_approaches_the_hard_margin(loss: Any) -> None:
    far = [abs(LinearSVC(C=C, loss=loss, tol=1e-9).fit(POINTS, CLASSES).coef_ - [[0.5, -0.5]]).max() for C in (0.1, 1.0, 1e4)]
    assert far[0] > 0.01 and far[2] < 1e-3 and far[2] <= far[1] + 1e-12 <= far[0]


def test_hard_margin_is_half_the_distance_of_the_hulls() -> None:
    square = np.array([[0.0, 0.0], [0.0, 2.0], [2.0, 0.0], [2.0, 2.0]])
    model = LinearSVC(C=np.inf, tol=1e-10).fit(np.vstack([square, square + [5.0, 1.0]]), np.repeat(["near", "far"], 4))
    assert_allclose(model.margin_, [1.5], atol=1e-8)
    assert_allclose(model.coef_, [[-2 / 3, 0.0]], atol=1e-8)
