"""Squared hinges of rows so many that memory has no room for numbers of each: machines solved by sums over the rows alone.

Newton's methods on margins keep about ROW_BYTES for each row (its margin, its change along a step, its piece, its multiplier), which is as
much as the rows themselves where columns are few. The squared hinge is smooth, so each class against the rest is also a problem for
`smooth`: a few passes, of which a gradient comes back. The hinge is not, and is refused.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...data.recoded import Recoded
from ...errors import CapacityError
from ...thresholds import KEPT
from .. import choice
from ..problem import Problem
from ..rows import Rows
from ..solution import Solution, Status

ROW_BYTES = 160
"""What a row takes of memory in Newton's methods on margins, measured; a machine at a time."""
CLOSER = 0.01
"""Share of the tolerance of machines that is asked here: steps by curvature end far below theirs, steps by gradients at it."""


def are_too_many(rows: Rows) -> bool:
    """Whether numbers of each row would take more of the memory than rows read again and again may."""
    if rows.held is not None:
        return False
    n = rows.n_rows
    return KEPT.reached(ROW_BYTES * (sum(rows.map(lambda block: block.n_rows)) if n is None else n))


def solve(problem: Problem) -> Solution:
    """Solve one machine per class (one for two classes), one after the other.

    Parameters
    ----------
    problem : Problem with the squared hinge, its tolerance that of smooth problems
    """
    K = problem.n_classes
    found = [choice.solve(replace(against(problem, k), tol=CLOSER * problem.tol)) for k in (range(1, 2) if K == 2 else range(K))]
    worst = next((one.status for one in found if not one.is_converged), Status.CONVERGED)
    return replace(
        found[0],
        coef=np.vstack([one.coef for one in found]),
        intercept=np.concatenate([one.intercept for one in found]),
        status=worst,
        objective=sum(one.objective for one in found),
        gap=sum(one.gap for one in found),
        gradient_norm=max(one.gradient_norm for one in found),
        iterations=max(one.iterations for one in found),
        passes=sum(one.passes for one in found),
        why="the rows are too many for memory to hold numbers of each, so machines are solved by sums over them",
    )


def against(problem: Problem, k: int) -> Problem:
    """Return the two-class problem of class k against the rest."""
    codes = (np.arange(problem.n_classes) == k).astype(np.int32)
    rows = replace(problem.rows, source=Recoded(problem.rows.source, codes, np.arange(2), problem.rows.factors), factors=None)
    return replace(problem, rows=rows, counts=np.array([problem.total - problem.counts[k], problem.counts[k]]))


def no_room(what: str) -> CapacityError:
    """Return the error that machines need numbers of each row, of which there are too many."""
    return CapacityError(
        f"{what} keeps about {ROW_BYTES} bytes for each row, and those of this table would take more than a quarter of the memory; use "
        "LinearSVC(loss='squared_hinge', multi_class='ovr') with a finite C and an intercept that is not penalised, which is solved by "
        "sums over the rows, or fewer rows: open_table(…, where=[…])."
    )
