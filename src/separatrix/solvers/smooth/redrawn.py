"""L-BFGS that draws a sample anew where the old one misleads it.

A sample of all rows knows little of the minimum where classes hardly overlap: of 2,000,000 rows some thousand decide, of 20,000 a dozen,
and L-BFGS around their Hessian took 157 passes. So it is given up at the first point that is worse than the last, or where steps gain
little, and goes on from a sample drawn by the losses at the best point so far (`sampling.near`): its minimum is a better start, and its
Hessian a better one. That took 8 passes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from ...array_types import Floats
from ..problem import Problem
from ..solution import Status
from . import lbfgs
from .line_search import Asking, answered
from .objective import Objective
from .sampling import near

SAMPLES = 5
"""Samples drawn anew at most; after them L-BFGS is left to itself."""
FEWEST, SHARE = 20_000, 2.0
"""Rows of such a sample: at least FEWEST, and SHARE n over the number of coefficients, so that its Hessian costs about a pass."""
MOST = 0.25
"""Share of all rows above which a sample saves nothing."""
HELD, READ = 50.0, 250.0
"""Coefficients times rows of the sample, in units of all rows, up to which its Hessians cost less than the passes they save: passes over
rows held in memory, and over those that are read, or lie on other machines."""
SLOW = 0.1
"""Share of what a step gained that the second step after it may gain, at most."""
ROUNDING = 1e-11
"""Share of f below which points are not told apart."""

Fresh = Callable[[Floats], tuple[Floats, lbfgs.Pairs]]


@dataclass(slots=True)
class Watch:
    """The best point of a walk, and whether the walk is worth going on with."""

    theta: Floats
    f: float = np.inf
    gradient: Floats = field(default_factory=lambda: np.empty(0))
    gains: list[float] = field(default_factory=list)

    def goes_astray(self, theta: Floats, f: float, gradient: Floats) -> bool:
        """Take note of a point; return whether it is worse than the last, or gains too little beside those before."""
        if np.isfinite(self.f) and not f <= self.f + ROUNDING * abs(self.f):
            return True
        gain, self.theta, self.f, self.gradient = self.f - f, theta, f, gradient
        self.gains.append(gain)
        steps = self.gains[1:]
        return len(steps) > 2 and gain > ROUNDING * f and gain > SLOW * steps[-3]


def minimise(objective: Objective, walk: Asking[lbfgs.Ended], from_sample: Callable[..., tuple[Floats, lbfgs.Pairs]]) -> lbfgs.Ended:
    """Return where L-BFGS ends that begins as `walk` does, and is begun anew from other samples where that goes astray.

    Parameters
    ----------
    walk : generator of points, see `line_search`
    from_sample : function of a start and a sample that returns the sample's minimiser and H₀
    """
    problem, iterations = objective.problem, 0
    m = sample_rows(problem)
    if m is None:
        return answered(walk, objective.at)
    watch = Watch(problem.beginning())
    for number in range(SAMPLES):
        end = _watched(objective, walk, watch)
        if end is not None:
            return (*end[:4], end[4] + iterations)
        iterations += max(len(watch.gains) - 1, 0)
        if iterations >= problem.max_iter:
            return watch.theta, watch.f, watch.gradient, Status.MAX_ITER, iterations
        sample = near(objective, watch.theta, watch.f, m, number)
        theta, pairs = from_sample(theta=watch.theta, sample=sample)
        watch.gains = []
        watch.goes_astray(theta, *objective.at(theta))
        left = replace(problem, max_iter=problem.max_iter - iterations)
        walk = lbfgs.iterations(left, watch.theta, watch.f, watch.gradient, pairs)
    end = answered(walk, objective.at)
    return (*end[:4], end[4] + iterations)


def sample_rows(problem: Problem) -> int | None:
    """Return the rows of a sample; None where all rows are too few for one."""
    size = problem.n_scores * (problem.n_features + 1)
    n = problem.rows.n_rows
    m = FEWEST if n is None else max(FEWEST, int(SHARE * n / size))
    worth = READ if problem.rows.held is None else HELD
    return m if n is None or (m <= MOST * n and m * size <= worth * n) else None


def _watched(objective: Objective, walk: Asking[lbfgs.Ended], watch: Watch) -> lbfgs.Ended | None:
    """Return where a walk ends; None where it goes astray first."""
    try:
        theta = next(walk)
        while True:
            f, gradient = objective.at(theta)
            if watch.goes_astray(theta, f, gradient):
                return None
            theta = walk.send((f, gradient))
    except StopIteration as end:
        ended: lbfgs.Ended = end.value
        return ended
