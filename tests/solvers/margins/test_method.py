"""Which method machines get: by counted work, and every one of them ends where the others do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix import KFold, LinearSVC, evaluate
from separatrix.solvers.margins import machines
from separatrix.solvers.margins.method import Method, choose, fit_seconds, refits_are_cheaper, with_matrix
from separatrix.solvers.margins.step_work import INTERIOR, LAGRANGIAN, NEWTON
from tests.solvers.problems import make_problem

LOSSES = pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])


def one_hot(rng: Any, n: int, levels: int, factors: int) -> Any:
    """Return the levels of some factors, a column each."""
    columns = rng.integers(levels, size=(n, factors)) + levels * np.arange(factors)
    return sp.csr_array((np.ones(n * factors), columns.ravel(), np.arange(0, n * factors + 1, factors)), (n, levels * factors))


def test_the_least_work_comes_first(rng: Any) -> None:
    """A matrix of few columns is cheap, and on small dense tables that of all machines; elsewhere turns come before it, if there is one."""
    dense = rng.normal(size=(2_000, 300))
    for X, squared, name, in_turns in (
        (one_hot(rng, 2_000, 5, 4), True, NEWTON, False),
        (one_hot(rng, 2_000, 5, 4), False, INTERIOR, True),
        (one_hot(rng, 20_000, 300, 10), True, INTERIOR, True),
        (one_hot(rng, 6_100, 700, 10), False, "", True),
        (one_hot(rng, 5_000, 40, 10), True, NEWTON, True),
        (dense[:80, :5], False, INTERIOR, False),
        (dense, True, NEWTON, True),
        (dense, False, LAGRANGIAN, True),
    ):
        found = choose(make_problem(X, np.arange(X.shape[0]) % 2, 1.0), squared)
        assert (found.name, found.in_turns) == (name, in_turns), X.shape


@pytest.mark.parametrize("squared", [False, True])
def test_methods_change_where_their_work_is_about_the_same(squared: bool, rng: Any) -> None:
    """On both sides of the number of columns from which turns come first, a fit promises about the same seconds."""
    found = []
    for p in range(5, 100, 5):
        problem = make_problem(rng.normal(size=(20_000, p)), np.arange(20_000) % 2, 1.0)
        found.append((choose(problem, squared).in_turns, fit_seconds(problem)))
    turning = [is_turn for is_turn, _ in found]
    assert turning == sorted(turning) and not turning[0] and turning[-1]
    k = turning.index(True)
    assert found[k][1] <= 2.0 * found[k - 1][1]


@LOSSES
@pytest.mark.parametrize("penalised", [True, False])
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("shape", [(120, 15), (40, 60)], ids=["tall", "wide"])
def test_every_road_has_the_same_end(shape: tuple[int, int], K: int, penalised: bool, loss: str, rng: Any, monkeypatch: Any) -> None:
    X = np.where(rng.random(shape) < 0.4, rng.normal(size=shape), 0.0)
    y, weight = np.arange(shape[0]) % K, rng.random(shape[0]) * (rng.random(shape[0]) < 0.9)
    model, found = LinearSVC(C=0.5, loss=loss, penalize_intercept=penalised, tol=1e-10, max_iter=50_000), []
    roads = [with_matrix, lambda problem, squared: Method("", "asked", in_turns=True)]
    for road in [*roads, lambda problem, squared: Method(with_matrix(problem, squared).name, "asked", 1e-9, in_turns=True)]:
        monkeypatch.setattr(machines, "choose", road)
        for table in (X, sp.csr_array(X)):
            solution = model.fit(table, y, sample_weight=weight).solution_
            assert solution.is_converged and solution.gap <= 1e-10 * solution.objective
            found.append(solution.coef)
    for coef in found[1:]:
        assert_allclose(coef, found[0], atol=1e-4)


def test_machines_are_spared_turns_that_the_first_has_had_in_vain(rng: Any, monkeypatch: Any) -> None:
    X, y, seen = rng.normal(size=(200, 6)), np.arange(200) % 4, []
    before = machines.one_machine.in_turns
    monkeypatch.setattr(machines.one_machine, "in_turns", lambda m, s: seen.append(m.is_trial) or before(m, s))
    for seconds, count in ((1e-9, 1), (1e9, 4)):
        seen.clear()
        monkeypatch.setattr(machines, "choose", lambda problem, squared, s=seconds: Method(NEWTON, "asked", s, in_turns=True))
        found = LinearSVC(tol=1e-10).fit(X, y)
        assert found.solution_.is_converged and seen == [True, False, False, False][:count]


def test_folds_are_refitted_where_that_costs_less(rng: Any) -> None:
    X, y = one_hot(rng, 600, 100, 4), rng.integers(2, size=600)
    assert refits_are_cheaper(make_problem(X, y, 1.0)) and not refits_are_cheaper(make_problem(X.toarray()[:, :8], y, 1.0))
    estimate = evaluate(LinearSVC(), X, y, plan=KFold(4, random_state=0))
    again = evaluate(LinearSVC(), X, y, plan=KFold(4, random_state=0), exact=True)
    assert estimate.error == again.error and "refits" in str(estimate.method)
