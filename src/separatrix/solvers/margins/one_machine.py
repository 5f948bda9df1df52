"""One machine too large for `small_margins`: which method runs, and which comes after it where it does not arrive.

Newton's methods and the augmented Lagrangian are fast on ordinary costs; interior points see multipliers of very different sizes, as high
costs and columns in many units make them; coordinate descent needs no matrix, and is slow on all of these.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..rows import Rows
from . import augmented_lagrangian, semismooth, small_hinge
from .conjugate import ConjugateDescent
from .machine import Ended, Machine

FEW_COLUMNS, SOME_ROWS = 2_000, 1_000
"""Columns up to which their curvature is a matrix; rows up to which their span is taken where nothing else arrives."""
ROUNDING = 1e-12
"""Share of F below which a gap is rounding, whatever was asked."""
SOME_COLUMNS, TABLE = 200, 2e7
"""Columns from which a matrix of the augmented Lagrangian is dear; values of a table for interior points."""
STEPS = 300
"""Steps of the augmented Lagrangian where interior points have failed."""
EPOCHS = 150
"""Epochs of coordinate descent before other methods are tried."""


def _dual(machine: Machine) -> Ended:
    """Descend by coordinates, then by Newton's method where that does not arrive."""
    from . import dual_svm

    ended = dual_svm.solve(machine, EPOCHS)
    n, p = machine.rows.X.shape
    left = machine.max_iter - ended.iterations
    if left <= 0 or _arrived(machine, ended) or n <= min(p, SOME_ROWS):
        return ended
    solver = semismooth.solve if machine.squared else augmented_lagrangian.solve
    method = semismooth.Descent if p <= FEW_COLUMNS else ConjugateDescent
    found = None if machine.squared else _interior(machine)
    other = solver(replace(machine, max_iter=left), ended.certificate, method) if found is None else found
    best = other if other.certificate.gap < ended.certificate.gap else ended
    return replace(best, iterations=ended.iterations + other.iterations, passes=ended.passes + other.passes)


def _lagrangian(machine: Machine) -> Ended:
    """Solve by the augmented Lagrangian, then by interior points; the other way round where costs are high and a matrix is dear."""
    ended = None
    stiff = augmented_lagrangian.gentle_steps(machine) > 0 and machine.rows.n_features > SOME_COLUMNS
    for solver in (_interior, augmented_lagrangian.solve) if stiff else (augmented_lagrangian.solve, _interior):
        # Where interior points have failed, rounding is at work, and further steps gain little.
        found = solver(replace(machine, max_iter=min(machine.max_iter, STEPS)) if stiff else machine)
        if found is not None and (ended is None or not ended.certificate.gap <= found.certificate.gap):
            ended = found
        if ended is not None and (ended.iterations >= machine.max_iter or _arrived(machine, ended)):
            break
    assert ended is not None
    return ended


def _arrived(machine: Machine, ended: Ended) -> bool:
    return ended.certificate.gap <= max(machine.tol, ROUNDING) * ended.certificate.primal


def _interior(machine: Machine) -> Ended | None:
    """Return the end of an interior-point method where there is room for its table, and it arrives."""
    X = machine.rows.X
    if (
        machine.max_iter < small_hinge.STEPS
        or machine.is_hard
        or X is None
        or X.shape[0] * X.shape[1] > TABLE
        or X.shape[1] > FEW_COLUMNS
        or machine.cost.min() <= 0.0
    ):
        return None
    rows = machine.rows
    if rows.is_sparse:
        assert rows.codes is not None
        rows = Rows.of_arrays(X.toarray(), rows.codes, None, rows.source)
    try:
        found = small_hinge.solve(rows, machine.signs[None], machine.cost, machine.ridge, max(machine.tol, ROUNDING))
    except np.linalg.LinAlgError:
        return None
    return None if found is None else found[0]


SOLVERS = {
    "semismooth Newton": semismooth.solve,
    "augmented Lagrangian": _lagrangian,
    "dual coordinate descent": _dual,
}
