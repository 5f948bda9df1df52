"""Cholesky factors written over their matrix, and whitenings that keep the factor."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from separatrix.solvers.closed_form import whitening
from separatrix.solvers.closed_form.factor import stable_factor
from separatrix.solvers.closed_form.whitening import whiten


def covariance(p: int, rank: int | None = None) -> np.ndarray:
    rows = np.random.default_rng(p).normal(size=(rank or 2 * p, p)) * np.geomspace(1.0, 1e3, p)
    return rows.T @ rows / len(rows)


@pytest.mark.parametrize("p", [1, 2, 40])
def test_the_factor_is_that_of_the_matrix_and_takes_its_place(p: int) -> None:
    A = covariance(p)
    given = A.copy()
    factor = stable_factor(given)
    assert factor is not None and np.shares_memory(factor, given)
    assert_allclose(np.tril(factor) @ np.tril(factor).T, A, rtol=1e-12)


@pytest.mark.parametrize("A", [np.ones((3, 3)), covariance(30, rank=10), np.diag([1.0, -1.0]), np.diag([1.0, 1e-13])])
def test_a_matrix_without_a_stable_inverse_is_left_as_it_was(A: np.ndarray) -> None:
    given = A.copy()
    assert stable_factor(given) is None
    assert_array_equal(given, A)


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("rank", [None, 12])
def test_whitening_by_the_factor_is_whitening_by_the_basis(monkeypatch: pytest.MonkeyPatch, overwrite: bool, rank: int | None) -> None:
    S, rng = covariance(20, rank), np.random.default_rng(0)
    spread, V = np.sqrt(np.diag(S)) * 2.0, rng.normal(size=(3, 20)) * np.sqrt(np.diag(S))
    by_basis = whiten(S, spread)
    monkeypatch.setattr(whitening, "INVERTED", 0)
    by_factor = whiten(S.copy(), spread, overwrite)
    assert by_factor.rank == by_basis.rank == (rank or 20)
    assert (by_factor.units is None) == (rank is not None)
    assert_allclose(by_factor.log_det, by_basis.log_det, rtol=1e-9)
    if rank is None:  # else the basis of what does not vary is any
        assert_allclose(by_factor.basis, by_basis.basis, rtol=1e-9, atol=1e-12)
    Z = by_factor.coordinates(V)
    assert_allclose(Z @ Z.T, by_basis.coordinates(V) @ by_basis.coordinates(V).T, rtol=1e-6)
    assert_allclose(by_factor.directions(Z), by_basis.directions(by_basis.coordinates(V)), rtol=1e-5, atol=1e-5)


def test_an_overwritten_covariance_without_inverse_gives_the_same_whitening() -> None:
    S = covariance(20, rank=12)
    spread = np.sqrt(np.diag(S)) * 2.0
    kept, over = whiten(S, spread), whiten(S.copy(), spread, overwrite=True)
    assert kept.rank == over.rank == 12
    assert_allclose(over.log_det, kept.log_det, rtol=1e-12)
