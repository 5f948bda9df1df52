"""A fitted model read as scores that add up over columns: what every explanation starts from.

    f_a(x) − f_b(x) = base_ab + Σ_j part_j(x; a, b)

A linear model has part_j = (w_a − w_b)_j (x_j − m_j) and base = f_a(m) − f_b(m), m the mean row. Naive Bayes has
part_j = log p(x_j | a)/p(x_j | b) and base = log π_a/π_b. A quadratic score has part_j = (x_j − m_j) g_j((x + m)/2), g its gradient: the
split of f(x) − f(m) that follows the gradient along the straight line from m to x, exact because the mean gradient of a quadratic
on a line is the one half way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..data import Block
from ..geometry import Hyperplane
from ..models.linear import linear_scores

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


class View(Protocol):
    """Scores of K classes that add up over columns."""

    relative: bool
    """Whether parts are relative to a mean row."""

    def scores(self, block: Block) -> Floats:
        """Return f_k(x), (n, K)."""
        ...

    def parts(self, block: Block, of: Codes, against: Codes, mean: Floats, out: Floats) -> None:
        """Write the parts of f_of − f_against of each row into out (n, p)."""
        ...

    def base(self, of: int, against: int, mean: Floats) -> float:
        """Return what is left for no column."""
        ...

    def plane(self, j: int, k: int) -> Hyperplane | None:
        """Return the boundary between classes j and k, positive on k's side; None where it is curved."""
        ...

    def shifted(self, by: Floats) -> View:
        """Return the view of the scores f_k(x) + by_k."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class LinearView:
    """f_k(x) = x'weights_k + offsets_k."""

    weights: Floats
    offsets: Floats
    relative = True

    def scores(self, block: Block) -> Floats:
        """Return f_k(x), (n, K)."""
        return linear_scores(block, self.weights, self.offsets)

    def parts(self, block: Block, of: Codes, against: Codes, mean: Floats, out: Floats) -> None:
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

    def shifted(self, by: Floats) -> View:
        """Return the view with other offsets."""
        return LinearView(self.weights, self.offsets + by)


@dataclass(frozen=True, slots=True, eq=False)
class EvidenceView:
    """Naive Bayes: the model declares `_column_evidence`, the log-likelihood ratio of each column."""

    model: Any
    more: Floats
    relative = False

    def scores(self, block: Block) -> Floats:
        """Return log p(x, k)/p(x, 0), (n, K)."""
        K, zero = len(self.model.classes_), np.zeros(1, dtype=np.intp)
        each = [self.model._column_evidence(block, np.full(1, k), zero).sum(axis=1) for k in range(K)]
        return np.stack([parts + self.base(k, 0, np.zeros(0)) for k, parts in enumerate(each)], axis=1)

    def parts(self, block: Block, of: Codes, against: Codes, mean: Floats, out: Floats) -> None:
        """Write log p(x_j | a) − log p(x_j | b)."""
        if (of == of[0]).all() and (against == against[0]).all():
            of, against = of[:1], against[:1]  # one pair for all rows: nothing per row to look up
        out[:] = self.model._column_evidence(block, of, against)

    def base(self, of: int, against: int, mean: Floats) -> float:
        """Return log π_a/π_b, with what a decision adds."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.model._class_priors()) + self.more
        return float(logs[of] - logs[against])

    def plane(self, j: int, k: int) -> Hyperplane | None:
        """Return None: columns are read before they are weighed."""
        return None

    def shifted(self, by: Floats) -> View:
        """Return the view with other priors."""
        return EvidenceView(self.model, self.more + by)


@dataclass(frozen=True, slots=True, eq=False)
class QuadraticView:
    """The model declares `_score_gradient`, the gradient of a difference of two of its quadratic scores."""

    model: Any
    more: Floats
    relative = True

    def scores(self, block: Block) -> Floats:
        """Return f_k(x), (n, K)."""
        return np.asarray(self.model._scores(block)) + self.more

    def parts(self, block: Block, of: Codes, against: Codes, mean: Floats, out: Floats) -> None:
        """Write (x_j − m_j) g_j((x + m)/2)."""
        X = np.asarray(block.dense(), dtype=np.float64)
        np.multiply(X - mean, self.model._score_gradient((X + mean) / 2, of, against), out=out)

    def base(self, of: int, against: int, mean: Floats) -> float:
        """Return f_a(m) − f_b(m)."""
        scores = self.scores(Block(mean[None]))[0]
        return float(scores[of] - scores[against])

    def plane(self, j: int, k: int) -> Hyperplane | None:
        """Return None: the boundary is curved."""
        return None

    def shifted(self, by: Floats) -> View:
        """Return the view with other constants."""
        return QuadraticView(self.model, self.more + by)


def pairs(view: View, block: Block, pair: tuple[int | None, int | None]) -> tuple[Codes, Codes]:
    """Return codes a, b of each row: those given, else the best of the remaining classes."""
    of, against = pair
    if of is not None and against is not None:
        return np.full(block.n_rows, of), np.full(block.n_rows, against)
    scores = np.array(view.scores(block))
    rows = np.arange(len(scores))
    if of is None:
        if against is not None:
            scores[:, against] = -np.inf
        a = scores.argmax(axis=1)
    else:
        a = np.full(len(scores), of)
    if against is not None:
        return a, np.full(len(scores), against)
    scores[rows, a] = -np.inf
    return a, scores.argmax(axis=1)
