"""Quadratic discriminant analysis, plain and regularised."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..abilities import Abilities, column_sets
from ..abilities.additive_scores import QuadraticScores
from ..abilities.gaussian_likelihood import own_covariances_likelihood
from ..abilities.parts import Reading, Similarity
from ..abilities.quadratic import rows_left_out
from ..array_types import Floats, Indices, Ints
from ..data import Block, Source
from ..decisions.class_weights import NEVER, class_factors, effective_priors, stand_in, weighted
from ..errors import InputError, one_of
from ..solvers.closed_form.class_spans import ClassSpan, Regularisation, class_spans
from ..solvers.closed_form.discriminant import log_priors
from ..solvers.closed_form.quadratic import class_divisors, class_units, pool, regularise, whiten_classes
from ..solvers.closed_form.shrinkage import ledoit_wolf_alpha, oas_alpha
from ..solvers.closed_form.whitening import total_spread
from ..solvers.scores import folded_classes
from ..summaries import ClassMoments
from ..summaries.grouped import rows_per_class
from ..summaries.norms import ClassFourthMoments
from ..thresholds import EIGENVECTORS, FACTOR, in_span
from .base import finite_or_none
from .discriminant import LOG_2PI, NEEDS_ROWS
from .from_summary import FromSummary, SummaryClassifier
from .generative import GenerativeClassifier
from .later import Computed, Later
from .quadratic_scores import class_bases, place_of, quadratic_scores, singular_classes, span_attributes, span_scores
from .singular import columns_in, listed, warn_singular


class QuadraticDiscriminantAnalysis(SummaryClassifier, GenerativeClassifier):
    """Gaussian classes, each with a covariance of its own: quadratic boundaries.

        δ_k(x) = log π_k − ½ log det Σ_k − ½ (x − μ_k)'Σ_k⁻¹(x − μ_k)

    Between it and linear discriminant analysis lies `pooling`, Friedman's regularised discriminant analysis: with class scatters W_k
    and ν_k = n_k (or n_k − 1),

        Σ_k(λ) = [(1 − λ)W_k + λ Σ_l W_l] / [(1 − λ)ν_k + λ Σ_l ν_l],   Σ_k(λ, α) = (1 − α)Σ_k(λ) + α (tr Σ_k(λ)/p) I

    Parameters
    ----------
    priors : (K,) array, optional
        Class probabilities; default: shares of the rows.
    shrinkage : float in [0, 1], "auto" or "oas", optional
        α. "auto" is Ledoit and Wolf's and "oas" Chen's for each class, its columns divided by their standard deviations in it, so that
        units do not matter. "auto" needs the rows, the others do not.
    pooling : float in [0, 1], optional
        λ: 0 is quadratic and 1 linear discriminant analysis.
    reg_param : float in [0, 1]
        r: at the end, each covariance becomes (1 − r)Σ_k + rI.
    covariance : "mle" or "unbiased"
        Divide the scatter of a class by n_k, as scikit-learn does, or by n_k − 1, as R does.
    class_weight : dict, "balanced" or None
        Factors on the weights of the classes.
    n_jobs : int, optional
        Threads; default: SEPARATRIX_NUM_THREADS or all CPUs this process may use.

    Attributes
    ----------
    classes_, priors_, means_ : as in scikit-learn
    covariance_ : (K, p, p) as used, after pooling and shrinking, or None after a fit with far more columns than rows
    basis_ : (K, p, p) with B_k'Σ_k B_k = I, or None in the same case
    spans_ : the covariances in the span of the rows in that case, else empty
    log_det_, rank_ : (K,) log det Σ_k, and the number of directions in which class k varies
    shrinkage_ : (K,) the α used
    n_parameters_ : k of `aic` and `bic`
    summary_ : ClassMoments, or None after a fit with far more columns than rows

    Examples
    --------
    >>> from separatrix import QuadraticDiscriminantAnalysis
    >>> X = [[-1.0], [1.0], [-1.5], [1.5], [-4.0], [4.0], [-6.0], [6.0]]
    >>> model = QuadraticDiscriminantAnalysis().fit(X, ["narrow"] * 4 + ["wide"] * 4)
    >>> model.predict([[-5.0], [0.0], [5.0]]).tolist()
    ['wide', 'narrow', 'wide']

    References
    ----------
    Friedman (1989), Regularized discriminant analysis, J. American Statistical Association 84.
    """

    priors_: Floats
    means_: Floats
    spans_: tuple[ClassSpan, ...]
    _on_device = True
    _kind = "full"
    _in_span, _later = True, ("summary_", "covariance_", "basis_")
    covariance_ = Later(lambda model: model._covariances_asked_for())
    basis_ = Later(lambda model: model._bases_asked_for())
    _finite: ClassVar[tuple[str, ...]] = ("priors_", "means_", "basis_", "log_det_")
    _records: ClassVar[dict[str, type]] = {"ClassMoments": ClassMoments, "ClassSpan": ClassSpan}

    def __init__(
        self,
        priors: Any = None,
        shrinkage: float | Literal["auto", "oas"] | None = None,
        pooling: float | None = None,
        reg_param: float = 0.0,
        covariance: Literal["mle", "unbiased"] = "mle",
        *,
        class_weight: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.priors = priors
        self.shrinkage = shrinkage
        self.pooling = pooling
        self.reg_param = reg_param
        self.covariance = covariance
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def _check_params(self) -> None:
        if self.covariance not in ("mle", "unbiased"):
            raise one_of("covariance", self.covariance, ["mle", "unbiased"])
        if isinstance(self.shrinkage, str):
            if self.shrinkage not in ("auto", "oas"):
                raise one_of("shrinkage", self.shrinkage, ["auto", "oas"])
            if self.pooling:
                raise InputError(
                    f"shrinkage={self.shrinkage!r} is estimated for the covariance of one class, not for a pooled one; give a number "
                    f"beside pooling={self.pooling!r}, or leave pooling out."
                )
        shares: dict[str, Any] = {"pooling": self.pooling or 0.0, "reg_param": self.reg_param}
        if not isinstance(self.shrinkage, str):
            shares["shrinkage"] = self.shrinkage or 0.0
        for name, share in shares.items():
            if not (isinstance(share, Real) and 0.0 <= float(share) <= 1.0):
                raise InputError(f"{name}={share!r} is outside [0, 1]; use a number from 0 (nothing) to 1 (all).")

    def _needs_rows(self) -> str | None:
        return NEEDS_ROWS if self.shrinkage == "auto" else None

    def _solve(self, summary: Any, source: Source | None, growing: bool = False) -> dict[str, Any]:
        factors = class_factors(self.class_weight, summary.classes, summary.counts)
        moments = weighted(summary, self.class_weight)
        counts = moments.counts
        priors = effective_priors(self.priors, moments.classes, counts)
        _, spread = total_spread(counts, moments.means, moments.to_diagonal_sums())
        alphas, units = self._shrinkage(moments, source, factors)
        covariances = self._covariances(moments, alphas, units, growing)
        found = whiten_classes(covariances, spread, overwrite=True)
        flat = [k for k, w in enumerate(found) if w.is_singular]
        if flat:
            warn_singular(singular_classes(summary.classes[flat], columns_in(np.hstack([found[k].null for k in flat]), source)))
        return {
            "priors_": priors,
            "means_": stand_in(moments.means, counts),
            "covariance_": Computed.LATER,
            "basis_": class_bases(found, counts),
            "log_det_": np.where(counts > 0, [w.log_det for w in found], -2.0 * NEVER),
            "rank_": np.array([w.rank for w in found]),
            "shrinkage_": alphas,
            "spans_": (),
        }

    def _span_work(self) -> tuple[float, float]:
        # Two classes at least: of half the rows each, or with pooling both of all rows.
        each = FACTOR if self.shrinkage or self.reg_param else EIGENVECTORS
        return (3.0 if self.pooling else 0.25) * EIGENVECTORS, 2.0 * each

    def _solved_in_span(self, source: Source) -> bool:
        if self.pooling or super()._solved_in_span(source):
            return super()._solved_in_span(source)
        p, K = source.n_features, len(source.classes)  # type: ignore[arg-type]
        if source.n_rows is None or source.n_rows > K * p:
            return False
        # More rows than columns, but perhaps not in any class: a span costs its rows², a covariance the columns².
        rows: Ints = np.sum(list(source.map(lambda block: rows_per_class(block.codes, None, K))), axis=0)  # type: ignore[arg-type]
        return all(in_span(int(n), p, EIGENVECTORS, self._span_work()[1] / 2.0) for n in rows)

    def _covariances(self, moments: ClassMoments, alphas: Floats, units: Floats | None, growing: bool = False) -> Floats:
        share = float(self.pooling or 0.0)
        found = pool(moments.scatter, class_divisors(moments, self.covariance, share, growing), share)
        found = regularise(found, alphas, units, float(self.reg_param))
        return found if moments.counts.all() else stand_in(found, moments.counts)

    def _covariances_asked_for(self) -> Floats:
        moments = weighted(self.summary_, self.class_weight)
        return self._covariances(moments, self.shrinkage_, class_units(moments) if isinstance(self.shrinkage, str) else None)

    def _bases_asked_for(self) -> Floats:
        moments = weighted(self.summary_, self.class_weight)
        _, spread = total_spread(moments.counts, moments.means, moments.to_diagonal_sums())
        return class_bases(whiten_classes(self.covariance_, spread), moments.counts)

    def _fit_wide(self, source: Source, rows: Block) -> dict[str, Any]:
        """Fit where rows are fewer than columns: each covariance in the span of its rows."""
        moments, factors = self._column_moments(source)
        given = Regularisation(float(self.pooling or 0.0), self.shrinkage, float(self.reg_param))
        divisors = class_divisors(moments, self.covariance, given.pooling)
        spans = class_spans(rows, moments, factors, divisors, given)
        flat = np.concatenate([span.singular for span in spans])
        if len(flat):
            columns = listed(np.flatnonzero(np.any([span.involved for span in spans], axis=0)), source)
            warn_singular(singular_classes(moments.classes[flat], columns))
        priors = effective_priors(self.priors, moments.classes, moments.counts)
        return {
            "priors_": priors,
            "means_": stand_in(moments.means, moments.counts),
            "spans_": spans,
            **span_attributes(spans, len(priors)),
        }

    def _shrinkage(self, moments: ClassMoments, source: Source | None, factors: Floats | None) -> tuple[Floats, Floats | None]:
        """Return α of each class and the units in which its covariance is shrunk by it."""
        counts = moments.counts
        if self.shrinkage is None or not isinstance(self.shrinkage, str):
            return np.full(len(counts), float(self.shrinkage or 0.0)), None
        n = np.where(counts > 0, counts, 1.0)
        units = class_units(moments)
        correlations = moments.scatter / n[:, None, None]
        correlations /= units[:, :, None]
        correlations /= units[:, None, :]
        p = moments.n_features
        if self.shrinkage == "oas":
            return np.array([oas_alpha(R, m, p) for R, m in zip(correlations, n, strict=True)]), units
        if source is None:
            raise InputError(NEEDS_ROWS)
        fourth = source.reduce(ClassFourthMoments.summarise(moments.means, units)).totals
        fourth = fourth if factors is None else fourth * factors
        return np.array([ledoit_wolf_alpha(R, f, m, p) for R, f, m in zip(correlations, fourth, n, strict=True)]), units

    def decision_function(self, X: Any) -> NDArray[np.floating]:
        """Return δ_k(x) of each row: log p(x, k) up to a term that all classes share.

        Parameters
        ----------
        X : array, sparse matrix, frame or table of n rows

        Returns
        -------
        scores : δ₂ − δ₁ (n,) for two classes, positive for `classes_[1]`; else (n, K)
        """
        scores = self._collect(X, lambda block: finite_or_none(self._differences(block), block.X))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _differences(self, block: Block) -> Floats:
        return folded_classes(self._discriminants(block), axis=1)

    def _discriminants(self, block: Block) -> Floats:
        offset = log_priors(self.priors_) - 0.5 * self.log_det_
        return span_scores(block, self.spans_, offset) if self.spans_ else quadratic_scores(block, self.means_, self.basis_, offset)

    def _joint(self, block: Block) -> Floats:
        return self._discriminants(block) - 0.5 * self.n_features_in_ * LOG_2PI

    _scores = _posterior_scores = _discriminants

    def _score_gradient(self, X: Floats, of: Indices, against: Indices) -> Floats:
        """Return the gradient of δ_of − δ_against at each row of X (n, p), for the pair of classes of each row."""
        gradient = np.zeros_like(X)
        for k in range(len(self.means_)):
            for rows, sign in ((of == k, -1.0), (against == k, 1.0)):
                if rows.any():
                    gradient[rows] += sign * self._precise(k, X[rows] - self.means_[k])
        return gradient

    def _precise(self, k: int, D: Floats) -> Floats:
        """Return Σ_k⁻¹d of differences D (n, p)."""
        if self.spans_:
            span, i = place_of(self.spans_, k)
            return span.precise(i, D)
        precise: Floats = (D @ self.basis_[k]) @ self.basis_[k].T
        return precise

    def _abilities(self) -> Abilities:
        page = super()._abilities()
        page.leave_one_out = rows_left_out(self, self._discriminants)
        page.subsets = column_sets.quadratic_sets(self)
        page.criterion = column_sets.quadratic_criterion(self)
        page.likelihood = own_covariances_likelihood(self, FromSummary(self))
        page.reading = Reading(
            "quadratic scores, taken apart along the line from the mean row",
            lambda: QuadraticScores(self._discriminants, self._score_gradient, np.zeros(1)),
        )
        page.similarity = Similarity("Mahalanobis distance under the covariance of a class", self._metric)
        return page

    def _metric(self, code: int) -> Floats | None:
        return None if self.basis_ is None else self.basis_[code]

    def _draw(self, k: int, n: int, rng: np.random.RandomState) -> Floats:
        if self.spans_:
            span, i = place_of(self.spans_, k)
            return span.draw(i, n, rng)
        return rng.multivariate_normal(self.means_[k], self.covariance_[k], n, check_valid="ignore")

    def _class_priors(self) -> Floats:
        return self.priors_
