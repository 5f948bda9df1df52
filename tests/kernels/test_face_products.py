"""Conjugate gradients on a face of the dual: products with the rows, and a climb that never lowers D or leaves the bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from separatrix.data import as_source
from separatrix.kernels.face_products import climb, scores, sums
from separatrix.solvers.row_parts import unsigned_parts
from separatrix.solvers.rows import Rows

FORMS = pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])


def table(rng: Any, form: Any) -> tuple[Any, Any]:
    X = np.where(rng.random((40, 60)) < 0.5, rng.normal(size=(40, 60)), 0.0)
    return X, unsigned_parts(Rows.of(as_source(form(X), np.arange(40) % 2)))


@FORMS
def test_products_are_those_of_the_rows_given(form: Any, rng: Any) -> None:
    X, parts = table(rng, form)
    rows, v, factors = np.flatnonzero(rng.random(40) < 0.6), rng.normal(size=60), rng.normal(size=40)
    found, total = np.empty(len(rows)), np.empty(60)
    scores(*parts, rows, v, found)
    sums(*parts, rows, factors[: len(rows)], total)
    assert_allclose(found, X[rows] @ v)
    assert_allclose(total, factors[: len(rows)] @ X[rows])


@FORMS
@pytest.mark.parametrize("cap", [0.05, np.inf], ids=["hinge", "squared hinge"])
@pytest.mark.parametrize("spread", [0.0, 2.0])
def test_a_climb_raises_the_dual_to_its_maximum_or_a_bound(spread: float, cap: float, form: Any, rng: Any) -> None:
    X, parts = table(rng, form)
    y, rows, alpha = np.where(np.arange(40) % 3 == 0, 1.0, -1.0), np.arange(3, 40), 0.5 * min(cap, 0.1) * np.ones(40)
    curve = np.full(40, 0.3 if np.isinf(cap) else 0.0)
    Z = y[:, None] * X
    H = Z @ Z.T + spread * np.outer(y, y) + np.diag(curve)
    traits = np.column_stack([y, np.full(40, cap), curve, np.diag(H)])
    w, b, found = alpha @ Z, np.array([spread * (alpha @ y)]), alpha[rows].copy()
    count = climb(*parts, rows, traits, spread, w, b, 200, found, np.empty((6, len(rows))), np.empty(60))
    after = np.r_[alpha[:3], found]
    assert count > 0 and (found >= 0.0).all() and (found <= cap).all()
    assert after.sum() - 0.5 * after @ H @ after > alpha.sum() - 0.5 * alpha @ H @ alpha
    free = (found > 0.0) & (found < cap)
    if free.all():
        assert np.abs((1.0 - H @ after)[rows]).max() < 0.1 * np.abs((1.0 - H @ alpha)[rows]).max()


def test_nothing_rises_at_the_maximum(rng: Any) -> None:
    parts = unsigned_parts(Rows.of(as_source(np.eye(5), np.arange(5) % 2)))
    traits, alpha = np.tile([1.0, 2.0, 0.0, 1.0], (5, 1)), np.ones(5)
    assert climb(*parts, np.arange(5), traits, 0.0, np.ones(5), np.zeros(1), 9, alpha, np.empty((6, 5)), np.empty(5)) == 0
    assert alpha.tolist() == [1.0] * 5
