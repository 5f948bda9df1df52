"""How a search judges the neighbours of a set of columns: by algebra, by a likelihood, or by refits.

A road stands at a set of columns. `judge` says how good each neighbour is, one score per split; `take` goes to one of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from ..abilities import abilities_of
from ..errors import SeparatrixWarning
from ..inference.selected_columns import silence
from ..solvers.subsets.subset_scores import SubsetScores
from .search_metric import Metric, class_posteriors, log_loss_of
from .search_splits import SearchRows, Split

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
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

    def take(self, way: Way, group: Ints) -> None:
        """Move a group of columns in or out."""
        gone = set(group.tolist())
        self.columns = [*self.columns, *group.tolist()] if way == "in" else [c for c in self.columns if c not in gone]

    def dependent(self, groups: Sequence[Ints]) -> NDArray[np.bool_]:
        """Return which groups cannot be taken in, because they add nothing to the set."""
        return np.zeros(len(groups), dtype=bool)

    def independent(self, groups: Sequence[Ints]) -> NDArray[np.bool_]:
        """Return which of some groups, in this order, are not determined by those before them."""
        return np.ones(len(groups), dtype=bool)

    def without_aliases(self, groups: Sequence[Ints]) -> list[Ints]:
        """Return the groups without columns that the others of the same group determine, where the road cannot do with them."""
        return list(groups)

    def now(self) -> Floats:
        """Return the scores (F,) of the set."""
        raise TypeError(f"{type(self).__name__} must define now")

    def judge(self, way: Way, groups: Sequence[Ints]) -> Floats:
        """Return the scores (G, F) of the set after each move; NaN where a move was not looked at."""
        raise TypeError(f"{type(self).__name__} must define judge")

    def log_loss(self, way: Way, groups: Sequence[Ints]) -> Floats | None:
        """Return the log-loss (G,) after each move, which breaks ties; None where there are no posteriors."""
        return None


class AlgebraRoad(Road):
    """Exact held-out scores of all neighbours by updates (`SubsetScores`)."""

    method = "exact algebra"

    def __init__(self, engine: SubsetScores, rows: SearchRows, metric: Metric) -> None:
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

    def take(self, way: Way, group: Ints) -> None:
        """Move a group of columns in or out."""
        (self.engine.add if way == "in" else self.engine.drop)(group)

    def dependent(self, groups: Sequence[Ints]) -> NDArray[np.bool_]:
        """Return which groups cannot be taken in."""
        return self.engine.dependent(groups)

    def independent(self, groups: Sequence[Ints]) -> NDArray[np.bool_]:
        """Return which of some groups, in this order, are not determined by those before them."""
        return self.engine.independent(groups)

    def without_aliases(self, groups: Sequence[Ints]) -> list[Ints]:
        """Return the groups without columns that the others of the same group determine."""
        return self.engine.without_aliases(groups)

    def now(self) -> Floats:
        """Return the scores (F,) of the set."""
        return self._values(self.engine.now(), 1, self.metric.of_scores)[0]

    def judge(self, way: Way, groups: Sequence[Ints]) -> Floats:
        """Return the scores (G, F) of the set after each move."""
        return self._values(self._moves(way, groups), len(groups), self.metric.of_scores)

    def log_loss(self, way: Way, groups: Sequence[Ints]) -> Floats | None:
        """Return the log-loss (G,) after each move."""
        if not self.metric.has_posteriors or self.metric.name == "log_loss":
            return None
        values = self._values(self._moves(way, groups), len(groups), lambda s, c, w, _: log_loss_of(s, c, w), pool=False)
        return values.mean(axis=1)

    def _moves(self, way: Way, groups: Sequence[Ints]) -> Any:
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

    def __init__(self, engine: Any, rows: SearchRows, metric: Metric, keep: int | None) -> None:
        super().__init__(engine, rows, metric)
        self.keep, self.method = keep, "refits" if keep is None else "ranked refits"

    def judge(self, way: Way, groups: Sequence[Ints]) -> Floats:
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


class RefitRoad(Road):
    """A fit for every neighbour and split, in parallel; from moments of the folds where the model is solved from moments.

    Parameters
    ----------
    model : classifier; cloned, never changed
    rows : SearchRows
    metric : Metric
    n_jobs : int, optional
        Processes.
    """

    method = "refits"

    def __init__(self, model: Any, rows: SearchRows, metric: Metric, n_jobs: int | None) -> None:
        self.model, self.rows, self.metric, self.n_jobs, self.sign = model, rows, metric, n_jobs, metric.sign
        self.columns = []
        self.losses: dict[tuple[int, ...], float] = {}
        self.X = rows.dense if rows.X is None else rows.X
        self.training = None
        summary = abilities_of(model).summary
        if summary and summary.kind is not None and summary.on_subsets:
            self.method, self.X, self.training = "fits from moments", rows.dense, rows.training(summary.kind)

    def now(self) -> Floats:
        """Return the scores (F,) of the set; NaN of no columns, on which nothing can be fitted."""
        return self._scores([self.columns])[0] if self.columns else np.full(len(self.rows.splits), np.nan)

    def judge(self, way: Way, groups: Sequence[Ints]) -> Floats:
        """Return the scores (G, F) of the set after each move."""
        return self._scores([self._after(way, group) for group in groups])

    def _after(self, way: Way, group: Ints) -> list[int]:
        gone = set(group.tolist())
        # In the order of the columns: a fit may depend on it, and people expect that of the data.
        return sorted([*self.columns, *gone] if way == "in" else [c for c in self.columns if c not in gone])

    def _scores(self, sets: list[list[int]]) -> Floats:
        found = Parallel(n_jobs=self.n_jobs)(delayed(self._score)(columns) for columns in sets)
        self.losses = {tuple(columns): loss for columns, (_, loss) in zip(sets, found, strict=True)}
        return np.array([scores for scores, _ in found])

    def _score(self, columns: list[int]) -> tuple[list[float], float]:
        """Return the score of each split and the mean log-loss, for one set of columns."""
        scores, losses = [], []
        for f, split in enumerate(self.rows.splits):
            codes, weight = self.rows.held_out[f]
            held = self._take(split.test, columns)
            with warnings.catch_warnings(), silence():
                warnings.simplefilter("ignore", SeparatrixWarning)  # of candidates, hundreds of times the same
                fitted = self._fit(f, split, columns)
                scores.append(self.metric.of_model(fitted, held, codes, weight, self.rows.classes))
                losses.append(self._log_loss(fitted, held, codes, weight))
        return scores, float(np.mean(losses))

    def _fit(self, f: int, split: Split, columns: list[int]) -> Any:
        if self.training is not None:
            return clone(self.model).fit_summary(self.training[f].columns(columns))
        more = {} if self.rows.weight is None else {"sample_weight": self.rows.weight[split.train]}
        return clone(self.model).fit(self._take(split.train, columns), self.rows.y[split.train], **more)

    def _take(self, rows: Ints, columns: list[int]) -> Any:
        if isinstance(self.X, np.ndarray):
            return self.X[rows[:, None], np.asarray(columns)]
        return _safe_indexing(_safe_indexing(self.X, columns, axis=1), rows)

    def _log_loss(self, fitted: Any, X: Any, codes: NDArray[np.int32], weight: Floats | None) -> float:
        if not self.metric.has_posteriors or self.metric.name == "log_loss":
            return float("nan")
        posteriors = class_posteriors(fitted, X, self.rows.classes)
        with np.errstate(divide="ignore"):
            return float(log_loss_of(np.log(posteriors).T[:, :, None], codes, weight)[0])

    def log_loss(self, way: Way, groups: Sequence[Ints]) -> Floats | None:
        """Return the log-loss (G,) after each move, as found when they were judged."""
        found = np.array([self.losses[tuple(self._after(way, group))] for group in groups])
        return None if np.isnan(found).any() else found
