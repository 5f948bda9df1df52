"""The rows a logistic regression was fitted on, for the tables that need them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

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
from .logistic_tables import coefficient_tables, facts, notes_of, title

OTHER_ROWS = 1e-3
"""Share of the log-likelihood that the rows of the fit could still gain; more, and they are other rows."""


class FittedRows:
    """The rows of a fit without penalty, for the tables that need them."""

    def __init__(self, model: Any, source: Source, labels: Any = None) -> None:
        self.model, self.source, self.labels = model, source, labels
        problem = model._problem(source)
        self.likelihood: Likelihood = Likelihood(problem)
        self.point = self.likelihood.at(self.likelihood.baseline(model._dense_coef(), model.intercept_))
        self.evidence = FisherInformation.of(self.likelihood, self.point)
        self.profiled: Likelihood = FirthLikelihood(problem) if model.firth else self.likelihood
        self._refuse_other_rows()

    def _refuse_other_rows(self) -> None:
        kept = self.model.evidence_
        if kept is not None:
            same = np.allclose(kept.counts, self.evidence.counts) and bool(
                np.isclose(kept.log_likelihood, self.evidence.log_likelihood, rtol=1e-6)
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
        model, evidence = self.model, self.evidence
        V = evidence.covariance(score_products(self.likelihood, self.point.gamma) if covariance == "robust" else None)
        wants_profile = intervals == "profile" or (intervals is None and model.firth)
        best = self.best() if wants_profile or terms or model.firth else None
        profiles = self._profiles(best, level) if wants_profile and best is not None else None
        everything = range(model.n_features_in_)
        test = overall_test(self.likelihood, evidence) if best is None or not model.firth else term_test(self.profiled, best, everything)
        tests = {"likelihood ratio": test.likelihood_ratio, "score": test.score, "Wald": test.wald}
        tables = {
            "fit": tables_of.fit_table(evidence, evidence.n_parameters),
            "tests": tables_of.overall_table(tests),
            **coefficient_tables(model, evidence, V, level, profiles),
        }
        if terms and best is not None:
            found = {name: term_test(self.profiled, best, self._columns(name, columns)) for name, columns in terms.items()}
            tables["terms"] = tables_of.term_table(found)
        tables["collinearity"] = self.collinearity(model, self.source)
        found_rows = influence(self.likelihood, evidence, self.point.inverse, dfbetas=False)
        tables["influence"] = replace(found_rows, labels=self.labels).table()
        notes = notes_of(model)
        if covariance == "robust":
            notes.append("Standard errors are robust (sandwich, HC0).")
        return Tables(title(model), tables, facts(model, evidence.n), tuple(notes))

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
            for j in [*([q - 1] if self.evidence.fit_intercept else []), *range(q - 1)]:
                a = np.zeros((m, q))
                a[k, j] = 1.0
                if j == q - 1:
                    a[k, :-1] = -self.evidence.centre  # the intercept at x = 0
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
