"""Whether folds held out of a smooth fit cost less by steps from the fit of all rows, or by refits."""

from __future__ import annotations

from ..choice import least, ways
from ..problem import Problem
from ..smooth.work import Work

STEPS = 4.0
"""Newton steps of a fold, each with the Hessian of its rows."""
REFIT = 1e-3
"""Seconds of a refit beside its solver: rows are taken, checked and scored."""


def refits_are_cheaper(problem: Problem, is_curved: bool) -> bool:
    """Whether the solver that suits a problem with an L2 penalty ends before the steps of a fold do.

    `is_curved`: the steps are those of L-BFGS around the Hessian of all rows, not Newton's.
    """
    work = Work.of(problem, problem.rows.is_sparse)
    steps = work.steps_around if is_curved else STEPS * work.step
    return least(problem, ways(problem))[0] + REFIT < steps
