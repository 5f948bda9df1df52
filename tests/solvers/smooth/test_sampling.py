"""A sample that keeps rare rows and estimates sums without bias."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from separatrix.solvers.smooth import sampling
from separatrix.thresholds import Threshold
from tests.solvers.problems import make_problem, make_rows


def test_far_rows_are_always_kept() -> None:
    X, y = make_rows(n=5000)
    X[17] = X.mean(axis=0) + 100 * X.std(axis=0)
    drawn = sampling.draw(make_problem(X, y), 200, X.mean(axis=0), X.std(axis=0))
    assert len(drawn.rows.X) < 600 and (X[17] == drawn.rows.X).all(axis=1).any()


def test_sums_are_estimated_without_bias() -> None:
    X, y = make_rows(n=4000, K=3)
    weight = np.random.default_rng(0).random(4000)
    totals = []
    for seed in range(60):
        problem = make_problem(X, y, weight=weight, seed=seed)
        totals.append(sampling.draw(problem, 400, X.mean(axis=0), X.std(axis=0)).counts)
    error = np.std(totals, axis=0) / np.sqrt(60)
    assert (np.abs(np.mean(totals, axis=0) - problem.counts) < 4 * error).all()


def test_a_sample_larger_than_the_rows_is_all_rows_with_their_weights() -> None:
    X, y = make_rows(n=100)
    drawn = sampling.draw(make_problem(X, y), 10_000, X.mean(axis=0), X.std(axis=0))
    assert np.array_equal(drawn.rows.X, X) and (drawn.rows.weight == 1).all()


@pytest.mark.parametrize("limit", [0, 10**9])
def test_leverages_on_both_roads(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Threshold, "everywhere", limit)
    X, y = make_rows()
    rows = make_problem(X, y).rows
    assert rows.held is not None
    found = sampling.leverages(rows.held[0], X.mean(axis=0), 1 / X.var(axis=0))
    np.testing.assert_allclose(found, (((X - X.mean(axis=0)) / X.std(axis=0)) ** 2).sum(axis=1))
    assert found.mean() == pytest.approx(6.0)


def test_spaced_rows_carry_the_weight_of_all() -> None:
    X, y = make_rows(n=8000, K=3)
    problem = make_problem(X, y, weight=np.random.default_rng(0).random(8000))
    sample = sampling.spaced(problem, 1000)
    assert sample is not None and len(sample.rows.X) == 1000
    np.testing.assert_allclose(sample.counts, problem.counts, rtol=0.2)
    np.testing.assert_allclose(sample.rows.X.mean(axis=0), X.mean(axis=0), atol=0.2 * X.std(axis=0).max())


def rare_column(X: Any, y: Any, weight: Any) -> None:
    X[:, 2] = 0.0
    X[::97, 2] = 1.0


def rare_class(X: Any, y: Any, weight: Any) -> None:
    y[y == 2] = 1
    y[:50] = 2


def heavy_rows(X: Any, y: Any, weight: Any) -> None:
    weight[::500] = 1e4


def missing_value(X: Any, y: Any, weight: Any) -> None:
    X[:, 3] = np.nan


@pytest.mark.parametrize("spoil", [rare_column, rare_class, heavy_rows, missing_value])
def test_spaced_rows_are_not_taken_where_they_would_miss_something(spoil: Any) -> None:
    X, y = make_rows(n=8000, K=3)
    weight = np.ones(8000)
    spoil(X, y, weight)
    assert sampling.spaced(make_problem(X, y, weight=weight), 1000) is None
