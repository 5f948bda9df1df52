"""Models on sets of their columns, for searches: held-out scores and likelihoods of every neighbour of a set, without refits.

A model joins by inheriting one of these. `_subset_scores(training, rows)` takes the moments of the training rows of each fold and the
held-out rows; it answers None where the parameters tie the columns together in ways no update follows. `_subset_criterion(moments)` takes
the moments of all rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..solvers.quadratic import pool, regularise
from ..solvers.spread import total_spread
from ..solvers.subset_criterion import (
    DeterminantCriterion,
    own_covariances_criterion,
    own_variances_criterion,
    shared_covariance_criterion,
)
from ..solvers.subset_gaussian import NaiveScores, QuadraticScores
from ..solvers.subset_linear import discriminant_folds, least_squares_folds
from ..solvers.subset_scores import SubsetScores
from ..summaries import ClassMoments
from .priors import effective_priors, weighted

if TYPE_CHECKING:
    from .from_summary import MomentClassifier as Base
else:
    Base = object

Floats = NDArray[np.float64]


class SharedCovarianceSubsets(Base):
    """Linear discriminants on sets of columns."""

    priors: Any
    shrinkage: Any
    weights: str

    def _divisor(self, moments: ClassMoments, growing: bool) -> float:
        raise TypeError(f"{type(self).__name__} must define _divisor")

    def _subset_scores(self, training: list[ClassMoments], rows: list[Floats]) -> SubsetScores | None:
        if self.shrinkage not in (None, 0.0):
            return None  # the target of shrinkage is the mean variance of the set
        own = [weighted(moments, self.class_weight).to("pooled") for moments in training]
        priors = [effective_priors(self.priors, m.classes, m.counts) for m in own]
        divisors = [self._divisor(m, growing=False) for m in own]
        return discriminant_folds([m.counts for m in own], [m.means for m in own], [m.scatter for m in own], priors, divisors, rows)

    def _subset_criterion(self, moments: ClassMoments) -> DeterminantCriterion:
        if self.shrinkage not in (None, 0.0) or self.class_weight is not None or self.weights != "frequency":
            raise _not_maximal("shrinkage, class_weight and weights")
        own = moments.to("pooled")
        return shared_covariance_criterion(own.counts, own.means, own.scatter, self.priors is not None)


class OwnCovariancesSubsets(Base):
    """Quadratic discriminants on sets of columns."""

    priors: Any
    shrinkage: Any
    pooling: float | None
    reg_param: float

    def _freedom(self, moments: ClassMoments, growing: bool) -> Floats:
        raise TypeError(f"{type(self).__name__} must define _freedom")

    def _subset_scores(self, training: list[ClassMoments], rows: list[Floats]) -> SubsetScores | None:
        if self.shrinkage not in (None, 0.0):
            return None  # the target of shrinkage is the mean variance of the set
        own = [weighted(moments, self.class_weight) for moments in training]
        pooled = [pool(m.scatter, self._freedom(m, growing=False), float(self.pooling or 0.0)) for m in own]
        covariances = [regularise(S, np.zeros(len(S)), None, float(self.reg_param)) for S in pooled]
        priors = [effective_priors(self.priors, m.classes, m.counts) for m in own]
        spreads = [total_spread(m.counts, m.means, m.to_diagonal_sums())[1] for m in own]
        return QuadraticScores([m.means for m in own], covariances, priors, spreads, rows)

    def _subset_criterion(self, moments: ClassMoments) -> DeterminantCriterion:
        if self.shrinkage or self.pooling or self.reg_param or self.class_weight is not None:
            raise _not_maximal("shrinkage, pooling, reg_param and class_weight")
        return own_covariances_criterion(moments.counts, moments.means, moments.scatter, self.priors is not None)


class OwnVariancesSubsets(Base):
    """Gaussian naive Bayes on sets of columns."""

    priors: Any
    var_smoothing: float
    ddof: float

    def _subset_scores(self, training: list[ClassMoments], rows: list[Floats]) -> SubsetScores | None:
        own = [weighted(moments, self.class_weight) for moments in training]
        totals = [(m.scatter.sum(axis=0) + m.counts @ (m.means - m.grand_mean) ** 2) / m.counts.sum() for m in own]
        variances = [m.scatter / np.where(m.counts > self.ddof, m.counts - self.ddof, m.counts)[:, None] for m in own]
        priors = [effective_priors(self.priors, m.classes, m.counts) for m in own]
        return NaiveScores([m.means for m in own], variances, totals, priors, float(self.var_smoothing), rows)

    def _subset_criterion(self, moments: ClassMoments) -> DeterminantCriterion:
        if self.class_weight is not None:
            raise _not_maximal("class_weight")
        return own_variances_criterion(moments.counts, moments.means, moments.scatter, self.priors is not None)


class LeastSquaresSubsets(Base):
    """Least squares and ridge regression of classes on sets of columns."""

    alpha: float
    coding: str

    def _targets(self, moments: ClassMoments) -> Floats:
        raise TypeError(f"{type(self).__name__} must define _targets")

    def _subset_scores(self, training: list[ClassMoments], rows: list[Floats]) -> SubsetScores | None:
        own = [weighted(moments, self.class_weight).to("pooled") for moments in training]
        targets = self._targets(training[0])
        mixing, shift = np.eye(targets.shape[1]), np.zeros(targets.shape[1])
        if self.coding == "numbers":
            mixing, shift = targets, -0.5 * targets[:, 0] ** 2
            if len(targets) == 2:
                mixing, shift = mixing[1:] - mixing[:1], shift[1:] - shift[:1]
        counts, means, scatters = [m.counts for m in own], [m.means for m in own], [m.scatter for m in own]
        return least_squares_folds(counts, means, scatters, targets, mixing, shift, float(self.alpha), rows)


def _not_maximal(parameters: str) -> InputError:
    """Build the error of a search by AIC or BIC whose model is not at its maximum likelihood."""
    return InputError(
        f"AIC and BIC of sets of columns are those of the maximum-likelihood model: leave {parameters} at their defaults, or search by a "
        "metric of held-out rows such as 'log_loss'."
    )
