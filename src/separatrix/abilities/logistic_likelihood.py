"""Log-likelihood, number of parameters and Hessian of logistic regression, for AIC, BIC and held-out rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from ..array_types import Floats
from ..data import Source
from ..errors import CapacityError, InputError
from ..inference.logistic import FisherInformation, effective_parameters
from ..inference.parameters import Likelihood
from ..solvers.problem import Problem, strength
from ..solvers.smooth.newton import column_means
from ..solvers.smooth.objective import Objective
from ..solvers.solution import Solution
from .likelihood import sum_over_rows

MOST = 2_000
"""Coefficients up to which a Hessian is formed: 32 MB."""
KEPT = 300
"""Coefficients up to which a fit without penalty keeps its Fisher information."""


class Logistic(Protocol):
    """What is read of a logistic regression."""

    C: float
    l1_ratio: float
    firth: bool
    fit_intercept: bool
    class_weight: Any
    classes_: NDArray[Any]
    coef_: Floats
    intercept_: Floats
    n_features_in_: int
    solution_: Solution | None
    evidence_: FisherInformation | None

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of the posteriors."""
        ...


def is_penalised(model: Logistic) -> bool:
    """Whether a penalty keeps the coefficients from their maximum-likelihood estimate."""
    return not (model.firth or np.isinf(model.C))


@dataclass(frozen=True, slots=True)
class LogisticLikelihood:
    """`HasLikelihood` of p(y | x).

    Attributes
    ----------
    model : Logistic
    problem : from labelled rows to what the model minimises on them
    """

    model: Logistic
    problem: Callable[[Source], Problem]
    how: ClassVar[str] = "likelihood p(y | x); with an L2 penalty the effective number of parameters"
    default: ClassVar[Likelihood] = "conditional"
    of_labels_alone: ClassVar[bool] = True

    def judge(self, source: Source | None, likelihood: Likelihood) -> tuple[float, float, float]:
        """Return log L, n = Σ w and the number of parameters of rows, or of those that were fitted."""
        if likelihood != "conditional":
            raise InputError(
                f"likelihood={likelihood!r} does not exist for {type(self.model).__name__}, which models p(y | x) and not x; "
                "use likelihood='conditional', and compare it with conditional likelihoods only."
            )
        if source is not None:
            return (*sum_over_rows(self.model.predict_log_proba(source), source), self.parameters_of(source))
        kept = self.model.evidence_
        if kept is None:
            raise InputError(
                "This model keeps no rows, so its likelihood needs them: aic(X, y) with the rows that were fitted. Only fits without a "
                f"penalty or class weights, with up to {KEPT} coefficients, can do without."
            )
        return kept.log_likelihood, kept.n, kept.n_parameters

    def parameters(self) -> float:
        """Return the number of parameters where it can be counted without the rows."""
        whole, model = self.whole_parameters(), self.model
        if whole is None:
            raise InputError(
                f"The number of parameters of a fit with an L2 penalty (C={model.C:g}, l1_ratio={model.l1_ratio:g}) depends on the rows: "
                "effective_parameters(X, y)."
            )
        return whole

    def whole_parameters(self) -> int | None:
        """Return k where it is a whole number, that of the coefficients not 0; None where an L2 penalty makes it a fraction."""
        model = self.model
        classes, p = len(model.classes_), model.n_features_in_
        intercepts = (classes - 1) * bool(model.fit_intercept)
        if not is_penalised(model):
            gone = 0 if model.solution_ is None or model.solution_.dependent is None else len(model.solution_.dependent)
            return (classes - 1) * (p - gone) + intercepts
        return int(np.count_nonzero(model.coef_)) + intercepts if model.l1_ratio == 1.0 else None

    def parameters_of(self, source: Source) -> float:
        """Return k: counted, or with an L2 penalty tr((H + P)⁺ H) on the rows of the fit."""
        whole = self.whole_parameters()
        if whole is not None:
            return float(whole)
        objective, theta, penalty = self.penalised(source)
        active = np.column_stack([self.model.coef_ != 0.0, np.full(len(theta), bool(self.model.fit_intercept))]).ravel()
        return effective_parameters(hessian(objective, theta), penalty, active)

    def penalised(self, source: Source) -> tuple[Objective, Floats, Floats]:
        """Return the likelihood of rows (class weights included), θ (R, q) and the diagonal (Rq,) of the Hessian of the L2 penalty."""
        problem, model = self.problem(source), self.model
        if problem.n_scores * (problem.n_features + 1) > MOST:
            raise CapacityError(
                f"The effective number of parameters needs a Hessian of {problem.n_scores * (problem.n_features + 1):,} coefficients; "
                f"up to {MOST:,} are possible. Use an L1 penalty (l1_ratio=1), whose parameters are counted, or cross-validation."
            )
        objective = Objective(replace(problem, strength=0.0), *column_means(problem, also_streamed=True))
        theta = np.column_stack([model.coef_, model.intercept_ + model.coef_ @ objective.centre * problem.fit_intercept])
        penalty = np.zeros_like(theta)
        penalty[:, :-1] = strength(model.C, 1.0) * (1.0 - model.l1_ratio)
        return objective, theta, penalty.ravel()


def hessian(objective: Objective, theta: Floats) -> Floats:
    """Return the Hessian (Rq, Rq) of the sum of losses."""
    return objective.problem.total * objective.curved(theta)[2]
