"""A logistic regression without the columns that others determine: its tables are theirs, with the aliased terms left empty."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from ..data import Source, as_rows
from ..data.opening import is_frame
from ..errors import InputError
from ..inference.influence import Influence
from ..inference.logistic import FisherInformation, fisher_information
from ..inference.logistic_tables import row_names
from ..inference.tables import Column, Table, Tables
from .discriminant_summary import column_names, listed
from .logistic_tables import facts as facts_of


class Aliased:
    """The same fit in the columns that are not aliased.

    Parameters
    ----------
    model : fitted LogisticRegression with `solution_.dependent`
    source : its rows, or None where it kept its Fisher information
    """

    def __init__(self, model: Any, source: Source | None) -> None:
        self.whole = model
        self.names = column_names(model)
        self.aliased = np.sort(model.solution_.dependent)
        self.kept = np.setdiff1d(np.arange(model.n_features_in_), self.aliased)
        fisher = model.evidence_
        if fisher is None:
            if source is None:
                raise InputError("This fit has too many coefficients to keep their information: summary(X, y) with the rows of the fit.")
            fisher = fisher_information(model._problem(source), model.coef_, model.intercept_, self.aliased)
        self.n = fisher.n
        self.model = self._without(fisher)

    def _without(self, fisher: FisherInformation) -> Any:
        """Return a model of the columns kept, with the same scores on every row."""
        model, gamma = copy(self.whole), fisher.coefficients
        theta = gamma if len(gamma) == 1 else np.vstack([np.zeros_like(gamma[:1]), gamma])
        model.coef_, model.intercept_ = np.ascontiguousarray(theta[:, :-1]), theta[:, -1].copy()
        model.n_features_in_ = len(self.kept)
        model.feature_names_in_ = np.array([self.names[j] for j in self.kept], dtype=object)
        model.solution_ = replace(self.whole.solution_, coef=model.coef_, intercept=model.intercept_, dependent=None)
        model.evidence_ = self.whole.evidence_
        return model

    def columns_of(self, X: Any) -> Any:
        """Return the columns kept of rows in any form."""
        if isinstance(X, Source):
            return X.only(self.kept)
        kept = _safe_indexing(X if hasattr(X, "shape") else np.asarray(X), self.kept, axis=1)
        return kept if is_frame(X) else as_rows(kept)  # an array has no names to be compared with those of the model

    def terms(self, terms: Mapping[str, Sequence[Any]] | None) -> dict[str, list[Any]] | None:
        """Return groups of columns to be tested without the aliased ones, by their numbers among those kept."""
        if terms is None:
            return None
        place = {key: i for i, j in enumerate(self.kept.tolist()) for key in (j, self.names[j])}
        gone = {key for j in self.aliased.tolist() for key in (j, self.names[j])}
        found = {}
        for name, columns in terms.items():
            given = [columns] if isinstance(columns, str) else list(columns)
            found[name] = [place.get(column, column) for column in given if column not in gone]
            if given and not found[name]:
                raise InputError(f"All columns of term {name!r} are determined by others, so that there is nothing to test; leave it out.")
        return found

    def filled(self, summary: Callable[[Any], Tables]) -> Tables:
        """Return the tables of the columns kept, with rows for the aliased ones."""
        found, labels = summary(self.model), self.whole.classes_.tolist()
        tables, facts = dict(found.tables), facts_of(self.whole, self.n)
        for name, intercept in (("coefficients", bool(self.whole.fit_intercept)), ("odds_ratios", False)):
            tables[name] = _filled(tables[name], row_names(labels, self.names, intercept))
        gone = listed([self.names[j] for j in self.aliased])
        note = f"Aliased, which is constant or determined by the columns before it: {gone}. The other coefficients are those without."
        return Tables(found.title, tables, facts, (note, *found.notes))

    def widened(self, influence: Influence) -> Influence:
        """Return the influence with NaN for the coefficients of aliased columns."""
        if influence.dfbetas is None:
            return influence
        n, m, _ = influence.dfbetas.shape
        own = influence.dfbetas.shape[2] - len(self.kept)  # the intercept, if there is one
        wide = np.full((n, m, len(self.names) + own), np.nan)
        wide[..., [*self.kept, *([len(self.names)] if own else [])]] = influence.dfbetas
        return replace(influence, dfbetas=wide)


def _filled(table: Table, names: list[str]) -> Table:
    """Return the table with a row for each name, NaN where it had none."""
    stub, place = table.columns[0], {name: i for i, name in enumerate(table.columns[0].values)}
    columns = [Column(stub.name, names)]
    columns += [Column(c.name, [c.values[place[n]] if n in place else np.nan for n in names], c.form) for c in table.columns[1:]]
    return Table(table.title, tuple(columns), table.note)
