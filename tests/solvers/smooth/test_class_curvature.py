"""The inverse Hessian around which steps are taken: right along the weights of each class, positive definite, and worth its price."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.losses import Logistic, Softmax
from separatrix.solvers.smooth import class_curvature, kronecker
from separatrix.solvers.smooth.array_objective import ArrayObjective, Precision
from separatrix.solvers.smooth.class_curvature import curved_inverse, flat_inverse
from tests.libraries import back, each_library
from tests.solvers.smooth.test_kronecker import problem

LOSSES = pytest.mark.parametrize(("loss", "K"), [(Softmax(), 5), (Logistic(), 2)], ids=["softmax", "logistic"])


def begun(loss: Any, K: int, convert: Any, weighted: bool = False) -> tuple[ArrayObjective, Any, Any, Any]:
    own = problem(loss, K, convert, weighted=weighted)
    X = np.concatenate([back(block.X) for block in own.rows.map(lambda block: block)])
    objective = ArrayObjective(own, convert(X[:1]), X.mean(axis=0), X.std(axis=0))
    theta = 0.3 * np.random.default_rng(0).normal(size=(own.n_scores, 7))
    return objective, np.cov(X.T), theta - theta.mean(axis=0) if K > 2 else theta, objective.loss.flat_curvature(own.counts)


@each_library
@LOSSES
@pytest.mark.parametrize("weighted", [False, True])
def test_curvature_along_the_weights_is_that_of_the_gradient(loss: Any, K: int, weighted: bool, convert: Any) -> None:
    objective, _, theta, _ = begun(loss, K, convert, weighted)
    A, along, tied = (back(part) for part in class_curvature._sampled(objective, convert(theta)))
    R, step = len(theta), 1e-5
    found = np.block([[along + objective.problem.strength * np.diag((theta[:, :-1] ** 2).sum(axis=1)), tied], [tied.T, A]])
    V = np.zeros((2 * R, *theta.shape))
    for k in range(R):
        V[k, k, :-1], V[R + k, k, -1] = theta[k, :-1], 1.0
    for i in range(2 * R):
        up, down = (back(objective.at(convert(theta + sign * step * V[i]), Precision.FULL)[1]) for sign in (1, -1))
        assert_allclose(found[i], np.einsum("vkj,kj->v", V, up - down) / (2 * step), rtol=1e-5, atol=1e-7)


@each_library
@LOSSES
def test_the_inverse_is_symmetric_and_positive(loss: Any, K: int, convert: Any) -> None:
    objective, G, theta, shares = begun(loss, K, convert)
    rng = np.random.default_rng(2)
    for inverse in (flat_inverse(objective, G, shares), curved_inverse(objective, G, shares, convert(theta))):
        a = rng.normal(size=(6, *theta.shape))
        a = a - a.mean(axis=1, keepdims=True) if K > 2 else a
        turned = np.array([back(inverse(convert(row))) for row in a])
        products = np.einsum("ikj,lkj->il", a, turned)
        assert_allclose(products, products.T, rtol=1e-8, atol=1e-10)
        assert np.linalg.eigvalsh(products).min() > 0.0


def test_passes_are_fewer(monkeypatch: Any) -> None:
    own = problem(Softmax(), 12)
    curved = next(kronecker.solve_path(own, [1e-4]))
    monkeypatch.setattr(kronecker, "CURVED", ())
    flat = next(kronecker.solve_path(own, [1e-4]))
    assert curved.is_converged and flat.is_converged
    assert curved.passes < flat.passes
