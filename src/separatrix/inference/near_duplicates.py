"""Columns that say the same in other words: numbers with a correlation of almost ±1, categories that go with each other one to one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ..alerts import Alert
from ..array_types import Floats, Indices
from ..data.columns import Column
from .column_values import is_text, levels, listed, measurements, row_sample
from .ranks import average_ranks

ALIKE = 0.999
"""Correlation, or share of rows that go with each other, from which two columns count as one."""
SCREEN = 0.98
"""Correlation in a sample of the rows from which all rows are asked."""
APART = 10
"""Rows away from the most common value that both columns need: fewer agree by chance, or by one outlier."""
CELLS = 10_000_000
"""Values of the sample."""
MOST_ROWS = 100_000
"""Rows that are asked whether a column varies."""
FEW_LEVELS, MOST_CATEGORIES = 50, 300
"""Distinct values up to which numbers are held against categories; columns of categories up to which all pairs are."""

Link = tuple[int, int, float]
"""Two columns and how far they agree, up to 1."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Positions of columns that say almost the same, the first one to keep, and how far the least alike of them agree, up to 1."""

    columns: tuple[int, ...]
    agreement: float


def near_duplicates(columns: Sequence[Column]) -> list[Alike]:
    """Return the groups of columns that say almost the same; columns equal in every row are not among them.

    Examples
    --------
    >>> celsius = np.random.default_rng(0).normal(20.0, 5.0, 50)
    >>> [group.columns for group in near_duplicates([Column("celsius", celsius), Column("fahrenheit", 32 + 1.8 * celsius)])]
    [(0, 1)]
    """
    links = [*_correlated(columns), *_one_to_one(columns)]
    if not links:
        return []
    p = len(columns)
    ends = ([a for a, _, _ in links], [b for _, b, _ in links])
    _, labels = connected_components(coo_array((np.ones(len(links)), ends), shape=(p, p)), directed=False)
    groups = [np.flatnonzero(labels == label).tolist() for label in dict.fromkeys(labels[a] for a, _, _ in links)]
    return [Alike(tuple(group), min(share for a, _, share in links if a in group)) for group in groups]


def near_duplicate_alerts(columns: Sequence[Column], groups: Sequence[Alike]) -> tuple[Alert, ...]:
    """Return an alert (SPX004) for each group of columns that say almost the same."""
    return tuple(_alert([columns[j].name for j in group.columns], group.agreement) for group in groups)


def _alert(group: list[str], agreement: float) -> Alert:
    first, *others = group
    names = ", ".join(repr(name) for name in others[:6])
    return Alert(
        "SPX004",
        others[0],
        f"Columns {listed([first, *others])} say almost the same: their agreement is {agreement:.4f}, 1 being one for the other.",
        "Their coefficients share one effect between them and cannot be read apart.",
        f"Keep one: frame.drop(columns=[{names}]).",
    )


def _correlated(columns: Sequence[Column]) -> Iterator[Link]:
    """Yield the columns of numbers with |r| ≥ ALIKE, each with the earlier column it is most like."""
    numeric = [(j, values) for j, column in enumerate(columns) if (values := measurements(column)) is not None and _spreads(values)]
    if len(numeric) < 2:
        return
    n = len(numeric[0][1])
    sample = row_sample(n, max(200, min(5_000, CELLS // len(numeric))))
    Z = np.stack([_standardised(values[sample]) for _, values in numeric], axis=1)
    for begin in range(0, Z.shape[1], 512):
        R = np.abs(Z[:, begin : begin + 512].T @ Z)
        R[np.arange(len(R))[:, None] + begin <= np.arange(Z.shape[1])] = 0.0  # earlier columns only
        for k in np.flatnonzero(R.max(axis=1, initial=0.0) >= SCREEN):
            (a, x), (b, y) = numeric[int(R[k].argmax())], numeric[begin + k]
            share = _agreement(x, y)
            if share >= ALIKE:
                yield a, b, share


def _spreads(values: Floats) -> bool:
    there = values[row_sample(len(values), MOST_ROWS)]
    there = there[~np.isnan(there)]
    if len(there) < APART or there.min() == there.max():
        return False
    counts = np.unique(there, return_counts=True)[1]
    return bool(len(there) - counts.max() >= APART)


def _standardised(values: Floats) -> Floats:
    """Return values of mean 0 and length 1, 0 where missing."""
    there = ~np.isnan(values)
    centred = np.where(there, values - values[there].mean() if there.any() else 0.0, 0.0)
    centred /= max(float(np.abs(centred).max()), 1e-300)  # squares of 1e200 would be infinite
    return np.asarray(centred / max(float(np.linalg.norm(centred)), 1e-300))


def _agreement(x: Floats, y: Floats) -> float:
    """Return |r| of the rows that have both values; 0 where they are equal, too few, or alike by some outliers alone."""
    both = ~(np.isnan(x) | np.isnan(y))
    if both.sum() < max(APART, 0.5 * len(x)) or np.array_equal(x, y, equal_nan=True):
        return 0.0
    x, y = x[both], y[both]
    some = row_sample(len(x), 5_000)
    in_order = abs(float(_standardised(average_ranks(x[some])) @ _standardised(average_ranks(y[some]))))
    return min(1.0, abs(float(_standardised(x) @ _standardised(y)))) if in_order >= 0.99 else 0.0


def _one_to_one(columns: Sequence[Column]) -> Iterator[Link]:
    """Yield pairs of columns, one of them of categories, whose levels go with each other."""
    found: list[tuple[int, Indices, int]] = []
    if not any(is_text(column) for column in columns):
        return
    for j, column in enumerate(columns):
        codes, count = levels(column)
        if 2 <= count <= (len(codes) // 5 if is_text(column) else FEW_LEVELS):
            found.append((j, codes, count))
    if len(found) > MOST_CATEGORIES or not found:
        return
    sample = row_sample(len(found[0][1]), 1_000)
    for place, (b, y, levels_y) in enumerate(found):
        for a, x, levels_x in found[:place]:
            if not (is_text(columns[a]) or is_text(columns[b])) or _paired(x[sample], levels_x, y[sample], levels_y, apart=0) < SCREEN:
                continue
            share = _paired(x, levels_x, y, levels_y, APART)
            if share >= ALIKE and not _equal(columns[a], columns[b]):
                yield a, b, share
                break


def _equal(one: Column, other: Column) -> bool:
    """Whether two columns hold the same text in every row."""
    if not (is_text(one) and is_text(other)):
        return False
    first, second = (np.array([*names, None], dtype=object)[codes] for codes, names in (one.categories(), other.categories()))
    return bool((first == second).all())


def _paired(x: Indices, levels_x: int, y: Indices, levels_y: int, apart: int) -> float:
    """Return the share of rows whose levels are each other's most common partner; 0 where one is nearly constant."""
    table = np.bincount((x + 1) * (levels_y + 1) + y + 1, minlength=(levels_x + 1) * (levels_y + 1)).reshape(levels_x + 1, levels_y + 1)
    n, away = len(x), len(x) - max(table.sum(axis=0).max(), table.sum(axis=1).max())
    wrong = n - min(table.max(axis=0).sum(), table.max(axis=1).sum())
    if away < max(apart, 1) or wrong > 0.05 * away:  # a column that is nearly constant goes with any other one
        return 0.0
    return float(1.0 - wrong / n)
