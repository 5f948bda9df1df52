"""Roads of a search that fit the model anew for every candidate, or for those ranked first; and which road a search takes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.utils import _safe_indexing

from ..abilities import Refused, abilities_of
from ..abilities.protocols import RanksColumns
from ..array_types import Codes, Floats, Indices
from ..data.columns import ColumnBatch
from ..errors import InputError, NoFeatureLeftError, SeparatrixWarning
from ..evaluation.predictions import class_posteriors
from ..inference.selected_columns import silence
from .search_by_algebra import AlgebraRoad, CriterionRoad, DeterminantRoad, RankedAlgebraRoad, Road, Way
from .search_rows import SearchMetric, SearchRows, Split, log_loss_of


class RefitRoad(Road):
    """A fit for every neighbour and split, in parallel; from moments of the folds where the model is solved from moments.

    Parameters
    ----------
    model : classifier; cloned, never changed
    rows : SearchRows
    metric : SearchMetric
    n_jobs : int, optional
        Processes.
    """

    method = "refits"

    def __init__(self, model: Any, rows: SearchRows, metric: SearchMetric, n_jobs: int | None) -> None:
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

    def judge(self, way: Way, groups: Sequence[Indices]) -> Floats:
        """Return the scores (G, F) of the set after each move."""
        return self._scores([self._after(way, group) for group in groups])

    def _after(self, way: Way, group: Indices) -> list[int]:
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
        try:
            return clone(self.model).fit(self._take(split.train, columns), self.rows.y[split.train], **more)
        except NoFeatureLeftError:  # columns of a table that do not vary in these rows
            return DummyClassifier(strategy="prior").fit(np.zeros((len(split.train), 1)), self.rows.y[split.train], **more)

    def _take(self, rows: Indices, columns: list[int]) -> Any:
        if isinstance(self.X, np.ndarray):
            return self.X[rows[:, None], np.asarray(columns)]
        if isinstance(self.X, ColumnBatch):
            return ColumnBatch(tuple(self.X.column(j).take(rows) for j in columns))
        return _safe_indexing(_safe_indexing(self.X, columns, axis=1), rows)

    def _log_loss(self, fitted: Any, X: Any, codes: Codes, weight: Floats | None) -> float:
        if not self.metric.has_posteriors or self.metric.name == "log_loss":
            return float("nan")
        posteriors = class_posteriors(fitted, X, X.shape[0], self.rows.classes)
        with np.errstate(divide="ignore"):
            return float(log_loss_of(np.log(posteriors).T[:, :, None], codes, weight)[0])

    def log_loss(self, way: Way, groups: Sequence[Indices]) -> Floats | None:
        """Return the log-loss (G,) after each move, as found when they were judged."""
        found = np.array([self.losses[tuple(self._after(way, group))] for group in groups])
        return None if np.isnan(found).any() else found


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

    def __init__(self, model: Any, ranking: RanksColumns, rows: SearchRows, metric: SearchMetric, n_jobs: int | None, keep: int) -> None:
        super().__init__(model, rows, metric, n_jobs)
        self.ranking, self.keep = ranking, keep

    def judge(self, way: Way, groups: Sequence[Indices]) -> Floats:
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


class ConditionalRoad(CriterionRoad):
    """The criterion of a model of p(y | x), from its own `aic` and `bic`, by refits."""

    method = "refits"

    def __init__(self, model: Any, rows: SearchRows, metric: str, n_jobs: int | None) -> None:
        self.model, self.rows, self.n_jobs = model, rows, n_jobs
        self.X = rows.dense if rows.X is None else rows.X
        self.counts = np.bincount(rows.codes, rows.weight, minlength=len(rows.classes)).astype(np.float64)
        self.cost = 2.0 if metric == "aic" else float(np.log(self.counts.sum()))
        self.known: dict[tuple[int, ...], tuple[float, float]] = {}
        self.begin([])

    def _at(self, columns: Sequence[int]) -> tuple[float, float]:
        key = tuple(sorted(columns))
        if key not in self.known:
            self.known[key] = self._fitted(key)
        return self.known[key]

    def _fitted(self, columns: Sequence[int]) -> tuple[float, float]:
        if not columns:
            n = self.counts[self.counts > 0]
            return -2.0 * float(n @ np.log(n / n.sum())), float(len(n) - 1)
        X, more = self._take(columns), {} if self.rows.weight is None else {"sample_weight": self.rows.weight}
        with warnings.catch_warnings(), silence():
            warnings.simplefilter("ignore", SeparatrixWarning)  # of candidates, hundreds of times the same
            fitted = clone(self.model).fit(X, self.rows.y, **more)
        deviance = -2.0 * fitted.log_likelihood(X, self.rows.y, **more)
        return deviance, (fitted.aic(X, self.rows.y, **more) - deviance) / 2.0

    def _take(self, columns: Sequence[int]) -> Any:
        return self.X[:, list(columns)] if isinstance(self.X, np.ndarray) else _safe_indexing(self.X, list(columns), axis=1)

    def judge(self, way: Way, groups: Sequence[Indices]) -> Floats:
        """Return the criterion (G, 1) after each move."""
        sets = []
        for group in groups:
            gone = set(group.tolist())
            sets.append(tuple(sorted({*self.columns} | gone if way == "in" else {*self.columns} - gone)))
        new = [columns for columns in sets if columns not in self.known]
        found = Parallel(n_jobs=self.n_jobs)(delayed(self._fitted)(columns) for columns in new)
        self.known.update(zip(new, found, strict=True))
        return np.array([[self.known[columns][0] + self.cost * self.known[columns][1]] for columns in sets])


def criterion_road(model: Any, rows: SearchRows, metric: str, n_jobs: int | None) -> CriterionRoad:
    """Return the road of a model with a likelihood that can be compared between sets of columns.

    That is one of Gaussian classes, in which all columns stay in the likelihood, or one of p(y | x).
    """
    abilities = abilities_of(model)
    if abilities.criterion:
        return DeterminantRoad(abilities.criterion.criterion(rows.moments(abilities.criterion.kind)), metric)
    if abilities.likelihood and abilities.likelihood.of_labels_alone:
        return ConditionalRoad(model, rows, metric, n_jobs)
    refused = next(part.why for part in (abilities.likelihood, abilities.criterion) if isinstance(part, Refused))
    raise InputError(
        f"metric={metric!r} needs a likelihood that can be compared between sets of columns, which {type(model).__name__} does not have "
        f"({refused}). Use LogisticRegression, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis or GaussianNB, or a metric "
        "of held-out rows such as 'error' or 'log_loss'."
    )


def choose_road(model: Any, rows: SearchRows, metric: Any, exhaustive: bool, refits: int, n_jobs: int | None) -> tuple[Road, str]:
    """Return the road for a model and the name of the metric: updates where exact, fits side by side, ranked refits, refits."""
    if isinstance(metric, str) and metric in ("aic", "bic"):
        return criterion_road(model, rows, metric, n_jobs), metric
    chosen = SearchMetric(metric, model)
    abilities = abilities_of(model)
    if abilities.subsets:
        held = [rows.dense[split.test] for split in rows.splits]
        engine = abilities.subsets.scores(rows.training(abilities.subsets.kind), held)
        return AlgebraRoad(engine, rows, chosen), chosen.name
    keep = None if exhaustive else int(refits)
    if abilities.subset_fits:
        splits = [(s.train, s.test) for s in rows.splits]
        fits = abilities.subset_fits.fits(rows.dense, rows.codes, rows.weight, rows.classes, splits)
        if fits is not None:
            return RankedAlgebraRoad(fits, rows, chosen, keep), chosen.name
    if abilities.ranking and keep is not None:
        return RankedRoad(model, abilities.ranking, rows, chosen, n_jobs, keep), chosen.name
    return RefitRoad(model, rows, chosen, n_jobs), chosen.name
