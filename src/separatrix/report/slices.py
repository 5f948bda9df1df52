"""Parts of the table in which a model is wrong more often than elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from ..array_types import Bools, Floats
from ..data.columns import Column
from ..inference.column_values import is_date, measurements, row_sample
from ..inference.multiplicity import holm
from ..inference.shares import wilson
from ..prepare.steps.base import date_text, level_text
from .judged_rows import JudgedRows

SHOWN = 8
"""Slices listed."""
FEWEST = 20
"""Rows that a slice needs."""
MOST_ROWS = 200_000
"""Rows looked at."""
MOST_LEVELS = 30
"""Levels of a column that are looked at, the most common ones."""
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Slice:
    """Rows that share something, and how often the model is wrong there.

    Attributes
    ----------
    column, condition : such as "age" and "above 52"
    rows : how many of the rows looked at
    error, low, high : share judged wrongly, with Wilson's 95 % interval
    elsewhere : share judged wrongly among all other rows
    p : of the hypothesis that both are equal, adjusted by Holm for the number of slices
    """

    column: str
    condition: str
    rows: int
    error: float
    low: float
    high: float
    elsewhere: float
    p: float


@dataclass(frozen=True, slots=True)
class Slices:
    """The worst slices, and how many were looked at."""

    worst: tuple[Slice, ...]
    tried: int
    rows: int
    error: float


def worst_slices(columns: Sequence[Column], rows: JudgedRows) -> Slices:
    """Return the parts of a table in which more rows are judged wrongly than elsewhere, by more than chance explains.

        z = (e₁ − e₀)/√(e(1 − e)(1/n₁ + 1/n₀)),   e the error of all rows

    one-sided, p-values adjusted by Holm. Slices are levels of categories, quarters of numbers and dates, and gaps.

    Parameters
    ----------
    columns : of the table, all rows evaluated
    rows : those held out

    Examples
    --------
    >>> truth = np.zeros(400, dtype=np.int32)
    >>> wrong = np.where(np.arange(400) < 100, np.arange(400) % 2, 0).astype(np.int32)
    >>> rows = JudgedRows(truth, wrong, None, None, np.array(["a", "b"]), np.arange(400), np.arange(400))
    >>> found = worst_slices([Column("x", np.arange(400.0))], rows).worst[0]
    >>> found.column, found.condition, found.rows, found.error, found.elsewhere
    ('x', 'up to 99.75', 100, 0.5, 0.0)
    """
    some = row_sample(rows.n, MOST_ROWS)
    places, wrong = rows.places[some], rows.is_wrong[some]
    n, bad = len(wrong), int(wrong.sum())
    found: list[tuple[str, str, int, int]] = []
    tests: list[float] = []
    overall = bad / n if n else 0.0
    for column in columns:
        for condition, inside in _conditions(column.take(places)):
            own = int(inside.sum())
            if not FEWEST <= own <= n - FEWEST:
                continue
            here = int(wrong[inside].sum())
            found.append((column.name, condition, own, here))
            tests.append(_p_value(here, own, bad, n))
    adjusted = holm(np.array(tests)) if tests else np.empty(0)
    order = [i for i in np.lexsort((-np.array([own[3] / own[2] for own in found]), adjusted)) if adjusted[i] < LEVEL] if found else []
    worst = tuple(_slice(found[i], bad, n, float(adjusted[i])) for i in order[:SHOWN])
    return Slices(worst, len(found), n, overall)


def _slice(found: tuple[str, str, int, int], bad: int, n: int, p: float) -> Slice:
    column, condition, own, here = found
    low, high = wilson(here / own, float(own))
    return Slice(column, condition, own, here / own, low, high, (bad - here) / (n - own), p)


def _p_value(here: int, own: int, bad: int, n: int) -> float:
    pooled = bad / n
    spread = np.sqrt(pooled * (1.0 - pooled) * (1.0 / own + 1.0 / (n - own)))
    return float(norm.sf((here / own - (bad - here) / (n - own)) / spread)) if spread > 0 else 1.0


def _conditions(column: Column) -> Iterator[tuple[str, Bools]]:
    """Yield what rows may share in a column, and which rows do."""
    values = measurements(column)
    if values is None:
        yield from _levels(column)
        return
    gaps = np.isnan(values)
    if gaps.any():
        yield "missing", gaps
    distinct = np.unique(values[~gaps])
    if 1 < len(distinct) <= 6:
        for value in distinct.tolist():
            yield f"= {_number(value, is_date(column))}", values == value
    elif len(distinct) > 6:
        yield from _quarters(values, gaps, is_date(column))


def _quarters(values: Floats, gaps: Bools, is_dated: bool) -> Iterator[tuple[str, Bools]]:
    edges = np.unique(np.quantile(values[~gaps], [0.25, 0.5, 0.75]))
    names = [_number(edge, is_dated) for edge in edges.tolist()]
    place = np.where(gaps, -1, np.searchsorted(edges, values, side="left"))
    for i in range(len(edges) + 1):
        if i == 0:
            condition = f"up to {names[0]}"
        else:
            condition = f"above {names[-1]}" if i == len(edges) else f"above {names[i - 1]}, up to {names[i]}"
        yield condition, place == i


def _levels(column: Column) -> Iterator[tuple[str, Bools]]:
    codes, levels = column.categories()
    if (codes < 0).any():
        yield "missing", codes < 0
    counts = np.bincount(codes[codes >= 0], minlength=len(levels))
    for i in np.argsort(-counts, kind="stable")[:MOST_LEVELS]:
        yield f"= {level_text(levels[i])}", codes == i


def _number(value: float, is_dated: bool) -> str:
    return date_text(round(value)) if is_dated else f"{value:,.4g}" if abs(value) < 1e6 else f"{value:.4g}"
