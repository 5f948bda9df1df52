"""Hinge machines without single rows or folds: one fit to all digits, then a path for each (`hinge_path`), where that is less work.

A path turns about q √r times where r of its rows have a multiplier. Each turn moves the rows on the margin, at most q, and every second one
the margins of the rows near theirs, of which there are about four for each turn.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...array_types import Floats, Folds
from ..margins import svm
from ..margins.method import fit_seconds
from ..problem import Problem
from ..span import Span
from .hinge_path import HingePath
from .left_out_newton import LeftOutScores

EXACT = 1e-12
"""Gap of the fit from which paths begin, as a share of its objective."""
VALUES = 2e7
"""Values of dense rows that there is room for."""
VALUE, MOVE, NEAR = 5e-10, 4e-9, 4.0
"""Seconds of a turn for each value of the rows near their margin, and for each product of two columns; such rows for each turn."""
REFIT, BEGUN = 3.0, 1.5e-3
"""Seconds of a refit for each second of its solver's steps or epochs, and of what is done beside them."""


def hinge_scores(problem: Problem, ridge: float, coef: Floats, intercept: Floats, folds: Folds, n_jobs: int | None) -> LeftOutScores | None:
    """Return the scores (n, R) of rows under the machines without their folds, and which need a refit; None where refits are less work.

    Parameters
    ----------
    problem : Problem with a hinge and rows held in memory
    ridge : float
        ρ of `Machine`.
    coef, intercept : (R, p), (R,) of the fit of all rows
    folds : (n,) fold numbers, −1 for never
    n_jobs : threads
    """
    X, codes, weight = problem.rows.X, problem.rows.codes, problem.rows.weight
    assert codes is not None
    if X.shape[0] * min(X.shape) > VALUES:
        return None
    machines = np.arange(problem.n_classes) if len(coef) > 1 else np.array([1])
    Y = np.where(codes == machines[:, None], 1.0, -1.0)
    scores = np.asarray(X @ coef.T) + intercept
    touched = (Y.T * scores <= 1.0) & (folds >= 0)[:, None]
    if not _is_less_work(problem, touched.sum(axis=0).max() / max(len(np.unique(folds[folds >= 0])), 1)):
        return None
    cap = (1.0 if weight is None else weight) * np.full(len(codes), 1.0 / (problem.strength * problem.total))
    found = svm.solve(replace(problem, tol=EXACT), ridge, False, machines)
    rows, centre = _coordinates(X, ridge)
    free, refit, held = ridge == 0.0, np.zeros(len(codes), dtype=bool), np.flatnonzero(folds >= 0)
    tasks = np.split(held[np.argsort(folds[held], kind="stable")], np.cumsum(np.bincount(folds[held]))[:-1])
    for k, (y, b) in enumerate(zip(Y, found.solution.intercept + found.solution.coef @ centre)):
        alpha = np.zeros(len(codes))
        alpha[found.support] = np.abs(found.dual[k])
        path = HingePath.of(rows, y, cap, alpha, float(b) if free else 0.0, free)
        if path is None:
            return LeftOutScores(scores, np.ones(len(codes), dtype=bool), True)
        scores[:, k] = path.y * path.margins
        # Without a multiplier among its rows a fold changes nothing; else all of them go.
        pulls = np.bincount(folds[held], path.alpha[held] > 0.0, minlength=len(tasks)) > 0.0
        chosen = np.flatnonzero(pulls)
        theta, certain = path.without([tasks[fold] for fold in chosen], n_jobs)
        for fold, own, is_certain in zip(chosen, theta, certain, strict=True):
            scores[tasks[fold], k] = rows[tasks[fold]] @ own[:-1] + own[-1]
            refit[tasks[fold]] |= not is_certain
    return LeftOutScores(scores, refit, True)


def _is_less_work(problem: Problem, removed: float) -> bool:
    """Whether a path that takes so many rows with a multiplier out is quicker than a refit."""
    n, q = problem.rows.X.shape[0], min(problem.rows.X.shape) + 1
    turns = q * np.sqrt(max(removed, 1.0))
    turn = VALUE * q * min(n, NEAR * turns) + MOVE * q**2
    return bool(turns * turn <= REFIT * fit_seconds(problem) + BEGUN)


def _coordinates(X: Any, ridge: float) -> tuple[Floats, Floats]:
    """Return dense rows in which all of θ but a free intercept is penalised, and the centre they are about; in their span where that is
    less.
    """
    centre = np.zeros(X.shape[1])
    if ridge == 0.0 and not sp.issparse(X):
        centre = X.mean(axis=0, dtype=np.float64)
    if X.shape[0] < X.shape[1]:
        rows = Span.of(X if sp.issparse(X) else X - centre).coordinates
    else:
        rows = X.toarray() if sp.issparse(X) else X - centre
    rows = np.asarray(rows, dtype=np.float64)
    if 0.0 < ridge < np.inf:
        rows = np.column_stack([rows, np.full(len(rows), 1.0 / np.sqrt(ridge))])
    return np.ascontiguousarray(rows), centre
