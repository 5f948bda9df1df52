"""Models on sets of their columns, for searches: held-out scores and likelihoods of every neighbour of a set, without refits.

A function per family returns the part, or why the parameters tie the columns together in ways no update follows. The algebra is imported
when a search asks for it, not with the models.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from ..decisions.class_weights import effective_priors, weighted
from ..solvers.closed_form.discriminant import pooled_divisor
from ..solvers.closed_form.least_squares import class_targets
from ..solvers.closed_form.quadratic import class_divisors, pool, regularise
from ..solvers.closed_form.whitening import total_spread
from ..solvers.scores import folded
from ..summaries import ClassMoments
from ..summaries.class_moments import Kind
from .page import Refused
from .protocols import Floats

if TYPE_CHECKING:
    from ..solvers.subsets.subset_criterion import DeterminantCriterion
    from ..solvers.subsets.subset_scores import SubsetScores

UPDATES = "exact algebra: one pivot carries the scores of all folds to the next set"
DETERMINANTS = "exact algebra: the likelihood of a set by determinants"
SHRUNK = Refused("the target of shrinkage is the mean variance of the set, which changes with every column")


def not_maximal(parameters: str) -> Refused:
    """Return the refusal of AIC and BIC for a model that is not at its maximum likelihood."""
    return Refused(
        f"AIC and BIC of sets of columns are those of the maximum-likelihood model: leave {parameters} at their defaults, or search by a "
        "metric of held-out rows such as 'log_loss'"
    )


def summary_kind(kind: Kind, class_weight: Any) -> Kind:
    """Return the moments a model needs: class weights scale classes, so each class keeps its own scatter."""
    return "full" if kind == "pooled" and class_weight is not None else kind


class Discriminant(Protocol):
    """What is read of a linear discriminant analysis."""

    priors: Any
    shrinkage: Any
    covariance: Any
    weights: Any
    class_weight: Any


@dataclass(frozen=True, slots=True)
class DiscriminantSets:
    """Held-out scores of linear discriminants on sets of columns."""

    model: Discriminant
    kind: Kind
    how: ClassVar[str] = UPDATES

    def scores(self, training: list[ClassMoments], rows: list[Floats]) -> SubsetScores:
        """Return the engine for moments of the training rows of each fold and the held-out rows of each fold."""
        from ..solvers.subsets.subset_linear import discriminant_folds

        model = self.model
        own = [weighted(moments, model.class_weight).to("pooled") for moments in training]
        priors = [effective_priors(model.priors, m.classes, m.counts) for m in own]
        divisors = [pooled_divisor(m, model.covariance, model.weights) for m in own]
        return discriminant_folds([m.counts for m in own], [m.means for m in own], [m.scatter for m in own], priors, divisors, rows)


def discriminant_sets(model: Discriminant) -> DiscriminantSets | Refused:
    """Return held-out scores of linear discriminants, or why there are none."""
    return DiscriminantSets(model, summary_kind("pooled", model.class_weight)) if model.shrinkage in (None, 0.0) else SHRUNK


@dataclass(frozen=True, slots=True)
class SharedCovarianceSets:
    """AIC and BIC of linear discriminants on sets of columns."""

    priors_given: bool
    kind: ClassVar[Kind] = "pooled"
    how: ClassVar[str] = DETERMINANTS

    def criterion(self, moments: ClassMoments) -> DeterminantCriterion:
        """Return the criterion of every set from the moments of all rows."""
        from ..solvers.subsets.subset_criterion import shared_covariance_criterion

        own = moments.to("pooled")
        return shared_covariance_criterion(own.counts, own.means, own.scatter, self.priors_given)


def discriminant_criterion(model: Discriminant) -> SharedCovarianceSets | Refused:
    """Return AIC and BIC of linear discriminants, or why there are none."""
    if model.shrinkage not in (None, 0.0) or model.class_weight is not None or model.weights != "frequency":
        return not_maximal("shrinkage, class_weight and weights")
    return SharedCovarianceSets(model.priors is not None)


class Quadratic(Protocol):
    """What is read of a quadratic discriminant analysis."""

    priors: Any
    shrinkage: Any
    pooling: float | None
    reg_param: float
    covariance: Any
    class_weight: Any


@dataclass(frozen=True, slots=True)
class QuadraticSets:
    """Held-out scores of quadratic discriminants on sets of columns."""

    model: Quadratic
    kind: ClassVar[Kind] = "full"
    how: ClassVar[str] = UPDATES

    def scores(self, training: list[ClassMoments], rows: list[Floats]) -> SubsetScores:
        """Return the engine for moments of the training rows of each fold and the held-out rows of each fold."""
        from ..solvers.subsets.subset_gaussian import QuadraticScores

        model, share = self.model, float(self.model.pooling or 0.0)
        own = [weighted(moments, model.class_weight) for moments in training]
        pooled = [pool(m.scatter, class_divisors(m, model.covariance, share), share) for m in own]
        covariances = [regularise(S, np.zeros(len(S)), None, float(model.reg_param)) for S in pooled]
        priors = [effective_priors(model.priors, m.classes, m.counts) for m in own]
        spreads = [total_spread(m.counts, m.means, m.to_diagonal_sums())[1] for m in own]
        return QuadraticScores([m.means for m in own], covariances, priors, spreads, rows)


def quadratic_sets(model: Quadratic) -> QuadraticSets | Refused:
    """Return held-out scores of quadratic discriminants, or why there are none."""
    return QuadraticSets(model) if model.shrinkage in (None, 0.0) else SHRUNK


@dataclass(frozen=True, slots=True)
class OwnCovariancesSets:
    """AIC and BIC of quadratic discriminants on sets of columns."""

    priors_given: bool
    kind: ClassVar[Kind] = "full"
    how: ClassVar[str] = DETERMINANTS

    def criterion(self, moments: ClassMoments) -> DeterminantCriterion:
        """Return the criterion of every set from the moments of all rows."""
        from ..solvers.subsets.subset_criterion import own_covariances_criterion

        return own_covariances_criterion(moments.counts, moments.means, moments.scatter, self.priors_given)


def quadratic_criterion(model: Quadratic) -> OwnCovariancesSets | Refused:
    """Return AIC and BIC of quadratic discriminants, or why there are none."""
    if model.shrinkage or model.pooling or model.reg_param or model.class_weight is not None:
        return not_maximal("shrinkage, pooling, reg_param and class_weight")
    return OwnCovariancesSets(model.priors is not None)


class Naive(Protocol):
    """What is read of Gaussian naive Bayes."""

    priors: Any
    var_smoothing: float
    ddof: float
    class_weight: Any


@dataclass(frozen=True, slots=True)
class NaiveSets:
    """Held-out scores of Gaussian naive Bayes on sets of columns."""

    model: Naive
    kind: ClassVar[Kind] = "diagonal"
    how: ClassVar[str] = "exact algebra: each column adds its own logarithms"

    def scores(self, training: list[ClassMoments], rows: list[Floats]) -> SubsetScores:
        """Return the engine for moments of the training rows of each fold and the held-out rows of each fold."""
        from ..solvers.subsets.subset_gaussian import NaiveScores

        model = self.model
        own = [weighted(moments, model.class_weight) for moments in training]
        totals = [(m.scatter.sum(axis=0) + m.counts @ (m.means - m.grand_mean) ** 2) / m.counts.sum() for m in own]
        variances = [m.scatter / np.where(m.counts > model.ddof, m.counts - model.ddof, m.counts)[:, None] for m in own]
        priors = [effective_priors(model.priors, m.classes, m.counts) for m in own]
        return NaiveScores([m.means for m in own], variances, totals, priors, float(model.var_smoothing), rows)


@dataclass(frozen=True, slots=True)
class OwnVariancesSets:
    """AIC and BIC of Gaussian naive Bayes on sets of columns."""

    priors_given: bool
    kind: ClassVar[Kind] = "diagonal"
    how: ClassVar[str] = "exact algebra: each column adds its own likelihood"

    def criterion(self, moments: ClassMoments) -> DeterminantCriterion:
        """Return the criterion of every set from the moments of all rows."""
        from ..solvers.subsets.subset_criterion import own_variances_criterion

        return own_variances_criterion(moments.counts, moments.means, moments.scatter, self.priors_given)


def naive_criterion(model: Naive) -> OwnVariancesSets | Refused:
    """Return AIC and BIC of Gaussian naive Bayes, or why there are none."""
    return OwnVariancesSets(model.priors is not None) if model.class_weight is None else not_maximal("class_weight")


class LeastSquares(Protocol):
    """What is read of a least-squares classifier."""

    alpha: float
    coding: Any
    numbers: Any
    class_weight: Any


@dataclass(frozen=True, slots=True)
class LeastSquaresSets:
    """Held-out scores of least squares and ridge regression on sets of columns."""

    model: LeastSquares
    kind: Kind
    how: ClassVar[str] = UPDATES

    def scores(self, training: list[ClassMoments], rows: list[Floats]) -> SubsetScores:
        """Return the engine for moments of the training rows of each fold and the held-out rows of each fold."""
        from ..solvers.subsets.subset_linear import least_squares_folds

        model = self.model
        own = [weighted(moments, model.class_weight).to("pooled") for moments in training]
        targets = class_targets(training[0].classes, model.coding, model.numbers)
        mixing, shift = np.eye(targets.shape[1]), np.zeros(targets.shape[1])
        if model.coding == "numbers":
            mixing, shift = folded(targets, -0.5 * targets[:, 0] ** 2)
        counts, means, scatters = [m.counts for m in own], [m.means for m in own], [m.scatter for m in own]
        return least_squares_folds(counts, means, scatters, targets, mixing, shift, float(model.alpha), rows)
