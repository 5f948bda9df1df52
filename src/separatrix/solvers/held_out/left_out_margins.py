"""Squared-hinge machines without single rows or folds, certified.

F(θ) = ½‖w‖² + ½ρb² + Σ c_i max(0, 1 − y_i z_i)² is quadratic as long as the set S of rows inside their margins stays. A row outside S
pulls on nothing, so leaving it out changes nothing, exactly. For a row inside, one step with the Hessian without it is exact where S
stays as it is; the true gradient of the left-out fit says whether it did, and further steps follow S where it did not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...array_types import Floats, Folds, Indices
from ..span import Span
from .left_out_margin_rows import leave_margin_rows_out
from .left_out_newton import LeftOutRows, LeftOutScores, leave_folds_out

EXACT = 1e-9
"""Change of a held-out score below which nothing moves but rounding."""
STEPS = 40
"""Steps after which a fit that does not settle is refitted."""


@dataclass(frozen=True, slots=True, eq=False)
class MarginRows(LeftOutRows):
    """Rows of one machine: `codes` are 1 for its class, `s` the costs c_i."""

    def slopes(self, S: Floats, rows: Any = slice(None)) -> Floats:
        """Return −2 c y max(0, 1 − yz)."""
        shape = (-1, *[1] * (S.ndim - 1))
        y, c = np.where(self.codes[rows] == 1, 1.0, -1.0).reshape(shape), self.s[rows].reshape(shape)
        slopes: Floats = -2.0 * c * y * np.maximum(0.0, 1.0 - y * S)
        return slopes

    def curvatures(self, rows: Indices) -> Floats:
        """Return 2c inside the margin, else 0."""
        return self.curvature_at(np.asarray(self.Z[rows] @ self.theta.T), rows)[:, :, None]

    def curvature_at(self, S: Floats, rows: Any = slice(None)) -> Floats:
        """Return 2c (n, 1) of rows inside the margin at scores S (n, 1), else 0."""
        y = np.where(self.codes[rows] == 1, 1.0, -1.0)[:, None]
        return np.where(y * S < 1.0, 2.0 * self.s[rows][:, None], 0.0)

    def dense(self, rows: Indices) -> Floats:
        """Return some rows (B, q) as an array."""
        Z = self.Z[rows]
        return np.asarray(Z.toarray() if hasattr(Z, "toarray") else Z)

    def curved(self, rows: Indices, theta: Floats) -> Floats:
        """Return the Hessian (q, q) of the loss of some rows."""
        Z = self.Z[rows]
        h = self.curvature_at(np.asarray(Z @ theta.T), rows)[:, 0]
        inside = np.flatnonzero(h)
        Z = self.dense(rows[inside])
        added: Floats = (Z * h[inside, None]).T @ Z
        return added


def in_span(X: Any, centre: Floats, coef: Floats) -> tuple[Any, Floats, Floats]:
    """Return rows, their centre and coefficients (R, p): in coordinates of the rows' span where these are fewer than columns, since every
    Hessian is then that much smaller.
    """
    if X.shape[0] >= X.shape[1]:
        return X, centre, coef
    span = Span.of(X if sp.issparse(X) else X - centre)
    if not np.isfinite(span.coordinates).all():
        return X, centre, coef
    return span.coordinates, np.zeros(span.coordinates.shape[1]), span.shorten(coef)


def certified_scores(rows: MarginRows, folds: Folds, alone: bool) -> LeftOutScores:
    """Return the scores (n, 1) of rows under one machine fitted without them, and which need a refit.

    Parameters
    ----------
    rows : MarginRows
        Its θ may be off by the tolerance of a solver; its Hessian is computed here.
    folds : (n,) fold numbers, −1 for never
    alone : bool
        Whether every fold is one row.

    References
    ----------
    Chapelle (2007), Training a support vector machine in the primal, Neural Computation 19.
    """
    everything = np.arange(len(rows.codes))
    theta, settled = newton(rows, everything, rows.theta)
    rows = replace(rows, theta=theta, hessian=rows.curved(everything, theta) + np.diag(rows.ridge.ravel()), still=EXACT, near=EXACT)
    if not settled:
        return LeftOutScores(np.asarray(rows.Z @ theta.T), np.ones(len(everything), dtype=bool), True)
    found = leave_margin_rows_out(rows) if alone else leave_folds_out(rows, folds, rows.curved)
    for fold in np.unique(folds[found.refit]):  # the margin set changed more than whole steps can follow
        held = folds == fold
        theta, settled = newton(rows, np.flatnonzero(~held), rows.theta)
        found.scores[held], found.refit[held] = np.asarray(rows.Z[np.flatnonzero(held)] @ theta.T), not settled
    return found


def newton(rows: MarginRows, kept: Indices, theta: Floats) -> tuple[Floats, bool]:
    """Minimise F over some rows by Newton steps, each halved until F falls; return θ and whether it settled."""
    on, ridge, Z = np.flatnonzero(rows.free), np.diag(rows.ridge.ravel()), rows.Z[kept]
    y, c = np.where(rows.codes[kept] == 1, 1.0, -1.0), rows.s[kept]

    def value(at: Floats) -> float:
        return float(c @ np.maximum(0.0, 1.0 - y * np.asarray(Z @ at.T)[:, 0]) ** 2 + 0.5 * np.sum(rows.ridge * at**2))

    f = value(theta)
    for _ in range(STEPS):
        S = np.asarray(Z @ theta.T)
        g = np.asarray(Z.T @ rows.slopes(S, kept)).T + rows.ridge * theta
        H = (rows.curved(kept, theta) + ridge)[np.ix_(on, on)]
        H.flat[:: len(H) + 1] += 1e-12 * max(float(np.trace(H)) / len(H), 1e-300)
        step = np.zeros_like(theta)
        try:
            step.flat[on] = np.linalg.solve(H, g.ravel()[on])
        except np.linalg.LinAlgError:
            break
        if float(np.abs(np.asarray(Z @ step.T)).max(initial=0.0)) <= EXACT:
            return theta - step, True
        t = 1.0
        while value(theta - t * step) > f and t > 1e-6:
            t *= 0.5
        theta = theta - t * step
        f = value(theta)
    return theta, False
