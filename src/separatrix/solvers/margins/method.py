"""Which method a machine gets, by counted work (`solvers/work.py` has the seconds of an operation).

A step of Newton's method, of the augmented Lagrangian or of an interior point adds up the curvature of all columns and factors it; an epoch
of dual coordinate descent reads the rows once. Steps are some dozens whatever the costs are. Epochs are a guess:

    2 + 6 s^0.4 √max(1, n/p),   s = mean cost × mean squared length of a row

which 25 random problems need within a factor of 3, so that descent comes first only where it promises to take less than half the time,
and is left after the time that the steps would have taken. On sparse rows it is tried for a small share of that time anyway: many rows with
few columns need hundreds of epochs or four.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...losses import SquaredHinge
from ..problem import Problem
from ..work import ADDED, EPOCH, FACTORED, SPANNED, STEP
from .one_machine import DUAL, EPOCHS, FEW_COLUMNS, SOME_ROWS
from .one_table import is_possible
from .sparse_squared import REASONS as SPARSE_REASONS
from .sparse_squared import SparseSquared
from .step_work import DENSE_VALUE, LAGRANGIAN, epoch_seconds, is_lagrangian_quicker, step_seconds, stiffness

GAMBLE = 2.0
"""How much sooner coordinate descent must promise to arrive."""
SMALL = 1e-3
"""Seconds that steps may always take, for the last digits that they give."""
FEWEST, TRIED = 10, 0.25
"""Epochs that it always gets, and the share of the time of the steps for which it is tried where it promises nothing."""
PATIENT = 600
"""Epochs before methods follow that need far more time."""
UNLIKELY = 1_000.0
"""Epochs promised from which on none is tried."""
QUICK = 40.0
"""Epochs that take less time on any table than the first calls of another method."""
MANY_ROWS = 6_000
"""Rows up to which their Gram matrix has room."""
FEW_ANYWAY = 50
"""Columns up to which a span saves nothing, and rows whose span is always taken."""


@dataclass(frozen=True, slots=True)
class Method:
    """The name of a method, why it is the one, the epochs after which coordinate descent gives way to another, and those it promises; for a
    squared hinge on sparse rows, which methods follow each other (see `one_machine.in_turn`).
    """

    name: str
    why: str
    epochs: int = EPOCHS
    promised: float = np.inf
    plan: tuple[tuple[str, int], ...] = ()

    @property
    def is_quick(self) -> bool:
        """Whether descent promises to arrive so soon that small tables, too, are left to it."""
        return self.name == DUAL and self.promised <= QUICK


def choose(problem: Problem, squared: bool) -> Method:
    """Return the method with the least work."""
    rows, p = problem.rows, problem.n_features
    newton = "semismooth Newton" if squared else "augmented Lagrangian"
    if rows.X is None:
        return Method(newton, "the rows are read anew on every pass, so few passes count most")
    if squared and rows.is_sparse:
        plan = SparseSquared.of(problem).plan(problem.max_iter)
        return Method(plan[0][0], SPARSE_REASONS[plan[0][0]].format(n=rows.X.shape[0], p=p), plan=tuple(plan))
    epoch = epoch_seconds(rows)
    if p > FEW_COLUMNS:
        # What comes after it is the dearer, the more columns there are.
        steps = step_seconds(rows, "interior point") if is_possible(rows) else np.inf
        most = int(np.clip(steps / max(epoch, np.finfo(float).tiny), EPOCHS, PATIENT))
        return Method(DUAL, f"{p:,} columns are too many for their curvature", most)
    if rows.is_sparse and not squared and problem.strength > 0.0 and is_possible(rows):
        newton = newton if is_lagrangian_quicker(rows, 1.0 / (problem.strength * rows.X.shape[0])) else "interior point"
    steps, n, epochs = step_seconds(rows, newton), rows.X.shape[0], _epochs(problem)
    tried = int(TRIED * steps / epoch) if rows.is_sparse and epochs < UNLIKELY else 0
    if steps <= max(SMALL, GAMBLE * epochs * epoch) and (steps <= SMALL or tried < FEWEST):
        return Method(newton, f"{p:,} columns: the curvature of all of them is cheap")
    given = tried if steps <= GAMBLE * epochs * epoch else steps / epoch
    if squared:  # a promise broken twice is left for steps that are exact, once a share of their time is spent
        given = min(given, max(GAMBLE * epochs, TRIED * steps / epoch))
    most = int(np.clip(given, FEWEST, EPOCHS))
    why = f"{n:,} rows and {p:,} columns: reading the rows a few times is cheaper than the curvature of all columns"
    return Method(DUAL, why, most, epochs)


def fit_seconds(problem: Problem) -> float:
    """Return the seconds that a fit of one machine with a hinge promises to take: of steps, in the span of fewer rows than columns, or of
    epochs where these are the method.
    """
    rows, (n, p) = problem.rows, problem.rows.X.shape
    steps = step_seconds(rows, "augmented Lagrangian")
    if n < p:
        steps = min(steps, LAGRANGIAN * (STEP + (0.5 * ADDED + FACTORED) * n**3) + SPANNED * n * rows.values)
    return min(steps, choose(problem, False).promised * epoch_seconds(rows))


def _epochs(problem: Problem) -> float:
    """Return how many epochs descent by coordinates may need; infinitely many for hard margins."""
    n, p = problem.rows.X.shape
    if problem.strength == 0.0:
        return float("inf")
    size = stiffness(problem.rows, 1.0 / (problem.strength * n))
    return float(2.0 + 6.0 * size**0.4 * np.sqrt(max(1.0, n / p)))


def spans_less(problem: Problem, joint: bool) -> bool:
    """Whether rows are so few beside the columns that coordinates in their span save more time than they take."""
    X = problem.rows.X
    if X is None or not X.shape[0] < X.shape[1] or X.shape[1] <= FEW_ANYWAY:
        return False
    # Dense rows of a squared hinge have Newton's method in the span, whose steps bear more rows than interior points do.
    is_newton = isinstance(problem.loss, SquaredHinge) and not joint and not problem.rows.is_sparse
    if X.shape[0] > (MANY_ROWS if is_newton else SOME_ROWS):
        return False
    n, p = X.shape
    machines = problem.n_scores * (problem.n_classes if joint else 1)
    epochs = EPOCHS if joint else min(EPOCHS, GAMBLE * _epochs(problem))
    saved = epochs * machines * (EPOCH * (problem.rows.values - n * n) if problem.rows.is_sparse else DENSE_VALUE * n * (p - n))
    return bool(n <= FEW_ANYWAY or SPANNED * n * problem.rows.values < saved)
