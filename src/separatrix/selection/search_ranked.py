"""Refits of the candidates that a model of all rows expects most of."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..abilities.protocols import RanksColumns
from ..errors import SeparatrixWarning
from ..inference.selected_columns import silence
from .search_metric import Metric
from .search_roads import RefitRoad, Way
from .search_splits import SearchRows

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


class RankedRoad(RefitRoad):
    """Refits of the first few candidates; the ranking comes from one fit of the current set to all rows.

    Parameters
    ----------
    model : classifier
    ranking : its ability to rank columns
    keep : int
        Candidates that are refitted.
    """

    method = "ranked refits"

    def __init__(self, model: Any, ranking: RanksColumns, rows: SearchRows, metric: Metric, n_jobs: int | None, keep: int) -> None:
        super().__init__(model, rows, metric, n_jobs)
        self.ranking, self.keep = ranking, keep

    def judge(self, way: Way, groups: Sequence[Ints]) -> Floats:
        """Return the scores (G, F) of the set after each move, NaN of those ranked too low."""
        if len(groups) <= self.keep:
            return super().judge(way, groups)
        rows = self.rows
        with warnings.catch_warnings(), silence():
            warnings.simplefilter("ignore", SeparatrixWarning)  # of a fit nobody asked for
            ranks = self.ranking.ranks(rows.dense, rows.codes, rows.weight, rows.classes, self.columns, way == "in")
        worth = np.array([ranks[group].sum() for group in groups])
        first = np.sort(np.argsort(-worth, kind="stable")[: self.keep])
        found = super().judge(way, [groups[g] for g in first])
        values = np.full((len(groups), found.shape[1]), np.nan)
        values[first] = found
        return values
