"""Every loss with every solver: refused by a sentence, or 0 is a subgradient of that loss plus penalty, by the values of the loss alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog, lsq_linear

from separatrix.data import as_source
from separatrix.errors import InputError
from separatrix.losses import LOSSES, Loss, SmoothLoss
from separatrix.solvers import choice
from separatrix.solvers.accepted_losses import ACCEPTED
from separatrix.solvers.margins import svm
from separatrix.solvers.problem import Problem
from separatrix.solvers.rows import Rows
from separatrix.solvers.smooth import against_rest, covariance, curved, dual_logistic, newton, newton_cg, whitened
from separatrix.solvers.smooth.likelihood import Likelihood, maximise
from separatrix.solvers.sparse import proximal_newton
from tests.losses.smoothed_hinge import SmoothedHinge

pytestmark = pytest.mark.usefixtures("roads")


VALUES: dict[str, Callable[[Any], Any]] = {
    "logistic": lambda m: np.logaddexp(0.0, -m),
    "hinge": lambda m: np.maximum(0.0, 1.0 - m),
    "squared hinge": lambda m: np.maximum(0.0, 1.0 - m) ** 2,
    "smoothed hinge": lambda m: np.where(m > 0.0, 0.5 * np.maximum(0.0, 1.0 - m) ** 2, 0.5 - m),
}
ALL: list[Loss] = [*LOSSES, SmoothedHinge()]
SMOOTH = {
    "newton": newton,
    "newton_cg": newton_cg,
    "whitened": whitened,
    "covariance": covariance,
    "curved": curved,
    "dual_logistic": dual_logistic,
}
Machine = tuple[Any, Any, Any]
"""Codes, coefficients (R, p) and intercepts (R,) of one minimised problem."""


def machines(name: str, problem: Problem) -> list[Machine]:
    """Return what a solver answers: one problem, or one of each class against the rest."""
    codes, K = problem.rows.codes, problem.n_classes
    assert codes is not None
    if name in ("svm", "crammer_singer"):
        # Their certificate is the gap alone, whose root bounds the distance.
        problem = replace(problem, tol=1e-12)
        found = svm.solve(problem, 0.0 if problem.fit_intercept else np.inf, name == "crammer_singer", np.arange(K)).solution
        split = name == "svm" and K > 2
    elif name == "against_rest":
        each = against_rest.solve(problem, range(K))
        assert each is not None
        return [((codes == k).astype(int), s.coef, s.intercept) for k, s in enumerate(each)]
    elif name == "likelihood":
        likelihood = Likelihood(problem)
        return [(codes, *likelihood.coefficients(maximise(likelihood, np.zeros(likelihood.shape).ravel()).point.gamma))]
    else:
        found, split = (proximal_newton if name == "proximal_newton" else SMOOTH[name]).solve(problem), False
    assert found.is_converged, found.describe()
    parts = range(K) if split else []
    return [((codes == k).astype(int), found.coef[[k]], found.intercept[[k]]) for k in parts] or [(codes, found.coef, found.intercept)]


def make(loss: Loss, K: int, form: str, weighted: bool, strength: float, r: float, fit_intercept: bool = True) -> Problem:
    rng = np.random.default_rng(7)
    X = np.where(rng.random((160, 4)) < (0.15 if form == "sparse" else 1.0), rng.standard_normal((160, 4)) + 0.5, 0.0)
    codes = (X @ rng.standard_normal((4, K)) + 1.5 * rng.gumbel(size=(160, K))).argmax(axis=1)
    weight = rng.integers(1, 4, 160).astype(float) if weighted else None
    rows = Rows.of(as_source(sp.csr_array(X) if form == "sparse" else X, codes, weight))
    counts = np.bincount(codes, weight, K).astype(float)
    tol = 1e-7 if isinstance(loss, SmoothLoss) else 1e-12
    return Problem(rows, counts, loss, strength, r, fit_intercept, tol=tol, max_iter=1000)


def violation(problem: Problem, machine: Machine) -> float:
    """Return the largest entry of the least subgradient.

    The slope of a row's loss may be anything between its differences to the left and to the right, h apart, which is all of [−1, 0] on the
    hinge's kink; that of |w| at 0 anything in [−1, 1]. The least sum of them is a least-squares problem with bounds.
    """
    codes, W, b = machine
    X = problem.rows.X.toarray() if problem.rows.is_sparse else problem.rows.X
    X1 = np.column_stack([X, np.full(len(X), float(problem.fit_intercept))])
    s = np.ones(len(X)) if problem.rows.weight is None else problem.rows.weight
    y, value, w = np.where(codes == 1, 1.0, -1.0), VALUES[problem.loss.name], W[0]
    h = 1e-6 if isinstance(problem.loss, SmoothLoss) else 1e-4  # a gap of δ leaves rows √δ off their kink
    m = y * (X @ w + b[0])
    low, high = (value(m) - value(m - h)) / h, (value(m + h) - value(m)) / h
    l1, l2 = problem.strength * problem.l1_ratio, problem.strength * (1.0 - problem.l1_ratio)
    fixed = np.append(l2 * w + l1 * np.sign(w), 0.0)
    A = np.hstack([X1.T * (s * y / s.sum()), l1 * np.eye(5)[:, np.flatnonzero(w == 0.0)]])
    ends = [np.r_[low - 1e-9, -np.ones(np.sum(w == 0.0))], np.r_[high + 1e-9, np.ones(np.sum(w == 0.0))]]
    return float(np.abs(A @ lsq_linear(A, -fixed, ends, tol=1e-14).x + fixed).max())


def softmax_violation(problem: Problem, machine: Machine) -> float:
    """Return the largest entry of the least subgradient, by differences of the mean loss."""
    codes, W, b = machine
    X = problem.rows.X.toarray() if problem.rows.is_sparse else problem.rows.X
    s, theta, h = np.ones(len(X)) if problem.rows.weight is None else problem.rows.weight, np.column_stack([W, b]), 1e-5

    def mean(at: Any) -> float:
        Z = X @ at[:, :-1].T + at[:, -1]
        return float(s @ (np.log(np.exp(Z).sum(axis=1)) - Z[np.arange(len(Z)), codes]) / s.sum())

    units = h * np.eye(theta.size).reshape(-1, *theta.shape)
    g = np.array([mean(theta + e) - mean(theta - e) for e in units]).reshape(theta.shape) / (2.0 * h)
    l1 = problem.strength * problem.l1_ratio
    g[:, :-1] += (problem.strength - l1) * W + l1 * np.sign(W)
    return float(np.where(theta == 0.0, np.maximum(np.abs(g) - l1, 0.0), np.abs(g))[:, : 4 + problem.fit_intercept].max())


def joint_violation(problem: Problem, machine: Machine) -> float:
    """Return the largest entry of the least subgradient of max_k([k ≠ y] + z_k − z_y): any mean of the classes that reach the maximum."""
    codes, W, b = machine
    W, b = (W, b) if len(W) > 1 else (np.vstack([-W, W]) / 2.0, np.append(-b, b) / 2.0)
    X = problem.rows.X.toarray() if problem.rows.is_sparse else problem.rows.X
    s = np.ones(len(X)) if problem.rows.weight is None else problem.rows.weight
    Z = X @ W.T + b + (codes[:, None] != np.arange(len(W)))
    row, k = np.nonzero(Z.max(axis=1, keepdims=True) - 1e-4 <= Z)
    X1 = np.column_stack([X, np.full(len(X), float(problem.fit_intercept))]) * (s / s.sum())[:, None]
    E = np.eye(len(W))[k] - np.eye(len(W))[codes[row]]
    A = np.einsum("mk,mj->kjm", E, X1[row]).reshape(-1, len(row))
    fixed = np.column_stack([problem.strength * W, np.zeros(len(W))]).ravel()
    most = -np.ones((len(A), 1))
    bounds = np.block([[A, most], [-A, most]]), np.append(-fixed, fixed)
    means = np.column_stack([row == np.arange(len(X))[:, None], np.zeros(len(X))])
    return float(linprog(np.append(np.zeros(len(row)), 1.0), *bounds, means, np.ones(len(X))).fun)


def penalties(name: str) -> Iterator[tuple[float, float]]:
    """Yield strengths and L1 ratios that a solver takes."""
    if name == "likelihood":
        yield 0.0, 0.0
    elif name == "proximal_newton":
        yield from [(1e-4, 1.0), (0.02, 1.0), (0.02, 0.5), (1.0, 1.0)]
    else:
        yield from [(1e-4, 0.0), (1.0, 0.0)]
        if name in ("newton", "newton_cg", "whitened", "covariance", "curved"):
            yield 0.0, 0.0


def is_taken(name: str, loss: Loss, K: int) -> bool:
    per_class = name in ("svm", "crammer_singer", "against_rest")
    return isinstance(loss, ACCEPTED[name]) and (per_class or loss.is_multiclass == (K > 2))


PAIRS = [(name, loss, K) for name in ACCEPTED for loss in ALL for K in (2, 3)]
IDS = lambda value: getattr(value, "name", str(value)).replace(" ", "_")  # noqa: E731


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize(("name", "loss", "K"), [pair for pair in PAIRS if is_taken(*pair)], ids=IDS)
def test_zero_is_a_subgradient_of_the_loss_given(name: str, loss: Loss, K: int, form: str) -> None:
    if (name == "dual_logistic" and form == "dense") or (name == "against_rest" and form == "sparse"):
        return
    for strength, r in penalties(name):
        for weighted, fit_intercept in [(False, True), (True, True), (True, False)]:
            problem = make(loss, K, form, weighted, strength, r, fit_intercept)
            for machine in machines(name, problem):
                judge = joint_violation if name == "crammer_singer" else softmax_violation if loss.is_multiclass else violation
                assert judge(problem, machine) <= 1e-5, (strength, r, weighted, fit_intercept)
                assert fit_intercept or not machine[2].any()


@pytest.mark.parametrize(("name", "loss", "K"), [pair for pair in PAIRS if not is_taken(*pair)], ids=IDS)
def test_other_losses_are_refused_by_a_sentence(name: str, loss: Loss, K: int) -> None:
    sentence = (
        rf"The solver {name} does not minimise the {loss.name} loss; .* do|The rows have {K} classes, but the {loss.name} loss is one of"
    )
    with pytest.raises(InputError, match=sentence):
        machines(name, make(loss, K, "sparse" if name == "dual_logistic" else "dense", False, 0.1, 0.0))


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("r", [0.0, 1.0])
@pytest.mark.parametrize("loss", ALL, ids=IDS)
def test_the_solver_chosen_minimises_the_loss_given_or_refuses_it(loss: Loss, r: float, form: str) -> None:
    problem = make(loss, 3 if loss.is_multiclass else 2, form, True, 0.01, r)
    if not isinstance(loss, SmoothLoss):
        with pytest.raises(InputError, match="does not minimise the hinge loss; svm and crammer_singer do"):
            choice.solve(problem)
        return
    found = choice.solve(problem)
    machine = problem.rows.codes, found.coef, found.intercept
    assert (softmax_violation if loss.is_multiclass else violation)(problem, machine) <= 1e-4


def test_a_path_of_a_new_loss_is_its_own() -> None:
    from separatrix.solvers.sparse.path import solve_path

    for r in (0.0, 1.0):
        problem = make(SmoothedHinge(), 2, "dense", True, 0.1, r)
        for solution in solve_path(problem, [0.1, 1.0, 10.0]).solutions:
            assert solution.is_converged
    with pytest.raises(InputError, match="does not minimise the hinge loss"):
        solve_path(replace(problem, loss=LOSSES[2]), [1.0])


def test_kinks_of_the_penalty_ask_for_few_columns_or_a_likelihood() -> None:
    problem = make(SmoothedHinge(), 2, "sparse", False, 0.1, 1.0)
    wide = Rows.of(as_source(sp.csr_array(np.ones((160, 2000))), problem.rows.codes))
    with pytest.raises(InputError, match="smoothed hinge loss is minimised for up to 1,500 coefficients, and the rows have 2,001"):
        proximal_newton.solve(replace(problem, rows=wide))


class ManyScores(SmoothLoss):
    """A multi-class loss without passes."""

    name, is_multiclass = "many scores", True


def test_a_loss_of_many_scores_without_passes_is_refused() -> None:
    with pytest.raises(InputError, match="The many scores loss is one of several classes, which has to define `residuals`"):
        newton.solve(make(ManyScores(), 3, "dense", False, 0.1, 0.0))


@pytest.mark.parametrize("solver", [newton, newton_cg, whitened, curved], ids=lambda m: m.__name__.split(".")[-1])
@pytest.mark.parametrize("loss", [loss for loss in ALL if isinstance(loss, SmoothLoss) and not loss.is_multiclass], ids=IDS)
def test_the_gap_bounds_what_is_left_of_any_loss(loss: Loss, solver: Any) -> None:
    problem = make(loss, 2, "dense", True, 1e-3, 0.0)
    best = newton.solve(problem).objective
    for tol, max_iter in [(0.3, 100), (1e-2, 100), (1e-7, 2)]:
        found = solver.solve(replace(problem, tol=tol, max_iter=max_iter))
        assert -1e-12 <= found.objective - best <= found.gap + 1e-12


def test_columns_that_others_determine_are_named_for_any_loss() -> None:
    problem = make(SmoothedHinge(), 2, "dense", True, 0.0, 0.0)
    X = np.column_stack([problem.rows.X, problem.rows.X[:, 0] - problem.rows.X[:, 1]])
    found = newton.solve(replace(problem, rows=Rows.of(as_source(X, problem.rows.codes, problem.rows.weight))))
    assert newton.solve(problem).dependent is None and found.dependent is not None and found.dependent.tolist() == [4]


@pytest.mark.parametrize("r", [0.0, 1.0])
@pytest.mark.parametrize("loss", [loss for loss in ALL if isinstance(loss, SmoothLoss)], ids=IDS)
def test_rows_read_anew_on_every_pass_have_the_same_optimum(loss: Loss, r: float) -> None:
    problem = make(loss, 3 if loss.is_multiclass else 2, "dense", True, 0.01, r)
    found = choice.solve(replace(problem, rows=Rows(problem.rows.source, None, None)))
    machine = problem.rows.codes, found.coef, found.intercept
    assert found.is_converged and (softmax_violation if loss.is_multiclass else violation)(problem, machine) <= 1e-5


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("solver", [newton, newton_cg, whitened, curved, proximal_newton], ids=lambda m: m.__name__.split(".")[-1])
def test_values_that_are_not_finite_are_refused_for_any_loss(solver: Any, bad: float) -> None:
    problem = make(SmoothedHinge(), 2, "dense", False, 0.1, float(solver is proximal_newton))
    X = problem.rows.X.copy()
    X[7, 2] = bad
    with pytest.raises(InputError, match="row 7, column 2"):
        solver.solve(replace(problem, rows=Rows.of(as_source(X, problem.rows.codes))))
