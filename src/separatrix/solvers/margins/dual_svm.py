"""Support vector machines by dual coordinate descent with shrinking: sparse rows with many columns.

One multiplier at a time, over the rows in random order, w = Σ α_i y_i x_i kept up to date:

    α_i ← clip(α_i − (y_i(w'x_i + b) − 1 + α_i/2c_i)/(‖x_i‖² + s² + 1/2c_i), 0, cap_i)      (1/2c_i: squared hinge only)

A single multiplier cannot move under Σ α_i y_i = 0, so a free intercept is b = b_c + s² Σ α_i y_i with b_c ← b every second epoch:
a proximal point method, at the end of which the sum is 0. A penalised intercept is s² = 1/ρ and b_c = 0. Rows at a bound whose
gradient points outward are left out until the others are done.

References
----------
Hsieh et al. (2008), A dual coordinate descent method for large-scale linear SVM, ICML.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...array_types import Floats, Ints, Parts
from ..row_parts import squared_norms, unsigned_parts
from ..smooth.centred_rows import CentredRows
from .machine import Certificate, Ended, Machine, best_intercept, certify

FIRST = 0.1
"""Range of projected gradients at which the gap is looked at first."""
EVERY = 2
"""Epochs between moves of a free intercept's centre."""


@dataclass(slots=True, eq=False)
class Walk:
    """What the next epoch needs: multipliers, w, b, and the rows still active."""

    alpha: Floats
    w: Floats
    b: Floats
    order: Ints
    active: int
    limits: Floats
    reached: Floats
    random: Ints

    def unshrink(self) -> None:
        """Let all rows take part again."""
        self.active = len(self.order)
        self.limits[:] = np.inf, -np.inf


def solve(machine: Machine, most: int | None = None) -> Ended:
    """Minimise the hinge or the squared hinge; `most` epochs at the most, where another method stands ready for what is left.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> from separatrix.solvers.rows import Rows
    >>> rows = Rows.of(as_source([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]))
    >>> found = solve(Machine(rows, np.array([-1.0, 1.0, -1.0, 1.0]), np.ones(4), squared=True, tol=1e-9)).certificate
    >>> found.theta.round(4).tolist()
    [0.3636, -0.5455]
    """
    parts, norms = unsigned_parts(machine.rows), squared_norms(machine.rows)
    rows = CentredRows.of(machine.rows, centred=False)
    n = len(machine.signs)
    with np.errstate(divide="ignore"):
        curve = np.where(machine.cost > 0.0, 0.5 / machine.cost, 0.0) if machine.squared else np.zeros(n)
    spread = _spread(machine, norms)
    square = np.maximum(norms + spread + curve, np.finfo(float).tiny)
    live = np.flatnonzero(machine.cost > 0.0)
    limits, reached = np.array([np.inf, -np.inf]), np.zeros(2)
    walk = Walk(np.zeros(n), np.zeros(rows.width - 1), np.zeros(1), live, len(live), limits, reached, _state(machine.seed))
    wanted, found, looks, epochs, visited = FIRST, None, 0, 0, 0
    limit = len(live) * (machine.max_iter if most is None else min(machine.max_iter, most))
    while True:
        epochs, visited = epochs + 1, visited + walk.active
        _epoch(parts, machine, walk, curve, square, spread, epochs)
        span = walk.reached[0] - walk.reached[1]
        is_last = visited >= limit
        if span > wanted and not is_last:
            # Rows without a span left to move may all be left out: let them come back before the next look.
            if walk.active == 0:
                walk.unshrink()
            continue
        found = _look(machine, rows, walk)
        looks += 2
        if is_last or found.gap <= machine.tol * found.primal:
            break
        wanted = span * float(np.clip(np.sqrt(machine.tol * found.primal / found.gap), 0.05, 0.5))
        walk.unshrink()
    # Epochs over the few rows left are counted by what they read.
    passes = -(-visited // len(live))
    return Ended.of(rows, found, passes, passes + looks)


def _spread(machine: Machine, norms: Floats) -> float:
    """Return s²."""
    if not machine.has_intercept:
        return 0.0
    return float(norms.mean()) if machine.ridge == 0.0 else 1.0 / machine.ridge


def _state(seed: int) -> Ints:
    """Return a state of the shuffling generator, never 0."""
    return np.random.default_rng(seed).integers(1, 2**62, 1)


def _epoch(parts: Parts, machine: Machine, walk: Walk, curve: Floats, square: Floats, spread: float, epochs: int) -> None:
    from ...kernels import dual_svm as kernels

    y = machine.signs
    kernels.shuffle(walk.order, walk.active, walk.random)
    walk.active = kernels.epoch(
        *parts, y, machine.cap, curve, square, walk.order, walk.active, spread, walk.limits, walk.alpha, walk.w, walk.b, walk.reached
    )
    top, bottom = walk.reached
    walk.limits[:] = top if top > 0.0 else np.inf, bottom if bottom < 0.0 else -np.inf
    if machine.ridge == 0.0 and epochs % EVERY == 0:
        walk.b += spread * float(walk.alpha @ y)


def _look(machine: Machine, rows: CentredRows, walk: Walk) -> Certificate:
    """Return the certificate of the point reached, with the best intercept for its w."""
    theta = np.append(walk.w, walk.b)
    scores = rows.scores(theta)
    if machine.ridge == 0.0:
        shift = best_intercept(machine, scores)
        theta[-1] += shift
        scores = scores + shift
    return certify(machine, rows, theta, machine.signs * scores, walk.alpha)
