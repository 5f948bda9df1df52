"""Forward and backward selection of columns by how well a model does with them."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import is_classifier

from ..data import Source
from ..errors import DataWarning, InputError, InputTypeError, one_of
from ..evaluation.plans import KFold
from ..progress import task
from .history import History, Move
from .naming import find_amount
from .search import Field, Search
from .search_choice import choose_road
from .search_roads import Way
from .search_splits import search_rows
from .selector import Selector


class SequentialSelection(Selector):
    """What forward and backward selection share. A subclass gives `_way`, `_reach` and its parameters."""

    estimator: Any
    n_features: Any
    plan: Any
    metric: Any
    floating: bool
    include: Any
    exclude: Any
    column_groups: Any
    start: Any
    exhaustive: bool
    refits: int
    n_jobs: int | None
    history_: History
    _way: ClassVar[Way]

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Search for columns.

        Parameters
        ----------
        X : array, sparse matrix, frame of n rows, or a table from `open_table` (then y stays out)
        y : (n,) labels
        sample_weight : (n,) weights, optional
            Used in training and in the scores.
        groups : (n,) groups of rows, for grouped plans
        """
        self._check_params()
        source = self._labelled(X, y, sample_weight)
        where = self._field(source)
        earlier, members = self._beginning(source, where)
        by_likelihood = self.metric in ("aic", "bic")
        plan = None if by_likelihood else KFold(5, random_state=0) if self.plan is None else self.plan
        rows = search_rows(source, X, plan, groups)
        road, name = choose_road(self.estimator, rows, self.metric, self.exhaustive, self.refits, self.n_jobs)
        search = Search(where, road, rows, name)
        search.begin(members, earlier)
        target = self._target(where, len(search.members))
        with task(type(self).__name__, abs(target - len(search.members))) as work:
            search.run(self._way, target, bool(self.floating), work)
        self._keep(source, search)
        if search.interrupted:
            raise KeyboardInterrupt(f"{type(self).__name__} was stopped after {len(search.moves) - 1} moves; what it found is kept.")
        return self

    def _keep(self, source: Source, search: Search) -> None:
        history = search.history()
        if search.interrupted and not history.sets():
            return
        if not history.sets():
            raise InputError(f"No column can be taken: {self._why_none(search)}")
        chosen = self._chosen(search, history)
        support = np.zeros(source.n_features, dtype=bool)
        support[list(chosen.members)] = True
        skipped = {search.field.names[g]: why for g, why in search.skipped.items() if search.field.names[g] not in chosen.groups}
        attributes = {
            "history_": history,
            "path_": [dict(move.candidates) for move in history if move.action != "start"],
            "score_": chosen.score,
            "interval_": chosen.interval,
            "n_features_": len(chosen.members),
            "skipped_": skipped,
            "method_": search.road.method,
            "interrupted_": search.interrupted,
        }
        self._adopt(source, support, attributes)

    def _chosen(self, search: Search, history: History) -> Move:
        if self.n_features == "best":
            return history.best()
        if self.n_features == "1se":
            return history.best(within=1.0)
        size, sets = self._amount(search.field), history.sets()
        if size in sets:
            return sets[size]
        nearest = min(sets.values(), key=lambda move: abs(move.size - size))
        if not search.interrupted:
            warnings.warn(
                f"n_features={self.n_features!r} asks for {size}, but {nearest.size} are chosen: {self._why_none(search)}",
                DataWarning,
                stacklevel=4,
            )
        return nearest

    def _why_none(self, search: Search) -> str:
        if not search.skipped:
            return "include, exclude and start leave no other set."
        shown = [f"{search.field.names[g]} {why}" for g, why in list(search.skipped.items())[:4]]
        more = f"; {len(search.skipped) - 4} more in skipped_" if len(search.skipped) > 4 else ""
        return f"{'; '.join(shown)}{more}. Drop such columns, or use a model with a penalty or shrinkage."

    def _amount(self, where: Field) -> int:
        least = max(1, len(where.forced))
        size = find_amount("n_features", self.n_features, len(where.groups) - len(where.banned))
        if size < least:
            raise InputError(f"n_features={self.n_features!r} asks for {size}, but include keeps {least}; ask for more, or include fewer.")
        return size

    def _target(self, where: Field, now: int) -> int:
        """Return the size at which the search stops."""
        raise TypeError(f"{type(self).__name__} must define _target")

    def _all(self, where: Field) -> list[int]:
        """Return the groups a search begins with if none are given."""
        raise TypeError(f"{type(self).__name__} must define _all")

    def _check_params(self) -> None:
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit"):
            raise InputTypeError(f"estimator={self.estimator!r} must be a classifier, such as LinearDiscriminantAnalysis().")
        if not is_classifier(self.estimator):
            raise InputTypeError(
                f"estimator={self.estimator!r} is not a classifier; columns are chosen by how well classes are told apart."
            )
        if isinstance(self.n_features, str) and self.n_features not in ("best", "1se"):
            raise one_of("n_features", self.n_features, ["best", "1se"])
        if self.n_features == "1se" and self.metric in ("aic", "bic"):
            raise InputError(
                f"n_features='1se' needs scores of several folds, which metric={self.metric!r} has not; use 'best' or a number."
            )
        if not (isinstance(self.refits, int | np.integer) and self.refits >= 1):
            raise InputError(f"refits={self.refits!r} must be a whole number, at least 1.")

    def _field(self, source: Source) -> Field:
        found = self._find_groups(self.column_groups, source)
        names, groups = list(found), list(found.values())
        owner = {int(j): g for g, group in enumerate(groups) for j in group}
        forced = frozenset(owner[int(j)] for j in self._find_columns(self.include, source))
        banned = frozenset(owner[int(j)] for j in self._find_columns(self.exclude, source))
        if forced & banned:
            raise InputError(f"{names[min(forced & banned)]!r} is in include and in exclude; take it out of one of them.")
        if len(banned) == len(groups):
            raise InputError("exclude leaves no column to choose from.")
        return Field(names, groups, forced, banned)

    def _beginning(self, source: Source, where: Field) -> tuple[History | None, list[int]]:
        """Return the history to go on from, if one is given, and the groups to begin with."""
        history = getattr(self.start, "history_", self.start)
        if isinstance(history, History):
            number = {name: g for g, name in enumerate(where.names)}
            for name in [name for name in history.moves[-1].groups if name not in number]:
                raise InputError(f"start is a history of other columns: it holds {name!r}, which is not among these.")
            return history, [number[name] for name in history.moves[-1].groups]
        if self.start is None:
            return None, self._all(where)
        owner = {int(j): g for g, group in enumerate(where.groups) for j in group}
        given = [owner[int(j)] for j in self._find_columns(self.start, source)]
        return None, sorted({*given, *where.forced} - where.banned)

    def _loosen(self) -> str:
        return "Ask for more features."


class ForwardSelection(SequentialSelection):
    """Take columns in, one at a time: each time the one with which the model does best on held-out rows.

    Linear and quadratic discriminants, least squares and ridge, and Gaussian naive Bayes are not refitted: the exact held-out scores of
    all candidates in all folds follow from those of the current set, O(n p) per step. Logistic regression and the linear SVM rank the
    candidates by a score test, the gain their first Newton step promises, and refit the first few (`exhaustive=True`: all of them); two
    classes with an L2 penalty are fitted side by side from the coefficients at hand. Other classifiers are refitted for every candidate
    and fold, in parallel.

    Parameters
    ----------
    estimator : classifier
        Any scikit-learn classifier; it is cloned, never changed.
    n_features : int, float, "best" or "1se"
        How many columns (groups count as one), a share of them, those with the best score, or the fewest within one standard error of
        the best.
    plan : a plan of this package, a scikit-learn splitter or an int
        Which rows are held out; default KFold(5, random_state=0).
    metric : "error", "log_loss", "auc", "brier", "balanced_accuracy", a scikit-learn scorer or its name, "aic" or "bic"
        Scores are means over the folds, as in scikit-learn. AIC and BIC take all rows and hold none out: for logistic regression they are
        those of p(y | x), as in R's stepAIC. For Gaussian classes all columns stay in the likelihood and those not chosen depend on the
        class only through those chosen (so that sets can be compared; for linear discriminants n log Λ + 2(K − 1)s, Λ of Wilks).
    floating : bool
        After each move take back earlier ones while that gives the best set of its size so far (Pudil).
    include, exclude : columns by name or number
        Always in, never in.
    column_groups : dict {name: columns} or list of lists
        Columns that move together, such as the indicators of one category.
    start : columns, a fitted selector or its `history_`
        Where to begin; a history is continued.
    max_features : int, float or None
        Where a search for "best" or "1se" ends; default: when no column is left.
    exhaustive : bool
        Refit logistic regression and SVM for every candidate.
    refits : int
        Candidates refitted in each step otherwise.
    n_jobs : int, optional
        Processes for refits.

    Attributes
    ----------
    support_ : (p,) booleans
    history_ : History
        Every move with score, interval and time: `print(history_)`, `history_.frame()`, `history_["score"]`.
    path_ : one dict {column or group: score} per move, of all candidates
    score_, interval_ : of the set chosen
    n_features_ : number of columns chosen
    skipped_ : {column: why} of columns that add nothing: constant, or collinear with those chosen
    method_ : "exact algebra", "fits from moments", "ranked refits" or "refits"
    interrupted_ : whether Ctrl-C ended the search

    Notes
    -----
    Equal scores: the lower log-loss wins, then the first column. Ctrl-C raises KeyboardInterrupt as always, and the selector then
    holds what was found so far; `start=selector` goes on from there. `score_` is the best of many and hence too good: let
    `evaluate(make_pipeline(selector, model), X, y)` judge the whole.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import ForwardSelection, LinearDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ForwardSelection(LinearDiscriminantAnalysis(), 2).fit(X, y)
    >>> selector.get_feature_names_out().tolist(), selector.method_
    (['sepal width (cm)', 'petal width (cm)'], 'exact algebra')

    References
    ----------
    Kohavi and John (1997), Wrappers for feature subset selection, Artificial Intelligence 97.
    Pudil, Novovičová and Kittler (1994), Floating search methods in feature selection, Pattern Recognition Letters 15.
    """

    _way: ClassVar[Way] = "in"

    def __init__(
        self,
        estimator: Any,
        n_features: int | float | Literal["best", "1se"] = "best",
        *,
        plan: Any = None,
        metric: Any = "error",
        floating: bool = False,
        include: Any = None,
        exclude: Any = None,
        column_groups: Any = None,
        start: Any = None,
        max_features: int | float | None = None,
        exhaustive: bool = False,
        refits: int = 5,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_features = n_features
        self.plan = plan
        self.metric = metric
        self.floating = floating
        self.include = include
        self.exclude = exclude
        self.column_groups = column_groups
        self.start = start
        self.max_features = max_features
        self.exhaustive = exhaustive
        self.refits = refits
        self.n_jobs = n_jobs

    def _target(self, where: Field, now: int) -> int:
        if self.n_features not in ("best", "1se"):
            return self._amount(where)
        there = len(where.groups) - len(where.banned)
        return there if self.max_features is None else find_amount("max_features", self.max_features, there)

    def _all(self, where: Field) -> list[int]:
        return sorted(where.forced)


class BackwardSelection(SequentialSelection):
    """Begin with all columns and take them out, one at a time: each time the one the model misses least on held-out rows.

    What is exact, and what is refitted, is as in `ForwardSelection`; for the exact models the scores of all removals follow from the
    inverse scatter matrices of the folds. Columns that are collinear with columns before them are left out first and listed in
    `skipped_`.

    Parameters
    ----------
    estimator, n_features, plan, metric, floating, include, exclude, column_groups, start, exhaustive, refits, n_jobs
        As of `ForwardSelection`.
    min_features : int, float or None
        Where a search for "best" or "1se" ends; default: at one column.

    Attributes
    ----------
    support_, history_, path_, score_, interval_, n_features_, skipped_, method_, interrupted_
        As of `ForwardSelection`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import BackwardSelection, LinearDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = BackwardSelection(LinearDiscriminantAnalysis(), metric="aic").fit(X, y)
    >>> selector.get_support().tolist(), round(selector.score_, 2)
    ([True, True, True, True], 574.41)

    References
    ----------
    Kohavi and John (1997), Wrappers for feature subset selection, Artificial Intelligence 97.
    """

    _way: ClassVar[Way] = "out"

    def __init__(
        self,
        estimator: Any,
        n_features: int | float | Literal["best", "1se"] = "best",
        *,
        plan: Any = None,
        metric: Any = "error",
        floating: bool = False,
        include: Any = None,
        exclude: Any = None,
        column_groups: Any = None,
        start: Any = None,
        min_features: int | float | None = None,
        exhaustive: bool = False,
        refits: int = 5,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_features = n_features
        self.plan = plan
        self.metric = metric
        self.floating = floating
        self.include = include
        self.exclude = exclude
        self.column_groups = column_groups
        self.start = start
        self.min_features = min_features
        self.exhaustive = exhaustive
        self.refits = refits
        self.n_jobs = n_jobs

    def _target(self, where: Field, now: int) -> int:
        if self.n_features not in ("best", "1se"):
            return self._amount(where)
        least = 1 if self.min_features is None else find_amount("min_features", self.min_features, len(where.groups) - len(where.banned))
        return max(least, len(where.forced))

    def _all(self, where: Field) -> list[int]:
        return [g for g in range(len(where.groups)) if g not in where.banned]
