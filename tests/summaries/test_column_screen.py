from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.data import Block
from separatrix.summaries.column_screen import ColumnScreen
from separatrix.thresholds import Threshold

FIELDS = ("counts", "totals", "low", "high", "broken")


def rows(rng: np.random.Generator) -> tuple[Any, Any, Any]:
    X = np.column_stack([rng.random(60) < 0.4, rng.normal(size=60) * (rng.random(60) < 0.5), rng.integers(-3, 9, 60), np.full(60, 0.1)])
    return X, rng.integers(0, 2, 60).astype(np.int32), rng.integers(0, 3, 60).astype(float)


@pytest.mark.parametrize("small", [10**9, 0], ids=["reference", "kernels"])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, lambda X: X.astype(np.float32)])
def test_screen_by_brute_force_and_in_parts(small: int, kind: Any, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", small)
    X, codes, w = rows(rng)
    of = ColumnScreen.summarise(np.arange(2))
    whole = of(Block(kind(X), codes, w))
    parts = of(Block(kind(X[:25]), codes[:25], w[:25])).merge(of(Block(kind(X[25:]), codes[25:], w[25:])))
    seen = X[w > 0]
    truth = {
        "counts": np.bincount(codes, w),
        "totals": np.stack([(w * (codes == k)) @ X for k in range(2)]),
        "low": seen.min(axis=0),
        "high": seen.max(axis=0),
        "broken": (seen - np.floor(seen)).max(axis=0),
    }
    for name in FIELDS:
        assert_allclose(getattr(whole, name), truth[name], rtol=1e-6, atol=1e-6)
        assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-12, atol=1e-12)
    assert whole.is_switch.tolist() == [True, False, False, False]
    assert whole.is_constant.tolist() == [False, False, False, True]


@pytest.mark.parametrize("small", [10**9, 0], ids=["reference", "kernels"])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_what_is_not_finite_shows(small: int, bad: float, weight: float, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", small)
    X, codes, w = rows(rng)
    X[3, 1], w[3] = bad, weight
    assert not ColumnScreen.summarise(np.arange(2))(Block(X, codes, w)).is_finite
