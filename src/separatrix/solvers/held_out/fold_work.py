"""Whether folds held out of a fit cost less by steps from the fit of all rows, or by refits."""

from __future__ import annotations

import numpy as np

from ..choice import least, ways
from ..problem import Problem
from ..smooth.work import Work
from ..solution import Solution

STEPS = 4.0
"""Newton steps of a fold, each with the Hessian of its rows."""
REFIT = 1e-3
"""Seconds of a refit beside its solver: rows are taken, checked and scored."""
KEPT = 0.95
"""Share of folds whose fit has a coefficient on the side of its kink where the fit of all rows has it: 51 random problems with an L1
penalty kept the sides of up to 14 coefficients mostly, of 20 to 40 in some folds, and of 60 in none."""


def refits_are_cheaper(problem: Problem, is_curved: bool) -> bool:
    """Whether the solver that suits a problem with an L2 penalty ends before the steps of a fold do.

    `is_curved`: the steps are those of L-BFGS around the Hessian of all rows, not Newton's.
    """
    work = Work.of(problem, problem.rows.is_sparse)
    steps = work.steps_around if is_curved else STEPS * work.step
    return least(problem, ways(problem))[0] + REFIT < steps


def kinked_refits_are_cheaper(problem: Problem, found: Solution) -> bool:
    """Whether refits with an L1 penalty, which take about the work that the fit of all rows took, end before the steps of a fold do.

    Steps do not cross kinks: a fold where a coefficient has to is refitted all the same, so that they spare the share KEPT^q of a refit.

    Parameters
    ----------
    problem : Problem
        All rows.
    found : Solution
        Their fit: its passes, and a matrix of the coefficients it used for each of its steps.
    """
    work = Work.of(problem, problem.rows.is_sparse)
    refit = found.passes * work.one_pass + found.iterations * work.of_coefficients(int(np.count_nonzero(found.coef))).step
    return bool((refit + REFIT) * KEPT**work.q < STEPS * work.step)
