"""Coordinates in the rows' span keep scores and norms, and the minimum found there is that of the columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.solvers import choice
from separatrix.solvers.smooth import in_span, newton
from separatrix.solvers.span import Span
from separatrix.solvers.sparse.path import solve_path
from tests.solvers.problems import make_problem, make_rows, make_sparse

UNITS = {"equal": 0.0, "far apart": 6.0}
"""Powers of ten between the sizes of the columns: a Gram matrix serves the first, Householder's reflections the other."""


def wide(form: str, units: str, K: int = 2) -> tuple[Any, Any]:
    X, y = make_rows(n=12, p=40, K=K) if form != "sparse" else make_sparse(n=12, p=40, K=K)
    scale = 10.0 ** np.random.default_rng(1).uniform(-UNITS[units] / 2, UNITS[units] / 2, 40)
    X = X * scale if form != "sparse" else sp.csr_array(X @ sp.diags_array(scale))
    return X.astype(np.float32) if form == "float32" else X, y


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("form", ["dense", "float32", "sparse"])
def test_scores_and_norms_are_kept(form: str, units: str, rng: Any) -> None:
    X, _ = wide(form, units)
    span, V = Span.of(X), rng.normal(size=(3, 12))
    W = span.expand(V)
    assert_allclose(np.asarray(X @ W.T), span.coordinates @ V.T, rtol=1e-6, atol=1e-9 * np.abs(span.coordinates).max())
    assert_allclose(np.linalg.norm(W, axis=1), np.linalg.norm(V, axis=1), rtol=1e-6)
    assert_allclose(span.shorten(W), V, rtol=1e-6, atol=1e-6)


def test_rows_that_repeat_span_less() -> None:
    X, _ = wide("dense", "equal")
    span = Span.of(np.vstack([X, X[:3]]))
    assert_allclose(span.coordinates @ span.shorten(np.eye(40)).T, np.vstack([X, X[:3]]), atol=1e-10)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("form", ["dense", "float32", "sparse"])
def test_the_minimum_is_that_of_the_columns(form: str, K: int, units: str, fit_intercept: bool) -> None:
    problem = replace(make_problem(*wide(form, units, K), C=3.0), fit_intercept=fit_intercept, tol=1e-8)
    found, brute = in_span.solve(problem), newton.solve(problem)
    assert found.is_converged and "rows' span" in found.solver
    assert_allclose(found.objective, brute.objective, rtol=1e-9)
    assert found.objective - brute.objective <= found.gap + 1e-12
    assert_allclose(np.asarray(problem.rows.X @ (found.coef - brute.coef).T), 0.0, atol=1e-3)


@pytest.mark.parametrize("K", [2, 3])
def test_a_path_is_found_in_the_span(K: int) -> None:
    X, y = make_rows(n=30, p=3000, K=K)
    path = solve_path(make_problem(X, y), [0.01, 1.0, 100.0])
    for C, found in zip(path.C, path.solutions):
        assert found.is_converged and "rows' span" in found.solver
        assert found.objective <= in_span.solve(make_problem(X, y, C)).objective * (1.0 + 1e-5)


def test_separable_rows_in_odd_units_arrive_within_the_steps_allowed() -> None:
    """L-BFGS takes many steps there and leaves the rest to Newton's method, which has to be left enough of them."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 700)) * 10.0 ** rng.uniform(-3.0, 3.0, 700)
    y = (X @ rng.normal(size=700) > 0.0).astype(int)
    for C in (0.01, 100.0):
        assert choice.solve(make_problem(X, y, C)).is_converged
