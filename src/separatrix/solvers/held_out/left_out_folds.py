"""Fits without folds of rows, by L-BFGS around the Hessian of the fit of all rows.

Without a fold the minimum moves little, but where classes are nearly separated its curvature moves much: whole Newton steps with the old
Hessian diverge, and a new Hessian in every step of every fold costs as much as refits. As the beginning H₀ of L-BFGS, which searches along
its directions and corrects them by what the gradients say, one Hessian, inverted once, serves all folds: each ends where its refit would,
by the same stop.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...array_types import Floats, Indices
from ...data.threads import ordered_map, single_threaded_blas, thread_count
from ..rows import Rows
from ..smooth import lbfgs
from ..smooth.line_search import answered
from ..smooth.objective import Objective
from ..solution import Status
from .left_out_newton import LeftOutScores

STEPS = 60
"""Steps after which a refit is cheaper."""


def leave_folds_out_curved(
    objective: Objective, theta: Floats, inverse: Floats, folds: NDArray[np.integer], n_jobs: int | None = None
) -> LeftOutScores:
    """Return the scores of the rows of each fold under the fit without them.

    Parameters
    ----------
    objective : Objective
        Over all rows, held in memory, with its L2 penalty.
    theta : (R, q) where it is least
    inverse : (Rq, Rq) inverse of its Hessian there; shifts of all scores left out
    folds : (n,) fold numbers, −1 for rows never held out
    n_jobs : threads
    """
    scores, refit = np.full((len(folds), len(theta)), np.nan), np.zeros(len(folds), dtype=bool)
    parts = [np.flatnonzero(folds == fold) for fold in range(int(folds.max()) + 1)]
    with single_threaded_blas():  # the folds are the parallelism
        found = ordered_map(lambda held: _one_fold(objective, theta, inverse, held), parts, thread_count(n_jobs))
        for held, (end, arrived) in zip(parts, found, strict=True):
            X = objective.problem.rows.X[held]
            scores[held] = (X - objective.centre if objective.shifts else X) @ end[:, :-1].T
            scores[held] += end[:, -1] if objective.shifts else objective.intercept(end)
            refit[held] = not arrived
    return LeftOutScores(scores, refit, True)


def _one_fold(objective: Objective, theta: Floats, inverse: Floats, held: Indices) -> tuple[Floats, bool]:
    """Return where L-BFGS ends over the rows that are not held out, and whether that is their minimum."""
    part = without(objective, held)
    if not (part.problem.counts > 0.0).all():
        return theta, False  # a class that goes with its rows: its scores would fall for ever
    # H of the mean loss over all rows is about that over the others.
    pairs = lbfgs.Pairs(lambda g: (inverse @ g.ravel()).reshape(g.shape), scales=False)
    end, _, _, status, _ = answered(lbfgs.iterations(part.problem, theta, *part.at(theta), pairs), part.at)
    return end, status is Status.CONVERGED


def without(objective: Objective, held: Indices) -> Objective:
    """Return the objective over the rows that are not held out, the penalty of the *sum* of losses as before."""
    problem = objective.problem
    rows = problem.rows
    assert rows.codes is not None
    kept = np.delete(np.arange(len(rows.codes)), held)
    weight = None if rows.weight is None else rows.weight[kept]
    counts = np.bincount(rows.codes[kept], weight, minlength=problem.n_classes).astype(np.float64)
    own = replace(
        problem,
        rows=Rows.of_arrays(rows.X[kept], rows.codes[kept], weight, rows.source),
        counts=counts,
        strength=problem.strength * problem.total / max(float(counts.sum()), 1e-300),
        max_iter=STEPS,
    )
    return Objective(own, objective.centre, objective.shifts)
