"""The machine of Crammer and Singer by an augmented Lagrangian: smooth problems solved by semismooth Newton, as in `augmented_lagrangian`.

Given multipliers u⁰ and σ = κc, minimise ½‖W‖² + ½ρ‖b‖² + Σ_i M_i(t_i) (`joint_pieces`), then u⁰ ← u, κ ← 8κ. Only rows whose loss two or
more classes share are curved, and of these only the pairs of such classes: the matrix of a Newton step, that of `joint_system` with weights
σ on them, is summed over few rows of many; where there are thousands of coefficients, products with it by these rows are cheaper.

References
----------
Li, Sun and Toh (2018), A highly efficient semismooth Newton augmented Lagrangian method for solving lasso
problems, SIAM Journal on Optimization 28.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...array_types import Floats
from ..rows import Rows
from ..smooth.centred_rows import CentredRows
from .crammer_singer import JointCertificate, JointMachine, certify
from .joint_interior import with_constant
from .joint_pieces import JointPieces
from .joint_system import ROUGH, Conjugate, factored
from .joint_work import STIFF, JointWork
from .pieces import line_minimum

OUTER = 30
"""Smooth problems at the most."""
FAST, SLOW, ENOUGH = 8.0, 2.0, 64.0
"""Factors of κ until it is ENOUGH, and from there on: steps of a large κ find the classes that share a row's level one by one."""
SHARE_OFF = 0.1
"""What the gradient may leave of the gap, as a share of it, for a smooth problem to be solved."""
STEPS, MOST_STEPS = 40, 150
"""Newton steps of a smooth problem at the most, and of all of them, after which other methods are tried."""
SAMPLE, FEWER, ROUGHLY = 3_000, 8, 1e-2
"""Rows of a sample to begin with at least, the share of the rows, and its gap."""
FREE = 1e-9
"""Curvature of a free intercept at the least, as a share of σ's sum."""
VALUES = 4e7
"""Values of the rows with their constant, of multipliers and levels, and of a block for each column, up to which there is room for them."""


def suits(machine: JointMachine) -> bool:
    """Whether rows are many and this is less work than interior points and the epochs that costs so high ask for."""
    X, K = machine.rows.X, machine.n_classes
    if X is None or max(machine.rows.values + len(machine.codes) * 4 * K, 3 * K * K * X.shape[1]) > VALUES:
        return False
    values, work = X.data if machine.rows.is_sparse else X.ravel(), JointWork.of(machine.rows, K)
    stiffness = float(machine.cost.mean()) * float(np.vdot(values, values)) / X.shape[0]
    return work.lagrangian(stiffness) < min(work.epochs(stiffness), work.interior)


def solve(machine: JointMachine, start: Floats | None = None) -> JointCertificate:
    """Minimise the multi-class hinge, from θ (K, q) about the rows' mean where it is given.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> rows = Rows.of(as_source([[0.0], [2.0], [4.0]], [0, 1, 2]))
    >>> found = solve(JointMachine(rows, np.arange(3, dtype=np.int32), np.full(3, 10.0), 3))
    >>> (found.coef.round(6) + 0.0).ravel().tolist(), found.gap < 1e-6
    ([-1.0, 0.0, 1.0], True)
    """
    descent = Descent(machine, start)
    K, cost = machine.n_classes, machine.cost
    base, extra = np.zeros((len(cost), K)), descent.gentle_steps()
    base[np.arange(len(cost)), machine.codes] = cost
    best, kappa = descent.certificate(base), FAST**-extra
    for outer in range(OUTER + extra):
        pieces = JointPieces(base, kappa * cost, cost, machine.codes)
        base = descent.minimise(pieces)
        gap, is_last = descent.gap(base), outer == OUTER + extra - 1 or descent.iterations >= machine.max_iter
        if is_last or gap <= machine.tol:
            found = descent.certificate(base)
            best = found if found.gap < best.gap else best
        if is_last or best.gap <= machine.tol * best.primal:
            break
        kappa *= FAST if kappa < ENOUGH else SLOW
    return replace(best, iterations=descent.iterations, passes=descent.passes)


class Descent:
    """θ (K, q) and levels (n, K) of the rows Z (n, q), dense or CSR with their constant."""

    def __init__(self, machine: JointMachine, start: Floats | None) -> None:
        self.machine, self.about = machine, CentredRows.of(machine.rows, machine.ridge == 0.0)
        self.Z = with_constant(machine.rows.X, self.about.centre, machine.has_intercept)
        self.across: Any = sp.csr_array(self.Z.T) if sp.issparse(self.Z) else self.Z.T
        self.ridge = np.append(np.ones(self.about.width - 1), machine.ridge if machine.has_intercept else 1.0)
        self.own = (np.arange(len(machine.codes)), machine.codes)
        self.passes = self.iterations = 0
        self.theta = np.zeros((machine.n_classes, self.about.width)) if start is None else start
        self.levels = self._scores(self.theta) + 1.0
        self.levels[self.own] -= 1.0
        self.g = np.zeros_like(self.theta)
        self.is_soft = self.gentle_steps() == 0

    def minimise(self, pieces: JointPieces) -> Floats:
        """Take Newton steps until the gradient is a small part of the gap; return the multipliers (n, K)."""
        for _ in range(STEPS):
            U = pieces.multipliers(self.levels)
            self.g = self.ridge * self.theta + self._sums(U)
            if self._left() <= SHARE_OFF * max(self.gap(U), self.machine.tol) or self.iterations >= self.machine.max_iter:
                break
            d = self._direction(pieces, U)
            decrement = -0.5 * float(np.vdot(self.g, d))
            dz, ridge = self._scores(d), self.ridge * d
            t = line_minimum(pieces, self.levels, dz, -2.0 * decrement, float(np.vdot(self.theta, ridge)), float(np.vdot(d, ridge)))
            self.theta = self.theta + t * d
            dz *= t
            self.levels += dz
            self.iterations += 1
        return U

    def _direction(self, pieces: JointPieces, U: Floats) -> Floats:
        """Return −H⁻¹g with the curvature of the rows that two classes or more share."""
        on = U > 0.0
        rows = np.flatnonzero(np.count_nonzero(on, axis=1) > 1)
        weights, Z = on[rows] * pieces.sigma[rows, None], self.Z[rows]
        ridge = self.ridge.copy()
        if (
            self.machine.ridge == 0.0
        ):  # an intercept without a curved row has no curvature: any will do, the line search finds how far to go
            ridge[-1] = FREE * float(pieces.sigma.sum())
        work = JointWork.of_part(Z, weights.shape[1])
        if not work.has_factor or (work.is_conjugate and self.is_soft):
            conjugate = Conjugate(Z, weights, ridge)
            found = conjugate(-self.g, ROUGH)
            if not conjugate.arrived:  # other methods need no products
                raise np.linalg.LinAlgError
            return found
        solver = factored(Z, weights, ridge)
        if solver is None:
            raise np.linalg.LinAlgError
        return solver(-self.g, ROUGH)

    def _left(self) -> float:
        """Return what the gradient adds to the gap, as a share of F: V = Dθ − g stands for Dθ in D(A), and free intercepts are balanced."""
        D = self.ridge.copy()
        D[-1] = 1.0 / D[-1] if 0.0 < self.machine.ridge < np.inf else 0.0
        D[:-1] = 1.0
        v = self.ridge * self.theta
        left = abs(0.5 * float(np.vdot((v - self.g) ** 2 - v**2, np.broadcast_to(D, v.shape))))
        if self.machine.ridge == 0.0:
            left += float(np.abs(self.g[:, -1]).sum())
        return left / max(self.value(), np.finfo(float).tiny)

    def value(self) -> float:
        """Return F."""
        level = self.levels.max(axis=1) - self.levels[self.own]
        return float(self.machine.cost @ level) + 0.5 * float(np.vdot(self.theta, self.ridge * self.theta))

    def gap(self, U: Floats) -> float:
        """Return (F − D)/F without a pass: Σ A_i x̃_i' is Dθ − g."""
        V = self.ridge * self.theta - self.g
        dual = float((self.machine.cost - U[self.own]).sum()) - 0.5 * float(np.vdot(V[:, :-1], V[:, :-1]))
        if 0.0 < self.machine.ridge < np.inf:
            dual -= 0.5 * float(V[:, -1] @ V[:, -1]) / self.machine.ridge
        primal = self.value()
        return (primal - dual) / primal if primal > 0.0 else 0.0

    def certificate(self, U: Floats) -> JointCertificate:
        """Return the certificate of θ and multipliers u."""
        A = -U
        A[self.own] += self.machine.cost
        W = np.ascontiguousarray(self.theta[:, :-1])
        b = self.theta[:, -1] - W @ self.about.centre if self.machine.has_intercept else np.zeros(len(W))
        self.passes += 2
        return certify(self.machine, W, b, A, self.iterations, self.passes)

    def gentle_steps(self) -> int:
        """Return by how many powers of FAST κ begins below 1."""
        values = self.Z.data if sp.issparse(self.Z) else self.Z
        stiffness = float(self.machine.cost.mean()) * float(np.vdot(values, values)) / len(self.machine.cost)
        return int(np.ceil(np.log(stiffness) / np.log(FAST))) if stiffness > STIFF else 0

    def _scores(self, theta: Floats) -> Floats:
        self.passes += 1
        return np.asarray(self.Z @ theta.T)

    def _sums(self, U: Floats) -> Floats:
        """Return Σ (u_i − c_i e_y) x̃_i' (K, q)."""
        self.passes += 1
        U = U.copy()
        U[self.own] -= self.machine.cost
        return np.asarray((self.across @ U).T)


def from_sample(machine: JointMachine) -> JointCertificate:
    """Minimise the multi-class hinge, beginning at its rough solution on a sample of many rows."""
    n = len(machine.codes)
    size = max(SAMPLE, n // FEWER)
    if n < 2 * size:
        return solve(machine)
    index = np.sort(np.random.default_rng(machine.seed).choice(n, size, replace=False))
    codes = machine.codes[index]
    rows = Rows.of_arrays(machine.rows.X[index], codes, None, machine.rows.source)
    rough = from_sample(replace(machine, rows=rows, codes=codes, cost=machine.cost[index] * (n / size), tol=ROUGHLY))
    centre = CentredRows.of(machine.rows, machine.ridge == 0.0).centre
    found = solve(machine, np.column_stack([rough.coef, rough.intercept + rough.coef @ centre]))
    return replace(found, iterations=found.iterations + rough.iterations, passes=found.passes + rough.passes * size // n)
