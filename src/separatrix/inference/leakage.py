"""Columns that give the target away: one column alone tells the classes apart, far better than any other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from ..alerts import Alert
from ..array_types import Codes, Floats, Indices
from ..data.columns import Column
from ..data.row_hash import row_hash
from .column_values import is_text, levels, measurements
from .ranks import average_ranks

ALMOST_ALONE = 0.99
"""Share of pairs of rows of two classes that a column orders rightly, from which it predicts almost alone."""
FAR_AHEAD = 5.0
"""How many times more the next best column has to get wrong."""
AS_GOOD = 0.001
"""Share of wrong pairs below which one column is as good as another."""
CHANCE = 0.001
"""Probability that any column of pure noise does as well, by Bonferroni."""
MOST_ROWS, ORDERED = 20_000, 50
"""Rows looked at; columns whose order is looked at too."""


def leakage_alerts(columns: Sequence[Column], codes: Codes, n_classes: int) -> tuple[Alert, ...]:
    """Return an alert (SPX005) for each column that predicts the class almost alone.

    A column is judged by rows that its rule has not seen: each row is given the class most common among the other rows of its level, or
    next to its number, each class counting as if it had as many rows as any other. The score is the mean share of the classes found; of
    two classes also the area under the ROC curve of the numbers themselves.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> codes = rng.integers(0, 2, 200).astype(np.int32)
    >>> table = [Column("age", rng.normal(size=200)), Column("refund", np.where(codes == 1, rng.normal(9.0, 1.0, 200), 0.0))]
    >>> [alert.subject for alert in leakage_alerts(table, codes, 2)]
    ['refund']
    """
    if not columns or np.count_nonzero(np.bincount(codes, minlength=n_classes)) < 2:
        return ()
    rows = _rows_of_each_class(codes, n_classes)
    own = codes[rows]
    scores = np.array([_held_out_share(column.take(rows), own, n_classes) for column in columns])
    if n_classes == 2:
        for j in map(int, np.argsort(-scores, kind="stable")[:ORDERED]):
            scores[j] = max(scores[j], _area(columns[j].take(rows), own))
    limit = 1.0 - CHANCE / len(columns)
    sure = np.array([_certainty(score, own, n_classes) > limit for score in scores])
    order = np.argsort(-scores, kind="stable").tolist()
    ahead = _far_ahead(np.append(scores[order], 1.0 / n_classes), int(((scores >= ALMOST_ALONE) & sure).sum()))
    other = columns[order[ahead]].name if ahead < len(columns) else None
    next_best = float(scores[order[ahead]]) if other is not None else 0.0
    return tuple(_alert(columns[j].name, float(scores[j]), other, next_best, n_classes) for j in sorted(order[:ahead]))


def _far_ahead(scores: Floats, good: int) -> int:
    """Return how many of the good columns, best first, are far ahead of the next; 0 where most columns are as good: an easy problem."""
    wrong = np.maximum(1.0 - scores, AS_GOOD)
    most = min(good, max(1, (len(scores) - 1) // 2))
    return max((count for count in range(1, most + 1) if wrong[count - 1] * FAR_AHEAD <= wrong[count]), default=0)


def _alert(name: str, score: float, other: str | None, next_best: float, n_classes: int) -> Alert:
    what = "of pairs of rows of the two classes in the right order" if n_classes == 2 else "of each class found"
    beside = f"; the next best column, {other!r}, {100 * next_best:.3g} %" if other is not None else ""
    return Alert(
        "SPX005",
        name,
        f"Column {name!r} alone tells the classes apart: {100 * score:.4g} % {what}, on rows not looked at{beside}.",
        "Such a column is often written down after the target was known, and is missing or meaningless when the model is used.",
        f"Ask when its values are known; if after the target, frame.drop(columns=[{name!r}]).",
    )


def _rows_of_each_class(codes: Codes, n_classes: int) -> Indices:
    """Return all rows, or where there are many an equal number of each class, as at random and always the same."""
    if len(codes) <= MOST_ROWS:
        return np.arange(len(codes))
    order, most = np.argsort(row_hash(0, len(codes)), kind="stable"), MOST_ROWS // n_classes
    return np.sort(np.concatenate([order[codes[order] == k][: max(most, 1)] for k in range(n_classes)]))


def _held_out_share(column: Column, codes: Codes, K: int) -> float:
    """Return the mean share of the classes found by the other rows of a row's level; where it has none, by its two neighbours."""
    places, count = levels(column)
    places = np.where(places < 0, count, places)  # missing values are a level too
    table = np.bincount(places * K + codes, minlength=(count + 1) * K).reshape(count + 1, K)
    votes = table[places].astype(np.float64)
    votes[np.arange(len(codes)), codes] -= 1.0
    alone = votes.sum(axis=1) == 0
    if alone.any() and not is_text(column) and count > 1:
        beside = np.zeros((count + 1, K))
        beside[1:count] += table[: count - 1]
        beside[: count - 1] += table[1:count]
        votes[alone] = beside[places[alone]]
    sizes = np.bincount(codes, minlength=K)
    votes /= np.maximum(sizes, 1)
    mine = votes[np.arange(len(codes)), codes]
    votes[np.arange(len(codes)), codes] = -1.0
    rival = votes.max(axis=1)
    right = (mine > rival) + 0.5 * (mine == rival) * (mine > 0)
    present = sizes > 0
    shares: Floats = np.bincount(codes, right, minlength=K)[present] / sizes[present]
    return float(shares.mean())


def _area(column: Column, codes: Codes) -> float:
    """Return the area under the ROC curve of a column of numbers, whichever way it points; 0 for text and where many are missing."""
    values = measurements(column)
    if values is None or np.isnan(values).mean() > 0.05:
        return 0.0
    there = ~np.isnan(values)
    positive: NDArray[np.bool_] = codes[there] == 1
    a, b = int(positive.sum()), int((~positive).sum())
    if min(a, b) == 0:
        return 0.0
    found = (float(average_ranks(values[there])[positive].sum()) - a * (a + 1) / 2) / (a * b)
    return max(found, 1.0 - found)


def _certainty(score: float, codes: Codes, K: int) -> float:
    """Return the probability that a column without a relation to the classes scores less (Mann and Whitney's; K classes: normal)."""
    sizes = np.bincount(codes, minlength=K)
    sizes = sizes[sizes > 0]
    if len(sizes) == 2:
        error = np.sqrt((sizes.sum() + 1) / (12.0 * sizes[0] * sizes[1]))
        return float(1.0 - 2.0 * ndtr(-(score - 0.5) / error))
    q = 1.0 / len(sizes)
    return float(ndtr((score - q) / np.sqrt((q * (1 - q) / sizes).sum() * q * q)))
