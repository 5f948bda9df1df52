"""Whether an end is believed: a bound close to the gap asked, and above it, asks for more.

One far above it may be loose, and says nothing: then the estimate alone, which may miss a part of what is left, is asked for less.
"""

from __future__ import annotations

from dataclasses import replace

from ...losses import CrossEntropy
from ..problem import Problem
from ..solution import Status
from ..stopping import GAP_SHARE
from . import lbfgs, proven_gap
from .line_search import answered
from .objective import Objective

NEARLY, FURTHER = 30.0, 0.5
"""Multiple of the gap asked up to which a bound above it is taken for the truth, and what is then asked for in its place."""
UNPROVEN = 0.3
"""Share of the tolerance asked of an estimate that no bound confirms."""
ROUNDS = 3


def share(problem: Problem, f: float, gap: float) -> float:
    """Return the share of the tolerance that an end with such a bound should have had; 1 where it is believed.

    Examples
    --------
    >>> import numpy as np
    >>> problem = Problem(None, np.ones(2), None, strength=0.5, tol=1e-4)
    >>> share(problem, 1.0, 1e-7), share(problem, 1.0, 1e-5), share(problem, 1.0, 1e-3)
    (1.0, 0.05, 1.0)
    """
    asked = GAP_SHARE * problem.tol * f
    return FURTHER * asked / gap if asked < gap <= NEARLY * asked else 1.0


def believed(objective: Objective, end: lbfgs.Ended, pairs: lbfgs.Pairs) -> lbfgs.Ended:
    """Return where L-BFGS ends that goes on from an end in doubt; of cross-entropies on rows held, whose bounds cost next to nothing."""
    problem = objective.problem
    if problem.strength == 0.0 or problem.rows.held is None or not isinstance(objective.loss, CrossEntropy):
        return end
    for turn in range(ROUNDS):
        theta, f, g, status, iterations = end
        gap = proven_gap.from_rows(objective, theta, g) if status is Status.CONVERGED else 0.0
        part = share(problem, f, gap)
        if turn == 0 and gap > NEARLY * GAP_SHARE * problem.tol * f:
            part = UNPROVEN
        if part == 1.0:
            break
        tighter = replace(problem, tol=part * problem.tol, max_iter=problem.max_iter - iterations)
        theta, f, g, _, more = answered(lbfgs.iterations(tighter, theta, f, g, pairs), objective.at)
        end = theta, f, g, status, iterations + more
        if more == 0:
            break
    return end
