"""Logistic regression without single rows or folds: Newton steps from the fit of all rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..data import Source
from ..data.threads import single_threaded_blas
from ..solvers.choice import HESSIAN_WORK
from ..solvers.held_out.left_out_folds import leave_folds_out_curved
from ..solvers.held_out.left_out_newton import LeftOutRows, LeftOutScores, leave_folds_out, leave_rows_out, with_constant
from ..solvers.problem import Problem
from ..solvers.rows import Rows
from ..solvers.smooth.newton import Factor
from ..solvers.smooth.objective import Objective
from ..solvers.solution import Status
from .logistic_information import LogisticInformation
from .loss_model import strength

Floats = NDArray[np.float64]

MOST = 2_000
"""Coefficients up to which the Hessian is factored for every fold."""
WORK = 4e9
"""Products up to which every left-out fit is polished; beyond, those which one step moves far."""


class LogisticLeftOut(LogisticInformation):
    """What evaluation asks of logistic regression: the scores of held-out rows, without refits."""

    @property
    def _holds_out(self) -> bool:
        """Whether `_hold_out` can serve: Firth's penalty and balanced class weights change with the rows that are left out."""
        return not self.firth and not isinstance(self.class_weight, str)

    def _hold_out(self, source: Source, folds: NDArray[np.int64], alone: bool) -> tuple[LeftOutScores, str] | None:
        """Return the scores (n, R) of rows held out of this fit, which of them need a refit, and how they were found; None where the
        coefficients are too many or not finite.

        Parameters
        ----------
        source : the rows of the fit, labelled by their codes
        folds : (n,) fold numbers, −1 for never
        alone : bool
            Whether every fold is one row.
        """
        p = self.n_features_in_
        if self.coef_.shape[0] * (p + 1) > MOST or self.solution_ is None or self.solution_.status is Status.SEPARABLE:
            return None
        objective, theta, ridge = self._penalised(source)
        problem = objective.problem
        if problem.rows.X is None or problem.rows.codes is None:
            return None
        if not alone and self._is_large(problem):
            return self._folds_out(objective, theta, folds), "Newton steps"
        rows = self._left_out_rows(objective, theta, ridge.reshape(theta.shape))
        if alone:
            n = len(rows.codes)
            found = leave_rows_out(rows, polish_all=float(n) * n * theta.size <= WORK)
            return found, "Newton steps" if found.polished else "approximate leave-one-out"

        def curvature_of(chosen: NDArray[np.intp], at: Floats) -> Floats:
            weight = None if problem.rows.weight is None else problem.rows.weight[chosen]
            part = Rows.of_arrays(problem.rows.X[chosen], problem.rows.codes[chosen], weight, source)  # type: ignore[index]
            return self._hessian(Objective(replace(problem, rows=part), objective.centre, objective.shifts), at)

        return leave_folds_out(rows, folds, curvature_of, self.n_jobs), "Newton steps"

    def _is_large(self, problem: Problem) -> bool:
        """Whether a Hessian for every step of every fold costs more than L-BFGS around the one of all rows, which knows no kinks."""
        smooth = self.l1_ratio == 0.0 and np.isfinite(self.C) and not problem.rows.is_sparse
        return smooth and len(problem.rows.X) * float(problem.n_scores * (problem.n_features + 1)) ** 2 >= HESSIAN_WORK

    def _folds_out(self, objective: Objective, theta: Floats, folds: NDArray[np.int64]) -> LeftOutScores:
        problem = objective.problem
        penalised = Objective(replace(problem, strength=strength(self.C, problem.total)), objective.centre, objective.shifts)
        with single_threaded_blas():
            inverse = Factor(penalised.curved(theta)[2], len(theta)).inverse()
        return leave_folds_out_curved(penalised, theta, inverse, folds, self.n_jobs)

    def _left_out_rows(self, objective: Objective, theta: Floats, ridge: Floats) -> LeftOutRows:
        problem = objective.problem
        Z = with_constant(problem.rows.X, objective.centre, float(problem.fit_intercept))
        n = Z.shape[0]
        kappa = np.zeros_like(theta)
        kappa[:, :-1] = strength(self.C, 1.0) * self.l1_ratio
        free = np.ones(theta.shape, dtype=bool)
        free[:, -1] = problem.fit_intercept
        if self.l1_ratio > 0.0:
            free[:, :-1] = self._dense_coef() != 0.0
        weight = np.ones(n) if problem.rows.weight is None else problem.rows.weight
        hessian = self._hessian(objective, theta) + np.diag(ridge.ravel())
        codes = problem.rows.codes
        assert codes is not None
        return LeftOutRows(Z, codes, weight, theta, ridge, kappa, free, hessian)
