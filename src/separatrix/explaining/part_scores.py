"""Scores of the columns that a last step takes, as scores of the parts that these columns are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..abilities.additive_scores import AdditiveScores, LinearScores
from ..array_types import Floats, Indices
from ..data import Block
from .pipelines import Columns


def in_parts(scores: AdditiveScores, columns: Columns, count: int) -> AdditiveScores:
    """Return scores of columns z = u[part]·factor − shift as scores of the parts u, `count` of them.

    Examples
    --------
    >>> twice = in_parts(LinearScores(np.array([[0.0, 0.0], [1.0, 3.0]]), np.zeros(2)), Columns.of([0, 0]), 1)
    >>> twice.weights.tolist()
    [[0.0], [4.0]]
    """
    if not isinstance(scores, LinearScores):
        return PartScores(scores, columns, count)
    weights = np.zeros((len(scores.weights), count))
    np.add.at(weights.T, columns.part, (scores.weights * columns.factor).T)
    return LinearScores(weights, scores.offsets - scores.weights @ columns.shift)


@dataclass(frozen=True, slots=True, eq=False)
class PartScores:
    """Scores that are not linear, taken apart by columns z and added up by the parts u that these come from.

    Attributes
    ----------
    inner : scores of the columns
    columns : z = u[part]·factor − shift
    count : number of parts
    """

    inner: AdditiveScores
    columns: Columns
    count: int
    coded = None

    @property
    def relative(self) -> bool:
        """Whether parts are relative to a mean row."""
        return self.inner.relative

    @property
    def takes_gaps(self) -> bool:
        """Whether a missing value says nothing."""
        return self.inner.takes_gaps

    def _columns(self, U: Any) -> Floats:
        return np.asarray(np.asarray(U, dtype=np.float64)[..., self.columns.part] * self.columns.factor - self.columns.shift)

    def _added(self, values: Floats) -> Floats:
        found = np.zeros((len(values), self.count))
        np.add.at(found.T, self.columns.part, values.T)
        return found

    def scores(self, block: Block) -> Floats:
        """Return f_k(x), (n, K)."""
        return self.inner.scores(Block(self._columns(block.dense())))

    def parts(self, block: Block, of: Indices, against: Indices, mean: Floats, out: Floats) -> None:
        """Write the parts of f_of − f_against."""
        Z = self._columns(block.dense())
        each = np.empty(Z.shape)
        self.inner.parts(Block(Z), of, against, self._columns(mean), each)
        out[:] = self._added(each)

    def base(self, of: int, against: int, mean: Floats) -> float:
        """Return what is left for no column."""
        return self.inner.base(of, against, self._columns(mean))

    def plane(self, j: int, k: int) -> None:
        """Return None: the boundary is curved."""

    @property
    def gradient(self) -> Callable[[Floats, Indices, Indices], Floats] | None:
        """Gradient of f_of − f_against by the parts."""
        own = self.inner.gradient
        return None if own is None else lambda U, of, against: self._added(own(self._columns(U), of, against) * self.columns.factor)

    def shifted(self, by: Floats) -> PartScores:
        """Return the same for the scores f_k(x) + by_k."""
        return replace(self, inner=self.inner.shifted(by))
