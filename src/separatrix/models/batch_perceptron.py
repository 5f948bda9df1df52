"""The batch perceptron."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from ..abilities import Abilities
from ..abilities.likelihood import no_likelihood
from ..array_types import Floats
from ..data import Source, unchanged
from ..decisions.class_weights import class_factors
from ..errors import InputError
from ..solvers.mistakes.online import PerceptronStatus
from ..solvers.mistakes.perceptron_batch import BatchRule, learn_batch
from ..solvers.solution import ConvergenceWarning
from .labelled_rows import class_totals
from .linear import SparseCoefficients
from .perceptron_start import Draws, check_number, start_weights


class BatchPerceptron(SparseCoefficients):
    """The perceptron on all rows at once: step by the mean over the rows that are wrong.

        (w, w0) += eta0 (1/n) Σ_{i wrong} y_i (x_i, 1)        i is wrong unless y_i (w'x_i + w0) > 0;  n = Σ weights

    The order of rows does not matter, and a weight of 2 is a row that stands there twice. More than two classes are one machine, see
    `Perceptron`. Rows are read once per step, on several threads.

    Parameters
    ----------
    epsilon : float ≥ 0
        Also stop when the step, divided by eta0, is shorter than this. The step is a mean over all n rows, so with many rows a fixed
        epsilon stops while some are still wrong; 0 goes on until none is.
    init : "zeros" or "random"
        Where the weights start; random ones are standard normal. `fit` can be given others.
    eta0 : float > 0
        Factor on the step. From zeros it only scales the weights.
    fit_intercept : bool
        Whether w0 is learned, or 0.
    max_iter : int ≥ 1
        Steps at most. Reaching it is a ConvergenceWarning.
    random_state : int, RandomState or None
        For `init`; None is a fixed one, so that two fits on the same rows are the same.
    threshold : float, optional
        Compare w'x with a given θ in place of learning an intercept: w0 = −θ stays, and `fit_intercept` is without effect.
    class_weight : dict, "balanced" or None
        Factors on the weights of the classes.
    n_jobs : int, optional
        Threads; default: SEPARATRIX_NUM_THREADS or all CPUs this process may use.

    Attributes
    ----------
    classes_ : (K,) labels
    coef_, intercept_ : (1, p), (1,) for two classes, else (K, p), (K,)
    n_iter_ : int, passes over the rows
    status_ : PerceptronStatus with `converged`, `message`, `n_mistakes` (all passes) and `last_mistakes` (the last pass)

    Examples
    --------
    >>> from separatrix import BatchPerceptron
    >>> X, y = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], [-1, 1, 1, -1, -1, 1]
    >>> model = BatchPerceptron(fit_intercept=False).fit(X, y)
    >>> model.coef_.tolist(), model.n_iter_, model.status_.message
    ([[1.0, 0.0]], 2, 'converged: pass 2 found no row wrong.')

    References
    ----------
    Duda, Hart and Stork (2001), Pattern Classification, section 5.5.
    """

    _records: ClassVar[dict[str, type]] = {"PerceptronStatus": PerceptronStatus}

    n_iter_: int
    status_: PerceptronStatus

    def __init__(
        self,
        epsilon: float = 0.0,
        init: Literal["zeros", "random"] = "zeros",
        eta0: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        random_state: Any = None,
        *,
        threshold: float | None = None,
        class_weight: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.init = init
        self.eta0 = eta0
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.random_state = random_state
        self.threshold = threshold
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def _abilities(self) -> Abilities:
        page = super()._abilities()
        page.likelihood = no_likelihood(type(self).__name__, "corrects mistakes and assumes no distribution")
        return page

    def fit(self, X: Any, y: Any = None, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None) -> Self:
        """Step until no row is wrong, the step is shorter than `epsilon` or `max_iter` steps are over (then it warns).

        Parameters
        ----------
        X : array, sparse matrix, frame of n rows, or a table from `open_table` (then y stays out)
        y : (n,) labels
        coef_init : (p,) for two classes or (K, p), optional
            Weights to start from, in place of `init`.
        intercept_init : float for two classes or (K,), optional
            Intercept to start from; 0 where only `coef_init` is given.
        sample_weight : (n,) weights, optional
            Frequencies: a row of weight 2 counts as two rows.
        """
        rule = self._rule(self.max_iter)
        with unchanged(X):
            source = self._rows_to_fit(X, y, sample_weight)
            start = start_weights(self, source, coef_init, intercept_init, Draws(self.random_state))
            weights, status, passes = learn_batch(source, rule, start, self._factors(source))
            if not status.converged:
                warnings.warn(f"{type(self).__name__} {status.message}", ConvergenceWarning, stacklevel=2)
            return self._adopt(source, self._attributes(source, weights, status, passes))

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Make one step from where learning stands: the mean over the rows given.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`
        classes : all labels that will ever come
            Needed at the first call, unless the model was fitted before.
        """
        if isinstance(self.class_weight, str):
            raise InputError(
                f"class_weight={self.class_weight!r} needs all rows at once; give partial_fit the weights of the classes: "
                "class_weight={label: weight, …}."
            )
        first = not hasattr(self, "status_")
        rule = self._rule(max_iter=1)
        with unchanged(X):
            source = self._rows_to_add(X, y, classes, sample_weight)
            if first:
                start, made, before = start_weights(self, source, None, None, Draws(self.random_state)), 0, 0
            else:
                start, made, before = np.column_stack([self._dense_coef(), self.intercept_]), self.status_.n_mistakes, self.n_iter_
            weights, status, passes = learn_batch(source, rule, start, self._factors(source), made)
            status = replace(status, message=f"made one step over {status.last_mistakes} rows that were wrong.")
            return self._adopt(source if first else None, self._attributes(source, weights, status, before + passes))

    def _rule(self, max_iter: int) -> BatchRule:
        self._check_given()
        check_number("epsilon", self.epsilon, 0.0, "0.0")
        check_number("eta0", self.eta0, 0.0, "1.0", above=True)
        check_number("max_iter", self.max_iter, 1, "1000", whole=True)
        learned = bool(self.fit_intercept) and self.threshold is None
        return BatchRule(float(self.eta0), learned, int(max_iter), float(self.epsilon))

    def _factors(self, source: Source) -> Floats | None:
        assert source.classes is not None
        counts = class_totals(source, len(source.classes)) if isinstance(self.class_weight, str) else np.empty(0)
        return class_factors(self.class_weight, source.classes, counts)

    def _attributes(self, source: Source, weights: Floats, status: PerceptronStatus, passes: int) -> dict[str, Any]:
        return {
            "classes_": source.classes,
            "coef_": np.ascontiguousarray(weights[:, :-1]),
            "intercept_": weights[:, -1].copy(),
            "n_iter_": passes,
            "status_": status,
        }
