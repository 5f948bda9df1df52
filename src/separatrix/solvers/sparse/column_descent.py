"""The quadratic step of a proximal Newton method on sparse columns, without their Gram matrix.

    minimise over x    g'(x − x₀) + ½‖A(x − x₀)‖² + λ₂/2 ‖x − x₀‖² + λ₁ Σ |x_j|,    A = diag(√h) [X_chosen, 1]

(the intercept, last, without the L1 term). Coordinate descent in random order finds the support in a few sweeps, columns that are
safely at 0 being left out. From there on sweeps take many to gain a digit, since columns are correlated: conjugate gradients on the
support do it in a few products, as long as no coefficient changes sign.

References
----------
Yuan, Ho and Lin (2012), An improved GLMNET for L1-regularized logistic regression, JMLR 13.
"""

from __future__ import annotations

import numpy as np

from ...array_types import Floats, Ints, Parts
from .l1_quadratic import violation

SWEEPS = 60
SETTLING = 4
"""Sweeps after which conjugate gradients take over where few columns still come or go."""
MOVING = 0.01
"""Share of the columns that may come or go in a sweep for that."""
PRODUCTS = 40
FLAT = 1e-14
"""Curvature along a direction, as a share of what its columns would have one by one, that is rounding: they cancel each other."""
FLOOR = 1e-10
"""Least curvature of a row, as a share of the largest: scores are computed back from weighted rows."""


class ColumnDescent:
    """The quadratic of some columns with row curvatures h (n,).

    Parameters
    ----------
    parts : data, indices and indptr of X by columns, indices unsigned
    chosen : (q,) columns
    h : (n,) ≥ 0
    l1, l2 : float
    has_intercept : bool
    random : (1,) state of the shuffling generator, which goes on

    Examples
    --------
    >>> parts = np.array([1.0, 2.0, 1.0]), np.array([0, 1, 1], dtype=np.uint32), np.array([0, 2, 3], dtype=np.uint32)
    >>> model = ColumnDescent(parts, np.array([0, 1]), np.ones(2), 1.0, 0.0, False, np.array([1]))
    >>> end, dz = model.minimise(np.array([-6.0, -1.0, 0.0]), np.zeros(3), 1e-12, 0.0)
    >>> end.round(9).tolist(), dz.round(9).tolist()
    ([1.0, 0.0, 0.0], [1.0, 2.0])
    """

    def __init__(
        self,
        parts: Parts,
        chosen: Ints,
        h: Floats,
        l1: float,
        l2: float,
        has_intercept: bool,
        random: Ints,
    ) -> None:
        from ...kernels.proximal import weigh

        self.l1, self.l2, self.random = l1, l2, random
        self.root = np.sqrt(np.maximum(h, FLOOR * float(h.max(initial=0.0))))
        self.total = float(self.root @ self.root) if has_intercept else 0.0
        indptr = parts[2]
        count = int((indptr[chosen + 1] - indptr[chosen]).sum())
        self.values, self.rows = np.empty(count), np.empty(count, dtype=np.uint32)
        self.starts, self.square = np.empty(len(chosen) + 1, dtype=np.uint64), np.empty(len(chosen))
        weigh(*parts, chosen, self.root, self.values, self.rows, self.starts, self.square)

    def minimise(self, g: Floats, start: Floats, share: float, slack: float) -> tuple[Floats, Floats]:
        """Return where the model is least, and the scores' change on the way there.

        Parameters
        ----------
        g, start : (q + 1,) gradient and coefficients, the intercept's last
        share : float
            Largest violation left, as a share of that at the start, both in units of the columns.
        slack : float
            Entry of the subgradient that counts as 0.
        """
        from ...kernels.dual_svm import shuffle
        from ...kernels.proximal import column_sweep

        q = len(start) - 1
        x, v, out, shift = start[:-1].copy(), np.zeros(len(self.root)), np.zeros(2), 0.0
        order, active, limit = np.arange(q), q, np.inf
        fixed = self.values, self.rows, self.starts, self.square, g[:-1], start[:-1], self.l1, self.l2, slack
        wanted, since = share * self.worst(g[:-1], start[:-1]), 0
        for _ in range(SWEEPS):
            shift += self._intercept(g[-1], v)
            shuffle(order, active, self.random)
            whole = active == q
            active = column_sweep(*fixed, order, active, limit, x, v, out)
            limit, since = out[0], since + 1
            if out[0] <= wanted:
                if whole:
                    break
                active, limit = q, np.inf
            elif since >= SETTLING and out[1] <= MOVING * q:
                shift += self._intercept(g[-1], v)
                shift += self._polish(g[:-1], start[:-1], x, v, 0.1 * wanted)
                active, limit, since = q, np.inf, 0
        shift += self._intercept(g[-1], v)
        return np.append(x, start[-1] + shift), self.unweighted(v)

    def worst(self, g: Floats, start: Floats) -> float:
        """Return the largest violation at the start, in units of the columns: √ of their curvatures."""
        units = np.sqrt(np.maximum(self.square + self.l2, np.finfo(float).tiny))
        return float((violation(g, start, np.full(len(g), self.l1)) / units).max(initial=0.0))

    def unweighted(self, v: Floats) -> Floats:
        """Return scores (n,) from those of weighted rows."""
        return v / np.where(self.root > 0.0, self.root, 1.0)

    def _intercept(self, g: float, v: Floats) -> float:
        """Move the intercept to where its own slope is 0; return by how much."""
        if self.total <= 0.0:
            return 0.0
        d = -(g + float(self.root @ v)) / self.total
        v += d * self.root
        return d

    def _polish(self, g: Floats, start: Floats, x: Floats, v: Floats, wanted: float) -> float:
        """Move x and v to the minimum on the coefficients in use, or towards it while all keep their signs; return the intercept's move.

        Conjugate gradients on the support, the intercept being eliminated.
        """
        used = np.flatnonzero(x)
        if len(used) == 0:
            return 0.0
        r = -(self.dot(used, v) + g[used] + self.l2 * (x[used] - start[used]) + self.l1 * np.sign(x[used]))
        scale = 1.0 / np.maximum(self.square[used] + self.l2, np.finfo(float).tiny)
        roots = np.sqrt(scale)
        step, moved, shift = np.zeros(len(used)), np.zeros(len(v)), 0.0
        s = scale * r
        d, old = s, float(r @ s)
        for _ in range(PRODUCTS):
            if (np.abs(r) * roots).max() <= wanted or old <= 0.0:
                break
            Ad = self.add(used, d)
            along = float(self.root @ Ad) / self.total if self.total > 0.0 else 0.0
            Ad -= along * self.root
            Hd = self.dot(used, Ad) + self.l2 * d
            curvature = float(d @ Hd)
            if curvature <= FLAT * float(d @ (d / scale)):
                break
            a = old / curvature
            step += a * d
            moved += a * Ad
            shift -= a * along
            r -= a * Hd
            s = scale * r
            new = float(r @ s)
            d, old = s + (new / old) * d, new
        crossing = crossings(x[used], step)
        t = min(1.0, float(crossing.min()))
        x[used] += t * step
        x[used[crossing <= t]] = 0.0
        v += t * moved
        return t * shift

    def add(self, used: Ints, d: Floats) -> Floats:
        """Return A d of the columns listed."""
        from ...kernels.proximal import add_columns

        total = np.zeros(len(self.root))
        add_columns(self.values, self.rows, self.starts, used, d, total)
        return total

    def dot(self, used: Ints, v: Floats) -> Floats:
        """Return A'v of the columns listed."""
        from ...kernels.proximal import dot_columns

        out = np.empty(len(used))
        dot_columns(self.values, self.rows, self.starts, used, v, out)
        return out


def crossings(x: Floats, step: Floats) -> Floats:
    """Return how far along the step each coefficient reaches 0; infinity where it goes away from it."""
    towards = step * np.sign(x) < 0.0
    reached: Floats = np.divide(-x, step, out=np.full(len(x), np.inf), where=towards)
    return reached
