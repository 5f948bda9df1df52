"""Fits of a moderate size hold BLAS to one thread: its threads would wait for cores that others keep busy."""

import numpy as np
import pytest

import separatrix as sx
from separatrix.data import threads
from separatrix.data.calm_blas import calm_blas

MODELS = [
    sx.LinearDiscriminantAnalysis(),
    sx.LinearDiscriminantAnalysis(shrinkage=0.3),
    sx.QuadraticDiscriminantAnalysis(shrinkage=0.1),
    sx.LeastSquaresClassifier(alpha=1.0),
    sx.LogisticRegression(),
    sx.LinearSVC(),
    sx.LinearSVC(loss="hinge"),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("shape", [(400, 40), (30, 400)], ids=str)
@pytest.mark.filterwarnings("ignore::separatrix.errors.SingularWarning")
def test_a_moderate_fit_holds_blas(model, shape, monkeypatch):
    held, hold = [], threads._limits.hold
    monkeypatch.setattr(threads._limits, "hold", lambda *given: (held.append(1), hold(*given))[1])
    X = np.random.default_rng(0).normal(size=shape)
    model.fit(X, (X[:, 0] > 0.0).astype(int))
    assert held


def test_blas_keeps_its_threads_for_large_products_and_is_left_alone_by_small_ones():
    for work, holds in [(1e3, False), (1e6, True), (1e12, False)]:
        with calm_blas(work):
            assert bool(threads._limits.holders) is holds
