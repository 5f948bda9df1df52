"""The tables of a logistic regression: those that every fit has, and those that the rows of the fit add."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..abilities.logistic_likelihood import is_penalised
from ..array_types import Floats
from ..data import Source
from ..errors import InputError, UnknownNameError, did_you_mean
from ..inference import logistic_tables as tables_of
from ..inference.collinearity import collinearity_table, total_scatter
from ..inference.influence import influence
from ..inference.logistic import FisherInformation, score_products
from ..inference.logistic_tests import overall_test, term_test
from ..inference.profile import Profile, profile
from ..inference.tables import Table, Tables
from ..solvers.smooth.firth import FirthLikelihood
from ..solvers.smooth.likelihood import Likelihood, Maximum, maximise
from ..summaries import ClassMoments
from .discriminant_summary import column_names

if TYPE_CHECKING:
    from .logistic import LogisticRegression


OTHER_ROWS = 1e-3
"""Share of the log-likelihood that the rows of the fit could still gain; more, and they are other rows."""


def coefficient_tables(
    model: LogisticRegression, fisher: FisherInformation, V: Floats, level: float, profiles: list[Profile] | None
) -> dict[str, Table]:
    """Return the tables of coefficients and of odds ratios, with intervals."""
    names = tables_of.row_names(model.classes_.tolist(), column_names(model), bool(model.fit_intercept))
    errors = tables_of.in_order(np.sqrt(np.diag(V)).reshape(fisher.gamma.shape), fisher.fit_intercept)
    estimate = tables_of.in_order(fisher.coefficients, fisher.fit_intercept)
    ends = tables_of.interval(estimate, errors, level, profiles)
    slopes = np.array([not name.endswith(tables_of.INTERCEPT) for name in names])
    return {
        "coefficients": tables_of.coefficient_table(estimate, errors, names, level, profiles, logits(model.classes_)),
        "odds_ratios": tables_of.odds_table(
            estimate[slopes], (ends[0][slopes], ends[1][slopes]), [n for n, s in zip(names, slopes) if s], level
        ),
    }


def coefficient_intervals(model: LogisticRegression, level: float) -> tuple[Floats, Floats] | None:
    """Return Wald intervals (K − 1, p) of the coefficients against the first class; None where there is no sampling theory."""
    fisher = model.evidence_
    if fisher is None or has_aliases(model) or is_penalised(model) or model.class_weight is not None:
        return None
    errors = np.sqrt(np.diag(fisher.covariance())).reshape(fisher.gamma.shape)
    return tables_of.interval(fisher.coefficients[:, :-1], errors[:, :-1], level, None)


def has_aliases(model: LogisticRegression) -> bool:
    """Return whether some columns are determined by others."""
    return model.solution_ is not None and model.solution_.dependent is not None


def title(model: LogisticRegression) -> str:
    """Return the title of all tables."""
    kind = "Logistic regression" if len(model.classes_) == 2 else "Multinomial logistic regression"
    return f"{kind}, Firth's correction" if model.firth else kind


def facts(model: LogisticRegression, n: float) -> tuple[str, ...]:
    """Return rows, columns and classes in words."""
    return (f"{n:g} rows, {model.n_features_in_} columns, {len(model.classes_)} classes",)


def notes_of(model: LogisticRegression) -> list[str]:
    """Return what is to be said below the tables."""
    notes = []
    if model.firth:
        notes.append("The log-likelihood is that without Jeffreys' prior, at Firth's estimate: not maximised.")
    if model.solution_ is not None and not model.solution_.is_converged:
        notes.append("The solver stopped before the tolerance was reached: all numbers are those of coefficients on their way.")
    return notes


def logits(classes: NDArray[Any]) -> str:
    """Return what the coefficients are coefficients of."""
    labels = classes.tolist()
    return f"Coefficients of log p({labels[1]})/p({labels[0]})" if len(labels) == 2 else f"Coefficients of log p(class)/p({labels[0]})"


class FittedRows:
    """The rows of a fit without penalty, for the tables that need them."""

    def __init__(self, model: Any, source: Source, labels: Any = None) -> None:
        self.model, self.source, self.labels = model, source, labels
        problem = model._problem(source)
        self.likelihood: Likelihood = Likelihood(problem)
        self.point = self.likelihood.at(self.likelihood.baseline(model._dense_coef(), model.intercept_))
        self.fisher = FisherInformation.of(self.likelihood, self.point)
        self.profiled: Likelihood = FirthLikelihood(problem) if model.firth else self.likelihood
        self._refuse_other_rows()

    def _refuse_other_rows(self) -> None:
        kept = self.model.evidence_
        if kept is not None:
            same = np.allclose(kept.counts, self.fisher.counts) and bool(
                np.isclose(kept.log_likelihood, self.fisher.log_likelihood, rtol=1e-6)
            )
        else:
            point = self.point if not self.model.firth else self.profiled.at(self.point.gamma)
            gain = 0.5 * float(point.score @ point.inverse @ point.score)
            same = not self.model.solution_.is_converged or gain <= OTHER_ROWS * abs(point.value)
        if not same:
            raise InputError(
                "These are not the rows this model was fitted on: its coefficients do not maximise their likelihood, or their number "
                "differs. Pass the rows and weights of the fit."
            )

    def best(self) -> Maximum:
        """Return the maximum to all digits, as likelihood ratios need it."""
        return maximise(self.profiled, self.point.gamma)

    def tables(self, intervals: str | None, level: float, covariance: str, terms: Mapping[str, Sequence[Any]] | None) -> Tables:
        """Return all tables."""
        model, fisher = self.model, self.fisher
        V = fisher.covariance(score_products(self.likelihood, self.point.gamma) if covariance == "robust" else None)
        wants_profile = intervals == "profile" or (intervals is None and model.firth)
        best = self.best() if wants_profile or terms or model.firth else None
        profiles = self._profiles(best, level) if wants_profile and best is not None else None
        everything = range(model.n_features_in_)
        test = overall_test(self.likelihood, fisher) if best is None or not model.firth else term_test(self.profiled, best, everything)
        tests = {"likelihood ratio": test.likelihood_ratio, "score": test.score, "Wald": test.wald}
        tables = {
            "fit": tables_of.fit_table(fisher, fisher.n_parameters),
            "tests": tables_of.overall_table(tests),
            **coefficient_tables(model, fisher, V, level, profiles),
        }
        if terms and best is not None:
            found = {name: term_test(self.profiled, best, self._columns(name, columns)) for name, columns in terms.items()}
            tables["terms"] = tables_of.term_table(found)
        tables["collinearity"] = self.collinearity(model, self.source)
        found_rows = influence(self.likelihood, fisher, self.point.inverse, dfbetas=False)
        tables["influence"] = replace(found_rows, labels=self.labels).table()
        notes = notes_of(model)
        if covariance == "robust":
            notes.append("Standard errors are robust (sandwich, HC0).")
        return Tables(title(model), tables, facts(model, fisher.n), tuple(notes))

    @staticmethod
    def collinearity(model: Any, source: Source) -> Table:
        """Return the variance inflation factors of the model's columns."""
        moments = source.reduce(ClassMoments.summarise(model.classes_, "pooled"))
        return collinearity_table(total_scatter(moments), column_names(model))

    def _profiles(self, best: Maximum, level: float) -> list[Profile]:
        """Return one profile per coefficient, intercepts first."""
        m, q = self.likelihood.shape
        found = []
        for k in range(m):
            for j in [*([q - 1] if self.fisher.fit_intercept else []), *range(q - 1)]:
                a = np.zeros((m, q))
                a[k, j] = 1.0
                if j == q - 1:
                    a[k, :-1] = -self.fisher.centre  # the intercept at x = 0
                found.append(profile(self.profiled, best, a.ravel(), level))
        return found

    def _columns(self, term: str, columns: Sequence[Any]) -> list[int]:
        names = column_names(self.model)
        given = [columns] if isinstance(columns, str) else list(columns)
        found = []
        for column in given:
            known = column in names if isinstance(column, str) else 0 <= int(column) < len(names)
            if not known:
                raise UnknownNameError(f"Term {term!r} has no column {column!r}.{did_you_mean(column, names)} Columns: {names}.")
            found.append(names.index(column) if isinstance(column, str) else int(column))
        if not found:
            raise InputError(f"Term {term!r} has no columns; give it one or more, by name or number.")
        return sorted(set(found))
