"""What perceptrons that learn row by row share: parameters, fit, partial_fit, the trace and the bound on mistakes."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ..abilities import Abilities
from ..abilities.likelihood import no_likelihood
from ..argument_types import check_arguments
from ..array_types import Floats
from ..data import Source, as_rows, unchanged
from ..decisions.class_weights import class_factors
from ..errors import InputError
from ..solvers.mistakes.online import PerceptronStatus, Progress, Rule, learn
from ..solvers.mistakes.perceptron_margin import MistakeBound, mistake_bound
from ..solvers.mistakes.perceptron_trace import Trace
from ..solvers.solution import ConvergenceWarning
from .base import Classifier
from .labelled_rows import check_columns, class_totals
from .perceptron_start import Draws, check_number, start_weights


class OnlinePerceptron(Classifier):
    """Base of the perceptrons that learn row by row. A subclass gives `_attributes` and, if it keeps more, `_hyperplane`."""

    _records: ClassVar[dict[str, type]] = {"PerceptronStatus": PerceptronStatus, "Progress": Progress, "Trace": Trace}
    _average: ClassVar[bool] = False
    _record: ClassVar[bool] = False

    n_iter_: int
    status_: PerceptronStatus
    progress_: Progress
    trace_: Trace | None

    def __init__(
        self,
        init: Literal["zeros", "random"] = "zeros",
        eta0: float = 1.0,
        fit_intercept: bool = True,
        shuffle: bool = True,
        max_iter: int = 1000,
        tol: float | None = None,
        random_state: Any = None,
        trace: bool = False,
        *,
        threshold: float | None = None,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.init = init
        self.eta0 = eta0
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.trace = trace
        self.threshold = threshold
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None) -> Self:
        """Learn until an epoch has no mistake, `tol` is reached or `max_iter` epochs are over (then it warns).

        Parameters
        ----------
        X : array, sparse matrix, frame of n rows, or a table from `open_table` (then y stays out)
        y : (n,) labels
        coef_init : (p,) for two classes or (K, p), optional
            Weights to start from, in place of `init`.
        intercept_init : float for two classes or (K,), optional
            Intercept to start from; 0 where only `coef_init` is given.
        sample_weight : (n,) weights, optional
            Factors on the steps, and numbers of visits in an average or a vote; 0 leaves a row out.
        """
        rule = self._rule(self.max_iter)
        with unchanged(X):
            source = self._rows_to_fit(X, y, sample_weight)
            draws = Draws(self.random_state)
            start = Progress.begin(start_weights(self, source, coef_init, intercept_init, draws), rule.average)
            learned = learn(source, rule, start, draws.seed(), self._factors(source))
            if not learned[1].converged:
                warnings.warn(f"{type(self).__name__} {learned[1].message}", ConvergenceWarning, stacklevel=2)
            return self._adopt(source, {"classes_": source.classes, **self._learned(source, *learned, None)})

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Visit some rows once, from where learning stands.

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
        before = self if hasattr(self, "progress_") else None
        rule = self._rule(max_iter=1)
        with unchanged(X):
            source = self._rows_to_add(X, y, classes, sample_weight)
            draws = Draws(self.random_state)
            if before is not None:
                start = before.progress_
            else:
                start = Progress.begin(start_weights(self, source, None, None, draws), rule.average)
            progress, status, trace = learn(source, rule, start, draws.seed(), self._factors(source))
            status = replace(status, message=f"went over {progress.rows - start.rows:,} rows once, with {status.last_mistakes} mistakes.")
            attributes = {"classes_": source.classes, **self._learned(source, progress, status, trace, before)}
            return self._adopt(source if before is None else None, attributes)

    def _abilities(self) -> Abilities:
        page = super()._abilities()
        page.likelihood = no_likelihood(type(self).__name__, "corrects mistakes and assumes no distribution")
        return page

    def _rule(self, max_iter: int) -> Rule:
        self._check_given()
        check_number("eta0", self.eta0, 0.0, "1.0", above=True)
        check_number("max_iter", self.max_iter, 1, "1000", whole=True)
        check_number("n_iter_no_change", self.n_iter_no_change, 1, "5", whole=True)
        if self.tol is not None:
            check_number("tol", self.tol, 0.0, "1e-3, or None to go on until an epoch has no mistake")
        return Rule(
            eta=float(self.eta0),
            fit_intercept=self._learns_intercept(),
            shuffle=bool(self.shuffle),
            max_iter=int(max_iter),
            tol=None if self.tol is None else float(self.tol),
            patience=int(self.n_iter_no_change),
            average=self._average,
            record=bool(self.trace) or self._record,
        )

    def _learns_intercept(self) -> bool:
        return bool(self.fit_intercept) and self.threshold is None

    def _factors(self, source: Source) -> Floats | None:
        assert source.classes is not None
        counts = class_totals(source, len(source.classes)) if isinstance(self.class_weight, str) else np.empty(0)
        return class_factors(self.class_weight, source.classes, counts)

    def _learned(
        self, source: Source, progress: Progress, status: PerceptronStatus, trace: Trace | None, before: Self | None
    ) -> dict[str, Any]:
        kept = trace if self.trace else None
        if kept is not None and before is not None and before.trace_ is not None:
            kept = before.trace_.then(kept)
        common = {"n_iter_": progress.epochs, "status_": status, "progress_": progress, "trace_": kept}
        return {**common, **self._attributes(progress, trace, source, before)}

    def _attributes(self, progress: Progress, trace: Trace | None, source: Source, before: Any) -> dict[str, Any]:
        """Return the fitted attributes beyond those of learning itself; `before` is the model learning went on from."""
        raise TypeError(f"{type(self).__name__} must define _attributes")

    def _hyperplane(self) -> Floats:
        """Return the weights (R, p + 1) whose margin is reported."""
        return self.progress_.weights

    @property
    def history_(self) -> NDArray[Any]:
        """All updates: epoch, row, score before, mistakes so far, codes of label and rival, step."""
        return self._trace().history()

    def _trace(self) -> Trace:
        trace: Trace | None = getattr(self, "trace_", None)
        if trace is None:
            # an AttributeError too, so that hasattr(model, "history_") is False
            raise NotFittedError(f"There is no history_: fit {type(self).__name__}(trace=True) to record every update.")
        return trace

    def replay(self, X: Any, first: int = 0, last: int | None = None) -> tuple[Floats, Floats]:
        """Return the weights before update `first`, after it, and so on up to `last` (all by default).

        Parameters
        ----------
        X : the rows that were learned, in the same order (those of several partial_fit calls one after the other)
        first, last : int
            The updates `history_[first:last]`.

        Returns
        -------
        coefs, intercepts : (m + 1, R, p) and (m + 1, R); R = 1 for two classes, else K
            Entry i is before update first + i, entry i + 1 after it.
        """
        check_arguments(OnlinePerceptron.replay, locals())
        check_is_fitted(self)
        source = as_rows(X, n_jobs=self.n_jobs)
        check_columns(self, source, source)
        weights = self._trace().replay(source, first, last)
        return weights[:, :, :-1], weights[:, :, -1]

    def mistake_bound(self, X: Any, y: Any = None, sample_weight: Any = None) -> MistakeBound:
        """Return how many mistakes learning these rows can have taken at most, beside the number it took.

            (R/γ)² + 2 ‖w₀‖/γ        R = max ‖(x, 1)‖,  γ = the largest margin of a hyperplane,  w₀ = the start / eta0

        Rows are taken with the constant feature of the intercept, if it is learned, and times their weights. With more than two
        classes, R is √2 times as large and γ the largest margin between the score of a class and the next, ‖W‖ being 1.

        Parameters
        ----------
        X, y, sample_weight : the rows that were learned
            That no hyperplane separates them is an error: there is no bound then.

        Returns
        -------
        MistakeBound
            `mistakes`, `bound`, `radius` R, `margin` γ, `margin_found` by the model, `start_norm` ‖w₀‖.
        """
        check_is_fitted(self)
        if self.threshold:
            raise InputError(
                f"The bound is for perceptrons that learn their intercept or have none; with threshold={self.threshold!r} it does not "
                "hold. Use fit_intercept=True, or threshold=0."
            )
        source = self._rows_to_add(X, y, None, sample_weight)
        start = self.progress_.start_norm / float(self.eta0)
        unit = float(self._learns_intercept())
        return mistake_bound(source, self._hyperplane(), self.progress_.mistakes, start, unit, self._factors(source))
