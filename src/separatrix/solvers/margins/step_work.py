"""Seconds of epochs, and of all steps of the methods that add up the curvature of all columns, counted as in `solvers/work.py`."""

from __future__ import annotations

import numpy as np

from ..rows import Rows
from ..work import ADDED, FACTORED, PASS, STEP

NEWTON, LAGRANGIAN, INTERIOR = "semismooth Newton", "augmented Lagrangian", "interior point"
STEPS = {NEWTON: 7, LAGRANGIAN: 25, INTERIOR: 20}
"""Steps of each method."""
SPARSE_STEPS, CHANGED, READS, EACH_ROW = 40, 0.1, 4, 4e-8
"""On sparse rows of the hinge: steps of the augmented Lagrangian, the share of the curvature that each sums anew, passes over the rows,
and seconds of its vectors for each row.
"""
MEETING = 4e-10
"""Seconds of a meeting of two values in a sparse row, in a compiled sum over one machine's rows."""
INTERIOR_READS, INTERIOR_ROW = 8, 1e-7
"""Passes over the rows in a step of an interior point, and seconds of its vectors for each row."""
DENSE_VALUE, SPARSE_VALUE, EPOCH_ROW = 3.5e-10, 1e-9, 2e-8
"""Seconds of a value of dense and of sparse rows in an epoch of dual coordinate descent, and of a row."""
MISSED, CACHE, ROW_BYTES, VALUE_BYTES = 1e-7, 1.6e7, 48, 12
"""Seconds of a sparse row that descent, which goes from row to row at random, finds in no cache; their bytes, and those of rows."""
ROOM = 1e8
"""Bytes that matrices may take beside those of the rows."""
STIFF = 1e4
"""Cost times squared length of a row from which on multipliers are far below their bounds, and first problems are gentler."""


def matrix_seconds(rows: Rows, name: str) -> float:
    """Return the seconds of all steps of a method that adds up the curvature of all columns."""
    n, p = rows.X.shape
    if rows.is_sparse:
        curvature = MEETING * float(np.square(np.diff(rows.X.indptr).astype(np.float64)).sum())
    else:
        curvature = 0.5 * ADDED * n * p**2
    each, factor = STEP + PASS * rows.values, FACTORED * p**3
    if name == INTERIOR:
        return float(STEPS[name] * (each + curvature + factor + (INTERIOR_READS - 1) * PASS * rows.values + INTERIOR_ROW * n))
    if name == LAGRANGIAN and rows.is_sparse:
        return float(SPARSE_STEPS * (each + CHANGED * curvature + factor + (READS - 1) * PASS * rows.values + EACH_ROW * n))
    return float(STEPS[name] * (each + curvature + factor))


def has_room(rows: Rows, matrices: int) -> bool:
    """Whether so many matrices of the columns take no more memory than the rows and ROOM."""
    return bool(8.0 * matrices * rows.X.shape[1] ** 2 <= ROOM + rows.values * (12.0 if rows.is_sparse else 8.0))


def gram_seconds(rows: Rows) -> float:
    """Return the seconds of the curvature of all rows and its factor."""
    n, p = rows.X.shape
    if rows.is_sparse:
        return float(MEETING * np.square(np.diff(rows.X.indptr).astype(np.float64)).sum() + FACTORED * p**3)
    return float(0.5 * ADDED * n * p**2 + FACTORED * p**3)


def square_seconds(n: int, name: str) -> float:
    """Return the seconds of all steps on as many dense rows as columns, the coordinates of rows in their span."""
    return float(STEPS[name] * (STEP + (0.5 * ADDED + FACTORED) * n**3))


def more_steps(rows: Rows, cost: float) -> float:
    """Return how many times the steps of Newton's method are needed: κ^¼ times, κ = min(√s, (1 + √γ)/(1 − √γ)).

    The curvature has the condition number s = cost × squared length at most, and that of a matrix of random columns where rows are many,
    γ = 2p/n being the columns for each row that may be curved.
    """
    n, p = rows.X.shape
    s, gamma = max(stiffness(rows, cost), 1.0), np.sqrt(2.0 * p / n)
    return float(min(np.sqrt(s), (1.0 + gamma) / (1.0 - gamma) if gamma < 1.0 else np.inf) ** 0.25)


def epoch_seconds(rows: Rows) -> float:
    """Return the seconds of an epoch of dual coordinate descent.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> round(1e9 * epoch_seconds(Rows.of(as_source([[1.0, 0.0], [2.0, 2.0]], [0, 1]))))
    41
    """
    n, values = rows.X.shape[0], rows.values
    if not rows.is_sparse:
        return float(DENSE_VALUE * values + EPOCH_ROW * n)
    held = ROW_BYTES * n + VALUE_BYTES * values
    return float(SPARSE_VALUE * values + (EPOCH_ROW + MISSED * held / (held + CACHE)) * n)


def stiffness(rows: Rows, cost: float) -> float:
    """Return a mean cost times the mean squared length of a row.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> stiffness(Rows.of(as_source([[1.0, 0.0], [2.0, 2.0]], [0, 1])), 2.0)
    9.0
    """
    values = rows.X.data if rows.is_sparse else rows.X.ravel()
    with np.errstate(over="ignore"):
        return float(cost * np.vdot(values, values) / rows.X.shape[0])


def is_lagrangian_quicker(rows: Rows, cost: float) -> bool:
    """Whether sparse rows of a hinge are better left to the augmented Lagrangian, which reads the rows that are curved, than to interior
    points, which need a matrix of all.
    """
    is_less = matrix_seconds(rows, LAGRANGIAN) < matrix_seconds(rows, INTERIOR)
    return bool(rows.is_sparse and is_less and stiffness(rows, cost) < STIFF)
