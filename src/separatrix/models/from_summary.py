"""Classifiers solved from one mergeable summary: fit, add rows, take rows back out, or no rows at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..abilities import Abilities, Refused
from ..abilities.parts import SOLVED_AGAIN
from ..array_types import Floats
from ..data import Block, Source, unchanged
from ..data.calm_blas import calm_blas
from ..data.device import DeviceSource
from ..decisions.class_weights import class_factors
from ..errors import CapacityError, InputError
from ..solvers.closed_form.row_span import all_rows
from ..summaries import ClassMoments
from ..summaries.class_moments import Kind, scatter_shape, summary_kind
from ..summaries.stored import Stored
from ..thresholds import EIGENVECTORS, FACTOR, in_span, is_wide
from .base import Classifier, quiet, too_large
from .labelled_rows import label_rows, require_weight
from .later import Computed, Later
from .singular import columns_named


class SummaryClassifier(Classifier):
    """fit = summarise, then solve. What is learned is in `summary_`, so rows can be added and removed exactly.

    A model solved from ClassMoments names their kind in `_kind`; another one gives the pass to a summary of its own.
    """

    summary_: Any = Later(lambda model: model._summary_of_rows())
    class_weight: Any
    _fitted_rows: Block | None = None  # of a fit in their span, for a summary that may be asked for: fewer than its columns
    _kind: ClassVar[Kind | None] = None
    _in_span: ClassVar[bool] = False
    """Whether rows that are fewer than their columns are solved in their own span: a subclass gives `_fit_wide`."""
    _later: ClassVar[tuple[str, ...]] = ("summary_",)
    """What a fit in the span of the rows computes when asked for, or never where columns are very many (None then)."""
    _adds_exactly: ClassVar[bool] = False
    """Whether rows added one part after the other give the bits of a fit of all rows, so that learning curves may grow."""

    def _pass(self, classes: NDArray[Any]) -> Callable[[Block], Any]:
        """Return the pass that summarises a block."""
        kind = self._summary_kind()
        if kind is None:
            raise TypeError(f"{type(self).__name__} must define _kind or _pass")
        return ClassMoments.summarise(classes, kind)

    def _summary_kind(self) -> Kind | None:
        """Return the kind of moments; with class weights one scatter per class."""
        return summary_kind("pooled", self.class_weight) if self._kind == "pooled" else self._kind

    def _abilities(self) -> Abilities:
        page = super()._abilities()
        page.summary = FromSummary(self)
        page.leave_one_out = SOLVED_AGAIN
        page.folds = Refused("folds are held out of the summary, exactly")
        return page

    def _solve(self, summary: Any, source: Source | None, growing: bool = False) -> dict[str, Any]:
        """Return the fitted attributes; `source` is None where the rows are not at hand, `growing` while rows still come."""
        raise TypeError(f"{type(self).__name__} must define _solve")

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
            n, p = source.n_rows or 0, source.n_features
            with quiet(), calm_blas(float(n) * p * (min(n, p) if self._kind in ("pooled", "full") else 1)):
                attributes = self._fit_source(source)
            return self._adopt(source, attributes)

    def _fit_source(self, source: Source) -> dict[str, Any]:
        if not isinstance(source, DeviceSource) and self._solved_in_span(source):
            wide = source.n_rows is not None and is_wide(source.n_rows, source.n_features)
            rows = all_rows(source, copy=not wide)
            later = dict.fromkeys(self._later, None if wide else Computed.LATER)
            return {"classes_": source.classes, "_fitted_rows": None if wide else rows, **later, **self._fit_wide(source, rows)}
        summary = self._summarise(source)
        return {"classes_": source.classes, "_fitted_rows": None, "summary_": summary, **self._solve(summary, source)}

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows to what is learned. The result is that of one fit on all rows so far.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`
        classes : all labels that will ever come
            Needed at the first call, unless the model was fitted before.
        """
        first = not hasattr(self, "summary_")
        self._check_given()
        self._require_summary()
        with unchanged(X):
            source = self._rows_to_add(X, y, classes, sample_weight)
            with quiet():
                summary = self._summarise(source)
                if not first:
                    summary = self.summary_.merge(summary)
                    if not summary.is_finite:
                        raise too_large(type(self).__name__)
                solved = {"_fitted_rows": None, "summary_": summary, **self._solve(summary, None, growing=True)}
            return self._adopt(source if first else None, {"classes_": source.classes, **solved})

    def forget(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take rows back out, exactly: the result is that of a fit without them.

        A summary does not know its rows one by one. Rows that were never learned, or are taken out twice, are refused where something
        impossible would be left (a count, a category or a variance below zero, a mean without rows) and cannot be noticed elsewhere.
        Rows that weigh, or vary, a billion times more than those that stay leave them fewer digits; where none are left, it is refused.

        Parameters
        ----------
        X, y, sample_weight : rows that were learned, with the weights they had then
            Not all rows: a model of none predicts nothing.
        """
        if not hasattr(self, "summary_"):
            raise InputError("There is nothing to forget yet: fit the model first.")
        self._check_given()
        self._require_summary()
        with unchanged(X):
            source = self._rows_to_add(X, y, None, sample_weight)
            with quiet():
                summary = self.summary_.subtract(self._summarise(source))
                self._check_left(summary)
                attributes = {"_fitted_rows": None, "summary_": summary, **self._solve(summary, None, growing=True)}
            return self._adopt(None, attributes)

    def _check_left(self, summary: Any) -> None:
        """Raise an error for a summary that rows taken out cannot have left."""
        if not summary.counts.any():
            raise InputError(
                f"These are all rows that {type(self).__name__} has learned, and a model of no rows predicts nothing. Forget fewer rows, "
                "or begin anew: sklearn.base.clone(model)."
            )

    def fit_summary(self, summary: Any) -> Self:
        """Fit from a summary, without any rows.

        Parameters
        ----------
        summary : ClassMoments, or the summary this model keeps in `summary_`
        """
        self._check_given()
        summary = self._own_summary(summary)
        if len(summary.classes) < 2:
            raise InputError(f"The summary holds one class, {summary.classes.tolist()}; a classifier needs at least two.")
        names = summary.feature_names if isinstance(summary, Stored) else None
        with quiet(), columns_named(names):
            solved = {"classes_": summary.classes, "_fitted_rows": None, "summary_": summary, **self._solve(summary, None)}
        named = {} if names is None else {"feature_names_in_": np.array(names, dtype=object)}
        return self._adopt(None, {**solved, **named, "n_features_in_": summary.n_features})

    def _summarise(self, source: Source) -> Any:
        kind, classes = self._summary_kind(), source.classes
        assert classes is not None
        cut = source if kind is None else source.for_totals(prod(scatter_shape(kind, len(classes), source.n_features)))
        summary = cut.reduce(self._pass(classes))
        if not summary.is_finite:
            source.refuse_nonfinite()
        require_weight(summary.counts)
        return summary

    def _own_summary(self, summary: Any) -> Any:
        """Return a summary given to `fit_summary` in the form this model keeps, or refuse it."""
        kind = self._summary_kind()
        if kind is None:
            return summary
        if not isinstance(summary, ClassMoments):
            raise InputError(f"fit_summary takes ClassMoments, got {type(summary).__name__}; make them with ClassMoments.from_data(X, y).")
        return summary.to(kind)

    def _takes_span(self, n_rows: int, n_features: int) -> bool:
        """Return whether so many rows are solved in their span."""
        return self._in_span and in_span(n_rows, n_features, *self._span_work())

    def _solved_in_span(self, source: Source) -> bool:
        """Return whether these rows are solved in their span."""
        return source.n_rows is not None and self._takes_span(source.n_rows, source.n_features)

    def _span_work(self) -> tuple[float, float]:
        """Return the work of solving in the span and on the columns, in units of n³ and p³: a factor, and eigenvectors."""
        return FACTOR, EIGENVECTORS

    def _summary_of_rows(self) -> Any:
        assert self._fitted_rows is not None
        return self._pass(self.classes_)(self._fitted_rows)

    def _fit_wide(self, source: Source, rows: Block) -> dict[str, Any]:
        """Return the fitted attributes from the span of the rows, but for `_later`."""
        raise TypeError(f"{type(self).__name__} must define _fit_wide")

    def _column_moments(self, source: Source) -> tuple[ClassMoments, Floats | None]:
        """Return class moments of each column, class weights applied, and the factors (K,) that these weights are."""
        moments = source.reduce(ClassMoments.summarise(source.classes, "diagonal"))
        if not moments.is_finite:
            source.refuse_nonfinite()
        factors = class_factors(self.class_weight, moments.classes, moments.counts)
        return (moments if factors is None else moments.scaled(factors)), factors

    def _merges_stand(self, parts: Sequence[Source]) -> list[bool]:
        """Return, for each part of the rows, whether the fit without it is the fit of the other parts' summaries merged."""
        return [True] * len(parts)

    def _on_subsets(self) -> bool:
        """Return whether the parameters mean the same on fewer columns; a number of directions does not."""
        return True

    def _needs_rows(self) -> str | None:
        """Return why the summary alone does not determine the fit, or None where it does."""
        return None

    def _require_summary(self) -> None:
        """Raise an error where rows can be neither added nor taken out, because the summary alone does not determine the fit."""
        why = self._needs_rows()
        if why is not None:
            raise InputError(why)
        self._require_scatter()

    def _require_scatter(self) -> None:
        """Raise an error where a fit in the span of its rows kept no summary."""
        if self._in_span and vars(self).get("summary_", True) is None:
            p = self.n_features_in_
            raise CapacityError(
                f"This model was fitted in the span of its rows, because {p:,} columns exceed the rows, and a {p:,} × {p:,} scatter "
                f"({8 * p * p / 2**30:,.1f} GiB) was never formed; whatever needs it works with fewer columns only."
            )


@dataclass(frozen=True, slots=True)
class FromSummary:
    """The ability `SolvedFromSummary` of a model."""

    model: SummaryClassifier

    @property
    def how(self) -> str:
        """How, in words."""
        kinds = {"pooled": "one scatter for all classes", "full": "one scatter per class", "diagonal": "variances per class"}
        return "counts by class merge and subtract" if self.kind is None else f"class moments ({kinds[self.kind]}) merge and subtract"

    @property
    def kind(self) -> Kind | None:
        """Which ClassMoments the model is solved from; None for counts."""
        return self.model._summary_kind()

    @property
    def adds_exactly(self) -> bool:
        """Whether rows added one part after the other give the model of all rows."""
        return self.model._adds_exactly

    @property
    def on_subsets(self) -> bool:
        """Whether the parameters mean the same on fewer columns: a number of directions does not."""
        return self.model._needs_rows() is None and self.model._on_subsets()

    def suffices(self, n_rows: int, n_features: int, on_device: bool = False) -> bool:
        """Return whether a fit of so many rows and columns is the fit of their summary; on a device none is solved in its span."""
        return self.model._needs_rows() is None and (on_device or not self.model._takes_span(n_rows, n_features))

    def source(self, X: Any, y: Any, weight: Any, classes: NDArray[Any]) -> Source:
        """Return labelled rows as this model reads them, coded by the classes given."""
        return label_rows(self.model._open(X), y, weight, classes)

    def summarise(self, source: Source) -> Any:
        """Return the summary of rows."""
        return self.model._summarise(source)

    def stands(self, parts: Sequence[Source]) -> list[bool]:
        """Return for which parts of the rows the fit without them is the fit of the others' summaries merged."""
        return self.model._merges_stand(parts)
