"""Count, mean and scatter of rows without labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..array_types import Floats
from ..data import Block, as_rows
from ..data.opening import check_weights
from ..data.source import ChunkedSource
from ..errors import InputTypeError
from .class_moments import ClassMoments
from .grouped import Grouping, grouped_moments
from .remainder import ROUNDING

ONE_CLASS = np.zeros(1, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
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

    @classmethod
    def from_data(cls, X: Any, sample_weight: Any = None) -> Self:
        """Summarise rows in memory or a table."""
        source = as_rows(X)
        if isinstance(source, ChunkedSource):
            source.weight = check_weights(sample_weight, source.n_rows)
        moments = source.reduce(cls.of)
        if not (np.isfinite(moments.mean).all() and np.isfinite(moments.scatter).all()):
            source.refuse_nonfinite()
        return moments

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
        return self._from_classes(self._as_classes().merge(other._as_classes()))

    def subtract(self, other: Self) -> Self:
        """Return the moments without rows that are among those summarised."""
        _require_moments(other)
        # The number of rows is not kept here: they are as many as the count, and one is left wherever a weight is.
        rows, left, slack = int(np.ceil(self.count)), self.count - other.count, ROUNDING * self.count
        taken = min(int(np.ceil(other.count)), rows - 1) if left > slack else max(int(np.ceil(other.count)), rows)
        return self._from_classes(self._as_classes(rows).subtract(other._as_classes(taken)))

    def _as_classes(self, rows: int = 0) -> ClassMoments:
        return ClassMoments(ONE_CLASS, np.array([self.count]), self.mean[None], self.scatter, "pooled", np.array([rows]))

    @classmethod
    def _from_classes(cls, moments: ClassMoments) -> Self:
        return cls(float(moments.counts[0]), moments.means[0], moments.scatter)


def _require_moments(other: Any) -> None:
    if not isinstance(other, Moments):
        raise InputTypeError(f"other is of type {type(other).__name__}; Moments go together with Moments only.")
