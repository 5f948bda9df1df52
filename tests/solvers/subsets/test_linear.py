"""Ranks of columns do not depend on their units."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.testing import assert_allclose

from separatrix.solvers.subsets.linear import expected_gains, expected_losses


def test_units_of_columns_change_no_rank(rng: Any) -> None:
    X, slope, curvature, weight = rng.normal(size=(60, 5)), rng.normal(size=(60, 2)), rng.random((60, 2)), np.ones(60)
    units, coef = np.array([1e-8, 1e-4, 1.0, 1e4, 1e8]), rng.normal(size=(2, 5))
    gains = expected_gains(X, [0, 4], slope, curvature, weight, 0.0)
    assert_allclose(expected_gains(X * units, [0, 4], slope, curvature, weight, 0.0)[1:4], gains[1:4], rtol=1e-6)
    losses = expected_losses(X, coef, curvature, weight, 0.0)
    assert_allclose(expected_losses(X * units, coef / units, curvature, weight, 0.0), losses, rtol=1e-6)
