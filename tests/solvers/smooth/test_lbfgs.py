"""The two-loop recursion against the matrix it stands for; the line search on functions with a known minimum."""

from __future__ import annotations

import numpy as np
import pytest

from separatrix.solvers.smooth.lbfgs import Pairs
from separatrix.solvers.smooth.line_search import backtrack


def test_with_p_pairs_of_a_quadratic_the_direction_is_newtons() -> None:
    rng = np.random.default_rng(0)
    A = rng.standard_normal((5, 5))
    A = A @ A.T + np.eye(5)
    pairs = Pairs(lambda g: g.copy(), scales=False)
    conjugate = np.linalg.inv(np.linalg.cholesky(A)).T
    for s in conjugate.T:
        pairs.add(s, A @ s)
    g = rng.standard_normal(5)
    np.testing.assert_allclose(pairs.direction(g), np.linalg.solve(A, g), atol=1e-10)


def test_the_newest_pair_is_met_exactly() -> None:
    rng = np.random.default_rng(1)
    pairs = Pairs(lambda g: 3.0 * g, scales=True)
    for _ in range(4):
        s = rng.standard_normal(6)
        y = s + 0.2 * rng.standard_normal(6)
        pairs.add(s, y)
    np.testing.assert_allclose(pairs.direction(y), s, atol=1e-12)


def test_a_pair_without_curvature_is_dropped() -> None:
    pairs = Pairs(lambda g: g.copy(), scales=False)
    pairs.add(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    assert not pairs.kept


def test_the_whole_step_is_taken_where_it_serves() -> None:
    calls = []

    def half_square(x):  # type: ignore[no-untyped-def]
        calls.append(x)
        return 0.5 * float(x @ x), x

    found = backtrack(half_square, np.ones(2), 1.0, np.ones(2), 2.0)
    assert found is not None and len(calls) == 1 and not found[0].any()


def test_a_step_too_long_is_shortened_to_where_f_falls() -> None:
    found = backtrack(lambda x: (0.5 * float(x @ x), x), np.ones(2), 1.0, 100 * np.ones(2), 200.0)
    assert found is not None and found[1] < 1.0


def test_no_fall_within_rounding_is_said() -> None:
    assert backtrack(lambda x: (1.0 + 1e-30 * float(x @ x), x), np.ones(2), 1.0, 1e-9 * np.ones(2), 1e-18) is None


@pytest.mark.parametrize("size", [1e3, 1e6])
def test_an_infinite_value_is_stepped_back_from(size: float) -> None:
    found = backtrack(lambda x: (float(x[0] ** 2) if x[0] > -5 else np.inf, 2 * x), np.array([2.0]), 4.0, np.array([size]), 4 * size)
    assert found is not None and found[1] < 4.0
