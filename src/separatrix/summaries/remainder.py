"""What is left of the classes when rows are taken out of a summary, and what no rows could have left."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..array_types import Floats, Ints
from ..errors import InputError

ROUNDING = 1e-9
"""How far below zero, relative to what was there before, a sum may come out of a subtraction."""


def never_learned(why: str) -> InputError:
    """Return the error for rows that cannot be taken out, because they cannot have been put in."""
    return InputError(
        f"The rows to forget cannot have been among those learned: {why}. Only rows that were learned, with the weights they had, can be "
        "taken out."
    )


def remaining(classes: NDArray[Any], counts: Floats, rows: Ints, taken: Floats, rows_taken: Ints) -> tuple[Floats, Ints]:
    """Return the sums of weights and the numbers of rows left in each class, (K,) each.

    The numbers of rows tell a class of which nothing is left from one of which rows are left that are too light to be seen beside those
    taken out: rounding hides them, so that is refused.

    Examples
    --------
    >>> remaining(np.array([0, 1]), np.array([0.3, 2.0]), np.array([2, 2]), np.array([0.1 + 0.2, 1.0]), np.array([2, 1]))
    (array([0., 1.]), array([0, 1]))
    """
    left, rows_left = counts - taken, rows - rows_taken
    slack = ROUNDING * counts
    # Without rows left any weight is a contradiction; with rows left, none is.
    impossible = (left < -slack) | (rows_left < 0) | ((rows_left == 0) & (left > slack))
    for k in np.flatnonzero(impossible):
        raise never_learned(
            f"class {classes.tolist()[k]!r} holds {counts[k]:g} (in {rows[k]} rows), so {taken[k]:g} (in {rows_taken[k]} rows) cannot be "
            "taken out"
        )
    for k in np.flatnonzero((rows_left > 0) & (left <= slack)):
        raise InputError(
            f"The rows to forget weigh {taken[k]:g} in class {classes.tolist()[k]!r}, beside which rounding hides the {rows_left[k]} rows "
            "that would be left. Fit a new model on the rows to keep."
        )
    return np.where(rows_left > 0, left, 0.0), rows_left


def subtracted(before: Floats, taken: Floats) -> Floats:
    """Return before − taken, refused where it turns negative though nothing negative was counted."""
    left = before - taken
    slack = ROUNDING * np.abs(before)
    if ((left < -slack) & (before >= 0)).any():
        raise never_learned("a count would become negative")
    return np.where(np.abs(left) <= slack, 0.0, left)


def emptied(rows_left: Ints, sums: Floats) -> Floats:
    """Return sums (K, …) of the rows left, refused where a class without rows still has some."""
    if sums[rows_left == 0].any():
        raise never_learned("they are all rows of a class, but not all that it holds")
    return sums
