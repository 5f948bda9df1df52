"""The squared hinge on small dense tables: all machines at once, in a few NumPy calls a step.

Newton's method of `semismooth` without its line search: θ_k ← (D + 2 Z'C_kZ)⁻¹ 2 Z'C_k y_k with C_k the costs of the rows inside
machine k's margin, until no row changes sides. It nearly always ends after a handful of steps; where it does not, the caller falls
back.

References
----------
Keerthi and DeCoste (2005), A modified finite Newton method for fast solution of large scale linear SVMs, JMLR 6.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .centred_rows import CentredRows
from .machine import Certificate, Ended
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
    about = CentredRows.of(rows, ridge == 0.0)
    Z = np.empty((len(cost), about.width))
    np.subtract(rows.X, about.centre, out=Z[:, :-1])
    Z[:, -1] = np.isfinite(ridge)
    D = np.eye(about.width)
    D[-1, -1] = ridge if 0.0 < ridge < np.inf else 1.0 if np.isinf(ridge) else np.finfo(float).tiny
    if not np.isfinite(Z).all():
        rows.source.refuse_nonfinite()
    inside, twice = np.ones(Y.shape, dtype=bool), 2.0 * cost
    for step in range(1, STEPS + 1):
        C = np.where(inside, twice, 0.0)
        try:
            theta = np.linalg.solve(D + (Z.T * C[:, None, :]) @ Z, ((C * Y) @ Z)[:, :, None])[:, :, 0]
        except np.linalg.LinAlgError:
            return None
        margins = Y * (theta @ Z.T)
        before, inside = inside, margins < 1.0
        if (inside == before).all():
            return _ended(about, Z, Y, cost, ridge, np.asarray(theta, dtype=np.float64), margins, step)
    return None


def _ended(about: CentredRows, Z: Floats, Y: Floats, cost: Floats, ridge: float, theta: Floats, margins: Floats, steps: int) -> list[Ended]:
    """Certify all machines at once; see `machine.certify`."""
    short = np.maximum(0.0, 1.0 - margins)
    alpha = 2.0 * cost * short
    if ridge == 0.0:
        up, down = np.where(Y > 0.0, alpha, 0.0).sum(axis=1), np.where(Y < 0.0, alpha, 0.0).sum(axis=1)
        least = np.minimum(up, down)
        shrink = np.where(Y > 0.0, _ratio(least, up)[:, None], _ratio(least, down)[:, None])
        alpha = alpha * shrink
    V = (alpha * Y) @ Z
    primal = 0.5 * np.einsum("kj,kj->k", theta[:, :-1], theta[:, :-1]) + (short * short) @ cost
    used = np.where(cost > 0.0, cost, 1.0)
    dual = alpha.sum(axis=1) - 0.5 * np.einsum("kj,kj->k", V[:, :-1], V[:, :-1]) - 0.25 * (alpha * alpha) @ (1.0 / used)
    if 0.0 < ridge < np.inf:
        primal, dual = primal + 0.5 * ridge * theta[:, -1] ** 2, dual - 0.5 * V[:, -1] ** 2 / ridge
    off = np.abs(theta - V)[:, :-1].max(axis=1)
    if np.isinf(ridge):
        theta[:, -1] = 0.0
    return [
        Ended.of(about, Certificate(theta[k], alpha[k], float(primal[k]), float(dual[k]), float(off[k])), steps, steps + 2)
        for k in range(len(theta))
    ]


def _ratio(a: Floats, b: Floats) -> Floats:
    return np.divide(a, b, out=np.ones_like(a), where=b > 0.0)
