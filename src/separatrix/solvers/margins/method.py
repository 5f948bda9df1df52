"""Which method a machine gets, by counted work (`solvers/work.py` has the seconds of an operation).

A step of Newton's method, for the squared hinge or inside the augmented Lagrangian, adds up the curvature of all columns and factors it; an
epoch of dual coordinate descent reads the rows once. Descent arrives within some dozens of epochs where there are hardly more rows than
columns, so that a plane may separate them, and may need thousands where there are many more: there it is not tried first.
"""

from __future__ import annotations

import numpy as np

from ..problem import Problem
from ..work import ADDED, EPOCH, FACTORED, MEETING, PASS, SPANNED, STEP
from .one_machine import DUAL, FEW_COLUMNS, SOME_ROWS

STEPS, EPOCHS = 15, 100
"""Steps of Newton's method, and epochs of coordinate descent where it suits."""
DENSE_EPOCH = 1e-9
"""Seconds of a value of dense rows in an epoch."""
TALL = 4
"""Rows for each column from which on coordinate descent is a gamble, and how much longer Newton's method may then take."""
FEW_ANYWAY = 50
"""Columns up to which a span saves nothing, and rows whose span is always taken."""
SMALL = 3e-3
"""Seconds that Newton's method may always take, for the last digits that it gives."""


def choose(problem: Problem, squared: bool) -> tuple[str, str]:
    """Return the name of the method and why it is the one."""
    rows, p = problem.rows, problem.n_features
    newton = "semismooth Newton" if squared else "augmented Lagrangian"
    if rows.X is None:
        return newton, "the rows are read anew on every pass, so few passes count most"
    if p > FEW_COLUMNS:
        return DUAL, f"{p:,} columns are too many for their curvature"
    n = rows.X.shape[0]
    if rows.is_sparse:
        curvature = MEETING * float(np.square(np.diff(rows.X.indptr).astype(np.float64)).sum())
    else:
        curvature = 0.5 * ADDED * n * p**2
    steps = STEPS * (STEP + curvature + FACTORED * p**3 + PASS * rows.values)
    epochs = EPOCHS * (EPOCH if rows.is_sparse else DENSE_EPOCH) * rows.values
    if steps <= max(SMALL, (TALL if n > TALL * p else 1.0) * epochs):
        return newton, f"{p:,} columns: the curvature of all of them is cheap"
    return DUAL, f"{n:,} rows and {p:,} columns: reading the rows {EPOCHS} times is cheaper than the curvature of all columns"


def spans_less(problem: Problem, joint: bool) -> bool:
    """Whether rows are so few beside the columns that coordinates in their span save more time than they take."""
    X = problem.rows.X
    if X is None or not X.shape[0] < X.shape[1] or X.shape[1] <= FEW_ANYWAY or X.shape[0] > SOME_ROWS:
        return False
    n, p = X.shape
    machines = problem.n_scores * (problem.n_classes if joint else 1)
    saved = EPOCHS * machines * (EPOCH * (problem.rows.values - n * n) if problem.rows.is_sparse else DENSE_EPOCH * n * (p - n))
    return bool(n <= FEW_ANYWAY or SPANNED * n * problem.rows.values < saved)
