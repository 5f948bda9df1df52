"""The squared hinge on small dense tables: all machines at once, in a few NumPy calls a step.

Newton's method of `semismooth` without its line search: θ_k ← (D + 2 Z'C_kZ)⁻¹ 2 Z'C_k y_k with C_k the costs of the rows inside
machine k's margin, until no row changes sides. It nearly always ends after a handful of steps; where it does not, the caller falls
back.

References
----------
Keerthi and DeCoste (2005), A modified finite Newton method for fast solution of large scale linear SVMs, JMLR 6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from ...array_types import Floats
from ...thresholds import MARGIN_MACHINES, MARGINS_AT_ONCE
from ..rows import Rows
from ..smooth.centred_rows import CentredRows
from .machine import NOTHING, SLIGHT, Certificate, Ended

STEPS = 25
ROUNDING = 1e-14
"""Share of the multipliers by which one side outweighs the other where both are equal."""
NARROW = 16
"""Coefficients up to which all products x̃_ia x̃_ib are kept, so that the matrices of all machines are one product with them."""


def at_once(rows: Rows) -> int:
    """Return how many machines are solved at once: none where rows are not dense and held, or too many for one."""
    X = rows.X
    size = X.shape[0] * (X.shape[1] + 1) if isinstance(X, np.ndarray) else 0
    return 0 if size == 0 or MARGIN_MACHINES.reached(size) else MARGINS_AT_ONCE.portion(size)


def solve(rows: Rows, Y: Floats, cost: Floats, ridge: float) -> list[Ended] | None:
    """Return the end of every machine, or None where a row goes on changing sides.

    Parameters
    ----------
    rows : Rows
    Y : (K, n) signs
    cost : (n,) c_i
    ridge : float
        ρ of `Machine`.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> held = Rows.of(as_source([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]))
    >>> found = solve(held, np.array([[-1.0, 1.0, -1.0, 1.0]]), np.ones(4), 0.0)
    >>> found[0].coef.round(4).tolist(), round(found[0].intercept, 4)
    ([0.3636], -0.5455)
    """
    table = Table.of(rows, Y, cost, ridge)
    theta, margins, steps = newton(table)
    if steps > STEPS:
        return None
    found = table.certified(theta, margins, 2.0 * cost * np.maximum(0.0, 1.0 - margins), True)
    return found.ended(table.about, steps) if np.isfinite(found.gap).all() else None


def newton(table: Table, enough: int = 0) -> tuple[Floats, Floats, int]:
    """Return θ (K, q), margins (K, n) and steps of the squared hinge, once no more than `enough` rows of all machines change sides;
    more steps than STEPS where they go on doing so.
    """
    Z, Y, across, twice = table.Z, table.Y, table.Z.T.copy(), 2.0 * table.cost
    signed = twice * Y
    inside = np.ones(Y.shape, dtype=bool)
    for step in range(1, STEPS + 1):
        found = np.linalg.solve(table.hessians(inside * twice), ((inside * signed) @ Z)[:, :, None])
        theta = found[:, :, 0].astype(np.float64, copy=False)
        margins = theta @ across
        margins *= Y
        before, inside = inside, margins < 1.0
        if np.count_nonzero(inside != before) <= enough:
            return theta, margins, step
    return theta, margins, STEPS + 1


def penalties(width: int, ridge: float) -> Floats:
    """Return D (q,): 1, …, 1, ρ; a trace where the intercept is free, and 1 where there is none."""
    D = np.ones(width)
    D[-1] = ridge if 0.0 < ridge < np.inf else 1.0 if np.isinf(ridge) else np.finfo(float).tiny
    return D


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Small dense rows and all machines on them.

    Attributes
    ----------
    about : CentredRows
    Z : (n, q) centred rows and a constant: 1, or 0 where there is no intercept
    Y : (K, n) signs
    cost : (n,) c_i
    ridge : float
        ρ.
    D : (q,) 1, …, 1, ρ, never 0
    outer : (n, q²) x̃_i x̃_i' in one row, where q is small
    """

    about: CentredRows
    Z: Floats
    Y: Floats
    cost: Floats
    ridge: float
    D: Floats
    outer: Floats | None

    @classmethod
    def of(cls, rows: Rows, Y: Floats, cost: Floats, ridge: float) -> Self:
        """Return the table of dense rows held."""
        about = CentredRows.of(rows, ridge == 0.0)
        Z = np.empty((len(cost), about.width))
        np.subtract(rows.X, about.centre, out=Z[:, :-1])
        Z[:, -1] = np.isfinite(ridge)
        if not np.isfinite(Z).all():
            rows.source.refuse_nonfinite()
        outer = (Z[:, :, None] * Z[:, None, :]).reshape(len(Z), -1) if about.width <= NARROW else None
        return cls(about, Z, Y, cost, ridge, penalties(about.width, ridge), outer)

    @property
    def squares(self) -> Floats:
        """‖x̃_i‖² (n,)."""
        squares: Floats = np.einsum("ij,ij->i", self.Z, self.Z)
        return squares

    def hessians(self, d: Floats) -> Floats:
        """Return D + Σ_i d_ki x̃_i x̃_i' (K, q, q) for d (K, n)."""
        q = len(self.D)
        H = (self.Z.T * d[:, None, :]) @ self.Z if self.outer is None else (d @ self.outer).reshape(len(d), q, q)
        H.reshape(len(d), -1)[:, :: q + 1] += self.D
        return H

    def inverses(self, d: Floats) -> Callable[[Floats], Floats]:
        """Return v (K, q) ↦ (D + Σ_i d_ki x̃_i x̃_i')⁻¹ v_k."""
        inverse = np.linalg.inv(self.hessians(d)).astype(np.float64, copy=False)
        return lambda v: (inverse @ v[:, :, None])[:, :, 0]

    def _balanced(self, alpha: Floats, squared: bool) -> Floats:
        """Return multipliers with Σ_i α_ki y_ki = 0; see `machine.balance`."""
        above = self.Y > 0.0
        up, down = np.where(above, alpha, 0.0).sum(axis=1), np.where(above, 0.0, alpha).sum(axis=1)
        over = np.abs(up - down)
        if (over <= ROUNDING * up).all():
            return alpha
        heavy = above == (up > down)[:, None]
        room = np.where(heavy, alpha if squared else np.minimum(alpha, self.cost - alpha), 0.0)
        machines, row = np.arange(len(alpha)), room.argmax(axis=1)
        if ((over < SLIGHT * up) & (room[machines, row] > over)).all():
            alpha[machines, row] -= over
            return alpha
        least = np.minimum(up, down)
        return alpha * np.where(above, _ratio(least, up)[:, None], _ratio(least, down)[:, None])

    def certified(self, theta: Floats, margins: Floats, alpha: Floats, squared: bool) -> Certified:
        """Certify all machines at once; see `machine.certify`."""
        Y, cost, ridge = self.Y, self.cost, self.ridge
        if not squared:
            alpha = np.minimum(np.maximum(alpha, 0.0), cost)
            small = (alpha < NOTHING * alpha.max(axis=1, keepdims=True)) & (alpha > 0.0)
            if small.any():
                lengths = alpha.shape[1] * np.sqrt(self.squares)
                alpha[small & (alpha * lengths < NOTHING * np.linalg.norm(theta, axis=1, keepdims=True))] = 0.0
        if ridge == 0.0:
            alpha = self._balanced(alpha, squared)
        V = (alpha * Y) @ self.Z
        short = np.maximum(0.0, 1.0 - margins)
        primal = 0.5 * np.einsum("kj,kj->k", theta[:, :-1], theta[:, :-1]) + (short * short if squared else short) @ cost
        dual = alpha.sum(axis=1) - 0.5 * np.einsum("kj,kj->k", V[:, :-1], V[:, :-1])
        if squared:
            dual -= 0.25 * (alpha * alpha) @ (1.0 / np.where(cost > 0.0, cost, 1.0))
        if 0.0 < ridge < np.inf:
            primal, dual = primal + 0.5 * ridge * theta[:, -1] ** 2, dual - 0.5 * V[:, -1] ** 2 / ridge
        off = np.abs(theta - V)[:, :-1].max(axis=1)
        if np.isinf(ridge):
            theta[:, -1] = 0.0
        return Certified(theta, alpha, primal, dual, off)


@dataclass(frozen=True, slots=True, eq=False)
class Certified:
    """The certificates of all machines: θ (K, q), α (K, n), F, D and the largest entry of w − Σ α_i y_i x_i (K,)."""

    theta: Floats
    alpha: Floats
    primal: Floats
    dual: Floats
    residual: Floats

    @property
    def gap(self) -> Floats:
        """F − D (K,); infinite where rounding has left no number."""
        gap = self.primal - self.dual
        return np.where(np.isfinite(gap), gap, np.inf)

    def is_done(self, tol: float) -> bool:
        """Whether every gap is at most tol F."""
        return bool(((gap := self.gap) <= tol * self.primal).all()) and bool(np.isfinite(gap).all())

    def better(self, other: Self) -> Self:
        """Return each machine's certificate with the smaller gap."""
        mine = self.gap <= other.gap
        pairs = [(getattr(self, name), getattr(other, name)) for name in ("theta", "alpha", "primal", "dual", "residual")]
        return type(self)(*(np.where(mine if a.ndim == 1 else mine[:, None], a, b) for a, b in pairs))

    def ended(self, about: CentredRows, steps: int) -> list[Ended]:
        """Return the ends of the machines."""
        numbers = zip(self.theta, self.alpha, self.primal.tolist(), self.dual.tolist(), self.residual.tolist())
        return [Ended.of(about, Certificate(*one), steps, steps + 2) for one in numbers]


def _ratio(a: Floats, b: Floats) -> Floats:
    return np.divide(a, b, out=np.ones_like(a), where=b > 0.0)
