"""A hinge machine without some of its rows, exact: the multipliers of the rows that go fall to 0 along a path.

The conditions of optimality of `machine` hold for multipliers α with v_i = α_i y_i, w = Σ v_i x_i and, where the intercept is free,
Σ v_i = 0, if

    y_i z_i ≥ 1 (α_i = 0),   y_i z_i = 1 (0 ≤ α_i ≤ c_i),   y_i z_i ≤ 1 (α_i = c_i)

A row with α_i = 0 can go: nothing changes. Of other rows D, v_D falls to 0 in proportion. The rows on the margin make up for that, by one
linear system, so that θ = (w, b) moves on a straight line until one of their multipliers meets a bound, and the row leaves the margin, or
another row meets its margin, and joins them. Only rows near their margins can: with M positive definite

    |x_j'(θ − θ₀)| ≤ √(x_j'M⁻¹x_j) √((θ − θ₀)'M(θ − θ₀))

At the end all conditions are looked at. Rows on the margin that others determine rest, with the multiplier they have, until the others
leave.

References
----------
Cauwenberghs and Poggio (2000), Incremental and decremental support vector machine learning, NIPS 13.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import lapack, qr, solve_triangular

from ...array_types import Bools, Floats, Indices
from ...data.threads import ordered_map, thread_count

AT_ZERO, BASIS, AT_CAP, RESTING, GONE = 0, 1, 2, 3, 4
"""Pieces of `kernels.margin_path`."""
MISSED = 1e-8
"""By how much a margin may miss its condition."""
BOUND = 1e-9
"""Distance from a bound, as a share of c, at which a multiplier is there."""
RANK, RAISED = 1e-9, 1e-8
"""Share of the first pivot below which rows determine each other, and by which the diagonal of M is raised."""
ROUNDS = 3
"""How often the system of the rows on the margin is solved again, against rounding."""
PART = 256
"""Tasks of one call of a kernel, which go on with what the last one has told of distances."""


@dataclass(frozen=True, slots=True, eq=False)
class HingePath:
    """The solution on all rows, from which paths begin.

    Attributes
    ----------
    X : (n, q) rows, about their mean, or with a constant 1/√ρ where the intercept is penalised
    y, cap, alpha : (n,) signs, c_i and multipliers
    theta : (q + 1,) w and b
    free : bool
        Whether the intercept is free.
    basis : (m,) independent rows on the margin
    inverse : of their products, bordered by ones where the intercept is free
    """

    X: Floats
    y: Floats
    cap: Floats
    alpha: Floats
    theta: Floats
    free: bool
    basis: Indices
    inverse: Floats

    @classmethod
    def of(cls, X: Floats, y: Floats, cap: Floats, alpha: Floats, b: float, free: bool) -> Self | None:
        """Return the exact solution that a solver's multipliers tell; None where they tell none, or b could be another.

        Examples
        --------
        >>> X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
        >>> path = HingePath.of(X, y, np.full(4, 9.0), np.array([0.0, 0.5, 0.5, 0.0]), -2.0, True)
        >>> theta, certain = path.without([np.array([1]), np.array([2, 3])])
        >>> theta[0].round(6).tolist(), certain.tolist()
        ([0.666667, -1.0], [True, False])
        """
        alpha = np.where(alpha <= BOUND * cap, 0.0, np.where(alpha >= (1.0 - BOUND) * cap, cap, alpha))
        inside = np.flatnonzero((alpha > 0.0) & (alpha < cap))
        if free and len(inside) == 0:
            return None
        basis = inside[independent(np.column_stack([X[inside], np.full(len(inside), float(free))]))]
        system = X[basis] @ X[basis].T
        if free:
            system = np.block([[np.zeros((1, 1)), np.ones((1, len(basis)))], [np.ones((len(basis), 1)), system]])
        try:
            inverse: Floats = np.linalg.inv(system).astype(np.float64, copy=False)
        except np.linalg.LinAlgError:
            return None
        v, theta = alpha * y, np.append(alpha * y @ X, b)
        for _ in range(ROUNDS):
            short = y[basis] - X[basis] @ theta[:-1] - theta[-1]
            moves = inverse @ (np.append(-v.sum(), short) if free else short)
            v[basis] += moves[int(free) :]
            theta[-1] += moves[0] if free else 0.0
            theta[:-1] = v @ X
        found = cls(X, y, cap, v * y, theta, free, basis, inverse)
        return found if found.missed <= MISSED else None

    @property
    def margins(self) -> Floats:
        """y_i z_i (n,)."""
        margins: Floats = self.y * (self.X @ self.theta[:-1] + self.theta[-1])
        return margins

    @property
    def missed(self) -> float:
        """By how much a margin misses its condition at the most, or a multiplier its bounds, as a share of the largest."""
        short, alpha, cap = 1.0 - self.margins, self.alpha, self.cap
        margins = max(float(short[alpha < cap].max(initial=0.0)), -float(short[alpha > 0.0].min(initial=0.0)))
        return max(margins, -float(np.minimum(alpha, cap - alpha).min()) / float(cap.max()))

    def without(self, tasks: list[Indices], n_jobs: int | None = None) -> tuple[Floats, Bools]:
        """Return θ (T, q + 1) without the rows of each task, and which of these are certain.

        Parameters
        ----------
        tasks : T lists of rows
        n_jobs : threads
        """
        from ...kernels.margin_path import leave_out

        reach, root = self._reach()
        order = np.argsort(reach, kind="stable")
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        lengths = np.sqrt(np.einsum("ij,ij->i", self.X, self.X) + 1.0)
        rows = [a[order] for a in (self.X, self.y, self.cap, lengths, reach)]
        state = [a[order] for a in (self._pieces(), self.alpha, self.margins)]
        solution = root, place[self.basis], np.ascontiguousarray(self.inverse)
        theta, worst = np.empty((len(tasks), len(self.theta))), np.empty(len(tasks))

        def run(begin: int) -> None:
            part = slice(begin, begin + PART)
            starts = np.cumsum([0, *map(len, tasks[part])], dtype=np.int64)
            given = starts, place[np.concatenate(tasks[part])]
            leave_out(*(*rows, *solution, *state, self.theta, int(self.free), *given, theta[part], worst[part]))

        list(ordered_map(run, range(0, len(tasks), PART), thread_count(n_jobs)))
        return theta, worst <= MISSED

    def _pieces(self) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
        pieces = np.where(self.alpha <= 0.0, AT_ZERO, np.where(self.alpha >= self.cap, AT_CAP, RESTING)).astype(np.int8)
        pieces[self.basis] = BASIS
        pieces[self.cap <= 0.0] = GONE
        return pieces

    def _reach(self) -> tuple[Floats, Floats]:
        """Return how far θ has to move until a row may meet its margin (n,), and the root of M: the basis first, then rows at rest."""
        Z = np.column_stack([self.X, np.ones(len(self.y))])
        M = Z.T @ Z / len(Z)
        units = np.sqrt(np.diag(M))
        units[units == 0.0] = 1.0
        M = M / units / units[:, None]
        raised, info = RAISED, 1
        while info != 0:
            np.einsum("jj->j", M)[:] += raised
            # Any metric serves, this one best: what rounding took from it is added.
            factor, info = lapack.dpotrf(M, lower=1, clean=1)
            raised *= 10.0
        root = np.ascontiguousarray(factor * units[:, None], dtype=np.float64)
        sizes = np.linalg.norm(solve_triangular(root, Z.T, lower=True, check_finite=False), axis=0)
        reach = np.abs(1.0 - self.margins) / sizes
        pieces = self._pieces()
        reach[pieces == RESTING], reach[pieces == GONE] = 0.0, np.inf
        reach[self.basis] = -1.0
        return reach, root


def independent(Z: Floats) -> Indices:
    """Return rows of Z that are independent of each other, as many as there are.

    Examples
    --------
    >>> independent(np.array([[1.0, 0.0], [3.0, 0.0], [0.0, 1.0]])).tolist()
    [1, 2]
    """
    if len(Z) == 0:
        return np.zeros(0, dtype=np.intp)
    R, order = qr(Z.T, mode="r", pivoting=True, check_finite=False)
    sizes = np.abs(np.diag(R))
    found: Indices = np.sort(order[: np.count_nonzero(sizes > RANK * sizes[0])])
    return found
