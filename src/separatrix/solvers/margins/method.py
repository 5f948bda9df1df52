"""Which method a machine gets first, by counted work (`solvers/work.py` and `step_work.py` have the seconds of an operation).

A step of Newton's method, of the augmented Lagrangian or of an interior point adds up the curvature of all columns, or of the span of fewer
rows, and factors it. Steps are some dozens whatever the costs are, so that their seconds are known; such a method comes first where they
are no more than those of the epochs and products that any machine takes. Elsewhere coordinate descent and Newton's method by products have
turns (`turns.py`), and the method with a matrix follows where they have not arrived in a share of its seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...losses import SquaredHinge
from ..problem import Problem
from ..work import ADDED, FACTORED, SPANNED, STEP
from . import small_margins
from .one_table import is_possible
from .step_work import INTERIOR, LAGRANGIAN, NEWTON, epoch_seconds, is_lagrangian_quicker, matrix_seconds, more_steps, square_seconds

FEW_COLUMNS = 2_000
"""Columns up to which Newton's method has their curvature as a matrix."""
MANY_ROWS = 6_000
"""Rows up to which their Gram matrix has room."""
EPOCHS, CALLS = {True: 25.0, False: 20.0}, 3e-4
"""Epochs of a squared hinge and of a hinge that turns take at the least, and seconds of what is done around them."""
SHORT = {False: 1e-3, True: 4e-3}
"""Seconds that a method with a matrix may always take, for the last digits of coefficients and multipliers; also in the span of rows."""
SMALL_STEPS, SMALL_CALLS, SMALL_ROW = {True: 6.0, False: 12.0}, {True: 5e-5, False: 6e-5}, {True: 5e-9, False: 4e-8}
"""Steps that all machines of a small table take at once; seconds of one beside its matrix: of its calls, and of vectors for each row."""
FOLD_STEPS, DENSE, REFIT = 8, 3e-9, 1e-3
"""Steps with a dense curvature that a machine takes for a fold, seconds of a value of rows made dense, and those around a refit."""


@dataclass(frozen=True, slots=True)
class Method:
    """A method with a matrix, empty where none has room, and why it or turns come first.

    Attributes
    ----------
    seconds : that it takes for a machine
    in_span : whether it works on coordinates in the span of rows fewer than columns
    at_once : whether all machines take each step together
    in_turns : whether turns come before it
    """

    name: str
    why: str
    seconds: float = np.inf
    in_span: bool = False
    at_once: bool = False
    in_turns: bool = False


def choose(problem: Problem, squared: bool) -> Method:
    """Return the method with the least work."""
    rows, p = problem.rows, problem.n_features
    if rows.X is None:
        return Method(NEWTON if squared else LAGRANGIAN, "the rows are read anew on every pass, so few passes count most")
    if problem.strength == 0.0:
        in_span = rows.X.shape[0] < p and rows.X.shape[0] <= MANY_ROWS
        return Method(LAGRANGIAN if in_span or p <= FEW_COLUMNS else "", "no row may violate its margin", in_span=in_span)
    found, n = with_matrix(problem, squared), rows.X.shape[0]
    if found.seconds <= max(SHORT[found.in_span] / problem.n_scores, CALLS + EPOCHS[squared] * epoch_seconds(rows)):
        return replace(found, why=f"{n:,} rows and {p:,} columns: a matrix of their curvature is cheap")
    why = f"{n:,} rows and {p:,} columns: reading the rows a few times is cheaper than a matrix of their curvature"
    return replace(found, why=why, in_turns=True)


def with_matrix(problem: Problem, squared: bool) -> Method:
    """Return the cheapest method with a matrix, and its seconds for a machine."""
    rows, (n, p) = problem.rows, problem.rows.X.shape
    newton, steps = (NEWTON, more_steps(rows, 1.0 / (problem.strength * n))) if squared else (LAGRANGIAN, 1.0)
    if n < p:
        if n > MANY_ROWS:
            return Method("", "")
        seconds = steps * square_seconds(n, newton) + SPANNED * n * rows.values / problem.n_scores
        return Method(newton, "", seconds, in_span=True)
    if small_margins.at_once(rows):
        return Method(NEWTON if squared else INTERIOR, "", _small_seconds(problem, squared), at_once=True)
    if p <= FEW_COLUMNS and not rows.is_sparse:
        return Method(newton, "", steps * matrix_seconds(rows, newton))
    if squared and p <= FEW_COLUMNS:
        return Method(NEWTON, "", steps * matrix_seconds(rows, NEWTON))
    if not is_possible(rows):
        return Method("", "")
    name = LAGRANGIAN if not squared and is_lagrangian_quicker(rows, 1.0 / (problem.strength * n)) else INTERIOR
    return Method(name, "", matrix_seconds(rows, name))


def _small_seconds(problem: Problem, squared: bool) -> float:
    n, q = problem.rows.X.shape[0], problem.n_features + 1
    calls = SMALL_CALLS[squared] / min(problem.n_scores, small_margins.at_once(problem.rows))
    return float(SMALL_STEPS[squared] * (calls + SMALL_ROW[squared] * n + ADDED * n * q**2 + FACTORED * q**3))


def fit_seconds(problem: Problem) -> float:
    """Return the seconds that a fit of one machine with a hinge promises to take."""
    squared = isinstance(problem.loss, SquaredHinge)
    return min(with_matrix(problem, squared).seconds, CALLS + EPOCHS[squared] * epoch_seconds(problem.rows))


def refits_are_cheaper(problem: Problem) -> bool:
    """Whether fits without a fold of a squared hinge cost less than Newton steps from the fit of all rows, which have a dense curvature."""
    if problem.strength == 0.0:
        return False
    n, q = problem.rows.X.shape[0], min(problem.rows.X.shape) + 1
    steps = FOLD_STEPS * (STEP / 4.0 + DENSE * n * q + ADDED * n * q**2 + FACTORED * q**3)
    return bool(REFIT / problem.n_scores + fit_seconds(problem) < steps)
