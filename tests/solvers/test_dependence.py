"""Columns that others determine are found in order, the first of equals staying."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from separatrix.solvers.dependence import dependent_columns

RNG = np.random.default_rng(0)
X = RNG.standard_normal((50, 3))
CASES: list[tuple[str, Any, bool, list[int]]] = [
    ("none", X, True, []),
    ("copy", np.column_stack([X, X[:, 1]]), True, [3]),
    ("sum", np.column_stack([X, X.sum(axis=1), X[:, 0] - 1e5]), True, [3, 4]),
    ("constant", np.column_stack([np.full(50, 0.1), X]), True, [0]),
    ("constant without intercept", np.column_stack([np.full(50, 0.1), X]), False, []),
    ("zero", np.column_stack([X, np.zeros(50)]), False, [3]),
    ("one-hot", np.eye(3)[np.arange(50) % 3], True, [2]),
]


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_dependent_columns(case: Any, unit: float) -> None:
    _, rows, fit_intercept, expected = case
    centre = rows.mean(axis=0) * unit if fit_intercept else np.zeros(rows.shape[1])
    Z = np.column_stack([rows * unit - centre, np.ones(50)])
    found = dependent_columns(Z.T @ Z, centre, fit_intercept)
    assert (found is None and not expected) or found.tolist() == expected
