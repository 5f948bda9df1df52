"""Naive Bayes whose scores are linear in what is counted: the base of BernoulliNB and MultinomialNB."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...array_types import Floats
from ...data import Block, Source
from ...decisions.class_weights import class_factors
from ...errors import InputError
from ...geometry import Hyperplane
from ...solvers.closed_form.count_scores import count_scores
from ...solvers.closed_form.discriminant import log_priors
from ...solvers.closed_form.log_sums import LogSums, UnknownCategories, unbounded
from ...solvers.closed_form.smoothing import LogProbability
from ...solvers.scores import folded, folded_classes
from ...summaries import Counts
from ...summaries.counting import CountingRule
from ..linear import LinearClassifier
from .discrete import DiscreteNB


class LinearNB(DiscreteNB, LinearClassifier):
    """Base of BernoulliNB and MultinomialNB: log p(x | k) = Σ_j x_j on_kj + (1 − x_j) off_kj, the second part for switches only."""

    # Nothing but the counts is learned (categories would be): a fit that was given rows in parts is the fit of all.
    _adds_exactly = True

    feature_log_prob_: Floats
    zero_coef_: Floats | None
    zero_intercept_: Floats | None
    zero_offset_: Floats | None

    def _reading(self) -> CountingRule:
        raise TypeError(f"{type(self).__name__} must define _reading")

    def _probabilities(self, counts: Counts, alpha: Any) -> tuple[LogProbability, LogProbability | None]:
        """Return the log-probabilities of a value that is on (one count), and of one that is off where that says something."""
        raise TypeError(f"{type(self).__name__} must define _probabilities")

    def _pass(self, classes: NDArray[Any]) -> Callable[[Block], Counts]:
        return Counts.summarise(classes, self._reading())

    def _solve(self, summary: Any, source: Source | None, growing: bool = False) -> dict[str, Any]:
        factors = class_factors(self.class_weight, summary.classes, summary.counts)
        counts: Counts = summary if factors is None else summary.scaled(factors)
        on, off = self._probabilities(counts, self._smoothing(counts.n_features))
        priors = self._log_priors(counts.counts, counts.classes)
        coef = on.value if off is None else on.value - off.value
        intercept = log_priors(np.exp(priors)) if off is None else log_priors(np.exp(priors)) + off.value.sum(axis=1)
        folded_coef, folded_intercept = folded(coef, intercept)
        return {
            "class_count_": counts.counts,
            "feature_count_": counts.totals,
            "class_log_prior_": priors,
            "feature_log_prob_": on.exact,
            "coef_": folded_coef,
            "intercept_": folded_intercept,
            **zero_terms(on, off),
            **({} if off is None else {"absent_log_prob_": off.exact}),
        }

    def _own_summary(self, summary: Any) -> Any:
        if not isinstance(summary, Counts):
            raise InputError(
                f"fit_summary takes Counts, got {type(summary).__name__}; make them with separatrix.summaries.Counts.from_data(X, y)."
            )
        return summary

    def _absent(self) -> Floats | None:
        """Return the log-probabilities of values that are off, or None where they say nothing."""
        return None

    def _log_likelihood(self, block: Block, notes: UnknownCategories) -> LogSums:
        on, off = self.feature_log_prob_, self._absent()
        if self.zero_coef_ is not None:
            on, off = without_zeros(on), None if off is None else without_zeros(off)
        K = len(self.class_log_prior_)
        value = count_scores(block, self._reading(), on if off is None else on - off, np.zeros(K) if off is None else off.sum(axis=1), off)
        return LogSums(value, self._zeros(block))

    def _log_odds(self, block: Block, notes: UnknownCategories) -> LogSums:
        if len(self.coef_) == 1 and np.isneginf(self.class_log_prior_).any():
            return super()._log_odds(block, notes)  # one class only can be right, which a difference of the two cannot say
        off = self._absent() if self.zero_offset_ is None else self.zero_offset_
        if off is not None and self.missing == "ignore":
            off = folded_classes(off)
        value = count_scores(block, self._reading(), self.coef_, self.intercept_, off)
        zeros = self._zeros(block)
        return LogSums(value, None if zeros is None else folded_classes(zeros, axis=1))

    def _zeros(self, block: Block) -> Floats | None:
        """Return how many probabilities of zero each row meets in each class, (n, K)."""
        if self.zero_coef_ is None or self.zero_intercept_ is None:
            return None
        off = self._absent()
        gaps = None if off is None else np.isneginf(off).astype(np.float64)
        return count_scores(block, self._reading(), self.zero_coef_, self.zero_intercept_, gaps)

    def decision_function(self, X: Any) -> NDArray[np.floating]:
        """Return the scores of each row: log p(x, k) up to what the classes share; infinite where one class is impossible.

        Parameters
        ----------
        X : array, sparse matrix, frame or table of n rows

        Returns
        -------
        scores : (n,) for two classes, log-odds of `classes_[1]`; else (n, K)
        """
        scores = folded_classes(self._evaluate(X, self._log_odds, lambda found: unbounded(self._ruled(found))), axis=1)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def boundary(self, j: Any, k: Any) -> Hyperplane:
        """Return the hyperplane between classes j and k in the space of what is counted, positive on k's side.

        Parameters
        ----------
        j, k : labels
        """
        if getattr(self, "zero_coef_", None) is not None:
            raise InputError(
                "With alpha=0 some probabilities are 0 and the weights of the boundary infinite, so there is no hyperplane; use alpha > 0."
            )
        return super().boundary(j, k)


def without_zeros(logs: Floats) -> Floats:
    """Return the logarithms with 0 for those of probabilities of 0, which are counted apart."""
    return np.where(np.isneginf(logs), 0.0, logs)


def zero_terms(on: LogProbability, off: LogProbability | None) -> dict[str, Floats | None]:
    """Return the numbers of zeros a row meets in terms of what is counted, x'zero_coef_k + zero_intercept_k, and finite log p(off)."""
    if on.zeros is None and (off is None or off.zeros is None):
        return {"zero_coef_": None, "zero_intercept_": None, "zero_offset_": None}
    coef = np.zeros_like(on.value) if on.zeros is None else on.zeros
    if off is None:
        return {"zero_coef_": coef, "zero_intercept_": np.zeros(len(coef)), "zero_offset_": None}
    zeros = np.zeros_like(coef) if off.zeros is None else off.zeros
    return {"zero_coef_": coef - zeros, "zero_intercept_": zeros.sum(axis=1), "zero_offset_": off.value}
