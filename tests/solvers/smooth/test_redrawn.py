"""A sample drawn anew where L-BFGS goes astray: the same minimum, in fewer passes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from separatrix.data import as_source
from separatrix.data.recoded import Recoded
from separatrix.losses import Logistic, Softmax, SquaredHinge
from separatrix.solvers.problem import Problem
from separatrix.solvers.rows import Rows
from separatrix.solvers.smooth import newton, proven_gap, redrawn, whitened
from separatrix.solvers.smooth.objective import Objective
from separatrix.solvers.smooth.sampling import near

CASES = [(Logistic(), 2), (Softmax(), 4), (SquaredHinge(), 2)]


def nearly_apart(loss: Any, K: int, weighted: bool = False) -> Problem:
    """Classes of which some rows in a thousand lie on the wrong side."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, K, 8_000)
    X = rng.normal(size=(8_000, 6)) + 2.3 * np.eye(K, 6)[y] * 1.8
    weight = rng.integers(1, 4, len(y)).astype(float) if weighted else None
    counts = np.bincount(y, weights=weight, minlength=K).astype(float)
    return Problem(Rows.of(as_source(X, y, weight)), counts, loss, strength=1e-6, tol=1e-7)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whitened, "SAMPLE", 150)
    monkeypatch.setattr(redrawn, "FEWEST", 600)
    monkeypatch.setattr(redrawn, "SHARE", 0.1)


@pytest.mark.parametrize(("loss", "K"), CASES, ids=lambda case: str(case))
@pytest.mark.parametrize("weighted", [False, True])
def test_the_minimum_is_newtons(loss: Any, K: int, weighted: bool, small: None) -> None:
    problem = nearly_apart(loss, K, weighted)
    found, exact = whitened.solve(problem), newton.solve(problem)
    assert found.is_converged and found.objective == pytest.approx(exact.objective, rel=1e-8)


def test_passes_are_saved(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = nearly_apart(Logistic(), 2)
    with_samples = whitened.solve(problem)
    monkeypatch.setattr(redrawn, "sample_rows", lambda problem: None)
    assert 2 * with_samples.passes < whitened.solve(problem).passes


def test_few_rows_travel_to_prove_the_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    here = nearly_apart(Logistic(), 2, weighted=True)
    there = Recoded(here.rows.source, np.arange(2), np.arange(2))
    there.is_remote, seen = True, list[int]()
    problem = replace(here, rows=Rows(there, None, None))
    found = newton.solve(here)
    theta = np.column_stack([found.coef, found.intercept]) * 0.999
    told = Recoded.told

    def counted(self: Any, function: Any) -> Any:
        for value in told(self, function):
            seen.append(len(value[0]))
            yield value

    monkeypatch.setattr(proven_gap, "TRAVELLING", 100)
    monkeypatch.setattr(Recoded, "told", counted)
    f, gradient = Objective(here).at(theta)
    assert f - found.objective <= proven_gap.from_rows(Objective(problem), theta, gradient) < np.inf and sum(seen) == 100


def test_losses_of_a_sample_add_up_to_those_of_all_rows() -> None:
    problem = nearly_apart(Softmax(), 4, weighted=True)
    objective = Objective(problem)
    theta = newton.solve(problem).coef @ np.eye(6, 7)
    f, _ = objective.at(theta)
    sums = [near(objective, theta, f, 2_000, number).counts.sum() for number in range(6)]
    sample = Objective(near(objective, theta, f, 2_000, 0))
    assert np.mean(sums) == pytest.approx(problem.total, rel=0.02) and sample.at(theta)[0] == pytest.approx(f, rel=0.1)
    assert objective.passes == 8
