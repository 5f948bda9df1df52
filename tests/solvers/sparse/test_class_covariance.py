"""Steps by the columns' covariance: the model is the one its file says, and ends where the Hessian ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.solvers.sparse import softmax_columns
from separatrix.solvers.sparse.class_covariance import RIDGE, ClassCovariance
from separatrix.solvers.sparse.proximal_newton import FEW, _columns_of
from separatrix.solvers.sparse.softmax_columns import SoftmaxColumns
from tests.solvers.problems import make_problem, make_sparse


def table(n: int = 150, p: int = 12, K: int = 4, far: float = 0.0) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    y = np.arange(n) % K
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + rng.normal(size=(K, p))[y] + far, y


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("far", [0.0, 1e3])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_the_first_model_is_a_kronecker_product(fit_intercept: bool, far: float, kind: Any) -> None:
    X, y = table(far=far)
    n, K, p = len(X), 4, X.shape[1]
    columns = SoftmaxColumns(make_problem(kind(X), y, l1_ratio=1.0, fit_intercept=fit_intercept), products := _products(kind(X), y), few=0)
    point = columns.start(np.zeros((K, p)), np.zeros(K))
    G, l2 = columns.looked_at(point)[0], 0.3
    model = ClassCovariance(products, columns.share, fit_intercept)
    end, shift, V = model.minimise(point.W, G, point.probabilities, np.ones((K, p), dtype=bool), 0.0, l2)
    A = np.diag(point.probabilities.mean(axis=1)) - point.probabilities @ point.probabilities.T / n
    A += RIDGE * np.trace(A) / K * np.eye(K)
    D = X - X.mean(axis=0) if fit_intercept else X
    H = np.kron(A, D.T @ D / n) + l2 * np.eye(K * p)
    assert np.abs(H @ end + G.ravel()).max() < 0.2 * np.abs(G).max()
    assert_allclose(V, end.reshape(K, p) @ X.T + shift[:, None], atol=1e-9 * max(far, 1.0))
    assert_allclose(V.mean(axis=1), 0.0 if fit_intercept else V.mean(axis=1), atol=1e-9 * max(far, 1.0))


def _products(X: Any, y: Any) -> Any:
    return _columns_of(make_problem(X, y, l1_ratio=1.0))


def solved(problem: Any, road: Any, monkeypatch: Any) -> Any:
    """Return the solution by the covariance alone, the true curvature alone, or (None) whichever is the less work."""
    with monkeypatch.context() as patch:
        if road is not None:
            patch.setattr(SoftmaxColumns, "_curvature_is_cheaper", lambda *_: road == "curvature")
        return SoftmaxColumns(problem, _columns_of(problem), few=0).solve()


@pytest.mark.parametrize(("C", "road"), [(0.05, "covariance"), (2.0, "covariance"), (0.05, None), (2.0, None), (100.0, None)])
@pytest.mark.parametrize("r", [1.0, 0.5])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("sparse", [False, True])
def test_ends_where_walks_through_columns_end(C: float, road: Any, r: float, fit_intercept: bool, sparse: bool, monkeypatch: Any) -> None:
    weight, (X, y) = np.random.default_rng(1).integers(1, 3, 150).astype(float), table()
    X = sp.csr_array(np.where(np.abs(X) > 2.0, X, 0.0)) if sparse else X
    problem = make_problem(X, y, C, weight, l1_ratio=r, fit_intercept=fit_intercept)
    found, other = (solved(problem, own, monkeypatch) for own in (road, "curvature"))
    assert found.is_converged and other.is_converged
    assert found.gap <= 1e-8 * found.objective
    assert_allclose(found.objective, other.objective, rtol=1e-8)


def test_pairs_that_come_in_later_keep_what_steps_told() -> None:
    X, y = table()
    columns = SoftmaxColumns(make_problem(X, y, l1_ratio=1.0), _products(X, y), few=0)
    model, rng = ClassCovariance(columns.products, columns.share, True), np.random.default_rng(0)
    W = np.zeros((4, 12))
    for count in (3, 7, 12):
        point = columns.start(W, np.zeros(4))
        G = columns.looked_at(point)[0]
        model.see(W, G)
        model.minimise(W, G, point.probabilities, np.tile(np.arange(12) < count, (4, 1)), 0.01, 0.0)
        W = W + 0.1 * rng.normal(size=W.shape) * (np.arange(12) < count)
    assert len(model.steps) == 2 and len(model.known) == 12
    D = X - X.mean(axis=0)
    assert_allclose(model.G, D.T @ D / len(X), atol=1e-12)
    for (s, _), product in zip(model.steps, model.products_of_steps, strict=True):
        assert_allclose(product, s @ model.G, atol=1e-12)


def test_a_rough_fit_ends_early_and_near(monkeypatch: Any) -> None:
    problem = make_problem(*table(n=600), 0.5, l1_ratio=1.0, tol=1e-2)
    exact, rough = (solved(replace(problem, is_rough=own), "covariance", monkeypatch) for own in (False, True))
    assert rough.is_converged and rough.passes < exact.passes
    assert exact.objective <= rough.objective <= 1.05 * exact.objective


def test_many_sparse_columns_have_no_covariance(monkeypatch: Any) -> None:
    monkeypatch.setattr(softmax_columns, "COVARIED", 299)
    problem = make_problem(*make_sparse(p=300, K=3), l1_ratio=1.0)
    assert SoftmaxColumns(problem, _columns_of(problem), FEW).covariance is None
