"""What to tell a user whose columns cannot tell everything apart: which columns, and what was done."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from ..data import Source
from ..errors import SingularWarning

SHOWN = 8
"""Columns named in a message."""


def columns_in(null: NDArray[np.float64], source: Source | None) -> str:
    """Return the names of the columns that directions (p, r) involve.

    Examples
    --------
    >>> columns_in(np.array([[0.6], [0.0], [-0.8]]), None)
    'column 0, column 2'
    """
    return listed(np.flatnonzero(np.abs(null).max(axis=1, initial=0.0) > 1e-6), source)


def listed(columns: NDArray[np.integer], source: Source | None) -> str:
    """Return the names of some columns, the first few if there are many."""
    names = [source.column(int(j)) if source is not None else f"column {j}" for j in columns[:SHOWN]]
    return ", ".join(names) + (f" and {len(columns) - SHOWN} more" if len(columns) > SHOWN else "")


def warn_singular(message: str) -> None:
    """Issue a SingularWarning at the line that called fit. To be called from `_solve` or `_fit_wide`."""
    warnings.warn(message, SingularWarning, stacklevel=5)
