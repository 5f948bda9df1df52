"""The hinge on small dense tables: all machines at once by an interior-point method, in a few dozen NumPy calls a step.

With slacks m_i + ξ_i − s_i = 1 of the margins m_i and β_i = c_i − α_i, a step is Newton's for

    Dθ = Σ α_i y_i x̃_i,    α_i s_i = μ,    β_i ξ_i = μ

with μ as Mehrotra's predictor suggests, each costing one system of q equations a machine: (D + Σ d_i x̃_i x̃_i') Δθ = …,
1/d_i = s_i/α_i + ξ_i/β_i. It begins at the squared hinge's solution (`small_margins`). Once the products tell which rows are on the
margin, one linear system gives the rest exactly (as in `margin_polish`), and the certificate tells whether it is the solution.

References
----------
Mehrotra (1992), On the implementation of a primal-dual interior point method, SIAM Journal on Optimization 2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .machine import Ended
from .rows import Rows
from .small_margins import Table, newton

Floats = NDArray[np.float64]

STEPS = 30
INSIDE, AWAY = 0.1, 0.3
"""How far the first multipliers are from their bounds, as a share of c, and the first slacks from 0."""
NEARLY = 0.02
"""Sum of the products, as a share of the objective, from which on the rows on the margin may be known."""
RIDGE = 1e-11
SPARE = 20
"""How many more rows than coefficients may lie on the margin for the exact end."""


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
    theta, margins, steps = newton(table)
    inner = Interior(table, theta, margins)
    best: list[Ended] | None = None
    seen: NDArray[np.int8] | None = None
    for step in range(steps + 1, steps + STEPS + 1):
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            products = inner.step()
        # Where a machine is at its end before the others, its numbers may cancel: what was certified stands.
        if not np.isfinite(products).all():
            break
        if (products > NEARLY * inner.size()).any():
            continue
        status = inner.status()
        if seen is None or not np.array_equal(status, seen):
            best = _better(best, polished(table, status, inner.V[:, 0], step))
            seen = status
        if not _is_done(best, tol) and (products <= tol * inner.size()).all():
            # Multipliers inside their bounds are never exactly at them: rows that are not on the margin are put there.
            alpha = np.choose(status, [np.zeros_like(inner.V[:, 0]), inner.V[:, 0], np.broadcast_to(cost, Y.shape)])
            best = _better(best, table.certified(inner.theta.copy(), inner.margins(), alpha, False, step))
        if _is_done(best, tol):
            return best
    return None


class Interior:
    """θ (K, q) and α, β, s, ξ (K, 4, n) with α + β = c and m + ξ − s = 1 throughout."""

    def __init__(self, table: Table, theta: Floats, margins: Floats) -> None:
        self.table, self.theta = table, theta
        self.G = table.Y[:, :, None] * table.Z
        self.T = np.ascontiguousarray(self.G.transpose(0, 2, 1))
        cost, short = table.cost, 1.0 - margins
        K, n = table.Y.shape
        self.V = V = np.empty((K, 4, n))
        np.clip(2.0 * cost * short, INSIDE * cost, (1.0 - INSIDE) * cost, out=V[:, 0])
        np.subtract(cost, V[:, 0], out=V[:, 1])
        np.maximum(short, 0.0, out=V[:, 3])
        V[:, 3] += AWAY
        np.subtract(V[:, 3], short, out=V[:, 2])
        self.ridge = np.einsum("aa->a", table.D)

    def margins(self) -> Floats:
        """Return m (K, n)."""
        return (self.G @ self.theta[:, :, None])[:, :, 0]

    def size(self) -> Floats:
        """Return F up to what slacks are off by (K,)."""
        return 0.5 * np.einsum("kj,j,kj->k", self.theta, self.ridge, self.theta) + self.V[:, 3] @ self.table.cost

    def status(self) -> NDArray[np.int8]:
        """Return the pieces of the rows: 0 beyond the margin, 1 on it, 2 with the largest multiplier."""
        share = self.V[:, :2] / self.table.cost
        low = share < self.V[:, 2:]
        return np.where(low[:, 0], 0, np.where(low[:, 1], 2, 1)).astype(np.int8)

    def step(self) -> Floats:
        """Take a step; return Σ αs + βξ of each machine, which is the gap once Dθ = Σ α y x̃ holds."""
        V = self.V
        A, B = V[:, :2], V[:, 2:]
        ratio = B / A
        d = 1.0 / (ratio[:, 0] + ratio[:, 1])
        H = (self.T * d[:, None, :]) @ self.G
        H += self.table.D
        inverse = np.linalg.inv(H).astype(np.float64, copy=False)
        off = self.ridge * self.theta - (self.T @ V[:, 0, :, None])[:, :, 0]
        now = np.einsum("kij,kij->k", A, B)
        self._move(ratio, d, inverse, off, -B)
        t = self._length(1.0)
        # Σ (α + tΔα)(s + tΔs) and the same of β and ξ, where the predictor makes sΔα + αΔs = −αs.
        corner = self.dV[:, :2] * self.dV[:, 2:]
        then = (1.0 - t) * now + t * t * corner.reshape(len(V), -1).sum(axis=1)
        target = (then / now) ** 3 * now / (2 * V.shape[2])
        self._move(ratio, d, inverse, off, (target[:, None, None] - corner) / A - B)
        t = self._length(0.99)
        V += t[:, None, None] * self.dV
        self.theta = self.theta + t[:, None] * self.dtheta
        return np.einsum("kij,kij->k", A, B)

    def _move(self, ratio: Floats, d: Floats, inverse: Floats, off: Floats, wanted: Floats) -> None:
        """Find Δθ and ΔV for Δs + (s/α)Δα and Δξ + (ξ/β)Δβ as wanted (K, 2, n)."""
        rho = wanted[:, 0] - wanted[:, 1]
        right = (self.T @ (d * rho)[:, :, None])[:, :, 0] - off
        self.dtheta = (inverse @ right[:, :, None])[:, :, 0]
        self.dV = dV = np.empty_like(self.V)
        rho -= (self.G @ self.dtheta[:, :, None])[:, :, 0]
        np.multiply(d, rho, out=dV[:, 0])
        np.negative(dV[:, 0], out=dV[:, 1])
        np.subtract(wanted, ratio * dV[:, :2], out=dV[:, 2:])

    def _length(self, share: float) -> Floats:
        """Return the longest steps (K,), at most 1, that leave all of V positive, or a share of them."""
        K = len(self.V)
        steepest = (self.dV / self.V).reshape(K, -1).min(axis=1)
        return share / np.maximum(share, -steepest)


def polished(table: Table, status: NDArray[np.int8], alpha: Floats, steps: int) -> list[Ended] | None:
    """Return all machines at the conditions of optimality for the pieces given, near multipliers (K, n); None where rows are too many.

    Where rows on the margin determine each other, multipliers are not unique: a little ridge finds those nearest to the ones given.
    Systems of machines with fewer rows on the margin are filled up with equations 1·v = 0.
    """
    free, Z, Y = status == 1, table.Z, table.Y
    K, m = len(Y), int(free.sum(axis=1).max())
    if m == 0 or m > Z.shape[1] + SPARE:
        return None
    index = np.argsort(~free, axis=1, kind="stable")[:, :m]
    live = np.take_along_axis(free, index, axis=1)
    signs = np.take_along_axis(Y, index, axis=1)
    at_cap = np.where(status == 2, table.cost, 0.0)
    fixed = (at_cap * Y) @ Z
    near = np.where(live, np.take_along_axis(alpha, index, axis=1) * signs, 0.0)
    X = Z[index, :-1] * live[:, :, None]
    fixed[:, :-1] += (near[:, None] @ X)[:, 0]
    fixed[:, -1] += near.sum(axis=1) * np.isfinite(table.ridge)
    system, right = np.zeros((K, m + 1, m + 1)), np.empty((K, m + 1))
    system[:, :m, :m] = X @ X.transpose(0, 2, 1)
    diagonal = np.einsum("kii->ki", system)[:, :m]
    diagonal += np.where(live, RIDGE * diagonal.max(), 1.0)
    right[:, :m] = np.where(live, signs - (X @ fixed[:, :-1, None])[:, :, 0], 0.0)
    has_intercept = np.isfinite(table.ridge)
    system[:, :m, m] = system[:, m, :m] = live if has_intercept else 0.0
    system[:, m, m] = -table.ridge if has_intercept else 1.0
    right[:, m] = -fixed[:, -1] if has_intercept else 0.0
    try:
        found = np.linalg.solve(system, right[:, :, None])[:, :, 0]
    except np.linalg.LinAlgError:
        return None
    theta = np.concatenate([fixed[:, :-1] + (found[:, None, :m] @ X)[:, 0], found[:, m:]], axis=1)
    moved = np.take_along_axis(at_cap, index, axis=1) + (near + np.where(live, found[:, :m], 0.0)) * signs
    np.put_along_axis(at_cap, index, moved, axis=1)
    return table.certified(theta, Y * (theta @ Z.T), at_cap, False, steps)


def _is_done(found: list[Ended] | None, tol: float) -> bool:
    return found is not None and all(e.certificate.gap <= tol * e.certificate.primal for e in found)


def _better(a: list[Ended] | None, b: list[Ended] | None) -> list[Ended] | None:
    """Return the better end of each machine."""
    if a is None or b is None:
        return b if a is None else a
    return [y if y.certificate.gap <= x.certificate.gap else x for x, y in zip(a, b)]
