"""A table as people have it, for searches that move its columns: what each column became moves with it as a whole.

| judged by | the recipe is learned |
|---|---|
| refits | inside every training part, from the columns of the set alone |
| exact algebra, rankings, AIC and BIC, which need one matrix | once, from all rows, if it looks at no labels; else refits, or an error |

Algebra takes a column in as a whole or not at all, and not at all where other columns determine a part of it. Marks of gaps that other
columns tell (two columns missing in the same rows) are left out of the matrix; levels inside levels (towns in countries) go to refits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from ..abilities import abilities_of
from ..array_types import Bools, Floats, Indices
from ..data import Source, as_source
from ..data.batch_table import BatchTable
from ..data.columns import ColumnBatch
from ..data.opening import is_frame
from ..data.whole_tables import whole_table
from ..errors import InputError, UnknownNameError, did_you_mean
from ..evaluation.prepared import needs_preparation
from ..models import MixedNB, TableClassifier
from ..prepare import TablePrep
from ..prepare.outputs import by_column
from ..prepare.steps import Dropped
from .search import SearchSpace
from .search_by_algebra import Road

NONE: Indices = np.empty(0, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class SearchedTable:
    """A table whose columns a search moves.

    Attributes
    ----------
    source : what roads read, with labels and weights: numbers, or the table's columns
    X : rows for refits
    model : what is fitted to them
    moved : what moves with each column of the table: numbers of columns of the source
    left_out : {column: why}, by number
    gaps : numbers of columns of the source that say where a column of the table is missing
    """

    source: Source
    X: Any
    model: Any
    moved: list[Indices]
    left_out: dict[int, str]
    gaps: frozenset[int] = frozenset()

    def without_told_gaps(self, road: Road) -> SearchedTable:
        """Return the table without marks of gaps that other columns determine, as far as a road cannot do with them."""
        each = road.without_aliases([own for own in self.moved if len(own)])
        told = self.gaps - _untold([*(i for own in each for i in own if i not in self.gaps), *sorted(self.gaps)], road)
        kept = [np.array([i for i in own if i not in told], dtype=np.intp) for own in self.moved]
        return replace(self, moved=[own if len(own) else before for own, before in zip(kept, self.moved, strict=True)])

    def has_split_columns(self, road: Road) -> bool:
        """Whether other columns determine a part of a column, and not all of it, so that a road would never take it in."""
        each = road.without_aliases([own for own in self.moved if len(own)])
        for order in (each, each[::-1]):
            free = _untold([i for own in order for i in own], road)
            if any(0 < len(free & set(own.tolist())) < len(own) for own in order):
                return True
        return False

    def space(self, where: SearchSpace) -> SearchSpace:
        """Return what can move, given what can of the table's columns; groups of columns that are all left out cannot."""
        moved = [np.concatenate([self.moved[j] for j in group]) for group in where.groups]
        empty = frozenset(g for g, own in enumerate(moved) if len(own) == 0)
        if empty & where.forced:
            g = min(empty & where.forced)
            raise InputError(f"include names {where.names[g]!r}, which {self._why(where, g)}; take it out of include.")
        if len(empty | where.banned) == len(moved):
            raise InputError("No column of the table is left to choose from: all are excluded, or tell nothing about any row.")
        return replace(where, banned=where.banned | empty, moved=moved)

    def skipped(self, where: SearchSpace) -> dict[int, str]:
        """Return the groups that are left out, and why."""
        assert where.moved is not None
        return {g: self._why(where, g) for g, own in enumerate(where.moved) if len(own) == 0}

    def _why(self, where: SearchSpace, g: int) -> str:
        return self.left_out.get(int(where.groups[g][0]), "tells nothing")


def _untold(order: Sequence[int], road: Road) -> set[int]:
    """Return the columns that those before them do not determine."""
    free = road.independent([np.array([i]) for i in order])
    return {int(i) for i, own in zip(order, free, strict=True) if own}


def is_table(model: Any, X: Any) -> bool:
    """Whether X is a table whose columns have to be prepared before a model or selector of numbers can read them, or holds text."""
    if isinstance(X, ColumnBatch):
        return True
    if not is_frame(X):
        return False
    from ..data.frames import is_numeric

    return not is_numeric(X) or needs_preparation(model, X)


def labelled_table(X: Any) -> BatchTable:
    """Return a table, every column read once, as a source to which labels can be given."""
    return BatchTable(whole_table(X))


def searched_table(
    model: Any, X: Any, columns: BatchTable, metric: Any, exhaustive: bool, excluded: Indices, by_refits: bool = False
) -> SearchedTable:
    """Return a table as a search reads it.

    Parameters
    ----------
    model : classifier
    X : the table as given
    columns : its columns, with labels
    metric, exhaustive : as of the selector
    excluded : numbers of columns that never move, and are not prepared
    by_refits : whether a model that algebra knows is refitted all the same
    """
    assert columns.labels is not None
    batch, y = columns.batch, columns.labels.values
    if not needs_preparation(model, batch if isinstance(X, ColumnBatch) else X):
        own = batch if isinstance(model, MixedNB | TableClassifier) else X  # steps of others take frames
        return SearchedTable(columns, own, model, [np.array([j]) for j in range(columns.n_features)], {})
    prep = TablePrep(drop=[batch.column(int(j)).name for j in excluded])
    recipe = prep.fit(batch, y, columns.weight).recipe_
    left_out = {j: f"is left out: {step.why}" for j, step in enumerate(recipe.steps) if isinstance(step, Dropped)}
    by_likelihood = isinstance(metric, str) and metric in ("aic", "bic")
    if recipe.looks_at_labels and by_likelihood:
        column = next(step.column for step in recipe.steps if step.kind == "levels")
        raise InputError(
            f"metric={metric!r} judges one preparation of the columns by all rows, and column {column!r} has so many levels that it is "
            f"prepared by the labels, which would count twice. Use a metric of held-out rows such as 'log_loss', or exclude=[{column!r}]."
        )
    if by_refits or recipe.looks_at_labels or not (by_likelihood or _needs_one_matrix(model, exhaustive)):
        moved = [NONE if j in left_out else np.array([j]) for j in range(columns.n_features)]
        return SearchedTable(columns, batch, TableClassifier(clone(model)), moved, left_out)
    outputs, Z = by_column(recipe.outputs), prep.transform(batch)
    moved = [np.array(outputs.get(step.column, []), dtype=np.intp) for step in recipe.steps]
    gaps = frozenset(i for i, output in enumerate(recipe.outputs) if output.kind == "missing")
    return SearchedTable(as_source(Z, y, columns.weight), Z, model, moved, left_out, gaps)


def _needs_one_matrix(model: Any, exhaustive: bool) -> bool:
    """Whether sets of columns are judged by algebra or rankings, which go from one set to the next in one matrix."""
    abilities = abilities_of(model)
    return bool(abilities.subsets or abilities.subset_fits or (abilities.ranking and not exhaustive))


def chosen_columns(selector: Any, batch: ColumnBatch, y: Any, weight: Floats | None) -> Bools:
    """Return which columns of a table a selector of numbers chooses: those of which it chooses any number that they became."""
    prep = TablePrep(sparse_output=False)
    Z, more = prep.fit_transform(batch, y, weight), {} if weight is None else {"sample_weight": weight}
    kept = np.asarray(selector.fit(Z, y, **more).get_support(), dtype=bool)
    named = {prep.recipe_.outputs[i].column for i in np.flatnonzero(kept)}
    return np.array([step.column in named for step in prep.recipe_.steps], dtype=bool)


def only_columns(X: Any, names: list[str]) -> Any:
    """Return a table of some columns, found by name: a frame of the same kind."""
    if isinstance(X, ColumnBatch):
        place = {X.column(j).name: j for j in range(X.n_features)}
        _require(names, list(place))
        return ColumnBatch(tuple(X.column(place[name]) for name in names))
    if not is_frame(X):
        raise InputError(f"This selector was fitted on a table with text, gaps or dates; pass a frame with the columns {names[:8]}.")
    from ..data.frames import open_frame

    frame = open_frame(X)
    _require(names, list(frame.columns))
    return frame.select(names).to_native()


def _require(names: list[str], given: list[str]) -> None:
    for name in [name for name in names if name not in given]:
        raise UnknownNameError(
            f"Column {name!r}, which was kept, is not in the table.{did_you_mean(name, given)} Pass the columns of the fit."
        )
