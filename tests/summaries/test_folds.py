"""Fold summaries equal those of the rows outside the fold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix import ClassMoments
from separatrix.errors import InputError
from separatrix.summaries import FoldMoments, all_but_one
from separatrix.thresholds import Threshold


@pytest.mark.parametrize("small", [10**9, 0], ids=["reference", "kernels"])
@pytest.mark.parametrize("kind", ["full", "pooled", "diagonal"])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_training_moments_are_those_of_the_other_folds(kind: Any, small: int, convert: Any, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", small)
    X, y = rng.normal(size=(90, 5)) + 1e4, np.tile([0, 1, 2], 30)
    folds, w = rng.permutation(np.arange(90) % 4), rng.random(90)
    found = FoldMoments.from_data(convert(X), y, folds, w, kind=kind).training()
    for f, moments in enumerate(found):
        rest = folds != f
        brute = ClassMoments.from_data(X[rest], y[rest], w[rest], pooled=kind == "pooled", diagonal=kind == "diagonal")
        for name in ("counts", "means", "scatter", "rows"):
            assert_allclose(getattr(moments, name), getattr(brute, name), rtol=1e-9, atol=1e-8)


def test_all_but_one_needs_two_parts() -> None:
    with pytest.raises(InputError, match="At least two folds are needed to leave one out; 1 given"):
        all_but_one([ClassMoments.empty([0, 1], 2, "pooled")])


def test_fold_numbers_are_checked() -> None:
    with pytest.raises(InputError, match="one fold number ≥ 0 for each of the 2 rows"):
        FoldMoments.from_data([[1.0], [2.0]], [0, 1], [0])
