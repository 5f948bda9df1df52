"""Models on sets of their columns, for searches: held-out scores and likelihoods of every neighbour of a set, without refits.

A model joins by inheriting one of these. `_subset_scores(training, rows)` takes the moments of the training rows of each fold and the
held-out rows; it answers None where the parameters tie the columns together in ways no update follows. `_subset_criterion(moments)` takes
the moments of all rows. The algebra is imported when a search asks for it, not with the models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..data import as_source
from ..errors import InputError
from ..losses import Loss
from ..solvers.closed_form.quadratic import pool, regularise
from ..solvers.closed_form.spread import total_spread
from ..summaries import ClassMoments
from .priors import class_factors, effective_priors, weighted

if TYPE_CHECKING:
    from ..solvers.subsets.subset_criterion import DeterminantCriterion
    from ..solvers.subsets.subset_logistic import LogisticScores
    from ..solvers.subsets.subset_scores import SubsetScores
    from .from_summary import MomentClassifier as Base
else:
    Base = object

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


class SharedCovarianceSubsets(Base):
    """Linear discriminants on sets of columns."""

    priors: Any
    shrinkage: Any
    weights: str

    def _divisor(self, moments: ClassMoments, growing: bool) -> float:
        raise TypeError(f"{type(self).__name__} must define _divisor")

    def _subset_scores(self, training: list[ClassMoments], rows: list[Floats]) -> SubsetScores | None:
        from ..solvers.subsets.subset_linear import discriminant_folds

        if self.shrinkage not in (None, 0.0):
            return None  # the target of shrinkage is the mean variance of the set
        own = [weighted(moments, self.class_weight).to("pooled") for moments in training]
        priors = [effective_priors(self.priors, m.classes, m.counts) for m in own]
        divisors = [self._divisor(m, growing=False) for m in own]
        return discriminant_folds([m.counts for m in own], [m.means for m in own], [m.scatter for m in own], priors, divisors, rows)

    def _subset_criterion(self, moments: ClassMoments) -> DeterminantCriterion:
        from ..solvers.subsets.subset_criterion import shared_covariance_criterion

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
        from ..solvers.subsets.subset_gaussian import QuadraticScores

        if self.shrinkage not in (None, 0.0):
            return None  # the target of shrinkage is the mean variance of the set
        own = [weighted(moments, self.class_weight) for moments in training]
        pooled = [pool(m.scatter, self._freedom(m, growing=False), float(self.pooling or 0.0)) for m in own]
        covariances = [regularise(S, np.zeros(len(S)), None, float(self.reg_param)) for S in pooled]
        priors = [effective_priors(self.priors, m.classes, m.counts) for m in own]
        spreads = [total_spread(m.counts, m.means, m.to_diagonal_sums())[1] for m in own]
        return QuadraticScores([m.means for m in own], covariances, priors, spreads, rows)

    def _subset_criterion(self, moments: ClassMoments) -> DeterminantCriterion:
        from ..solvers.subsets.subset_criterion import own_covariances_criterion

        if self.shrinkage or self.pooling or self.reg_param or self.class_weight is not None:
            raise _not_maximal("shrinkage, pooling, reg_param and class_weight")
        return own_covariances_criterion(moments.counts, moments.means, moments.scatter, self.priors is not None)


class OwnVariancesSubsets(Base):
    """Gaussian naive Bayes on sets of columns."""

    priors: Any
    var_smoothing: float
    ddof: float

    def _subset_scores(self, training: list[ClassMoments], rows: list[Floats]) -> SubsetScores | None:
        from ..solvers.subsets.subset_gaussian import NaiveScores

        own = [weighted(moments, self.class_weight) for moments in training]
        totals = [(m.scatter.sum(axis=0) + m.counts @ (m.means - m.grand_mean) ** 2) / m.counts.sum() for m in own]
        variances = [m.scatter / np.where(m.counts > self.ddof, m.counts - self.ddof, m.counts)[:, None] for m in own]
        priors = [effective_priors(self.priors, m.classes, m.counts) for m in own]
        return NaiveScores([m.means for m in own], variances, totals, priors, float(self.var_smoothing), rows)

    def _subset_criterion(self, moments: ClassMoments) -> DeterminantCriterion:
        from ..solvers.subsets.subset_criterion import own_variances_criterion

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
        from ..solvers.subsets.subset_linear import least_squares_folds

        own = [weighted(moments, self.class_weight).to("pooled") for moments in training]
        targets = self._targets(training[0])
        mixing, shift = np.eye(targets.shape[1]), np.zeros(targets.shape[1])
        if self.coding == "numbers":
            mixing, shift = targets, -0.5 * targets[:, 0] ** 2
            if len(targets) == 2:
                mixing, shift = mixing[1:] - mixing[:1], shift[1:] - shift[:1]
        counts, means, scatters = [m.counts for m in own], [m.means for m in own], [m.scatter for m in own]
        return least_squares_folds(counts, means, scatters, targets, mixing, shift, float(self.alpha), rows)


class LossSubsets:
    """A penalised loss of linear scores on sets of columns: which columns are worth a refit."""

    C: float
    class_weight: Any

    def _loss(self, n_classes: int) -> Loss:
        raise TypeError(f"{type(self).__name__} must define _loss")

    def _column_ranks(
        self, X: Floats, codes: NDArray[np.int32], weight: Floats | None, classes: NDArray[Any], columns: list[int], adding: bool
    ) -> Floats:
        """Return what every column (p,) is expected to gain if taken in, or minus what it is expected to be missed by."""
        from ..solvers.subsets.subset_ranking import expected_gains, expected_losses, rowwise

        w = np.ones(len(X)) if weight is None else weight
        K, inside = len(classes), sorted(columns)
        factors = class_factors(self.class_weight, classes, np.bincount(codes, w, minlength=K).astype(np.float64))
        w = w if factors is None else w * factors[codes]
        R = 1 if K == 2 else K
        scores, coef = np.zeros((len(X), R)), np.zeros((R, len(inside)))
        if inside:
            fitted = clone(self).fit(X[:, inside], classes[codes], sample_weight=weight)
            coef = fitted.coef_
            scores = X[:, inside] @ coef.T + fitted.intercept_
        slope, curvature = rowwise(self._loss(K), scores, codes)
        penalty = 0.0 if np.isinf(self.C) else 1.0 / float(self.C)
        if adding:
            return expected_gains(X, inside, slope, curvature, w, penalty)
        found = np.zeros(X.shape[1])
        found[inside] = -expected_losses(X[:, inside], coef, curvature, w, penalty)
        return found


class LogisticSubsets:
    """Logistic regression for two classes with an L2 penalty on sets of columns: many fits side by side."""

    C: float
    class_weight: Any
    l1_ratio: float
    firth: bool
    fit_intercept: bool

    def _subset_fits(
        self, X: Floats, codes: NDArray[np.int32], weight: Floats | None, classes: NDArray[Any], splits: list[tuple[Ints, Ints]]
    ) -> LogisticScores | None:
        """Return held-out scores of sets of columns; None with more classes, another penalty or none."""
        from ..solvers.subsets.subset_logistic import LogisticFold, LogisticScores

        if len(classes) != 2 or self.l1_ratio > 0 or self.firth or np.isinf(self.C):
            return None
        if not np.isfinite(X).all():
            as_source(X, codes).refuse_nonfinite()
        folds = []
        for train, test in splits:
            own = codes[train]
            w = np.ones(len(train)) if weight is None else weight[train]
            factors = class_factors(self.class_weight, classes, np.bincount(own, w, minlength=2).astype(np.float64))
            folds.append(LogisticFold(train, (own == 1).astype(np.float64), w if factors is None else w * factors[own], test))
        return LogisticScores(X, folds, 1.0 / float(self.C), bool(self.fit_intercept))


def _not_maximal(parameters: str) -> InputError:
    """Build the error of a search by AIC or BIC whose model is not at its maximum likelihood."""
    return InputError(
        f"AIC and BIC of sets of columns are those of the maximum-likelihood model: leave {parameters} at their defaults, or search by a "
        "metric of held-out rows such as 'log_loss'."
    )
