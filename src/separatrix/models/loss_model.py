"""What classifiers share that minimise a loss over passes: weights, C, the solver's report, the coefficients."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from ..abilities import Abilities
from ..abilities.column_sets import ColumnsRanked
from ..abilities.parts import WarmStart
from ..array_types import Floats
from ..data import Source, unchanged
from ..data.device import DeviceSource
from ..data.namespaces import conversion, place_name
from ..decisions.class_weights import class_factors
from ..errors import InputError, SingularWarning
from ..losses import Loss
from ..solvers import choice
from ..solvers.problem import Problem, strength
from ..solvers.rows import Rows
from ..solvers.solution import ConvergenceWarning, SeparableWarning, Solution, Status
from ..summaries import ClassMoments
from .base import quiet, too_large
from .labelled_rows import class_totals
from .linear import SparseCoefficients

LEAST_SHARE = float(np.finfo(np.float64).eps)
"""Share of all weight below which a class changes no digit of the mean loss."""


class LossModel(SparseCoefficients):
    """Penalised loss of linear scores. A subclass gives `_loss(K)` and the parameters annotated here."""

    C: float
    l1_ratio: float
    fit_intercept: bool
    class_weight: Any
    max_iter: int
    tol: float
    warm_start: bool
    random_state: Any
    solution_: Solution | None
    _records: ClassVar[dict[str, type]] = {"ClassMoments": ClassMoments, "Solution": Solution}

    def _abilities(self) -> Abilities:
        page = super()._abilities()
        page.ranking = ColumnsRanked(self, self._loss)
        page.warm_start = WarmStart("the solver begins at given coefficients", None, self._begin_at)
        return page

    def _loss(self, n_classes: int) -> Loss:
        raise TypeError(f"{type(self).__name__} must define _loss")

    def _solve(self, problem: Problem) -> Solution:
        """Return the solution of a problem; a subclass with solvers of its own overrides this."""
        return choice.solve(problem)

    def _keep(self, problem: Problem, solution: Solution) -> dict[str, Any]:
        """Return further attributes of a fit."""
        return {}

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array, sparse matrix, frame of n rows, or a table from `open_table` (then y stays out)
        y : (n,) labels
        sample_weight : (n,) weights, optional
            Frequencies: a row of weight 2 counts as two rows.
        """
        self._check_given()
        with unchanged(X):
            source = self._rows_to_fit(X, y, sample_weight)
            self._check_device(source)
            try:
                with quiet():
                    problem = self._problem(source)
                    solution = self._solve(problem)
            except np.linalg.LinAlgError:
                raise too_large(type(self).__name__) from None
            self._report(solution, source)
            return self._adopt(source, self._found(source.classes, problem, solution))

    def _check_device(self, source: Source) -> None:
        """Raise an error where rows lie on a device and a parameter asks for what is computed in NumPy alone."""
        what = self._needs_host()
        if what is not None and isinstance(source, DeviceSource):
            raise InputError(f"{what} is computed in NumPy alone, X is an array of {place_name(source.X)}; pass {conversion(source.X)}.")

    def _needs_host(self) -> str | None:
        """Return the parameter that asks for a solver which arrays of other libraries do not have, or None."""
        return f"l1_ratio={self.l1_ratio!r}" if self.l1_ratio > 0.0 else None

    def _found(self, classes: Any, problem: Problem, solution: Solution) -> dict[str, Any]:
        """Return the attributes of a fit."""
        return {
            "classes_": classes,
            "coef_": solution.coef,
            "intercept_": solution.intercept,
            "n_iter_": np.array([max(1, solution.iterations)], dtype=np.int32),
            "solution_": solution,
            **self._keep(problem, solution),
        }

    def _problem(self, source: Source) -> Problem:
        classes = source.classes
        assert classes is not None
        rows = Rows.of(source)
        counts = class_totals(rows, len(classes))
        factors = class_factors(self.class_weight, classes, counts)
        refuse_weightless(classes, counts if factors is None else counts * factors)
        if factors is not None:
            rows, counts = Rows.of(source, factors), counts * factors
        return Problem(
            rows=rows,
            counts=counts,
            loss=self._loss(len(classes)),
            strength=strength(self.C, float(counts.sum())),
            l1_ratio=float(self.l1_ratio),
            fit_intercept=bool(self.fit_intercept),
            max_iter=int(self.max_iter),
            tol=float(self.tol),
            start=self._warm(source),
            seed=seed_of(self.random_state),
            is_rough=getattr(self, "_is_rough", False),
        )

    def _begin_at(self, fitted: Self) -> Self:
        """Begin the next fit at the coefficients of another one, as `warm_start` would."""
        self.classes_, self.coef_, self.intercept_ = fitted.classes_, fitted.coef_, fitted.intercept_
        self._begins = True
        return self

    def _passes(self) -> int:
        """Return how many passes the last fit took; 0 where there is none, or none that says so."""
        solution = getattr(self, "solution_", None)
        return 0 if solution is None else solution.passes

    def _be_rough(self) -> None:
        """Let the next fit be a rough one, of which nobody asks for a proof."""
        self._is_rough = True

    def _warm(self, source: Source) -> tuple[Floats, Floats] | None:
        """Return the coefficients to begin with, where warm_start is set and they fit the rows."""
        if not (self.warm_start or getattr(self, "_begins", False)) or not hasattr(self, "coef_"):
            return None
        same = np.array_equal(self.classes_, source.classes) and self.coef_.shape[1] == source.n_features  # type: ignore[arg-type]
        return (self._dense_coef(), self.intercept_) if same else None

    def _report(self, solution: Solution, source: Source, stacklevel: int = 3) -> None:
        """Warn of what the solver could not do, at the line that called `fit`."""
        if solution.dependent is not None and solution.status is not Status.SEPARABLE:
            named = ", ".join(source.column(int(j)) for j in solution.dependent[:8]) + (", …" if len(solution.dependent) > 8 else "")
            warnings.warn(
                f"Without a penalty the coefficients are not unique: {named} can be computed from the other columns (or are constant). "
                "Predictions do not depend on the choice made here; drop these columns, or set C to a finite number, for coefficients "
                "with a meaning.",
                SingularWarning,
                stacklevel=stacklevel,
            )
        if solution.is_converged:
            return
        kind = SeparableWarning if solution.status is Status.SEPARABLE else ConvergenceWarning
        warnings.warn(f"{type(self).__name__}: {solution.describe()}", kind, stacklevel=stacklevel)

    def _check_params(self) -> None:
        if not (isinstance(self.C, int | float | np.number) and self.C > 0):
            raise InputError(f"C={self.C!r} must be a positive number; use C=np.inf for no penalty.")
        if not (isinstance(self.l1_ratio, int | float | np.number) and 0.0 <= self.l1_ratio <= 1.0):
            raise InputError(f"l1_ratio={self.l1_ratio!r} must be a number in [0, 1]: 0 for L2, 1 for L1.")
        if not (isinstance(self.max_iter, int | np.integer) and self.max_iter >= 1):
            raise InputError(f"max_iter={self.max_iter!r} must be a whole number, at least 1.")
        if not (isinstance(self.tol, int | float | np.number) and self.tol > 0):
            raise InputError(f"tol={self.tol!r} must be a positive number, such as 1e-4.")


def seed_of(random_state: Any) -> int:
    """Return the seed of a solver's random choices: 0 for None, so that two fits on the same rows are the same."""
    return 0 if random_state is None else int(check_random_state(random_state).randint(2**31 - 1))


def refuse_weightless(classes: NDArray[Any], counts: Floats) -> None:
    """Raise an error where weights leave fewer than all classes to learn."""
    if not np.isfinite(counts.sum()):
        raise InputError("sample_weight adds up to more than float64 can hold (1e308); divide the weights by their mean.")
    gone = classes[counts <= 0].tolist()
    if len(gone) == len(classes) - 1:
        raise InputError(
            f"The weights leave rows of one class only, {classes[counts > 0].tolist()[0]!r}; the number of classes has to be greater "
            "than one. Give rows of at least two classes a positive weight."
        )
    if gone:
        raise InputError(f"The weights leave no row of class {gone[0]!r}; drop its rows, or give some of them a positive weight.")
    k = int(counts.argmin())
    if counts[k] < LEAST_SHARE * counts.sum():
        raise InputError(
            f"Class {classes.tolist()[k]!r} has {counts[k] / counts.sum():.1g} of all weight, which rounding hides beside the others; give "
            "weights that are closer to each other."
        )
