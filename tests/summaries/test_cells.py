from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.data import Block
from separatrix.summaries.cells import Cuts, quantile_cuts
from separatrix.summaries.distinct_values import DistinctValues
from separatrix.summaries.row_sample import RowSample
from separatrix.thresholds import Threshold

KINDS = pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, lambda X: X.astype(np.float32)])


def blocks(rng: np.random.Generator, kind: Any) -> tuple[Block, Block, Block]:
    X = np.round(rng.normal(size=(80, 5)) * (rng.random((80, 5)) < 0.6) * 4) / 4
    codes, w = rng.integers(0, 3, 80).astype(np.int32), rng.integers(0, 3, 80).astype(float)
    whole = Block(kind(X), codes, w)
    return whole, Block(kind(X[:30]), codes[:30], w[:30]), Block(kind(X[30:]), codes[30:], w[30:], 30)


@pytest.mark.parametrize("small", [10**9, 0], ids=["reference", "kernels"])
@KINDS
def test_cells_by_brute_force_and_in_parts(small: int, kind: Any, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", small)
    whole, one, other = blocks(rng, kind)
    cuts = Cuts(np.array([4, 1, 2]), [np.array([-0.5, 0.0, 0.75]), np.array([0.1]), np.empty(0)])
    of = cuts.summarise(np.arange(3))
    found = of(whole)
    X = whole.dense()
    for c, (j, points) in enumerate(zip(cuts.columns, cuts.points)):
        place = (X[:, j][:, None] > points).sum(axis=1)
        truth = [[whole.weight[(whole.codes == k) & (place == b)].sum() for b in range(len(points) + 1)] for k in range(3)]
        assert_allclose(found.column(c), truth)
    assert_allclose(of(one).merge(of(other)).cells, found.cells)


@KINDS
def test_samples_and_distinct_values_in_parts(kind: Any, rng: Any) -> None:
    whole, one, other = blocks(rng, kind)
    columns = np.array([3, 0])
    for of in (RowSample.summarise(20, columns), RowSample.summarise(1000, columns)):
        together, parts = of(whole), of(other).merge(of(one))
        dense = RowSample(20, together.keys, together.rows.toarray(), together.weight) if whole.is_sparse else together
        for one_column, other_column, plain in zip(together.columns(), parts.columns(), dense.columns(), strict=True):
            for a, b, c in zip(one_column, other_column, plain, strict=True):
                assert_allclose(a, b)
                assert_allclose(a, c)
    seen = whole.dense()[whole.weight > 0]
    for limit in (1000, 4):
        of_values = DistinctValues.summarise(limit, columns)
        parts = of_values(one).merge(of_values(other))
        for j, values in zip(columns, parts.values):
            truth = np.unique(seen[:, j])
            assert values is None if len(truth) > limit else np.array_equal(values, truth)


def test_quantile_cuts_part_rows_evenly_and_keep_ties_together(rng: np.random.Generator) -> None:
    x = rng.standard_normal(1000)
    cells = np.searchsorted(quantile_cuts(np.sort(x), np.ones(1000), 8), x)
    assert np.bincount(cells).tolist() == [125] * 8
    values, weight = np.arange(20.0), np.r_[81.0, np.ones(19)]
    assert quantile_cuts(values, weight, 4).tolist() == [0.0]
    assert_allclose(quantile_cuts(values, 3 * weight, 10), quantile_cuts(values, weight, 10))
