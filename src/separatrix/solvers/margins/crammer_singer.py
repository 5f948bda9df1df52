"""The multi-class machine of Crammer and Singer: all classes in one problem.

    F(W, b) = ½‖W‖² + ½ρ‖b‖² + Σ_i c_i max_k( [k ≠ y_i] + z_ik − z_iy ),   z_i = W x_i + b

Its dual has multipliers A (n, K) with rows that sum to 0 and A_ik ≤ c_i [k = y_i], W = A'X:

    D(A) = Σ_i A_iy − ½‖A'X‖² − ‖A'1‖²/2ρ,   ρ = 0: A'1 = 0

Coordinate descent takes one row of A at a time, which is a projection; a free intercept follows as in `dual_svm`. Classes of a row whose
multipliers stay at their bounds are left out, and rows of which one class is left, until the others violate by no more than a share of
what they did before. Dense rows with few coefficients go to `joint_interior`; others end by `joint_polish`.

References
----------
Keerthi et al. (2008), A sequential dual method for large scale multi-class linear SVMs, KDD.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...array_types import Codes, Floats
from ..row_parts import squared_norms, unsigned_parts
from ..rows import Rows
from .machine import proven

FIRST, NEAR = 1.0, 0.25
"""Violation at which the certificate is looked at first, and from which on the classes with a multiplier may be known."""
LEAST, MOST = 0.05, 0.5
"""Bounds of the factor by which that violation is lowered after a look."""
EVERY = 2
ROUNDING = 1e-12
"""Share of the largest multiplier by which a row's may miss their sum."""
NEARLY = 1e-4
"""Distance from a margin that longer coefficients may make up for."""
SHORT = 1e-6
"""Cost times squared length below which a row is as good as 0, and dividing by it would leave multipliers of rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class JointMachine:
    """All classes against each other.

    Attributes
    ----------
    rows : Rows
    codes : (n,) class codes
    cost : (n,) c_i
    n_classes : int
    ridge, max_iter, tol, seed : as in `Machine`
    """

    rows: Rows
    codes: Codes
    cost: Floats
    n_classes: int
    ridge: float = 0.0
    max_iter: int = 1000
    tol: float = 1e-6
    seed: int = 0

    @property
    def has_intercept(self) -> bool:
        """Whether b may differ from 0."""
        return bool(np.isfinite(self.ridge))


@dataclass(frozen=True, slots=True, eq=False)
class JointCertificate:
    """W (K, p), b (K,), feasible multipliers (n, K), F, D, and the largest entry of W − A'X."""

    coef: Floats
    intercept: Floats
    alpha: Floats
    primal: float
    dual: float
    residual: float
    iterations: int = 0
    passes: int = 0

    @property
    def gap(self) -> float:
        """F − D ≥ F − min F; infinite where a solver has diverged and left no number."""
        return proven(self.primal, self.dual)


def solve(
    machine: JointMachine,
    end: Callable[[JointMachine, JointCertificate, Floats], JointCertificate] | None = None,
    most: int | None = None,
) -> JointCertificate:
    """Minimise the multi-class hinge by coordinate descent, with classes and rows left out while their multipliers stay at a bound.

    Parameters
    ----------
    machine : JointMachine
    end : callable, optional
        Tries to make a certificate exact once few classes change; see `joint_polish`.
    most : int, optional
        Epochs at the most, where another method stands ready for what is left.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> rows = Rows.of(as_source([[0.0], [2.0], [4.0]], [0, 1, 2]))
    >>> found = solve(JointMachine(rows, np.arange(3, dtype=np.int32), np.full(3, 10.0), 3, tol=1e-9))
    >>> (found.coef.round(3) + 0.0).ravel().tolist()
    [-1.0, 0.0, 1.0]
    """
    from ...kernels.crammer_singer import epoch
    from ...kernels.dual_svm import shuffle

    parts, norms = unsigned_parts(machine.rows), squared_norms(machine.rows)
    n, K, p = len(machine.codes), machine.n_classes, machine.rows.n_features
    spread = _spread(machine, norms)
    with np.errstate(divide="ignore"):
        square = np.maximum(norms + spread, SHORT / machine.cost)
    A, W, b, work, out = np.zeros((n, K)), np.zeros((p, K)), np.zeros(K), np.empty((3, K)), np.zeros(2)
    everyone = np.arange(K, dtype=np.int32)
    order, active, classes, counts = np.arange(n), n, np.tile(everyone, (n, 1)), np.full(n, K)
    random = np.random.default_rng(machine.seed).integers(1, 2**62, 1)
    wanted, looks, visited, epochs = FIRST, 0, 0, 0
    limit = n * (machine.max_iter if most is None else min(machine.max_iter, most))
    while True:
        epochs, visited = epochs + 1, visited + active
        shuffle(order, active, random)
        active = epoch(*parts, machine.codes, machine.cost, square, order, active, spread, A, W, b, classes, counts, work, out)
        if machine.ridge == 0.0 and epochs % EVERY == 0:
            b += spread * A.sum(axis=0)
        is_last = visited >= limit
        if out[0] > wanted and not is_last:
            continue
        looks += 1
        # Epochs over the few rows left are counted by what they read.
        passes = -(-visited // n)
        found = certify(machine, np.ascontiguousarray(W.T), b.copy(), A, passes, passes + 2 * looks)
        if end is not None and wanted <= NEAR and found.gap > machine.tol * found.primal:
            found = end(machine, found, A)
        if is_last or found.gap <= machine.tol * found.primal:
            return found
        wanted *= float(np.clip(np.sqrt(machine.tol * found.primal / found.gap), LEAST, MOST))
        active, classes[:], counts[:] = n, everyone, K


def _spread(machine: JointMachine, norms: Floats) -> float:
    if np.isinf(machine.ridge):
        return 0.0
    return float(norms.mean()) if machine.ridge == 0.0 else 1.0 / machine.ridge


def certify(machine: JointMachine, W: Floats, b: Floats, A: Floats, iterations: int, passes: int) -> JointCertificate:
    """Return the certificate of W (K, p), b (K,) and multipliers (n, K); two passes."""
    X, own = machine.rows.X, (np.arange(len(A)), machine.codes)
    A = summing_to_zero(machine, A)
    A = balanced(machine, A) if machine.ridge == 0.0 else A
    V = np.asarray((X.T @ A).T)
    Z = np.asarray(X @ W.T) + b
    penalised = 0.0 < machine.ridge < np.inf
    penalty = 0.5 * float(np.vdot(W, W)) + (0.5 * machine.ridge * float(b @ b) if penalised else 0.0)
    primal, stretch = _stretched(machine, penalty, Z - Z[own][:, None])
    dual = float(A[own].sum()) - 0.5 * float(np.vdot(V, V))
    if penalised:
        dual -= 0.5 * float(np.sum(A.sum(axis=0) ** 2)) / machine.ridge
    W, b = (W, b) if stretch == 1.0 else (stretch * W, stretch * b)
    return JointCertificate(W, b, A, primal, dual, float(np.abs(W - V).max()), iterations, passes)


def _stretched(machine: JointMachine, penalty: float, ahead: Floats) -> tuple[float, float]:
    """Return F and the factor ≥ 1 of W and b at which it is lower; `ahead` (n, K) has z_ik − z_iy.

    Where rows miss their margins by rounding alone, and costs are high, the rounding costs more than slightly longer coefficients.
    """
    others = 1.0 - np.eye(machine.n_classes)[machine.codes]
    short = (ahead + others).max(axis=1)
    primal, worst = penalty + float(machine.cost @ short), float(short[machine.cost > 0.0].max(initial=0.0))
    if 0.0 < worst < NEARLY:
        factor = 1.0 + 2.0 * worst
        longer = factor * factor * penalty + float(machine.cost @ (factor * ahead + others).max(axis=1))
        if longer < primal:
            return longer, factor
    return primal, 1.0


def at_zero(machine: JointMachine) -> JointCertificate:
    """Return the certificate of W = 0, the end where every solver has diverged."""
    K = machine.n_classes
    return certify(machine, np.zeros((K, machine.rows.n_features)), np.zeros(K), np.zeros((len(machine.codes), K)), 0, 2)


def summing_to_zero(machine: JointMachine, A: Floats) -> Floats:
    """Return multipliers whose rows sum to 0 and keep their bounds, the own class's making up for the others'."""
    if np.abs(A.sum(axis=1)).max(initial=0.0) <= ROUNDING * np.abs(A).max(initial=0.0):
        return A
    A, own = np.minimum(A, 0.0), (np.arange(len(A)), machine.codes)
    A[own] = 0.0
    total = -A.sum(axis=1)
    A *= (machine.cost / np.maximum(total, machine.cost.clip(np.finfo(float).tiny)))[:, None]
    A[own] = -A.sum(axis=1)
    return A


def balanced(machine: JointMachine, A: Floats) -> Floats:
    """Return multipliers whose columns sum to 0 too, moving what is over in one column to rows that can take it in another.

    A row of class l with A_il < c_i may give up some of any A_ik for more of A_il, whatever its other entries are.
    """
    A = A.copy()
    over = A.sum(axis=0)
    for _ in range(2 * machine.n_classes):
        k, to = int(over.argmax()), int(over.argmin())
        mass = min(over[k], -over[to])
        if mass <= 1e-15 * max(float(np.abs(A).sum()), 1e-300):
            break
        room = np.where(machine.codes == to, machine.cost - A[:, to], -A[:, to])
        if room.sum() < mass:
            return np.zeros_like(A)
        step = room * (mass / room.sum())
        A[:, k] -= step
        A[:, to] += step
        over = A.sum(axis=0)
    return A
