"""The hinge by an augmented Lagrangian: a few smooth problems, each solved by semismooth Newton, and multipliers that certify the end.

The constraints ξ_i ≥ 1 − y_i(w'x_i + b) get multipliers α_i. Given α₀ and σ = κ u (u_i = c_i; 1/mean‖x‖² for hard margins), minimise

    ½‖w‖² + ½ρb² + Σ_i M_i(y_i(w'x_i + b)),   M_i(m) = max_{0 ≤ a ≤ c_i} a(1 − m) − (a − α₀_i)²/2σ_i

then α₀ ← clip(α₀ + σ(1 − m), 0, c), κ ← 8κ. Curved rows become those few exactly on a margin. The inner problems must be solved until
the gradient is a small part of the gap: loose ones give the right objective and a useless certificate.

References
----------
Niu et al. (2024), A fast algorithm for the support vector machine: semismooth Newton augmented Lagrangian.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ...array_types import Floats
from ..smooth.centred_rows import CentredRows
from .machine import Certificate, Ended, Machine, certify
from .margin_polish import polish
from .pieces import Pieces
from .semismooth import ROUNDING, Descent, first_point

OUTER = 16
GROWTH, GROWING, HARD_GROWING = 8.0, 4, 8
"""Factor of κ, and the step after which it stays, of a hinge and of a hard margin: α loses a digit for each that κ gains."""
SHARE_OFF, LEAST = 0.1, 1e-18
"""What the gradient may leave of the gap, as a share of it, for a smooth problem to be solved, and a decrement that is rounding."""
NEARLY = 1e-3
"""Gap below which the rows on the margin may be known already."""
PATIENCE = 12
"""Outer steps after which a hard margin that still has rows on the wrong side is given up."""
STIFF = 1e4
"""Cost times squared length of a row from which on the first κ is smaller: multipliers are then far below their bounds."""
LOOSE, TIGHTER = 1e-4, 0.02
"""Estimated gap of a hard margin's first inner problem, as a share of the objective, and the factor of each next one."""


def solve(machine: Machine, start: Certificate | None = None, method: type[Descent] = Descent) -> Ended:
    """Minimise the hinge, or find the largest hard margin; from a certificate on the rows as they are where one is given.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> from separatrix.solvers.rows import Rows
    >>> rows = Rows.of(as_source([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]))
    >>> found = solve(Machine(rows, np.array([-1.0, -1.0, 1.0, 1.0]), np.full(4, np.inf), squared=False)).certificate
    >>> found.theta.round(6).tolist(), found.alpha.round(6).tolist()
    ([1.0, 0.0], [0.0, 0.5, 0.5, 0.0])
    """
    rows = CentredRows.of(machine.rows, machine.ridge == 0.0)
    unit = units(machine, rows)
    descent = method(machine, rows, first_point(machine, rows, start))
    extra = gentle_steps(machine)
    alpha, kappa, best = np.zeros(len(unit)) if start is None else start.alpha, GROWTH**-extra, None
    grown, growing = 0.0, HARD_GROWING if machine.is_hard else GROWING + extra
    for outer in range(OUTER + extra):
        pieces = Pieces(alpha, kappa * unit, machine.cap)
        if machine.is_hard:
            descent.minimise(pieces, max(LOOSE * TIGHTER**outer, ROUNDING), grown)
        else:
            descent.minimise(pieces, LEAST, grown, partial(_is_near, machine, descent, pieces))
        alpha = pieces.multipliers(descent.margins)
        gap = _estimated_gap(machine, descent, alpha)
        done = outer == OUTER + extra - 1 or descent.iterations >= machine.max_iter or (outer >= PATIENCE and np.isinf(gap))
        if done or gap <= machine.tol:
            best = _better(best, certify(machine, rows, descent.theta, descent.margins, alpha))
            descent.passes += 1
        if (best is None or best.gap > machine.tol * best.primal) and gap <= NEARLY:
            best = _better(best, _polished(machine, rows, descent, pieces))
        if done or (best is not None and best.gap <= machine.tol * best.primal):
            break
        grown = GROWTH if outer + 1 < growing else 1.0
        kappa *= grown
    assert best is not None
    return Ended.of(rows, best, descent.iterations, descent.passes)


def _polished(machine: Machine, rows: CentredRows, descent: Descent, pieces: Pieces) -> Certificate | None:
    """Return the certificate of the exact conditions on the pieces reached, if there is one."""
    found = polish(machine, rows, pieces.status(descent.margins))
    if found is None:
        return None
    theta, alpha = found
    descent.passes += 3
    return certify(machine, rows, theta, machine.signs * rows.scores(theta), alpha)


def units(machine: Machine, rows: CentredRows) -> Floats:
    """Return u_i, the multipliers' natural size: c_i, and for hard margins one over the mean square of the rows."""
    if not machine.is_hard:
        return machine.cost
    used = (machine.cost > 0.0).astype(np.float64)
    trace = float(np.trace(rows.gram(used))) / used.sum()
    scaled: Floats = used / max(trace, np.finfo(float).tiny)
    return scaled


def gentle_steps(machine: Machine) -> int:
    """Return by how many powers of GROWTH κ begins below 1: none for ordinary costs."""
    if machine.is_hard or machine.rows.X is None:
        return 0
    X = machine.rows.X
    size = float(np.vdot(X.data, X.data)) / X.shape[0] if machine.rows.is_sparse else float(np.sum(np.var(X, axis=0)))
    stiffness = float(machine.cost.mean()) * size
    return int(np.ceil(np.log(stiffness) / np.log(GROWTH))) if stiffness > STIFF else 0


def _is_near(machine: Machine, descent: Descent, pieces: Pieces) -> bool:
    """Whether the gradient leaves a small part of the gap: D(α) has θ − g in the place of θ."""
    g, v = descent.gradient(), descent.theta
    left = abs(float(g[:-1] @ v[:-1])) + 0.5 * float(g[:-1] @ g[:-1])
    if 0.0 < machine.ridge < np.inf:
        left += abs(float(g[-1] * v[-1])) + 0.5 * float(g[-1] ** 2) / machine.ridge
    else:  # multipliers that are out of balance are made to balance
        left += abs(float(g[-1]))
    primal = 0.5 * float(v[:-1] @ v[:-1]) + machine.loss(descent.margins)
    gap = _estimated_gap(machine, descent, pieces.multipliers(descent.margins))
    return left <= SHARE_OFF * max(gap, machine.tol) * primal


def _estimated_gap(machine: Machine, descent: Descent, alpha: Floats) -> float:
    """Return (F − D)/F without a pass: Σ α_i y_i x_i is w minus the gradient."""
    v = descent.theta - descent.gradient()
    margins = descent.margins
    least = margins[machine.cost > 0.0].min() if machine.is_hard else 1.0
    if least <= 0.0:
        return np.inf
    w = descent.theta[:-1] / least
    primal = 0.5 * float(w @ w) + machine.loss(margins)
    dual = float(alpha.sum()) - 0.5 * float(v[:-1] @ v[:-1])
    if 0.0 < machine.ridge < np.inf:
        half = 0.5 * machine.ridge * float(descent.theta[-1] ** 2)
        primal, dual = primal + half, dual - half
    return (primal - dual) / primal if primal > 0.0 else 0.0


def _better(a: Certificate | None, b: Certificate | None) -> Certificate | None:
    if a is None or b is None:
        return b if a is None else a
    return b if b.gap <= a.gap else a
