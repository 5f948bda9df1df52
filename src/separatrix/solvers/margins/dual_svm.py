"""Support vector machines by dual coordinate descent with shrinking.

One multiplier at a time, over the rows in random order, w = Σ α_i y_i x_i kept up to date:

    α_i ← clip(α_i − (y_i(w'x_i + b) − 1 + α_i/2c_i)/(‖x_i‖² + s² + 1/2c_i), 0, cap_i)      (1/2c_i: squared hinge only)

A single multiplier cannot move under Σ α_i y_i = 0, so a free intercept is b = b_c + s² Σ α_i y_i with b_c ← b every second epoch:
a proximal point method, at the end of which the sum is 0. A penalised intercept is s² = 1/ρ and b_c = 0. Rows at a bound whose
gradient points outward are left out until the others are done. F − D is the sum over the rows of c_i ℓ(m_i) − α_i(1 − m_i) [+ α_i²/4c_i],
so that an epoch tells it by the way, and descent looks at the certificate when it may be as asked. Multipliers within their bounds take
Newton's steps as often as these take no more time than descent has (`dual_face.py`).

References
----------
Hsieh et al. (2008), A dual coordinate descent method for large-scale linear SVM, ICML.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from ...array_types import Floats, Indices
from ..row_parts import squared_norms, unsigned_parts
from ..smooth.centred_rows import CentredRows
from . import dual_face
from .course import Rise
from .machine import Certificate, Ended, Machine, best_intercept, certify, feasible
from .step_work import epoch_seconds

FIRST = 0.1
"""Range of projected gradients at which the gap of a free intercept is looked at first."""
EVERY = 2
"""Epochs between moves of a free intercept's centre."""
LEAST, MOST = 0.05, 0.5
"""Bounds of the factor by which that range is lowered after a look."""
PAUSES = 1.25
"""Factor of the rows visited from pause to pause, at which descent is judged, and faces may be solved."""
CALL = 5e-5
"""Seconds that a pause takes: none comes sooner after the last one."""
FACE, SOONER, BEFORE = 1.0, 0.25, 2
"""Seconds of a face at most, for each that descent has taken since the last one and for each that it promises to take still, and pauses
before the first, by which its pace is known.
"""
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
        # Tiny costs cannot move a free intercept far.
        if self.has_centre and self.spread * machine.cost.sum() < 1.0:
            self.b[0] = best_intercept(machine, np.zeros(n))
        self.random, self.tally, self.reached = np.array([_state(machine.seed)]), np.zeros(3, dtype=np.int64), np.zeros(5)
        self.unshrink()

    @property
    def curve(self) -> Floats:
        """1/2c_i of the squared hinge, 0 of the hinge."""
        return self.traits[:, 2]

    @property
    def visited(self) -> int:
        """Rows visited so far."""
        return int(self.tally[1])

    @property
    def has_centre(self) -> bool:
        """Whether the intercept is free, so that its centre moves."""
        return self.machine.ridge == 0.0

    def unshrink(self) -> None:
        """Let all rows take part again."""
        self.active = len(self.order)
        self.limits = np.array([np.inf, -np.inf])

    def put(self, rows: Indices, alpha: Floats) -> None:
        """Give some rows other multipliers; w is summed anew, b follows them, and all rows take part again."""
        from ...kernels.dual_svm import settle

        b = self.b + self.spread * float((alpha - self.alpha[rows]) @ self.machine.signs[rows])
        self.alpha[rows] = alpha
        settle(*self.parts, self.traits, self.spread, self.alpha, self.w, self.b)
        if self.has_centre:
            self.b[:] = b
        self.unshrink()

    def descend(self, wanted: float, most: int) -> float:
        """Walk until the range of projected gradients is as wanted, or so many rows were visited; return it."""
        from ...kernels.dual_svm import descend

        every = EVERY if self.has_centre else 0
        self.active = descend(
            *(*self.parts, self.traits, self.order, self.active, self.spread, self.limits),
            *(self.alpha, self.w, self.b, self.reached, self.random, wanted, -np.inf, most, every, self.tally),
        )
        return float(self.reached[0] - self.reached[1])

    def arrive(self, pause: int, most: int) -> tuple[float, float]:
        """Walk until the gap is as asked, or `most` rows were visited; return F and D, after `pause` rows what they seem to be. Not for a
        free intercept.
        """
        from ...kernels.dual_svm import arrive

        machine, out, ridge = self.machine, np.empty(2), self.machine.ridge if self.machine.has_intercept else 0.0
        self.active = arrive(
            *(*self.parts, self.traits, machine.cost, self.order, self.active, self.spread, ridge, self.limits),
            *(self.alpha, self.w, self.b, self.random, machine.tol, pause, most, self.tally, out),
        )
        return float(out[0]), float(out[1])


class Descent:
    """A walk that can be gone on with, for so many seconds at a time; seconds are counted, not measured.

    Parameters
    ----------
    machine : Machine
    start : certificate to begin at; α = 0 where None is given
    """

    def __init__(self, machine: Machine, start: Certificate | None = None) -> None:
        self.machine, self.walk, self.rows = machine, Walk(machine), CentredRows.of(machine.rows, centred=False)
        self.is_hard = machine.is_hard
        size = max(len(self.walk.order), 1)
        self.limit = size * machine.max_iter
        self.each = epoch_seconds(machine.rows) / max(len(machine.signs), 1)
        self.most = max(1, int(SOON * len(machine.signs) / max(machine.rows.values, 1)))
        self.rise, self.on_faces, self.wanted, self.since = Rise(), 0.0, FIRST, 0
        self.found: Certificate | None = None
        if start is not None:
            self.walk.put(np.arange(len(start.alpha)), np.clip(start.alpha, 0.0, self.walk.cap))
            if self.walk.has_centre:
                self.walk.b[:] = start.theta[-1]

    @property
    def spent(self) -> float:
        """Seconds spent so far."""
        return self.each * self.walk.visited + self.on_faces

    @property
    def iterations(self) -> int:
        """Epochs; those over the few rows left are counted by what they read."""
        return -(-self.walk.visited // max(len(self.walk.order), 1))

    @property
    def passes(self) -> int:
        """Times that all rows were read."""
        return self.iterations + int(self.walk.tally[2])

    @property
    def is_over(self) -> bool:
        """Whether as many rows were visited as may be."""
        return self.walk.visited >= self.limit

    @property
    def is_narrow(self) -> bool:
        """Whether fewer multipliers are free than there are coefficients: steps on a face are then smaller than those of other methods."""
        return int(np.count_nonzero((self.walk.alpha > 0.0) & (self.walk.alpha < self.walk.cap))) < len(self.walk.w)

    @property
    def arrived(self) -> bool:
        """Whether the certificate found is as asked."""
        return self.found is not None and self.found.gap <= self.machine.tol * self.found.primal

    def left(self) -> float:
        """Return the seconds that it promises to take still."""
        return self.rise.left(self.machine.tol)

    def advance(self, seconds: float, patience: float = 0.0) -> None:
        """Walk for so many seconds, and on while it promises to arrive within `patience` more."""
        end = self.spent + seconds
        while not (self.arrived or self.is_over) and (self.spent < end or self.spent + self.left() <= end + patience):
            left = end - self.spent
            dual = self._stride(self.walk.visited + left / self.each if left > 0.0 else np.inf)
            self.rise.note(self.spent, dual)
            if not self.arrived:
                self._face()

    def _stride(self, end: float) -> float:
        """Walk to the next pause, `end` at the most; return D, or what it seems to be."""
        walk, machine = self.walk, self.machine
        size, seen = max(len(walk.order), 1), walk.visited
        pause = int(min(self.limit, end, max(PAUSES * seen, seen + size, seen + CALL / self.each), seen + self.most))
        if not walk.has_centre and not self.is_hard:
            primal, dual = walk.arrive(pause, self.limit)
            if self.is_over or not primal - dual > machine.tol * primal:
                self.found = self._certificate(primal, dual)
            return dual
        span = walk.descend(self.wanted, pause)
        if span > self.wanted and not self.is_over and walk.visited < end:
            return float(walk.reached[4])
        found = self.found = self._look()
        walk.tally[2] += 2
        if span <= self.wanted:
            self.wanted = span * float(np.clip(np.sqrt(machine.tol * found.primal / found.gap), LEAST, MOST)) if found.gap > 0.0 else 0.0
            walk.unshrink()
        return float(walk.reached[4])

    def _face(self) -> None:
        """Solve the face that the multipliers lie on, in a share of the time that descent has taken since the last one."""
        if self.is_hard or len(self.rise.values) < BEFORE:
            return
        since, gap = self.each * (self.walk.visited - self.since), self.machine.tol * float(self.walk.alpha.sum())
        # D may have all its digits long before the rows have: then nothing is promised.
        left = self.left() if self.left() > since else np.inf
        took = dual_face.advance(self.walk, gap, min(FACE * since, SOONER * left))
        if took > 0.0:
            self.on_faces += took
            self.since = self.walk.visited

    def _certificate(self, primal: float, dual: float) -> Certificate:
        """Return the certificate of the point reached, whose F and D are those of w and b summed anew."""
        walk, theta = self.walk, np.append(self.walk.w, self.walk.b)
        # Multipliers of rounding size are left out.
        if np.isfinite(primal) and np.array_equal(feasible(self.machine, theta, walk.alpha), walk.alpha):
            return Certificate(theta, walk.alpha.copy(), primal, dual, 0.0)
        return self._look()

    def _look(self) -> Certificate:
        """Return the certificate of the point reached, with the best intercept for its w where it is free."""
        theta = np.append(self.walk.w, self.walk.b)
        scores = self.rows.scores(theta)
        if self.walk.has_centre:
            shift = best_intercept(self.machine, scores)
            theta[-1] += shift
            scores = scores + shift
        return certify(self.machine, self.rows, theta, self.machine.signs * scores, self.walk.alpha)

    def ended(self) -> Ended:
        """Return the end reached."""
        found = self._look() if self.found is None else self.found
        return Ended.of(self.rows, found, self.iterations, self.passes)


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
    descent = Descent(machine if most is None else replace(machine, max_iter=min(machine.max_iter, most)))
    descent.advance(np.inf)
    return descent.ended()


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
    return (float(norms.mean()) or 1.0) if machine.ridge == 0.0 else 1.0 / machine.ridge


@lru_cache(8)
def _state(seed: int) -> int:
    """Return a state of the shuffling generator, never 0."""
    return int(np.random.default_rng(seed).integers(1, 2**62))
