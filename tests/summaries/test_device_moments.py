"""Moments of rows on another device: those of NumPy, to float64's last digits, whatever the mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.data import Block
from separatrix.data.device import DeviceSource
from separatrix.summaries import ClassMoments, device_moments
from separatrix.summaries.grouped import grouped_moments
from tests.libraries import each_library
from tests.summaries.test_reference import GROUPINGS, rows


@each_library
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", GROUPINGS)
def test_moments_are_those_of_numpy(name: str, weighted: bool, convert: Any, rng: Any, monkeypatch: Any) -> None:
    X, codes, w = rows(rng)
    weight = w if weighted else None
    expected = grouped_moments(Block(X, codes, weight), codes, GROUPINGS[name])
    monkeypatch.setattr(device_moments, "CPU_VALUES", 64)  # several tiles
    block = Block(convert(X), convert(codes.astype(np.int64)), None if weight is None else convert(weight))
    for a, b in zip(grouped_moments(block, block.codes, GROUPINGS[name]), expected, strict=True):
        assert isinstance(a, np.ndarray)
        assert_allclose(a, b, rtol=1e-12, atol=1e-12)


@each_library
@pytest.mark.parametrize(("dtype", "mean"), [(np.float32, 1e4), (np.float64, 1e8)])
@pytest.mark.parametrize("apart", [0.0, 1.0])
def test_means_far_above_the_deviations(apart: float, dtype: Any, mean: float, convert: Any, rng: Any) -> None:
    y = rng.integers(0, 2, 3000)
    X = (rng.normal(size=(3000, 8)) + mean * (1.0 + apart * y[:, None])).astype(dtype)
    source = DeviceSource(convert(X)).labelled(y)
    found = source.reduce(ClassMoments.summarise(source.classes, "pooled"))
    wide = X.astype(np.longdouble)
    D = wide - np.stack([wide[y == k].mean(axis=0) for k in range(2)])[y]
    exact = (D.T @ D).astype(np.float64)
    assert np.abs(found.scatter - exact).max() < 1e-9 * np.abs(exact).max()


@each_library
def test_fourth_moments_by_class(convert: Any, rng: Any) -> None:
    from separatrix.summaries.norms import ClassFourthMoments, FourthMoment

    X, codes, w = rows(rng)
    here, there = Block(X, codes, w), Block(convert(X), convert(codes.astype(np.int64)), convert(w))
    means, scale, factors = rng.normal(size=(3, 4)), 1.0 + rng.random((3, 4)), np.array([1.0, 2.0, 0.5])
    by_class = ClassFourthMoments.summarise(means, scale)
    assert_allclose(by_class(there).totals, by_class(here).totals, rtol=1e-12)
    whole = FourthMoment.summarise(means, scale[0], factors)
    assert_allclose(whole(there).total, whole(here).total, rtol=1e-12)
