"""Newton's method on a face of the dual: small systems, once coordinate descent knows which multipliers lie within their bounds.

With F the rows whose multipliers are free and H = Z Z' + diag(1/2c_i), Z = [y_i x̃_i] of these rows, D falls short of its maximum over
α_F, all others held, by a quadratic with the curvature H. Steps go to

    α_F ← clip(α_F + H⁻¹g, 0, cap),   g_i = 1 − y_i(w'x_i + b) − α_i/2c_i

on those of F that no bound holds back. Descent then finds the rows that enter, in epochs that are cheap but crawl along the face: rows
with as many columns as rows on the margin need thousands of epochs, and a handful of faces.

References
----------
Moré and Toraldo (1991), On the solution of large quadratic programming problems with bound constraints.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import lapack

from ...array_types import Floats
from ..work import ADDED, FACTORED

if TYPE_CHECKING:
    from .dual_svm import Walk

STEPS, HALVINGS = 12, 20
"""Steps on one face, and trials of a step's length."""
FEWER = 4
"""Factors of H that a face may need, in the count of its seconds."""
RIDGE = 1e-10
"""Share added to the diagonal of H: rows that determine each other share what they have."""
LITTLE = 1e-2
"""Share of the gap asked below which a gain ends a face."""


def advance(walk: Walk, gap: float, seconds: float) -> bool:
    """Raise D over the free multipliers until a step gains a share of the gap asked; False where that takes longer than it may.

    Parameters
    ----------
    walk : Walk
        Its multipliers, w and b are changed.
    gap : F − D at which the walk ends
    seconds : float
    """
    machine = walk.machine
    free = np.flatnonzero((walk.alpha > 0.0) & (walk.alpha < walk.cap))
    m, p = len(free), len(walk.w)
    # More free rows than coefficients determine each other: descent has not put them to their bounds yet.
    if not 0 < m <= p + 1 or 0.5 * ADDED * m**2 * p + FEWER * FACTORED * m**3 > seconds:
        return False
    y = machine.signs[free]
    Z = machine.rows.X[free].astype(np.float64) * y[:, None]
    H = Z @ Z.T
    H += walk.spread * np.outer(y, y)
    H.ravel()[:: m + 1] += walk.curve[free]
    alpha = walk.alpha[free]
    g = 1.0 - Z @ walk.w - walk.b[0] * y - walk.curve[free] * alpha
    move = maximum(H, g, alpha, walk.cap[free], LITTLE * gap) - alpha
    walk.alpha[free] += move
    np.clip(walk.alpha, 0.0, walk.cap, out=walk.alpha)
    walk.w += move @ Z
    walk.b += walk.spread * float(move @ y)
    return True


def maximum(H: Floats, g: Floats, alpha: Floats, cap: Floats, enough: float) -> Floats:
    """Return α near the maximum of g'(α − α₀) − ½(α − α₀)'H(α − α₀) within 0 ≤ α ≤ cap, from α₀; a step that gains less is the last.

    Examples
    --------
    >>> H, cap = np.array([[2.0, 1.0], [1.0, 2.0]]), np.ones(2)
    >>> maximum(H, np.array([4.0, 1.0]), np.full(2, 0.5), cap, 0.0).round(6).tolist()
    [1.0, 0.75]
    """
    held = np.zeros(len(g), dtype=bool)
    for _ in range(STEPS):
        d, inside = np.zeros(len(g)), np.flatnonzero(~held)
        part = H[np.ix_(inside, inside)]
        np.einsum("aa->a", part)[:] *= 1.0 + RIDGE
        factor, info = lapack.dpotrf(part, lower=1, overwrite_a=1)
        if info != 0 or len(inside) == 0:
            break
        d[inside] = lapack.dpotrs(factor, g[inside], lower=1)[0]
        t, gain = 1.0, 0.0
        for _ in range(HALVINGS):
            move = np.clip(alpha + t * d, 0.0, cap) - alpha
            bent = H @ move
            gain = float(g @ move - 0.5 * move @ bent)
            if gain > 0.0:
                break
            t *= 0.5
        if gain <= 0.0:
            break
        alpha, g = alpha + move, g - bent
        before, held = held, ((alpha <= 0.0) & (g < 0.0)) | ((alpha >= cap) & (g > 0.0))
        if gain <= enough or (t == 1.0 and (held == before).all()):
            break
    return alpha
