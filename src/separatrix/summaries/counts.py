"""Sums of columns by class: word counts, switches that are on. Naive Bayes by counting needs nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..data import Block, as_source
from ..errors import InputError
from . import reference
from .grouped import NO_WEIGHT, SMALL, csr_parts, tile_rows


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Weighted number of rows counts_k = Σ w_i and column totals totals_kj = Σ w_i x_ij of K classes.

    Examples
    --------
    >>> counts = Counts.from_data([[1, 0], [1, 1], [0, 3]], ["ham", "ham", "spam"])
    >>> counts.counts.tolist(), counts.totals.tolist()
    ([2.0, 1.0], [[2.0, 1.0], [0.0, 3.0]])
    """

    classes: NDArray[Any]
    counts: NDArray[np.float64]
    totals: NDArray[np.float64]

    @classmethod
    def from_data(cls, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Summarise rows in memory or a table (then without y)."""
        source = as_source(X, y, sample_weight)
        counts = source.reduce(cls.summarise(source.classes))
        if not np.isfinite(counts.totals).all():
            source.refuse_nonfinite()
        return counts

    @classmethod
    def summarise(cls, classes: Any) -> Callable[[Block], Self]:
        """Return the pass: a function from a block to its counts."""
        return lambda block: cls(classes, *_class_sums(block, len(classes)))

    @classmethod
    def empty(cls, classes: Any, n_features: int) -> Self:
        """Return the counts of no rows."""
        return cls(np.asarray(classes), np.zeros(len(classes)), np.zeros((len(classes), n_features)))

    def merge(self, other: Self) -> Self:
        """Return the counts of both sets of rows together."""
        return replace(self, counts=self.counts + other.counts, totals=self.totals + other.totals)

    def subtract(self, other: Self) -> Self:
        """Return the counts without rows that are among those counted."""
        counts, totals = self.counts - other.counts, self.totals - other.totals
        slack = 1e-9 * (1.0 + np.abs(self.totals))
        if (counts < -1e-9 * (1.0 + self.counts)).any() or ((totals < -slack) & (self.totals >= 0)).any():
            raise InputError("The rows to forget cannot have been among those counted: a count would become negative.")
        return replace(self, counts=np.maximum(counts, 0.0), totals=np.where(np.abs(totals) <= slack, 0.0, totals))


def _class_sums(block: Block, n_classes: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    assert block.codes is not None
    p = block.n_features
    if not block.is_sparse and block.n_rows * p < SMALL:
        return reference.grouped_sums(np.asarray(block.X), block.codes, block.weight, n_classes)
    from ..kernels import moments

    counts, totals, squares, zero = np.zeros(n_classes), np.zeros((n_classes, p)), np.zeros((n_classes, p)), np.zeros((n_classes, p))
    for tile in (block,) if block.is_sparse else block.tiles(tile_rows(p)):
        weight = NO_WEIGHT if tile.weight is None else tile.weight
        if tile.is_sparse:
            moments.add_sparse(*csr_parts(tile), tile.codes, weight, zero, counts, totals, squares)
        else:
            moments.add_squares(tile.X, tile.codes, weight, zero, counts, totals, squares)
    return counts, totals
