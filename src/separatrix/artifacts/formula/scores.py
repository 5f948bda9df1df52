"""Scores of rows by family: a frozen value each, whose `of(block)` is the model's own arithmetic.

Of two classes there may be one column, the score of the second; a class that a probability of zero rules out stands at −1e300.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Protocol

import numpy as np

from ...array_types import Floats, Ints
from ...data.columns import ColumnBatch
from ...data.source import Block
from ...solvers.closed_form.category_scores import category_scores
from ...solvers.closed_form.count_scores import count_scores
from ...solvers.closed_form.log_sums import LogSums
from ...solvers.closed_form.smoothing import rule_out
from ...solvers.scores import diagonal_scores, folded_classes, linear_scores, per_class, posteriors_of
from ...summaries.columns import Layout
from ...summaries.counting import CountingRule


class Scores(Protocol):
    """What a family computes of a block of numbers, (n, R)."""

    def of(self, block: Any) -> Floats:
        """Return the scores of a block's rows."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """coef (R, p) times x plus intercept (R,)."""

    coef: Floats
    intercept: Floats

    def of(self, block: Block) -> Floats:
        """Return the scores of a block's rows."""
        X = block.X
        if not block.is_sparse and X.flags.f_contiguous and not X.flags.c_contiguous:
            return np.asarray((self.coef @ X.T + self.intercept[:, None]).T)  # columns put side by side, read as they lie
        return linear_scores(block, self.coef, self.intercept)


@dataclass(frozen=True, slots=True, eq=False)
class Diagonal:
    """offset_k − ½ Σ_j precision_kj (x_j − means_kj)²: normal columns, independent within a class."""

    means: Floats
    precision: Floats
    offset: Floats

    def of(self, block: Block) -> Floats:
        """Return the scores of a block's rows."""
        return diagonal_scores(block, self.means, self.precision, self.offset)


@dataclass(frozen=True, slots=True, eq=False)
class Quadratic:
    """offset_k − ½ ‖B_k'(x − μ_k)‖² with bases B (K, p, p); or covariances held in the span of few rows, `spans`."""

    means: Floats
    bases: Floats | None
    offset: Floats
    spans: tuple[Any, ...] = ()

    def of(self, block: Block) -> Floats:
        """Return the scores of a block's rows."""
        from ...models.quadratic_scores import quadratic_scores, span_scores

        if self.bases is None:
            return span_scores(block, self.spans, self.offset)
        return quadratic_scores(block, self.means, self.bases, self.offset)


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Naive Bayes whose scores are linear in what is counted.

    Attributes
    ----------
    rule : how a value is counted
    coef, intercept : (R, p), (R,)
    offset : (R, p) or None; the part of the intercept that is taken back where a value is missing
    zero_coef, zero_intercept, zero_offset : how many probabilities of zero a row meets, in the same terms; None if there are none
    never : (K,) classes of prior zero, or None
    """

    rule: CountingRule
    coef: Floats
    intercept: Floats
    offset: Floats | None
    zero_coef: Floats | None
    zero_intercept: Floats | None
    zero_offset: Floats | None
    never: Any

    @property
    def is_plain(self) -> bool:
        """Whether no class can be ruled out, so that the scores are one formula for all rows."""
        return self.zero_coef is None and self.never is None

    def of(self, block: Block) -> Floats:
        """Return the scores of a block's rows."""
        value = count_scores(block, self.rule, self.coef, self.intercept, self.offset)
        zeros = None
        if self.zero_coef is not None and self.zero_intercept is not None:
            zeros = count_scores(block, self.rule, self.zero_coef, self.zero_intercept, self.zero_offset)
            zeros = folded_classes(zeros, axis=1) if value.shape[1] == 1 else zeros
        return rule_out(value, zeros, self.never)


@dataclass(frozen=True, slots=True, eq=False)
class Categories:
    """prior_r + Σ_j logs[r, starts_j + x_j] of columns of category numbers; unknown ones add nothing."""

    starts: Ints
    logs: Floats
    zeros: Floats | None
    prior: Floats
    skip_missing: bool
    never: Any

    @property
    def is_plain(self) -> bool:
        """Whether no class can be ruled out."""
        return self.zeros is None and self.never is None

    def of(self, block: Block) -> Floats:
        """Return the scores of a block's rows."""
        value = category_scores(block, self.starts, self.logs, self.skip_missing)[0]
        zeros = None if self.zeros is None else category_scores(block, self.starts, self.zeros, self.skip_missing)[0]
        return rule_out(value + self.prior, zeros, self.never)


@dataclass(frozen=True, slots=True, eq=False)
class Mixed:
    """Naive Bayes on columns of several kinds: normal, counted and named categories side by side."""

    layout: Layout
    theta: Floats
    variance: Floats
    counted: Any
    categorical: Any
    prior: Floats
    skip_missing: bool
    never: Any
    names: tuple[str, ...] | None

    @property
    def is_plain(self) -> bool:
        """Whether no class can be ruled out."""
        return self.counted.zero_coef is None and self.categorical.zeros is None and self.never is None

    def of(self, block: Any) -> Floats:
        """Return the scores of a batch's rows."""
        from ...solvers.closed_form.column_likelihoods import normal_logs

        batch = ColumnBatch.of(block, self.names)
        parts = self.layout.split(batch, self.skip_missing)
        found: LogSums = self.categorical.log_sums(parts.categories, batch.n_rows)[0]
        if parts.counts.shape[1]:
            found = found.plus(self.counted.log_sums(parts.counts, False))
        if parts.measured.shape[1]:
            found = found.plus(normal_logs(parts.measured, self.theta, self.variance))
        return rule_out(found.value + self.prior, found.zeros, self.never)


@dataclass(frozen=True, slots=True, eq=False)
class Voted:
    """Shares of votes of all weights that a perceptron has had."""

    ballots: Any

    def of(self, block: Block) -> Floats:
        """Return the shares of a block's rows."""
        shares: Floats = self.ballots.votes(block) / self.ballots.survived.sum()
        return shares


@dataclass(frozen=True, slots=True, eq=False)
class Margin:
    """The one score of a two-class machine that has two: their difference, or the posterior of the second class minus ½."""

    machine: Scores
    is_posterior: bool

    def of(self, block: Any) -> Floats:
        """Return the score of a block's rows, positive for the second class."""
        scores = folded_classes(per_class(self.machine.of(block)), axis=1)
        return posteriors_of(per_class(scores))[:, 1:] - 0.5 if self.is_posterior else scores


@dataclass(frozen=True, slots=True, eq=False)
class AgainstRest:
    """Claims g_k of one machine per class; without one the last class scores 0, the level of a claim."""

    machines: tuple[Scores, ...]
    size: Floats
    n_classes: int

    def of(self, block: Any) -> Floats:
        """Return the claims of a block's rows."""
        claims = np.hstack([machine.of(block) for machine in self.machines]) / self.size
        if self.n_classes == 2 or claims.shape[1] == self.n_classes:
            return claims
        return np.hstack([claims, np.zeros((len(claims), 1))])


@dataclass(frozen=True, slots=True, eq=False)
class Duels:
    """Duels won, ties ordered by the sums of the scores; one machine per pair of classes, positive for the second."""

    machines: tuple[Scores, ...]
    n_classes: int

    def of(self, block: Any) -> Floats:
        """Return votes (n, K) of a block's rows, or the score of the one machine (n, 1)."""
        scores = np.hstack([machine.of(block) for machine in self.machines])
        if self.n_classes == 2:
            return scores
        won, total = np.zeros((len(scores), self.n_classes)), np.zeros((len(scores), self.n_classes))
        for t, (i, j) in enumerate(combinations(range(self.n_classes), 2)):
            duel = np.clip(scores[:, t], -1e300, 1e300)
            won[:, j] += duel > 0
            won[:, i] += duel <= 0
            total[:, j] += duel
            total[:, i] -= duel
        return np.asarray(won + total / 3.0 / (np.abs(total) + 1.0))
