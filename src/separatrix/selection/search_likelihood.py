"""Roads of a search by AIC or BIC: the likelihood of all rows, no row held out."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.stats import chi2
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from ..abilities import Refused, abilities_of
from ..errors import InputError, SeparatrixWarning
from ..inference.selected_columns import silence
from ..solvers.subsets.subset_criterion import DeterminantCriterion
from ..solvers.subsets.subset_pivots import independent, without_aliases
from .search_roads import Road, Way
from .search_splits import SearchRows

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


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

    def take(self, way: Way, group: Ints) -> None:
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

    def dependent(self, groups: Sequence[Ints]) -> NDArray[np.bool_]:
        """Return which groups cannot be taken in."""
        return self.criterion.dependent(self.columns, groups)

    def independent(self, groups: Sequence[Ints]) -> NDArray[np.bool_]:
        """Return which of some groups, in this order, are not determined by those before them."""
        return independent(self.criterion.A, groups)

    def without_aliases(self, groups: Sequence[Ints]) -> list[Ints]:
        """Return the groups without columns that the others of the same group determine: they have no parameters of their own."""
        return without_aliases(self.criterion.A, groups)

    def judge(self, way: Way, groups: Sequence[Ints]) -> Floats:
        """Return the criterion (G, 1) after each move."""
        deviance = (self.criterion.adding if way == "in" else self.criterion.dropping)(self.columns, groups)
        step = 1 if way == "in" else -1
        parameters = [self.criterion.parameters(len(self.columns) + step * len(group)) for group in groups]
        return (deviance + self.cost * np.array(parameters))[:, None]


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

    def judge(self, way: Way, groups: Sequence[Ints]) -> Floats:
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
