"""Multipliers of the joint machine that keep their equation in units of each column.

The certificate of `crammer_singer` has ½‖Σ_i A_i x_i'‖², in which a column in units of 1e6 weighs 1e12 times as much as others: multipliers
that are right to ten digits may prove nothing. Here they change, each by a share of itself and with the same sum in each row, so that

    ‖D^−½ (Dθ − Σ_i A_i x̃_i')‖

becomes least, by conjugate gradients, which see large columns first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .joint_system import even

Floats = NDArray[np.float64]

PRODUCTS = 600
MOST = 0.9
"""Share of itself by which a multiplier may fall."""


def settled(Z: Any, across: Any, off: Floats, unit: Floats, u: Floats, wanted: float) -> Floats:
    """Return u (n, K) changed so that off + Σ_i Δu_i x̃_i', in units, is small.

    Parameters
    ----------
    Z, across : (n, q) rows and their transpose
    off : (q, K) Dθ − Σ_i A_i x̃_i'
    unit : (q,)
    u : (n, K) positive
    wanted : float
        Squared length of the rest at which to end.

    Examples
    --------
    >>> Z = np.array([[1.0], [1.0]])
    >>> u = settled(Z, Z.T, np.array([[0.2, -0.2]]), np.ones(1), np.full((2, 2), 0.5), 0.0)
    >>> u.round(6).tolist()
    [[0.4, 0.6], [0.4, 0.6]]
    """
    top, squares = u.argmax(axis=1), (u * u).sum(axis=1, keepdims=True)

    def within(v: Floats) -> Floats:
        """Return v without what would change the sums of u."""
        return np.asarray(v - u * ((u * v).sum(axis=1, keepdims=True) / squares))

    found, rest = np.zeros_like(u), -unit[:, None] * off
    slope = within(u * np.asarray(Z @ (unit[:, None] * rest)))
    way, size = slope.copy(), float(np.vdot(slope, slope))
    for _ in range(PRODUCTS):
        if float(np.vdot(rest, rest)) <= wanted or size == 0.0:
            break
        change = unit[:, None] * np.asarray(across @ even(u * within(way), top))
        t = size / float(np.vdot(change, change))
        found += t * way
        rest -= t * change
        slope = within(u * np.asarray(Z @ (unit[:, None] * rest)))
        size, before = float(np.vdot(slope, slope)), size
        way = slope + (size / before) * way
    change = even(u * within(found), top)
    return np.asarray(u + change * min(1.0, MOST / max(float((-change / u).max()), MOST)))
