"""Scores that add up over columns: what every explanation starts from.

    f_a(x) − f_b(x) = base_ab + Σ_j part_j(x; a, b)

A linear model has part_j = (w_a − w_b)_j (x_j − m_j) and base = f_a(m) − f_b(m), m the mean row. Naive Bayes has
part_j = log p(x_j | a)/p(x_j | b) and base = log π_a/π_b. A quadratic score has part_j = (x_j − m_j) g_j((x + m)/2), g its gradient: the
split of f(x) − f(m) that follows the gradient along the straight line from m to x, exact because the mean gradient of a quadratic
on a line is the one half way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from ..array_types import Floats, Indices
from ..data import Block
from ..geometry import Hyperplane
from ..solvers.scores import largest, linear_scores


class AdditiveScores(Protocol):
    """Scores of K classes that add up over columns: f_a(x) − f_b(x) = base_ab + Σ_j part_j(x; a, b)."""

    @property
    def relative(self) -> bool:
        """Whether parts are relative to a mean row."""
        ...

    @property
    def takes_gaps(self) -> bool:
        """Whether a missing value says nothing, so that rows may have some."""
        ...

    @property
    def coded(self) -> Callable[[Any], Floats] | None:
        """From rows of a table to the numbers that are scored; None where rows are numbers already."""
        ...

    def scores(self, block: Block) -> Floats:
        """Return f_k(x), (n, K)."""
        ...

    def parts(self, block: Block, of: Indices, against: Indices, mean: Floats, out: Floats) -> None:
        """Write the parts of f_of − f_against of each row into out (n, p)."""
        ...

    def base(self, of: int, against: int, mean: Floats) -> float:
        """Return what is left for no column."""
        ...

    def plane(self, j: int, k: int) -> Hyperplane | None:
        """Return the boundary between classes j and k, positive on k's side; None where it is curved."""
        ...

    @property
    def gradient(self) -> Callable[[Floats, Indices, Indices], Floats] | None:
        """From rows (n, p) and two classes of each to the gradient of f_of − f_against, (n, p); None where there is none to follow."""
        ...

    def shifted(self, by: Floats) -> AdditiveScores:
        """Return the same for the scores f_k(x) + by_k."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class LinearScores:
    """f_k(x) = x'weights_k + offsets_k."""

    weights: Floats
    offsets: Floats
    relative = True
    takes_gaps = False
    coded = None
    gradient = None

    def scores(self, block: Block) -> Floats:
        """Return f_k(x), (n, K)."""
        return linear_scores(block, self.weights, self.offsets)

    def parts(self, block: Block, of: Indices, against: Indices, mean: Floats, out: Floats) -> None:
        """Write (w_a − w_b)_j (x_j − m_j)."""
        X = block.dense()
        np.subtract(X, mean, out=out)
        if (of == of[0]).all() and (against == against[0]).all():
            out *= self.weights[of[0]] - self.weights[against[0]]
        else:
            out *= self._differences()[of * len(self.weights) + against]

    def _differences(self) -> Floats:
        return np.asarray((self.weights[:, None] - self.weights[None]).reshape(-1, self.weights.shape[1]))

    def base(self, of: int, against: int, mean: Floats) -> float:
        """Return f_a(m) − f_b(m)."""
        return float((self.weights[of] - self.weights[against]) @ mean + self.offsets[of] - self.offsets[against])

    def plane(self, j: int, k: int) -> Hyperplane | None:
        """Return (w_k − w_j)'x + w_k0 − w_j0 = 0; None where the two classes have the same weights."""
        w = self.weights[k] - self.weights[j]
        return Hyperplane(w, float(self.offsets[k] - self.offsets[j])) if w.any() else None

    def shifted(self, by: Floats) -> LinearScores:
        """Return the scores with other offsets."""
        return LinearScores(self.weights, self.offsets + by)


@dataclass(frozen=True, slots=True, eq=False)
class NaiveScores:
    """Naive Bayes: each column adds its log-likelihood ratio.

    Attributes
    ----------
    ratios : from a block and the codes of two classes, one pair for all rows or one a row, to log p(x_j | a)/p(x_j | b), (n, p)
    log_priors : (K,)
    gradient : of f_of − f_against at rows (n, p), where columns are measurements
    takes_gaps : whether a missing value says nothing
    coded : from rows of a table to the numbers (n, p) that `ratios` takes; None where rows are numbers already
    """

    ratios: Callable[[Block, Indices, Indices], Floats]
    log_priors: Floats
    gradient: Callable[[Floats, Indices, Indices], Floats] | None = None
    takes_gaps: bool = False
    coded: Callable[[Any], Floats] | None = None
    relative = False

    def scores(self, block: Block) -> Floats:
        """Return log p(x, k)/p(x, 0), (n, K)."""
        zero = np.zeros(1, dtype=np.intp)
        each = [self.ratios(block, np.full(1, k), zero).sum(axis=1) for k in range(len(self.log_priors))]
        return np.stack([parts + self.base(k, 0, np.zeros(0)) for k, parts in enumerate(each)], axis=1)

    def parts(self, block: Block, of: Indices, against: Indices, mean: Floats, out: Floats) -> None:
        """Write log p(x_j | a) − log p(x_j | b)."""
        if (of == of[0]).all() and (against == against[0]).all():
            of, against = of[:1], against[:1]  # one pair for all rows: nothing per row to look up
        out[:] = self.ratios(block, of, against)

    def base(self, of: int, against: int, mean: Floats) -> float:
        """Return log π_a/π_b, with what a decision adds."""
        return float(self.log_priors[of] - self.log_priors[against])

    def plane(self, j: int, k: int) -> Hyperplane | None:
        """Return None: columns are read before they are weighed."""
        return None

    def shifted(self, by: Floats) -> NaiveScores:
        """Return the scores with other priors."""
        return replace(self, log_priors=self.log_priors + by)


@dataclass(frozen=True, slots=True, eq=False)
class QuadraticScores:
    """Quadratic scores, taken apart by their gradient.

    Attributes
    ----------
    own : from a block to the model's scores (n, K)
    gradient : from rows (n, p) and the codes of two classes of each row to the gradient of f_of − f_against, (n, p)
    more : (K,) what a decision adds
    """

    own: Callable[[Block], Floats]
    gradient: Callable[[Floats, Indices, Indices], Floats]
    more: Floats
    relative = True
    takes_gaps = False
    coded = None

    def scores(self, block: Block) -> Floats:
        """Return f_k(x), (n, K)."""
        return np.asarray(self.own(block)) + self.more

    def parts(self, block: Block, of: Indices, against: Indices, mean: Floats, out: Floats) -> None:
        """Write (x_j − m_j) g_j((x + m)/2)."""
        X = np.asarray(block.dense(), dtype=np.float64)
        np.multiply(X - mean, self.gradient((X + mean) / 2, of, against), out=out)

    def base(self, of: int, against: int, mean: Floats) -> float:
        """Return f_a(m) − f_b(m)."""
        scores = self.scores(Block(mean[None]))[0]
        return float(scores[of] - scores[against])

    def plane(self, j: int, k: int) -> Hyperplane | None:
        """Return None: the boundary is curved."""
        return None

    def shifted(self, by: Floats) -> QuadraticScores:
        """Return the scores with other constants."""
        return replace(self, more=self.more + by)


def pairs(scores_of: AdditiveScores, block: Block, pair: tuple[int | None, int | None]) -> tuple[Indices, Indices]:
    """Return codes a, b of each row: those given, else the best of the remaining classes."""
    of, against = pair
    if of is not None and against is not None:
        return np.full(block.n_rows, of), np.full(block.n_rows, against)
    scores = np.array(scores_of.scores(block))
    rows = np.arange(len(scores))
    if of is None:
        if against is not None:
            scores[:, against] = -np.inf
        a = largest(scores).astype(np.intp)
    else:
        a = np.full(len(scores), of)
    if against is not None:
        return a, np.full(len(scores), against)
    scores[rows, a] = -np.inf
    return a, largest(scores).astype(np.intp)
