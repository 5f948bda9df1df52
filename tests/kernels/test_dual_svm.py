"""The order of coordinate descent: a permutation on either side of the number of rows from which neighbours stay together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from separatrix.data import as_source
from separatrix.kernels.dual_svm import GROUP, MANY, shuffle
from separatrix.solvers.margins import dual_svm
from separatrix.solvers.margins.machine import Machine
from separatrix.solvers.rows import Rows


@pytest.mark.parametrize("n", [1, 2, 100, MANY - 1, MANY, MANY + GROUP // 2])
def test_every_row_keeps_a_place(n: int) -> None:
    order, state = np.arange(n + 3), np.array([7])
    shuffle(order, n, state)
    assert (np.sort(order[:n]) == np.arange(n)).all() and (order[n:] == np.arange(n, n + 3)).all()
    assert n < 3 or (order[:n] != np.arange(n)).any()


def test_neighbours_stay_together_among_many_rows() -> None:
    order = np.arange(MANY)
    shuffle(order, MANY, np.array([7]))
    groups = order.reshape(-1, GROUP) // GROUP
    assert (groups == groups[:, :1]).all()
    assert (np.diff(groups[:, 0]) != 1).mean() > 0.99


@pytest.mark.parametrize("squared", [False, True])
def test_many_sorted_rows_are_descended_to_a_proof(squared: bool, rng: Any) -> None:
    """Rows that follow each other are of one class, and there are too many for each to be shuffled alone."""
    n = MANY + 100
    signs = np.where(np.arange(n) < n // 3, 1.0, -1.0)
    X = sp.csr_array(np.round(rng.normal(size=(n, 4)) + 0.8 * signs[:, None]))
    machine = Machine(Rows.of(as_source(X, signs > 0.0)), signs, np.full(n, 1e-3), squared, 1.0)
    found = dual_svm.solve(machine, 200).certificate
    assert found.gap <= 1e-6 * found.primal
