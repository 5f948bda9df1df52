"""Count, mean and scatter of rows without labels."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from ..array_types import Floats
from ..data import Block, as_rows
from ..data.opening import check_weights
from ..data.source import ChunkedSource
from ..errors import InputTypeError
from .class_moments import ClassMoments
from .grouped import Grouping, grouped_moments
from .remainder import ROUNDING
from .stored import Stored, require_array

ONE_CLASS = np.zeros(1, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Moments(Stored):
    """Weighted count, mean and centred scatter Q = Σ w_i (x_i − mean)(x_i − mean)' of rows.

    Examples
    --------
    >>> moments = Moments.from_data([[0.0, 1.0], [2.0, 3.0]])
    >>> moments.count, moments.mean.tolist(), moments.scatter.tolist()
    (2.0, [1.0, 2.0], [[2.0, 2.0], [2.0, 2.0]])
    """

    count: float
    mean: Floats
    scatter: Floats
    feature_names: tuple[str, ...] | None = None
    recipe: str | None = None
    _labels: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def from_data(cls, X: Any, sample_weight: Any = None) -> Self:
        """Summarise rows in memory or a table."""
        source = as_rows(X)
        if isinstance(source, ChunkedSource):
            source.weight = check_weights(sample_weight, source.n_rows)
        moments = source.reduce(cls.of)
        if not (np.isfinite(moments.mean).all() and np.isfinite(moments.scatter).all()):
            source.refuse_nonfinite()
        return replace(moments, feature_names=source.feature_names)

    @property
    def n_features(self) -> int:
        """Number of columns p."""
        return len(self.mean)

    @property
    def rows(self) -> int:
        """Number of rows, as far as the weights tell."""
        return math.ceil(self.count)

    @classmethod
    def of(cls, block: Block) -> Self:
        """Summarise a block; its labels are ignored."""
        codes = np.zeros(block.n_rows, dtype=np.int32)
        counts, means, scatter = grouped_moments(block, codes, Grouping(1, ONE_CLASS, 1))
        return cls(float(counts[0]), means[0], scatter[0])

    @classmethod
    def empty(cls, n_features: int) -> Self:
        """Return the moments of no rows."""
        return cls(0.0, np.zeros(n_features), np.zeros((n_features, n_features)))

    def merge(self, other: Self) -> Self:
        """Return the moments of both sets of rows together."""
        _require_moments(other)
        names, recipe = self._same_columns(other)
        return replace(self._from_classes(self._as_classes().merge(other._as_classes())), feature_names=names, recipe=recipe)

    def subtract(self, other: Self) -> Self:
        """Return the moments without rows that are among those summarised."""
        _require_moments(other)
        # The number of rows is not kept here: they are as many as the count, and one is left wherever a weight is.
        rows, left, slack = int(np.ceil(self.count)), self.count - other.count, ROUNDING * self.count
        taken = min(int(np.ceil(other.count)), rows - 1) if left > slack else max(int(np.ceil(other.count)), rows)
        found = self._from_classes(self._as_classes(rows).subtract(other._as_classes(taken)))
        return replace(found, feature_names=self.feature_names, recipe=self.recipe)

    def _require_shapes(self) -> None:
        if not isinstance(self.count, float) or not 0 <= self.count < np.inf:
            raise ValueError("count")
        require_array(self.mean, (p := len(self.mean),), "mean")
        require_array(self.scatter, (p, p), "scatter")
        require_array(np.diagonal(self.scatter), (p,), "variances", 0.0)
        self._require_names()

    def _as_classes(self, rows: int = 0) -> ClassMoments:
        return ClassMoments(ONE_CLASS, np.array([self.count]), self.mean[None], self.scatter, "pooled", np.array([rows]))

    @classmethod
    def _from_classes(cls, moments: ClassMoments) -> Self:
        return cls(float(moments.counts[0]), moments.means[0], moments.scatter)


def _require_moments(other: Any) -> None:
    if not isinstance(other, Moments):
        raise InputTypeError(f"other is of type {type(other).__name__}; Moments go together with Moments only.")
