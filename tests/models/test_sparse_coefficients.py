"""Sparse coefficients predict what dense ones do."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from separatrix import AveragedPerceptron, BatchPerceptron, LinearSVC, LogisticRegression, Perceptron

MODELS = [
    LogisticRegression(l1_ratio=1.0),
    LogisticRegression(warm_start=True),
    LinearSVC(),
    Perceptron(random_state=0),
    AveragedPerceptron(random_state=0),
    BatchPerceptron(),
]


@pytest.mark.filterwarnings("ignore::separatrix.solvers.solution.ConvergenceWarning")
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_sparse_coefficients_predict_the_same(model: Any, K: int, rng: Any) -> None:
    X, y = rng.normal(size=(60, 5)), np.arange(60) % K
    model = clone(model).fit(X, y)
    scores, labels, edge = model.decision_function(X), model.predict(X), model.boundary(0, 1)
    thin = pickle.loads(pickle.dumps(model)).sparsify()
    assert sp.issparse(thin.coef_)
    for rows in (X, sp.csr_array(X), X.astype(np.float32)):
        assert_allclose(thin.decision_function(rows), scores, rtol=1e-4, atol=1e-5)
    assert_allclose(thin.decision_function(X), scores, rtol=1e-12, atol=1e-12)
    assert_array_equal(thin.predict(X), labels)
    assert_allclose(thin.boundary(0, 1).w, edge.w)
    assert_array_equal(thin.densify().coef_, model.coef_)
    assert_array_equal(thin.sparsify().fit(X, y).predict(X), labels)


@pytest.mark.filterwarnings("ignore::separatrix.solvers.solution.ConvergenceWarning")
@pytest.mark.parametrize("model", [Perceptron(random_state=0), AveragedPerceptron(random_state=0), BatchPerceptron()], ids=str)
def test_sparse_coefficients_learn_on(model: Any, rng: Any) -> None:
    X, y = rng.normal(size=(60, 5)), np.arange(60) % 2
    thick, thin = clone(model).fit(X, y), clone(model).fit(X, y).sparsify()
    assert_allclose(thin.partial_fit(X, y).coef_, thick.partial_fit(X, y).coef_, rtol=1e-12, atol=1e-12)


def test_there_must_be_coefficients() -> None:
    with pytest.raises(NotFittedError):
        LogisticRegression().sparsify()
