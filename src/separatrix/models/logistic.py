"""Logistic regression, binary and multinomial."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..abilities import Abilities, offered
from ..abilities.column_sets import logistic_fits
from ..abilities.logistic_held_out import logistic_folds
from ..abilities.logistic_likelihood import KEPT, LogisticLikelihood
from ..abilities.parts import CoefficientBounds, Machines, WarmStart
from ..array_types import Floats
from ..data import Block, Source, unchanged
from ..data.device import DeviceSource
from ..data.namespaces import conversion
from ..decisions.class_weights import class_factors
from ..errors import InputError
from ..inference.logistic import FisherInformation, fisher_information
from ..losses import CrossEntropy, Logistic, Softmax
from ..solvers.problem import Problem, strength
from ..solvers.scores import per_class
from ..solvers.smooth.averaged import Averaged
from ..solvers.solution import Solution, Status
from .logistic_summary import influence_of, summary
from .logistic_tables import coefficient_intervals
from .loss_model import LossModel
from .posteriors import predict_log_proba, predict_proba


class LogisticRegression(LossModel):
    """Log-odds linear in x, by penalised maximum likelihood.

        two classes   log p/(1 − p) = w'x + b                     minimise C Σ s_i log(1 + e^(−y_i f_i)) + Ω(w)
        K classes     p_k ∝ exp(w_k'x + b_k)                      minimise −C Σ s_i log p_(y_i) + Ω(W)

    with Ω(w) = (1 − r)/2 ‖w‖² + r‖w‖₁, r = `l1_ratio`; the intercept is not penalised. More than two classes are fitted together, with
    Σ_k b_k = 0. The solver is chosen from the data (`solution_.solver`, `solution_.why`).

    Parameters
    ----------
    C : float
        Inverse strength of the penalty; `np.inf` for none.
    l1_ratio : float in [0, 1]
        0 for L2, 1 for L1, between for the elastic net.
    firth : bool
        Maximise the likelihood times Jeffreys' prior: finite coefficients with less bias, also for separated classes. It is a penalty of
        its own: leave C at its default or set it to `np.inf`; any other C, and an `l1_ratio`, is an error. Columns must not determine each
        other, and there is no `partial_fit`.
    fit_intercept : bool
    class_weight : dict, "balanced" or None
        Factors on the weights of the classes.
    max_iter : int
        Most iterations of the solver. Where half of them leave L-BFGS short of the tolerance, on rows held in memory, the other half are
        Newton's.
    tol : float
        The solver stops when no entry of the gradient of the mean loss exceeds it (in units of the columns: of all where there is no
        penalty, of large ones where there is) and the objective is within about tol/100 of its minimum, relatively: six digits by
        default. With an L1 part the duality gap proves tol², eight digits by default.
    warm_start : bool
        Begin at the coefficients of the last fit.
    random_state : int, RandomState or None
        Of a sample of rows or an order of coordinates; None is a fixed one.
    n_jobs : int, optional
        Threads; default: SEPARATRIX_NUM_THREADS or all CPUs this process may use.

    Attributes
    ----------
    classes_ : (K,) labels
    coef_, intercept_ : (1, p), (1,) for two classes, else (K, p), (K,)
    n_iter_ : (1,) iterations
    solution_ : Solution
        Objective, gradient norm, gap, passes, which solver ran and why; None after `partial_fit`.
    class_prior_ : (K,) shares of the classes in the fit, class weights included; None after `partial_fit`
    evidence_ : FisherInformation or None
        Fisher information and log-likelihood of a fit without penalty and with few columns, for `summary()`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression().fit(X, y)
    >>> int((model.predict(X) != y).sum()), model.solution_.solver
    (4, 'newton')

    References
    ----------
    Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, section 4.4.
    """

    averaging_: Averaged
    evidence_: FisherInformation | None
    _on_device = True
    _reweighs = True
    predict_proba, predict_log_proba = predict_proba, predict_log_proba
    summary, influence = summary, influence_of
    _records: ClassVar[dict[str, type]] = {**LossModel._records, "Averaged": Averaged, "FisherInformation": FisherInformation}

    def __init__(
        self,
        C: float = 1.0,
        l1_ratio: float = 0.0,
        *,
        firth: bool = False,
        fit_intercept: bool = True,
        class_weight: Any = None,
        max_iter: int = 100,
        tol: float = 1e-4,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.l1_ratio = l1_ratio
        self.firth = firth
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _abilities(self) -> Abilities:
        model: LogisticRegression = copy(self).densify() if sp.issparse(vars(self).get("coef_")) else self
        likelihood, page = LogisticLikelihood(model, self._problem), super()._abilities()
        page.folds = logistic_folds(model, likelihood)
        page.subset_fits = logistic_fits(self)
        page.likelihood = likelihood
        if not self.firth:
            how = "the solver begins at given coefficients; a path walks up C"
            doubted = self._passes if self.l1_ratio > 0.0 else None
            page.warm_start = WarmStart(how, "C", self._begin_at, self._path, self._be_rough, doubted)
        page.against_rest = Machines("machines of one class against the rest share every pass", self._fit_against_rest)
        page.intervals = CoefficientBounds("Wald intervals of fits without a penalty", lambda level: coefficient_intervals(self, level))
        return page

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
        likelihood = offered(self.abilities().likelihood)
        assert isinstance(likelihood, LogisticLikelihood)
        return likelihood.parameters_of(self._rows_of_fit(X, y, sample_weight))

    def _keep(self, problem: Problem, solution: Solution) -> dict[str, Any]:
        """Return `class_prior_` and `evidence_`: the Fisher information of a small fit without penalty or class weights; else None."""
        shares = problem.counts / problem.total
        small = (problem.n_classes - 1) * (problem.n_features + 1) <= KEPT
        usable = solution.status is not Status.SEPARABLE
        usable = usable and not isinstance(problem.rows.source, DeviceSource)
        if not (small and usable and problem.strength == 0.0 and self.class_weight is None):
            return {"class_prior_": shares, "evidence_": None}
        return {"class_prior_": shares, "evidence_": fisher_information(problem, solution.coef, solution.intercept, solution.dependent)}

    def _prior_attributes(self, priors: Floats, shift: Floats) -> dict[str, Any]:
        """Return intercepts, also those of the tables: known priors add a constant to them and nothing to their standard errors."""
        found = {**super()._prior_attributes(priors, shift), "class_prior_": priors}
        if self.evidence_ is not None:
            gamma = self.evidence_.gamma.copy()
            gamma[:, -1] += shift[1:] - shift[0]
            found["evidence_"] = replace(self.evidence_, gamma=gamma)
        return found

    def _loss(self, n_classes: int) -> CrossEntropy:
        return Logistic() if n_classes == 2 else Softmax()

    def _posterior_scores(self, block: Block) -> Floats:
        return per_class(self._scores(block))

    def _problem(self, source: Source) -> Problem:
        problem = super()._problem(source)
        return replace(problem, strength=0.0) if self.firth else problem

    def _solve(self, problem: Problem) -> Solution:
        if not self.firth:
            return super()._solve(problem)
        from ..solvers.smooth import firth

        return firth.solve(problem)

    def _needs_host(self) -> str | None:
        return "firth=True" if self.firth else super()._needs_host()

    def _check_params(self) -> None:
        super()._check_params()
        if not isinstance(self.firth, bool | np.bool_):
            raise InputError(f"firth={self.firth!r} must be True or False.")
        if self.firth and self.l1_ratio > 0.0:
            raise InputError(f"firth=True has no L1 penalty (l1_ratio={self.l1_ratio}); use l1_ratio=0, or firth=False.")
        if self.firth and np.isfinite(self.C) and self.C != 1.0:  # 1.0 is the default: nobody asked for it
            raise InputError(
                f"firth=True is a penalty of its own and takes no C={self.C}; leave C out or set C=np.inf, or use firth=False."
            )

    def _fit_against_rest(self, source: Source, targets: list[int]) -> list[Self] | None:
        """Return one fitted clone per target class, that class against the rest; None where the machines gain nothing from each other."""
        self._check_given()
        if self.firth or self.class_weight is not None or self.warm_start:
            return None
        from ..solvers.smooth import against_rest

        problem = replace(self._problem(source), loss=Logistic())
        solutions = against_rest.solve(problem, targets) if against_rest.serves(problem) else None
        if solutions is None or not all(solution.is_converged for solution in solutions):
            return None
        pairs = [(against_rest.against(problem, k), found) for k, found in zip(targets, solutions)]
        return [clone(self)._adopt(source, self._found(np.array([0, 1]), own, found)) for own, found in pairs]

    def _path(self, source: Source, values: Floats) -> Iterator[Self]:
        """Yield this model fitted at each C, increasing, all of them solved along one path."""
        from ..solvers.sparse.path import solve_path

        problem = self._problem(source)
        for C, solution in zip(values, solve_path(problem, values).solutions, strict=True):
            self.set_params(C=float(C))._report(solution, source, stacklevel=4)
            own = replace(problem, strength=strength(C, problem.total))
            yield self._adopt(source, self._found(source.classes, own, solution))

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn more rows, each once, by averaged stochastic gradient steps; `fit` on all rows at once is more exact.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`
        classes : all labels that will ever come; needed at the first call
        """
        first = not hasattr(self, "classes_")
        self._check_given()
        if self.firth:
            raise InputError("partial_fit has no Firth correction, which needs all rows at once; use fit, or firth=False.")
        if self.l1_ratio > 0.0:
            raise InputError(f"partial_fit has no L1 penalty (l1_ratio={self.l1_ratio:g}); use l1_ratio=0, or fit on all rows.")
        with unchanged(X):
            source = self._rows_to_add(X, y, classes, sample_weight)
            if isinstance(source, DeviceSource):
                raise InputError(f"partial_fit learns row by row, in NumPy; pass {conversion(source.X)}, or use fit.")
            state = self._learned(source, self._begin(source) if first or not hasattr(self, "averaging_") else self.averaging_)
            attributes = {
                "classes_": source.classes,
                "coef_": np.ascontiguousarray(state.mean[:, :-1]),
                "intercept_": state.mean[:, -1].copy(),
                "n_iter_": np.array([1], dtype=np.int32),
                "solution_": None,
                "class_prior_": None,
                "evidence_": None,
                "averaging_": state,
            }
            return self._adopt(source if first else None, attributes)

    def _begin(self, source: Source) -> Averaged:
        if hasattr(self, "coef_"):
            return Averaged.begin(self._dense_coef(), self.intercept_)
        assert source.classes is not None
        R = 1 if len(source.classes) == 2 else len(source.classes)
        return Averaged.begin(np.zeros((R, source.n_features)), np.zeros(R))

    def _learned(self, source: Source, state: Averaged) -> Averaged:
        assert source.classes is not None
        if isinstance(self.class_weight, str):
            raise InputError(
                f"class_weight={self.class_weight!r} needs all rows, which partial_fit does not have; "
                "pass a dict {label: weight} or sample_weight."
            )
        factors = class_factors(self.class_weight, source.classes, np.ones(len(source.classes)))
        rng = None if self.random_state is None else check_random_state(self.random_state)
        loss = self._loss(len(source.classes))
        for block in source.blocks():
            weight = block.weight if factors is None else factors[block.codes] * (1.0 if block.weight is None else block.weight)
            with np.errstate(invalid="ignore", over="ignore"):
                state = state.learn(Block(block.X, block.codes, weight, block.start), loss, float(self.C), bool(self.fit_intercept), rng)
        if not np.isfinite(state.theta).all():
            source.refuse_nonfinite()
        return state
