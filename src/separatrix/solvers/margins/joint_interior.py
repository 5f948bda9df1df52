"""The machine of Crammer and Singer by interior points, exact to rounding in some dozen steps.

With multipliers u_ik ≥ 0 of s_ik = r_i − z_ik − [k ≠ y_i] ≥ 0 (r_i: the level that all scores of a row must keep below) the conditions are

    Σ_k u_ik = c_i,    Dθ_k = Σ_i (c_i [k = y_i] − u_ik) x̃_i,    u_ik s_ik = μ → 0

Newton's step needs one system of K q equations, whose matrix is that of a softmax with weights u/s:

    D + Σ_i (diag(d_i) − d_i d_i'/Σd_i) ⊗ x̃_i x̃_i',    d_ik = u_ik/s_ik

Steps are Mehrotra's: a predictor tells how far μ may fall; `joint_system` solves for them. Coordinate descent (`crammer_singer`) needs
thousands of epochs for what this does in fifteen steps, or never gets there; but it needs no matrix.

References
----------
Mehrotra (1992), On the implementation of a primal-dual interior point method, SIAM Journal on Optimization 2.
Gondzio (1996), Multiple centrality corrections in a primal-dual method for linear programming, Computational Optimization 6.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...array_types import Floats, Indices
from ..smooth.centred_rows import CentredRows
from .crammer_singer import JointCertificate, JointMachine, certify
from .joint_system import EXACT, ROUGH, Conjugate, Solver, even, factored, places, row_products
from .joint_work import MOST, JointWork

WORK = 1e8
"""Rows × coefficients² up to which matrices are cheaper than epochs."""
VALUES = 2e7
"""Values of the rows with those of their multipliers up to which there is room for them."""
LARGE, FIRST, CORRECTIONS = 600, 10.0, 3
"""Coefficients from which on a factor is dear beside its use, and then: first slacks, and corrections of a step's direction at most."""
CHEAP = 100
"""Coefficients up to which steps go on to rounding once the tolerance is met."""
STEPS = 60
LONG = 0.995
"""Share of the way to the nearest bound that a step takes."""
CAPS, CAPPED = np.array([1e1, 1e4, 1e7, 1e10, 1e13]), 2_000
"""Costs, times the mean squared length of a row, tried where the true ones are too high, and coefficients up to which they are."""
SETTLINGS, MOST_FALL = 2, 0.9
"""How often multipliers are settled, and the share of itself by which one may fall."""
SHORT, PATIENCE = 1e-3, 3
"""Length of a step that gains nothing, and how many of them end the walk."""
ROUNDING = 1e-13
"""Products, as a share of the objective, beyond which steps gain nothing."""


def suits(machine: JointMachine) -> bool:
    """Whether this is the first choice: few dense rows, or less work than the epochs that costs so high ask for."""
    X, K = machine.rows.X, machine.n_classes
    if X is None:
        return False
    if is_small(machine):
        return True
    if not is_possible(machine):
        return False
    values = X.data if machine.rows.is_sparse else X.ravel()
    stiffness = float(machine.cost.mean()) * float(np.vdot(values, values)) / X.shape[0]
    work = JointWork.of(machine.rows, K)
    return work.interior <= work.epochs(stiffness)


def is_small(machine: JointMachine) -> bool:
    """Whether rows are dense, and so few that matrices are cheap."""
    X = machine.rows.X
    return isinstance(X, np.ndarray) and len(X) * float(machine.n_classes * (X.shape[1] + 1)) ** 2 <= WORK


def is_possible(machine: JointMachine) -> bool:
    """Whether there is room for the matrices, which makes this the last resort."""
    X = machine.rows.X
    if X is None:
        return False
    n, q, K = X.shape[0], X.shape[1] + 1, machine.n_classes
    return bool((K - 1) * q <= MOST and n * ((0 if machine.rows.is_sparse else q) + K) <= VALUES)


def solve(machine: JointMachine) -> JointCertificate:
    """Minimise the multi-class hinge.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> from separatrix.solvers.rows import Rows
    >>> rows = Rows.of(as_source([[0.0], [2.0], [4.0]], [0, 1, 2]))
    >>> found = solve(JointMachine(rows, np.arange(3, dtype=np.int32), np.full(3, 10.0), 3))
    >>> (found.coef.round(9) + 0.0).ravel().tolist(), found.gap < 1e-9
    ([-1.0, 0.0, 1.0], True)
    """
    best = _walked(machine)
    if (machine.n_classes - 1) * (machine.rows.n_features + 1) > CAPPED or best.gap <= machine.tol * best.primal:
        return best
    for cap in CAPS / Interior(machine, CentredRows.of(machine.rows, machine.ridge == 0.0)).size:
        if best.gap <= machine.tol * best.primal or cap >= machine.cost.max():
            break
        # Multipliers far below their bounds, as those of classes far apart are: lower bounds let the steps see them.
        found = _walked(replace(machine, cost=np.minimum(machine.cost, cap)))
        found = certify(
            machine, found.coef, found.intercept, found.alpha, best.iterations + found.iterations, best.passes + found.passes + 2
        )
        best = _better(best, found)
    return best


def _walked(machine: JointMachine) -> JointCertificate:
    """Take steps until the gap is as asked, or until rounding ends them."""
    rows = CentredRows.of(machine.rows, machine.ridge == 0.0)
    inner = Interior(machine, rows)
    best, short = inner.certificate(machine, rows, 0), 0
    for step in range(1, min(STEPS, machine.max_iter) + 1):
        before = inner.products
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            is_sound = inner.step()
        short = short + 1 if inner.length < SHORT else 0
        is_last = not is_sound or step == STEPS or short == PATIENCE
        if inner.products > machine.tol * best.primal and not is_last:
            continue
        best = _better(best, inner.certificate(machine, rows, step))
        if best.gap > machine.tol * best.primal and (inner.products <= machine.tol * best.primal or is_last):
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                inner.settle()
            best = _better(best, inner.certificate(machine, rows, step, inner.u))
        is_exact = inner.theta.size > CHEAP or inner.products <= ROUNDING * best.primal or inner.products > 0.1 * before
        if is_last or (best.gap <= machine.tol * best.primal and is_exact):
            break
    return best


def _better(best: JointCertificate, other: JointCertificate) -> JointCertificate:
    return other if other.gap <= best.gap else best


class Interior:
    """Θ (K, q), u and s (n, K) of the rows with a cost; Z (n, q) has the rows, dense or CSR."""

    def __init__(self, machine: JointMachine, rows: CentredRows) -> None:
        self.used = np.flatnonzero(machine.cost > 0.0)
        X, K = machine.rows.X[self.used], machine.n_classes
        self.Z = with_constant(X, rows.centre, machine.has_intercept)
        if not np.isfinite(self.Z.data if sp.issparse(self.Z) else self.Z).all():
            machine.rows.source.refuse_nonfinite()
        self.is_sparse = sp.issparse(self.Z)
        self.across = sp.csr_array(self.Z.T) if self.is_sparse else self.Z.T
        self.codes = machine.codes[self.used]
        self.at, self.own = places(self.codes, K), np.eye(K)[self.codes]
        self.cost = machine.cost[self.used]
        self.ridge = np.append(np.ones(rows.width - 1), machine.ridge if machine.has_intercept else 1.0)
        self.is_free = machine.ridge == 0.0
        self.theta = np.zeros((K, rows.width))
        self.is_large = (K - 1) * rows.width > LARGE
        self.is_even = self.turns = self.is_large and JointWork.of(machine.rows, K).is_even
        self.u = np.repeat(self.cost[:, None] / K, K, axis=1)
        self.s = (FIRST if self.is_large else 1.0) + self.own
        self.products = float(np.vdot(self.u, self.s))
        self.length = 1.0
        self.weights: tuple[Floats, Indices, Floats] = self.s, np.zeros(0, dtype=np.intp), self.s

    @property
    def size(self) -> float:
        """Mean squared length of a row."""
        values = self.Z.data if self.is_sparse else self.Z
        return max(float(np.vdot(values, values)) / len(self.cost), np.finfo(float).tiny)

    def step(self) -> bool:
        """Take a step; return whether its numbers are sound, which rounding ends at last."""
        d = self.u / self.s
        if self.is_even:
            system = Conjugate(self.Z, d, self.ridge)
            moves = self._direction(system, d)
            self.is_even = system.arrived
            if self.is_even:
                return self._taken(*moves)
        factor = self._factor(d)
        return factor is not None and self._taken(*self._direction(factor, d))

    def _direction(self, system: Solver, d: Floats) -> tuple[Floats, Floats, Floats, float]:
        """Return Δθ, Δu, Δs and the share of them to take: Mehrotra's, and where a factor is dear those that lengthen it (Gondzio)."""
        u, s = self.u, self.s
        off = self.ridge * self.theta - self._sums(self.multipliers(u))
        _, du, ds = self._move(system, d, off, -s, ROUGH)
        t = self._length(du, ds, 1.0)
        then = float(np.vdot(u + t * du, s + t * ds))
        target = (then / self.products) ** 3 * self.products / u.size
        best = self._move(system, d, off, (target - du * ds) / u - s)
        t = self._length(*best[1:], LONG)
        for _ in range(CORRECTIONS if self.is_large and not self.is_even else 0):
            further = min(1.0, max(1.5 * t, t + 0.3))
            v = (u + further * best[1]) * (s + further * best[2])
            wanted = np.maximum(np.clip(v, 0.1 * target, 10.0 * target) - v, -10.0 * target)
            more = self._move(system, d, np.zeros_like(off), wanted / u)
            found = (best[0] + more[0], best[1] + more[1], best[2] + more[2])
            longer = self._length(*found[1:], LONG)
            if longer < 1.05 * t + 0.01:
                break
            best, t = found, longer
        return *best, t

    def _taken(self, dtheta: Floats, du: Floats, ds: Floats, t: float) -> bool:
        self.length = t
        new = self.theta + t * dtheta, self.u + t * du, self.s + t * ds
        if not (np.isfinite(new[0]).all() and (new[1] > 0.0).all() and (new[2] > 0.0).all()):
            return False
        self.theta, self.u, self.s = new
        self.products = float(np.vdot(self.u, self.s))
        return True

    def _factor(self, d: Floats) -> Solver | None:
        return factored(self.Z, d, self.ridge)

    def _sums(self, v: Floats) -> Floats:
        """Return Σ v_i x̃_i' (K, q) of v (n, K)."""
        return np.asarray((self.across @ v).T) if self.is_sparse else v.T @ self.Z

    def _move(self, system: Solver, d: Floats, off: Floats, wanted: Floats, share: float = EXACT) -> tuple[Floats, Floats, Floats]:
        """Return Δθ, Δu, Δs for Δs + (s/u)Δu as wanted (n, K), with Σ_k Δu = 0."""
        if self.weights[0] is not d:
            self.weights = d, places(d.argmax(axis=1), d.shape[1]), d.sum(axis=1, keepdims=True)
        _, top, total = self.weights
        mean = row_products(d, wanted) / total
        dtheta = system(-off - self._sums(even(d * (wanted - mean), top)), share)
        dz = np.asarray(self.Z @ dtheta.T)
        level = mean + row_products(d, dz) / total
        ds = level - dz
        return dtheta, even(d * (wanted - ds), top), ds

    def _length(self, du: Floats, ds: Floats, share: float) -> float:
        """Return the longest step, at most 1, that leaves u and s positive, or a share of it."""
        steepest = min(float((du / self.u).min()), float((ds / self.s).min()))
        return share / max(share, -steepest)

    def multipliers(self, u: Floats) -> Floats:
        """Return A (n, K) = c_i [k = y_i] − u_ik; the own class's from the others', which may be far below c_i."""
        return even(-u, self.at)

    def settle(self) -> None:
        """Change u, each by a share of itself, so that Dθ = Σ_i A_i x̃_i' holds in units of each column.

        The dual objective has the square of that sum, in which a column in units of 1e6 weighs 1e12 times as much as others: multipliers
        right to ten digits may prove nothing. Steps have weights u/s, which near the end lose these digits; weights u² keep them.
        """
        for _ in range(SETTLINGS):
            off = self.ridge * self.theta - self._sums(self.multipliers(self.u))
            weight, none = self.u * (self.u / self.cost[:, None]), np.zeros_like(self.u)
            system: Solver | None = None
            if self.turns:
                rough = Conjugate(self.Z, weight, self.ridge)
                du = self._move(rough, weight, off, none)[1]
                system = rough if rough.arrived else None
            if system is None:
                system = self._factor(weight)
                if system is None:
                    return
                du = self._move(system, weight, off, none)[1]
            self.u = self.u + du * min(1.0, MOST_FALL / max(float((-du / self.u).max()), MOST_FALL))

    def certificate(self, machine: JointMachine, rows: CentredRows, steps: int, u: Floats | None = None) -> JointCertificate:
        """Return the certificate of the point and multipliers u, or its own without those of classes well below their row's level."""
        if u is None:
            largest = self.multipliers(self.u).ravel()[self.at].max()
            u = np.where((self.u > self.s * largest) | (self.own > 0.0), self.u, 0.0)
            sums = u.sum(axis=1, keepdims=True)
            u = np.where(sums > 0.0, u * (self.cost[:, None] / np.where(sums > 0.0, sums, 1.0)), self.u)
        A = np.zeros((len(machine.cost), machine.n_classes))
        A[self.used] = self.multipliers(u)
        W = np.ascontiguousarray(self.theta[:, :-1])
        b = self.theta[:, -1] - W @ rows.centre if machine.has_intercept else np.zeros(len(W))
        if self.is_free:
            b = b - b.mean()
        return certify(machine, W, b, A, steps, steps + 1)


def with_constant(X: Any, centre: Floats, has_intercept: bool) -> Any:
    """Return rows about their centre with a constant column, 0 where there is no intercept."""
    if sp.issparse(X):
        Z = sp.csr_array(sp.hstack([X, sp.csr_array(np.full((X.shape[0], 1), float(has_intercept)))], format="csr"), dtype=np.float64)
        Z.sort_indices()
        return Z
    Z = np.empty((len(X), len(centre) + 1))
    np.subtract(X, centre, out=Z[:, :-1])
    Z[:, -1] = has_intercept
    return Z
