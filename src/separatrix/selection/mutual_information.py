"""Filter by what a column says about the label, whatever the shape of the relation."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.feature_selection import mutual_info_classif

from ..array_types import Bools, Floats
from ..data import Source
from ..data.source import ChunkedSource
from ..errors import InputError, one_of
from ..inference.mutual_information import mutual_information
from ..summaries.column_screen import ColumnScreen
from .binning import find_cuts
from .filter import Filter

ESTIMATES = ("bins", "neighbours")
MOST_BINS = 64


class MutualInformationFilter(Filter):
    """Keep the columns with the largest mutual information with the label, in nats.

        I_j = Σ P(x_j, y) log P(x_j, y)/(P(x_j)P(y))

    A discrete column is counted value by value, which is exact. A measurement is cut at its quantiles into about ∛n cells (4 to 64),
    and the bias of so many cells is subtracted (Miller and Madow). Beyond 10,000 rows quantiles are those of a sample. The
    p-values are those of the likelihood-ratio test G = 2n·I.

    Parameters
    ----------
    k, threshold, fdr, max_correlation, n_jobs : as in :class:`CorrelationFilter`; the threshold is in nats
    estimate : "bins" or "neighbours"
        "neighbours" is scikit-learn's nearest-neighbour estimate: finer for smooth relations in few rows, much slower, in memory only,
        without weights and p-values.
    discrete_features : "auto", bool, or columns (mask, names or numbers)
        Which columns are counted value by value. "auto": those with no more distinct values than there are bins.
    bins : "auto" or int
        Cells of a measurement.
    n_neighbors, random_state : for "neighbours", as in `sklearn.feature_selection.mutual_info_classif`

    Attributes
    ----------
    scores_ : (p,) nats
    pvalues_ : (p,), or None for "neighbours"
    skipped_ : dict {column skipped: column kept in its place}
    support_ : (p,) booleans

    Examples
    --------
    >>> y = [0, 0, 1, 1]
    >>> MutualInformationFilter(k=1).fit([[0, 0], [1, 0], [0, 1], [1, 1]], y).scores_
    array([0.        , 0.69314718])

    References
    ----------
    Cover and Thomas (2006), Elements of Information Theory, chapter 2. Ross (2014), Mutual information between discrete and continuous data
    sets, PLoS ONE 9.
    """

    _score_name: ClassVar[str] = "nats"

    def __init__(
        self,
        k: int | float | None = None,
        *,
        threshold: float | None = None,
        fdr: float | None = None,
        max_correlation: float | None = None,
        estimate: Literal["bins", "neighbours"] = "bins",
        discrete_features: Any = "auto",
        bins: int | Literal["auto"] = "auto",
        n_neighbors: int = 3,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(k, threshold=threshold, fdr=fdr, max_correlation=max_correlation, n_jobs=n_jobs)
        self.estimate = estimate
        self.discrete_features = discrete_features
        self.bins = bins
        self.n_neighbors = n_neighbors
        self.random_state = random_state

    def _check_params(self) -> None:
        super()._check_params()
        if self.estimate not in ESTIMATES:
            raise one_of("estimate", self.estimate, ESTIMATES)
        if self.estimate == "neighbours" and self.fdr is not None:
            raise InputError(f"fdr={self.fdr} needs p-values, which the nearest-neighbour estimate has not; use k=…, threshold=… or bins.")
        if isinstance(self.discrete_features, str) and self.discrete_features != "auto":
            raise InputError(f"discrete_features={self.discrete_features!r} must be 'auto', True, False or a list of columns.")
        whole = isinstance(self.bins, int | np.integer) and not isinstance(self.bins, bool)
        if self.bins != "auto" and not (whole and self.bins >= 2):
            raise InputError(f"bins={self.bins!r} must be 'auto' or a whole number of at least 2.")

    def _scores(self, source: Source) -> tuple[Floats, Floats | None]:
        screen = source.reduce(ColumnScreen.summarise(source.classes))
        if not screen.is_finite or not screen.counts.sum() < 1e150:  # expected counts are products of two sums
            source.refuse_nonfinite()
        given = self._given(source)
        bins = self._bins(float(screen.counts.sum()))
        if self.estimate == "neighbours":
            few = (screen.broken == 0) & (screen.high - screen.low < bins)
            return self._neighbours(source, few if given is None else given), None
        return self._counted(source, screen, given, bins)

    def _given(self, source: Source) -> Bools | None:
        """Return which columns are said to be discrete, or None for "auto"."""
        if isinstance(self.discrete_features, str):
            return None
        if isinstance(self.discrete_features, bool | np.bool_):
            return np.full(source.n_features, bool(self.discrete_features))
        mask = np.zeros(source.n_features, dtype=bool)
        mask[self._find_columns(self.discrete_features, source)] = True
        return mask

    def _bins(self, n: float) -> int:
        return int(np.clip(round(n ** (1 / 3)), 4, MOST_BINS)) if isinstance(self.bins, str) else int(self.bins)

    def _counted(self, source: Source, screen: ColumnScreen, given: Bools | None, bins: int) -> tuple[Floats, Floats]:
        """Return scores and p-values from counts: of switches at once, of other columns by a second pass between cuts."""
        p = source.n_features
        scores, pvalues = np.zeros(p), np.ones(p)
        switches = screen.is_switch if given is None else screen.is_switch & given
        on = screen.totals[:, switches]
        if on.size:
            cells = np.stack([screen.counts[:, None] - on, on], axis=2).reshape(len(on), -1)
            found = mutual_information(cells, np.arange(0, cells.shape[1] + 1, 2))
            scores[switches], pvalues[switches] = found.nats, found.p
        others = np.flatnonzero(~switches)
        if len(others):
            cuts, measured = find_cuts(source, screen, others, given, bins)
            counts = source.reduce(cuts.summarise(source.classes))
            found = mutual_information(counts.cells, counts.starts)
            scores[others] = np.where(measured, found.corrected, found.nats)
            pvalues[others] = found.p
        return scores, pvalues

    def _neighbours(self, source: Source, discrete: Bools) -> Floats:
        if not isinstance(source, ChunkedSource) or source.labels is None:
            raise InputError("estimate='neighbours' compares all rows with each other, in memory; use estimate='bins' for a table.")
        if source.weight is not None:
            raise InputError("estimate='neighbours' takes no sample_weight; use estimate='bins'.")
        n = source.n_rows
        codes = source.labels.codes(0, n)
        rarest = int(np.bincount(codes).min())
        if rarest <= self.n_neighbors and not discrete.all():
            raise InputError(
                f"n_neighbors={self.n_neighbors} needs more rows of every class; the rarest has {rarest}. Use fewer, or estimate='bins'."
            )
        return np.asarray(
            mutual_info_classif(
                source.rows(0, n),
                codes,
                discrete_features=discrete,
                n_neighbors=self.n_neighbors,
                random_state=self.random_state,
                n_jobs=self.n_jobs,
            )
        )
