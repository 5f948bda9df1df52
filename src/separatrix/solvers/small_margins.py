"""The squared hinge on small dense tables: all machines at once, in a few NumPy calls a step.

Newton's method of `semismooth` without its line search: θ_k ← (D + 2 Z'C_kZ)⁻¹ 2 Z'C_k y_k with C_k the costs of the rows inside
machine k's margin, until no row changes sides. It nearly always ends after a handful of steps; where it does not, the caller falls
back.

References
----------
Keerthi and DeCoste (2005), A modified finite Newton method for fast solution of large scale linear SVMs, JMLR 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from .centred_rows import CentredRows
from .machine import NOTHING, Certificate, Ended
from .rows import Rows

Floats = NDArray[np.float64]

SMALL = 50_000
"""Values of [X, 1] times machines up to which this is the fastest road."""
STEPS = 25


def is_small(rows: Rows, machines: int) -> bool:
    """Whether rows are dense, held and few enough."""
    X = rows.X
    return isinstance(X, np.ndarray) and X.shape[0] * (X.shape[1] + 1) * machines <= SMALL


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
    return table.certified(theta, margins, 2.0 * cost * np.maximum(0.0, 1.0 - margins), True, steps)


def newton(table: Table) -> tuple[Floats, Floats, int]:
    """Return θ (K, q), margins (K, n) and steps of the squared hinge; more steps than STEPS where a row goes on changing sides."""
    Z, Y, twice = table.Z, table.Y, 2.0 * table.cost
    inside = np.ones(Y.shape, dtype=bool)
    for step in range(1, STEPS + 1):
        C = np.where(inside, twice, 0.0)
        found = np.linalg.solve(table.D + (Z.T * C[:, None, :]) @ Z, ((C * Y) @ Z)[:, :, None])
        theta = found[:, :, 0].astype(np.float64, copy=False)
        margins = Y * (theta @ Z.T)
        before, inside = inside, margins < 1.0
        if (inside == before).all():
            return theta, margins, step
    return theta, margins, STEPS + 1


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
    D : (q, q) diag(1, …, 1, ρ), never singular
    """

    about: CentredRows
    Z: Floats
    Y: Floats
    cost: Floats
    ridge: float
    D: Floats

    @classmethod
    def of(cls, rows: Rows, Y: Floats, cost: Floats, ridge: float) -> Self:
        """Return the table of dense rows held."""
        about = CentredRows.of(rows, ridge == 0.0)
        Z = np.empty((len(cost), about.width))
        np.subtract(rows.X, about.centre, out=Z[:, :-1])
        Z[:, -1] = np.isfinite(ridge)
        D = np.eye(about.width)
        D[-1, -1] = ridge if 0.0 < ridge < np.inf else 1.0 if np.isinf(ridge) else np.finfo(float).tiny
        if not np.isfinite(Z).all():
            rows.source.refuse_nonfinite()
        return cls(about, Z, Y, cost, ridge, D)

    def certified(self, theta: Floats, margins: Floats, alpha: Floats, squared: bool, steps: int) -> list[Ended]:
        """Certify all machines at once; see `machine.certify`."""
        Y, cost, ridge = self.Y, self.cost, self.ridge
        if not squared:
            alpha = np.clip(alpha, 0.0, cost)
            alpha[alpha < NOTHING * alpha.max(axis=1, keepdims=True)] = 0.0
        if ridge == 0.0:
            above = Y > 0.0
            up, down = np.where(above, alpha, 0.0).sum(axis=1), np.where(above, 0.0, alpha).sum(axis=1)
            least = np.minimum(up, down)
            alpha = alpha * np.where(above, _ratio(least, up)[:, None], _ratio(least, down)[:, None])
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
        return [
            Ended.of(self.about, Certificate(theta[k], alpha[k], float(primal[k]), float(dual[k]), float(off[k])), steps, steps + 2)
            for k in range(len(theta))
        ]


def _ratio(a: Floats, b: Floats) -> Floats:
    return np.divide(a, b, out=np.ones_like(a), where=b > 0.0)
