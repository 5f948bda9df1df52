"""L-BFGS from a given inverse of the Hessian: what passes over all rows still have to correct.

With pairs s = θ⁺ − θ and y = g⁺ − g of the last iterations, the direction is the two-loop recursion around H₀⁻¹, and the step is
the whole direction unless f does not fall enough. With H₀ close to the Hessian one pass per iteration is nearly a Newton step.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from ...array_types import Floats
from ..problem import Problem
from ..solution import Status
from ..stopping import small_enough, still_to_gain, without_step
from .line_search import Asking, trials

MEMORY = 30
"""Pairs kept: with H₀ near the Hessian few are ever made, and a pair costs far less than a pass."""


class Pairs:
    """The pairs (s, y) of the last iterations around an initial inverse Hessian.

    Parameters
    ----------
    solve : function from g to H₀⁻¹g
    scales : bool
        Whether H₀ is known up to a factor only, which the newest pair then gives: s'y / y'H₀⁻¹y.
    """

    def __init__(self, solve: Callable[[Floats], Floats], scales: bool) -> None:
        self.solve, self.scales = solve, scales
        self.kept: deque[tuple[Floats, Floats, float]] = deque(maxlen=MEMORY)
        self.factor = 1.0

    def add(self, s: Floats, y: Floats) -> None:
        """Keep a pair, unless rounding has left no curvature in it."""
        curvature = float(np.vdot(s, y))
        if curvature <= 1e-14 * float(np.linalg.norm(s)) * float(np.linalg.norm(y)):
            return
        self.kept.append((s, y, curvature))
        if self.scales:
            self.factor = curvature / float(np.vdot(y, self.solve(y)))

    def direction(self, g: Floats) -> Floats:
        """Return the product of the inverse Hessian, as far as it is known, and g."""
        d = g.copy()
        shares = []
        for s, y, curvature in reversed(self.kept):
            a = float(np.vdot(s, d)) / curvature
            d -= a * y
            shares.append(a)
        d = self.factor * self.solve(d)
        for (s, y, curvature), a in zip(self.kept, reversed(shares)):
            d += (a - float(np.vdot(y, d)) / curvature) * s
        return d


Ended = tuple[Floats, float, Floats, Status, int]
"""θ, f, gradient, status and iterations."""


def iterations(problem: Problem, theta: Floats, f: float, g: Floats, pairs: Pairs, rough: bool = False) -> Asking[Ended]:
    """Return where L-BFGS ends, from θ with f and g there, asking for the values at further points.

    `rough`: what the last step promises is taken for all that is left.
    """
    promised: list[float] = []
    falls: list[float] = []
    for iteration in range(problem.max_iter + 1):
        d = pairs.direction(g)
        slope = float(np.vdot(g, d))
        promised.append(0.5 * slope)
        left = promised[-1] if rough else max(promised[-1] + still_to_gain(promised), still_to_gain(falls))
        if small_enough(problem, f, g, left):
            return theta, f, g, Status.CONVERGED, iteration
        if iteration == problem.max_iter:
            break
        found = yield from trials(theta, f, d, slope)
        if found is None:
            return theta, f, g, without_step(problem, f, g, left), iteration
        new, value, gradient = found
        falls.append(f - value)
        f = value
        pairs.add(new - theta, gradient - g)
        theta, g = new, gradient
    return theta, f, g, Status.MAX_ITER, problem.max_iter
