"""Fisher's linear discriminant."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, Literal

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..abilities import Abilities, Refused, unless
from ..abilities.likelihood import no_likelihood
from ..abilities.parts import WEIGHTED, Similarity, SpanRowsLeftOut
from ..argument_types import as_numbers
from ..array_types import Floats
from ..data import Block, Source
from ..decisions.class_weights import NEVER, class_factors, stand_in
from ..errors import InputError, one_of
from ..solvers.closed_form.discriminant import Discriminant, log_priors
from ..solvers.closed_form.fisher import criterion, solve_fisher
from ..solvers.closed_form.wide_discriminant import solve_wide_discriminant
from ..solvers.held_out.leave_one_out import LeftOut
from ..solvers.held_out.leave_one_out_shrunk import discriminant_pass_at
from ..solvers.held_out.leave_one_out_span import discriminant_in_span
from ..solvers.scores import folded_classes
from ..summaries import ClassMoments
from .from_summary import SummaryClassifier
from .linear import LinearClassifier
from .projection import direction_names, project
from .singular import columns_in, warn_singular


class FisherDiscriminant(ClassNamePrefixFeaturesOutMixin, TransformerMixin, SummaryClassifier, LinearClassifier):
    """The direction that holds the class means apart and each class together.

        J(w) = w'S_B w / w'S_W w is largest for w = S_W⁻¹(m₂ − m₁)   (two classes),   S_B v = λ S_W v   (K classes)

    S_W is the scatter (sum, not variance) within the classes. Two classes: f(x) = w'x − b, positive for `classes_[1]`. K classes: the
    mean nearest in the coordinates of the leading directions, along each of which the classes have unit variance.

    Parameters
    ----------
    n_components : int, optional
        Directions used by `transform` and, for K > 2, by `predict`; at most min(K − 1, p), the default.
    threshold : "midpoint", "priors" or float
        "midpoint": b is half way between the projected means. "priors": b = midpoint − log(n₂/n₁)/(n − K), the threshold of
        linear discriminant analysis, which moves it away from the larger class; for K > 2 log(n_k/n) is added to −½ the squared distance. A
        number is b itself (two classes).
    class_weight : dict, "balanced" or None
        Factors on the weights of the classes.
    n_jobs : int, optional
        Threads; default: SEPARATRIX_NUM_THREADS or all CPUs this process may use.

    Attributes
    ----------
    classes_, means_ : (K,), (K, p)
    coef_, intercept_ : w' (1, p) and −b (1,) for two classes, else (K, p), (K,)
    threshold_ : b, or None for K > 2
    scalings_ : (p, r) directions v with unit variance within the classes, S_W/(n − K); for two classes v points to `classes_[1]`
    eigenvalues_ : (r,) λ of each, with S_B = Σ n_k (m_k − m)(m_k − m)'
    explained_variance_ratio_ : their shares of Σ λ
    xbar_ : (p,) mean of all rows
    summary_ : ClassMoments, or None after a fit with far more columns than rows

    Examples
    --------
    >>> from separatrix import FisherDiscriminant
    >>> model = FisherDiscriminant().fit([[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 2, 2])
    >>> model.coef_.round(12).tolist(), round(model.threshold_, 12), round(model.criterion(), 12)
    ([[-2.5, 4.0]], 6.5, 17.0)

    References
    ----------
    Fisher (1936), The use of multiple measurements in taxonomic problems, Annals of Eugenics 7.
    """

    _on_device = True
    _kind = "pooled"
    _in_span = True
    transform, get_feature_names_out = project, direction_names

    def __init__(
        self,
        n_components: int | None = None,
        threshold: float | Literal["midpoint", "priors"] = "midpoint",
        *,
        class_weight: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.threshold = threshold
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def _check_params(self) -> None:
        threshold: Any = self.threshold
        if isinstance(threshold, str):
            if threshold not in ("midpoint", "priors"):
                raise one_of("threshold", threshold, ["midpoint", "priors"])
        elif not (isinstance(threshold, Real) and np.isfinite(float(threshold))):
            raise InputError(f"threshold={threshold!r} must be a finite number, 'midpoint' or 'priors'.")
        if self.n_components is not None and self.n_components < 1:
            raise InputError(f"n_components={self.n_components!r} must be at least 1, or None for all min(K - 1, p) directions.")

    def _fit_wide(self, source: Source, rows: Block) -> dict[str, Any]:
        """Fit where rows are fewer than columns: in the span of the rows."""
        moments, factors = self._column_moments(source)
        wide = solve_wide_discriminant(
            rows, moments, factors, None, self._solve_moments, lambda m: (freedom(m.counts), m.counts / m.counts.sum())
        )
        if wide.flat:
            warn_singular(_singular(f"{wide.flat} direction(s) of {source.n_features} columns"))
        return self._attributes(wide.found, moments)

    def _solve(self, summary: Any, source: Source | None, growing: bool = False) -> dict[str, Any]:
        factors = class_factors(self.class_weight, summary.classes, summary.counts)
        moments = (summary if factors is None else summary.scaled(factors)).to("pooled")
        found, _ = self._solve_moments(moments)
        null = found.whitening.null
        if null.shape[1]:
            warn_singular(_singular(f"{null.shape[1]} direction(s) involving {columns_in(null, source)}"))
        return self._attributes(found, moments)

    def _solve_moments(
        self, moments: ClassMoments, alpha: float = 0.0, unit: Floats | None = None, p: int | None = None, growing: bool = False
    ) -> tuple[Discriminant, Floats]:
        found = solve_fisher(moments.counts, moments.means, moments.scatter, freedom(moments.counts), embedded=p is not None)
        return found, moments.counts / moments.counts.sum()

    def _attributes(self, found: Discriminant, moments: ClassMoments) -> dict[str, Any]:
        most = found.scalings.shape[1]
        if self.n_components is not None and self.n_components > most:
            raise InputError(
                f"n_components={self.n_components} cannot be larger than min(n_features, n_classes - 1) = {most}; use {most} or None."
            )
        counts, means = moments.counts, stand_in(moments.means, moments.counts)
        nu = freedom(counts)
        scalings = found.scalings
        threshold: float | None = None
        if len(counts) == 2:
            scalings = scalings * np.where((means[1] - means[0]) @ scalings < 0, -1.0, 1.0)
            coef = folded_classes(found.coef) / nu
            threshold = self._threshold(float(coef[0] @ (means[0] + means[1]) / 2), counts, nu)
            intercept = np.array([-threshold])
        else:
            coef, intercept = self._nearest(scalings[:, : self.n_components], means, found.mean, counts)
        Z = (means - found.mean) @ scalings
        return {
            "means_": means,
            "xbar_": found.mean,
            "coef_": coef,
            "intercept_": intercept,
            "threshold_": threshold,
            "scalings_": scalings,
            "eigenvalues_": (counts / nu) @ Z**2,
            "explained_variance_ratio_": found.ratio[: self.n_components],
        }

    def _threshold(self, midpoint: float, counts: Floats, nu: float) -> float:
        if not isinstance(self.threshold, str):
            return float(self.threshold)
        if self.threshold == "midpoint" and (counts > 0).all():
            return midpoint
        # Between a class and one not seen yet there is no middle; priors keep the latter from being predicted.
        log = log_priors(counts / counts.sum())
        return midpoint - float(log[1] - log[0]) / nu

    def _nearest(self, directions: Floats, means: Floats, centre: Floats, counts: Floats) -> tuple[Floats, Floats]:
        """Return the linear scores of the nearest mean along some directions, −½‖z − z_k‖² up to a shared term."""
        if not isinstance(self.threshold, str):
            raise InputError(
                f"threshold={self.threshold!r} is a number, which needs two classes; there are {len(counts)}: use 'midpoint' or 'priors'."
            )
        Z = (means - centre) @ directions
        coef = np.ascontiguousarray(Z @ directions.T)
        offset = log_priors(counts / counts.sum()) if self.threshold == "priors" else np.where(counts > 0, 0.0, NEVER)
        return coef, offset - 0.5 * np.einsum("kr,kr->k", Z, Z) - coef @ centre

    def _abilities(self) -> Abilities:
        rows = SpanRowsLeftOut("exact algebra: that of linear discriminant analysis", self._left_out, self._left_out_in_span)
        page = super()._abilities()
        page.leave_one_out = unless(self._refusal(), rows)
        page.likelihood = no_likelihood(type(self).__name__, "looks for a direction and assumes no distribution")
        page.similarity = Similarity("distance along the directions kept", lambda code: self.scalings_[:, : self.n_components])
        return page

    def _refusal(self) -> Refused | None:
        """Return why rows cannot be left out by algebra, or None where they can."""
        if self.n_components is not None:
            return Refused("nearest means along some directions only are no discriminants of all columns")
        if not isinstance(self.threshold, str):
            return Refused("a threshold given as a number does not move with the means")
        return None if self.class_weight is None else WEIGHTED

    def _on_subsets(self) -> bool:
        return self.n_components is None

    @property
    def _n_features_out(self) -> int:
        return int(self.scalings_[:, : self.n_components].shape[1])

    def _left_out(self) -> Callable[[Block], LeftOut]:
        """Return the pass to the scores of each row under the fit without it: those of LDA, with equal priors for the midpoint."""
        m = self.summary_
        return discriminant_pass_at(m.counts, m.means, m.scatter, freedom(m.counts), self._held_priors(), 0.0)

    def _left_out_in_span(self, rows: Block) -> Callable[[Block], LeftOut]:
        """Return the same pass for blocks of these rows, which are no more than columns."""
        return discriminant_in_span(rows, len(self.classes_), lambda m: freedom(m.counts), self._held_priors())

    def _held_priors(self) -> Floats | None:
        K = len(self.classes_)
        return None if self.threshold == "priors" else np.full(K, 1.0 / K)

    def criterion(self, w: Any = None) -> Any:
        """Return Fisher's criterion J(w), by default along the best direction, where it is largest.

        Two classes: J = (w'm₂ − w'm₁)²/(s₁² + s₂²) with s_k² the scatter of the projected class. More: w'S_B w / w'S_W w with
        S_B = Σ n_k (m_k − m)(m_k − m)'.

        Parameters
        ----------
        w : (p,) or (m, p), optional

        Returns
        -------
        J : float, or (m,)
        """
        check_is_fitted(self)
        self._require_summary()
        given = self.scalings_[:, 0] if w is None else as_numbers("w", w, "give one weight per column.")
        if given.ndim not in (1, 2) or given.shape[-1] != self.n_features_in_:
            raise InputError(f"w has shape {given.shape}; one weight for each of the {self.n_features_in_} columns is needed.")
        factors = class_factors(self.class_weight, self.classes_, self.summary_.counts)
        moments = (self.summary_ if factors is None else self.summary_.scaled(factors)).to("pooled")
        values = criterion(np.atleast_2d(given), moments.counts, moments.means, moments.scatter)
        return float(values[0]) if given.ndim == 1 else values


def freedom(counts: Floats) -> float:
    """Return n − K, which sets the length of directions alone; n where no freedom is left."""
    n, K = float(counts.sum()), int((counts > 0).sum())
    return n - K if n > K else n


def _singular(directions: str) -> str:
    return (
        f"S_W has no inverse: along {directions} no class varies (collinear or constant columns, or too few rows), and J is infinite where "
        "means differ there: such a direction is taken before all others. Drop such columns, or use "
        "LinearDiscriminantAnalysis(shrinkage='auto')."
    )
