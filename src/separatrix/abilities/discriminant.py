"""What linear discriminant analysis can do without a refit: leave rows out, resample, permute labels, score sets of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from ..array_types import Bools, Codes, Floats, Folds
from ..data import Block
from ..decisions.class_weights import effective_priors, weighted
from ..solvers.closed_form.discriminant import pooled_divisor, solve_many
from ..solvers.held_out.leave_one_out import LeftOut
from ..solvers.held_out.leave_one_out_shrunk import ShrunkLeftOut, discriminant_pass_at, discriminant_path, shrinkage_pass
from ..solvers.held_out.leave_one_out_span import discriminant_in_span, spanned
from ..solvers.held_out.permuted import TrainingTotals, discriminant_permuted, discriminant_solved
from ..summaries import ClassMoments
from ..summaries.class_moments import Kind, summary_kind
from ..summaries.resampled import ResampledMoments
from .column_sets import DETERMINANTS, SHRUNK, UPDATES, not_maximal
from .page import Refused
from .parts import ESTIMATED, WEIGHTED

if TYPE_CHECKING:
    from ..solvers.subsets.criterion import DeterminantCriterion
    from ..solvers.subsets.scores import SubsetScores


class Discriminant(Protocol):
    """What these parts read of a linear discriminant analysis."""

    priors: Any
    shrinkage: Any
    covariance: Any
    weights: Any
    class_weight: Any
    summary_: Any
    priors_: Floats


def refusal(model: Discriminant) -> Refused | None:
    """Return why rows cannot be left out by algebra, or None where they can."""
    if isinstance(model.shrinkage, str):
        return ESTIMATED
    if model.weights != "frequency":
        return Refused("weights that say how far to trust a row do not count rows")
    return None if model.class_weight is None else WEIGHTED


@dataclass(frozen=True, slots=True)
class RowsLeftOut:
    """Each row left out in turn."""

    model: Discriminant
    how: ClassVar[str] = "exact algebra: without a row the shared covariance changes along one direction"

    def scores(self) -> Callable[[Block], LeftOut]:
        """Return the pass to the scores of each row under the fit without it."""
        return discriminant_pass_at(*fit_parts(self.model), float(self.model.shrinkage or 0.0))

    def in_span(self, rows: Block) -> Callable[[Block], LeftOut]:
        """Return the same pass for blocks of these rows, without a scatter of the columns."""
        model, alpha = self.model, float(self.model.shrinkage or 0.0)
        K, fixed = len(model.priors_), None if model.priors is None else model.priors_
        if not alpha:
            return discriminant_in_span(rows, K, lambda m: _divisor(model, m), fixed)
        p = rows.n_features
        return spanned(rows, K, lambda m: ShrunkLeftOut(m.counts, m.means, m.scatter, _divisor(model, m), fixed, p).at(alpha))


@dataclass(frozen=True, slots=True)
class ShrinkagesFollowed:
    """Each row left out in turn, at many shrinkages."""

    model: Discriminant
    how: ClassVar[str] = "exact algebra: one decomposition serves all shrinkages"

    def scores(self, shrinkages: Sequence[float]) -> Callable[[Block], Iterator[LeftOut]]:
        """Return the pass to such scores at each shrinkage."""
        return discriminant_path(*fit_parts(self.model), shrinkages)

    def in_span(self, rows: Block, shrinkages: Sequence[float]) -> Callable[[Block], Iterator[LeftOut]]:
        """Return the same pass for blocks of these rows, without a scatter of the columns."""
        model, p = self.model, rows.n_features
        K, fixed = len(model.priors_), None if model.priors is None else model.priors_
        plain = discriminant_in_span(rows, K, lambda m: _divisor(model, m), fixed) if 0.0 in shrinkages else None

        def solve(m: ClassMoments) -> Callable[[Block], Iterator[LeftOut]]:
            shrunk = ShrunkLeftOut(m.counts, m.means, m.scatter, _divisor(model, m), fixed, p)
            return shrinkage_pass(shrunk, plain or shrunk.at(0.0), shrinkages)

        return spanned(rows, K, solve)


def fit_parts(model: Discriminant) -> tuple[Floats, Floats, Floats, float, Floats | None]:
    """Return counts, means, scatter, its divisor and the priors given (None: shares of the rows) of a fit."""
    m: ClassMoments = model.summary_
    return m.counts, m.means, m.scatter, _divisor(model, m), None if model.priors is None else model.priors_


def _divisor(model: Discriminant, moments: ClassMoments) -> float:
    return pooled_divisor(moments, model.covariance, model.weights, growing=True)


@dataclass(frozen=True, slots=True)
class ResamplesSolved:
    """All resamples of a bootstrap from one matrix product."""

    model: Discriminant
    how: ClassVar[str] = "exact algebra: the moments of all resamples from one matrix product"

    def solve(self, moments: ResampledMoments, classes: NDArray[Any]) -> tuple[Floats, Floats, Bools]:
        """Return coef (B, K, p) and intercept (B, K) of many weightings of the same rows, and which are certain."""
        model, n = self.model, moments.counts.sum(axis=1)
        nu = n if model.covariance == "mle" else np.maximum(n - len(classes), np.finfo(float).tiny)
        given = None if model.priors is None else effective_priors(model.priors, classes, moments.counts[0])
        priors = moments.counts / n[:, None] if given is None else np.atleast_2d(given)
        return solve_many(moments.means, moments.scatter / nu[:, None, None], priors, float(model.shrinkage or 0.0))


@dataclass(frozen=True, slots=True)
class LabelsPermuted:
    """Held-out answers under permuted labels."""

    model: Discriminant
    how: ClassVar[str] = "exact algebra: what depends on no label is factored once per fold"

    def answers(self, X: Floats, folds: Folds, codes: Codes, classes: NDArray[Any]) -> Codes | None:
        """Return held-out classes (n, B) under B permutations of the labels; None where the algebra does not hold."""
        return discriminant_permuted(X, folds, codes, len(classes), self._priors(classes), self.model.covariance == "unbiased")

    def solve(
        self, totals: TrainingTotals, sums: Floats, counts: Floats, scale: Floats, classes: NDArray[Any]
    ) -> tuple[Floats, Floats] | None:
        """Return coefficients and offsets of B permutations from sums by class; None where the algebra does not hold."""
        return discriminant_solved(totals, sums, counts, self._priors(classes), self.model.covariance == "unbiased")

    def _priors(self, classes: NDArray[Any]) -> Floats | None:
        """Return the priors to hold; None for the shares of the training rows."""
        priors = self.model.priors
        return None if priors is None else effective_priors(priors, classes, np.ones(len(classes)))


def permutations(model: Discriminant) -> LabelsPermuted | Refused:
    """Return the part for permuted labels, or why they need refits."""
    if model.shrinkage not in (None, 0.0):
        return Refused("shrinkage needs a decomposition for every permutation")
    return LabelsPermuted(model) if model.class_weight is None else Refused("class weights follow the labels, which are shuffled")


@dataclass(frozen=True, slots=True)
class DiscriminantSets:
    """Held-out scores of linear discriminants on sets of columns."""

    model: Discriminant
    kind: Kind
    how: ClassVar[str] = UPDATES

    def scores(self, training: list[ClassMoments], rows: list[Floats]) -> SubsetScores:
        """Return the engine for moments of the training rows of each fold and the held-out rows of each fold."""
        from ..solvers.subsets.linear import discriminant_folds

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
        from ..solvers.subsets.criterion import shared_covariance_criterion

        own = moments.to("pooled")
        return shared_covariance_criterion(own.counts, own.means, own.scatter, self.priors_given)


def discriminant_criterion(model: Discriminant) -> SharedCovarianceSets | Refused:
    """Return AIC and BIC of linear discriminants, or why there are none."""
    if model.shrinkage not in (None, 0.0) or model.class_weight is not None or model.weights != "frequency":
        return not_maximal("shrinkage, class_weight and weights")
    return SharedCovarianceSets(model.priors is not None)
