"""The grouped runs on any array library, and the kernels do what it says."""

from __future__ import annotations

from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.data import Block
from separatrix.summaries import grouped
from separatrix.summaries.grouped import Grouping
from separatrix.thresholds import Threshold

GROUPINGS = {
    "pooled": Grouping(3, np.zeros(3, dtype=np.int64), 1),
    "full": Grouping(3, np.arange(3), 3),
    "two slots": Grouping(3, np.array([0, 1, 0]), 2),
    "diagonal": Grouping(3, np.zeros(3, dtype=np.int64), 1, diagonal=True),
}


def rows(rng: Any) -> tuple[Any, Any, Any]:
    return rng.normal(size=(50, 4)) + 3.0, rng.integers(0, 3, 50).astype(np.int32), rng.random(50)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", GROUPINGS)
def test_reference_keeps_to_the_array_api(name: str, weighted: bool, rng: Any) -> None:
    X, codes, w = rows(rng)
    g = GROUPINGS[name]
    weight = w if weighted else None
    slots = None if g.n_slots == 1 else g.slots
    plain = grouped.reference_moments(X, codes, weight, 3, slots, g.n_slots, g.diagonal)
    given = [None if a is None else strict.asarray(a) for a in (X, codes, weight)]
    strictly = grouped.reference_moments(*given, 3, None if slots is None else strict.asarray(slots), g.n_slots, g.diagonal)
    for a, b in zip(plain, strictly, strict=True):
        assert_allclose(a, np.asarray(b), rtol=1e-12)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i2", ">f8"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("order", ["C", "F", "two tiles at a time"])
@pytest.mark.parametrize("name", GROUPINGS)
def test_kernels_do_what_the_reference_says(name: str, order: str, weighted: bool, dtype: str, rng: Any, monkeypatch: Any) -> None:
    X, codes, w = rows(rng)
    block = Block(np.asarray((10 * X).astype(dtype), order="C" if order == "C" else "F"), weight=w if weighted else None)
    expected = grouped.grouped_moments(block, codes, GROUPINGS[name])
    monkeypatch.setattr(Threshold, "everywhere", 0)
    monkeypatch.setattr(grouped, "tile_rows", lambda p: 7)
    monkeypatch.setattr(grouped, "FEW_ROWS", 1)
    monkeypatch.setattr(grouped, "COLUMN_ROWS", 14 if order == "two tiles at a time" else 7)
    for a, b in zip(grouped.grouped_moments(block, codes, GROUPINGS[name]), expected, strict=True):
        assert_allclose(a, b, rtol=1e-12)


def test_means_and_scatter_are_those_of_the_definition(rng: Any) -> None:
    X, codes, w = rows(rng)
    counts, means, scatter = grouped.grouped_moments(Block(X, weight=w), codes, GROUPINGS["full"])
    for k in range(3):
        own = codes == k
        assert_allclose(counts[k], w[own].sum())
        assert_allclose(means[k], np.average(X[own], axis=0, weights=w[own]))
        assert_allclose(scatter[k], np.cov(X[own].T, aweights=w[own], ddof=0) * w[own].sum())


def test_grouped_sums_keep_to_the_array_api(rng: Any) -> None:
    X, codes, w = rows(rng)
    counts, sums = grouped.reference_sums(strict.asarray(X), strict.asarray(codes), strict.asarray(w), 3)
    assert_allclose(np.asarray(counts), np.bincount(codes, w))
    assert_allclose(np.asarray(sums)[1], w[codes == 1] @ X[codes == 1])
