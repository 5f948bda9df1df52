"""Machines that share passes end where machines fitted one by one end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from separatrix.errors import InputError
from separatrix.losses import Logistic
from separatrix.solvers.rows import Rows
from separatrix.solvers.smooth import against_rest, newton
from separatrix.thresholds import Threshold
from tests.solvers.problems import make_problem, make_rows


def make_machines(*given: Any, **options: Any) -> Any:
    return replace(make_problem(*given, **options), loss=Logistic())


def alone(problem: Any, k: int) -> Any:
    """The problem of one machine, with rows of its own."""
    rows = problem.rows
    own = Rows.of_arrays(rows.X, (rows.codes == k).astype(np.int32), rows.weight, rows.source)
    counts = np.array([problem.total - problem.counts[k], problem.counts[k]])
    return newton.solve(replace(problem, rows=own, counts=counts))


def rare_column(X: Any) -> None:
    X[:, 0] = np.arange(len(X)) % 97 == 0


@pytest.mark.parametrize("spoil", [lambda X: None, rare_column], ids=["spaced", "drawn"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_each_machine_is_the_one_fitted_alone(spoil: Any, fit_intercept: bool, weighted: bool, rng: Any) -> None:
    X, y = make_rows(n=6000, K=4)
    spoil(X)
    problem = make_machines(X, y, weight=rng.random(6000) if weighted else None, fit_intercept=fit_intercept, tol=1e-6)
    found = against_rest.solve(problem, [2, 0])
    assert found is not None
    for solution, k in zip(found, [2, 0], strict=True):
        exact = alone(problem, k)
        assert solution.is_converged and solution.objective == pytest.approx(exact.objective, rel=1e-8)
        np.testing.assert_allclose(solution.coef, exact.coef, atol=1e-4 * np.abs(exact.coef).max())
        np.testing.assert_allclose(solution.intercept, exact.intercept, atol=1e-4)


def test_machines_that_have_ended_are_asked_no_more() -> None:
    def walk(steps: int) -> Any:
        for _ in range(steps):
            yield np.array(float(steps))
        return -steps

    seen: list[list[int]] = []
    ends = against_rest.in_step([walk(2), walk(0), walk(3)], lambda asked: seen.append(list(asked)) or dict.fromkeys(asked, (0.0, 0.0)))  # type: ignore[func-returns-value,return-value,arg-type]
    assert ends == [-2, 0, -3] and seen == [[0, 2], [0, 2], [2]]


def test_columns_far_from_zero_are_left_to_machines_that_centre_rows() -> None:
    X, y = make_rows(n=2000, K=3, offset=1e6)
    assert against_rest.solve(make_machines(X, y), [0, 1, 2]) is None


def test_a_missing_value_is_named() -> None:
    X, y = make_rows(n=4000, K=3)
    X[1234, 5] = np.nan
    with pytest.raises(InputError, match="NaN: first at row 1234, column 5"):
        against_rest.solve(make_machines(X, y), [0, 1, 2])


def test_what_machines_in_step_serve(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = make_rows(n=2000, K=3)
    assert not against_rest.serves(make_machines(X, y))  # few rows: compiled code is not loaded for them
    monkeypatch.setattr(Threshold, "everywhere", 0)
    assert against_rest.serves(make_machines(X, y))
    assert not against_rest.serves(make_machines(X, y, C=np.inf))
    assert not against_rest.serves(replace(make_machines(X, y), l1_ratio=0.5))
