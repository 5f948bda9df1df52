"""Logistic regression without single rows or folds: Newton steps from the fit of all rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..array_types import Floats, Folds, Indices
from ..data import Source
from ..data.threads import single_threaded_blas
from ..solvers.choice import HESSIAN_WORK
from ..solvers.held_out.fold_work import kinked_refits_are_cheaper, refits_are_cheaper
from ..solvers.held_out.left_out_folds import leave_folds_out_curved
from ..solvers.held_out.left_out_newton import LeftOutRows, LeftOutScores, leave_folds_out, leave_rows_out, with_constant
from ..solvers.held_out.left_out_third import suits_third_order, third_order_scores
from ..solvers.problem import Problem, strength
from ..solvers.rows import Rows
from ..solvers.smooth.newton import Factor
from ..solvers.smooth.objective import Objective
from ..solvers.solution import Status
from .logistic_likelihood import MOST, LogisticLikelihood, hessian
from .page import Refused
from .parts import BALANCED

WORK = 4e9
"""Products up to which every left-out fit in doubt is polished; beyond, those which one step moves far."""


def logistic_folds(model: Any, likelihood: LogisticLikelihood) -> LogisticFolds | Refused:
    """Return held-out scores of logistic regression, or why folds are refitted."""
    if model.firth:
        return Refused("Firth's penalty changes with the rows that are left out")
    return BALANCED if isinstance(model.class_weight, str) else LogisticFolds(model, likelihood)


@dataclass(frozen=True, slots=True)
class LogisticFolds:
    """`HoldsFoldsOut` of logistic regression."""

    model: Any
    likelihood: LogisticLikelihood
    how: ClassVar[str] = "Newton steps from the fit of all rows, refits where they do not arrive"

    def scores(self, source: Source, folds: Folds, alone: bool) -> tuple[LeftOutScores, str] | None:
        """Return the scores (n, R) of rows held out of this fit, which of them need a refit, and how they were found; None where the
        coefficients are too many or not finite, and where refits cost less.

        Parameters
        ----------
        source : the rows of the fit, labelled by their codes
        folds : (n,) fold numbers, −1 for never
        alone : bool
            Whether every fold is one row.
        """
        model = self.model
        if len(model.coef_) * (model.n_features_in_ + 1) > MOST or model.solution_ is None or model.solution_.status is Status.SEPARABLE:
            return None
        objective, theta, ridge = self.likelihood.penalised(source)
        problem = objective.problem
        if problem.rows.X is None or problem.rows.codes is None:
            return None
        is_large = not alone and self._is_large(problem)
        if not alone and self._refits_are_cheaper(problem, is_large):
            return None
        if is_large:
            return self._folds_out(objective, theta, folds), "Newton steps"
        rows = self._left_out_rows(objective, theta, ridge.reshape(theta.shape))
        if alone:
            known = third_order_scores(rows) if suits_third_order(rows) else None
            doubtful = len(rows.codes) - (0 if known is None else int(known[1].sum()))
            found = leave_rows_out(rows, float(doubtful) * len(rows.codes) * theta.size <= WORK, known)
            return found, "Newton steps" if found.polished else "approximate leave-one-out"

        def curvature_of(chosen: Indices, at: Floats) -> Floats:
            weight = None if problem.rows.weight is None else problem.rows.weight[chosen]
            part = Rows.of_arrays(problem.rows.X[chosen], problem.rows.codes[chosen], weight, source)  # type: ignore[index]
            return hessian(Objective(replace(problem, rows=part), objective.centre, objective.shifts), at)

        return leave_folds_out(rows, folds, curvature_of, model.n_jobs), "Newton steps"

    @property
    def _is_smooth(self) -> bool:
        """Whether the penalty is L2."""
        return bool(self.model.l1_ratio == 0.0 and np.isfinite(self.model.C))

    def _refits_are_cheaper(self, problem: Problem, is_large: bool) -> bool:
        if self.model.l1_ratio > 0.0 and np.isfinite(self.model.C):
            return kinked_refits_are_cheaper(self._penalised(problem), self.model.solution_)
        return self._is_smooth and refits_are_cheaper(self._penalised(problem), is_large)

    def _penalised(self, problem: Problem) -> Problem:
        return replace(problem, strength=strength(self.model.C, problem.total))

    def _is_large(self, problem: Problem) -> bool:
        """Whether a Hessian for every step of every fold costs more than L-BFGS around the one of all rows, which knows no kinks."""
        smooth = self._is_smooth and not problem.rows.is_sparse
        return smooth and len(problem.rows.X) * float(problem.n_scores * (problem.n_features + 1)) ** 2 >= HESSIAN_WORK

    def _folds_out(self, objective: Objective, theta: Floats, folds: Folds) -> LeftOutScores:
        problem = objective.problem
        penalised = Objective(self._penalised(problem), objective.centre, objective.shifts)
        with single_threaded_blas():
            inverse = Factor(penalised.curved(theta)[2], len(theta)).inverse()
        return leave_folds_out_curved(penalised, theta, inverse, folds, self.model.n_jobs)

    def _left_out_rows(self, objective: Objective, theta: Floats, ridge: Floats) -> LeftOutRows:
        problem, model = objective.problem, self.model
        Z = with_constant(problem.rows.X, objective.centre, float(problem.fit_intercept))
        kappa = np.zeros_like(theta)
        kappa[:, :-1] = strength(model.C, 1.0) * model.l1_ratio
        free = np.ones(theta.shape, dtype=bool)
        free[:, -1] = problem.fit_intercept
        if model.l1_ratio > 0.0:
            free[:, :-1] = model.coef_ != 0.0
        weight = np.ones(Z.shape[0]) if problem.rows.weight is None else problem.rows.weight
        curvature = hessian(objective, theta) + np.diag(ridge.ravel())
        codes = problem.rows.codes
        assert codes is not None
        return LeftOutRows(Z, codes, weight, theta, ridge, kappa, free, curvature)
