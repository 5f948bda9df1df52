"""Models on sets of their columns, for searches: held-out scores and likelihoods of every neighbour of a set, without refits;
for penalised losses, which columns are worth a refit, and many fits side by side.

A function per family returns the part, or why the parameters tie the columns together in ways no update follows. The algebra is imported
when a search asks for it, not with the models.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..array_types import Codes, Floats, Indices
from ..data import as_source
from ..decisions.class_weights import class_factors, effective_priors, weighted
from ..losses import Loss
from ..solvers.closed_form.least_squares import class_targets
from ..solvers.closed_form.quadratic import class_divisors, pool, regularise
from ..solvers.closed_form.whitening import total_spread
from ..solvers.scores import folded
from ..summaries import ClassMoments
from ..summaries.class_moments import Kind
from .page import Refused

if TYPE_CHECKING:
    from ..solvers.subsets.criterion import DeterminantCriterion
    from ..solvers.subsets.logistic import LogisticScores
    from ..solvers.subsets.scores import SubsetScores

UPDATES = "exact algebra: one pivot carries the scores of all folds to the next set"
DETERMINANTS = "exact algebra: the likelihood of a set by determinants"
SHRUNK = Refused("the target of shrinkage is the mean variance of the set, which changes with every column")


def not_maximal(parameters: str) -> Refused:
    """Return the refusal of AIC and BIC for a model that is not at its maximum likelihood."""
    return Refused(
        f"AIC and BIC of sets of columns are those of the maximum-likelihood model: leave {parameters} at their defaults, or search by a "
        "metric of held-out rows such as 'log_loss'"
    )


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
        from ..solvers.subsets.gaussian import QuadraticScores

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
        from ..solvers.subsets.criterion import own_covariances_criterion

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
        from ..solvers.subsets.gaussian import NaiveScores

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
        from ..solvers.subsets.criterion import own_variances_criterion

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
        from ..solvers.subsets.linear import least_squares_folds

        model = self.model
        own = [weighted(moments, model.class_weight).to("pooled") for moments in training]
        targets = class_targets(training[0].classes, model.coding, model.numbers)
        mixing, shift = np.eye(targets.shape[1]), np.zeros(targets.shape[1])
        if model.coding == "numbers":
            mixing, shift = folded(targets, -0.5 * targets[:, 0] ** 2)
        counts, means, scatters = [m.counts for m in own], [m.means for m in own], [m.scatter for m in own]
        return least_squares_folds(counts, means, scatters, targets, mixing, shift, float(model.alpha), rows)


class LossModel(Protocol):
    """What is read of a model that minimises a penalised loss."""

    C: float
    class_weight: Any


@dataclass(frozen=True, slots=True)
class ColumnsRanked:
    """Columns ranked by a quadratic model of the loss at the fit of the current set."""

    model: LossModel
    loss: Any
    """From the number of classes to the loss."""
    how: ClassVar[str] = "a score test ranks the candidates, the first few are refitted"

    def ranks(self, X: Floats, codes: Codes, weight: Floats | None, classes: NDArray[Any], columns: list[int], adding: bool) -> Floats:
        """Return what each column (p,) is expected to gain if taken in, or minus what it is expected to be missed by."""
        from ..solvers.subsets.linear import expected_gains, expected_losses, rowwise

        model, w = self.model, np.ones(len(X)) if weight is None else weight
        K, inside = len(classes), sorted(columns)
        factors = class_factors(model.class_weight, classes, np.bincount(codes, w, minlength=K).astype(np.float64))
        w = w if factors is None else w * factors[codes]
        R = 1 if K == 2 else K
        scores, coef = np.zeros((len(X), R)), np.zeros((R, len(inside)))
        if inside:
            fitted = clone(model).fit(X[:, inside], classes[codes], sample_weight=weight)
            coef = fitted.coef_
            scores = X[:, inside] @ coef.T + fitted.intercept_
        slope, curvature = rowwise(self._loss(K), scores, codes)
        penalty = 0.0 if np.isinf(model.C) else 1.0 / float(model.C)
        if adding:
            return expected_gains(X, inside, slope, curvature, w, penalty)
        found = np.zeros(X.shape[1])
        found[inside] = -expected_losses(X[:, inside], coef, curvature, w, penalty)
        return found

    def _loss(self, K: int) -> Loss:
        found: Loss = self.loss(K)
        return found


class Logistic(LossModel, Protocol):
    """What is read of a logistic regression."""

    l1_ratio: float
    firth: bool
    fit_intercept: bool


@dataclass(frozen=True, slots=True)
class LogisticFits:
    """Logistic regressions for two classes with an L2 penalty on sets of columns, many at once."""

    model: Logistic
    how: ClassVar[str] = "two classes: many fits advance together"

    def fits(
        self, X: Floats, codes: Codes, weight: Floats | None, classes: NDArray[Any], splits: list[tuple[Indices, Indices]]
    ) -> LogisticScores | None:
        """Return held-out scores of sets of columns; None with more than two classes, or with weights that only the model itself judges."""
        from ..solvers.subsets.logistic import LogisticFold, LogisticScores

        if len(classes) != 2 or (weight is not None and not _ordinary(weight)):
            return None
        if not np.isfinite(X).all():
            as_source(X, codes).refuse_nonfinite()
        folds = []
        for train, test in splits:
            own = codes[train]
            w = np.ones(len(train)) if weight is None else weight[train]
            factors = class_factors(self.model.class_weight, classes, np.bincount(own, w, minlength=2).astype(np.float64))
            folds.append(LogisticFold(train, (own == 1).astype(np.float64), w if factors is None else w * factors[own], test))
        return LogisticScores(X, folds, 1.0 / float(self.model.C), bool(self.model.fit_intercept))


def _ordinary(weight: Floats) -> bool:
    """Whether weights leave Hessians that can be inverted without a second look."""
    positive = weight[weight > 0]
    return bool(positive.min(initial=1.0) > 1e-12 and positive.max(initial=1.0) < 1e12)


def logistic_fits(model: Logistic) -> LogisticFits | Refused:
    """Return fits side by side, or why they run one by one."""
    if model.l1_ratio > 0 or model.firth or np.isinf(model.C):
        return Refused("an L2 penalty alone keeps every candidate's Hessian invertible")
    return LogisticFits(model)
