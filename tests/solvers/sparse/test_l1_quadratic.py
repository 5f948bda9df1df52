"""The penalised quadratic: whatever enters together, the end is where one coordinate at a time would have ended."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from separatrix.solvers.sparse import l1_quadratic
from separatrix.solvers.sparse.l1_quadratic import Quadratic, violation


@pytest.mark.parametrize("correlation", [0.0, 0.9, 0.999])
@pytest.mark.parametrize("seed", range(5))
def test_entering_together_ends_where_one_by_one_does(correlation: float, seed: int, monkeypatch: Any) -> None:
    rng = np.random.default_rng(seed)
    A = np.sqrt(1.0 - correlation) * rng.normal(size=(90, 30)) + np.sqrt(correlation) * rng.normal(size=(90, 1))
    H, g, penalty = A.T @ A, 30.0 * rng.normal(size=30), np.append(np.full(29, 20.0), 0.0)
    together = Quadratic(H).minimise(g, np.zeros(30), penalty, 1e-10)
    monkeypatch.setattr(l1_quadratic, "ENTRIES", 0)
    alone = Quadratic(H).minimise(g, np.zeros(30), penalty, 1e-10)
    assert violation(g + H @ together, together, penalty).max() < 1e-8
    assert_allclose(together, alone, atol=1e-8)
    assert 0 < np.count_nonzero(together) < 30
