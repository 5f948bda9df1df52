"""Missing values that say something about the class: the share of gaps in a column differs between classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from ..alerts import Alert
from ..array_types import Codes, Floats
from ..data.columns import Column
from .column_values import known
from .multiplicity import holm

LEVEL = 0.01
"""Probability of any false alarm in a table whose gaps have nothing to do with the classes (Holm)."""
DIFFERENCE = 0.02
"""Difference between shares of gaps from which it is worth a word, however many rows prove a smaller one."""
EXPECTED = 5.0
"""Expected count of a cell from which χ² holds; below, Fisher's exact test."""


def gaps_by_class_alerts(columns: Sequence[Column], codes: Codes, classes: NDArray[Any]) -> tuple[Alert, ...]:
    """Return an alert (SPX014) for each column whose gaps depend on the class.

    Examples
    --------
    >>> codes = np.repeat([0, 1], 100).astype(np.int32)
    >>> income = np.where(np.arange(200) < 40, np.nan, 1.0)
    >>> [alert.subject for alert in gaps_by_class_alerts([Column("income", income)], codes, np.array(["no", "yes"]))]
    ['income']
    """
    sizes = np.bincount(codes, minlength=len(classes)).astype(np.float64)
    gaps = [(column.name, np.bincount(codes[~known(column)], minlength=len(classes)).astype(np.float64)) for column in columns]
    gaps = [(name, counts) for name, counts in gaps if 0 < counts.sum() < sizes.sum()]
    adjusted = holm(np.array([gap_test(counts, sizes) for _, counts in gaps]))
    found = []
    for (name, counts), p in zip(gaps, adjusted, strict=True):
        shares = counts / np.maximum(sizes, 1.0)
        most, least = int(shares.argmax()), int(np.where(sizes > 0, shares, np.inf).argmin())
        if p < LEVEL and shares[most] - shares[least] >= DIFFERENCE:
            found.append(_alert(name, classes.tolist()[most], float(shares[most]), classes.tolist()[least], float(shares[least]), p))
    return tuple(found)


def _alert(name: str, most: Any, high: float, least: Any, low: float, p: float) -> Alert:
    return Alert(
        "SPX014",
        name,
        f"Column {name!r} is missing in {100 * high:.3g} % of class {most!r} and in {100 * low:.3g} % of class {least!r} (p = {p:.2g}).",
        "A model learns the gap itself; if the gap is made by how rows were collected, what it learns does not hold elsewhere.",
        f"Ask why values are missing; if the gap comes after the target, frame.drop(columns=[{name!r}]).",
        "note",
    )


def gap_test(gaps: Floats, sizes: Floats) -> float:
    """Return the p-value of equal shares of gaps in all classes: χ² of the 2 × K table, or Fisher's test of each class against the rest.

    Parameters
    ----------
    gaps, sizes : (K,) missing values and rows of each class

    Examples
    --------
    >>> round(gap_test(np.array([10.0, 20.0]), np.array([100.0, 100.0])), 4)
    0.0477
    """
    there = sizes > 0
    gaps, sizes = gaps[there], sizes[there]
    if len(sizes) < 2:
        return 1.0
    share = gaps.sum() / sizes.sum()
    expected = np.stack([share * sizes, (1 - share) * sizes])
    if expected.min() >= EXPECTED:
        seen = np.stack([gaps, sizes - gaps])
        return float(chdtrc(len(sizes) - 1, ((seen - expected) ** 2 / expected).sum()))
    from scipy.stats import fisher_exact  # half a second to load, for few gaps alone

    tables = [[[g, s - g], [gaps.sum() - g, (sizes.sum() - s) - (gaps.sum() - g)]] for g, s in zip(gaps, sizes, strict=True)]
    tables = tables[:1] if len(tables) == 2 else tables  # of two classes each is the rest of the other
    return min(1.0, len(tables) * min(float(fisher_exact(np.array(table, dtype=np.int64))[1]) for table in tables))
