"""The exact end of the machine of Crammer and Singer: once it is known which classes share a row's level, the rest is linear.

With F_i the classes of row i that have a multiplier, the conditions of optimality of `joint_interior` are

    z_ik + [k ≠ y_i] = r_i on F_i,    Σ_k u_ik = c_i,    Dθ_k = Σ_i (c_i [k = y_i] − u_ik) x̃_i

Coordinate descent finds F_i long before it has the numbers. They follow from the method of multipliers, whose one matrix is that of an
interior-point step with weights d_ik on F_i alone. Classes whose multiplier turns out negative leave F_i, those above their row's level
enter, and the certificate tells whether the end is the solution.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...array_types import Bools, Floats
from ..smooth.centred_rows import CentredRows
from .crammer_singer import JointCertificate, JointMachine
from .joint_interior import Interior

MOST = 1_500
"""Coefficients of all classes up to which the matrix is worth its price."""
STIFF, ROUNDS, REPAIRS = 1e6, 6, 6
"""Weight of the levels against the penalty, rounds of the method of multipliers, and repairs of F."""
SMALL = 1e-9
"""Multipliers as a share of c, and distances from a level, that are rounding."""


def polish(machine: JointMachine, found: JointCertificate, A: Floats) -> JointCertificate:
    """Return the better of a certificate and the one for the classes with a multiplier in A (n, K).

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> from separatrix.solvers.margins import crammer_singer
    >>> from separatrix.solvers.rows import Rows
    >>> rows = Rows.of(as_source([[0.0], [2.0], [4.0]], [0, 1, 2]))
    >>> machine = JointMachine(rows, np.arange(3, dtype=np.int32), np.full(3, 10.0), 3)
    >>> rough = crammer_singer.solve(JointMachine(rows, np.arange(3, dtype=np.int32), np.full(3, 10.0), 3, tol=0.1))
    >>> (polish(machine, rough, rough.alpha).coef.round(6) + 0.0).ravel().tolist()
    [-1.0, 0.0, 1.0]
    """
    X = machine.rows.X
    if not isinstance(X, np.ndarray) or machine.n_classes * (X.shape[1] + 1) > MOST:
        return found
    rows = CentredRows.of(machine.rows, machine.ridge == 0.0)
    inner = Interior(machine, rows)
    inner.theta = np.column_stack([found.coef, found.intercept + found.coef @ rows.centre])
    inner.u = np.maximum(inner.cost[:, None] * inner.own - A[inner.used], 0.0)
    for _ in range(REPAIRS):
        on = inner.u > SMALL * inner.cost[:, None]
        if not _solve(inner, on):
            break
        levels = inner.theta @ inner.Z.T + 1.0 - inner.own.T
        level = np.where(on.T, levels, -np.inf).max(axis=0)
        below = inner.u < 0.0
        enters = (levels > level + SMALL).T & ~on
        inner.u = np.maximum(inner.u, 0.0)
        sums = inner.u.sum(axis=1)
        # Classes that no levels can fit blow multipliers up until their sums are rounding.
        if not (sums > 0.0).all():
            break
        inner.u *= (inner.cost / sums)[:, None]
        new = inner.certificate(machine, rows, found.iterations, inner.u)
        found = replace(new, passes=found.passes + 2) if new.gap < found.gap else found
        if not (below.any() or enters.any()) or found.gap <= machine.tol * found.primal:
            break
        # A trace of a multiplier, so that the class takes part.
        inner.u = np.where(enters, 1e3 * SMALL * inner.cost[:, None], inner.u)
        inner.u *= (inner.cost / inner.u.sum(axis=1))[:, None]
    return found


def _solve(inner: Interior, on: Bools) -> bool:
    """Move θ and u to the conditions for the classes that are `on`; return whether there was a matrix to do it with."""
    chosen = np.flatnonzero(on.sum(axis=1) > 1)
    if len(chosen) == 0:
        return False
    u, Z, own, cost = inner.u, inner.Z, inner.own, inner.cost
    part = on[chosen]
    d = part * (cost[chosen] * STIFF / (np.einsum("ij,ij->i", Z, Z) * cost).max())[:, None]
    inner.Z = np.ascontiguousarray(Z[chosen])
    factor = inner._factor(d)
    for _ in range(ROUNDS):
        if factor is None:
            break
        off = inner.ridge * inner.theta - (cost[:, None] * own - u).T @ Z
        wanted = inner.Z @ inner.theta.T + 1.0 - own[chosen]
        dtheta, du, _ = inner._move(factor, d, off, wanted)
        inner.theta, u[chosen] = inner.theta + dtheta, u[chosen] + du
    inner.Z = Z
    return factor is not None and bool(np.isfinite(inner.theta).all())
