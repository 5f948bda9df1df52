"""A strong L1 penalty lets few columns in: working sets find them, and what they find is what the Hessian of all columns finds."""

import numpy as np
import pytest

from separatrix import LogisticRegression
from separatrix.solvers.sparse import one_call, proximal_newton


@pytest.fixture(autouse=True)
def _step_by_step(monkeypatch):
    """Tables as small as these are minimised at once; here they take the roads of larger ones."""
    monkeypatch.setattr(one_call, "serves", lambda problem: False)


@pytest.mark.parametrize("kind", [np.asarray, np.float32])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_both_roads_find_the_same_columns(kind, fit_intercept, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 100))
    y, weight = (X[:, 0] + rng.normal(size=200) > 0.3).astype(int), rng.gamma(2.0, 0.5, 200)
    model = LogisticRegression(C=0.02, l1_ratio=1.0, fit_intercept=fit_intercept)
    few = model.fit(kind(X), y, weight).solution_
    monkeypatch.setattr(proximal_newton, "NARROW", 1_000)
    all_columns = model.fit(kind(X), y, weight).solution_
    assert "working sets" in few.solver and "gram" in all_columns.solver
    assert np.count_nonzero(few.coef) < 20
    # Gaps of 1e-8 leave coefficients right to their root.
    np.testing.assert_allclose(few.coef, all_columns.coef, atol=1e-3)


def test_a_weak_penalty_on_few_rows_is_reached_by_way_of_stronger_ones(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 1_600))
    y = (X[:, 0] + 0.3 * rng.normal(size=30) > 0.0).astype(int)
    model = LogisticRegression(C=1e4, l1_ratio=1.0)
    found = model.fit(X, y).solution_
    monkeypatch.setattr(proximal_newton, "_stronger", lambda *_: [])
    at_once = model.fit(X, y).solution_
    assert found.is_converged and found.objective <= at_once.objective * (1.0 + 1e-7)
    assert np.count_nonzero(found.coef) <= 30
