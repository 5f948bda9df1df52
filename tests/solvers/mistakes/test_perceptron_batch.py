"""The batch perceptron's step against finite differences; the same bits on any number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.data import as_source
from separatrix.data import source as sources
from separatrix.solvers.mistakes.perceptron_batch import BatchRule, learn_batch, wrong_rows
from tests.solvers.mistakes.test_online import rows


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("make", [lambda X: X, np.asfortranarray, sp.csr_array, pd.DataFrame])
def test_a_batch_step_is_the_gradient_of_the_mean_loss(K: int, make: Any, rng: Any) -> None:
    X, y = rows(rng, K)
    c, W = rng.random(len(y)), rng.normal(size=(1 if K == 2 else K, 6))

    def loss(W: Any) -> float:
        f = X @ W[:, :-1].T + W[:, -1]
        f = np.column_stack([0 * f[:, 0], f[:, 0]]) if K == 2 else f
        own = f[np.arange(len(y)), y]
        return float(c @ np.maximum(0, (f - own[:, None]).max(axis=1)) / c.sum())

    wrong = as_source(make(X), y, c).reduce(wrong_rows(W, 1.0))
    h = 1e-6
    slopes = [(loss(W + h * E.reshape(W.shape)) - loss(W - h * E.reshape(W.shape))) / (2 * h) for E in np.eye(W.size)]
    assert_allclose(-wrong.step.ravel() / wrong.weight, slopes, atol=1e-6)


def test_batches_in_many_blocks_on_threads_are_the_same_bits(rng: Any, monkeypatch: Any) -> None:
    X, y = rng.normal(size=(900, 4)), rng.integers(0, 3, 900)
    rule = BatchRule(max_iter=20)
    whole = learn_batch(as_source(X, y), rule, np.zeros((3, 5)))[0]
    monkeypatch.setattr(sources, "CHUNK_BYTES", 2000)
    found = [learn_batch(as_source(X, y, n_jobs=jobs), rule, np.zeros((3, 5)))[0] for jobs in (1, 2, 3)]
    assert (found[0] == found[1]).all() and (found[0] == found[2]).all()
    assert_allclose(found[0], whole, atol=1e-10)
