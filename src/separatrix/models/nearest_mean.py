"""Nearest mean: the class whose mean is closest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..abilities import Abilities
from ..abilities.likelihood import no_likelihood
from ..abilities.parts import RowsLeftOut, Similarity
from ..array_types import Floats, Indices
from ..data import Block, Source
from ..decisions.class_weights import NEVER
from ..decisions.priors import check_priors
from ..errors import one_of
from ..solvers.closed_form.discriminant import log_priors
from ..solvers.closed_form.whitening import NULL_VARIANCE, total_spread
from ..solvers.held_out.leave_one_out import LeftOut
from ..solvers.held_out.leave_one_out_linear import nearest_mean_pass
from ..solvers.scores import folded
from ..summaries import ClassMoments
from .from_summary import SummaryClassifier
from .linear import LinearClassifier
from .singular import listed, warn_singular

ROUNDING = 1e-13
"""Standard deviation within classes, relative to the size of the values, that may be rounding."""


class NearestMean(SummaryClassifier, LinearClassifier):
    """The class whose mean is nearest: for two classes, the mean difference m₂ − m₁ with the threshold half way.

        f_k(x) = −½ ‖D⁻¹(x − m_k)‖² + ½ ‖D⁻¹(x − c)‖²,   c the mean of the class means,

    which is linear in x: coef_k = D⁻²(m_k − c). D is the identity, or the pooled standard deviations within the classes.

    Parameters
    ----------
    metric : "euclidean" or "standardised"
        Distances in the columns as they are, or divided by their pooled standard deviations within the classes.
    priors : (K,) array, optional
        Adds log π_k to f_k, as if every column had variance 1 in the units of the metric; default: priors are ignored.
    n_jobs : int, optional
        Threads; default: SEPARATRIX_NUM_THREADS or all CPUs this process may use.

    Attributes
    ----------
    classes_, means_ : (K,), (K, p)
    coef_, intercept_ : (1, p), (1,) for two classes, else (K, p), (K,)
    scale_ : (p,) the diagonal of D
    summary_ : ClassMoments

    Examples
    --------
    >>> from separatrix import NearestMean
    >>> model = NearestMean().fit([[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 2, 2])
    >>> model.coef_.tolist(), model.intercept_.tolist()
    ([[-2.0, 3.0]], [-4.5])

    References
    ----------
    Duda, Hart and Stork (2001), Pattern Classification, section 2.6.1.
    """

    _on_device = True
    _kind = "diagonal"

    def __init__(
        self,
        metric: Literal["euclidean", "standardised"] = "euclidean",
        *,
        priors: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.metric = metric
        self.priors = priors
        self.n_jobs = n_jobs

    def _check_params(self) -> None:
        if self.metric not in ("euclidean", "standardised"):
            raise one_of("metric", self.metric, ["euclidean", "standardised"])

    def _solve(self, summary: Any, source: Source | None, growing: bool = False) -> dict[str, Any]:
        seen = summary.counts > 0
        offsets = np.zeros(len(seen)) if self.priors is None else log_priors(check_priors(self.priors, summary.classes))
        scale, flat = np.ones(summary.n_features), np.empty(0, dtype=np.intp)
        if self.metric == "standardised":
            scale, flat = within_scale(summary)
        if len(flat):
            warn_singular(
                f"Within the classes {listed(flat, source)} do not vary, so there is no standard deviation to divide by. Where class means "
                "differ there, they decide before everything else. Drop such columns, or use metric='euclidean'."
            )
        centre = summary.means[seen].mean(axis=0)
        V = np.where(seen[:, None], summary.means - centre, 0.0)
        coef = V / scale**2
        intercept = offsets - 0.5 * np.einsum("kj,kj->k", coef, V) - coef @ centre
        # A class that has no row yet has no mean to be near to.
        intercept[~seen] = NEVER
        coef, intercept = folded(coef, intercept)
        means = np.where(seen[:, None], summary.means, centre)
        return {"means_": means, "scale_": scale, "coef_": coef, "intercept_": intercept}

    def _abilities(self) -> Abilities:
        page = super()._abilities()
        page.leave_one_out = RowsLeftOut("exact algebra: without a row the mean of its class moves", self._left_out)
        page.likelihood = no_likelihood(type(self).__name__, "compares distances and assumes no distribution")
        page.similarity = Similarity("the distance by which means are near", lambda code: 1.0 / self.scale_)
        return page

    def _left_out(self) -> Callable[[Block], LeftOut]:
        """Return the pass to the scores of each row under the fit without it."""
        m = self.summary_
        offsets = np.zeros(len(m.counts)) if self.priors is None else log_priors(check_priors(self.priors, m.classes))
        if self.metric == "euclidean":
            return nearest_mean_pass(m.counts, m.means, offsets)
        return nearest_mean_pass(m.counts, m.means, offsets, m.to_diagonal_sums(), flat=bool(len(within_scale(m)[1])))


def within_scale(moments: ClassMoments) -> tuple[Floats, Indices]:
    """Return the pooled standard deviations and the columns in which means differ but no class varies.

    Those get a ten-thousandth of their total standard deviation: there the means come before everything else, in any units.
    """
    n, K = float(moments.counts.sum()), int((moments.counts > 0).sum())
    sums = moments.to_diagonal_sums()
    centre, total = total_spread(moments.counts, moments.means, sums)
    scale = np.sqrt(sums / (n - K if n > K else n))
    tiny = np.sqrt(NULL_VARIANCE) * total
    flat = (scale <= ROUNDING * (total + np.abs(centre))) & (total > 0)
    scale = np.where(flat, tiny, np.where(total > 0, scale, 1.0))
    return scale, np.flatnonzero(flat)
