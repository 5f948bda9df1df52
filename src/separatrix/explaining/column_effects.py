"""What each column does to the score, over the values it takes: lines, the curves of splines, a number for each level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from ..argument_types import check_arguments, is_among
from ..array_types import Floats
from ..errors import InputError, UnknownNameError, did_you_mean
from ..evaluation.plans import count_rows
from ..inference.tables import Column, Table
from ..loading import maker
from .contributions import contributions
from .encoded import column_labels
from .explanation import Explanation
from .model_views import explainable
from .row_explanation import is_gap

MOST_ROWS = 5_000
"""Rows whose values and scores are looked at."""
MOST_VALUES = 200
"""Different values of a column that are kept."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnEffect:
    """What one column adds to the score.

    Attributes
    ----------
    name : of the column
    kind : "number" or "level"
    values : (m,) values that it takes, ascending; levels by what they add
    adds : (m,) what each adds to the score
    counts : (m,) rows that have it
    spread : standard deviation of what it adds, over the rows
    """

    name: str
    kind: Literal["number", "level"]
    values: NDArray[Any]
    adds: Floats
    counts: Floats
    spread: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ColumnEffects(Explanation):
    """What each column does, the one that moves the score most first; print it, or draw it with `chart()`.

    Attributes
    ----------
    effects : tuple of ColumnEffect
    of, against : the two classes whose score it is
    rows, rows_in_all : rows looked at, and rows there are
    """

    effects: tuple[ColumnEffect, ...]
    of: Any
    against: Any
    rows: int
    rows_in_all: int

    def __getitem__(self, name: str) -> ColumnEffect:
        """Return the effect of a column."""
        found = {effect.name: effect for effect in self.effects}
        if not is_among(name, list(found)):
            raise UnknownNameError(f"{name!r} moves no score here.{did_you_mean(name, found)} Columns: {', '.join(list(found)[:12])}.")
        return found[name]

    def chart(self, most: int = 9) -> Any:
        """Return the effects as an Altair chart; needs `separatrix[charts]`.

        Parameters
        ----------
        most : columns drawn, those that move the score most
        """
        return maker("charts.columns.column_effects")(self, most)

    @property
    def table(self) -> Table:
        """One line per column: how far it moves the score, and between which values."""
        shown = [effect for effect in self.effects if len(effect.adds)]
        low, high = ([effect.values[effect.adds.argmin()] for effect in shown], [effect.values[effect.adds.argmax()] for effect in shown])
        columns = (
            Column("column", [effect.name for effect in shown]),
            Column("std. dev. of what it adds", [effect.spread for effect in shown], ".4g"),
            Column("least", [effect.adds.min() for effect in shown], "+.4g"),
            Column("at", [_value(value) for value in low]),
            Column("most", [effect.adds.max() for effect in shown], "+.4g"),
            Column("at ", [_value(value) for value in high]),
        )
        note = f"From {self.rows:,} of {self.rows_in_all:,} rows. Positive: for {self.of!r}; negative: for {self.against!r}."
        return Table(f"What each column adds to the score of {self.of!r} against {self.against!r}", columns, note)

    @property
    def tables(self) -> Any:
        """The table, as the other explanations have theirs."""
        from ..inference.tables import Tables

        return Tables("What each column does", {"columns": self.table})


def column_effects(model: Any, X: Any, *, of: Any = None, against: Any = None, random_state: int = 0) -> ColumnEffects:
    """Return what each column adds to the score of one class against another, for the values it takes.

        f_a(x) − f_b(x) = base + Σ_j c_j(x_j)

    A straight line for a number that enters as it is, a curve for one that a spline prepared, a number for each level of a category.

    Parameters
    ----------
    model : fitted classifier, as in :func:`separatrix.explain`
    X : rows, as the model takes them
        Of more than 5,000, so many are chosen at random.
    of, against : labels
        Default for two classes: `classes_[1]` against `classes_[0]`; for more, `against` is the first class and `of` must be named.
    random_state : seed of the choice of rows

    Examples
    --------
    >>> from separatrix import NearestMean
    >>> from separatrix.explaining import column_effects
    >>> model = NearestMean().fit([[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 2, 2])
    >>> effect = column_effects(model, [[3, 2], [5, 2], [1, 4], [3, 6]])["x1"]
    >>> effect.values.tolist(), effect.adds.tolist()
    ([2.0, 4.0, 6.0], [-4.5, 1.5, 7.5])
    """
    check_arguments(column_effects, locals())
    asked = explainable(model)
    classes = asked.classes_.tolist()
    if of is None and len(classes) > 2:
        raise InputError(f"There are {len(classes)} classes; name the one whose score it is, as in of={classes[-1]!r}.")
    of = classes[1] if of is None else of
    against = next((label for label in classes if not is_among(label, [of])), None) if against is None else against
    if against is None:
        raise InputError("There is one class, so no score of one against another; fit the model on rows of two.")
    n = count_rows(X)
    chosen = np.arange(n) if n <= MOST_ROWS else np.sort(np.random.default_rng(random_state).choice(n, MOST_ROWS, replace=False))
    rows = X if n <= MOST_ROWS else _safe_indexing(X, chosen)
    adds = contributions(model, rows, of=of, against=against)
    adds = adds.toarray() if sp.issparse(adds) else np.asarray(adds)
    names, values = _columns(rows, adds.shape[1])
    found = [_effect(name, value, adds[:, j]) for j, (name, value) in enumerate(zip(names, values, strict=True))]
    kept = sorted((effect for effect in found if effect.spread > 0), key=lambda effect: -effect.spread)
    return ColumnEffects(tuple(kept), of, against, len(chosen), n)


def _columns(rows: Any, count: int) -> tuple[list[str], list[NDArray[Any]]]:
    """Return names and values of the first columns; words that a vectorizer made have none of their own."""
    names = column_labels(rows)
    if hasattr(rows, "columns"):
        # The columns of an Arrow table are arrays; their names have a name of their own.
        own = [_held(rows[name]) for name in getattr(rows, "column_names", rows.columns)]
    else:
        dense = rows.toarray() if sp.issparse(rows) else np.asarray(rows)
        own = list(dense.T)
    found = [f"x{j}" for j in range(len(own))] if names is None else [str(name) for name in names]
    if len(own) != count:
        raise InputError(
            f"The model takes {count} terms apart and the table has {len(own)} columns: words have no values to draw. "
            "explain(model, X, row) lists those of one row."
        )
    return found, own


def _held(column: Any) -> NDArray[Any]:
    """Return the values of a column; of several chunks of a dictionary NumPy would take a gap for the last level."""
    return np.asarray(column.combine_chunks() if hasattr(column, "combine_chunks") else column)


def _effect(name: str, values: NDArray[Any], adds: Floats) -> ColumnEffect:
    numbers = _as_numbers(values)
    spread = float(np.std(adds))
    keys = np.array(["missing" if is_gap(value) else str(value) for value in values.tolist()], dtype=object) if numbers is None else numbers
    known = np.ones(len(keys), dtype=bool) if numbers is None else np.isfinite(numbers)
    different, first, counts = np.unique(keys[known], return_index=True, return_counts=True)
    own = adds[known][first]
    if numbers is None:
        order = np.argsort(own, kind="stable")
        return ColumnEffect(name, "level", different[order], own[order], counts[order].astype(np.float64), spread)
    if len(different) > MOST_VALUES:
        at = np.unique(np.linspace(0, len(different) - 1, MOST_VALUES).round().astype(np.intp))
        different, own, counts = different[at], own[at], counts[at]
    return ColumnEffect(name, "number", different, own, counts.astype(np.float64), spread)


def _as_numbers(values: NDArray[Any]) -> Floats | None:
    """Return a column as numbers, or None where it holds anything else."""
    if values.dtype.kind in "fiu":
        return values.astype(np.float64)
    if values.dtype.kind != "O":
        return None
    held = [value for value in values.tolist() if value is not None]
    if not held or not all(isinstance(value, int | float | np.number) and not isinstance(value, bool) for value in held):
        return None
    return np.array([np.nan if value is None else float(value) for value in values.tolist()])


def _value(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)
