"""Logistic fits of two classes without single rows, each by one step with the third derivative, and how far it can be off.

F_i = F − s_i ℓ_i is minimised by a Newton step δ from θ, which leaves a gradient of the order of δ²; its largest part is ½T_i[δ, δ],
T_i = Σ_{j≠i} s_j ℓ'''(z_j) x_j ⊗ x_j ⊗ x_j. Of the step against it only the score of row i is asked for,

    η = −½ x_i'H_i⁻¹ T_i[δ, δ],    H_i⁻¹ x_i = V x_i/(1 − h_i),  V = H⁻¹,  h_i = s_i ℓ''_i x_i'V x_i

so that one tensor (q, q(q+1)/2) of all rows serves every one of them. The logistic loss has |ℓ'''|, |ℓ''''| ≤ ℓ''. So with ‖·‖ the norm
of H_i, ‖x_j'H_i⁻¹x_j‖ ≤ ρ² and D = ρ‖δ‖ the gradient left after both steps is at most

    ‖δ‖ (½D² + ⅛D³ + e^d/6 · d²(1 + ½D)),    d = D + ½D²

in the norm of H_i⁻¹ (Cauchy–Schwarz, term by term), and the score is off by at most twice that times √(x_i'H_i⁻¹x_i).

References
----------
Bach (2010), Self-concordant analysis for logistic regression, Electronic Journal of Statistics 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...array_types import Bools, Floats
from .left_out_newton import LeftOutRows

WIDEST = 150
"""Columns up to which the tensor has room: 14 MB."""
TILE = 512
"""Rows whose products are held at a time."""
NEAR = 0.5
"""D up to which the minimum is as near as the bound says."""


def suits_third_order(rows: LeftOutRows) -> bool:
    """Return whether the tensor costs less than the gradient of every left-out fit."""
    n, q = rows.Z.shape
    return len(rows.theta) == 1 and not rows.kappa.any() and q <= WIDEST and q * q <= 4 * n


def third_order_scores(rows: LeftOutRows) -> tuple[Floats, Bools]:
    """Return the scores (n,) of every row under the logistic fit without it, and which of them are certain to `rows.still`."""
    z, V = np.asarray(rows.Z @ rows.theta.T)[:, 0], rows.inverse
    slope = rows.slopes(z[:, None])[:, 0]
    P = 1.0 / (1.0 + np.exp(-np.abs(z)))
    curvature = rows.s * P * (1.0 - P)
    third = curvature * (1.0 - 2.0 * P) * np.where(z < 0.0, -1.0, 1.0)
    g = np.asarray(rows.Z.T @ slope) + (rows.ridge * rows.theta)[0]
    v = np.where(rows.free[0], g, 0.0) @ V  # what is left of the gradient of all rows
    tiles = [slice(begin, begin + TILE) for begin in range(0, len(z), TILE)]
    T, Q = _tensor(rows, third, tiles), np.empty(len(z))
    for tile in tiles:
        X = _dense(rows, tile)
        Q[tile] = np.einsum("ij,ij->i", X @ V, X)
    left = 1.0 - curvature * Q
    grown = 1.0 / np.maximum(left, 1e-8)
    e = np.asarray(rows.Z @ v)
    pull = grown * (slope - curvature * e)  # δ = pull V x_i − v
    moved = pull * Q - e
    length = np.sqrt(np.maximum(slope * moved - pull * e + float(g @ v), 0.0))
    cubic = np.concatenate([_cubic(_dense(rows, tile) @ V, pull[tile], v, T) for tile in tiles])
    score = z + moved - 0.5 * grown * (cubic - third * moved**2 * Q)
    D = np.sqrt(Q.max(initial=0.0) * grown) * length
    d = D + 0.5 * D**2
    with np.errstate(over="ignore"):
        off = 2.0 * np.sqrt(Q * grown) * length * (0.5 * D**2 + 0.125 * D**3 + np.exp(d) / 6.0 * d**2 * (1.0 + 0.5 * D))
    return score, (left > 1e-8) & (D <= NEAR) & (off <= rows.still * (1.0 + np.abs(score)))


def _dense(rows: LeftOutRows, tile: slice) -> Floats:
    part: Any = rows.Z[tile]
    return np.asarray(part.toarray() if hasattr(part, "toarray") else part)


def _products(X: Floats) -> Floats:
    """Return x_ia x_ib (q(q+1)/2, B) of a ≤ b."""
    q, columns = X.shape[1], np.ascontiguousarray(X.T)
    found, begin = np.empty((q * (q + 1) // 2, len(X))), 0
    for a in range(q):
        np.multiply(columns[a], columns[a:], out=found[begin : begin + q - a])
        begin += q - a
    return found


def _tensor(rows: LeftOutRows, third: Floats, tiles: list[slice]) -> Floats:
    """Return T (q(q+1)/2, q); pairs of different columns, which the square of a sum has twice, are doubled."""
    q = rows.Z.shape[1]
    T = np.zeros((q * (q + 1) // 2, q))
    for tile in tiles:
        X = _dense(rows, tile)
        T += _products(X) @ (third[tile, None] * X)
    a, b = np.triu_indices(q)
    T[a != b] *= 2.0
    return T


def _cubic(W: Floats, pull: Floats, v: Floats, T: Floats) -> Floats:
    """Return T[w_i, δ_i, δ_i] with δ_i = pull_i w_i − v."""
    found: Floats = np.einsum("ji,ij->i", T.T @ _products(pull[:, None] * W - v), W)
    return found
