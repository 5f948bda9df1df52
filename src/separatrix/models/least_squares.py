"""Least-squares classification: regress the classes, then take the nearest."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..abilities import Abilities, Refused
from ..abilities.column_sets import LeastSquaresSets
from ..abilities.likelihood import no_likelihood
from ..abilities.parts import BALANCED, Permuted, SpanRowsLeftOut
from ..array_types import Codes, Floats, Folds
from ..data import Block, Source
from ..decisions.class_weights import NEVER, class_factors
from ..errors import InputError, one_of
from ..solvers.closed_form.least_squares import Regression, check_numbers, class_targets, solve_least_squares
from ..solvers.closed_form.wide_least_squares import solve_wide_least_squares
from ..solvers.held_out.leave_one_out import LeftOut
from ..solvers.held_out.leave_one_out_linear import least_squares_pass
from ..solvers.held_out.leave_one_out_span import spanned
from ..solvers.held_out.permuted import least_squares_permuted
from ..solvers.scores import folded, linear_scores, per_class
from ..summaries import ClassMoments
from ..summaries.class_moments import summary_kind
from ..thresholds import EIGENVECTORS, FACTOR
from .base import finite_or_none
from .from_summary import SummaryClassifier
from .linear import LinearClassifier
from .singular import columns_in, warn_singular


class LeastSquaresClassifier(SummaryClassifier, LinearClassifier):
    """Linear regression of the classes, with an intercept that is not penalised.

        minimise Σ_i ‖t_k(i) − A'x_i − a‖² + α‖A‖²

    coding="indicator": t_k is +1 for class k and −1 for the others; the largest of the K outputs decides. Two classes need one
    output, whose sign decides. With `alpha` this is scikit-learn's RidgeClassifier. coding="numbers": t_k is a number, and the number
    nearest to the output, clipped to their range, decides: f_k(x) = t_k(A'x + a) − ½t_k², which is linear in x too.

    Squared error also punishes points that are too far on the right side, so distant points move the boundary; and where
    classes lie in a row, indicator coding hides the middle ones. Numbers are right only if the classes have that order.

    Parameters
    ----------
    alpha : float
        Ridge penalty, ≥ 0.
    coding : "indicator" or "numbers"
    numbers : dict {label: number} or (K,) array in the order of `classes_`, optional
        For coding="numbers"; default: 0, 1, …, K − 1.
    class_weight : dict, "balanced" or None
        Factors on the weights of the classes.
    n_jobs : int, optional
        Threads; default: SEPARATRIX_NUM_THREADS or all CPUs this process may use.

    Attributes
    ----------
    classes_ : (K,)
    coef_, intercept_ : (1, p), (1,) for two classes, else (K, p), (K,)
    regression_coef_, regression_intercept_ : A' (T, p) and a (T,), T the number of outputs
    numbers_, limits_ : (K,), (2,) the smallest and largest number of classes with rows; None for coding="indicator"
    summary_ : ClassMoments, or None after a fit with far more columns than rows

    Examples
    --------
    >>> from separatrix import LeastSquaresClassifier
    >>> X, y = [[0.0], [1.0], [4.0], [5.0], [8.0], [9.0]], ["low", "low", "middle", "middle", "top", "top"]
    >>> model = LeastSquaresClassifier(coding="numbers", numbers={"low": 0, "middle": 1, "top": 2}).fit(X, y)
    >>> model.predict([[4.5], [100.0]]).tolist(), model.predict_number([[4.5], [100.0]]).tolist()
    (['middle', 'top'], [1.0, 2.0])

    References
    ----------
    Bishop (2006), Pattern Recognition and Machine Learning, section 4.1.3.
    """

    _on_device = True
    _kind = "pooled"
    _in_span = True

    def __init__(
        self,
        alpha: float = 0.0,
        coding: Literal["indicator", "numbers"] = "indicator",
        *,
        numbers: Any = None,
        class_weight: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.coding = coding
        self.numbers = numbers
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def _check_params(self) -> None:
        if self.coding not in ("indicator", "numbers"):
            raise one_of("coding", self.coding, ["indicator", "numbers"])
        alpha: Any = self.alpha
        if not (isinstance(alpha, Real) and 0.0 <= float(alpha) < np.inf):
            raise InputError(f"alpha={alpha!r} must be a finite number ≥ 0; 0 is plain least squares.")
        if self.numbers is not None and self.coding != "numbers":
            raise InputError("numbers=… is used by coding='numbers' alone; add it, or leave numbers out.")

    def _fit_wide(self, source: Source, rows: Block) -> dict[str, Any]:
        """Fit where rows are fewer than columns: in the span of the rows."""
        moments, factors = self._column_moments(source)
        found, flat = solve_wide_least_squares(rows, moments, factors, self._targets(moments), float(self.alpha))
        if flat:
            warn_singular(_not_unique(f"{flat} direction(s) of {source.n_features} columns"))
        return self._attributes(found, moments)

    def _span_work(self) -> tuple[float, float]:
        return FACTOR, FACTOR if self.alpha > 0 else EIGENVECTORS

    def _solve(self, summary: Any, source: Source | None, growing: bool = False) -> dict[str, Any]:
        factors = class_factors(self.class_weight, summary.classes, summary.counts)
        moments = (summary if factors is None else summary.scaled(factors)).to("pooled")
        found = solve_least_squares(moments.counts, moments.means, moments.scatter, self._targets(summary), float(self.alpha))
        if found.null.shape[1]:
            warn_singular(_not_unique(f"{found.null.shape[1]} direction(s) involving {columns_in(found.null, source)}"))
        return self._attributes(found, summary)

    def _permuted_answers(self, X: Floats, folds: Folds, codes: Codes, classes: NDArray[Any]) -> Codes | None:
        """Return held-out classes (n, B) under B permutations of the labels; None where the algebra does not hold."""
        self._check_given()
        return least_squares_permuted(X, folds, codes, len(classes), float(self.alpha))

    def _targets(self, moments: ClassMoments) -> Floats:
        """Return the target (K, T) of each class."""
        return class_targets(moments.classes, self.coding, self.numbers)

    def _attributes(self, found: Regression, moments: ClassMoments) -> dict[str, Any]:
        numbers = check_numbers(self.numbers, moments.classes) if self.coding == "numbers" else None
        coef, intercept, limits = found.coef, found.intercept, None
        if numbers is not None:
            seen = moments.counts > 0
            limits = np.array([numbers[seen].min(), numbers[seen].max()])
            coef, intercept = (numbers * seen)[:, None] * coef, np.where(seen, numbers * intercept - 0.5 * numbers**2, NEVER)
            coef, intercept = folded(coef, intercept)
        return {
            "coef_": coef,
            "intercept_": intercept,
            "regression_coef_": found.coef,
            "regression_intercept_": found.intercept,
            "numbers_": numbers,
            "limits_": limits,
        }

    def _abilities(self) -> Abilities:
        rows = SpanRowsLeftOut("exact algebra: the hat matrix", self._left_out, self._left_out_in_span)
        permuted = Permuted("exact algebra: what depends on no label is factored once per fold", self._permuted_answers)
        plain = self.coding == "indicator" and self.class_weight is None
        page = super()._abilities()
        page.leave_one_out = BALANCED if isinstance(self.class_weight, str) else rows
        page.permutations = permuted if plain else Refused("numbers for classes and class weights follow the labels, which are shuffled")
        page.subsets = LeastSquaresSets(self, summary_kind("pooled", self.class_weight))
        page.likelihood = no_likelihood(
            type(self).__name__, "fits numbers that stand for classes, and no class has a normal error around its number"
        )
        return page

    def _left_out(self) -> Callable[[Block], LeftOut]:
        """Return the pass to the scores of each row under the fit without it."""
        factors = class_factors(self.class_weight, self.classes_, self.summary_.counts)
        m = (self.summary_ if factors is None else self.summary_.scaled(factors)).to("pooled")
        return self._hat_pass(m, factors, self.regression_coef_, self.regression_intercept_)

    def _left_out_in_span(self, rows: Block) -> Callable[[Block], LeftOut]:
        """Return the same pass for blocks of these rows, which are no more than columns."""
        assert rows.codes is not None
        counts = np.bincount(rows.codes, rows.weight, len(self.classes_)).astype(np.float64)
        factors = class_factors(self.class_weight, self.classes_, counts)
        weight = np.ones(rows.n_rows) if rows.weight is None else rows.weight
        weighted = rows if factors is None else Block(rows.X, rows.codes, weight * factors[rows.codes])

        def solve(m: ClassMoments) -> Callable[[Block], LeftOut]:
            targets = class_targets(self.classes_, self.coding, self.numbers)
            found = solve_least_squares(m.counts, m.means, m.scatter, targets, float(self.alpha), embedded=True)
            return self._hat_pass(m, factors, found.coef, found.intercept)

        return spanned(weighted, len(counts), solve)

    def _hat_pass(self, m: ClassMoments, factors: Floats | None, coef: Floats, intercept: Floats) -> Callable[[Block], LeftOut]:
        targets, numbers = class_targets(self.classes_, self.coding, self.numbers), self.numbers_
        outputs = least_squares_pass(m.counts, m.means, m.scatter, targets, float(self.alpha), coef, intercept, factors)

        def left_out(block: Block) -> LeftOut:
            found = outputs(block)
            scores = found.scores if numbers is None else found.scores * numbers - 0.5 * numbers**2
            return LeftOut(per_class(scores), found.refit)

        return left_out

    def predict_number(self, X: Any) -> NDArray[np.floating]:
        """Return the regression's output, clipped to `limits_`; the nearest number is the class.

        Parameters
        ----------
        X : array, sparse matrix, frame or table of n rows

        Returns
        -------
        output : (n,)
        """
        check_is_fitted(self)
        if self.limits_ is None:
            raise InputError("predict_number needs coding='numbers'; with coding='indicator' use decision_function.")
        coef, intercept = self.regression_coef_, self.regression_intercept_
        output = self._collect(X, lambda block: finite_or_none(linear_scores(block, coef, intercept), block.X))
        return output[:, 0].clip(*self.limits_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Numbers in the order of the labels are as good as that order.
        tags.classifier_tags.poor_score = self.coding == "numbers"
        return tags


def _not_unique(directions: str) -> str:
    return (
        f"The least-squares coefficients are not unique: along {directions} no row varies (collinear or constant columns, or too few "
        "rows). Those of least norm, in columns divided by their standard deviations, are taken. Drop such columns, or use alpha=1.0."
    )
