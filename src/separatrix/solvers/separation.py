"""Linear programs that decide whether a hyperplane separates two classes, and prove the answer.

With rows x_i (p,), signs y_i = ±1 and f(x) = w'x + w0, the programs see a_i = y_i (z_i, 1)/r_i, z_i = (x_i − c)/s:
c (p,) are medians (0 for sparse rows, which stay sparse), s (p,) typical sizes of the columns, r_i = max(1, ‖z_i‖∞).
A positive factor on a row moves no boundary, so neither wild units nor wild rows hurt. With β = (w, w0) they are

    largest margin   max ρ          subject to  a_i'β ≥ ρ,  ‖w‖₁ ≤ 1     (dual: the distance between the two hulls)
    recession        max Σ a_i'β    subject to  a_i'β ≥ 0,  ‖w‖₁ ≤ 1     (Konis's; a ball for his box: few columns)

over the rows on which directions found without them failed: a million rows cost some passes and small programs.
Nothing is returned unverified: margins exceed the rounding error of f on the rows as given, conflicts coincide.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import lsmr

from ..array_types import Bools, Floats, Indices
from ..data.opening import check_weights
from ..errors import InputError, SeparatrixError
from .signed_rows import SignedRows, finite_matrix

LP_TOLERANCE = 1e-10  # feasibility asked of HiGHS, the least it accepts
TOUCHING = 1e-9  # hulls closer than this, in units of s, count as touching unless a direction verifiably separates them
STRICT = 1e-7  # from this value of a_i'β on, `configuration` calls a row strict; below, it is on the boundary
FEW_COLUMNS = 200  # columns beyond which programs take minutes, and Newton's method is tried before them
TOO_CLOSE = "The classes lie closer than rounding can tell; subtract a common offset from each column of X first."


@dataclass(frozen=True, slots=True, eq=False)
class Conflict:
    """Why no hyperplane separates: Σ_i u_i x_i over positive rows = Σ_j v_j x_j over negative rows = point.

    The weights u, v > 0 sum to 1 each. At the point f would have to take both signs. A vertex of the solutions, so at
    most p + 2 rows, where the program found it: always with up to FEW_COLUMNS columns.
    """

    positive_rows: Indices
    positive_weights: Floats
    negative_rows: Indices
    negative_weights: Floats
    point: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Separation:
    """Truthy with (w, w0) such that y f(x) ≥ 1 on every row, or falsy with a conflict."""

    w: Floats | None
    w0: float | None
    conflict: Conflict | None

    def __bool__(self) -> bool:
        return self.conflict is None


@dataclass(frozen=True, slots=True, eq=False)
class Configuration:
    """How the rows of two classes lie, with the direction that shows it.

    y f(x) ≥ 1 on the strict rows and = 0 on the boundary rows; no direction makes more rows strict. `columns` are
    those with a weight. With "overlap" there is no direction, and every row is a boundary row.
    """

    kind: Literal["complete", "quasi", "overlap"]
    w: Floats | None
    w0: float | None
    strict_rows: Indices
    boundary_rows: Indices
    columns: Indices


def separate(positive: Any, negative: Any) -> Separation:
    """Find a hyperplane with the rows of `positive` above it and those of `negative` below, or prove there is none.

    Parameters
    ----------
    positive, negative : array-like or scipy sparse of shape (n1, p) and (n2, p)
        Rows may repeat. Sparse rows are never made dense.

    Examples
    --------
    >>> xor = separate(positive=[[0, 1], [1, 0]], negative=[[0, 0], [1, 1]])
    >>> bool(xor), xor.conflict.positive_weights.round(6), xor.conflict.point.round(6)
    (False, array([0.5, 0.5]), array([0.5, 0.5]))

    References
    ----------
    Bennett and Mangasarian, Robust linear programming discrimination of two linearly inseparable sets, 1992.
    """
    above, below = finite_matrix(positive), finite_matrix(negative)
    if above.shape[1] != below.shape[1]:
        raise InputError(f"positive has {above.shape[1]} columns, negative {below.shape[1]}; give both the same.")
    both: Any = (above, below)
    X = sp.vstack(both, format="csr") if any(map(sp.issparse, both)) else np.vstack(both)
    y, where = np.repeat([1.0, -1.0], [above.shape[0], below.shape[0]]), np.arange(X.shape[0])
    for _ in range(3):  # the rows of a conflict that fails by a digit are solved again, scaled by themselves
        rows = SignedRows.of(X[where], y[where], intercept=True)
        beta, active, dual = _search(rows)
        if len(where) == len(y) and (found := _verified(rows, beta)) is not None:
            return Separation(*found, None)
        kept = dual > 1e-12 * dual.max()  # Σ dual_i a_i = 0: a conflict, as a vertex
        if (conflict := _twins(rows) or _conflict(rows, active[kept], dual[kept] / rows.r[active[kept]])) is not None:
            i, j = where[conflict.positive_rows], where[conflict.negative_rows] - above.shape[0]
            return Separation(None, None, replace(conflict, positive_rows=i, negative_rows=j))
        where = where[active[kept]]
    raise SeparatrixError(TOO_CLOSE)


def configuration(X: Any, y: Any, sample_weight: Any = None, *, intercept: bool = True) -> Configuration:
    """Tell complete separation, quasi-complete separation and overlap apart.

    Complete: some (w, w0) has y f(x) > 0 on every row. Quasi: some (w, w0) has y f(x) ≥ 0 on every row and > 0 on one
    or more. In both cases the maximum-likelihood estimate of logistic regression does not exist.

    Parameters
    ----------
    X : array-like or scipy sparse of shape (n, p)
    y : array-like of shape (n,)
        Positive class where y > 0.
    sample_weight : array-like of shape (n,), optional
        Rows of weight 0 do not count and are in neither list of rows.
    intercept : bool
        Whether w0 may differ from 0.

    Examples
    --------
    >>> found = configuration([[1], [2], [2], [3]], [-1, -1, 1, 1])
    >>> found.kind, found.strict_rows, found.boundary_rows
    ('quasi', array([0, 3]), array([1, 2]))

    References
    ----------
    Konis, Linear programming algorithms for detecting separated data in binary logistic regression models, 2007.
    """
    matrix, sign = finite_matrix(X), np.where(np.asarray(y) > 0, 1.0, -1.0)
    if sign.shape != matrix.shape[:1]:
        raise InputError(f"X has {matrix.shape[0]} rows and y shape {sign.shape}; give one sign per row.")
    weight = check_weights(sample_weight, len(sign))
    kept = np.arange(len(sign)) if weight is None else np.flatnonzero(weight)
    rows = SignedRows.of(matrix if weight is None else matrix[kept], sign[kept], intercept)
    beta, active, dual = _search(rows)
    left = np.zeros(kept.size, dtype=bool)
    if _verified(rows, beta) is None:
        beta, left = _recession(rows, active, dual)
    if left.all():
        return Configuration("overlap", None, None, kept[:0], kept, kept[:0])
    if (found := _verified(rows, beta, np.flatnonzero(~left))) is None:
        raise SeparatrixError(TOO_CLOSE)
    columns = np.flatnonzero(np.abs(beta[:-1]) > TOUCHING * np.abs(beta[:-1]).max())
    return Configuration("quasi" if left.any() else "complete", *found, kept[~left], kept[left], columns)


def _search(rows: SignedRows, gain: Floats | None = None) -> tuple[Floats, Indices, Floats]:
    """Solve the program over a growing set of rows; return β, the rows that took part and their dual values."""
    A, y = rows.A, rows.y
    beta = A.T @ (1 / np.where(y > 0, 1 + (y > 0).sum(), 1 + (y < 0).sum()))  # the difference of the class means
    if gain is None and A.shape[1] > FEW_COLUMNS and A.shape[0] < 100 * A.shape[1]:
        beta, dual = _least_hinge(A)
        if (A @ beta).min() > TOUCHING or np.abs(A.T @ dual).max() <= LP_TOLERANCE * dual.sum():
            return beta, np.arange(len(y)), dual
    m, size = A @ beta, max(100, A.shape[1])
    sides = [np.flatnonzero(y == side) for side in (1.0, -1.0)]
    active = np.sort(np.concatenate([side[np.argsort(m[side], kind="stable")[:size]] for side in sides]))
    while True:
        beta, value, dual = _program(A[active], gain)
        m = A @ beta
        wrong = np.setdiff1d(np.flatnonzero(m < (value / 2 if gain is None else -TOUCHING)), active)
        if value <= TOUCHING or not wrong.size:
            return beta, active, dual
        active = np.union1d(active, wrong[np.argsort(m[wrong], kind="stable")[:size]])


def _least_hinge(A: Any) -> tuple[Floats, Floats]:
    """min Σ λ_i² over β, λ_i = max(0, 1 − a_i'β), by Newton steps: 0 if separable, else Σ λ_i a_i = 0 is the proof."""
    beta, m = np.zeros(A.shape[1]), np.zeros(A.shape[0])
    for _ in range(50):
        low = np.flatnonzero(m < 1)
        step = lsmr(A[low], 1 - m[low], atol=1e-13, btol=1e-13, maxiter=1000)[0]
        d, sizes = A @ step, np.append(0.0, 0.5 ** np.arange(10))
        loss = np.array([np.square(np.maximum(0, 1 - m - t * d)).sum() for t in sizes])
        t = sizes[np.argmin(loss)]
        beta, m = beta + t * step, m + t * d
        if m.min() > TOUCHING or loss.min() >= loss[0] * (1 - 1e-13):
            break
    return beta, np.maximum(0, 1 - m)


def _program(A: Any, gain: Floats | None) -> tuple[Floats, float, Floats]:
    """max ρ, or gain'β with ρ = 0, subject to Aβ ≥ ρ, ‖w‖₁ ≤ 1, in (w⁺, w⁻, w0, ρ) of which only w0 may be negative."""
    from scipy.optimize import linprog  # slow to import

    k, p = A.shape[0], A.shape[1] - 1
    W, b, stack = A[:, :p], A[:, [p]], np if isinstance(A, np.ndarray) else sp
    ball = np.repeat([[1.0, 0.0]], [2 * p, 2], axis=1)
    limits = stack.vstack([stack.hstack([-W, W, -b, np.ones((k, 1))]), ball])
    goal = np.zeros(p + 1) if gain is None else gain
    cost = -np.concatenate([goal[:p], -goal[:p], goal[p:], [float(gain is None)]])
    bounds = [(0, None)] * (2 * p) + [(None, None), (0, None if gain is None else 0)]
    options = {"primal_feasibility_tolerance": LP_TOLERANCE, "dual_feasibility_tolerance": LP_TOLERANCE}
    solve: Any = linprog
    for method in ("highs-ds", "highs-ipm"):  # simplex for a vertex; interior point (then a vertex) where it gives up
        found = solve(cost, limits, np.append(np.zeros(k), 1.0), bounds=bounds, method=method, options=options)
        if found.status == 0:
            beta = np.append(found.x[:p] - found.x[p : 2 * p], found.x[2 * p])
            return beta, -float(found.fun), -np.asarray(found.ineqlin.marginals[:k])
    raise SeparatrixError(f"HiGHS could not solve the separation program: {found.message}")


def _verified(rows: SignedRows, beta: Floats, strict: Any = slice(None)) -> tuple[Floats, float] | None:
    """(w, w0) in the units of X with y f(x) ≥ 1 in whatever order float64 sums f; None if rounding may hide a sign."""
    w = beta[:-1] / rows.s
    w0 = float(beta[-1] - w @ rows.c)
    X, y = rows.X[strict], rows.y[strict]
    error = (len(w) + 2) * np.finfo(float).eps * (abs(X) @ np.abs(w) + abs(w0))
    least = float((y * (X @ w + w0) - 2 * error).min())
    return (w / least, w0 / least) if least > 0 else None


def _twins(rows: SignedRows) -> Conflict | None:
    """The shortest conflict, one point in both classes: neighbours in order of some projection, then of y."""
    h = rows.X @ np.cos(np.arange(rows.X.shape[1]))
    order = np.lexsort((rows.y, h))
    i, j = order[:-1], order[1:]
    pairs = np.sort(np.column_stack([i, j])[(h[i] == h[j]) & (rows.y[i] != rows.y[j])], axis=1)
    found = (_conflict(rows, pair, np.ones(2)) for pair in pairs[np.argsort(pairs[:, 0])][:100])
    return next(filter(None, found), None)


def _conflict(rows: SignedRows, support: Indices, u: Floats) -> Conflict | None:
    """The conflict if its points coincide: Σ u_i y_i z_i within TOUCHING of 0, relative to Σ u_i |z_i| above 1."""
    above, A = rows.y[support] > 0, rows.A[support]
    if above.all() or not above.any():
        return None
    u = u / np.where(above, u[above].sum(), u[~above].sum())
    v = u * rows.r[support]
    if (np.abs(A.T @ v) > TOUCHING * np.maximum(1, abs(A).T @ v)).any():
        return None
    return Conflict(support[above], u[above], support[~above], u[~above], rows.X[support[above]].T @ u[above])


def _recession(rows: SignedRows, active: Indices, dual: Floats) -> tuple[Floats, Bools]:
    """Add up directions of recession until none makes another row strict; return their sum and the rows left.

    If Σ dual_i a_i = 0, every direction is 0 on the rows with dual_i > 0; if these span all columns, there is none.
    """
    A, beta, left = rows.A, np.zeros(rows.A.shape[1]), np.ones(len(rows.y), dtype=bool)
    B = A[active[dual > 1e-6 * dual.max()]]
    if np.abs(A[active].T @ dual).max() <= TOUCHING * dual.sum() and len(beta) <= B.shape[0] < 2**22 / len(beta):
        size = np.linalg.svd(sp.csr_array(B).toarray(), compute_uv=False)
        if size[-1] > 1e-6 * size[0]:
            return beta, left
    while np.abs(gain := A.T @ left.astype(np.float64)).max() > TOUCHING:
        step, *_ = _search(rows, gain / np.abs(gain).max())
        # Boundary rows are 0 to the program's tolerance; many can add up to a separation that is none. Make them 0.
        columns, boundary = np.flatnonzero(np.abs(step) > TOUCHING), np.flatnonzero(np.abs(A @ step) <= STRICT)
        B, found = A[boundary][:, columns], step[columns]
        step = np.zeros_like(beta)
        step[columns] = found - lsmr(B, B @ found, atol=1e-15, btol=1e-15, maxiter=10 * sum(B.shape))[0]
        m = A @ step
        if m.min() < -TOUCHING or not (left & (m > STRICT)).any():
            break
        beta, left = beta + step, left & (m <= STRICT)
    return beta, left
