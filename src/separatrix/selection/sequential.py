"""Forward and backward selection of columns by how well a model does with them."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from .column_positions import find_amount
from .search import SearchSpace
from .search_by_algebra import Way
from .sequential_base import SequentialSelection


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
        Columns that move together, such as the indicators of one category. Of a frame with text, gaps or dates the columns are those of the
        table, prepared as by `TablePrep`: once from all rows where algebra needs one matrix and no label is looked at, else inside
        every training part.
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
    table_ : True after a fit on a frame with text, gaps or dates, of which `transform` returns a frame

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

    def _target(self, where: SearchSpace, now: int) -> int:
        if self.n_features not in ("best", "1se"):
            return self._amount(where)
        there = len(where.groups) - len(where.banned)
        return there if self.max_features is None else find_amount("max_features", self.max_features, there)

    def _all(self, where: SearchSpace) -> list[int]:
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

    def _target(self, where: SearchSpace, now: int) -> int:
        if self.n_features not in ("best", "1se"):
            return self._amount(where)
        least = 1 if self.min_features is None else find_amount("min_features", self.min_features, len(where.groups) - len(where.banned))
        return max(least, len(where.forced))

    def _all(self, where: SearchSpace) -> list[int]:
        return [g for g in range(len(where.groups)) if g not in where.banned]
