"""What statisticians read after a discriminant analysis: tests, distances, coefficients, as tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..errors import CapacityError, InputError
from ..inference import Canonical, Table, Tables, box_test, canonical_analysis
from ..inference.aliases import Aliases, without_rounding
from ..inference.discriminant_tables import ORDER, box_tables, class_table, discriminant_tables, function_table
from ..solvers.closed_form.discriminant import log_priors
from ..solvers.closed_form.whitening import total_spread
from ..summaries import ClassMoments

if TYPE_CHECKING:
    from .discriminant import LinearDiscriminantAnalysis


def summarise(self: LinearDiscriminantAnalysis, X: Any = None, y: Any = None, sample_weight: Any = None) -> Tables:
    """Return the tables of a discriminant analysis.

    LinearDiscriminantAnalysis adopts this function as its method `summary`.

    Tests, distances and canonical coefficients are those of the rows as they came, with S = W/(n − K), whatever priors, shrinkage,
    divisor and class weights the model has. The linear classification functions, constant −½ μ'Σ⁻¹μ + log π and coefficients Σ⁻¹μ,
    are the model's own: the class with the largest is what `predict` returns.

    Parameters
    ----------
    X, y, sample_weight : the rows that were fitted, optional
        For Box's M, which needs one scatter per class, where the model kept the pooled one only. X may also be their
        `ClassMoments.from_data(X, y)`.

    Returns
    -------
    Tables
        `.text`, `.html`, `["name"]` with the names classes, eigenvalues, manova, dimensions, columns, distances, centroids, raw,
        standardised_within, standardised_total, structure_within, structure_total, structure_between, functions and, with one
        scatter per class, log_determinants and box.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import LinearDiscriminantAnalysis
    >>> summary = LinearDiscriminantAnalysis().fit(*load_iris(return_X_y=True)).summary()
    >>> print(summary["manova"].text)
    Multivariate tests that all class means are equal
    statistic                   value        F  num df  den df  Pr > F  F is
    Wilks' lambda           0.0234386   199.15       8     288  <.0001  exact
    Pillai's trace             1.1919    53.47       8     290  <.0001  approximate
    Hotelling-Lawley trace    32.4773   582.20       8  203.40  <.0001  approximate
    Roy's greatest root       32.1919  1166.96       4     145  <.0001  upper bound

    References
    ----------
    SAS/STAT User's Guide, the DISCRIM and CANDISC procedures.
    """
    check_is_fitted(self)
    if self.summary_ is None:
        raise CapacityError(
            f"This model was fitted in the span of its rows, because {self.n_features_in_:,} columns exceed the rows: with more "
            "columns than rows no test between classes exists. Keep fewer columns than n - K for a summary."
        )
    self._warn_if_picked()
    moments = self.summary_ if X is None else _with_scatters(self, X, y, sample_weight)
    if self.weights == "reliability":
        moments = _rescaled(moments)
    names = column_names(self)
    pooled = moments.to("pooled")
    found = canonical_analysis(pooled.counts, pooled.means, pooled.scatter, names)
    tables = discriminant_tables(found, moments.classes[moments.counts > 0], names)
    tables["classes"] = class_table(found, moments.classes[moments.counts > 0], self.priors_[moments.counts > 0])
    tables["functions"] = _functions(self, names)
    notes = _notes(self, found, names)
    if moments.kind == "full":
        _add_box(tables, notes, moments)
    else:
        notes.append(
            "Box's M needs one scatter per class: summary(X, y) with the rows that were fitted, or summary(ClassMoments.from_data(X, y))."
        )
    order = [name for name in ORDER if name in tables]
    return Tables("Linear discriminant analysis", {name: tables[name] for name in order}, _facts(found, len(names)), tuple(notes))


def _with_scatters(model: LinearDiscriminantAnalysis, X: Any, y: Any, sample_weight: Any) -> ClassMoments:
    """Return one scatter per class, of rows that must be those fitted."""
    if isinstance(X, ClassMoments):
        moments = X
    else:
        source = model._rows_of_fit(X, y, sample_weight)
        moments = source.reduce(ClassMoments.summarise(source.classes, "full"))
        if not moments.is_finite:
            source.refuse_nonfinite()
    own, given = model.summary_.to("pooled"), moments.to("pooled")
    same = own.means.shape == given.means.shape and np.array_equal(own.classes, given.classes)
    scale = np.sqrt(own.to_diagonal_sums() / own.counts.sum()) + np.abs(own.means)
    if not (same and np.allclose(own.counts, given.counts) and (np.abs(own.means - given.means) <= 1e-6 * scale).all()):
        raise InputError(
            "These are not the rows this model was fitted on: numbers of rows or means of the classes differ. Pass the rows and "
            "weights of the fit, or nothing, which gives all tables but Box's M."
        )
    return moments


def _functions(model: LinearDiscriminantAnalysis, names: list[str]) -> Table:
    """Return the classification functions of the classes seen; without columns that others determine, which add nothing to them."""
    seen, own = model.summary_.counts > 0, model.summary_.to("pooled")
    spread = total_spread(own.counts, own.means, own.to_diagonal_sums())[1]
    aliases = Aliases.of(without_rounding(model.covariance_, spread))
    kept, means = aliases.kept, model.means_[seen]
    coef = np.full(means.shape, np.nan)
    if len(aliases.aliased):  # along directions without variance the model's own terms are huge, and common to all classes
        own_sd = np.sqrt(np.diag(model.covariance_)[kept])
        R = model.covariance_[np.ix_(kept, kept)] / own_sd / own_sd[:, None]
        coef[:, kept] = np.linalg.solve(R, (means[:, kept] / own_sd).T).T / own_sd
    else:
        coef[:] = means @ model.basis_ @ model.basis_.T
    constants = log_priors(model.priors_[seen]) - 0.5 * np.einsum("kj,kj->k", means[:, kept], coef[:, kept])
    return function_table(constants, coef, model.classes_[seen], names)


def _notes(model: LinearDiscriminantAnalysis, found: Canonical, names: list[str]) -> list[str]:
    notes = []
    if found.rank < len(names):
        aliased = listed([names[j] for j in found.aliases.aliased])
        notes.append(
            f"The columns have rank {found.rank} of {len(names)}: all tests count {found.rank} columns. Aliased, which is constant or "
            f"determined by the columns before it: {aliased}. Coefficients are those of the others."
        )
    if model.shrinkage_ > 0:
        notes.append(f"The model's covariance is shrunk by {model.shrinkage_:.4g}; only the classification functions show it.")
    if model.class_weight is not None:
        notes.append("Class weights enter the classification functions only; tests are those of the rows as they came.")
    return notes


def column_names(model: Any) -> list[str]:
    """Return the names of a model's columns, x0, x1, … where it was fitted on an array."""
    names = getattr(model, "feature_names_in_", None)
    return [f"x{j}" for j in range(model.n_features_in_)] if names is None else list(names)


def listed(names: list[str], shown: int = 8) -> str:
    """Return names in a sentence, the first few if there are many.

    Examples
    --------
    >>> listed(["age", "dose", "size"], shown=2)
    'age, dose and 1 more'
    """
    return ", ".join(names[:shown]) + (f" and {len(names) - shown} more" if len(names) > shown else "")


def _facts(found: Canonical, p: int) -> tuple[str, ...]:
    K = len(found.counts)
    sizes = f"{found.n:g} rows, {p} columns, {K} classes"
    return (sizes, f"degrees of freedom: {found.n - 1:g} total, {found.error_freedom:g} within classes, {K - 1} between classes")


def _add_box(tables: dict[str, Table], notes: list[str], moments: ClassMoments) -> None:
    try:
        test = box_test(moments)
    except InputError as error:
        notes.append(str(error))
        return
    tables.update(box_tables(test))


def _rescaled(moments: ClassMoments) -> ClassMoments:
    """Return the moments with weights that sum to the number of rows: their size says nothing where they say how far to trust a row."""
    factor = float(moments.rows.sum() / moments.counts.sum())
    return replace(moments, counts=moments.counts * factor, scatter=moments.scatter * factor)
