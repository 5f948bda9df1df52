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

from ...array_types import Floats, Indices
from ..work import ADDED

if TYPE_CHECKING:
    from .dual_svm import Walk

STEPS, HALVINGS = 12, 20
"""Steps on one face, each with a factor of H, and trials of a step's length."""
FEWER = 6
"""Factors of H that a face needs, in the count of its seconds."""
CALLS, MEETING, FACTORED = 5e-5, 1e-9, 3e-11
"""Seconds of a face however small, of a value of a sparse row in a product with another, and of a factor for each cube of its rows."""
READS, READ_DENSE, READ_SPARSE, AROUND = 2.0, 1.5e-10, 6e-10, 4.0
"""Reads of a row in a product, seconds of a value read, dense and sparse, and values that what is done around a row is worth."""
LEAST, MOST, LINE, RARER = 20, 100, 2, 0.5
"""Products that a step is worth its while with, those it takes at the most, what a look along it is worth, and the share of the seconds
given that products may take: they leave more to descent than a matrix does.
"""
RIDGE = 1e-10
"""Share added to the diagonal of H: rows that determine each other share what they have."""
LITTLE = 1e-2
"""Share of the gap asked below which a gain ends a face."""


def advance(walk: Walk, gap: float, seconds: float) -> float:
    """Raise D over the free multipliers in no more than so many seconds; return those it took, 0 where there is nothing to do.

    By a matrix until a step gains a small share of F − D = `gap`, at which the walk ends; or by products where a matrix is too dear. More
    free rows of a hinge than coefficients determine each other: descent has not put them to their bounds yet.
    """
    machine = walk.machine
    free = np.flatnonzero((walk.alpha > 0.0) & (walk.alpha < walk.cap))
    m, p = float(len(free)), len(walk.w)
    if m == 0.0 or (m > p + 1 and not machine.squared):
        return 0.0
    each = machine.rows.values / len(walk.alpha)
    took = CALLS + 0.5 * (MEETING * each if machine.rows.is_sparse else ADDED * p) * m**2 + FEWER * FACTORED * m**3
    if took <= seconds:
        _by_matrix(walk, free, gap)
        return took
    product = READS * (READ_SPARSE if machine.rows.is_sparse else READ_DENSE) * (each + AROUND) * m
    most = int(min(RARER * seconds / product, MOST)) - LINE
    return CALLS + product * (_by_products(walk, free, most) + LINE) if most >= LEAST else 0.0


def _by_products(walk: Walk, free: Indices, most: int) -> int:
    """Take a step of conjugate gradients, at most so many products; return how many there were."""
    from ...kernels.face_products import climb

    alpha, work = walk.alpha[free], np.empty((6, len(free)))
    count = climb(*walk.parts, free, walk.traits, walk.spread, walk.w, walk.b, most, alpha, work, np.empty_like(walk.w))
    if count > 0:
        walk.put(free, alpha)
    return int(count)


def _by_matrix(walk: Walk, free: Indices, gap: float) -> None:
    """Take Newton's steps."""
    y, alpha = walk.machine.signs[free], walk.alpha[free]
    H, scores = _products(walk, free)
    H += walk.spread
    H *= np.outer(y, y)
    H.ravel()[:: len(free) + 1] += walk.curve[free]
    g = 1.0 - y * (scores + walk.b[0]) - walk.curve[free] * alpha
    walk.put(free, maximum(H, g, alpha, walk.cap[free], LITTLE * gap))


def _products(walk: Walk, free: Indices) -> tuple[Floats, Floats]:
    """Return XX' and Xw of the rows given."""
    if not walk.machine.rows.is_sparse:
        X = walk.machine.rows.X[free].astype(np.float64, copy=False)
        return X @ X.T, X @ walk.w
    from ...kernels.row_products import row_products

    H, scores = np.empty((len(free), len(free))), np.empty(len(free))
    row_products(*walk.parts, free, walk.w, np.zeros_like(walk.w), scores, H)
    return H, scores


def maximum(H: Floats, g: Floats, alpha: Floats, cap: Floats, enough: float) -> Floats:
    """Return α near the maximum of g'(α − α₀) − ½(α − α₀)'H(α − α₀) within 0 ≤ α ≤ cap, from α₀; a step that gains less is the last.

    Examples
    --------
    >>> H, cap = np.array([[2.0, 1.0], [1.0, 2.0]]), np.ones(2)
    >>> maximum(H, np.array([4.0, 1.0]), np.full(2, 0.5), cap, 0.0).round(6).tolist()
    [1.0, 0.75]
    """
    from ...kernels.bounded_quadratic import maximum as steps

    found = alpha.copy()
    steps(H, g.copy(), found, cap, enough, RIDGE, STEPS, HALVINGS, np.empty_like(H), np.empty(len(g), dtype=np.int64))
    return found
