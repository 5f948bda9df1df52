"""Rows sorted by the bits of their scores are rows sorted by NumPy, ties and signs included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import roc_auc_score

from separatrix.inference import shares
from separatrix.kernels import areas as kernels
from separatrix.thresholds import Threshold

TRAPS = [-np.inf, -1e300, -1.0, -5e-324, -0.0, 0.0, 5e-324, 1.0, 1.0, 1.0 + 2e-16, np.inf]


def sorted_by_bits(score: Any) -> tuple[Any, Any]:
    keys, order = np.empty(len(score), dtype=np.uint64), np.arange(len(score), dtype=np.uint32)
    kernels.sortable(score, keys)
    kernels.radix_sort(keys, order, np.empty_like(keys), np.empty_like(order))
    return keys, order


def test_the_order_is_the_stable_one(rng: Any) -> None:
    for score in (np.array(TRAPS), rng.permutation(TRAPS), rng.normal(size=500), rng.integers(-3, 3, 500).astype(float), np.ones(7)):
        keys, order = sorted_by_bits(score)
        assert_array_equal(order, np.argsort(score, kind="stable"))
        assert_array_equal(np.diff(keys) == 0, np.diff(np.sort(score)) == 0 if np.isfinite(score).all() else np.diff(keys) == 0)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("digits", [1, 12])
def test_areas_of_both_roads_agree(digits: int, weighted: bool, rng: Any, monkeypatch: Any) -> None:
    score = rng.normal(size=400).round(digits)
    positive, weight = rng.random(400) < 0.4 + 0.1 * score, rng.uniform(0.5, 2.0, 400) if weighted else None
    folds = rng.integers(0, 3, 400)
    plain = shares.area(positive, score, weight, folds)
    monkeypatch.setattr(Threshold, "everywhere", 0)
    compiled = shares.area(positive, score, weight, folds)
    assert compiled.value == pytest.approx(roc_auc_score(positive, score, sample_weight=weight), rel=1e-12)
    assert_allclose(compiled.influence, plain.influence, atol=1e-12)
    assert_allclose(compiled.per_fold, plain.per_fold, atol=1e-12)
