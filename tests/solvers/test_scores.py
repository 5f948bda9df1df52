"""Scores of many rows are made and compared in parts that fit into a cache: what comes out does not show where a part ends."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax

from separatrix.data import Block
from separatrix.solvers import scores


@pytest.mark.parametrize("n_classes", [3, scores.SHORT, scores.SHORT + 1, 300])
@pytest.mark.parametrize("order", ["C", "F"])
def test_posteriors_are_the_softmax(n_classes: int, order: str) -> None:
    n = 2 * (scores.SOFTMAX_VALUES // n_classes) + 3
    S = np.asarray(np.random.default_rng(0).normal(0.0, 30.0, (n, n_classes)), order=order)
    S[1, 0] = -np.inf
    before = S.copy()
    assert_allclose(scores.posteriors_of(S), softmax(S, axis=1), rtol=1e-12, atol=1e-300)
    assert_array_equal(S, before)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("n_classes", [scores.FEW_CLASSES, scores.FEW_CLASSES + 1, 150])
def test_codes_are_those_of_the_scores(n_classes: int, dtype: str) -> None:
    rng = np.random.default_rng(1)
    block = Block(rng.normal(size=(9_001, 7)).astype(dtype))
    coef, intercept = rng.normal(size=(n_classes, 7)), rng.normal(size=n_classes)
    expected = (block.X.astype(np.float64) @ coef.T + intercept).argmax(axis=1)
    assert_array_equal(scores.linear_codes(block, coef, intercept), expected)
    X = block.X.copy()
    X[9_000, 3] = np.nan
    assert scores.linear_codes(Block(X), coef, intercept) is None
