"""Sparse rows in one compiled call: matrices, walks through columns and systems end at the minimum of independent steps, and prove it."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix import LogisticRegression
from separatrix.data import as_source
from separatrix.kernels import l1_certificate
from separatrix.losses import Logistic
from separatrix.solvers.problem import Problem
from separatrix.solvers.rows import Rows
from separatrix.solvers.solution import Status
from separatrix.solvers.sparse import gram_proximal, one_call, proximal_newton


def posed(X, y, C, r=1.0, fit_intercept=True, weight=None):
    counts = np.bincount(y, weight, 2).astype(float)
    return Problem(Rows.of(as_source(X, y, weight)), counts, Logistic(), 1.0 / (C * counts.sum()), r, fit_intercept)


def make(n, p, C, density=0.1, noise=1.0, share=0.5, weighted=False, zeros=0, twice=False, **given):
    rng = np.random.default_rng(n + p)
    X = sp.random_array((n, p), density=density, rng=rng).toarray()
    X[:, :zeros] = 0.0
    X = np.hstack([X, X]) if twice else X
    z = X @ rng.normal(size=X.shape[1])
    z = z / z.std() + noise * rng.logistic(size=n)
    y = (z > np.quantile(z, 1.0 - share)).astype(int)
    weight = rng.integers(0, 4, n).astype(float) if weighted else None
    return posed(sp.csr_array(X), y, C, weight=weight, **given)


CASES = {
    "a matrix": {"n": 2_000, "p": 40, "C": 1.0, "density": 0.05},
    "walks": {"n": 300, "p": 200, "C": 1.0, "density": 0.1},
    "walks and systems": {"n": 300, "p": 150, "C": 1e3, "density": 0.3},
    "weights": {"n": 200, "p": 60, "C": 5.0, "weighted": True},
    "no intercept": {"n": 200, "p": 60, "C": 5.0, "fit_intercept": False},
    "elastic": {"n": 150, "p": 80, "C": 20.0, "r": 0.5, "weighted": True},
    "columns of zeros": {"n": 120, "p": 30, "C": 10.0, "zeros": 7},
    "each column twice": {"n": 100, "p": 40, "C": 10.0, "twice": True},
    "one column": {"n": 80, "p": 1, "C": 3.0, "density": 0.5},
    "fewer rows than columns": {"n": 40, "p": 160, "C": 50.0},
    "separable": {"n": 60, "p": 20, "C": 1e5, "density": 0.4, "noise": 0.0},
    "systems of many columns": {"n": 300, "p": 400, "C": 1e3, "density": 0.03},
    "imbalanced": {"n": 500, "p": 30, "C": 1e2, "share": 0.01},
    "nothing enters": {"n": 90, "p": 20, "C": 1e-4},
}


@pytest.mark.parametrize("name", CASES)
def test_it_ends_where_steps_with_a_matrix_of_all_columns_end(name):
    problem = make(**CASES[name])
    found, fine = one_call.solve(problem), gram_proximal.solve(replace(problem, tol=1e-8, max_iter=1_000))
    assert found.is_converged and found.gap <= 1e-8 * found.objective
    assert -1e-12 <= found.objective / fine.objective - 1.0 <= 1e-8
    assert found.objective - fine.objective <= found.gap + 1e-13 * found.objective


@pytest.mark.parametrize("name", CASES)
def test_slopes_are_those_of_a_minimum(name):
    problem = make(**CASES[name])
    found, X, y = one_call.solve(problem), problem.rows.X, np.where(problem.rows.codes == 1, 1.0, -1.0)
    s = np.ones(len(y)) if problem.rows.weight is None else problem.rows.weight
    r = -y * s / (1.0 + np.exp(y * (X @ found.coef[0] + found.intercept))) / problem.total
    w, l1 = found.coef[0], problem.strength * problem.l1_ratio
    G = X.T @ r + (problem.strength - l1) * w
    missed = np.where(w != 0.0, np.abs(G + l1 * np.sign(w)), np.maximum(np.abs(G) - l1, 0.0))
    assert missed.max() <= 1e-4 and abs(r.sum()) * problem.fit_intercept <= 1e-10


def test_many_small_problems_are_proven_truthfully():
    rng = np.random.default_rng(7)
    for n, p in rng.integers(4, 80, (60, 2)).tolist():
        problem = make(n, p, 10.0 ** rng.uniform(-2, 4), density=0.3, r=rng.choice([1.0, 0.5]), fit_intercept=bool(rng.integers(2)))
        found = proximal_newton.solve(problem)
        fine = gram_proximal.solve(replace(problem, tol=1e-8, max_iter=1_000))
        assert found.is_converged
        assert found.objective - fine.objective <= found.gap + 1e-12 * found.objective


def test_too_little_work_is_said_and_done_elsewhere():
    problem = make(300, 150, 1e3, density=0.3)
    short = one_call.solve(problem, most_work=1e4)
    assert short.status is Status.MAX_ITER and short.iterations < problem.max_iter
    assert proximal_newton.solve(problem).is_converged


def test_columns_in_any_order_and_int64_indices_make_no_difference():
    problem = make(200, 60, 5.0)
    X, y = problem.rows.X, problem.rows.codes
    order = np.random.default_rng(0).permutation(X.shape[1])
    moved = sp.csr_array((X.data, order[X.indices].astype(np.int64), X.indptr.astype(np.int64)), shape=X.shape)
    first, other = (LogisticRegression(C=5.0, l1_ratio=1.0).fit(Z, y) for Z in (X, moved))
    assert_allclose(other.coef_[0, order], first.coef_[0], atol=1e-4)
    assert_allclose(other.solution_.objective, first.solution_.objective, rtol=1e-8)


def test_slopes_foretold_are_a_point_of_the_dual():
    rng = np.random.default_rng(0)
    q, codes = rng.uniform(0.05, 0.95, 50), rng.integers(0, 2, 50).astype(np.int32)
    rows, r = np.array([q, q * (1.0 - q), q]), np.empty(50)
    lost = l1_certificate.foretell(rows, rows, 0.1 * rng.normal(size=50), codes, True, np.empty(0), 50.0, r)
    assert ((r >= 0.0) & (r <= 1.0)).all()
    assert abs(r[codes == 1].sum() - r[codes == 0].sum()) <= 1e-11 * r.sum()
    divergence = r * np.log(r / q) + (1.0 - r) * np.log((1.0 - r) / (1.0 - q))
    assert divergence.sum() / 50.0 <= lost
