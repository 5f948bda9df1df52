"""Logistic loss with an L1 part, two classes: one compiled call from the first step to the last, then the certificate.

The method is that of `kernels.l1_newton`, on rows in memory: sparse ones of any number, dense ones where calls from Python would be most of
the time. What it leaves short of the tolerance (separated rows with hardly a penalty, columns of no curvature) goes on elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...array_types import Floats
from ...losses import Logistic
from ...summaries.grouped import NO_WEIGHT
from ...thresholds import L1_STEPS, THREADS
from ..checkpoint import active
from ..problem import Problem
from ..solution import Solution, Status
from .l1_ending import Distance, asked, distance

CUBES, SQUARES = 3.0, 60.0
"""Multiplications of a step's systems and sweeps beside those of its Hessian, in units of k³ for k columns with coefficients and of q²."""
PROVEN = 0.9
"""Share of the gap asked at which the call ends: what is left is for the rounding of the sums that follow."""
NOT_SPARSE = np.empty(0), np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int64)


def serves(problem: Problem) -> bool:
    """Whether rows and loss are those of this method, and dense rows so few that calls from Python would be most of the time."""
    rows, q = problem.rows, problem.n_features + 1
    if rows.X is None or not isinstance(problem.loss, Logistic) or active(problem) is not None:
        return False
    if rows.is_sparse:
        return True
    n = len(rows.X)
    k = min(n, q)  # no more columns than rows need a coefficient
    return not (THREADS.reached(rows.values) or L1_STEPS.reached(k * k * (n + CUBES * k) + SQUARES * q * q))


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows as the compiled call reads them, with means and units of dense columns, and root mean squares of the columns in these units."""

    Z: Floats
    parts: tuple[Any, ...]
    centre: Floats
    units: Floats
    sizes: Floats

    @classmethod
    def of(cls, problem: Problem) -> Table | None:
        """Return the rows of a problem, or None where sums over them are not finite."""
        from ...kernels import l1_rows as kernels

        rows, (n, p), fits = problem.rows, problem.rows.X.shape, bool(problem.fit_intercept)
        weight, q = NO_WEIGHT if rows.weight is None else rows.weight, p + fits
        centre, units, sizes = np.zeros(p), np.zeros(p), np.ones(q)
        if not rows.is_sparse:
            Z = np.empty((q, n))
            X = np.ascontiguousarray(rows.X, dtype=np.float64)
            return cls(Z, NOT_SPARSE, centre, units, sizes) if kernels.turn(X, rows.codes, weight, fits, Z, centre, units) else None
        X = rows.X
        parts = X.data.astype(np.float64, copy=False), X.indices.astype(np.int32, copy=False), X.indptr.astype(np.int64)
        kernels.add_squares(*parts, weight, units)
        if not np.isfinite(units.sum()):
            return None
        sizes[:p] = np.sqrt(np.where(units > 1e-280 * problem.total, units / problem.total, 1.0))
        return cls(np.empty((0, 0)), parts, centre, np.ones(p), sizes)


def solve(problem: Problem, most_work: float = np.inf) -> Solution | None:
    """Minimise a problem that this method serves; return None where sums over the rows are not finite.

    Parameters
    ----------
    problem : Problem
    most_work : values that may be read; where these are too few the status is that of too few steps

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> from separatrix.solvers.rows import Rows
    >>> rows = Rows.of(as_source([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [3.0, 1.0]], [0, 1, 0, 1]))
    >>> found = solve(Problem(rows, np.array([2.0, 2.0]), Logistic(), strength=0.15, l1_ratio=1.0))
    >>> found.status.value, found.coef.round(4).tolist(), found.gap < 1e-9
    ('converged', [[0.3258, 0.0]], True)
    """
    from ...kernels import l1_newton, l1_rows, margin_losses

    table = Table.of(problem)
    if table is None:
        return None
    rows, p, strength, total = problem.rows, problem.n_features, problem.strength, problem.total
    n, q, weight = rows.X.shape[0], len(table.sizes), NO_WEIGHT if rows.weight is None else rows.weight
    t, ridge = np.zeros(q), np.zeros(q)
    t[:p] = strength * problem.l1_ratio / table.units
    ridge[:p] = strength * (1.0 - problem.l1_ratio) / table.units**2
    theta, g, margin, work, bits, out = np.zeros(q), np.empty(q), np.empty(n), np.empty((3, n)), np.empty(n, dtype=np.int64), np.empty(10)
    if problem.start is not None:
        W, b = problem.start
        theta[:p], theta[p:] = W[0] * table.units, b[0] + W[0] @ table.centre
    else:
        theta[p:] = Logistic().constant_scores(problem.counts)
    given = table.Z, *table.parts, rows.codes, p
    ends = np.array([strength, PROVEN * asked(problem), PROVEN * problem.tol, problem.max_iter, most_work])
    steps: int = l1_newton.minimise(*given, weight, total, t, ridge, table.sizes, ends, theta, g, margin, work, bits, out)  # type: ignore[call-arg]
    if not np.isfinite(out[0]):
        return None
    # The margins are now computed from the coefficients, and not from the steps that led there.
    l1_rows.margins(*given, theta, margin)  # type: ignore[call-arg]
    if problem.fit_intercept:
        margin_losses.losses(margin, weight, work[0], work[1], work[2], bits)
        theta[p] += margin_losses.centre(rows.codes, weight, margin, work, bits)
    no_columns = np.empty(0), np.empty(0, dtype=np.uint32), np.zeros(1, dtype=np.int64)
    loss: float = l1_rows.evaluate(*given, *no_columns, weight, total, ridge, theta, margin, work, bits, g)  # type: ignore[call-arg]
    w = theta[:p] / table.units
    found = _distance(problem, table, w, (g - ridge * theta)[:p] * table.units, g[p:], loss, margin, float(work[1].sum()) / total)
    # The slopes that the last quadratic foretold may tell more of the gap: they are as good a point of the dual.
    foretold = float(out[6]) + max(found.objective - float(out[0]), 0.0)
    found = replace(found, gap=min(found.gap, foretold))
    small = found.is_small(problem)
    return Solution(
        coef=w[None],
        intercept=theta[p:] - w @ table.centre if problem.fit_intercept else np.zeros(1),
        status=Status.CONVERGED if small else Status.MAX_ITER if steps == problem.max_iter or out[2] > most_work else Status.STALLED,
        iterations=steps,
        passes=int(out[1]) + 1,
        objective=found.objective,
        gradient_norm=found.subgradient,
        gap=found.gap,
        solver="proximal newton in one call",
    )


def _distance(
    problem: Problem, table: Table, w: Floats, slopes: Floats, g_b: Floats, loss: float, margin: Floats, curvature: float
) -> Distance:
    """Return the distance of coefficients from the minimum, by the margins of the rows and their mean curvature."""
    from ...kernels.margin_losses import spilled

    weight = NO_WEIGHT if problem.rows.weight is None else problem.rows.weight

    def spill(t: float) -> float:
        return float(spilled(margin, weight, t)) / problem.total

    rest = float(g_b @ g_b) / max(curvature, np.finfo(float).tiny)  # twice ½ g_b²/h, as in gram_proximal
    units = table.units if len(table.Z) else table.sizes[: len(w)]
    return distance(problem, w[None], loss, slopes[None], g_b, units[None], spill, rest)
