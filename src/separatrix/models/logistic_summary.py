"""What statisticians read after a logistic regression: estimates, tests, intervals, fit, influence, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..abilities import offered
from ..abilities.logistic_likelihood import MOST, is_penalised
from ..argument_types import check_arguments, is_listed
from ..data import Source
from ..data.row_labels import row_labels
from ..data.threads import single_threaded_blas
from ..errors import CapacityError, InputError, one_of, short_text
from ..inference import logistic_tables as tables_of
from ..inference.influence import Influence, influence
from ..inference.logistic import FisherInformation, null_log_likelihood
from ..inference.logistic_tests import ChiSquare, likelihood_ratio, wald_statistic
from ..inference.tables import Column, Table, Tables
from ..solvers.smooth.likelihood import Likelihood
from ..solvers.solution import Status
from .base import quiet
from .discriminant_summary import column_names
from .labelled_rows import class_totals
from .logistic_aliased import Aliased
from .logistic_tables import FittedRows, coefficient_tables, facts, has_aliases, logits, notes_of, title

if TYPE_CHECKING:
    from .logistic import LogisticRegression


def summary(
    self: LogisticRegression,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    intervals: Literal["wald", "profile"] | None = None,
    level: float = 0.95,
    covariance: Literal["information", "robust"] = "information",
    terms: Mapping[str, Sequence[Any]] | None = None,
) -> Tables:
    """Return the tables of a logistic regression. LogisticRegression adopts this function as its method.

    Coefficients are those of log p_k/p_0 = x'w_k + b_k, for each class k against the first. A fit without a penalty keeps what most
    tables need; collinearity, influence, score tests, robust errors and profiles need the rows. Where the fit is penalised
    (finite C) standard errors and p-values do not apply and are left out. Columns that others determine are aliased: their
    coefficients are NaN (printed as –), and the others are those of the fit without them.

    Parameters
    ----------
    X, y, sample_weight : the rows that were fitted, optional
    intervals : "wald" or "profile"
        Profile-likelihood intervals take several fits per coefficient. Default: "wald"; with firth=True and rows, "profile".
    level : float
        Coverage of the intervals.
    covariance : "information" or "robust"
        Standard errors from the Fisher information, or from the sandwich I⁻¹ (Σ u u') I⁻¹ (HC0), right also where the model is not.
    terms : dict {name: columns}, optional
        Groups of columns, by name or number, to be tested together by likelihood ratio, score and Wald.

    Returns
    -------
    Tables
        `.text`, `.html`, `["name"]` with the names fit, tests, coefficients, odds_ratios and, with rows, collinearity, influence,
        terms.

    Examples
    --------
    >>> from separatrix.models.logistic import LogisticRegression
    >>> hours = [[0.5], [0.75], [1], [1.25], [1.5], [1.75], [1.75], [2], [2.25], [2.5], [2.75], [3], [3.25], [3.5], [4], [4.25], [4.5],
    ...          [4.75], [5], [5.5]]
    >>> passed = [0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1]
    >>> print(LogisticRegression(C=np.inf).fit(hours, passed).summary()["coefficients"].text)
    Coefficients of log p(1)/p(0)
    coefficient  estimate  std. error       z  Pr > |z|  lower 95 %  upper 95 %
    (intercept)   -4.0777      1.7610  -2.316    0.0206     -7.5292     -0.6262
    x0             1.5046      0.6287   2.393    0.0167      0.2724      2.7369

    References
    ----------
    Hosmer, Lemeshow and Sturdivant (2013), Applied Logistic Regression, Wiley.
    """
    check_arguments(summary, locals())
    check_is_fitted(self)
    _check_choices(intervals, level, covariance, terms)
    self._warn_if_picked()
    if X is None:
        _refuse_without_rows(self, y, sample_weight, intervals, covariance, terms)
        refuse_summary(self)
        if has_aliases(self):
            return Aliased(self, None).filled(lambda model: model.summary(level=level))
        with single_threaded_blas():  # small matrices: threads would only wait for each other
            return _tables_without_rows(self, level)
    source = self._rows_of_fit(X, y, sample_weight)
    if is_penalised(self) or self.class_weight is not None:
        _refuse_tests(self, intervals, covariance, terms)
        with quiet():
            return _penalised_tables(self, source)
    refuse_summary(self)
    if has_aliases(self):
        aliased = Aliased(self, source)
        given = aliased.columns_of(X), y, sample_weight
        found = aliased.filled(
            lambda model: model.summary(*given, intervals=intervals, level=level, covariance=covariance, terms=aliased.terms(terms))
        )
        return replace(found, tables={**found.tables, "collinearity": FittedRows.collinearity(self, source)})
    with single_threaded_blas(), quiet():  # chunks of rows are the parallelism
        return FittedRows(self, source, row_labels(X)).tables(intervals, level, covariance, terms)


def influence_of(self: LogisticRegression, X: Any, y: Any = None, sample_weight: Any = None) -> Influence:
    """Return leverage, residuals and influence of every row on a fit without penalty. Adopted as the method `influence`.

    Parameters
    ----------
    X, y, sample_weight : the rows that were fitted

    Returns
    -------
    Influence
        leverage, cook, pearson, deviance (n,) and dfbetas (n, K − 1, p + 1), intercepts last; `.table(10)`.

    References
    ----------
    Pregibon (1981), Logistic regression diagnostics, Annals of Statistics 9.
    """
    check_is_fitted(self)
    if is_penalised(self) or self.class_weight is not None:
        raise InputError(
            f"Influence is that on a maximum-likelihood estimate; this fit has {_penalty(self)}. Use C=np.inf without class weights."
        )
    source = self._rows_of_fit(X, y, sample_weight)
    refuse_summary(self)
    if has_aliases(self):
        aliased = Aliased(self, source)
        return aliased.widened(aliased.model.influence(aliased.columns_of(X), y, sample_weight))
    with single_threaded_blas():
        rows = FittedRows(self, source)
        return replace(influence(rows.likelihood, rows.fisher, rows.point.inverse), labels=row_labels(X))


def refuse_summary(model: LogisticRegression) -> None:
    """Raise the error of a fit whose coefficients have no standard errors."""
    solution = model.solution_
    if solution is None:
        raise InputError("partial_fit gives no maximum-likelihood estimate, so there is no summary; use fit on all rows.")
    if solution.status is Status.SEPARABLE:
        raise InputError(
            "The classes are separated, so the maximum-likelihood estimate does not exist and a summary would mean nothing. "
            "separatrix.separation(X, y) names the columns and rows; use LogisticRegression(C=np.inf, firth=True), or a finite C."
        )
    if (len(model.classes_) - 1) * (model.n_features_in_ + 1) > MOST:
        raise CapacityError(f"A summary has up to {MOST:,} coefficients; keep fewer columns than {model.n_features_in_:,}.")


def _tables_without_rows(model: LogisticRegression, level: float) -> Tables:
    fisher = model.evidence_
    assert fisher is not None
    # The ratio of unpenalised likelihoods at Firth's estimate is no test.
    name, statistic = ("Wald", wald_statistic(fisher)) if model.firth else ("likelihood ratio", likelihood_ratio(fisher))
    tables = {
        "fit": tables_of.fit_table(fisher, fisher.n_parameters),
        "tests": tables_of.overall_table({name: ChiSquare(statistic, fisher.gamma[:, :-1].size)}),
        **coefficient_tables(model, fisher, fisher.covariance(), level, None),
    }
    notes = [*notes_of(model), "summary(X, y) with the rows of the fit adds score tests, collinearity and influence."]
    return Tables(title(model), tables, facts(model, fisher.n), tuple(notes))


def _penalised_tables(model: LogisticRegression, source: Source) -> Tables:
    """Return the tables of a fit whose coefficients have no sampling theory."""
    log_l, n, k = offered(model.abilities().likelihood).judge(source, "conditional")
    problem = model._problem(source)
    likelihood = Likelihood(problem)
    gamma = likelihood.baseline(model._dense_coef(), model.intercept_).reshape(likelihood.shape)
    counts = problem.counts if model.class_weight is None else class_totals(source, len(model.classes_))
    null = null_log_likelihood(counts, bool(model.fit_intercept))
    fisher = FisherInformation(gamma, likelihood.centre, np.eye(gamma.size), log_l, null, np.array([n]), bool(model.fit_intercept))
    names = tables_of.row_names(model.classes_.tolist(), column_names(model), bool(model.fit_intercept))
    estimate = tables_of.in_order(fisher.coefficients, fisher.fit_intercept)
    slopes = [not name.endswith(tables_of.INTERCEPT) for name in names]
    columns = (Column("coefficient", names), Column("estimate", estimate, ".4f"))
    tables = {
        "fit": tables_of.fit_table(fisher, k, effective=is_penalised(model)),
        "coefficients": Table(logits(model.classes_), columns),
        "odds_ratios": tables_of.odds_table(estimate[slopes], None, [n for n, s in zip(names, slopes) if s], 0.95),
    }
    note = (
        f"Standard errors, p-values and intervals do not apply: this fit has {_penalty(model)}, so its coefficients are not "
        "maximum-likelihood estimates. For these, fit with C=np.inf (or firth=True)"
        f"{' and class_weight=None' if model.class_weight is not None else ''}."
    )
    return Tables(title(model), tables, facts(model, n), (note,))


def _check_choices(intervals: Any, level: Any, covariance: Any, terms: Any) -> None:
    if intervals not in (None, "wald", "profile"):
        raise one_of("intervals", intervals, ["wald", "profile"])
    if covariance not in ("information", "robust"):
        raise one_of("covariance", covariance, ["information", "robust"])
    if not (isinstance(level, int | float) and 0.0 < level < 1.0):
        raise InputError(f"level={level!r} must be a number between 0 and 1, such as 0.95.")
    if terms is not None and not (isinstance(terms, Mapping) and all(_are_columns(columns) for columns in terms.values())):
        raise InputError(f"terms={short_text(terms)} must be a dict of columns to be tested together, such as {{'size': ['height', 2]}}.")


def _are_columns(columns: Any) -> bool:
    return isinstance(columns, str) or (is_listed(columns) and all(isinstance(column, str | int | np.integer) for column in columns))


def _refuse_without_rows(model: Any, y: Any, sample_weight: Any, intervals: Any, covariance: Any, terms: Any) -> None:
    """Raise an error where summary() was asked for something that only the rows can give."""
    if is_penalised(model) or model.class_weight is not None:
        raise InputError(f"This fit has {_penalty(model)} and keeps no information about its rows: summary(X, y) with the rows of the fit.")
    if y is not None or sample_weight is not None:
        raise InputError("y or sample_weight without X; use summary(X, y, sample_weight) with the rows of the fit.")
    wanted = {"intervals='profile'": intervals == "profile", "covariance='robust'": covariance == "robust", "terms": terms is not None}
    for name in [name for name, is_wanted in wanted.items() if is_wanted]:
        raise InputError(f"{name} needs the rows of the fit: summary(X, y, {name if '=' in name else 'terms=…'}).")
    solution = model.solution_
    if model.evidence_ is None and solution is not None and solution.status is not Status.SEPARABLE:
        raise InputError("This fit has too many coefficients to keep their information: summary(X, y) with the rows of the fit.")


def _refuse_tests(model: Any, intervals: Any, covariance: Any, terms: Any) -> None:
    if intervals is not None or covariance != "information" or terms is not None:
        raise InputError(
            f"intervals, robust errors and tests of terms do not apply to this fit, which has {_penalty(model)}: they belong to "
            "maximum-likelihood estimates. Fit with C=np.inf without class weights, or call summary(X, y) alone."
        )


def _penalty(model: Any) -> str:
    parts = [f"a penalty (C={model.C:g})"] if is_penalised(model) else []
    return " and ".join([*parts, *(["class weights"] if model.class_weight is not None else [])])
