"""CategoryCounts: merging columns whose categories differ, and taking rows back out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from separatrix.data import Block
from separatrix.errors import InputError
from separatrix.summaries.categories import CategoryCounts, as_objects, starts_of
from separatrix.thresholds import Threshold

ROADS = pytest.mark.parametrize("small", [10**9, 0], ids=["reference", "kernels"])


def rows(rng: Any, n: int = 80) -> tuple[Any, Any, Any]:
    return rng.integers(0, [2, 6, 4], size=(n, 3)), np.arange(n) % 3, rng.random(n)


def by_hand(X: Any, y: Any, w: Any, j: int) -> Any:
    return np.array([[w[(y == k) & (X[:, j] == c)].sum() for c in range(int(X[:, j].max()) + 1)] for k in range(3)])


@ROADS
def test_cells_are_counts(small: int, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", small)
    X, y, w = rows(rng)
    counts = CategoryCounts.from_data(X, y, w)
    assert counts.n_categories.tolist() == [2, 6, 4] and counts.n_features == 3
    for j in range(3):
        assert_allclose(counts.column(j), by_hand(X, y, w, j))
    assert_allclose(counts.present, np.repeat(counts.counts[:, None], 3, axis=1))


@ROADS
@pytest.mark.parametrize("cut", [3, 40, 77])
def test_parts_are_the_whole_though_their_categories_differ(cut: int, small: int, rng: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", small)
    X, y, w = rows(rng)
    X, order = np.sort(X, axis=0), rng.permutation(3)  # early rows have low categories only
    X = X[:, order]
    whole = CategoryCounts.from_data(X, y, w)
    parts = [CategoryCounts.from_data(X[s], y[s], w[s]) for s in (slice(cut), slice(cut, None))]
    for both in (parts[0].merge(parts[1]), parts[1].merge(parts[0])):
        assert_array_equal(both.starts, whole.starts)
        assert_allclose(both.cells, whole.cells)
    back = whole.subtract(parts[1])
    assert_array_equal(back.starts, parts[0].starts)
    assert_allclose(back.cells, parts[0].cells, atol=1e-12)


def test_named_categories_meet_by_name() -> None:
    def named(levels: list[Any], cells: list[float]) -> CategoryCounts:
        counts, rows, starts = np.array([sum(cells)]), np.array([int(sum(cells))]), starts_of(np.array([len(levels)]))
        return CategoryCounts(np.array([0]), counts, rows, starts, np.array([cells]), as_objects(levels))

    both = named(["b", "d"], [1.0, 2.0]).merge(named(["a", "d", "z"], [4.0, 8.0, 16.0]))
    assert both.names(0) == ["a", "b", "d", "z"] and both.cells.tolist() == [[4.0, 1.0, 10.0, 16.0]]
    assert both.subtract(named(["a", "d"], [4.0, 1.0])).names(0) == ["b", "d", "z"]
    with pytest.raises(InputError, match="a count would become negative"):
        both.subtract(named(["q"], [1.0]))
    with pytest.raises(InputError, match="Numbered categories and named ones"):
        both.merge(CategoryCounts.empty(np.array([0]), 1))


def test_weightless_rows_bring_no_category(rng: Any) -> None:
    X, y, w = rows(rng)
    X[0] = [9, 9, 9]
    w[0] = 0.0
    assert CategoryCounts.from_data(X, y, w).n_categories.tolist() == [2, 6, 4]


def test_empty_widened_and_refused(rng: Any) -> None:
    X, y, w = rows(rng)
    counts = CategoryCounts.from_data(X, y, w)
    empty = CategoryCounts.empty(np.arange(3), 3)
    assert_allclose(empty.merge(counts).cells, counts.cells)
    wide = counts.widened(np.array([5, 1, 4]))
    assert wide.n_categories.tolist() == [5, 6, 4]
    assert_allclose(wide.column(0)[:, :2], counts.column(0))
    assert wide.compact().n_categories.tolist() == [2, 6, 4]
    with pytest.raises(InputError, match="whole numbers 0, 1"):
        CategoryCounts.from_data([[0.5], [1.0]], [0, 1])
    with pytest.raises(InputError, match="do not go together"):
        counts.merge(CategoryCounts.empty(np.arange(3), 2))


@ROADS
def test_missing_values_are_no_category_unless_skipped(small: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(Threshold, "everywhere", small)
    hole = Block(np.array([[0.0], [np.nan], [1.0]]), np.zeros(3, dtype=np.int32))
    assert not CategoryCounts.summarise(np.arange(1))(hole).is_finite
    assert CategoryCounts.summarise(np.arange(1), skip_missing=True)(hole).cells.tolist() == [[1.0, 1.0]]
