"""Laws that every summary keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.summaries import grouped
from separatrix.thresholds import Threshold
from tests.tables import SUMMARIES, Summary

EVERY = pytest.mark.parametrize("summary", SUMMARIES, ids=str)
ROADS = pytest.mark.parametrize("small", [10**9, 0], ids=["reference", "kernels"])


def rows(rng: np.random.Generator, n: int = 60, p: int = 4) -> tuple[Any, Any, Any]:
    y = np.concatenate([[0, 1, 2], rng.integers(0, 3, n - 3)])
    return rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.7) + 2.0 * (y == 1)[:, None], y, rng.integers(0, 4, n).astype(float)


def assert_same(summary: Summary, a: Any, b: Any, atol: float = 1e-10) -> None:
    for left, right in zip(summary.arrays(a), summary.arrays(b), strict=True):
        assert_allclose(left, right, rtol=1e-10, atol=atol)


@EVERY
@ROADS
@pytest.mark.parametrize("cut", [3, 20, 57])
def test_merge_of_parts_is_the_whole(summary: Summary, small: int, cut: int, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", small)
    X, y, w = rows(rng)
    order = np.concatenate([[0, 1, 2], 3 + rng.permutation(54), [57, 58, 59]])
    y[57:] = [0, 1, 2]
    X, y, w = X[order], y[order], w[order]
    parts = summary.of(X[:cut], y[:cut], w[:cut] + 1), summary.of(X[cut:], y[cut:], w[cut:] + 1)
    whole = summary.of(X, y, w + 1)
    assert_same(summary, parts[0].merge(parts[1]), whole)
    assert_same(summary, parts[1].merge(parts[0]), whole)


@EVERY
@ROADS
def test_integer_weight_is_repetition_and_zero_is_removal(summary: Summary, small: int, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", small)
    X, y, w = rows(rng)
    w[:3] = 1.0
    again = np.repeat(np.arange(len(y)), w.astype(int))
    assert_same(summary, summary.of(X, y, w), summary.of(X[again], y[again]))


@EVERY
@ROADS
def test_order_of_rows_does_not_matter(summary: Summary, small: int, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", small)
    X, y, w = rows(rng)
    order = rng.permutation(len(y))
    assert_same(summary, summary.of(X, y, w + 1), summary.of(X[order], y[order], w[order] + 1))


@EVERY
def test_subtract_undoes_merge(summary: Summary, rng: Any) -> None:
    X, y, w = rows(rng)
    y[40:43] = [0, 1, 2]
    whole, part, rest = (summary.of(X[s], y[s], w[s] + 1) for s in (slice(None), slice(40, None), slice(40)))
    assert_same(summary, whole.subtract(part), rest, atol=1e-9)


@EVERY
@ROADS
@pytest.mark.parametrize("convert", [np.asfortranarray, sp.csr_array, sp.csc_matrix, lambda X: sp.csr_array(sp.coo_array(X).astype("f8"))])
def test_dense_and_sparse_roads_agree(summary: Summary, small: int, convert: Any, rng: Any, monkeypatch: Any) -> None:
    X, y, w = rows(rng)
    X[:, 2] += 5.0  # a column in which every row stores a value
    expected = summary.of(X, y, w + 1)
    monkeypatch.setattr(Threshold, "everywhere", small)
    for enough in (0.0, 2.0):
        monkeypatch.setattr(grouped, "DENSE_ENOUGH", enough)
        assert_same(summary, summary.of(convert(X), y, w + 1), expected)


@EVERY
@ROADS
@pytest.mark.parametrize("sparse", [False, True])
def test_a_mean_of_1e8_with_unit_variance_survives(summary: Summary, small: int, sparse: bool, rng: Any, monkeypatch: Any) -> None:
    if summary.name == "Counts":
        pytest.skip("sums of columns are not centred")
    monkeypatch.setattr(Threshold, "everywhere", small)
    X, y, w = rows(rng)
    far = (X + 1e8).round(3)
    near = far - 1e8  # exact: both are known to the same last bit
    a, b = summary.of(sp.csr_array(far) if sparse else far, y, w + 1), summary.of(near, y, w + 1)
    for left, right in zip(summary.arrays(a)[2::3], summary.arrays(b)[2::3], strict=True):
        assert_allclose(left, right, rtol=1e-7, atol=1e-6)


@ROADS
def test_classes_far_apart_keep_their_scatter(small: int, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", small)
    X, y, _ = rows(rng)
    pooled = SUMMARIES[1]
    far = (X + 1e7 * y[:, None]).round(4)
    assert_allclose(pooled.of(far, y).scatter, pooled.of(far - 1e7 * y[:, None], y).scatter, rtol=1e-7)
