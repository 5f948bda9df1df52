"""L1 fits arrive wherever the penalty and the units of the columns put the minimum, and say so truthfully."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression as Peer

from separatrix import LogisticRegression
from separatrix.losses import Logistic, Softmax
from separatrix.selection.penalty_path import regularisation_path
from separatrix.solvers.sparse.class_intercepts import intercept_inverse, shifted
from tests.solvers.problems import elastic_net, make_problem, make_rows, make_sparse, objective


def value(model: Any, X: Any, y: Any, C: float, r: float = 1.0) -> float:
    """Return the objective by the formula alone."""
    Z = X @ model.coef_.T + model.intercept_
    loss = Softmax().value(Z, y) if Z.shape[1] > 1 else Logistic().value(Z[:, 0], np.where(y == 1, 1.0, -1.0))
    return float(loss.mean() + elastic_net(model.coef_, r) / (C * len(y)))


@pytest.mark.parametrize("C", [10.0, 100.0, 1e3, 1e6])
@pytest.mark.parametrize("K", [3, 4, 6, 10])
def test_several_classes_of_sparse_rows_converge_below_an_independent_solver(K: int, C: float) -> None:
    for seed in range(5):
        X, y = make_sparse(n=150, p=510, K=K, seed=seed)
        model = LogisticRegression(C=C, l1_ratio=1.0).fit(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of its own convergence: any of its points is above the minimum
            peer = Peer(C=C, l1_ratio=1.0, solver="saga", max_iter=40, random_state=0).fit(X, y)
        assert model.solution_.is_converged
        assert_allclose(model.solution_.objective, own := value(model, X, y, C), rtol=1e-10)
        assert own <= value(peer, X, y, C) + model.solution_.gap


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("r", [1.0, 0.5])
@pytest.mark.parametrize("C", [0.1, 100.0, 1e5])
@pytest.mark.parametrize("kind", ["dense", "sparse", "many dense", "many sparse"])
def test_a_fit_at_its_minimum_is_never_called_stalled(kind: str, C: float, r: float, K: int) -> None:
    n, p = (150, 12) if "many" not in kind else (60, 800)
    X, y = make_rows(n=n, p=p, K=K) if "dense" in kind else make_sparse(n=n, p=p, K=K)
    units = 10.0 ** np.random.default_rng(1).uniform(-6.0, 6.0, p)
    X = X * units if "dense" in kind else sp.csr_array(X @ sp.diags_array(units))
    problem = make_problem(X, y, C, l1_ratio=r)
    model = LogisticRegression(C=C, l1_ratio=r).fit(X, y)
    found, W, lam = model.solution_, model.coef_, problem.strength
    _, G, _ = objective(replace(problem, strength=lam * (1.0 - r)), W, model.intercept_)
    missed = np.where(W != 0.0, np.abs(G + lam * r * np.sign(W)), np.maximum(np.abs(G) - lam * r, 0.0)) / units
    assert found.is_converged and missed.max() <= 1e-4
    assert found.gap <= 1e-8 * found.objective
    assert_allclose(found.objective, value(model, X, y, C, r), rtol=1e-10)


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("p", [8, 900])
def test_eight_digits_more_can_be_had(p: int, K: int) -> None:
    X, y = make_sparse(n=200, p=p, K=K)
    rough, fine = (LogisticRegression(C=20.0, l1_ratio=1.0, tol=tol).fit(X, y).solution_ for tol in (1e-4, 1e-8))
    assert fine.is_converged and fine.gap <= 1e-12 * fine.objective
    assert fine.objective <= rough.objective + 1e-14 <= fine.objective + rough.gap + 2e-14


@pytest.mark.parametrize("seed", range(4))
def test_a_path_on_few_sparse_rows_is_silent(seed: int) -> None:
    """No warning: they are errors here."""
    rng = np.random.default_rng(seed)
    X = sp.random_array((24, 200), density=0.1, rng=rng, format="csr")
    path = regularisation_path(X, np.arange(24) % 2, l1_ratio=1.0, Cs=np.geomspace(1e-2, 1e4, 10))
    assert np.isfinite(path.coef).all() and np.isfinite(path.leave_one_out).all()


@pytest.mark.parametrize("certain", [0.0, 20.0, 200.0])
def test_equal_shifts_are_no_part_of_the_intercepts(certain: float, rng: Any) -> None:
    Z = rng.normal(size=(5, 300)) + certain * np.eye(5)[:, rng.integers(0, 5, 300)]
    P, share = np.exp(Z - Z.max(axis=0)), np.full(300, 1.0 / 300)
    P /= P.sum(axis=0)
    inverse = intercept_inverse(P, share)
    L = -(P * share) @ P.T
    np.fill_diagonal(L, 0.0)
    L -= np.diag(L.sum(axis=1))  # rows add up to 0: P @ share on the diagonal would leave 1e-16, however small L is
    assert np.abs(inverse.sum(axis=0)).max() <= 1e-10 * np.abs(inverse).max(initial=1.0)
    assert_allclose(L @ inverse @ L, L, atol=1e-9 * np.abs(L).max())


@pytest.mark.parametrize("r", [1.0, 0.7, 0.1])
@pytest.mark.parametrize("K", [3, 4])
def test_a_column_is_shifted_to_its_least_penalty(K: int, r: float, rng: Any) -> None:
    W = rng.normal(size=(K, 6)) + 3.0 * rng.normal(size=6)
    new = shifted(W, r)
    assert_allclose(np.ptp(new - W, axis=0), 0.0, atol=1e-14)
    for step in (-0.1, -1e-3, 1e-3, 0.1):
        for j in np.flatnonzero((new != W).any(axis=0)):
            assert elastic_net(new[:, j] + step, r) >= elastic_net(new[:, j], r) - 1e-12


@pytest.mark.filterwarnings("ignore::separatrix.solvers.solution.ConvergenceWarning")
def test_columns_far_from_zero_without_an_intercept() -> None:
    """One direction has nearly all of the curvature, so that sweeps bring nothing: more systems do."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 33))
    y = (X @ rng.normal(size=(33, 5)) + rng.gumbel(size=(240, 5))).argmax(axis=1)
    model = LogisticRegression(C=2500.0, l1_ratio=1.0, fit_intercept=False, max_iter=40).fit(X + 100.0 * rng.normal(size=33), y)
    assert model.solution_.gap <= 1e-4 * model.solution_.objective
