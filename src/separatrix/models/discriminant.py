"""Linear discriminant analysis."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..abilities import Abilities, unless
from ..abilities import discriminant as parts
from ..abilities.gaussian_likelihood import SharedCovarianceLikelihood
from ..abilities.parts import Similarity
from ..argument_types import check_arguments
from ..array_types import Floats
from ..data import Block, Source
from ..data.device import is_on_device
from ..decisions.class_weights import class_factors, effective_priors, stand_in, weighted
from ..errors import InputError, one_of
from ..solvers.closed_form.discriminant import Discriminant, log_priors, pooled_divisor, solve_discriminant
from ..solvers.closed_form.shrinkage import ledoit_wolf_alpha, oas_alpha, shrink_in_units
from ..solvers.closed_form.whitening import total_spread, whiten
from ..solvers.closed_form.wide_discriminant import solve_wide_discriminant
from ..solvers.device_scores import quadratic_scores
from ..solvers.scores import folded, linear_codes, per_class
from ..summaries import ClassMoments
from ..summaries.norms import FourthMoment
from ..thresholds import EIGENVECTORS, FACTOR
from .discriminant_summary import summarise
from .from_summary import FromSummary, SummaryClassifier
from .generative import GenerativeClassifier
from .later import Computed, Later
from .linear import LinearClassifier
from .projection import direction_names, project
from .singular import columns_in, warn_singular

NEEDS_ROWS = (
    "shrinkage='auto' needs all rows at once, which partial_fit, forget and fit_summary do not have; use a number in [0, 1] or "
    "shrinkage='oas', which the moments give."
)
LOG_2PI = float(np.log(2.0 * np.pi))


class LinearDiscriminantAnalysis(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, SummaryClassifier, LinearClassifier, GenerativeClassifier
):
    """Gaussian classes with one covariance: linear boundaries, posteriors, and projection to where classes differ most.

        δ_k(x) = x'Σ⁻¹μ_k − ½ μ_k'Σ⁻¹μ_k + log π_k

    One pass over the rows; rows can be added and taken back out exactly. Takes weights, sparse matrices, frames and tables.

    Parameters
    ----------
    priors : (K,) array, optional
        Class probabilities; default: shares of the rows.
    shrinkage : float in [0, 1], "auto" or "oas", optional
        Σ becomes (1 − α)Σ + α(tr Σ/p)I. "auto" is Ledoit and Wolf's α and "oas" Chen's, both for columns divided by their
        pooled standard deviation, so that units do not matter. "auto" needs the rows, the others do not. (scikit-learn's "auto" shrinks
        the covariance of each class by an α of its own.)
    covariance : "unbiased" or "mle"
        Divide the pooled scatter by n − K, as R and SAS do, or by n, as scikit-learn does.
    n_components : int, optional
        Directions kept by `transform`, at most min(K − 1, p).
    class_weight : dict, "balanced" or None
        Factors on the weights of the classes.
    weights : "frequency" or "reliability"
        Whether a weight counts rows (n = Σw) or says how far to trust one (n − K counts rows).
    n_jobs : int, optional
        Threads; default: SEPARATRIX_NUM_THREADS or all CPUs this process may use.

    Attributes
    ----------
    classes_, priors_, means_, covariance_, coef_, intercept_ : as in scikit-learn
    xbar_ : (p,) prior-weighted mean
    scalings_ : (p, r) directions, classes having unit variance along them (as in R's MASS)
    explained_variance_ratio_ : share of the between-class variance of each direction
    rank_ : number of directions in which the classes vary
    shrinkage_ : float, the α used
    n_parameters_ : k of `aic` and `bic`
    summary_ : ClassMoments, or None after a fit with far more columns than rows

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import LinearDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> lda = LinearDiscriminantAnalysis().fit(X, y)
    >>> int((lda.predict(X) != y).sum())
    3
    >>> lda.explained_variance_ratio_.round(4).tolist()
    [0.9912, 0.0088]

    References
    ----------
    Ripley (1996), Pattern Recognition and Neural Networks, chapter 3.
    """

    priors_: Floats
    means_: Floats
    _on_device = True
    _kind = "pooled"
    _in_span, _later = True, ("summary_", "covariance_", "basis_")
    covariance_ = Later(lambda model: model._covariance_asked_for())
    basis_ = Later(lambda model: model._basis_asked_for())
    summary = summarise
    transform, get_feature_names_out = project, direction_names

    def __init__(
        self,
        priors: Any = None,
        shrinkage: float | Literal["auto", "oas"] | None = None,
        covariance: Literal["unbiased", "mle"] = "unbiased",
        n_components: int | None = None,
        *,
        class_weight: Any = None,
        weights: Literal["frequency", "reliability"] = "frequency",
        n_jobs: int | None = None,
    ) -> None:
        self.priors = priors
        self.shrinkage = shrinkage
        self.covariance = covariance
        self.n_components = n_components
        self.class_weight = class_weight
        self.weights = weights
        self.n_jobs = n_jobs

    def _check_params(self) -> None:
        if self.covariance not in ("unbiased", "mle"):
            raise one_of("covariance", self.covariance, ["unbiased", "mle"])
        if self.weights not in ("frequency", "reliability"):
            raise one_of("weights", self.weights, ["frequency", "reliability"])
        if isinstance(self.shrinkage, str):
            if self.shrinkage not in ("auto", "oas"):
                raise one_of("shrinkage", self.shrinkage, ["auto", "oas"])
        elif self.shrinkage is not None and not 0.0 <= self.shrinkage <= 1.0:
            raise InputError(f"shrinkage={self.shrinkage!r} is outside [0, 1]; use a number in it, 'auto', 'oas' or None.")
        if self.n_components is not None and self.n_components < 1:
            raise InputError(f"n_components={self.n_components!r} must be at least 1, or None for all min(K - 1, p) directions.")

    def _fit_wide(self, source: Source, rows: Block) -> dict[str, Any]:
        """Fit where rows are fewer than columns: in the span of the rows."""
        moments, factors = self._column_moments(source)
        wide = solve_wide_discriminant(rows, moments, factors, self.shrinkage, self._solve_moments, self._divisor_and_priors)
        if wide.flat:
            warn_singular(_singular(f"{wide.flat} direction(s) of {source.n_features} columns"))
        return self._attributes(wide.found, wide.means, wide.priors, wide.alpha)

    def _divisor_and_priors(self, moments: ClassMoments) -> tuple[float, Floats]:
        priors = effective_priors(self.priors, moments.classes, moments.counts)
        return pooled_divisor(moments, self.covariance, self.weights), priors

    def _covariance_asked_for(self) -> Floats:
        moments = weighted(self.summary_, self.class_weight).to("pooled")
        covariance = moments.scatter / pooled_divisor(moments, self.covariance, self.weights)
        return shrink_in_units(covariance, self.shrinkage_, _unit(moments) if isinstance(self.shrinkage, str) else None, len(covariance))

    def _basis_asked_for(self) -> Floats:
        moments = weighted(self.summary_, self.class_weight)
        return whiten(self.covariance_, total_spread(moments.counts, moments.means, moments.to_diagonal_sums())[1]).basis

    def _solve(self, summary: Any, source: Source | None, growing: bool = False) -> dict[str, Any]:
        factors = class_factors(self.class_weight, summary.classes, summary.counts)
        moments = weighted(summary, self.class_weight).to("pooled")
        alpha, unit = self._shrinkage(moments, source, factors)
        found, priors = self._solve_moments(moments, alpha, unit, None, growing)
        null = found.whitening.null
        if null.shape[1]:
            warn_singular(_singular(f"{null.shape[1]} direction(s) involving {columns_in(null, source)}"))
        means = stand_in(moments.means, moments.counts)
        # Both are as large as the scatter: of many columns the basis is not computed yet.
        basis = Computed.LATER if found.whitening.units is not None else found.whitening.root
        return {**self._attributes(found, means, priors, alpha), "covariance_": Computed.LATER, "basis_": basis}

    def _solve_moments(
        self, moments: ClassMoments, alpha: float, unit: Floats | None, p: int | None, growing: bool
    ) -> tuple[Discriminant, Floats]:
        priors = effective_priors(self.priors, moments.classes, moments.counts)
        means = stand_in(moments.means, moments.counts)
        _, spread = total_spread(moments.counts, moments.means, moments.to_diagonal_sums())
        if p is not None:
            spread = np.ones_like(spread)  # embedded rows come in the right units already
        covariance = moments.scatter / pooled_divisor(moments, self.covariance, self.weights, growing)
        return solve_discriminant(means, covariance, priors, spread, alpha, unit, p), priors

    def _shrinkage(self, moments: ClassMoments, source: Source | None, factors: Floats | None) -> tuple[float, Floats | None]:
        """Return α and the units in which the covariance is shrunk by it."""
        if self.shrinkage is None or not isinstance(self.shrinkage, str):
            return float(self.shrinkage or 0.0), None
        n = float(moments.counts.sum())
        unit = _unit(moments)
        correlation = moments.scatter / n
        correlation /= unit[:, None]
        correlation /= unit
        if self.shrinkage == "oas":
            return oas_alpha(correlation, n, len(unit)), unit
        if source is None:
            raise InputError(NEEDS_ROWS)
        fourth = source.reduce(FourthMoment.summarise(moments.means, unit, factors)).total
        return ledoit_wolf_alpha(correlation, fourth, n, len(unit)), unit

    def _attributes(self, found: Discriminant, means: Floats, priors: Floats, alpha: float) -> dict[str, Any]:
        most = found.scalings.shape[1]
        if self.n_components is not None and self.n_components > most:
            raise InputError(
                f"n_components={self.n_components} cannot be larger than min(n_features, n_classes - 1) = {most}; use {most} or None."
            )
        coef, intercept = folded(found.coef, found.intercept)
        return {
            "priors_": priors,
            "means_": means,
            "xbar_": found.mean,
            "coef_": np.ascontiguousarray(coef),
            "intercept_": intercept,
            "scalings_": found.scalings,
            "explained_variance_ratio_": found.ratio[: self.n_components],
            "log_det_": found.whitening.log_det,
            "rank_": found.whitening.rank,
            "shrinkage_": alpha,
        }

    def _span_work(self) -> tuple[float, float]:
        return (EIGENVECTORS, FACTOR) if self.shrinkage else super()._span_work()

    def _needs_rows(self) -> str | None:
        return NEEDS_ROWS if self.shrinkage == "auto" else None

    def _abilities(self) -> Abilities:
        refused = parts.refusal(self)
        page = super()._abilities()
        page.leave_one_out = unless(refused, parts.RowsLeftOut(self))
        page.shrinkages = parts.ShrinkagesFollowed(self)
        page.resamples = unless(refused, parts.ResamplesSolved(self))
        page.permutations = parts.permutations(self)
        page.subsets = parts.discriminant_sets(self)
        page.criterion = parts.discriminant_criterion(self)
        page.likelihood = SharedCovarianceLikelihood(self, FromSummary(self))
        page.similarity = Similarity("Mahalanobis distance under the shared covariance", lambda code: self.basis_)
        return page

    def _on_subsets(self) -> bool:
        return self.n_components is None

    @property
    def _n_features_out(self) -> int:
        return int(self.scalings_[:, : self.n_components].shape[1])

    def predict(self, X: Any, rank: int | None = None) -> NDArray[Any]:
        """Return the label of each row.

        Parameters
        ----------
        X : array, sparse matrix, frame or table of n rows
        rank : int, optional
            Use only the first `rank` directions of `transform` (reduced-rank prediction).
        """
        if rank is None:
            return super().predict(X)
        check_arguments(LinearDiscriminantAnalysis.predict, locals())
        check_is_fitted(self)
        most = self.scalings_.shape[1]
        if not 1 <= rank <= most:
            raise InputError(f"rank={rank!r} must be between 1 and {most}, the number of directions of this model.")
        D = self.scalings_[:, :rank]
        Z = (self.means_ - self.xbar_) @ D
        coef = np.ascontiguousarray(Z @ D.T)
        intercept = log_priors(self.priors_) - 0.5 * np.einsum("kr,kr->k", Z, Z) - coef @ self.xbar_
        return self._labels(X, lambda block: linear_codes(block, coef, intercept))

    def _posterior_scores(self, block: Block) -> Floats:
        return per_class(self._scores(block))

    def _joint(self, block: Block) -> Floats:
        """log π_k − ½ (‖z − z_k‖² + log det Σ + p log 2π) with z = (x − x̄)'B."""
        self._require_scatter()
        if is_on_device(block):
            return self._joint_on_device(block)  # type: ignore[no-any-return]
        z = np.asarray(block.X @ self.basis_) - self.xbar_ @ self.basis_
        centres = (self.means_ - self.xbar_) @ self.basis_
        quadratic = np.stack([np.einsum("ir,ir->i", d, d) for d in (z - c for c in centres)], axis=1)
        joint: Floats = log_priors(self.priors_) - 0.5 * (quadratic + self.log_det_ + self.n_features_in_ * LOG_2PI)
        return joint

    def _joint_on_device(self, block: Block) -> Any:
        p = self.n_features_in_
        basis = np.broadcast_to(self.basis_, (len(self.means_), *self.basis_.shape))
        return quadratic_scores(block, self.means_, basis, log_priors(self.priors_) - 0.5 * (self.log_det_ + p * LOG_2PI))

    def _draw(self, k: int, n: int, rng: np.random.RandomState) -> Floats:
        self._require_scatter()
        values, vectors = np.linalg.eigh(self.covariance_)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        drawn: Floats = self.means_[k] + rng.standard_normal((n, len(values))) @ root.T
        return drawn

    def _class_priors(self) -> Floats:
        return self.priors_


def _unit(moments: ClassMoments) -> Floats:
    """Return the standard deviations of the columns within the classes, 1 where a column does not vary."""
    sd = np.sqrt(moments.to_diagonal_sums() / moments.counts.sum())
    return np.where(sd > 0, sd, 1.0)


def _singular(directions: str) -> str:
    return (
        f"The covariance has no inverse: along {directions} no class varies (collinear or constant columns, or too few rows). Where class "
        "means differ there, they decide before everything else; elsewhere the direction is ignored. Drop such columns, or use "
        "shrinkage='auto'."
    )
