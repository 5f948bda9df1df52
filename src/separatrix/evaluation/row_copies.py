"""Rows that stand in a table several times, so that a held-out row has its copy among the rows trained on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..alerts import Alert
from ..array_types import Codes, Folds, Indices
from ..data.columns import Column
from ..inference.column_values import is_date, is_text, levels, measurements
from .plans import NEVER

SHARE, FEWEST = 0.01, 5
"""Share and number of held-out rows with a copy in the training rows from which the error is too small to ignore."""
AGREE = 0.95
"""Share of copies with the label of their like: lower, they are rows that few categories describe alike, and no copies."""
BY_CHANCE = 0.1
"""Expected over seen pairs of equal rows, from which chance explains them."""
DISTINCT = 0.99
"""Share of distinct values of an identifier, which makes copies look different."""
ODD = np.uint64(0x9E3779B97F4A7C15)


def row_copy_alerts(columns: Sequence[Column], codes: Codes, folds: Sequence[Folds] = ()) -> tuple[Alert, ...]:
    """Return an alert (SPX006) where held-out rows have copies in the rows trained on.

    Parameters
    ----------
    columns : the table without its target
    codes : (n,) classes
    folds : one array of fold numbers per repeat; none: any fold but a row's own may hold its copies

    Examples
    --------
    >>> x, z = np.random.default_rng(0).normal(size=(2, 100))
    >>> x[:10], z[:10] = x[10:20], z[10:20]
    >>> codes = (x > 0).astype(np.int32)
    >>> print(row_copy_alerts([Column("x", x), Column("z", z)], codes)[0].seen)
    20 of 100 rows that would be held out have a copy, equal in every column, that would be trained on (100 % with the same label).
    """
    described = [column for column in columns if not _identifies(column)]
    if not described:
        return ()
    _, groups, sizes = np.unique(row_keys(described), return_inverse=True, return_counts=True)
    crossing = _crossing(groups, sizes, folds)
    count, n = int(crossing.sum()), len(codes)
    pairs = float((sizes * (sizes - 1.0)).sum() / 2)
    if count < max(FEWEST, SHARE * n) or _expected_pairs(described, n) > BY_CHANCE * pairs:
        return ()
    agree = _agreement(groups[crossing], codes[crossing])
    if agree < AGREE:
        return ()
    held, has = ("were held out", "that was trained on") if len(folds) else ("would be held out", "that would be trained on")
    return (
        Alert(
            "SPX006",
            "",
            f"{count} of {n} rows that {held} have a copy, equal in every column, {has} ({100 * agree:.3g} % with the same label).",
            "A model that remembers its rows gets copies right, so that the held-out error is too small.",
            "Drop them, frame.drop_duplicates(), or keep them together: plan=KFold(10, grouped=True), "
            "groups=frame.groupby(list(frame.columns), dropna=False).ngroup().",
        ),
    )


def first_of_copies(columns: Sequence[Column]) -> Indices:
    """Return the rows that are the first of their copies, in their order; identifiers aside."""
    described = [column for column in columns if not _identifies(column)]
    return np.sort(np.unique(row_keys(described), return_index=True)[1])


def row_keys(columns: Sequence[Column]) -> NDArray[np.uint64]:
    """Return a number (n,) that is the same for rows equal in every column, missing values being equal too; up to 1 in 2⁶⁴ by chance."""
    keys = np.zeros(len(columns[0].values), dtype=np.uint64)
    with np.errstate(over="ignore"):  # arithmetic modulo 2⁶⁴ is meant
        for column in columns:
            keys = _mixed(keys * ODD + _bits(column))
    return keys


def _bits(column: Column) -> NDArray[np.uint64]:
    values = measurements(column)
    if values is None:
        return (column.categories()[0].astype(np.int64) + 1).view(np.uint64)
    return np.where(np.isnan(values), np.nan, values + 0.0).view(np.uint64)  # −0 + 0 is 0


def _mixed(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _identifies(column: Column) -> bool:
    """Whether a column numbers the rows: whole numbers or single words, hardly one of them twice."""
    if is_date(column):
        return False
    values = measurements(column)
    if values is None:
        codes, names = column.categories()
        there = int((codes >= 0).sum())
        return len(names) >= DISTINCT * there > 0 and not any(" " in str(name) for name in names)
    numbers = values[~np.isnan(values)]
    if not len(numbers) or (numbers != np.floor(numbers)).any():
        return False
    return bool(len(np.unique(numbers)) >= DISTINCT * len(numbers))


def _crossing(groups: NDArray[np.integer], sizes: NDArray[np.integer], folds: Sequence[Folds]) -> NDArray[np.bool_]:
    """Return which rows have a copy outside their own fold, in any repeat (n,)."""
    if not len(folds):
        return np.asarray(sizes[groups] > 1)
    found = np.zeros(len(groups), dtype=bool)
    for numbers in folds:
        inside = np.unique(np.stack([groups, numbers]), axis=1, return_inverse=True, return_counts=True)
        same = inside[2][inside[1].ravel()]
        found |= (numbers != NEVER) & (sizes[groups] > same)
    return found


def _agreement(groups: NDArray[np.integer], codes: Codes) -> float:
    """Return the share of rows with the most common label of their group."""
    order = np.unique(groups, return_inverse=True)[1]
    table = np.zeros((int(order.max()) + 1, int(codes.max()) + 1))
    np.add.at(table, (order, codes), 1.0)
    return float(table.max(axis=1).sum() / len(codes))


def _expected_pairs(columns: Sequence[Column], n: int) -> float:
    """Return how many pairs of equal rows there would be if columns had nothing to do with each other.

    n(n − 1)/2 Π_j q_j, with q_j the share of pairs of rows equal in column j. Text that is hardly written twice is not by chance.
    """
    pairs = n * (n - 1) / 2
    found = pairs
    for column in columns:
        numbers, count = levels(column)
        sizes = np.bincount(numbers + 1, minlength=count + 1)
        hardly = is_text(column) and count > n / 2
        found *= 1.0 / pairs if hardly else float((sizes * (sizes - 1.0)).sum() / 2) / pairs
    return found
