"""Laws of every smooth solver: optimality first, then agreement, weights, shifts, units, starts, stops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.errors import InputError
from separatrix.solvers import choice
from separatrix.solvers.problem import Problem
from separatrix.solvers.smooth import curved, dual_logistic, newton, newton_cg, whitened
from separatrix.solvers.solution import Solution, Status
from tests.solvers.problems import make_problem, make_rows, make_sparse, objective

Solver = Callable[[Problem], Solution]
SOLVERS: list[Any] = [newton.solve, whitened.solve, curved.solve, newton_cg.solve]
EVERY = pytest.mark.parametrize("solve", SOLVERS, ids=lambda f: f.__module__.split(".")[-1])
CLASSES = pytest.mark.parametrize("K", [2, 4])


def kronecker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whitened, "EXPLICIT", 0)


@CLASSES
@EVERY
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_gradient_vanishes(solve: Solver, K: int, fit_intercept: bool) -> None:
    problem = make_problem(*make_rows(K=K), fit_intercept=fit_intercept, tol=1e-6)
    found = solve(problem)
    f, g, gb = objective(problem, found.coef, found.intercept)
    assert found.is_converged and found.objective == pytest.approx(f, rel=1e-12)
    assert np.abs(g).max() <= 1e-6 and np.abs(gb if fit_intercept else found.intercept).max() <= 1e-6
    assert found.gradient_norm == pytest.approx(max(np.abs(g).max(), np.abs(gb).max() * fit_intercept), abs=1e-7)


@CLASSES
@EVERY
def test_the_gap_bounds_what_is_left(solve: Solver, K: int) -> None:
    X, y = make_rows(K=K)
    best = newton.solve(make_problem(X, y, tol=1e-8)).objective
    found = solve(make_problem(X, y, tol=1e-2))
    assert -1e-12 <= found.objective - best <= found.gap + 1e-12


@CLASSES
def test_kronecker_whitening_agrees(K: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = make_problem(*make_rows(K=K), tol=1e-6)
    explicit = whitened.solve(problem)
    kronecker(monkeypatch)
    found = whitened.solve(problem)
    np.testing.assert_allclose(found.coef, explicit.coef, atol=1e-4)
    assert found.objective == pytest.approx(explicit.objective, rel=1e-9)


@EVERY
@CLASSES
def test_integer_weights_are_repeated_rows(solve: Solver, K: int) -> None:
    X, y = make_rows(K=K)
    w = np.random.default_rng(1).integers(0, 4, len(y))
    w[:K] = 1
    weighted = solve(make_problem(X, y, weight=w, tol=1e-7))
    repeated = solve(make_problem(np.repeat(X, w, axis=0), np.repeat(y, w), tol=1e-7))
    np.testing.assert_allclose(weighted.coef, repeated.coef, atol=1e-5)
    assert weighted.objective == pytest.approx(repeated.objective, rel=1e-10)


@EVERY
@CLASSES
def test_a_shift_of_the_columns_moves_the_intercept_only(solve: Solver, K: int) -> None:
    (X, y), (shifted, _) = make_rows(K=K), make_rows(K=K, offset=1e2)
    a, b = solve(make_problem(X, y, tol=1e-6, max_iter=1000)), solve(make_problem(shifted, y, tol=1e-6, max_iter=1000))
    np.testing.assert_allclose(a.coef, b.coef, atol=1e-4)


@pytest.mark.parametrize("solve", [newton.solve, whitened.solve, curved.solve], ids=["newton", "whitened", "curved"])
def test_a_mean_of_1e8_leaves_the_coefficients_alone(solve: Solver) -> None:
    X, y = make_rows()
    X = np.round(X * 64) / 64  # exact at 1e8 too
    near, far = solve(make_problem(X, y)), solve(make_problem(X + 1e8, y))
    np.testing.assert_allclose(near.coef, far.coef, rtol=1e-5, atol=1e-6)


@EVERY
@CLASSES
def test_float32_rows_are_the_same_rows(solve: Solver, K: int) -> None:
    X, y = make_rows(K=K)
    single = X.astype(np.float32)
    a, b = solve(make_problem(single, y, tol=1e-7)), solve(make_problem(single.astype(float), y, tol=1e-7))
    np.testing.assert_allclose(a.coef, b.coef, atol=1e-6)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("solve", [newton.solve, newton_cg.solve, dual_logistic.solve], ids=["newton", "newton_cg", "dual"])
@CLASSES
def test_sparse_equals_dense(solve: Solver, K: int, index: Any) -> None:
    if K > 2 and solve is dual_logistic.solve:
        pytest.skip("the dual is that of two classes")
    X, y = make_sparse(K=K, index=index, p=80 if solve is newton.solve else 300)
    found = solve(make_problem(X, y, tol=1e-7, max_iter=300))
    dense = newton_cg.solve(make_problem(X.toarray(), y, tol=1e-8, max_iter=300))
    assert found.is_converged
    np.testing.assert_allclose(found.coef, dense.coef, atol=1e-4)
    assert found.objective == pytest.approx(dense.objective, rel=1e-9)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_dual_is_optimal_with_weights(fit_intercept: bool) -> None:
    X, y = make_sparse()
    w = np.random.default_rng(2).integers(0, 3, len(y)).astype(float)
    w[:2] = 1
    problem = make_problem(X, y, C=5.0, weight=w, tol=1e-6, fit_intercept=fit_intercept)
    found = dual_logistic.solve(problem)
    _, g, gb = objective(problem, found.coef, found.intercept)
    assert np.abs(g).max() <= 1e-6 and np.abs(gb if fit_intercept else found.intercept).max() <= 1e-6


@EVERY
def test_a_warm_start_at_the_solution_takes_hardly_a_step(solve: Solver) -> None:
    X, y = make_rows(K=3)
    best = newton.solve(make_problem(X, y))
    found = solve(make_problem(X, y, start=(best.coef, best.intercept)))
    assert found.iterations <= 3
    np.testing.assert_allclose(found.coef, best.coef, atol=1e-3)


@pytest.mark.parametrize("solve", [newton.solve, curved.solve, newton_cg.solve], ids=["newton", "curved", "newton_cg"])
def test_a_stop_at_max_iter_says_so(solve: Solver) -> None:
    found = solve(make_problem(*make_rows(K=3), max_iter=1, C=100.0))
    assert found.status is Status.MAX_ITER and not found.is_converged
    assert "Raise max_iter" in found.describe() and np.isfinite(found.coef).all()


@EVERY
@CLASSES
def test_separable_classes_without_penalty_are_seen(solve: Solver, K: int) -> None:
    X = np.repeat(np.eye(K), 5, axis=0) * 4 + np.random.default_rng(0).standard_normal((5 * K, K)) * 0.1
    found = solve(make_problem(X, np.repeat(np.arange(K), 5), C=np.inf))
    assert found.status is Status.SEPARABLE and np.isinf(found.gap) and "C to a finite number" in found.describe()


def test_quasi_separable_classes_are_seen_by_newton() -> None:
    found = newton.solve(make_problem(np.array([[0.0], [0], [0], [1], [1]]), [0, 1, 1, 1, 1], C=np.inf))
    assert found.status is Status.SEPARABLE
    assert found.objective == pytest.approx(3 * 0.6365141682948128 / 5, rel=1e-6)  # the entropy of one in three


@pytest.mark.parametrize("solve", [newton.solve, whitened.solve], ids=["newton", "whitened"])
@CLASSES
def test_dependent_columns_without_penalty_are_named_and_harmless(solve: Solver, K: int) -> None:
    X, y = make_rows(K=K, p=4)
    wide = np.column_stack([X, X[:, 0] - 2 * X[:, 1], np.full(len(X), 3.0)])
    plain, found = newton.solve(make_problem(X, y, C=np.inf)), solve(make_problem(wide, y, C=np.inf))
    assert plain.dependent is None and found.dependent is not None and found.dependent.tolist() == [4, 5]
    assert found.objective == pytest.approx(plain.objective, rel=1e-7)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("solve", [*SOLVERS, dual_logistic.solve], ids=["newton", "whitened", "curved", "newton_cg", "dual"])
def test_nonfinite_values_are_refused(solve: Solver, bad: float) -> None:
    X, y = make_rows(n=30)
    X[7, 2] = bad
    rows = sp.csr_array(X) if solve is dual_logistic.solve else X
    with pytest.raises(InputError, match="row 7, column 2"):
        solve(make_problem(rows, y))


def test_no_solver_copies_ordered_rows() -> None:
    X, y = make_rows(n=50)
    rows = make_problem(X, y).rows
    assert rows.X is X and all(np.shares_memory(block.X, X) for block in rows.held or [])
    S = sp.csr_array(X)
    assert np.shares_memory(make_problem(S, y).rows.X.data, S.data)
    assert make_problem(np.asfortranarray(X), y).rows.X.flags.c_contiguous


def test_threads_do_not_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = make_rows(n=60_000, p=12, K=3)
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("SEPARATRIX_NUM_THREADS", threads)
        found.append(choice.solve(make_problem(X, y)))
    assert found[0].solver == "whitened L-BFGS"
    assert all(np.array_equal(found[0].coef, other.coef) for other in found[1:])


@pytest.mark.parametrize("steps", [(50, 25), (50, 1), (0, 0)])
def test_where_one_hessian_is_not_enough_newton_goes_on(steps: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curved, "NEAR_STEPS", steps[0])
    monkeypatch.setattr(curved, "LAST_STEPS", steps[1])
    problem = make_problem(*make_rows(n=300, K=4), C=100.0, tol=1e-7)
    found, exact = curved.solve(problem), newton.solve(problem)
    assert found.is_converged and found.iterations <= problem.max_iter
    np.testing.assert_allclose(found.coef, exact.coef, atol=1e-5 * np.abs(exact.coef).max())


@CLASSES
def test_the_inverse_of_a_factor_solves(K: int) -> None:
    problem = make_problem(*make_rows(K=K))
    shape = (problem.n_scores, problem.n_features + 1)
    factor = newton.Factor(newton.Objective(problem).curved(np.zeros(shape))[2], problem.n_scores)
    g = np.random.default_rng(0).standard_normal(shape)
    np.testing.assert_allclose(factor.inverse() @ g.ravel(), factor.solve(g).ravel(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("steps", [10, 1])
@pytest.mark.parametrize("K", [2, 3])
def test_spaced_rows_are_a_start_and_change_no_optimum(K: int, steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whitened, "SAMPLE", 1000)
    monkeypatch.setattr(whitened, "SPACED_STEPS", steps)
    drawn: list[int] = []
    draw = whitened.draw
    monkeypatch.setattr(whitened, "draw", lambda *given: drawn.append(1) or draw(*given))
    X, y = make_rows(n=9000, K=K)
    problem = make_problem(X, y, tol=1e-7)
    found, exact = whitened.solve(problem), newton.solve(problem)
    assert found.is_converged and len(drawn) == (steps == 1)  # a start that leads nowhere is given up for one from all rows
    np.testing.assert_allclose(found.coef, exact.coef, atol=1e-5 * np.abs(exact.coef).max())


def test_a_matrix_far_from_semidefinite_is_mended_in_a_few_rounds() -> None:
    # Where 1 − p has cancelled, a Hessian is no longer one but for rounding; steps of a fixed small ridge took 10¹² rounds.
    factor = newton.Factor(np.array([[1.0, 3.0], [3.0, 1.0]]), 1)
    assert np.isfinite(factor.solve(np.ones(2))).all()
