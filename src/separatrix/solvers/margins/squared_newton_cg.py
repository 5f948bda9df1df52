"""The squared hinge on sparse rows by Newton's method without a matrix: compiled conjugate gradients over the curved rows.

With x̃_i = (x_i, 1), D = diag(1, …, 1, ρ), m_i the margins and a_i = 2c_i max(0, 1 − m_i), a step solves

    (D + Σ_F 2c_i x̃_i x̃_i') d = −g,    g = Dθ − Σ a_i y_i x̃_i,    F = {i : m_i < 1}

and goes along d to the exact minimum, F being piecewise quadratic there. The a_i are feasible multipliers (ρ > 0), with which the gap is
½ g'D⁻¹g: a step is not solved beyond what the gap asked needs. A product costs what an epoch of dual coordinate descent does, and less
where few rows are curved; there are some dozens to a step and some steps, whereas epochs grow with the costs and with n/p.

References
----------
Keerthi and DeCoste (2005), A modified finite Newton method for fast solution of large scale linear SVMs, JMLR 6.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Floats
from ..row_parts import unsigned_parts
from ..smooth.centred_rows import CentredRows
from .machine import Certificate, Ended, Machine, best_intercept, certify
from .pieces import Pieces, line_minimum

FORCING = 0.1
"""Share of the gradient, in units of the diagonal, that a step may leave."""
ENOUGH = 0.1
"""Share of the gap asked that the model's gap is brought to: the rows that change sides add to it."""
SOON = 5e7
"""Values that a compiled call reads before it may be interrupted."""
IDLE = 25
"""Steps without a smaller gap after which rounding is at work."""


class Steps:
    """θ (p + 1,), its margins, and the products that were taken.

    Parameters
    ----------
    machine : Machine with sparse rows held in memory
    start : certificate to begin at; θ = 0 where None is given
    """

    def __init__(self, machine: Machine, start: Certificate | None) -> None:
        self.machine, self.rows = machine, CentredRows.of(machine.rows, centred=False)
        self.parts, self.constant = unsigned_parts(machine.rows), float(machine.has_intercept)
        self.D = np.ones(self.rows.width)
        self.D[-1] = machine.ridge if machine.has_intercept else 1.0
        self.pieces = Pieces(np.zeros(len(machine.signs)), 2.0 * machine.cost, machine.cap)
        self.theta = np.zeros(self.rows.width) if start is None else start.theta.copy()
        self.margins = np.zeros(len(machine.signs)) if start is None else machine.signs * self.rows.scores(self.theta)
        self.products = self.read = 0
        self.passes = 0 if start is None else 1
        self._look()

    def _look(self) -> None:
        """Find the multipliers, the gradient and the gap at θ."""
        self.alpha = self.pieces.multipliers(self.margins)
        g = self.D * self.theta - self.rows.sums(self.alpha * self.machine.signs)
        g[-1] *= self.constant
        self.gradient, self.passes = g, self.passes + 1
        if not np.isfinite(g).all():
            self.machine.rows.source.refuse_nonfinite()
            raise np.linalg.LinAlgError
        # A free intercept, ρ = 0, has no bound by its gradient: what it could gain alone stands for it until it is certified.
        bend = self.D[-1] if self.D[-1] > 0.0 else float(self.pieces.sigma[self.alpha > 0.0].sum())
        self.gap = 0.5 * float(g[:-1] @ g[:-1]) + (0.5 * float(g[-1]) ** 2 / bend if bend > 0.0 else 0.0)

    @property
    def primal(self) -> float:
        """F at θ."""
        return self.machine.loss(self.margins) + 0.5 * float(self.theta @ (self.D * self.theta))

    def step(self, gap: float) -> None:
        """Go to the minimum along Newton's direction, solved as far as a gap needs."""
        d = self._direction(gap)
        dm = self.machine.signs * self.rows.scores(d)
        Dd = self.D * d
        t = line_minimum(self.pieces, self.margins, dm, float(self.gradient @ d), float(self.theta @ Dd), float(d @ Dd))
        self.theta += t * d
        self.margins += t * dm
        self.passes += 1
        self._look()

    def _direction(self, gap: float) -> Floats:
        from ...kernels.curved_rows import add_squares, conjugate_steps

        chosen = np.flatnonzero(self.alpha)
        sigma, diagonal = self.pieces.sigma[chosen], self.D.copy()
        add_squares(*self.parts, chosen, sigma, self.constant, diagonal)
        # No curved row has a say about a free intercept: any curvature will do, the line search finds how far to go.
        diagonal[-1] = diagonal[-1] if diagonal[-1] > 0.0 else 1.0
        d, r, Hq = np.zeros(len(self.D)), -self.gradient, np.empty(len(self.D))
        q = r / diagonal
        sizes = np.full(2, float(r @ q))
        values = max(1, int(self.machine.rows.values * len(chosen) / len(self.alpha)))
        most, taken = max(1, int(SOON / values)), 0
        while sizes[0] > 0.0 and taken < 10 * len(d):
            taken += conjugate_steps(
                *(*self.parts, chosen, sigma, self.constant, self.D, diagonal, FORCING, ENOUGH * gap, most, d, r, q, Hq, sizes)
            )
        self.products += taken
        self.read += (taken + 1) * len(chosen)
        return d


def solve(machine: Machine, start: Certificate | None = None, most: float = np.inf) -> Ended:
    """Minimise the squared hinge on sparse rows, by so many products at most.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from separatrix.data import as_source
    >>> from separatrix.solvers.rows import Rows
    >>> rows = Rows.of(as_source(sp.csr_array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]))
    >>> found = solve(Machine(rows, np.array([-1.0, 1.0, -1.0, 1.0]), np.ones(4), squared=True, tol=1e-9)).certificate
    >>> found.theta.round(4).tolist()
    [0.3636, -0.5455]
    """
    inner, asked = Steps(machine, start), machine.tol
    least, idle, steps = np.inf, 0, 0
    while True:
        primal = inner.primal
        if inner.gap <= asked * primal:
            found = _certified(inner)
            if found.gap <= machine.tol * found.primal:
                break
            asked *= 0.1
        least, idle = (inner.gap, 0) if inner.gap < least else (least, idle + 1)
        if idle == IDLE or steps >= machine.max_iter or inner.products >= most or asked < 1e-16:
            found = _certified(inner)
            break
        inner.step(asked * primal)
        steps += 1
    passes = inner.passes + 2 * inner.read // len(machine.signs)
    return Ended.of(inner.rows, found, steps, passes)


def _certified(inner: Steps) -> Certificate:
    """Return the certificate at θ, a free intercept being the best one for w."""
    machine, theta, margins = inner.machine, inner.theta, inner.margins
    inner.passes += 1
    if machine.ridge != 0.0:
        return certify(machine, inner.rows, theta, margins, inner.alpha)
    theta = theta.copy()
    theta[-1] += (shift := best_intercept(machine, machine.signs * margins))
    margins = margins + machine.signs * shift
    return certify(machine, inner.rows, theta, margins, inner.pieces.multipliers(margins))
