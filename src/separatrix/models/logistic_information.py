"""AIC, BIC and effective parameters of logistic regression."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..argument_types import is_among
from ..data import Source, as_source
from ..data.threads import single_threaded_blas
from ..errors import CapacityError, InputError, did_you_mean
from ..inference.likelihood import aic, bic
from ..inference.logistic import Evidence, effective_parameters
from ..solvers.problem import Problem
from ..solvers.smooth.likelihood import Likelihood
from ..solvers.smooth.newton import column_means
from ..solvers.smooth.objective import Objective
from ..solvers.solution import Solution, Status
from .information import sum_over_rows
from .loss_model import strength

if TYPE_CHECKING:
    from .loss_model import LossModel as Base
else:
    Base = object

Floats = NDArray[np.float64]

MOST = 2_000
"""Coefficients up to which a Hessian is formed: 32 MB."""
KEPT = 300
"""Coefficients up to which a fit without penalty keeps its Fisher information."""


class LogisticInformation(Base):
    """Log-likelihood, AIC and BIC of p(y | x)."""

    evidence_: Evidence | None
    firth: bool
    _models_labels_alone = True

    @property
    def _is_penalised(self) -> bool:
        return not (self.firth or np.isinf(self.C))

    def _keep(self, problem: Problem, solution: Solution) -> dict[str, Any]:
        """Return `class_prior_` and `evidence_`: the Fisher information of a small fit without penalty or class weights; else None."""
        shares = problem.counts / problem.total
        small = (problem.n_classes - 1) * (problem.n_features + 1) <= KEPT
        usable = solution.status is not Status.SEPARABLE
        if not (small and usable and problem.strength == 0.0 and self.class_weight is None):
            return {"class_prior_": shares, "evidence_": None}
        return {"class_prior_": shares, "evidence_": evidence_of(problem, solution.coef, solution.intercept, solution.dependent)}

    def _prior_attributes(self, priors: Floats, shift: Floats) -> dict[str, Any]:
        """Return intercepts, also those of the tables: known priors add a constant to them and nothing to their standard errors."""
        found = {**super()._prior_attributes(priors, shift), "class_prior_": priors}
        if self.evidence_ is not None:
            gamma = self.evidence_.gamma.copy()
            gamma[:, -1] += shift[1:] - shift[0]
            found["evidence_"] = replace(self.evidence_, gamma=gamma)
        return found

    def _checked_rows(self, X: Any, y: Any, sample_weight: Any) -> Source:
        """Return rows for a fitted model, their columns and labels checked against those of the fit."""
        self._rows(X)  # columns
        source = as_source(X, y, sample_weight, n_jobs=getattr(self, "n_jobs", None))
        known, found = self.classes_.tolist(), source.classes.tolist()  # type: ignore[union-attr]
        for label in [label for label in found if label not in known]:
            hint = did_you_mean(label, known)
            raise InputError(f"y contains the label {label!r}, which is not a class of this model.{hint} Classes: {known}.")
        return source.with_classes(self.classes_)

    def log_likelihood(self, X: Any = None, y: Any = None, *, likelihood: str = "conditional", sample_weight: Any = None) -> float:
        """Return Σ w_i log p(y_i | x_i) at the model's coefficients.

        Parameters
        ----------
        X, y : rows and their labels, or a table; default: the rows that were fitted, if the fit had no penalty and few columns
        likelihood : "conditional"
            The only one there is: logistic regression does not model x.
        sample_weight : (n,) weights, optional
            Frequencies.
        """
        return self._judged(X, y, likelihood, sample_weight)[0]

    def aic(self, X: Any = None, y: Any = None, *, likelihood: str = "conditional", sample_weight: Any = None) -> float:
        """Return Akaike's information criterion, 2k − 2 log L; smaller is better.

        k is (K − 1)(p + 1) without a penalty, the effective number of parameters tr(H_pen⁺ H) with L2, the number of coefficients that
        are not 0 and the intercepts with L1. Never compare it with the criteria of joint likelihoods.

        Parameters
        ----------
        X, y : rows and their labels, or a table; default: the rows that were fitted, if the fit had no penalty and few columns
        likelihood : "conditional"
            The only one there is.
        sample_weight : (n,) weights, optional
            Frequencies.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from separatrix.models.logistic import LogisticRegression
        >>> X, y = load_iris(return_X_y=True)
        >>> model = LogisticRegression(C=np.inf).fit(X[50:], y[50:])  # versicolor and virginica; setosa can be separated
        >>> model.n_parameters_, round(model.aic(), 4)
        (5, 21.8985)

        References
        ----------
        Akaike (1974), A new look at the statistical model identification, IEEE Trans. Automatic Control 19.
        """
        log_l, _, k = self._judged(X, y, likelihood, sample_weight)
        return aic(log_l, k)

    def bic(self, X: Any = None, y: Any = None, *, likelihood: str = "conditional", sample_weight: Any = None) -> float:
        """Return Schwarz's Bayesian information criterion, k log n − 2 log L with n = Σ w; smaller is better.

        Parameters
        ----------
        X, y, likelihood, sample_weight : as in `aic`

        References
        ----------
        Schwarz (1978), Estimating the dimension of a model, Annals of Statistics 6.
        """
        log_l, n, k = self._judged(X, y, likelihood, sample_weight)
        return bic(log_l, k, n)

    def effective_parameters(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return k of AIC and BIC: how many parameters the fit used.

            tr((H + P)⁺ H),    H the Hessian of −log L (of coefficients that are not 0), P that of the L2 penalty

        Parameters
        ----------
        X, y, sample_weight : the rows that were fitted

        References
        ----------
        Hastie and Tibshirani (1990), Generalized Additive Models, section 6.8.
        """
        check_is_fitted(self)
        return self._parameters(self._checked_rows(X, y, sample_weight))

    @property
    def n_parameters_(self) -> int:
        """Number of parameters, k in AIC and BIC; with an L2 penalty it needs the rows: `effective_parameters(X, y)`."""
        check_is_fitted(self)
        counted = self._counted()
        if counted is None:
            raise AttributeError(
                f"The number of parameters of a fit with an L2 penalty (C={self.C:g}, l1_ratio={self.l1_ratio:g}) depends on the rows: "
                "effective_parameters(X, y)."
            )
        return counted

    def _counted(self) -> int | None:
        """Return k where it can be counted, else None."""
        classes, p = len(self.classes_), self.n_features_in_
        intercepts = (classes - 1) * bool(self.fit_intercept)
        if not self._is_penalised:
            gone = 0 if self.solution_ is None or self.solution_.dependent is None else len(self.solution_.dependent)
            return (classes - 1) * (p - gone) + intercepts
        return int(np.count_nonzero(self._dense_coef())) + intercepts if self.l1_ratio == 1.0 else None

    def _judged(self, X: Any, y: Any, likelihood: str, sample_weight: Any) -> tuple[float, float, float]:
        """Return log L, n and k."""
        check_is_fitted(self)
        if not is_among(likelihood, ("conditional",)):
            raise InputError(
                f"likelihood={likelihood!r} does not exist for {type(self).__name__}, which models p(y | x) and not x; "
                "use likelihood='conditional', and compare it with conditional likelihoods only."
            )
        if X is None and y is None and sample_weight is None and getattr(self, "evidence_", None) is not None:
            assert self.evidence_ is not None
            return self.evidence_.log_likelihood, self.evidence_.n, self.evidence_.n_parameters
        if X is None:
            raise InputError(
                "This model keeps no rows, so its likelihood needs them: aic(X, y) with the rows that were fitted. Only fits without a "
                f"penalty or class weights, with up to {KEPT} coefficients, can do without."
            )
        return self._judge(self._checked_rows(X, y, sample_weight))

    def _judge(self, source: Source) -> tuple[float, float, float]:
        return (*sum_over_rows(self.predict_log_proba(source), source), self._parameters(source))

    def _parameters(self, source: Source) -> float:
        counted = self._counted()
        if counted is not None:
            return float(counted)
        objective, theta, penalty = self._penalised(source)
        active = np.column_stack([self._dense_coef() != 0.0, np.full(len(theta), bool(self.fit_intercept))]).ravel()
        return effective_parameters(self._hessian(objective, theta), penalty, active)

    def _penalised(self, source: Source) -> tuple[Objective, Floats, Floats]:
        """Return the likelihood of rows (class weights included), θ (R, q) and the diagonal (Rq,) of the Hessian of the L2 penalty."""
        problem = self._problem(source)
        if problem.n_scores * (problem.n_features + 1) > MOST:
            raise CapacityError(
                f"The effective number of parameters needs a Hessian of {problem.n_scores * (problem.n_features + 1):,} coefficients; "
                f"up to {MOST:,} are possible. Use an L1 penalty (l1_ratio=1), whose parameters are counted, or cross-validation."
            )
        objective = Objective(replace(problem, strength=0.0), *column_means(problem))
        coef = self._dense_coef()
        theta = np.column_stack([coef, self.intercept_ + coef @ objective.centre * problem.fit_intercept])
        penalty = np.zeros_like(theta)
        penalty[:, :-1] = strength(self.C, 1.0) * (1.0 - self.l1_ratio)
        return objective, theta, penalty.ravel()

    def _hessian(self, objective: Objective, theta: Floats) -> Floats:
        """Return the Hessian (Rq, Rq) of the sum of losses."""
        return objective.problem.total * objective.curved(theta)[2]


def evidence_of(problem: Problem, coef: Floats, intercept: Floats, aliased: NDArray[np.int64] | None) -> Evidence:
    """Return the evidence of a fit without penalty, in the columns that are not aliased."""
    with single_threaded_blas():  # chunks of rows are the parallelism
        likelihood = Likelihood(problem)
        gamma = likelihood.baseline(coef, intercept)
        return Evidence.of(likelihood, likelihood.at(gamma)) if aliased is None else Evidence.without(likelihood, gamma, aliased)
