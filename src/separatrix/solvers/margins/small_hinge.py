"""The hinge on small dense tables: all machines at once by an interior-point method, in a few dozen NumPy calls a step.

With slacks m_i + ξ_i − s_i = 1 of the margins m_i and β_i = c_i − α_i, a step is Newton's for

    Dθ = Σ α_i y_i x̃_i,    α_i s_i = μ,    β_i ξ_i = μ

with μ as Mehrotra's predictor suggests, each costing one system of q equations a machine: (D + Σ d_i x̃_i x̃_i') Δθ = …,
1/d_i = s_i/α_i + ξ_i/β_i. It begins at the squared hinge's solution (`small_margins`). Once the products tell which rows are on the
margin, linear systems give the rest exactly, and the certificate tells whether it is the solution.

References
----------
Mehrotra (1992), On the implementation of a primal-dual interior point method, SIAM Journal on Optimization 2.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...array_types import Floats
from ..rows import Rows
from .machine import Ended
from .small_margins import Certified, Table, newton

STEPS, SLOW, RECENT = 120, 20, 8
"""Steps at most; steps from which on a walk is given up whose last few, at their pace, would not end it by then."""
LONG = 0.995
"""Share of the way to the nearest bound that a step takes."""
FLIP = np.array([[[1.0]], [[-1.0]]])
"""Δα and Δβ of the same row."""
INSIDE, AWAY = 0.3, 0.6
"""How far the first multipliers are from their bounds, as a share of c, and the first slacks from 0."""
NEARLY = 0.5
"""Sum of the products, as a share of the first objective, from which on the rows on the margin may be known; they are, nearly always,
once two steps agree on them.
"""
STIFF, ROUNDS, REPAIRS = 1e8, 3, 3
"""Weight of the margins against the penalty, rounds, and repairs of the pieces, of the exact end."""
HIGH = 1e4
"""Cost times squared length of a row from which its multiplier, if it is on the margin, is nearer to this over the length."""
CHANGING = 50
"""The squared hinge is near enough to its solution to begin with when one row in so many changes sides."""


def solve(rows: Rows, Y: Floats, cost: Floats, ridge: float, tol: float) -> list[Ended] | None:
    """Return the end of every machine, or None where the gap asked is not reached.

    Parameters
    ----------
    rows : Rows
    Y : (K, n) signs
    cost : (n,) c_i > 0, finite
    ridge : float
        ρ of `Machine`.
    tol : float
        Gap asked, as a share of F.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> held = Rows.of(as_source([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]))
    >>> found = solve(held, np.array([[-1.0, -1.0, 1.0, 1.0]]), np.full(4, 9.0), 0.0, 1e-6)
    >>> found[0].coef.round(6).tolist(), found[0].certificate.alpha.round(6).tolist()
    ([1.0], [0.0, 0.5, 0.5, 0.0])
    """
    table = Table.of(rows, Y, cost, ridge)
    theta, margins, steps = newton(table, Y.size // CHANGING)
    found = walked(table, theta, margins, steps, tol)
    return found if found is not None and all(one.certificate.gap <= tol * one.certificate.primal for one in found) else None


def walked(table: Table, theta: Floats, margins: Floats, steps: int, tol: float) -> list[Ended] | None:
    """Take steps from θ (K, q) with its margins (K, n) until every machine's gap is as asked, or steps end; None: nothing is certified."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return _walked(Interior(table, theta, margins), steps, tol)


def _walked(inner: Interior, steps: int, tol: float) -> list[Ended] | None:
    first = float(inner.sizes().sum())
    best: Certified | None = None
    seen: NDArray[np.int8] | None = None
    course: list[float] = []
    for step in range(steps + 1, steps + STEPS + 1):
        products = inner.step()
        course.append(products)
        # Where a machine is at its end before the others, its numbers may cancel: what was certified stands.
        if not np.isfinite(products) or _is_slow(course, tol * first):
            break
        if products > NEARLY * first:
            continue
        status = inner.status()
        is_near = products <= tol * first
        if is_near or (seen is not None and (status == seen).all()):
            found = inner.polished(status)
            best = found if best is None else best.better(found)
        if is_near and best is not None and not best.is_done(tol):
            best = best.better(inner.certified(status)).better(inner.certified(np.ones_like(status)))
        if best is not None and best.is_done(tol):
            return best.ended(inner.table.about, step)
        seen = status
    return None if best is None else best.ended(inner.table.about, step)


def _is_slow(course: list[float], asked: float) -> bool:
    """Whether the products of the last few steps fall too slowly to be as asked within the steps there are."""
    if not SLOW <= len(course) < STEPS // 2 or course[-1] <= asked:
        return False
    pace = np.log(course[-RECENT] / course[-1]) / (RECENT - 1)
    return bool(pace * (STEPS - len(course)) < np.log(course[-1] / asked))


class Interior:
    """θ (K, q) and α, β, s, ξ (4, K, n) with α + β = c and m + ξ − s = 1 throughout.

    All machines are one problem, with steps of one length: calls cost more than numbers here, and a number costs none.
    """

    def __init__(self, table: Table, theta: Floats, margins: Floats) -> None:
        self.table, self.theta = table, theta
        self.across = table.Z.T.copy() if isinstance(table.Z, np.ndarray) else table.Z.T
        cost, short = table.cost, 1.0 - margins
        self.V = V = np.empty((4, *table.Y.shape))
        np.clip(2.0 * cost * short, INSIDE * cost, (1.0 - INSIDE) * cost, out=V[0])
        np.subtract(cost, V[0], out=V[1])
        np.maximum(short, 0.0, out=V[3])
        V[3] += AWAY
        np.subtract(V[3], short, out=V[2])
        self.ridge = table.D
        self.off = self.ridge * theta - (V[0] * table.Y) @ table.Z
        self.products = float(np.vdot(V[:2], V[2:]))
        stiffness = table.squares * cost
        self.longest = float(stiffness.max())
        self.sizes_of = cost / np.maximum(1.0, stiffness / HIGH)

    def sizes(self) -> Floats:
        """Return F up to what slacks are off by (K,)."""
        sizes: Floats = 0.5 * (self.theta * self.theta) @ self.ridge + self.V[3] @ self.table.cost
        return sizes

    def status(self) -> NDArray[np.int8]:
        """Return the pieces of the rows: 0 beyond the margin, 1 on it, 2 with the largest multiplier."""
        low = (self.V[:2] < self.sizes_of * self.V[2:]).view(np.int8)
        pieces: NDArray[np.int8] = 1 - low[0] + low[1]
        return pieces

    def step(self) -> float:
        """Take a step; return Σ αs + βξ of all machines."""
        V = self.V
        A, B = V[:2], V[2:]
        ratio = B / A
        d = 1.0 / (ratio[0] + ratio[1])
        inverse = self.table.inverses(d)
        # The predictor asks for αΔs + sΔα = −αs: with e = Δα/α, Δs/s = −1 − e, and the same of β and ξ.
        e = FLIP * self._move(d, inverse, self.off, B[1] - B[0])[1]
        e /= A
        t = 1.0 / max(1.0, -float(e.min()), 1.0 + float(e.max()))
        e *= e + 1.0
        e *= B
        then = (1.0 - t) * self.products - t * t * float(np.vdot(A, e))
        target = (then / self.products) ** 3 * self.products / A.size
        e -= B
        e += target / A
        dtheta, dalpha = self._move(d, inverse, self.off, e[0] - e[1])
        dV = np.empty_like(V)
        np.multiply(FLIP, dalpha, out=dV[:2])
        ratio *= dV[:2]
        np.subtract(e, ratio, out=dV[2:])
        t = LONG / max(LONG, -float((dV / V).min()))
        dV *= t
        V += dV
        self.theta = self.theta + t * dtheta
        # Found anew: rounding in the steps would stay in it for ever.
        self.off = self.ridge * self.theta - (A[0] * self.table.Y) @ self.table.Z
        self.products = float(np.vdot(A, B))
        return self.products

    def _move(self, d: Floats, inverse: Callable[[Floats], Floats], off: Floats, wanted: Floats) -> tuple[Floats, Floats]:
        """Return Δθ and Δα where (s/α)Δα + Δs less (ξ/β)Δβ + Δξ are as wanted (K, n), which is overwritten."""
        Y = self.table.Y
        right = (d * wanted * Y) @ self.table.Z
        right -= off
        dtheta = inverse(right)
        rise = dtheta @ self.across
        rise *= Y
        wanted -= rise
        wanted *= d
        return dtheta, wanted

    def certified(self, status: NDArray[np.int8]) -> Certified:
        """Certify the point: multipliers of rows that are not on the margin, never quite at their bounds, are put there."""
        return self.table.certified(self.theta.copy(), self.table.Y * (self.theta @ self.across), self._alpha(status), False)

    def polished(self, status: NDArray[np.int8]) -> Certified:
        """Certify the conditions of optimality for the pieces given, or for those with the rows whose multipliers leave their bounds put
        there.
        """
        for _ in range(REPAIRS):
            theta, alpha = self._on_margin(status)
            wrong = (status == 1) & ((alpha < 0.0) | (alpha > self.table.cost))
            if not wrong.any():
                break
            status = np.where(wrong, np.where(alpha < 0.0, 0, 2), status).astype(np.int8)
        return self.table.certified(theta, self.table.Y * (theta @ self.across), alpha, False)

    def _on_margin(self, status: NDArray[np.int8]) -> tuple[Floats, Floats]:
        """Return θ and α with m_i = 1 where the status is 1, found from here by the method of multipliers.

        Each round leaves a share 1/(1 + STIFF) of the error, and more only in directions that hardly move a margin. Where rows on the
        margin determine each other, so that multipliers are not unique, it finds those nearest to the ones reached.
        """
        table = self.table
        d = (status == 1) * (table.cost * (STIFF / self.longest))
        inverse = table.inverses(d)
        theta, alpha = self.theta, self._alpha(status)
        for _ in range(ROUNDS):
            off = self.ridge * theta - (alpha * table.Y) @ table.Z
            dtheta, dalpha = self._move(d, inverse, off, 1.0 - table.Y * (theta @ self.across))
            theta, alpha = theta + dtheta, alpha + dalpha
        return theta, alpha

    def _alpha(self, status: NDArray[np.int8]) -> Floats:
        return np.where(status == 1, self.V[0], np.where(status == 2, self.table.cost, 0.0))
