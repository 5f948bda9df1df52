"""The perceptron's solvers against a few lines of Python, on every road to the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from separatrix.data import Block, Source, as_source
from separatrix.data import source as sources
from separatrix.errors import InputError
from separatrix.kernels import perceptron as kernels
from separatrix.solvers.mistakes import perceptron_rows
from separatrix.solvers.mistakes.online import Progress, Rule, learn
from separatrix.solvers.mistakes.perceptron_rows import BLOCK, WINDOW, Gathered, Held, Streamed, road_to

SEED = 12345


def rows(rng: Any, K: int, n: int = 90, p: int = 5) -> tuple[Any, Any]:
    """Whole numbers, so that every road adds up to the same bits."""
    X = rng.integers(-4, 5, (n, p)).astype(float)
    y = (X @ rng.normal(size=(p, K)) + rng.normal(size=(n, K))).argmax(axis=1)
    y[:K] = np.arange(K)
    return X, y


def orders(n: int, epochs: int, shuffle: bool) -> list[Any]:
    order, dice, found = np.arange(n), np.array([SEED], dtype=np.uint64), []
    for _ in range(epochs):
        if shuffle:
            kernels.shuffle_rows(np.arange(n), order, BLOCK, WINDOW, dice)
        found.append(order.copy())
    return found


def reference(X: Any, y: Any, c: Any, W: Any, rule: Rule, epochs: int) -> tuple[Any, Any, Any, list[tuple[int, int, float]]]:
    """Return last weights, mean weights, and (epoch, row, score) of each update: one row after the other, as in a textbook."""
    W, Z = W.copy(), np.column_stack([X, np.ones(len(X))])
    unit = np.append(np.ones(X.shape[1]), float(rule.fit_intercept))
    total, clock, updates = np.zeros_like(W), 0.0, []
    for epoch, order in enumerate(orders(len(X), epochs, rule.shuffle), 1):
        for i in order:
            f = W @ Z[i]
            if len(W) == 1:
                sign = 2 * y[i] - 1
                margin, score = sign * f[0], f[0]
                change = np.array([[sign]])
            else:
                rival = max((k for k in range(len(W)) if k != y[i]), key=lambda k: f[k])
                margin = score = f[y[i]] - f[rival]
                change = (np.eye(len(W))[y[i]] - np.eye(len(W))[rival])[:, None]
            if margin <= 0:
                W += rule.eta * c[i] * change * (unit * Z[i])
                updates.append((epoch, int(i), float(score)))
            total, clock = total + c[i] * W, clock + c[i]
    return W, total / clock, clock, updates


def begin(X: Any, K: int, average: bool = False) -> Progress:
    return Progress.begin(np.zeros((1 if K == 2 else K, X.shape[1] + 1)), average)


@pytest.mark.parametrize("K", [2, 3, 5])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_learning_is_the_textbook(K: int, intercept: bool, shuffle: bool, weighted: bool, rng: Any) -> None:
    X, y = rows(rng, K)
    c = rng.integers(1, 4, len(y)).astype(float) if weighted else np.ones(len(y))
    rule = Rule(eta=0.5, fit_intercept=intercept, shuffle=shuffle, max_iter=4, average=True, record=True)
    source = as_source(X, y, c if weighted else None)
    end, status, trace = learn(source, rule, begin(X, K, True), SEED)
    W, mean, clock, updates = reference(X, y, c, begin(X, K).weights, rule, 4)
    assert_array_equal(end.weights, W)
    assert_allclose(end.mean, mean, atol=1e-12)
    assert (end.clock, end.mistakes, end.epochs, end.rows) == (clock, len(updates), 4, len(y))
    assert trace is not None and list(zip(trace.epoch, trace.row, trace.score)) == updates
    assert status.n_mistakes == len(updates) and status.last_mistakes == sum(u[0] == 4 for u in updates)
    assert_array_equal(trace.replay(source)[-1], W)


class Blocks(Source):
    """Rows that come in blocks whose number is not known before, as files do."""

    def __init__(self, X: Any, y: Any, size: int) -> None:
        self.X, self.y, self.size = X, y.astype(np.int32), size
        self.n_features, self.classes = X.shape[1], np.unique(y)

    def blocks(self) -> Iterator[Block]:
        for a in range(0, self.X.shape[0], self.size):
            yield Block(self.X[a : a + self.size], self.y[a : a + self.size], None, a)

    def with_classes(self, classes: Any) -> Source:
        return self


def long_indices(X: Any) -> Any:
    csr = sp.csr_array(X)
    csr.indices, csr.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    return csr


ROADS: list[tuple[str, Callable[[Any], Any], type]] = [
    ("C float64", lambda X: X, Held),
    ("C float32", lambda X: X.astype(np.float32), Held),
    ("CSR", sp.csr_array, Held),
    ("CSC", sp.csc_array, Held),
    ("Fortran", np.asfortranarray, Gathered),
    ("int16", lambda X: X.astype(np.int16), Gathered),
    ("every second column", lambda X: np.repeat(X, 2, axis=1)[:, ::2], Gathered),
    ("other byte order", lambda X: X.astype(X.dtype.newbyteorder()), Gathered),
    ("CSR float32", lambda X: sp.csr_array(X.astype(np.float32)), Gathered),
    ("CSR int64 indices", long_indices, Gathered),
    ("frame", lambda X: pd.DataFrame(X), Streamed),
]


@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize(("make", "kind"), [road[1:] for road in ROADS], ids=[road[0] for road in ROADS])
def test_all_roads_see_the_same_rows_in_the_same_order(make: Any, kind: type, shuffle: bool, K: int, rng: Any, monkeypatch: Any) -> None:
    X, y = rows(rng, K, n=9000)
    assert type(road_to(as_source(make(X), y), None)) is Held  # few enough to be converted at once
    monkeypatch.setattr(perceptron_rows, "ONCE", 0)
    monkeypatch.setattr(perceptron_rows, "TILE_VALUES", 3000)
    rule = Rule(shuffle=shuffle, max_iter=2, average=True, record=True)
    expected, _, told = learn(as_source(X, y), rule, begin(X, K, True), SEED)
    source = as_source(make(X), y)
    found, _, trace = learn(source, rule, begin(X, K, True), SEED)
    assert type(road_to(source, None)) is kind
    assert_array_equal(found.weights, expected.weights)
    assert_array_equal(found.memory, expected.memory)
    assert trace is not None and told is not None
    assert_array_equal(trace.row, told.row)


@pytest.mark.parametrize("make", [lambda X: X, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("K", [2, 3])
def test_blocks_are_visited_as_they_come(make: Any, K: int, rng: Any) -> None:
    X, y = rows(rng, K)
    rule = Rule(shuffle=False, max_iter=3, record=True)
    expected, _, told = learn(as_source(X, y), rule, begin(X, K), SEED)
    found, _, trace = learn(Blocks(make(X), y, 7), rule, begin(X, K), SEED)
    assert_array_equal(found.weights, expected.weights)
    assert trace is not None and told is not None and found.rows == len(y)
    assert_array_equal(trace.row, told.row)
    assert_array_equal(trace.replay(Blocks(make(X), y, 11)), told.replay(as_source(X, y)))
    mixed = learn(Blocks(make(X), y, 7), Rule(max_iter=1, record=True), begin(X, K), SEED)[2]
    assert mixed is not None and (np.diff(mixed.row // 7) >= 0).all() and (np.diff(mixed.row) < 0).any()


def test_chunks_of_a_frame_come_in_random_order(rng: Any, monkeypatch: Any) -> None:
    X, y = rows(rng, 2)
    monkeypatch.setattr(perceptron_rows, "ONCE", 0)
    monkeypatch.setattr(sources, "CHUNK_BYTES", 8 * 5 * 10)
    trace = learn(as_source(pd.DataFrame(X), y), Rule(max_iter=1, record=True), begin(X, 2), SEED)[2]
    assert trace is not None
    chunks = trace.row // 10
    assert (np.diff(chunks) < 0).any() and len(set(chunks)) == 1 + (np.diff(chunks) != 0).sum()


@pytest.mark.parametrize("n", [1, 2, 255, 4096, 4097, 30_000])
def test_a_shuffle_is_a_permutation_from_all_over(n: int) -> None:
    first, second = orders(n, 2, shuffle=True)
    for order in (first, second):
        assert_array_equal(np.sort(order), np.arange(n))
    if n > 2:
        assert (first != second).any()
        # Neighbours of a random permutation are n/3 apart on average.
        assert np.abs(np.diff(first)).mean() == pytest.approx(n / 3, rel=0.15)


def test_a_small_shuffle_is_uniform() -> None:
    dice, order, counts = np.array([7], dtype=np.uint64), np.empty(4, dtype=np.int64), np.zeros((4, 4))
    for _ in range(4000):
        kernels.shuffle_rows(np.arange(4), order, BLOCK, WINDOW, dice)
        counts[np.arange(4), order] += 1
    assert_allclose(counts, 1000, atol=5 * np.sqrt(750))


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("once", [0, 10**6])
def test_a_row_of_weight_zero_is_not_there(K: int, once: int, rng: Any, monkeypatch: Any) -> None:
    X, y = rows(rng, K, n=6000)
    monkeypatch.setattr(perceptron_rows, "ONCE", once)
    c = rng.integers(0, 3, len(y)).astype(float)
    for make in (lambda X: X, np.asfortranarray, sp.csr_array, pd.DataFrame):
        end = learn(as_source(make(X), y, c), Rule(max_iter=2), begin(X, K), SEED)[0]
        left = learn(as_source(make(X[c > 0]), y[c > 0], c[c > 0]), Rule(max_iter=2), begin(X, K), SEED)[0]
        assert_array_equal(end.weights, left.weights)


def test_two_classes_are_the_two_rows_of_a_machine_for_more(rng: Any) -> None:
    X, y = rows(rng, 2)
    one = learn(as_source(X, y), Rule(max_iter=5, record=True), Progress.begin(np.zeros((1, 6)), False), SEED)
    two = learn(as_source(X, y), Rule(max_iter=5, record=True), Progress.begin(np.zeros((2, 6)), False), SEED)
    assert_array_equal(two[0].weights, np.vstack([-one[0].weights, one[0].weights]))
    assert one[2] is not None and two[2] is not None
    assert_array_equal(one[2].row, two[2].row)


def test_factors_of_classes_are_weights(rng: Any, monkeypatch: Any) -> None:
    X, y = rows(rng, 3)
    monkeypatch.setattr(perceptron_rows, "ONCE", 0)
    factors = np.array([1.0, 0.0, 3.0])
    for make in (lambda X: X, np.asfortranarray, pd.DataFrame):
        found = learn(as_source(make(X), y), Rule(max_iter=3), begin(X, 3), SEED, factors)[0]
        expected = learn(as_source(make(X), y, factors[y]), Rule(max_iter=3), begin(X, 3), SEED)[0]
        assert_array_equal(found.weights, expected.weights)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e308])
@pytest.mark.parametrize("make", [lambda X: X, np.asfortranarray, sp.csr_array, pd.DataFrame])
@pytest.mark.parametrize("K", [2, 3])
def test_what_is_not_finite_is_found_wherever_it_stands(bad: float, make: Any, K: int, rng: Any, monkeypatch: Any) -> None:
    X, y = rows(rng, K)
    monkeypatch.setattr(perceptron_rows, "ONCE", 0)
    X[57, 3] = X[58, 3] = bad
    message = "too large" if bad == 1e308 else "first at row 57"
    with pytest.raises(InputError, match=message):
        learn(as_source(make(X), y), Rule(eta=10.0, max_iter=3), begin(X, K), SEED)


def test_a_trace_is_cheap_and_rebuilds_any_part(rng: Any) -> None:
    X, y = rng.normal(size=(60_000, 4)), rng.integers(0, 2, 60_000)
    source = as_source(X, y)
    end, _, trace = learn(source, Rule(max_iter=5, record=True), begin(X, 2), SEED)
    assert trace is not None and len(trace) > 100_000
    table = trace.history()
    assert table.nbytes <= 48 * len(trace) and table["mistakes"][-1] == end.mistakes
    late = trace.replay(source, len(trace) - 3)
    assert late.shape == (4, 1, 5)
    assert_allclose(late[-1], end.weights, atol=1e-8)
    x = np.append(X[trace.row[-1]], 1.0)
    assert_allclose(late[2, 0] @ x, trace.score[-1], atol=1e-8)
    assert_allclose(np.abs((late[3, 0] - late[2, 0]) @ x), x @ x)
    with pytest.raises(InputError, match="updates, so first=5, last=2 cannot be shown; use 0 ≤ first"):
        trace.replay(source, 5, 2)
