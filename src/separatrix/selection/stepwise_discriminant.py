"""Stepwise discriminant analysis: columns enter and leave by Wilks' Λ, from moments alone."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np

from ..array_types import Indices
from ..data import Source, unchanged
from ..errors import InputError, InputTypeError, one_of
from ..inference.tables import Table
from ..inference.wilks import CentredRows, WilksSet
from ..solvers.closed_form.row_span import all_rows
from ..summaries import ClassMoments
from ..summaries.class_moments import require_memory
from .column_positions import find_amount, find_columns
from .selector import Selector
from .stepwise_search import EntryRule, StepwiseSearch

DIRECTIONS = ("both", "forward", "backward")
FEW = 2
"""Rows per column up to which steps work on the rows: two products with them cost what two sweeps of a matrix do."""


class StepwiseDiscriminant(Selector):
    """Choose columns step by step by what they add to the separation of the class means, Wilks' Λ, as PROC STEPDISC does.

        Λ(S) = det W_SS/det T_SS,   F = (n − K − |S|)/(K − 1) · (1 − λ)/λ,   λ = Λ(S ∪ j)/Λ(S)

    A step first removes the column with the smallest F if that is too small to stay; else the column with the largest F enters if that is
    large enough. One pass gives the moments; after that a step costs O(p²), or O(np) where rows are few. The p-values are those of a test
    planned beforehand: they guide the search and are no evidence, because the best of many columns is looked at in each step.

    Parameters
    ----------
    direction : "both", "forward" or "backward"
        "backward" begins with all columns that the tolerance allows.
    p_enter, p_remove : float
        A column enters if its p-value is at most `p_enter`, and leaves if it is above `p_remove`.
    f_enter, f_remove : float, optional
        Bounds of F in place of the p-values.
    max_features : int (count) or float (share of the columns), optional
        No more columns are kept than this.
    include : columns (names, numbers or a mask), optional
        In the set from the start to the end.
    tolerance : float
        A column may not enter if the others leave over less than this share of its variance within classes.
    n_jobs : int, optional
        Threads.

    Attributes
    ----------
    history_ : Table
        A row a step: entered or removed, partial R², F, Pr > F, Wilks' lambda, Pr < lambda, average squared canonical correlation
        (ASCC), Pr > ASCC.
    order_ : numbers of the columns kept, in the order in which they entered
    skipped_ : dict {column: why it could not enter}
    support_ : (p,) booleans

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> found = StepwiseDiscriminant().fit(*load_iris(return_X_y=True, as_frame=True))
    >>> found.history_.row(1)["entered"], [round(F, 2) for F in found.history_["F"]]
    ('petal length (cm)', [1180.16, 43.04, 34.57, 4.72])

    References
    ----------
    SAS/STAT User's Guide, the STEPDISC procedure. Jennrich (1977), Stepwise discriminant analysis, in Statistical Methods for Digital
    Computers, Wiley.
    """

    history_: Table
    order_: Indices
    skipped_: dict[str, str]
    _limits: ClassVar[tuple[str, ...]] = ("p_enter", "p_remove", "f_enter", "f_remove", "tolerance")

    def __init__(
        self,
        direction: Literal["both", "forward", "backward"] = "both",
        *,
        p_enter: float = 0.15,
        p_remove: float = 0.15,
        f_enter: float | None = None,
        f_remove: float | None = None,
        max_features: int | float | None = None,
        include: Any = None,
        tolerance: float = 1e-8,
        n_jobs: int | None = None,
    ) -> None:
        self.direction = direction
        self.p_enter = p_enter
        self.p_remove = p_remove
        self.f_enter = f_enter
        self.f_remove = f_remove
        self.max_features = max_features
        self.include = include
        self.tolerance = tolerance
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose columns.

        Parameters
        ----------
        X : array, sparse matrix, frame of n rows, or a table from `open_table` (then y stays out)
        y : (n,) labels
        sample_weight : (n,) weights, optional
            Frequencies: a row of weight 2 counts as two rows.
        """
        self._check_given()
        with unchanged(X):
            source = self._labelled(X, y, sample_weight)
            few = source.n_rows is not None and source.n_rows <= FEW * source.n_features
            moments = source.reduce(ClassMoments.summarise(source.classes, "diagonal" if few else "pooled"))
            if not moments.is_finite:
                source.refuse_nonfinite()
            return self._choose(moments, source, source.feature_names, _centred(source, moments) if few else None)

    def fit_summary(self, summary: ClassMoments, feature_names: Any = None) -> Self:
        """Choose columns from the moments of the classes, without any rows.

        Parameters
        ----------
        summary : ClassMoments, pooled or full
        feature_names : names of the columns, optional; those of the summary where it has any
        """
        self._check_given()
        if not isinstance(summary, ClassMoments):
            raise InputError(f"fit_summary takes ClassMoments, got {type(summary).__name__}; make them with ClassMoments.from_data(X, y).")
        feature_names = summary.feature_names if feature_names is None else feature_names
        if feature_names is not None and np.shape(feature_names) != (summary.n_features,):
            raise InputError(f"feature_names={feature_names!r:.60} must be a list of {summary.n_features} names, one per column.")
        return self._choose(summary.to("pooled"), None, None if feature_names is None else tuple(feature_names))

    def _choose(self, moments: ClassMoments, source: Source | None, names: tuple[str, ...] | None, rows: CentredRows | None = None) -> Self:
        columns = WilksSet(moments.counts, moments.means, moments.scatter if rows is None else rows, self.tolerance)
        p = moments.n_features
        most = p if self.max_features is None else find_amount("max_features", self.max_features, p)
        rule = EntryRule(self.direction, self.p_enter, self.p_remove, self.f_enter, self.f_remove, most)
        search = StepwiseSearch(columns, rule, find_columns(self.include, p, names), names)
        search.run()
        attributes = {"history_": search.table(), "order_": np.array(search.order, dtype=np.intp), "skipped_": search.skipped()}
        if source is None and names is not None:
            attributes["feature_names_in_"] = np.array(names, dtype=object)
        return self._adopt(source, columns.inside.copy(), attributes)

    def _check_params(self) -> None:
        if self.direction not in DIRECTIONS:
            raise one_of("direction", self.direction, DIRECTIONS)
        for name in self._limits:
            value = getattr(self, name)
            if value is None and name.startswith("f_"):
                continue
            if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
                raise InputTypeError(f"{name}={value!r} must be a number.")
            if not 0 <= value <= (np.inf if name.startswith("f_") else 1):
                raise InputError(f"{name}={value!r} must {'not be negative' if name.startswith('f_') else 'lie between 0 and 1'}.")

    def _loosen(self) -> str:
        bound = f"p_enter={self.p_enter}" if self.f_enter is None else f"f_enter={self.f_enter}"
        return f"No column is good enough for {bound} (or p_remove, f_remove); loosen it, or include=[…] columns in any case."


def _centred(source: Source, moments: ClassMoments) -> CentredRows:
    """Return the rows of a source minus the means of their classes, times the roots of their weights."""
    require_memory((int(source.n_rows or 0), source.n_features))
    rows = all_rows(source, copy=False)
    X = rows.dense().astype(np.float64, copy=False)
    X = X - moments.means[rows.codes]
    return CentredRows(X if rows.weight is None else X * np.sqrt(rows.weight)[:, None])
