"""Linear programs that decide whether a hyperplane separates two classes, and prove the answer.

With rows x_i (p,), signs y_i = ±1 and f(x) = w'x + w0, the programs see a_i = y_i (z_i, 1)/r_i, where z_i = (x_i − c)/s:
c (p,) are medians (0 for sparse rows, which stay sparse), s (p,) typical sizes of the columns, and r_i = max(1, ‖z_i‖∞).
A positive factor on a row moves no boundary, so neither wild units nor wild rows hurt. With β = (w, w0):

    largest margin   max ρ          subject to  a_i'β ≥ ρ,  ‖w‖₁ ≤ 1;  its dual is the gap between the two hulls
    recession        max Σ a_i'β    subject to  a_i'β ≥ 0,  ‖w‖₁ ≤ 1

The L1 ball in place of Konis's box changes no verdict and leaves directions with few columns. Rows enter a program only
when a direction found without them fails on them: a million rows cost a few passes and small programs.

Nothing is returned unverified: margins must exceed the rounding error of float64 on the rows as given; the points
of a conflict must coincide to TOUCHING.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from separatrix.errors import InputError, SeparatrixError

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

LP_TOLERANCE = 1e-10
"""Feasibility asked of HiGHS, the least it accepts."""
TOUCHING = 1e-9
"""Hulls closer than this, in units of s, count as touching unless a direction verifiably separates them."""
STRICT = 1e-7
"""A row is strictly on its side from this value of a_i'β on, in `configuration`; below, it is on the boundary."""
CELLS = 2**21
"""Cells of X that are scaled in one go."""


@dataclass(frozen=True, slots=True, eq=False)
class Conflict:
    """Why no hyperplane separates: Σ_i u_i x_i over positive rows = Σ_j v_j x_j over negative rows = point.

    u, v > 0 sum to 1 each and are a vertex of the solutions, so that there are at most p + 2 rows. f would have
    to be positive and negative at the point.
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
    """How the rows of two classes lie (Albert and Anderson), with the direction that shows it.

    y f(x) ≥ 1 on the strict rows and = 0 on the boundary rows; no direction makes more rows strict. The columns are those
    with a weight. With "overlap" there is no direction, and every row is a boundary row.
    """

    kind: Literal["complete", "quasi", "overlap"]
    w: Floats | None
    w0: float | None
    strict_rows: Indices
    boundary_rows: Indices
    columns: Indices


def separate(positive: Any, negative: Any) -> Separation:
    """Find a hyperplane with all rows of `positive` on one side and of `negative` on the other, or prove there is none.

    Parameters
    ----------
    positive, negative : array-like or scipy sparse of shape (n1, p) and (n2, p)
        The two point sets; rows may repeat. Sparse rows are never made dense.

    Returns
    -------
    Separation
        Its margin is at least half of the largest one in scaled units.

    Examples
    --------
    >>> xor = separate(positive=[[0, 1], [1, 0]], negative=[[0, 0], [1, 1]])
    >>> bool(xor), xor.conflict.positive_weights.round(6), xor.conflict.point.round(6)
    (False, array([0.5, 0.5]), array([0.5, 0.5]))

    References
    ----------
    Bennett and Mangasarian, Robust linear programming discrimination of two linearly inseparable sets, Optimization
    Methods and Software 1 (1992).
    """
    from scipy import sparse

    above, below = _matrix(positive), _matrix(negative)
    if above.shape[1] != below.shape[1]:
        raise InputError(
            f"positive has {above.shape[1]} columns and negative {below.shape[1]}; give both the same columns."
        )
    n = above.shape[0]
    both: Any = (above, below)
    X = sparse.vstack(both, format="csr") if any(map(sparse.issparse, both)) else np.vstack(both)
    rows = _Rows.of(X, np.repeat([1.0, -1.0], [n, below.shape[0]]), intercept=True)
    beta, active, dual = _search(rows)
    if (found := _verified(rows, beta)) is not None:
        return Separation(*found, None)
    if (conflict := _twins(rows) or _coincidence(rows, active, dual)) is not None:
        return Separation(None, None, conflict)
    raise SeparatrixError(
        "The two classes lie closer than rounding can tell: neither a separating direction nor a conflict could be "
        "verified. Subtract a common offset from each column, or leave out columns that are nearly constant."
    )


def configuration(
    X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, intercept: bool = True
) -> Configuration:
    """Tell complete separation, quasi-complete separation and overlap apart.

    Complete: some (w, w0) has y f(x) > 0 on every row. Quasi: some (w, w0) has y f(x) ≥ 0 on every row and > 0 on at least
    one. In both cases the maximum-likelihood estimate of logistic regression does not exist.

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
    >>> found = configuration([[1, 5], [2, 3], [2, 4], [3, 1]], [-1, -1, 1, 1])
    >>> found.kind, found.strict_rows, found.columns
    ('complete', array([0, 1, 2, 3]), array([0, 1]))
    >>> configuration([[1], [2], [2], [3]], [-1, -1, 1, 1]).boundary_rows
    array([1, 2])

    References
    ----------
    Konis, Linear programming algorithms for detecting separated data in binary logistic regression models, DPhil
    thesis, Oxford 2007.
    """
    matrix, sign = _matrix(X), np.where(np.asarray(y) > 0, 1.0, -1.0)
    weight = np.ones(matrix.shape[0]) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if sign.shape != weight.shape or sign.shape != matrix.shape[:1]:
        raise InputError(
            f"X has {matrix.shape[0]} rows, y {sign.shape} and sample_weight {weight.shape}; give one value per row."
        )
    kept = np.flatnonzero(weight > 0)
    rows = _Rows.of(matrix if kept.size == len(sign) else matrix[kept], sign[kept], intercept)
    beta, *_ = _search(rows)
    if (found := _verified(rows, beta)) is not None:
        w, w0 = found
        return Configuration("complete", w, w0, kept, kept[:0], _columns(beta))
    beta, left = _recession(rows)
    if left.all():
        return Configuration("overlap", None, None, kept[:0], kept, kept[:0])
    w, w0 = rows.unscale(beta)
    least = (rows.y * (rows.X @ w + w0))[~left].min()
    return Configuration("quasi", w / least, w0 / least, kept[~left], kept[left], _columns(beta))


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The rows as given, and what turns them into a_i."""

    X: Any
    y: Floats
    c: Floats
    s: Floats
    intercept: bool

    @classmethod
    def of(cls, X: Any, y: Floats, intercept: bool) -> _Rows:
        if len(y) == 0 or (intercept and abs(y.sum()) == len(y)):
            raise InputError(f"All {len(y)} rows are of one class; rows of both classes are needed.")
        c = (
            np.median(X[:: 1 + len(y) // 10_000], axis=0)
            if intercept and isinstance(X, np.ndarray)
            else np.zeros(X.shape[1])
        )
        # Geometric mean of the sizes: one wild row must not push all others below the tolerances, as a maximum would.
        logs, count = np.zeros(c.size), np.full(c.size, 1e-300)
        for part in _parts(X):
            if isinstance(X, np.ndarray):
                D = np.abs(X[part] - c)
                i, j = np.nonzero(
                    D > 8 * np.finfo(float).eps * np.abs(c)
                )  # not > 0: rounding noise around c is no size
                d = D[i, j]
            else:
                d, j = np.abs(X[part].data), X[part].indices
            logs += np.bincount(j, np.log(d), c.size)
            count += np.bincount(j, minlength=c.size)
        return cls(X, y, c, np.exp(logs / count), intercept)

    def take(self, part: Indices | slice) -> Any:
        """Return the rows a_i (k, p + 1), sparse where X is."""
        from scipy import sparse

        X, y = self.X[part], self.y[part, None]
        one = np.full(y.shape, float(self.intercept))
        if isinstance(X, np.ndarray):
            Z = (X - self.c) / self.s
            r = np.maximum(np.abs(Z).max(axis=1, keepdims=True), one)
            return np.hstack([Z, one]) * (y / np.where(r > 0, r, 1))
        Z = X @ sparse.diags_array(1 / self.s)
        r = np.maximum(abs(Z).max(axis=1).toarray().reshape(-1, 1), one)
        return sparse.csr_array(sparse.diags_array((y / np.where(r > 0, r, 1)).ravel()) @ sparse.hstack([Z, one]))

    def margins(self, beta: Floats) -> Floats:
        """a_i'β for every row."""
        return np.concatenate([self.take(part) @ beta for part in _parts(self.X)])

    def total(self, weight: Floats) -> Floats:
        """Σ weight_i a_i."""
        return np.sum([self.take(part).T @ weight[part] for part in _parts(self.X)], axis=0)

    def unscale(self, beta: Floats) -> tuple[Floats, float]:
        """(w, w0) in the units of X."""
        w = beta[:-1] / self.s
        return w, float(beta[-1] - w @ self.c)


def _matrix(X: Any) -> Any:
    """X as a finite float64 array or CSR without stored zeros."""
    from scipy import sparse

    from separatrix.data.arrays import check_dense, check_sparse

    if sparse.issparse(X):
        rows = check_sparse(X).astype(np.float64)
        rows.eliminate_zeros()
        values = rows.data
    else:
        values = rows = np.asarray(check_dense(X), dtype=np.float64)
    if not np.isfinite(values).all():
        raise InputError("X contains NaN or infinity; finite numbers are needed: fill in or drop these rows first.")
    return rows


def _parts(X: Any) -> Iterator[slice]:
    step = max(1, CELLS // X.shape[1])
    return (slice(begin, begin + step) for begin in range(0, X.shape[0], step))


def _search(rows: _Rows, gain: Floats | None = None) -> tuple[Floats, Indices, Floats]:
    """Solve the program over a growing set of rows; return β, the rows that took part and their dual values."""
    size = max(200, 2 * len(rows.c))
    sides = [np.flatnonzero(rows.y == side) for side in (1.0, -1.0)]
    share = np.where(rows.y > 0, 1 / max(1, len(sides[0])), 1 / max(1, len(sides[1])))
    m = rows.margins(rows.total(share))  # along the difference of the class means, the rows nearest the other class
    active = np.sort(np.concatenate([side[np.argsort(m[side], kind="stable")[:size]] for side in sides]))
    while True:
        beta, value, dual = _program(rows.take(active), gain)
        m = rows.margins(beta)
        wrong = np.setdiff1d(np.flatnonzero(m < (value / 2 if gain is None else -TOUCHING)), active)
        if value <= TOUCHING or not wrong.size:
            return beta, active, dual
        active = np.union1d(active, wrong[np.argsort(m[wrong], kind="stable")[:size]])


def _program(A: Any, gain: Floats | None) -> tuple[Floats, float, Floats]:
    """max ρ, or gain'β with ρ = 0, subject to Aβ ≥ ρ and ‖w‖₁ ≤ 1, in the variables (w⁺, w⁻, w0, ρ) of which w⁺, w⁻, ρ ≥ 0."""
    from scipy import optimize, sparse

    k, p = A.shape[0], A.shape[1] - 1
    W, b, ones = A[:, :p], A[:, [p]], np.ones((k, 1))
    ball = np.append(np.ones(2 * p), [0.0, 0.0])[None]
    dense = isinstance(A, np.ndarray)
    sides = np.hstack([-W, W, -b, ones]) if dense else sparse.hstack([-W, W, -b, ones])
    limits = np.vstack([sides, ball]) if dense else sparse.vstack([sides, ball], format="csc")
    goal = np.append(np.zeros(p + 1), 1.0) if gain is None else np.append(gain, 0.0)
    bounds = np.tile([0.0, np.inf], (2 * p + 2, 1))
    bounds[2 * p, 0] = -np.inf
    if gain is not None:
        bounds[-1] = 0.0
    options = {"primal_feasibility_tolerance": LP_TOLERANCE, "dual_feasibility_tolerance": LP_TOLERANCE}
    cost = -np.concatenate([goal[:p], -goal[:p], goal[p:]])
    for method in ("highs-ds", "highs-ipm"):  # simplex for a vertex; interior point (then a vertex) where it gives up
        found = optimize.linprog(
            cost, limits, np.append(np.zeros(k), 1.0), bounds=bounds, method=method, options=options
        )
        if found.status == 0:
            beta = np.append(found.x[:p] - found.x[p : 2 * p], found.x[2 * p])
            return beta, -float(found.fun), -np.asarray(found.ineqlin.marginals[:k])
    raise SeparatrixError(f"HiGHS could not solve the separation program: {found.message}")


def _verified(rows: _Rows, beta: Floats) -> tuple[Floats, float] | None:
    """(w, w0) scaled to y f(x) ≥ 1 in whatever order float64 sums f, or None where rounding may hide a wrong side."""
    w, w0 = rows.unscale(beta)
    least = np.inf
    for part in _parts(rows.X):
        f = rows.y[part] * (rows.X[part] @ w + w0)
        error = (len(w) + 2) * np.finfo(float).eps * (abs(rows.X[part]) @ np.abs(w) + abs(w0))
        least = min(least, float((f - 2 * error).min()))
    return (w / least, w0 / least) if least > 0 else None


def _twins(rows: _Rows) -> Conflict | None:
    """The shortest conflict: one point in both classes."""
    keys: list[bytes]
    if isinstance(rows.X, np.ndarray):
        keys = [x.tobytes() for x in rows.X + 0.0]  # + 0.0 turns -0 into 0
    else:
        cuts = [slice(*ends) for ends in zip(rows.X.indptr, rows.X.indptr[1:])]
        keys = [rows.X.indices[cut].tobytes() + rows.X.data[cut].tobytes() for cut in cuts]
    above = {key: i for i, key in reversed(list(enumerate(keys))) if rows.y[i] > 0}
    for i, key in enumerate(keys):
        if rows.y[i] < 0 and key in above:
            return _conflict(rows, np.array([above[key], i]), np.ones(2))
    return None


def _coincidence(rows: _Rows, active: Indices, dual: Floats) -> Conflict | None:
    """The conflict in the dual values of the largest margin, Σ dual_i a_i = 0, solved again on its few rows for full digits."""
    support = active[dual > 1e-12 * dual.max()]
    A, u = rows.take(support), dual[dual > 1e-12 * dual.max()]
    first = _conflict(
        rows, support, u * abs(A @ np.append(np.zeros(len(rows.c)), 1.0))
    )  # the last entry of a_i is y_i/r_i
    if A.shape[0] * A.shape[1] > CELLS:
        return first
    M = A.T if isinstance(A, np.ndarray) else A.T.toarray()
    M = M / np.abs(M[-1])
    system = np.vstack([M, rows.y[support] > 0])
    u, *_ = np.linalg.lstsq(system, np.append(np.zeros(len(M)), 1.0), rcond=None)
    return (_conflict(rows, support[u > 1e-12], u[u > 1e-12]) if (u > -1e-9).all() else None) or first


def _conflict(rows: _Rows, support: Indices, u: Floats) -> Conflict | None:
    """Return the conflict if its points coincide: Σ u_i y_i z_i within TOUCHING of 0, relative to Σ u_i |z_i| above 1."""
    from scipy import sparse

    above, below = rows.y[support] > 0, rows.y[support] < 0
    if not (above.any() and below.any()):
        return None
    u = u / np.where(above, u[above].sum(), u[below].sum())
    A = rows.take(support)
    Z = sparse.diags_array(1 / abs(A @ np.append(np.zeros(len(rows.c)), 1.0))) @ A
    if (abs(Z.T @ u) > TOUCHING * np.maximum(1, abs(Z).T @ u)).any():
        return None
    point = rows.X[support[above]].T @ u[above]
    return Conflict(support[above], u[above], support[below], u[below], point)


def _recession(rows: _Rows) -> tuple[Floats, NDArray[np.bool_]]:
    """Add up directions of recession until none makes another row strict; return their sum and the rows left."""
    beta, left = np.zeros(len(rows.c) + 1), np.ones(len(rows.y), dtype=bool)
    while left.any():
        gain = rows.total(left.astype(np.float64))
        if not (size := np.abs(gain).max()) > TOUCHING:
            break
        step = _snapped(rows, _search(rows, gain / size)[0])
        m = rows.margins(step)
        if m.min() < -TOUCHING or not (left & (m > STRICT)).any():
            break
        beta, left = beta + step, left & (m <= STRICT)
    return beta, left


def _snapped(rows: _Rows, beta: Floats) -> Floats:
    """Move β to the nearest direction that is 0 on the rows it leaves on the boundary, without new columns.

    The program leaves them within its tolerance of 0, which many rows can add up to a separation that is none.
    """
    from scipy.sparse.linalg import lsmr

    support = np.flatnonzero(np.abs(beta) > TOUCHING)
    A = rows.take(np.flatnonzero(np.abs(rows.margins(beta)) <= STRICT))[:, support]
    snapped = np.zeros_like(beta)
    if isinstance(A, np.ndarray):
        snapped[support] = beta[support] - np.linalg.lstsq(A, A @ beta[support], rcond=None)[0]
    else:
        snapped[support] = (
            beta[support] - lsmr(A, A @ beta[support], atol=1e-15, btol=1e-15, maxiter=10 * sum(A.shape))[0]
        )
    return snapped


def _columns(beta: Floats) -> Indices:
    return np.flatnonzero(np.abs(beta[:-1]) > TOUCHING * np.abs(beta[:-1]).max())
