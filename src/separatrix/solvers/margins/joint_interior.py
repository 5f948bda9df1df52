"""The machine of Crammer and Singer on small dense tables: an interior-point method, exact to rounding in some dozen steps.

With multipliers u_ik ≥ 0 of s_ik = r_i − z_ik − [k ≠ y_i] ≥ 0 (r_i: the level that all scores of a row must keep below) the conditions are

    Σ_k u_ik = c_i,    Dθ_k = Σ_i (c_i [k = y_i] − u_ik) x̃_i,    u_ik s_ik = μ → 0

Newton's step needs one system of K q equations, whose matrix is that of a softmax with weights u/s:

    D + Σ_i (diag(d_i) − d_i d_i'/Σd_i) ⊗ x̃_i x̃_i',    d_ik = u_ik/s_ik

Steps are Mehrotra's: a predictor tells how far μ may fall. Coordinate descent (`crammer_singer`) needs thousands of epochs for what
this does in fifteen steps, but no matrix.

References
----------
Mehrotra (1992), On the implementation of a primal-dual interior point method, SIAM Journal on Optimization 2.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from ..smooth.centred_rows import CentredRows
from .crammer_singer import JointCertificate, JointMachine, certify

Floats = NDArray[np.float64]

WORK = 1e8
"""Rows × coefficients² up to which matrices are cheaper than epochs."""
MOST, VALUES = 3_000, 2e7
"""Coefficients of all classes, and values of the rows with those of their multipliers, up to which there is room for them."""
STEPS = 60
LONG = 0.995
"""Share of the way to the nearest bound that a step takes."""
CAPS = np.array([1e1, 1e4, 1e7, 1e10, 1e13])
"""Costs, times the mean squared length of a row, that are tried where the true ones are too high for the steps."""
ROUNDING = 1e-13
"""Products, as a share of the objective, beyond which steps gain nothing."""


def suits(machine: JointMachine) -> bool:
    """Whether rows are dense, held, and few enough for this to be the first choice."""
    X = machine.rows.X
    if not isinstance(X, np.ndarray):
        return False
    size = machine.n_classes * (X.shape[1] + 1)
    return len(X) * float(size) ** 2 <= WORK


def is_possible(machine: JointMachine) -> bool:
    """Whether there is room for the matrices, which makes this the last resort."""
    X = machine.rows.X
    if X is None:
        return False
    n, q = X.shape[0], X.shape[1] + 1
    return bool(machine.n_classes * q <= MOST and n * (q + machine.n_classes) <= VALUES)


def solve(machine: JointMachine) -> JointCertificate:
    """Minimise the multi-class hinge.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> from separatrix.solvers.rows import Rows
    >>> rows = Rows.of(as_source([[0.0], [2.0], [4.0]], [0, 1, 2]))
    >>> found = solve(JointMachine(rows, np.arange(3, dtype=np.int32), np.full(3, 10.0), 3))
    >>> found.coef.round(9).ravel().tolist(), found.gap < 1e-9
    ([-1.0, 0.0, 1.0], True)
    """
    best = _walked(machine)
    rows = CentredRows.of(machine.rows, machine.ridge == 0.0)
    for cap in CAPS / Interior(machine, rows).size:
        if best.gap <= machine.tol * best.primal or cap >= machine.cost.max():
            break
        # Multipliers far below their bounds, as those of classes far apart are: lower bounds let the steps see them.
        found = _walked(replace(machine, cost=np.minimum(machine.cost, cap)))
        found = certify(
            machine, found.coef, found.intercept, found.alpha, best.iterations + found.iterations, best.passes + found.passes + 2
        )
        best = found if found.gap <= best.gap else best
    return best


def _walked(machine: JointMachine) -> JointCertificate:
    """Take steps until the gap is as asked, or until rounding ends them."""
    rows = CentredRows.of(machine.rows, machine.ridge == 0.0)
    inner = Interior(machine, rows)
    best = inner.certificate(machine, rows, 0)
    for step in range(1, min(STEPS, machine.max_iter) + 1):
        before = inner.products
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            is_sound = inner.step()
        if not is_sound:
            break
        if inner.products > machine.tol * best.primal and step < STEPS:
            continue
        found = inner.certificate(machine, rows, step)
        best = found if found.gap <= best.gap else best
        if best.gap <= machine.tol * best.primal and (inner.products <= ROUNDING * best.primal or inner.products > 0.1 * before):
            break
    return best


class Interior:
    """Θ (K, q), u and s (n, K) of the rows with a cost."""

    def __init__(self, machine: JointMachine, rows: CentredRows) -> None:
        self.used = np.flatnonzero(machine.cost > 0.0)
        X = machine.rows.X[self.used]
        X = X if isinstance(X, np.ndarray) else X.toarray()
        self.Z = np.empty((len(X), rows.width))
        np.subtract(X, rows.centre, out=self.Z[:, :-1])
        self.Z[:, -1] = machine.has_intercept
        if not np.isfinite(self.Z).all():
            machine.rows.source.refuse_nonfinite()
        K = machine.n_classes
        self.own = np.eye(K)[machine.codes[self.used]]
        self.cost = machine.cost[self.used]
        self.ridge = np.append(np.ones(rows.width - 1), machine.ridge if machine.has_intercept else 1.0)
        self.is_free = machine.ridge == 0.0
        self.theta = np.zeros((K, rows.width))
        self.u = np.repeat(self.cost[:, None] / K, K, axis=1)
        self.s = 1.0 + self.own
        self.products = float(np.vdot(self.u, self.s))

    @property
    def size(self) -> float:
        """Mean squared length of a row."""
        return max(float(np.einsum("ij,ij->", self.Z, self.Z)) / len(self.Z), np.finfo(float).tiny)

    def step(self) -> bool:
        """Take a step; return whether its numbers are sound, which rounding ends at last."""
        u, s = self.u, self.s
        d = u / s
        total = d.sum(axis=1, keepdims=True)
        factor = self._factor(d, d / total)
        if factor is None:
            return False
        off = self.ridge * self.theta - (self.cost[:, None] * self.own - u).T @ self.Z
        _, du, ds = self._move(factor, d, total, off, -s)
        t = self._length(du, ds, 1.0)
        then = float(np.vdot(u + t * du, s + t * ds))
        target = (then / self.products) ** 3 * self.products / u.size
        dtheta, du, ds = self._move(factor, d, total, off, (target - du * ds) / u - s)
        t = self._length(du, ds, LONG)
        new = self.theta + t * dtheta, u + t * du, s + t * ds
        if not (np.isfinite(new[0]).all() and (new[1] > 0.0).all() and (new[2] > 0.0).all()):
            return False
        self.theta, self.u, self.s = new
        self.products = float(np.vdot(self.u, self.s))
        return True

    def _factor(self, d: Floats, share: Floats) -> tuple[Floats, bool] | None:
        """Factor D + Σ (diag(d_i) − d_i share_i') ⊗ x̃ x̃'; None where rounding has made it singular."""
        Z, (K, q) = self.Z, self.theta.shape
        H = np.zeros((K, q, K, q))
        for k, m in combinations(range(K), 2):
            block = (Z.T * (d[:, k] * share[:, m])) @ Z
            H[k, :, m] = H[m, :, k] = -block
            H[k, :, k] += block
            H[m, :, m] += block
        for k in range(K):
            np.einsum("aa->a", H[k, :, k])[:] += self.ridge
        # Moves that are equal in all classes change no difference of scores, and no step has any: any curvature along them will do.
        columns = np.einsum("kama->akm", H)
        columns += np.einsum("akk->a", columns)[:, None, None] / K
        if not np.isfinite(H).all():
            return None
        whole, more = H.reshape(K * q, K * q), 0.0
        while more < 1e-6:
            try:
                return cho_factor(whole, lower=True, check_finite=False)
            except np.linalg.LinAlgError:
                np.einsum("aa->a", whole)[:] *= 1.0 + (more := 1e-14 if more == 0.0 else 100.0 * more)
        return None

    def _move(self, factor: tuple[Floats, bool], d: Floats, total: Floats, off: Floats, wanted: Floats) -> tuple[Floats, Floats, Floats]:
        """Return Δθ, Δu, Δs for Δs + (s/u)Δu as wanted (n, K), with Σ_k Δu = 0."""
        mean = (d * wanted).sum(axis=1, keepdims=True) / total
        right = -off - (d * (wanted - mean)).T @ self.Z
        dtheta = cho_solve(factor, right.ravel(), check_finite=False).reshape(self.theta.shape)
        dz = self.Z @ dtheta.T
        level = mean + (d * dz).sum(axis=1, keepdims=True) / total
        ds = level - dz
        return dtheta, d * (wanted - ds), ds

    def _length(self, du: Floats, ds: Floats, share: float) -> float:
        """Return the longest step, at most 1, that leaves u and s positive, or a share of it."""
        steepest = min(float((du / self.u).min()), float((ds / self.s).min()))
        return share / max(share, -steepest)

    def certificate(self, machine: JointMachine, rows: CentredRows, steps: int, u: Floats | None = None) -> JointCertificate:
        """Return the certificate of the point and multipliers u, or its own without those of classes well below their row's level."""
        if u is None:
            u = np.where(self.u > self.s * self.cost[:, None], self.u, 0.0)
            sums = u.sum(axis=1, keepdims=True)
            u = np.where(sums > 0.0, u * (self.cost[:, None] / np.where(sums > 0.0, sums, 1.0)), self.u)
        A = np.zeros((len(machine.cost), machine.n_classes))
        A[self.used] = self.cost[:, None] * self.own - u
        W = np.ascontiguousarray(self.theta[:, :-1])
        b = self.theta[:, -1] - W @ rows.centre if machine.has_intercept else np.zeros(len(W))
        if self.is_free:
            b = b - b.mean()
        return certify(machine, W, b, A, steps, steps + 1)
