"""A sample that keeps rare rows and estimates sums without bias."""

from __future__ import annotations

import numpy as np
import pytest

from separatrix.solvers import sampling
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
    monkeypatch.setattr(sampling, "SMALL", limit)
    X, y = make_rows()
    rows = make_problem(X, y).rows
    assert rows.held is not None
    found = sampling.leverages(rows.held[0], X.mean(axis=0), 1 / X.var(axis=0))
    np.testing.assert_allclose(found, (((X - X.mean(axis=0)) / X.std(axis=0)) ** 2).sum(axis=1))
    assert found.mean() == pytest.approx(6.0)
