"""One rule picks the solver; the solution says which and why."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.solvers import choice
from tests.solvers.problems import make_problem, make_rows, make_sparse


def test_few_rows_and_coefficients_get_newton() -> None:
    found = choice.solve(make_problem(*make_rows(K=3)))
    assert found.solver == "newton" and "coefficients" in found.why


def flat(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows whose columns together have little more curvature than the penalty."""
    return np.random.default_rng(0).normal(size=(n, p)) / n, np.arange(n) % 2


CASES = {
    "newton, sparse": (make_sparse(p=50), "newton"),
    "newton_cg, sparse, hardly any curvature": (make_sparse(n=2000, p=700), "newton_cg"),
    "dual": (make_sparse(n=100, p=5000), "dual_logistic"),
    "newton_cg, sparse": (make_sparse(n=4000, p=3000, K=3), "newton_cg"),
    "span, sparse": (make_sparse(n=200, p=20_000, K=3), "in_span"),
    "span, wide": (make_rows(n=20, p=2000), "in_span"),
    "newton_cg, as wide as tall": (flat(400, 500), "newton_cg"),
    "curved": (make_rows(n=3_000, p=100), "curved"),
    "covariance, several classes": (make_rows(n=800, p=30, K=4), "covariance"),
    "covariance, many coefficients": (make_rows(n=2000, p=800, K=3), "covariance"),
    "newton, few rows": (make_rows(n=1_000, p=1), "newton"),
    "whitened, tall": (make_rows(n=400_000, p=2), "whitened"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_rule(case: str) -> None:
    (X, y), expected = CASES[case]
    assert choice.choose(make_problem(X, y)).name == expected


@pytest.mark.parametrize(("products", "after", "expected"), [(10**6, "curved", "newton-cg"), (40, "curved", "curved L-BFGS")])
def test_products_that_do_not_arrive_give_way_to_another_solver(products: int, after: str, expected: str) -> None:
    problem = make_problem(*make_rows(n=300, p=60), C=1e3, tol=1e-6)
    found = choice.Choice("newton_cg", "", False, products, after).solver(problem)
    best = choice.Choice("newton", "").solver(problem)
    assert found.solver == expected and found.is_converged
    assert found.objective == pytest.approx(best.objective, rel=1e-6)


def test_what_products_did_not_do_they_do_not_try_in_the_span() -> None:
    problem = make_problem(*make_rows(n=100, p=300), C=1e4, tol=1e-6)
    found = choice.Choice("newton_cg", "", False, 10, "in_span").solver(problem)
    assert found.is_converged and found.solver in ("newton in the rows' span", "curved L-BFGS in the rows' span")
    X, y = flat(400, 500)
    assert choice.choose(make_problem(X, y), ("newton_cg",)).name != "newton_cg"


def test_dense_rows_know_who_comes_after_products() -> None:
    found = choice.choose(make_problem(*flat(400, 500)))
    assert found.name == "newton_cg" and found.products > 0 and found.after


def test_no_penalty_has_no_dual() -> None:
    assert choice.choose(make_problem(*make_sparse(p=3000), C=np.inf)).name == "newton_cg"


def test_no_penalty_keeps_newton_for_more_rows() -> None:
    assert choice.choose(make_problem(np.zeros((30_000, 2)), np.arange(30_000) % 2, C=np.inf)).name == "newton"


def test_no_penalty_asks_for_exact_hessians() -> None:
    assert choice.choose(make_problem(*make_rows(n=800, p=30, K=4), C=np.inf)).name == "newton"


def test_kinks_go_to_proximal_newton() -> None:
    assert choice.choose(replace(make_problem(*make_rows()), l1_ratio=0.5)).name == "proximal_newton"


def test_sparse_rows_that_are_full_count_as_dense() -> None:
    X, y = make_rows(n=300, p=6, K=3)
    found = choice.solve(make_problem(sp.csr_array(X), y))
    np.testing.assert_allclose(found.coef, choice.solve(make_problem(X, y)).coef, atol=1e-8)
