"""Semismooth Newton for margins: exact steps on the curved rows, and a line search.

With x̃ = (x − μ, 1), θ = (w, c), D = diag(1, …, 1, ρ), F the curved rows and U those at their cap (see `pieces`), the gradient is
linear as long as no row changes its piece:

    g = Dθ + Aθ − r,   A = Σ_F σ_i x̃_i x̃_i',   r = Σ_F (base_i + σ_i) y_i x̃_i + Σ_U cap_i y_i x̃_i

Newton's step ends at (D + A)⁻¹ r. A and r are changed by the rows alone that changed their piece, so that an iteration costs one
pass (the new scores) and a few rows. When none changed, the minimum is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from ...array_types import Floats, Indices
from ..rows import Rows
from ..smooth.centred_rows import CentredRows
from .machine import Certificate, Ended, Machine, certify
from .pieces import EXACT, Pieces, line_minimum

ROUNDING = 1e-14
"""Share of F below which the estimated gap is rounding."""
SAMPLE_FROM = 20_000
"""Rows from which a sample is solved first."""
SAMPLE = 4_000
REFRESH = 0.3
"""Share of the curved rows that must have changed for A to be summed anew."""
LINE = 1e-2
"""Share of its derivative that a line search may leave."""
IDLE = 25
"""Steps without a smaller estimate of the gap after which rounding is at work."""


class Descent:
    """θ, its margins, and A and r as they stand.

    Parameters
    ----------
    machine : Machine
    rows : CentredRows
    theta : (q,) where to begin; 0 if not given
    """

    exact = True

    def __init__(self, machine: Machine, rows: CentredRows, theta: Floats | None = None) -> None:
        self.machine, self.rows = machine, rows
        self.passes = self.iterations = 0
        self.theta = np.zeros(rows.width) if theta is None else theta.copy()
        self.margins = np.zeros(len(machine.signs)) if theta is None else self._margins(self.theta)
        self.status: NDArray[np.int8] | None = None
        self.A = np.zeros((rows.width, rows.width))
        self.r = np.zeros(rows.width)
        self.pieces: Pieces | None = None

    def minimise(self, pieces: Pieces, share: float, kept: float = 0.0, is_near: Callable[[], bool] | None = None) -> None:
        """Go on until the estimated gap is at most `share` of the objective.

        Parameters
        ----------
        pieces : Pieces
        share : float
        kept : float
            Factor of A where only σ was scaled.
        is_near : callable
            Whether the point is near enough before that, for a caller that can tell; the line search need not be exact then.
        """
        machine = self.machine
        self._begin(pieces, kept)
        first, least, idle, line = True, np.inf, 0, EXACT if is_near is None else LINE
        while self.iterations < machine.max_iter and idle < IDLE:
            changed = self._follow(pieces)
            end = self._solve()
            d = end - self.theta
            g = self.gradient()
            decrement = -0.5 * float(g @ d)
            if (self.exact and not changed and not first) or decrement <= share * self._value(pieces):
                break
            if is_near is not None and is_near():
                break
            dm = self._margins(d)
            ridge = self._ridge(d)
            t = line_minimum(pieces, self.margins, dm, -2.0 * decrement, float(self.theta @ ridge), float(d @ ridge), line)
            self.theta = end if t == 1.0 else self.theta + t * d
            self.margins += t * dm
            self.iterations += 1
            first = t != 1.0
            least, idle = (decrement, 0) if decrement < least else (least, idle + 1)

    def _begin(self, pieces: Pieces, kept: float) -> None:
        """Sum r anew for other pieces, and A unless a factor says how it changed."""
        status = pieces.status(self.margins)
        y = self.machine.signs
        self.pieces = pieces
        if self.status is None or kept == 0.0:
            self.A = self._curvature(pieces, status)
        else:
            self.A *= kept
            change = (status == 1).astype(np.float64) - (self.status == 1)
            if change.any():
                self.A += self.rows.gram(change * pieces.sigma)
        self.r = self.rows.sums(y * _constants(pieces, status))
        self.passes += 1
        self.status = status
        if not (np.isfinite(self.A).all() and np.isfinite(self.r).all()):
            self._diverged()

    def _curvature(self, pieces: Pieces, status: NDArray[np.int8]) -> Floats:
        """Return A summed over the rows; that of all rows is summed for the first machine of a table alone."""
        shared = self.machine.shared
        if shared is None or not self.machine.squared or not (status == 1).all():
            self.passes += 1
            return self.rows.gram(np.where(status == 1, pieces.sigma, 0.0))
        if "curvature" not in shared:
            self.passes += 1
            shared["curvature"] = self.rows.gram(pieces.sigma)
        return shared["curvature"].copy()

    def _diverged(self) -> None:
        """Refuse rows that cannot be squared; where they can, the steps are at fault: LinAlgError."""
        if not np.isfinite(self.rows.gram(np.ones(len(self.machine.signs)))).all():
            self.rows.rows.source.refuse_nonfinite()
        raise np.linalg.LinAlgError

    def _follow(self, pieces: Pieces) -> bool:
        """Bring A and r to the pieces the rows are on now; return whether any row changed."""
        assert self.status is not None
        status = pieces.status(self.margins)
        changed = np.flatnonzero(status != self.status)
        if len(changed) == 0:
            return False
        before, now = self.status[changed], status[changed]
        part = Pieces(pieces.base[changed], pieces.sigma[changed], pieces.cap[changed])
        h = part.sigma * ((now == 1).astype(np.float64) - (before == 1))
        v = self.machine.signs[changed] * (_constants(part, now) - _constants(part, before))
        self.status = status
        if self.rows.are_few(len(changed)):
            A, r = self.rows.few(changed, h, v)
            self.A += A
            self.r += r
        elif len(changed) > REFRESH * np.count_nonzero(status == 1):
            self.A = self.rows.gram(np.where(status == 1, pieces.sigma, 0.0))
            self.r = self.rows.sums(self.machine.signs * _constants(pieces, status))
        else:
            self.A += self.rows.gram(_scattered(h, changed, len(status)))
            self.r += self.rows.sums(_scattered(v, changed, len(status)))
        return True

    def _solve(self) -> Floats:
        """Return (D + A)⁻¹ r; A and r are summed anew where changes row by row have left no positive definite matrix."""
        q = len(self.r) if self.machine.has_intercept else len(self.r) - 1
        end, H = np.zeros(len(self.r)), self._hessian()[:q, :q]
        factor, info = lapack.dpotrf(H, lower=1)
        if info == 0:
            end[:q] = lapack.dpotrs(factor, self.r[:q], lower=1)[0]
            return end
        assert self.status is not None and self.pieces is not None
        self.A = self.rows.gram(np.where(self.status == 1, self.pieces.sigma, 0.0))
        self.r = self.rows.sums(self.machine.signs * _constants(self.pieces, self.status))
        self.passes += 2
        end[:q] = _solved(self._hessian()[:q, :q], self.r[:q])
        return end

    def _hessian(self) -> Floats:
        """Return D + A."""
        H = self.A.copy()
        np.einsum("aa->a", H)[:-1] += 1.0
        H[-1, -1] += self.machine.ridge if self.machine.has_intercept else 0.0
        # No curved row: the intercept has no curvature of its own; any will do, the line search finds how far to go.
        if self.machine.has_intercept and H[-1, -1] <= 0.0:
            H[-1, -1] = 1.0
        return H

    def gradient(self) -> Floats:
        """Return g at θ, exact for the pieces the rows were on at the last step."""
        g = self.A @ self.theta - self.r + self._ridge(self.theta)
        if not self.machine.has_intercept:
            g[-1] = 0.0
        return g

    def _ridge(self, theta: Floats) -> Floats:
        """Return Dθ."""
        found = theta.copy()
        found[-1] *= self.machine.ridge if self.machine.has_intercept else 0.0
        return found

    def _value(self, pieces: Pieces) -> float:
        """Return the loss and half the penalty as the size that gaps are compared with."""
        return self.machine.loss(self.margins) + 0.5 * float(self.theta @ self._ridge(self.theta))

    def _margins(self, theta: Floats) -> Floats:
        self.passes += 1
        return self.machine.signs * self.rows.scores(theta)


def solve(machine: Machine, start: Certificate | None = None, method: type[Descent] = Descent) -> Ended:
    """Minimise the squared hinge, from a certificate on the rows as they are where one is given.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> from separatrix.solvers.rows import Rows
    >>> rows = Rows.of(as_source([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]))
    >>> found = solve(Machine(rows, np.array([-1.0, 1.0, -1.0, 1.0]), np.ones(4), squared=True)).certificate
    >>> (found.theta.round(4) + 0.0).tolist(), found.gap < 1e-12
    ([0.3636, 0.0], True)
    """
    rows = CentredRows.of(machine.rows, machine.ridge == 0.0)
    n = len(machine.signs)
    pieces = Pieces(np.zeros(n), 2.0 * machine.cost, machine.cap)
    descent = method(machine, rows, first_point(machine, rows, start))
    descent.minimise(pieces, ROUNDING)
    found = certify(machine, rows, descent.theta, descent.margins, pieces.multipliers(descent.margins))
    return Ended.of(rows, found, descent.iterations, descent.passes + 1)


def first_point(machine: Machine, rows: CentredRows, start: Certificate | None) -> Floats | None:
    """Return θ to begin with: that of a certificate on the rows as they are, or of a sample."""
    if start is None:
        return sample_start(machine, rows)
    theta = start.theta.copy()
    theta[-1] += theta[:-1] @ rows.centre
    return theta


def sample_start(machine: Machine, rows: CentredRows) -> Floats | None:
    """Return θ of the squared hinge on a sample of the rows, whose costs stand for all; None where all rows are few."""
    n = len(machine.signs)
    size = max(SAMPLE, 20 * rows.width)
    if machine.rows.X is None or n < max(SAMPLE_FROM, 4 * size):
        return None
    index = np.sort(np.random.default_rng(machine.seed).choice(n, size, replace=False))
    assert machine.rows.codes is not None
    held = Rows.of_arrays(machine.rows.X[index], machine.rows.codes[index], None, machine.rows.source)
    cost = np.where(np.isinf(machine.cost[index]), 1.0, machine.cost[index]) * (n / size)
    part = replace(machine, rows=held, signs=machine.signs[index], cost=cost, squared=True, shared=None)
    descent = Descent(part, CentredRows(held, rows.centre, rows.shifts))
    descent.minimise(Pieces(np.zeros(size), 2.0 * cost, part.cap), 1e-3)
    return descent.theta


def _solved(H: Floats, r: Floats) -> Floats:
    """Return H⁻¹ r of a positive definite H; where rounding has left it none, of H with more on its diagonal, in units of each column."""
    factor, info = lapack.dpotrf(H, lower=1)
    more = ROUNDING
    while info != 0 and more < 1.0:
        raised = H.copy()
        np.einsum("aa->a", raised)[:] *= 1.0 + more
        factor, info = lapack.dpotrf(raised, lower=1, overwrite_a=1)
        more *= 100.0
    if info != 0:
        scaled: Floats = r / np.maximum(np.einsum("aa->a", H), 1.0)
        return scaled
    return np.asarray(lapack.dpotrs(factor, r, lower=1)[0])


def _scattered(values: Floats, index: Indices, n: int) -> Floats:
    found = np.zeros(n)
    found[index] = values
    return found


def _constants(pieces: Pieces, status: NDArray[np.int8]) -> Floats:
    """Return base + σ of the curved rows, cap of those at their cap, 0 elsewhere."""
    return np.where(status == 1, pieces.base + pieces.sigma, np.where(status == 2, pieces.cap, 0.0))
