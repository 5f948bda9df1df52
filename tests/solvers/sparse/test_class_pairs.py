"""The explicit quadratic step of softmax on pairs of class and column: where walking through the columns ends too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.solvers.sparse.class_columns import ClassColumns
from separatrix.solvers.sparse.class_pairs import ClassPairs

K, N, WIDTH = 4, 80, 15


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("l2", [0.0, 0.02])
def test_the_end_is_that_of_walking_through_the_columns(intercept: bool, l2: float, rng: Any) -> None:
    X, where = rng.normal(size=(N, WIDTH)) + 1.0, rng.random((K, WIDTH)) < 0.7
    where[0] = ~where[1:].all(axis=0)  # no column in all classes, where its minimum would be a line
    P, share = rng.dirichlet(np.ones(K), N).T.copy(), rng.dirichlet(np.ones(N))
    g, start, g_b = 0.3 * rng.normal(size=where.sum()), rng.normal(size=where.sum()), 0.1 * rng.normal(size=K) * intercept
    g_b -= g_b.mean()
    A = sp.csc_array(X)
    parts = A.data, A.indices.astype(np.uint32), A.indptr.astype(np.uint32)
    walked = ClassColumns(parts, [np.flatnonzero(own) for own in where], P, share, 0.1, l2, intercept, np.array([1]))
    explicit = ClassPairs(X, where, P, share, 0.1, l2, intercept)
    for one, other in zip(explicit.minimise(g, g_b, start, 0.0, 0.0), walked.minimise(g, g_b, start, 1e-12, 0.0)):
        assert_allclose(one - one.mean(axis=0), other - other.mean(axis=0), atol=1e-5)  # what sweeps leave where curvature is small
