"""What forward and backward selection share: parameters checked, a search begun, run and kept."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from ..data import Source, unchanged
from ..errors import DataWarning, InputError, InputTypeError, one_of
from ..evaluation.plans import KFold
from ..models.registry import plain_params
from ..progress import task
from .column_positions import find_amount
from .history import History, Move
from .search import Search, SearchSpace
from .search_by_algebra import Way
from .search_by_refits import choose_road
from .search_rows import search_rows
from .searched_table import is_table, labelled_table, searched_table
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
    takes_tables: ClassVar[bool] = True
    _way: ClassVar[Way]

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Search for columns.

        Parameters
        ----------
        X : array, sparse matrix, frame of n rows, or a table from `open_table` (then y stays out)
            Columns of a frame with text, gaps or dates are prepared as by `TablePrep`; all that a column becomes moves together.
        y : (n,) labels
        sample_weight : (n,) weights, optional
            Used in training and in the scores.
        groups : (n,) groups of rows, for grouped plans
        """
        self._check_given()
        with unchanged(X):
            tabular = is_table(self.estimator, X)
            source = self._labelled(labelled_table(X) if tabular else X, y, sample_weight)
            search = self._search_of_table(X, source, groups) if tabular else self._search(source, X, groups)
            where = search.field
            earlier, members = self._beginning(source, where)
            search.begin(members, earlier)
            target = self._target(where, len(search.members))
            with task(type(self).__name__, abs(target - len(search.members))) as work:
                search.run(self._way, target, bool(self.floating), work)
            self._keep(source, search, tabular)
            if search.interrupted:
                kept = "what it found is kept" if search.history().sets() else "it had judged no set of columns yet"
                raise KeyboardInterrupt(f"{type(self).__name__} was stopped after {len(search.moves) - 1} moves; {kept}.")
            return self

    def _search(self, source: Source, X: Any, groups: Any) -> Search:
        rows = search_rows(source, X, self._plan(), groups)
        road, name = choose_road(self.estimator, rows, self.metric, self.exhaustive, self.refits, self.n_jobs)
        return Search(self._field(source), road, rows, name)

    def _search_of_table(self, X: Any, columns: Any, groups: Any) -> Search:
        excluded = self._find_columns(self.exclude, columns)
        for by_refits in (False, True):
            table = searched_table(self.estimator, X, columns, self.metric, self.exhaustive, excluded, by_refits)
            rows = search_rows(table.source, table.X, self._plan(), groups)
            road, name = choose_road(table.model, rows, self.metric, self.exhaustive, self.refits, self.n_jobs)
            table = table.without_told_gaps(road)
            if self._by_likelihood or not table.has_split_columns(road):
                break
        where = table.space(self._field(columns))
        return Search(where, road, rows, name, skipped=table.skipped(where))

    @property
    def _by_likelihood(self) -> bool:
        return isinstance(self.metric, str) and self.metric in ("aic", "bic")

    def _plan(self) -> Any:
        if self._by_likelihood:
            return None
        return KFold(5, random_state=0) if self.plan is None else self.plan

    def _keep(self, source: Source, search: Search, tabular: bool) -> None:
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
            "score_": chosen.score,
            "interval_": chosen.interval,
            "n_features_": len(chosen.members),
            "skipped_": skipped,
            "method_": search.road.method,
            "interrupted_": search.interrupted,
        }
        self._adopt(source, support, attributes | ({"table_": True} if tabular else {}))

    @property
    def path_(self) -> list[dict[str, float]]:
        """One dict {column or group: score} per move, of all candidates."""
        check_is_fitted(self)
        return [dict(move.candidates) for move in self.history_ if move.action != "start"]

    def _params_to_keep(self) -> dict[str, Any]:
        # The search is over: where it began is in the history, and a selector or history given as `start` would be stored twice.
        return plain_params(self, start=None)

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

    def _amount(self, where: SearchSpace) -> int:
        least = max(1, len(where.forced))
        size = find_amount("n_features", self.n_features, len(where.groups) - len(where.banned))
        if size < least:
            raise InputError(f"n_features={self.n_features!r} asks for {size}, but include keeps {least}; ask for more, or include fewer.")
        return size

    def _target(self, where: SearchSpace, now: int) -> int:
        """Return the size at which the search stops."""
        raise TypeError(f"{type(self).__name__} must define _target")

    def _all(self, where: SearchSpace) -> list[int]:
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
        if self.n_features == "1se" and isinstance(self.metric, str) and self.metric in ("aic", "bic"):
            raise InputError(
                f"n_features='1se' needs scores of several folds, which metric={self.metric!r} has not; use 'best' or a number."
            )
        if not (isinstance(self.refits, int | np.integer) and self.refits >= 1):
            raise InputError(f"refits={self.refits!r} must be a whole number, at least 1.")

    def _field(self, source: Source) -> SearchSpace:
        found = self._find_groups(self.column_groups, source)
        names, groups = list(found), list(found.values())
        owner = {int(j): g for g, group in enumerate(groups) for j in group}
        forced = frozenset(owner[int(j)] for j in self._find_columns(self.include, source))
        banned = frozenset(owner[int(j)] for j in self._find_columns(self.exclude, source))
        if forced & banned:
            raise InputError(f"{names[min(forced & banned)]!r} is in include and in exclude; take it out of one of them.")
        if len(banned) == len(groups):
            raise InputError("exclude leaves no column to choose from.")
        return SearchSpace(names, groups, forced, banned)

    def _beginning(self, source: Source, where: SearchSpace) -> tuple[History | None, list[int]]:
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
