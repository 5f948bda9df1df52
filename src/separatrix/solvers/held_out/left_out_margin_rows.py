"""Squared-hinge machines without single rows: steps that look only at rows near their margins.

From θ to the fit without row i the scores move by x_j'δ, |x_j'δ| ≤ √(x_j'V x_j) ‖δ‖ with V = H⁻¹ and ‖δ‖² = δ'Hδ. The loss is quadratic
but where a row crosses its margin, so only rows with

    |1 − y_j z_j| < √(x_j'V x_j) ‖δ‖

can add anything to the gradient that the quadratic does not say: of thousands of rows, a few dozen. With r_j what they add, the fit is at

    δ = H_i⁻¹ (s_i x_i − Σ_j r_j(δ) x_j),    H_i⁻¹ = V + V x_i c_i x_i'V/(1 − c_i x_i'V x_i)

s_i and c_i slope and curvature of row i. That is iterated until nothing moves, on the rows within twice the first ‖δ‖; a fit that goes
farther is refitted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...array_types import Bools, Floats, Indices
from ...thresholds import NEWTON_VALUES
from .left_out_newton import LeftOutScores

if TYPE_CHECKING:
    from .left_out_margins import MarginRows

WIDER = 2.0
"""Times the length of the first step within which rows are looked at."""
ROUNDS = 30
"""Steps before a refit is cheaper."""
ALONE = 1e-8
"""1 − c_i x_i'V x_i below which a row carries its own estimate."""
BATCH = 1_000
"""Left-out fits that are stepped at once at most: those of like length share the rows they look at."""


def leave_margin_rows_out(rows: MarginRows) -> LeftOutScores:
    """Return the scores of every row under the machine without it, at the minimum of which the rows have to be."""
    V, z = rows.inverse, np.asarray(rows.Z @ rows.theta.T)[:, 0]
    slope, curvature = rows.slopes(z[:, None])[:, 0], rows.curvature_at(z[:, None])[:, 0]
    Q = np.concatenate([_quadratic_forms(rows, V, part) for part in _parts(np.arange(len(z)), len(V))])
    grown = 1.0 / np.maximum(1.0 - curvature * Q, ALONE)
    length = np.abs(grown * slope) * np.sqrt(Q)
    y = np.where(rows.codes == 1, 1.0, -1.0)
    with np.errstate(divide="ignore"):
        reach = np.abs(1.0 - y * z) / np.sqrt(Q)
    scores, refit = z[:, None].copy(), 1.0 - curvature * Q < ALONE
    # A row without slope, outside its margin, pulls on nothing: leaving it out changes nothing.
    active = np.flatnonzero((slope != 0.0) & ~refit)
    active = active[np.argsort(length[active], kind="stable")]
    while len(active):
        part = active[:BATCH]
        near = np.flatnonzero(reach < WIDER * length[part[-1]])
        part = part[: NEWTON_VALUES.portion(len(near) + len(V))]
        active = active[len(part) :]
        found = _stepped(rows, V, part, near, z, grown[part], WIDER * length[part[-1]])
        scores[part, 0], refit[part] = found
    return LeftOutScores(scores, refit, True)


def _parts(rows: Indices, width: int) -> list[Indices]:
    size = NEWTON_VALUES.portion(width)
    return [rows[begin : begin + size] for begin in range(0, len(rows), size)]


def _quadratic_forms(rows: MarginRows, V: Floats, part: Indices) -> Floats:
    X = rows.dense(part)
    forms: Floats = np.maximum(np.einsum("ij,ij->i", X @ V, X), 0.0)
    return forms


def _stepped(rows: MarginRows, V: Floats, part: Indices, near: Indices, z: Floats, grown: Floats, radius: float) -> tuple[Floats, Bools]:
    """Return the scores of some rows under the fits without them, and which of these did not settle within the radius."""
    X, Z = rows.dense(part), rows.Z[near]
    W, slope = X @ V, rows.slopes(z[part, None], part)[:, 0]
    curvature = rows.curvature_at(z[part, None], part)[:, 0]
    before, bent = rows.slopes(z[near, None], near), rows.curvature_at(z[near, None], near)
    own = near[:, None] == part  # the row left out adds nothing
    step = (grown * slope)[:, None] * W
    settled = np.zeros(len(part), dtype=bool)
    pulls = np.zeros_like(X)
    for _ in range(ROUNDS):
        moved = np.asarray(Z @ step.T)
        added = rows.slopes(z[near, None] + moved, near) - before - bent * moved
        added[own] = 0.0
        new_pulls = np.where(rows.free, np.asarray(Z.T @ added).T, 0.0)
        answer = new_pulls @ V
        answer += (curvature * grown * np.einsum("ij,ij->i", answer, X))[:, None] * W
        new = (grown * slope)[:, None] * W - answer
        change = np.abs(np.einsum("ij,ij->i", new - step, X))
        fall = np.einsum("ij,ij->i", step - new, new_pulls - pulls)
        score = z[part] + np.einsum("ij,ij->i", new, X)
        settled = (change <= rows.still * (1.0 + np.abs(score))) & (np.abs(fall) < rows.still)
        step, pulls = new, new_pulls
        if settled.all() or not np.isfinite(change).all():
            break
    inside = np.einsum("ij,ij->i", step @ rows.hessian, step) <= radius**2
    return score, ~(settled & inside)
