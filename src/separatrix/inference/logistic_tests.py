"""Tests of terms (groups of columns) in logistic regression: likelihood ratio, score, Wald."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

from ..solvers.smooth.likelihood import Likelihood, Maximum, Point, inverse, maximise
from .logistic import FisherInformation


@dataclass(frozen=True, slots=True)
class ChiSquare:
    """A statistic with its degrees of freedom and p-value."""

    statistic: float
    freedom: int

    @property
    def p(self) -> float:
        """Probability of a larger statistic if the hypothesis holds."""
        return float(chi2.sf(self.statistic, self.freedom)) if self.freedom else float("nan")


@dataclass(frozen=True, slots=True)
class TermTest:
    """Three tests that all coefficients of a term are 0."""

    likelihood_ratio: ChiSquare
    score: ChiSquare
    wald: ChiSquare


def term_test(likelihood: Likelihood, best: Maximum, columns: Sequence[int]) -> TermTest:
    """Test that the coefficients of some columns are 0 in all logits.

        likelihood ratio 2 [l(γ̂) − l(γ̃)]      score Ũ'Ĩ⁻¹Ũ      Wald γ̂_t'(V_tt)⁻¹γ̂_t

    γ̃ maximises l without the columns; Ũ, Ĩ are the score and information of all coefficients there.

    Parameters
    ----------
    likelihood : Likelihood
    best : Maximum
        Of all γ.
    columns : numbers of the columns

    References
    ----------
    Rao (1973), Linear Statistical Inference and Its Applications, section 6e.
    """
    m, q = likelihood.shape
    where = np.concatenate([k * q + np.asarray(columns) for k in range(m)])
    A = np.zeros((m * q, len(where)))
    A[where, np.arange(len(where))] = 1.0
    without = maximise(likelihood, best.point.gamma, A, np.zeros(len(where))).point
    own = best.point.gamma[where]
    wald = float(own @ np.linalg.solve(best.point.inverse[np.ix_(where, where)], own))
    ratio = max(0.0, 2.0 * (best.point.value - without.value))
    return TermTest(*(ChiSquare(value, len(where)) for value in (ratio, score_statistic(without), wald)))


def score_statistic(point: Point) -> float:
    """Return U'I⁻¹U."""
    return float(point.score @ point.inverse @ point.score)


def overall_test(likelihood: Likelihood, fisher: FisherInformation) -> TermTest:
    """Test that all columns together say nothing about the class: the model against the one without columns."""
    m, q = fisher.gamma.shape
    counts = fisher.counts
    start = np.zeros((m, q))
    if fisher.fit_intercept:
        start[:, -1] = np.log(counts[1:] / counts[0])
    freedom = m * (q - 1)
    statistics = likelihood_ratio(fisher), score_statistic(likelihood.at(start.ravel())), wald_statistic(fisher)
    return TermTest(*(ChiSquare(value, freedom) for value in statistics))


def likelihood_ratio(fisher: FisherInformation) -> float:
    """Return 2 (l − l₀), the likelihood ratio against the model without columns."""
    return max(0.0, 2.0 * (fisher.log_likelihood - fisher.null_log_likelihood))


def wald_statistic(fisher: FisherInformation) -> float:
    """Return w'(V_ww)⁻¹w over all coefficients but the intercepts."""
    m, q = fisher.gamma.shape
    slopes = np.arange(m * q).reshape(m, q)[:, :-1].ravel()
    V = inverse(fisher.information)[np.ix_(slopes, slopes)]
    own = fisher.gamma[:, :-1].ravel()
    return float(own @ np.linalg.solve(V, own))
