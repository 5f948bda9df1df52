"""Machines by Newton's method without a matrix: compiled steps, each a few products with the rows that are curved.

The squared hinge is one problem of `pieces`, the hinge a sequence of them, smoothed about multipliers α₀ (`augmented_lagrangian`):

    a_i = clip(α₀_i + σ_i(1 − m_i), 0, c_i),    σ = κc,    α₀ ← a,    κ ← 8κ

With g the gradient, F − D at these multipliers is ½ g'D⁻¹g + Σ_i [c_i ℓ(m_i) − a_i(1 − m_i)], whose second part is 0 for the squared hinge:
a smooth problem is solved once the first part is a share of the second. A product costs what an epoch of coordinate descent does, and less
where few rows are curved; there are some dozens to a step and some steps, whereas epochs grow with the costs and with n/p.

References
----------
Keerthi and DeCoste (2005), A modified finite Newton method for fast solution of large scale linear SVMs, JMLR 6.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from ...array_types import Floats
from ..row_parts import unsigned_parts
from ..smooth.centred_rows import CentredRows
from ..work import FACTORED
from .machine import Certificate, Ended, Machine, best_intercept, certify
from .step_work import gram_seconds, has_room, stiffness

ENOUGH = 0.1
"""Share of what is asked of the gradient that a step is solved to: rows that change sides add to it."""
SHARE = 0.1
"""What the gradient may leave of the gap of a hinge, as a share of the rest, for a smooth problem to be solved."""
FIRST, GROWTH, OUTER = 30.0, 8.0, 16
"""κ in units of one over cost × squared length of a row, its factor, and smooth problems at the most."""
SHORTEST = 1e-100
"""What cost × squared length counts as at the least: rows may be 0."""
TIGHTER, LEAST = 0.1, 1e-16
"""Factor of the gap asked where the certificate is not as good as it seemed, and where rounding ends that."""
OFF, RAISED = 4.0, 1e-12
"""Factor by which the size of a matrix near the Hessian may be off, and the share by which its diagonal is raised."""
EACH = 10
"""Times that a step may read the rows and count as one."""
SOON = 5e7
"""Values that a compiled call reads before it may be interrupted."""
DENSE_READ, SPARSE_READ, ROOT_READ, AROUND = 2.5e-10, 1.3e-9, 1.5e-10, 4.0
"""Seconds of a value read, dense and sparse and of a root, and values of a row that what is done around it is worth."""


class Products:
    """A descent that can be gone on with, for so many seconds at a time; seconds are counted, not measured.

    Parameters
    ----------
    machine : Machine with rows held in memory and finite costs
    """

    def __init__(self, machine: Machine) -> None:
        self.machine, self.rows = machine, CentredRows.of(machine.rows, centred=False)
        n, q = len(machine.signs), self.rows.width
        self.parts, self.constant = unsigned_parts(machine.rows), float(machine.has_intercept)
        self.D = np.ones(q)
        self.D[-1] = machine.ridge if machine.has_intercept else 1.0
        self.theta, self.margins = np.zeros(q), np.zeros(n)
        self.scratch = np.empty(n), np.empty((6, q)), np.empty(n, dtype=np.int64)
        self.tally, self.out, self.asked = np.zeros(4, dtype=np.int64), np.zeros(3), machine.tol
        self.each = (SPARSE_READ if machine.rows.is_sparse else DENSE_READ) * (1.0 + AROUND * n / max(machine.rows.values, 1))
        self.is_stuck, self.outer = False, 0
        self.root, self.size, self.extra = np.empty((0, 0)), 0.0, 0.0
        has_gram = machine.shared is not None and "gram" in machine.shared
        self.gram_seconds = 0.0 if has_gram else gram_seconds(machine.rows)
        self.price = self._dearer() * (self.gram_seconds + FACTORED * float(q) ** 3) if has_room(machine.rows, 1) else np.inf
        self.found: Certificate | None = None
        self.base = np.zeros(n)
        if machine.squared:
            self.sigma = 2.0 * machine.cost
        else:
            cost = float(machine.cost.mean())
            self.sigma = machine.cost * (FIRST / max(stiffness(machine.rows, cost) + cost * self.constant, SHORTEST))

    def begin(self, theta: Floats, alpha: Floats) -> None:
        """Begin at θ, for rows as they are, and multipliers where these are better than 0."""
        self.theta = theta.copy()
        self._set_margins()
        if not 0.5 * float(theta @ (self.D * theta)) + self.machine.loss(self.margins) < float(self.machine.cost.sum()):
            self.theta[:], self.margins[:] = 0.0, 0.0
        elif not self.machine.squared:
            self.base = alpha.copy()

    @property
    def spent(self) -> float:
        """Seconds spent so far."""
        return self.each * float(self.tally[2]) + ROOT_READ * float(self.tally[3]) + self.extra

    @property
    def iterations(self) -> int:
        """Steps; where these read the rows often, as many more."""
        return max(int(self.tally[0]), int(self.tally[2] // (EACH * max(self.machine.rows.values, 1))))

    @property
    def passes(self) -> int:
        """Times that all rows were read: those of a product are read twice."""
        return int(2 * self.tally[2] // max(self.machine.rows.values, 1)) + 1

    @property
    def value(self) -> float:
        """F where it stands."""
        return float(self.out[0])

    @property
    def is_over(self) -> bool:
        """Whether as many steps were taken as may be, or rounding ended them."""
        return self.is_stuck or self.iterations >= self.machine.max_iter

    @property
    def arrived(self) -> bool:
        """Whether the certificate found is as asked."""
        return self.found is not None and self.found.gap <= self.machine.tol * self.found.primal

    def advance(self, seconds: float) -> None:
        """Take steps for so many seconds."""
        end = self.spent + seconds
        while self.spent < end and not (self.arrived or self.is_over):
            self._stride(min(SOON, max(1.0, (end - self.spent) / self.each)))

    def _stride(self, most: float) -> None:
        """Take steps until a smooth problem is solved, or so many values are read."""
        from ...kernels.margin_newton import newton

        machine = self.machine
        code = newton(
            *(*self.parts, machine.signs, self.base, self.sigma, machine.cap, self.constant, self.D, self._near_hessian()),
            *(1.0 if machine.squared else SHARE, self.asked, ENOUGH, machine.max_iter - int(self.tally[0]), int(most)),
            *(self.theta, self.margins, *self.scratch, self.tally, self.out),
        )
        if not np.isfinite(self.out).all():
            machine.rows.source.refuse_nonfinite()
            raise np.linalg.LinAlgError
        if code == 0 and not self.is_over:
            return
        if not machine.squared:
            np.clip(self.base + self.sigma * (1.0 - self.margins), 0.0, machine.cost, out=self.base)
        if self.is_over or self.out[1] + self.out[2] <= self.asked * self.out[0]:
            self._look()
            self.asked *= 1.0 if self.arrived else TIGHTER
            self.is_stuck = self.asked < LEAST or (machine.squared and code < 0)
        elif machine.squared:  # only rounding is left of the steps
            self._look()
            self.is_stuck = True
        if not machine.squared:
            self.outer += 1
            self.sigma *= GROWTH
            self.is_stuck |= self.outer == OUTER

    def _dearer(self) -> float:
        """Return how much dearer a product with a root is than one without."""
        return 1.0 + ROOT_READ * float(self.rows.width) ** 2 / (self.each * max(self.machine.rows.values, 1))

    def _near_hessian(self) -> Floats:
        """Return the root of D + sX'X, sX'X being as large as the curvature of the rows that are curved; empty before its price is spent.

        Columns that go together, or in many units, need thousands of products. The matrix of all rows knows of them, whichever rows are
        curved; its factor serves as long as s is about right. Products that become dearer by it have to be many: the price is higher.
        """
        machine = self.machine
        if self.spent < self.price:
            return self.root
        raw = self.base + self.sigma * (1.0 - self.margins)
        s = float(self.sigma[(raw > 0.0) & (raw < machine.cap)].sum()) / len(raw)
        if self.size / OFF <= s <= OFF * self.size or s == 0.0:
            return self.root
        matrix = self._gram() * s
        if not machine.has_intercept:
            matrix[-1], matrix[:, -1], matrix[-1, -1] = 0.0, 0.0, 1.0
        diagonal = np.einsum("jj->j", matrix)
        diagonal += self.D + RAISED * diagonal
        # The lower triangle in C order is LAPACK's upper one.
        factor, info = lapack.dpotrf(matrix.T, lower=0, overwrite_a=1, clean=0)
        if info == 0:
            self.root, self.size = factor.T, s
        self.extra += FACTORED * float(len(matrix)) ** 3
        return self.root

    def _gram(self) -> Floats:
        """Return X'X with the constant, which machines of a table share where there is room for it."""
        shared = {} if self.machine.shared is None else self.machine.shared
        if "gram" in shared:
            return shared["gram"]
        found = self.rows.gram(np.ones(len(self.machine.signs)))
        self.extra += self.gram_seconds
        # Machines after the first run side by side: what one of them finds does not tell the others, or the end would depend on threads.
        if has_room(self.machine.rows, 2) and self.machine.is_trial:
            shared["gram"] = found
        return found

    def _set_margins(self) -> None:
        from ...kernels.margin_newton import margins

        margins(*self.parts, self.machine.signs, self.constant, self.theta, self.margins)

    def _look(self) -> None:
        """Certify θ, its margins anew, a free intercept being the best one for w."""
        machine, theta = self.machine, self.theta
        self._set_margins()
        margins = self.margins
        if machine.ridge == 0.0:
            theta = theta.copy()
            theta[-1] += (shift := best_intercept(machine, machine.signs * margins))
            margins = margins + machine.signs * shift
        alpha = self.sigma * np.maximum(1.0 - margins, 0.0) if machine.squared else self.base
        found = certify(machine, self.rows, theta, margins, alpha)
        self.found = found if self.found is None or found.gap < self.found.gap else self.found

    def ended(self) -> Ended:
        """Return the end reached."""
        if self.found is None:
            self._look()
        assert self.found is not None
        return Ended.of(self.rows, self.found, self.iterations, self.passes)
