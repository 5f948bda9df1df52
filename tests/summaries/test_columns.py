"""Moments column by column, and what tells kinds of columns apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.data import Block
from separatrix.data.columns import Column, ColumnBatch
from separatrix.errors import InputError
from separatrix.summaries.column_moments import ColumnMoments
from separatrix.summaries.column_ranges import ColumnRanges
from separatrix.summaries.columns import ColumnCounts, Layout


def rows(rng: Any, n: int = 60) -> tuple[Any, Any, Any]:
    X = rng.normal(size=(n, 3)) + 1e6
    X[rng.random(X.shape) < 0.3] = np.nan
    return X, (np.arange(n) % 2).astype(np.int32), rng.random(n)


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_moments_are_those_of_the_known_rows(convert: Any, rng: Any) -> None:
    X, codes, w = rows(rng)
    moments = ColumnMoments.of(convert(X), codes, w, 2)
    for k, j in np.ndindex(2, 3):
        own = (codes == k) & ~np.isnan(X[:, j])
        mean = np.average(X[own, j], weights=w[own])
        assert_allclose(moments.counts[k, j], w[own].sum())
        assert_allclose(moments.means[k, j], mean, rtol=1e-14)
        assert_allclose(moments.scatter[k, j], w[own] @ (X[own, j] - mean) ** 2, rtol=1e-8)
    _, centre, variance = moments.total
    assert_allclose(variance[0], np.average((X[:, 0] - centre[0])[~np.isnan(X[:, 0])] ** 2, weights=w[~np.isnan(X[:, 0])]))


@pytest.mark.parametrize("cut", [1, 30, 59])
def test_moments_merge_and_subtract(cut: int, rng: Any) -> None:
    X, codes, w = rows(rng)
    whole, a, b = (ColumnMoments.of(X[s], codes[s], w[s], 2) for s in (slice(None), slice(cut), slice(cut, None)))
    for left, right in ((a.merge(b), whole), (b.merge(a), whole), (whole.subtract(b), a), (ColumnMoments.empty(2, 3).merge(a), a)):
        assert_allclose(left.counts, right.counts, atol=1e-9)
        assert_allclose(left.means * (right.counts > 0), right.means, rtol=1e-9)
        assert_allclose(left.scatter, right.scatter, rtol=1e-5, atol=1e-5)
    with pytest.raises(InputError, match="Only rows that were learned"):
        a.subtract(whole)


def batch(rng: Any, n: int = 40) -> ColumnBatch:
    city = Column("city", rng.integers(0, 2, n).astype(np.int32), np.array(["Rome", "Oslo"], dtype=object))
    return ColumnBatch((Column("x", rng.normal(size=n)), Column("n", rng.poisson(2, n)), city), None, (np.arange(n) % 2).astype(np.int32))


def test_a_batch_is_counted_by_kinds(rng: Any) -> None:
    rows = batch(rng)
    layout = Layout(np.array(["gaussian", "poisson", "categorical"], dtype=object), np.array([False, False, True]))
    counts = ColumnCounts.summarise(np.arange(2), layout, False)(rows)
    assert counts.n_features == 3 and counts.is_finite
    assert counts.categories.names(0) == ["Oslo", "Rome"]
    assert_allclose(counts.categories.cells[1], [np.sum((rows.codes == 1) & (rows.columns[2].values == code)) for code in (1, 0)])
    assert_allclose(counts.totals.totals[0, 0], rows.columns[1].values[rows.codes == 0].sum())
    assert_allclose(counts.merge(counts).subtract(counts).moments.means, counts.moments.means)
    for both in (ColumnCounts.empty(np.arange(2), layout).merge(counts), counts.merge(ColumnCounts.empty(np.arange(2), layout))):
        assert_allclose(both.categories.cells, counts.categories.cells)
        assert_allclose(both.moments.scatter, counts.moments.scatter)
    other = Layout(np.array(["gaussian", "gaussian", "categorical"], dtype=object), layout.text)
    with pytest.raises(InputError, match="different kinds"):
        counts.merge(ColumnCounts.summarise(np.arange(2), other, False)(rows))


def test_ranges_merge_and_ignore_weightless_rows(rng: Any) -> None:
    X = np.column_stack([rng.poisson(3, 300), rng.normal(size=300), rng.integers(0, 2, 300)]).astype(float)
    w = np.ones(300)
    X[250:], w[250:] = 0.5, 0.0
    whole = ColumnRanges.of(Block(X, None, w))
    parts = [ColumnRanges.of(Block(X[s], None, w[s])) for s in (slice(100), slice(100, None))]
    assert whole.whole.tolist() == [True, False, True]
    for found in (whole, parts[0].merge(parts[1])):
        assert found.whole.tolist() == [True, False, True] and not found.text.any()
        assert_allclose(found.low[[0, 2]], X[:250, [0, 2]].min(axis=0))
        assert_allclose(found.high[[0, 2]], X[:250, [0, 2]].max(axis=0))
        assert_allclose(found.total[[0, 2]], X[:250, [0, 2]].sum(axis=0))
        assert_allclose(found.squares[0], (X[:250, 0] ** 2).sum())
