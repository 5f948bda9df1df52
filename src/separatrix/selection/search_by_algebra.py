"""How a search judges the neighbours of a set of columns, without a fit for each: by held-out scores, or by AIC and BIC.

A `Road` is one way of judging, and keeps the current set of columns. `judge` returns how good each neighbour of the set is, one score per
split; `take` makes one of the neighbours the current set. Roads that fit the model are in search_by_refits.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from scipy.stats import chi2

from ..array_types import Bools, Floats, Indices
from ..solvers.subsets.criterion import DeterminantCriterion
from ..solvers.subsets.pivots import independent, without_aliases
from ..solvers.subsets.scores import SubsetScores
from .search_rows import SearchMetric, SearchRows, log_loss_of

Way = Literal["in", "out"]


class Road:
    """A way to judge neighbours of a set of columns.

    Attributes
    ----------
    method : how, in words
    columns : the set
    sign : +1 where larger scores are better, else −1
    """

    method: str
    columns: list[int]
    sign: float

    def begin(self, columns: Sequence[int]) -> None:
        """Go to a set of columns."""
        self.columns = list(columns)

    def take(self, way: Way, group: Indices) -> None:
        """Move a group of columns in or out."""
        gone = set(group.tolist())
        self.columns = [*self.columns, *group.tolist()] if way == "in" else [c for c in self.columns if c not in gone]

    def dependent(self, groups: Sequence[Indices]) -> Bools:
        """Return which groups cannot be taken in, because they add nothing to the set."""
        return np.zeros(len(groups), dtype=bool)

    def independent(self, groups: Sequence[Indices]) -> Bools:
        """Return which of some groups, in this order, are not determined by those before them."""
        return np.ones(len(groups), dtype=bool)

    def without_aliases(self, groups: Sequence[Indices]) -> list[Indices]:
        """Return the groups without columns that the others of the same group determine, where the road cannot do with them."""
        return list(groups)

    def now(self) -> Floats:
        """Return the scores (F,) of the set."""
        raise TypeError(f"{type(self).__name__} must define now")

    def judge(self, way: Way, groups: Sequence[Indices]) -> Floats:
        """Return the scores (G, F) of the set after each move; NaN where a move was not looked at."""
        raise TypeError(f"{type(self).__name__} must define judge")

    def log_loss(self, way: Way, groups: Sequence[Indices]) -> Floats | None:
        """Return the log-loss (G,) after each move, which breaks ties; None where there are no posteriors."""
        return None


class AlgebraRoad(Road):
    """Exact held-out scores of all neighbours by updates (`SubsetScores`)."""

    method = "exact algebra"

    def __init__(self, engine: SubsetScores, rows: SearchRows, metric: SearchMetric) -> None:
        self.engine, self.rows, self.metric, self.sign = engine, rows, metric, metric.sign
        # Rows held out alone have no score of their own in most metrics: all of them together do.
        self.pooled = not metric.by_row and all(len(split.test) == 1 for split in rows.splits)

    def begin(self, columns: Sequence[int]) -> None:
        """Go to a set of columns."""
        self.engine.begin(columns)

    @property
    def columns(self) -> list[int]:  # type: ignore[override]
        """The set."""
        return self.engine.columns

    def take(self, way: Way, group: Indices) -> None:
        """Move a group of columns in or out."""
        (self.engine.add if way == "in" else self.engine.drop)(group)

    def dependent(self, groups: Sequence[Indices]) -> Bools:
        """Return which groups cannot be taken in."""
        return self.engine.dependent(groups)

    def independent(self, groups: Sequence[Indices]) -> Bools:
        """Return which of some groups, in this order, are not determined by those before them."""
        return self.engine.independent(groups)

    def without_aliases(self, groups: Sequence[Indices]) -> list[Indices]:
        """Return the groups without columns that the others of the same group determine."""
        return self.engine.without_aliases(groups)

    def now(self) -> Floats:
        """Return the scores (F,) of the set."""
        scores: Floats = self._values(self.engine.now(), 1, self.metric.of_scores)[0]
        return scores

    def judge(self, way: Way, groups: Sequence[Indices]) -> Floats:
        """Return the scores (G, F) of the set after each move."""
        return self._values(self._moves(way, groups), len(groups), self.metric.of_scores)

    def log_loss(self, way: Way, groups: Sequence[Indices]) -> Floats | None:
        """Return the log-loss (G,) after each move."""
        if not self.metric.has_posteriors or self.metric.name == "log_loss":
            return None
        values = self._values(self._moves(way, groups), len(groups), lambda s, c, w, _: log_loss_of(s, c, w), pool=False)
        losses: Floats = values.mean(axis=1)
        return losses

    def _moves(self, way: Way, groups: Sequence[Indices]) -> Any:
        return (self.engine.adding if way == "in" else self.engine.dropping)(groups)

    def _values(self, parts: Any, count: int, function: Any, pool: bool = True) -> Floats:
        if self.pooled and pool:
            return self._pooled(parts, count)
        values = np.full((count, len(self.rows.splits)), np.nan)
        for f, numbers, scores in parts:
            found = function(scores, *self.rows.held_out[f], self.rows.classes)
            real = numbers >= 0
            values[numbers[real], f] = found[real]
        return values

    def _pooled(self, parts: Any, count: int) -> Floats:
        tests = np.concatenate([split.test for split in self.rows.splits])
        whole: Floats | None = None
        for f, numbers, scores in parts:
            if whole is None:
                whole = np.zeros((len(scores), len(tests), count))
            real = numbers >= 0
            whole[:, f, numbers[real]] = scores[:, 0, real]
        assert whole is not None
        weight = None if self.rows.weight is None else self.rows.weight[tests]
        return self.metric.of_scores(whole, self.rows.codes[tests], weight, self.rows.classes)[:, None]


class RankedAlgebraRoad(AlgebraRoad):
    """The first few candidates of a ranking are fitted, many at once; the others get no score (NaN).

    Parameters
    ----------
    engine : SubsetScores with `rank_adding` and `rank_dropping`
    keep : candidates that are fitted; None: all
    """

    def __init__(self, engine: Any, rows: SearchRows, metric: SearchMetric, keep: int | None) -> None:
        super().__init__(engine, rows, metric)
        self.keep, self.method = keep, "refits" if keep is None else "ranked refits"

    def judge(self, way: Way, groups: Sequence[Indices]) -> Floats:
        """Return the scores (G, F) of the set after each move, NaN of those ranked too low."""
        if self.keep is None or len(groups) <= self.keep:
            return super().judge(way, groups)
        engine: Any = self.engine
        ranks = (engine.rank_adding if way == "in" else engine.rank_dropping)(groups)
        first = np.sort(np.argsort(-ranks, kind="stable")[: self.keep])
        found = super().judge(way, [groups[g] for g in first])
        values = np.full((len(groups), found.shape[1]), np.nan)
        values[first] = found
        return values


class CriterionRoad(Road):
    """−2 log L + c k of every neighbour, c = 2 (AIC) or log n (BIC). A subclass gives the deviances and the parameters.

    Attributes
    ----------
    cost : c
    """

    sign = -1.0
    cost: float

    def begin(self, columns: Sequence[int]) -> None:
        """Go to a set of columns."""
        super().begin(columns)
        self.deviance, self.parameters = self._at(self.columns)

    def take(self, way: Way, group: Indices) -> None:
        """Move a group of columns in or out."""
        super().take(way, group)
        self.before = self.deviance, self.parameters
        self.deviance, self.parameters = self._at(self.columns)

    def now(self) -> Floats:
        """Return the criterion of the set (1,)."""
        return np.array([self.deviance + self.cost * self.parameters])

    def test(self) -> tuple[float, float, float]:
        """Return the likelihood-ratio test of the last move: statistic, degrees of freedom, p-value."""
        statistic = abs(self.before[0] - self.deviance)
        freedom = abs(self.before[1] - self.parameters)
        return statistic, freedom, float(chi2.sf(statistic, freedom)) if freedom > 0 else float("nan")

    def _at(self, columns: Sequence[int]) -> tuple[float, float]:
        """Return −2 log L and the number of parameters of a set."""
        raise TypeError(f"{type(self).__name__} must define _at")


class DeterminantRoad(CriterionRoad):
    """The criterion of Gaussian classes, by determinants (`DeterminantCriterion`)."""

    method = "exact algebra"

    def __init__(self, criterion: DeterminantCriterion, metric: str) -> None:
        self.criterion = criterion
        self.cost = 2.0 if metric == "aic" else float(np.log(criterion.total))
        self.begin([])

    def _at(self, columns: Sequence[int]) -> tuple[float, float]:
        return self.criterion.deviance(columns), self.criterion.parameters(len(columns))

    def dependent(self, groups: Sequence[Indices]) -> Bools:
        """Return which groups cannot be taken in."""
        return self.criterion.dependent(self.columns, groups)

    def independent(self, groups: Sequence[Indices]) -> Bools:
        """Return which of some groups, in this order, are not determined by those before them."""
        return independent(self.criterion.A, groups)

    def without_aliases(self, groups: Sequence[Indices]) -> list[Indices]:
        """Return the groups without columns that the others of the same group determine: they have no parameters of their own."""
        return without_aliases(self.criterion.A, groups)

    def judge(self, way: Way, groups: Sequence[Indices]) -> Floats:
        """Return the criterion (G, 1) after each move."""
        deviance = (self.criterion.adding if way == "in" else self.criterion.dropping)(self.columns, groups)
        step = 1 if way == "in" else -1
        parameters = [self.criterion.parameters(len(self.columns) + step * len(group)) for group in groups]
        return (deviance + self.cost * np.array(parameters))[:, None]
