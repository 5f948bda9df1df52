"""Which of many rows or points are drawn: a chart of a million rows is as large as one of a few thousand, and says so."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..argument_types import check_arguments
from ..array_types import Floats, Indices
from ..errors import InputError, short_text

MOST_POINTS = 2_000
"""Rows drawn as points."""
MOST_STEPS = 240
"""Points drawn of a curve: more than pixels need."""
SEED = 0


def sampled(n: int, most: int = MOST_POINTS) -> Indices:
    """Return the rows to draw, in order: all of them, or as many as `most` chosen at random with a fixed seed.

    Examples
    --------
    >>> sampled(3).tolist(), len(sampled(10**6))
    ([0, 1, 2], 2000)
    """
    if n <= most:
        return np.arange(n, dtype=np.intp)
    return np.sort(np.random.default_rng(SEED).choice(n, most, replace=False)).astype(np.intp)


def thinned(x: Floats, y: Floats, most: int = MOST_STEPS) -> Indices:
    """Return the points of a curve to draw: equally far apart along it, both ends among them.

    Examples
    --------
    >>> thinned(np.arange(1000.0), np.zeros(1000), 3).tolist()
    [0, 500, 999]
    """
    if len(x) <= most:
        return np.arange(len(x), dtype=np.intp)
    steps = sum(np.abs(np.diff(values)) / (np.ptp(values) or 1.0) for values in (np.nan_to_num(x), np.nan_to_num(y)))
    along = np.append(0.0, np.cumsum(steps))
    at = np.searchsorted(along, np.linspace(0.0, along[-1], most))
    return np.unique(np.append(np.minimum(at, len(x) - 1), len(x) - 1)).astype(np.intp)


def require_most(most: int) -> int:
    """Return how many lines of a list are to be drawn, at least one.

    Examples
    --------
    >>> require_most(12)
    12
    """
    check_arguments(require_most, locals())
    if most < 1:
        raise InputError(f"most={short_text(most)}: at least one is drawn; use a number such as 12.")
    return int(most)


def rows_drawn(drawn: int, n: Any, what: str = "rows") -> str:
    """Return the sentence that says how many rows are drawn of how many.

    Examples
    --------
    >>> rows_drawn(150, 150), rows_drawn(2000, 50_000)
    ('All 150 rows drawn.', '2,000 of 50,000 rows drawn, chosen at random (seed 0).')
    """
    if drawn >= n:
        return f"All {_count(n)} {what} drawn."
    return f"{_count(drawn)} of {_count(n)} {what} drawn, chosen at random (seed {SEED})."


def first_drawn(drawn: int, n: int, what: str, which: str) -> str:
    """Return the sentence that says which of many lines of a list are drawn.

    Examples
    --------
    >>> first_drawn(20, 112, "coefficients", "the largest")
    '20 of 112 coefficients drawn, the largest.'
    """
    return f"All {n:,} {what} drawn." if drawn >= n else f"{drawn:,} of {n:,} {what} drawn, {which}."


def _count(n: Any) -> str:
    return f"{n:,.0f}" if float(n).is_integer() else f"{n:,.1f}"
