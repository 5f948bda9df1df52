"""The exact end of a hinge: once it is known which rows lie on the margin, the rest is one linear system.

With F the rows on the margin (0 < α < c), U those beyond it (α = c), x̃ centred and v_i = α_i y_i, the conditions of optimality are

    w = Σ_U c_i y_i x_i + Σ_F v_i x_i,   x_i'w + b = y_i on F,   Σ_F v_i + Σ_U c_i y_i = ρb

The augmented Lagrangian finds F after a few steps but pays for every further digit of α with one of the margins.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...array_types import Floats
from ..smooth.centred_rows import CentredRows
from .machine import Machine

MOST, SPARE = 1_500, 20
"""Rows on the margin beyond which the system costs more than further steps; and how many more than coefficients there may be, since then
the multipliers are not unique.
"""


def polish(machine: Machine, rows: CentredRows, status: NDArray[np.int8]) -> tuple[Floats, Floats] | None:
    """Return θ and α (n,) of the conditions of optimality for the pieces given, or None where there are too many rows on the margin.

    The multipliers may come out beyond their bounds if the pieces are not those of the solution: the certificate tells.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> from separatrix.solvers.rows import Rows
    >>> held = Rows.of(as_source([[0.0], [1.0], [3.0]], [0, 0, 1]))
    >>> machine = Machine(held, np.array([-1.0, -1.0, 1.0]), np.full(3, np.inf), squared=False)
    >>> theta, alpha = polish(machine, CentredRows.of(held, False), np.array([0, 1, 1], dtype=np.int8))
    >>> theta.round(9).tolist(), alpha.round(9).tolist()
    ([1.0, -2.0], [0.0, 0.5, 0.5])
    """
    free = np.flatnonzero(status == 1)
    if len(free) == 0 or len(free) > min(MOST, rows.width + SPARE) or machine.rows.X is None:
        return None
    y = machine.signs
    at_cap = np.where(status == 2, machine.cost * y, 0.0)
    fixed = rows.sums(at_cap)
    X = rows.take(free)
    F = len(free)
    system = np.zeros((F + 1, F + 1))
    system[:F, :F] = X @ X.T
    if machine.has_intercept:
        system[:F, F] = system[F, :F] = 1.0
        system[F, F] = -machine.ridge
    else:
        system[F, F] = 1.0
    right = np.append(y[free] - X @ fixed[:-1], -fixed[-1] if machine.has_intercept else 0.0)
    found = np.linalg.lstsq(system, right, rcond=1e-13)[0]
    alpha = np.where(status == 2, machine.cost, 0.0)
    alpha[free] = found[:F] * y[free]
    return np.append(fixed[:-1] + found[:F] @ X, found[F]), alpha
