"""Probabilities by counting and their limits as alpha goes to zero."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from separatrix.solvers.closed_form.smoothing import (
    FAR,
    FEW,
    LogProbability,
    bernoulli_logs,
    log_rate,
    log_share,
    multinomial_logs,
    rule_out,
)

TINY = 1e-30
COUNTS = np.array([[3.0, 0.0, 1.0], [0.0, 0.0, 0.0], [2.0, 2.0, 4.0]])
ROWS = np.array([[3.0], [0.0], [4.0]])


def assert_limit(exact: LogProbability, near: LogProbability) -> None:
    """log p at a tiny alpha is zeros · log alpha + value."""
    zeros = 0.0 if exact.zeros is None else exact.zeros
    assert near.zeros is None
    assert_allclose(exact.value + zeros * np.log(TINY), near.value, rtol=1e-10)


def test_shares_and_switches_are_limits() -> None:
    assert_limit(multinomial_logs(COUNTS, 0.0), multinomial_logs(COUNTS, TINY))
    for exact, near in zip(bernoulli_logs(COUNTS, ROWS, 0.0), bernoulli_logs(COUNTS, ROWS, TINY)):
        assert_limit(exact, near)


def test_rates_are_limits() -> None:
    mean = COUNTS.sum(axis=0) / 7.0
    assert_limit(log_rate(COUNTS, ROWS, mean, 0.0), log_rate(COUNTS, ROWS, mean, TINY))
    assert_allclose(np.exp(log_rate(COUNTS, ROWS, mean, 2.0).exact), (COUNTS + 2.0 * mean) / (ROWS + 2.0))
    nothing = log_rate(np.zeros((2, 1)), np.ones((2, 1)), np.zeros(1), 1.0)
    assert np.isneginf(nothing.exact).all() and np.isfinite(nothing.value).all()


@pytest.mark.parametrize("alpha", [1.0, 0.5, 0.0])
def test_probabilities_add_up_to_one(alpha: float) -> None:
    on, off = bernoulli_logs(COUNTS, ROWS, alpha)
    assert_allclose(np.exp(on.exact) + np.exp(off.exact), 1.0)
    assert_allclose(np.exp(multinomial_logs(COUNTS, alpha).exact).sum(axis=1), 1.0)


@pytest.mark.parametrize("share", [0.0, FEW - 0.05, FEW + 0.05])
@pytest.mark.parametrize("alpha", [1.0, 0.0])
def test_columns_that_were_never_on_are_filled_in(share: float, alpha: float) -> None:
    rng = np.random.default_rng(0)
    rows = np.array([[9.0], [0.0], [4.5]])
    totals = np.where(rng.random((3, 400)) < share, rng.integers(1, 10, (3, 400)), 0.0).clip(max=rows)
    for found, each in zip(bernoulli_logs(totals, rows, alpha), bernoulli_logs(totals, np.repeat(rows, 400, axis=1), alpha)):
        assert_array_equal(found.exact, each.exact)
        assert_array_equal(found.value, each.value)


def test_nothing_to_share() -> None:
    assert log_share(np.zeros((2, 0)), np.zeros((2, 1)), 1.0).value.shape == (2, 0)


@pytest.mark.parametrize(
    ("zeros", "never", "expected"),
    [
        ([[0.0, 0.0, 0.0]], None, [[1.0, 2.0, 3.0]]),
        ([[0.0, 1.0, 0.0]], None, [[1.0, -FAR, 3.0]]),
        ([[2.0, 1.0, 1.0 + 1e-15]], None, [[-FAR, 2.0, 3.0]]),
        ([[2.0, 1.0, 0.0]], [False, False, True], [[-FAR, 2.0, -FAR]]),
        (None, [True, False, False], [[-FAR, 2.0, 3.0]]),
    ],
)
def test_the_fewest_zeros_stay(zeros: Any, never: Any, expected: Any) -> None:
    scores = np.array([[1.0, 2.0, 3.0]])
    found = rule_out(scores, None if zeros is None else np.array(zeros), None if never is None else np.array(never))
    assert found.tolist() == expected


def test_two_classes_in_one_column() -> None:
    found = rule_out(np.array([[0.5], [0.5], [0.5]]), np.array([[0.0], [2.0], [-1.0]]))
    assert found.tolist() == [[0.5], [-FAR], [FAR]]
