"""What all filters share: a score of every column by itself, and which scores are good enough."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from scipy.stats import false_discovery_control

from ..array_types import Bools, Floats
from ..data import Source, unchanged
from ..errors import InputError, InputTypeError
from ..inference.tables import Column, Table
from .column_positions import column_name, find_amount
from .redundancy import correlations, drop_redundant
from .selector import Selector


class Filter(Selector):
    """Base of the filters. A subclass gives `_scores(source)`: a score of each column, ranked by its absolute value, and p-values.

    Parameters
    ----------
    k : int (count) or float (share of the columns), optional
        How many columns to keep, the best. Where none of k, threshold and fdr is given, half of them are kept.
    threshold : float, optional
        The least absolute score of a column that is kept.
    fdr : float, optional
        False discovery rate, the expected share of columns kept that say nothing about the label, controlled by the procedure of
        Benjamini and Hochberg.
    max_correlation : float, optional
        Skip a column whose absolute correlation with a better one that is kept is above this.
    n_jobs : int, optional
        Threads.
    """

    scores_: Floats
    pvalues_: Floats | None
    skipped_: dict[str, str]
    _score_name: ClassVar[str] = "score"

    def __init__(
        self,
        k: int | float | None = None,
        *,
        threshold: float | None = None,
        fdr: float | None = None,
        max_correlation: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.k = k
        self.threshold = threshold
        self.fdr = fdr
        self.max_correlation = max_correlation
        self.n_jobs = n_jobs

    def _scores(self, source: Source) -> tuple[Floats, Floats | None]:
        """Return the scores (p,) and p-values (p,), or None where there are none; a constant column has score 0 and p-value 1."""
        raise TypeError(f"{type(self).__name__} must define _scores")

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Score the columns and choose the best.

        Parameters
        ----------
        X : array, sparse matrix, frame of n rows, or a table from `open_table` (then y stays out)
        y : (n,) labels
        sample_weight : (n,) weights, optional
            Frequencies: a row of weight 2 counts as two rows.
        """
        self._check_given()
        with unchanged(X):
            source = self._labelled(X, y, sample_weight)
            count = self._count(source.n_features)
            scores, pvalues = self._scores(source)
            size = np.abs(scores)
            ranked = np.argsort(-size, kind="stable")
            good = ranked[self._is_good_enough(size, pvalues)[ranked]]
            skipped: dict[str, str] = {}
            if self.max_correlation is None:
                kept = good[:count]
            else:
                kept, instead = drop_redundant(correlations(source, good), self.max_correlation, count)
                names = source.feature_names
                skipped = {column_name(int(good[j]), names): column_name(int(good[i]), names) for j, i in instead.items()}
                kept = good[kept]
            support = np.zeros(source.n_features, dtype=bool)
            support[kept] = True
            return self._adopt(source, support, {"scores_": scores, "pvalues_": pvalues, "skipped_": skipped})

    def _count(self, p: int) -> int:
        if self.k is not None:
            return find_amount("k", self.k, p)
        return find_amount("k", 0.5, p) if self.threshold is None and self.fdr is None else p

    def _is_good_enough(self, size: Floats, pvalues: Floats | None) -> Bools:
        good = np.ones(len(size), dtype=bool)
        if self.threshold is not None:
            good &= size >= self.threshold
        if self.fdr is not None:
            if pvalues is None or np.isnan(pvalues).any():
                raise InputError(f"fdr={self.fdr} needs p-values, {self._why_no_pvalues()}; use k=… or threshold=….")
            good &= false_discovery_control(pvalues, method="bh") <= self.fdr
        return good

    def _why_no_pvalues(self) -> str:
        return "which need more rows than classes"

    def _check_params(self) -> None:
        for name, low, high in (("threshold", 0.0, np.inf), ("fdr", 0.0, 1.0), ("max_correlation", 0.0, 1.0)):
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
                raise InputTypeError(f"{name}={value!r} must be a number or None.")
            if not low <= value <= high:
                raise InputError(f"{name}={value!r} must lie between {low:g} and {high:g}.")

    def _loosen(self) -> str:
        given = [f"{name}={getattr(self, name)}" for name in ("threshold", "fdr") if getattr(self, name) is not None]
        return f"None is good enough for {' and '.join(given)}; loosen that, or ask for the best: k=10."

    def table(self) -> Table:
        """Return the columns with their scores, the best first.

        Returns
        -------
        Table
            `.text`, `.html`, `.to_frame()`; columns: column, the score, p, kept.
        """
        kept = self.get_support()
        order = np.argsort(-np.abs(self.scores_), kind="stable")
        names = getattr(self, "feature_names_in_", None)
        columns = [
            Column("column", [column_name(int(j), names) for j in order]),
            Column(self._score_name, self.scores_[order], ".4f"),
        ]
        if self.pvalues_ is not None:
            columns.append(Column("p", self.pvalues_[order], "p"))
        why = {True: "yes", False: "no"}
        like = {name: f"no, like {other}" for name, other in self.skipped_.items()}
        columns.append(Column("kept", [like.get(name, why[bool(kept[j])]) for name, j in zip(columns[0].values, order)]))
        return Table(f"{type(self).__name__}: {kept.sum()} of {len(kept)} columns kept", tuple(columns))
