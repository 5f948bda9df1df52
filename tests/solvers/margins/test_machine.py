"""Machines: the certificate is right for any multipliers, and every solver ends where it proves to be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.data import as_source
from separatrix.solvers.margins import augmented_lagrangian, dual_svm, one_machine, semismooth, turns
from separatrix.solvers.margins.conjugate import ConjugateDescent
from separatrix.solvers.margins.machine import Ended, Machine, best_intercept, certify, feasible
from separatrix.solvers.margins.margin_polish import polish
from separatrix.solvers.margins.pieces import Pieces, line_minimum
from separatrix.solvers.margins.step_work import is_lagrangian_quicker
from separatrix.solvers.rows import Rows
from separatrix.solvers.smooth.centred_rows import CentredRows
from separatrix.thresholds import Threshold

RIDGES = pytest.mark.parametrize("ridge", [0.0, 0.25, np.inf])
SQUARED = pytest.mark.parametrize("squared", [True, False])


def machine(rng: Any, squared: bool, ridge: float, sparse: bool = False, n: int = 80, p: int = 4, **more: Any) -> Machine:
    X = np.where(rng.random((n, p)) < 0.6, rng.normal(size=(n, p)) + 0.5, 0.0)
    y = np.where(X @ rng.normal(size=p) + rng.normal(size=n) > 0, 1.0, -1.0)
    rows = Rows.of(as_source(sp.csr_array(X) if sparse else X, y))
    return Machine(rows, y, rng.random(n) * (rng.random(n) < 0.9), squared, ridge, **{"tol": 1e-9, "max_iter": 20_000, **more})


def primal(m: Machine, w: Any, b: float) -> float:
    short = np.maximum(0.0, 1.0 - m.signs * (m.rows.X @ w + b))
    ridge = 0.0 if np.isinf(m.ridge) else m.ridge
    return float(0.5 * w @ w + 0.5 * ridge * b * b + m.cost @ (short**2 if m.squared else short))


@RIDGES
@SQUARED
def test_any_multipliers_bound_the_minimum_from_below(squared: bool, ridge: float, rng: Any) -> None:
    m = machine(rng, squared, ridge)
    best = dual_svm.solve(m).certificate
    for _ in range(20):
        rows, theta = CentredRows.of(m.rows, ridge == 0.0), rng.normal(size=5)
        theta[-1] *= np.isfinite(ridge)
        found = certify(m, rows, theta, m.signs * rows.scores(theta), rng.random(80) * rng.choice([0.1, 1.0]))
        assert_allclose(found.primal, primal(m, theta[:-1], rows.intercept(theta)), rtol=1e-12)
        assert found.dual <= best.primal + 1e-9 and found.gap >= found.primal - best.primal - 1e-9


@SQUARED
def test_the_better_of_two_ends_has_the_lower_objective_and_the_higher_bound(squared: bool, rng: Any) -> None:
    m = machine(rng, squared, 0.25)
    best, rows, ends = dual_svm.solve(m), CentredRows.of(m.rows, False), []
    exact = best.certificate
    for theta, alpha in ((exact.theta, 0.1 * exact.alpha), (0.1 * exact.theta, exact.alpha)):
        found = certify(m, rows, theta, m.signs * rows.scores(theta), alpha)
        ends.append(Ended.of(rows, found, 2, 3))
    for one, other in (ends, ends[::-1]):
        found = one.better(other).certificate
        assert found.gap <= 1e-8 * found.primal < one.certificate.gap
        assert found.primal == min(one.certificate.primal, other.certificate.primal)
        assert np.abs(found.theta[:-1] - (found.alpha * m.signs) @ m.rows.X).max() <= found.residual


def test_feasible_multipliers_balance_and_keep_their_bounds(rng: Any) -> None:
    m = machine(rng, False, 0.0)
    alpha = feasible(m, np.ones(4), 3.0 * rng.normal(size=80))
    assert abs(alpha @ m.signs) < 1e-12 * alpha.sum() and (alpha >= 0).all() and (alpha <= m.cost + 1e-15).all()


SOLVERS = [(semismooth.solve, True), (augmented_lagrangian.solve, False), (dual_svm.solve, True), (dual_svm.solve, False)]


@RIDGES
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("solve", "squared"), SOLVERS, ids=lambda v: getattr(v, "__module__", str(v))[19:])
def test_every_solver_proves_its_end(solve: Any, squared: bool, sparse: bool, ridge: float, rng: Any) -> None:
    m = machine(rng, squared, ridge, sparse)
    found = solve(m)
    assert found.certificate.gap <= 1e-9 * found.certificate.primal
    assert_allclose(found.certificate.primal, primal(m, found.coef, found.intercept), rtol=1e-9)
    assert found.intercept == 0.0 or np.isfinite(ridge)
    for _ in range(30):
        step = 1e-3 * rng.normal(size=5)
        assert primal(m, found.coef + step[:4], found.intercept + step[4] * np.isfinite(ridge)) > found.certificate.primal * (1 - 1e-9)


@SQUARED
def test_a_sample_to_start_with_changes_nothing_but_the_passes(squared: bool, rng: Any, monkeypatch: Any) -> None:
    m = machine(rng, squared, 0.0, n=3_000)
    solve = semismooth.solve if squared else augmented_lagrangian.solve
    plain = solve(m)
    monkeypatch.setattr(semismooth, "SAMPLE_FROM", 1_000)
    monkeypatch.setattr(semismooth, "SAMPLE", 500)
    sampled = solve(m)
    assert_allclose(sampled.coef, plain.coef, atol=1e-5)
    assert sampled.iterations < plain.iterations


@SQUARED
def test_the_best_intercept_is_a_minimum(squared: bool, rng: Any) -> None:
    m, scores = machine(rng, squared, 0.0), rng.normal(size=80)
    shift = best_intercept(m, scores)
    losses = [m.loss(m.signs * (scores + shift + d)) for d in (-1e-2, -1e-5, 0.0, 1e-5, 1e-2)]
    assert np.argmin(losses) == 2 or min(losses) > losses[2] - 1e-12


def test_the_hard_margin_of_scores_is_in_their_middle() -> None:
    m = Machine(None, np.array([1.0, 1.0, -1.0]), np.full(3, np.inf), squared=False)  # type: ignore[arg-type]
    assert best_intercept(m, np.array([5.0, 3.0, 1.0])) == -2.0


@pytest.mark.parametrize("small", [10**9, 0], ids=["numpy", "kernel"])
def test_the_line_search_finds_the_root_of_the_derivative(small: int, rng: Any, monkeypatch: Any) -> None:

    monkeypatch.setattr(Threshold, "everywhere", small)
    pieces = Pieces(rng.random(50), rng.random(50) * (rng.random(50) < 0.9), rng.random(50) + 0.1)
    m, dm = rng.normal(size=50), rng.normal(size=50)
    start = pieces.along(m, dm, 0.0)[0] - 0.5
    dm = dm if start < 0 else -dm
    start = pieces.along(m, dm, 0.0)[0] - 0.5
    t = line_minimum(pieces, m, dm, start, -0.5, 0.3)
    assert abs(pieces.along(m, dm, t)[0] - 0.5 + 0.3 * t) < 1e-10


def test_pieces_are_the_derivative_of_their_loss(rng: Any) -> None:
    pieces = Pieces(rng.random(200), rng.random(200) + 0.1, rng.random(200) + 0.5)
    m = 2 * rng.normal(size=200)

    def value(m: Any) -> Any:
        a = pieces.multipliers(m)
        return a * (1 - m) - (a - pieces.base) ** 2 / (2 * pieces.sigma)

    assert_allclose((value(m + 1e-6) - value(m - 1e-6)) / 2e-6, -pieces.multipliers(m), atol=1e-5)
    assert set(pieces.status(m)) == {0, 1, 2}


@RIDGES
def test_polishing_the_true_pieces_gives_the_solution(ridge: float, rng: Any) -> None:
    m = machine(rng, False, ridge, tol=1e-12)
    rows = CentredRows.of(m.rows, ridge == 0.0)
    alpha = augmented_lagrangian.solve(m).certificate.alpha
    status = np.where(alpha <= 0, 0, np.where(alpha >= (1 - 1e-9) * m.cost, 2, 1)).astype(np.int8)
    found = polish(m, rows, status)
    assert found is not None
    theta, multipliers = found
    certificate = certify(m, rows, theta, m.signs * rows.scores(theta), multipliers)
    assert certificate.gap <= 1e-12 * certificate.primal and certificate.residual < 1e-12


@pytest.mark.parametrize("kind", ["dense", "float32", "far", "sparse"])
def test_sums_about_the_mean_are_those_of_shifted_rows(kind: str, rng: Any) -> None:
    X = rng.normal(size=(60, 3)) + (1e6 if kind == "far" else 0.3)
    X = X.astype(np.float32) if kind == "float32" else np.where(X > 0.5, X, 0.0) if kind == "sparse" else X
    rows = CentredRows.of(Rows.of(as_source(sp.csr_array(X) if kind == "sparse" else X, np.arange(60) % 2)), True)
    Z = np.column_stack([X.astype(np.float64) - rows.centre, np.ones(60)])
    theta, v, h = rng.normal(size=4), rng.normal(size=60), rng.normal(size=60) * (rng.random(60) < 0.5)
    assert rows.shifts == (kind == "far")
    assert_allclose(rows.scores(theta), Z @ theta, atol=1e-9)
    assert_allclose(rows.sums(v), v @ Z, atol=1e-9)
    assert_allclose(rows.sums(h), h @ Z, atol=1e-9)
    assert_allclose(rows.gram(h), (Z * h[:, None]).T @ Z, atol=1e-9)
    assert_allclose(rows.take(np.array([3, 5])), Z[[3, 5], :3], atol=1e-12)


@RIDGES
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("squared", [False, True])
def test_interior_points_see_small_multipliers_of_long_rows(squared: bool, sparse: bool, ridge: float, rng: Any) -> None:
    # Costs times squared lengths of 1e13: multipliers are far below the rounding of their bounds.
    X, signs = rng.normal(size=(60, 8)) * 10.0 ** rng.uniform(0, 5, 8), np.where(np.arange(60) % 2 == 0, 1.0, -1.0)
    X[:, 0] += 3e4 * signs
    held = Rows.of(as_source(sp.csr_array(X) if sparse else X, (signs > 0).astype(int)))
    m = Machine(held, signs, np.full(60, 1e3), squared, ridge)
    for name in ["semismooth Newton"] if squared else ["augmented Lagrangian", "interior point"]:
        found = one_machine.solve(m, name).certificate
        assert found.gap <= 1e-6 * found.primal


@pytest.mark.parametrize("name", ["augmented Lagrangian", "interior point", ""])
def test_a_solver_that_diverges_gives_way_to_another(name: str, monkeypatch: Any, rng: Any) -> None:
    def diverges(*args: Any) -> None:
        raise np.linalg.LinAlgError

    m, best = machine(rng, False, 0.0), dual_svm.solve(machine(rng, False, 0.0)).certificate
    monkeypatch.setattr(augmented_lagrangian, "solve", diverges)
    monkeypatch.setattr(one_machine, "_interior", diverges)
    assert one_machine.solve(m, name).certificate.gap <= 1e-3 * best.primal
    monkeypatch.setattr(turns, "solve", diverges)
    for found in (one_machine.solve(m, name), one_machine.in_turns(m)):
        assert (found.coef == 0.0).all() and found.certificate.gap == found.certificate.primal


def test_sparse_rows_far_more_than_columns_have_the_lagrangian_before_interior_points() -> None:
    few, many = (Rows.of(as_source(sp.csr_array(np.tile(np.eye(p), (n // p, 1))), np.arange(n) % 2)) for n, p in ((600, 300), (60_000, 6)))
    assert is_lagrangian_quicker(many, 1.0)
    assert not is_lagrangian_quicker(many, 1e5)
    assert not is_lagrangian_quicker(few, 1.0)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_lagrangian_certifies_rows_that_repeat(weighted: bool, rng: Any) -> None:
    """Thousands of equal rows lie on the margin together, and their multipliers are known by their sum alone."""
    levels = rng.integers(4, size=(20_000, 3)) + 4 * np.arange(3)
    X = sp.csr_array((np.ones(60_000), levels.ravel(), np.arange(0, 60_001, 3)), shape=(20_000, 12))
    signs = np.where(X @ rng.normal(size=12) + rng.normal(size=20_000) > 0.0, 1.0, -1.0)
    cost = rng.gamma(2.0, 5.0, 20_000) if weighted else np.full(20_000, 10.0)
    found = augmented_lagrangian.solve(Machine(Rows.of(as_source(X, signs > 0.0)), signs, cost, False, 1.0))
    assert found.certificate.gap <= 1e-6 * found.certificate.primal
    assert found.iterations < one_machine.STEPS


@RIDGES
def test_conjugate_gradients_move_an_intercept_that_no_curved_row_holds(ridge: float, rng: Any) -> None:
    """At w = 0 every multiplier is at its bound, and an intercept without a penalty has no curvature."""
    X, signs = sp.csr_array(rng.normal(size=(300, 8)) * 0.1), np.where(np.arange(300) < 200, 1.0, -1.0)
    m = Machine(Rows.of(as_source(X, signs > 0.0)), signs, np.full(300, 1.0), False, ridge, max_iter=20_000)
    found = augmented_lagrangian.solve(m, None, ConjugateDescent).certificate
    assert found.gap <= 1e-6 * found.primal
