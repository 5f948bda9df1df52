"""Classifiers solved from one mergeable summary: fit, add rows, take rows back out, or no rows at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..data import Block, Source, as_source
from ..errors import InputError
from ..summaries import ClassMoments
from ..summaries.class_moments import Kind
from .base import Classifier, quiet, too_large
from .incoming import require_announced, require_two_classes


class SummaryClassifier(Classifier):
    """fit = summarise, then solve. What is learned is in `summary_`, so rows can be added and removed exactly."""

    summary_: Any

    def _pass(self, classes: NDArray[Any]) -> Callable[[Block], Any]:
        """Return the pass that summarises a block."""
        raise TypeError(f"{type(self).__name__} must define _pass")

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
        source = self._labelled(X, y, sample_weight)
        require_two_classes(source.classes)  # type: ignore[arg-type]
        with quiet():
            attributes = self._fit_source(source)
        return self._adopt(source, attributes)

    def _fit_source(self, source: Source) -> dict[str, Any]:
        summary = self._summarise(source)
        return {"classes_": source.classes, "summary_": summary, **self._solve(summary, source)}

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows to what is learned. The result is that of one fit on all rows so far.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`
        classes : all labels that will ever come
            Needed at the first call, unless the model was fitted before.
        """
        first = not hasattr(self, "summary_")
        self._require_summary()
        require_announced(self, X, classes)
        self._check_given()
        known = classes if first else self.classes_
        source = self._labelled(X, y, sample_weight, known)
        require_two_classes(source.classes)  # type: ignore[arg-type]
        if not first:
            self._check_width(source)
        with quiet():
            summary = self._summarise(source)
            if not first:
                summary = self.summary_.merge(summary)
                if not summary.is_finite:
                    raise too_large(type(self).__name__)
            attributes = {"classes_": source.classes, "summary_": summary, **self._solve(summary, None, growing=True)}
        return self._adopt(source if first else None, attributes)

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
        self._require_summary()
        source = self._labelled(X, y, sample_weight, self.classes_)
        self._check_width(source)
        with quiet():
            summary = self.summary_.subtract(self._summarise(source))
            self._check_left(summary)
            attributes = {"summary_": summary, **self._solve(summary, None, growing=True)}
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
        with quiet():
            solved = {"classes_": summary.classes, "summary_": summary, **self._solve(summary, None)}
        return self._adopt(None, {**solved, "n_features_in_": summary.n_features})

    def _summarise(self, source: Source) -> Any:
        summary = source.reduce(self._pass(source.classes))  # type: ignore[arg-type]
        if not summary.is_finite:
            source.refuse_nonfinite()
        return summary

    def _labelled(self, X: Any, y: Any, sample_weight: Any, classes: Any = None) -> Source:
        source = as_source(X, y, sample_weight, classes=classes, n_jobs=getattr(self, "n_jobs", None))
        if classes is not None and not np.array_equal(source.classes, classes) and isinstance(X, Source):  # type: ignore[arg-type]
            source = X.with_classes(np.asarray(classes))
        return source

    def _own_summary(self, summary: Any) -> Any:
        return summary

    def _require_summary(self) -> None:
        """Raise an error where rows can be neither added nor taken out, because the summary alone does not determine the fit."""


class MomentClassifier(SummaryClassifier):
    """A classifier solved from ClassMoments of one kind; with class weights it keeps one scatter per class."""

    _kind: Kind = "pooled"
    class_weight: Any

    def _summary_kind(self) -> Kind:
        return "full" if self._kind == "pooled" and self.class_weight is not None else self._kind

    def _moments_suffice(self, n_rows: int, n_features: int) -> bool:
        """Whether a fit of so many rows and columns is the fit of their moments, which can be merged and taken apart."""
        return True

    def _pass(self, classes: NDArray[Any]) -> Callable[[Block], Any]:
        return ClassMoments.summarise(classes, self._summary_kind())

    def _own_summary(self, summary: Any) -> Any:
        if not isinstance(summary, ClassMoments):
            raise InputError(f"fit_summary takes ClassMoments, got {type(summary).__name__}; make them with ClassMoments.from_data(X, y).")
        return summary.to(self._summary_kind())
