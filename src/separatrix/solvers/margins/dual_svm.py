"""Support vector machines by dual coordinate descent with shrinking: sparse rows with many columns.

One multiplier at a time, over the rows in random order, w = Σ α_i y_i x_i kept up to date:

    α_i ← clip(α_i − (y_i(w'x_i + b) − 1 + α_i/2c_i)/(‖x_i‖² + s² + 1/2c_i), 0, cap_i)      (1/2c_i: squared hinge only)

A single multiplier cannot move under Σ α_i y_i = 0, so a free intercept is b = b_c + s² Σ α_i y_i with b_c ← b every second epoch:
a proximal point method, at the end of which the sum is 0. A penalised intercept is s² = 1/ρ and b_c = 0. Rows at a bound whose
gradient points outward are left out until the others are done. Multipliers of dense rows within their bounds take Newton's steps now and
then (`dual_face.py`).

References
----------
Hsieh et al. (2008), A dual coordinate descent method for large-scale linear SVM, ICML.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Floats, Ints
from ..row_parts import squared_norms, unsigned_parts
from ..smooth.centred_rows import CentredRows
from . import dual_face
from .machine import Certificate, Ended, Machine, best_intercept, certify, feasible
from .step_work import DENSE_VALUE

FIRST = 0.1
"""Range of projected gradients at which the gap is looked at first."""
EVERY = 2
"""Epochs between moves of a free intercept's centre."""
LEAST, MOST = 0.05, 0.5
"""Bounds of the factor by which that range is lowered after a look."""
ON_FACES, FACES = 20, 12
"""Epochs over dense rows before a face is solved, and faces at most."""
SOON = 5e7
"""Values that a compiled call reads before it may be interrupted: a quarter of a second."""


class Walk:
    """What the next epoch needs: multipliers, w and b, the traits of the rows (y_i, cap_i, curve_i, square_i), and those still active.

    Parameters
    ----------
    machine : Machine
    """

    def __init__(self, machine: Machine) -> None:
        self.machine, self.parts = machine, unsigned_parts(machine.rows)
        norms, n = _squared_lengths(machine), len(machine.signs)
        self.spread, self.cap = _spread(machine, norms), machine.cap
        self.traits = traits = np.empty((n, 4))
        traits[:, 0], traits[:, 1] = machine.signs, self.cap
        with np.errstate(divide="ignore"):
            traits[:, 2] = np.where(machine.cost > 0.0, 0.5 / machine.cost, 0.0) if machine.squared else 0.0
        np.maximum(norms + self.spread + self.curve, np.finfo(float).tiny, out=traits[:, 3])
        self.alpha, self.w, self.b = np.zeros(n), np.zeros(machine.rows.n_features), np.zeros(1)
        self.order = np.flatnonzero(machine.cost > 0.0)
        self.random, self.tally, self.reached = _state(machine.seed), np.zeros(3, dtype=np.int64), np.zeros(2)
        self.unshrink()

    @property
    def curve(self) -> Floats:
        """1/2c_i of the squared hinge, 0 of the hinge."""
        return self.traits[:, 2]

    def unshrink(self) -> None:
        """Let all rows take part again."""
        self.active = len(self.order)
        self.limits = np.array([np.inf, -np.inf])

    def descend(self, wanted: float, most: int) -> float:
        """Walk until the range of projected gradients is as wanted, or so many rows were visited; return it."""
        from ...kernels.dual_svm import descend

        every = EVERY if self.machine.ridge == 0.0 else 0
        self.active = descend(
            *(*self.parts, self.traits, self.order, self.active, self.spread, self.limits),
            *(self.alpha, self.w, self.b, self.reached, self.random, wanted, most, every, self.tally),
        )
        return float(self.reached[0] - self.reached[1])

    def arrive(self, wanted: Floats, most: int) -> tuple[float, float]:
        """Walk until the gap is as asked, or so many rows were visited; return F and D. Not for a free intercept."""
        from ...kernels.dual_svm import arrive

        machine, out, ridge = self.machine, np.empty(2), self.machine.ridge if self.machine.has_intercept else 0.0
        arrive(
            *(*self.parts, self.traits, machine.cost, self.order, self.spread, ridge),
            *(self.alpha, self.w, self.b, self.random, wanted, machine.tol, most, self.tally, out),
        )
        return float(out[0]), float(out[1])


def solve(machine: Machine, most: int | None = None) -> Ended:
    """Minimise the hinge or the squared hinge; `most` epochs at the most, where another method stands ready for what is left.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> from separatrix.solvers.rows import Rows
    >>> rows = Rows.of(as_source([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]))
    >>> found = solve(Machine(rows, np.array([-1.0, 1.0, -1.0, 1.0]), np.ones(4), squared=True, tol=1e-12)).certificate
    >>> found.theta.round(4).tolist()
    [0.3636, -0.5455]
    """
    walk, rows = Walk(machine), CentredRows.of(machine.rows, centred=False)
    limit = len(walk.order) * (machine.max_iter if most is None else min(machine.max_iter, most))
    found = _with_centre(walk, rows, limit) if machine.ridge == 0.0 or machine.is_hard else _at_once(walk, rows, limit)
    # Epochs over the few rows left are counted by what they read.
    passes = int(-(-walk.tally[1] // len(walk.order)))
    return Ended.of(rows, found, passes, passes + int(walk.tally[2]))


def _at_once(walk: Walk, rows: CentredRows, limit: int) -> Certificate:
    """Return the end of a machine whose intercept is penalised or absent: all of it is compiled, in calls that end soon enough to be
    interrupted.
    """
    machine, wanted, faces = walk.machine, np.full(1, FIRST), Faces(walk, limit)
    most = max(1, int(SOON * len(machine.signs) / max(machine.rows.values, 1)))
    while True:
        primal, dual = walk.arrive(wanted, min(faces.next, int(walk.tally[1]) + most))
        if walk.tally[1] >= limit or not primal - dual > machine.tol * primal:
            break
        faces.advance(machine.tol * primal)
    theta = np.append(walk.w, walk.b)
    # Multipliers of rounding size are left out; where there are none, F and D are those of w summed anew.
    if np.isfinite(primal) and np.array_equal(feasible(machine, theta, walk.alpha), walk.alpha):
        return Certificate(theta, walk.alpha, primal, dual, 0.0)
    return _look(machine, rows, walk)


def _with_centre(walk: Walk, rows: CentredRows, limit: int) -> Certificate:
    """Return the end of a machine whose free intercept moves with its centre, or of a hard margin."""
    machine, wanted, faces = walk.machine, FIRST, Faces(walk, limit)
    while True:
        span = walk.descend(wanted, faces.next)
        found = _look(machine, rows, walk)
        walk.tally[2] += 2
        if walk.tally[1] >= limit or found.gap <= machine.tol * found.primal:
            return found
        if not faces.advance(machine.tol * found.primal):
            wanted = span * float(np.clip(np.sqrt(machine.tol * found.primal / found.gap), LEAST, MOST))
        walk.unshrink()


class Faces:
    """When the next face of dense rows is solved; `next` is the number of visited rows at which descent pauses, `limit` at most."""

    def __init__(self, walk: Walk, limit: int) -> None:
        machine, size = walk.machine, max(len(walk.order), 1)
        self.walk, self.limit, self.between = walk, limit, ON_FACES * size
        self.left = 0 if machine.rows.is_sparse or machine.is_hard else FACES
        self.each = DENSE_VALUE * machine.rows.values / size
        self.next = min(limit, self.between) if self.left else limit

    def advance(self, gap: float) -> bool:
        """Solve the face if it is time, it takes less than what descent may still take, and there is room; return whether it was time."""
        seen = int(self.walk.tally[1])
        if seen < self.next or not self.left:
            return False
        self.left -= dual_face.advance(self.walk, gap, self.each * (self.limit - seen))
        self.next = min(self.limit, seen + self.between) if self.left else self.limit
        return True


def _squared_lengths(machine: Machine) -> Floats:
    """Return ‖x_i‖² of all rows, which machines of one table share."""
    if machine.shared is None:
        return squared_norms(machine.rows)
    if "lengths" not in machine.shared:
        machine.shared["lengths"] = squared_norms(machine.rows)
    return machine.shared["lengths"]


def _spread(machine: Machine, norms: Floats) -> float:
    """Return s²."""
    if not machine.has_intercept:
        return 0.0
    return float(norms.mean()) if machine.ridge == 0.0 else 1.0 / machine.ridge


def _state(seed: int) -> Ints:
    """Return a state of the shuffling generator, never 0."""
    return np.random.default_rng(seed).integers(1, 2**62, 1)


def _look(machine: Machine, rows: CentredRows, walk: Walk) -> Certificate:
    """Return the certificate of the point reached, with the best intercept for its w."""
    theta = np.append(walk.w, walk.b)
    scores = rows.scores(theta)
    if machine.ridge == 0.0:
        shift = best_intercept(machine, scores)
        theta[-1] += shift
        scores = scores + shift
    return certify(machine, rows, theta, machine.signs * scores, walk.alpha)
