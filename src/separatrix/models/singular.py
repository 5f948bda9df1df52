"""Warnings of covariances without an inverse: which columns they are about."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
from numpy.typing import NDArray

from ..array_types import Floats
from ..data import Source
from ..errors import SingularWarning

SHOWN = 8
"""Columns named in a message."""
_names: ContextVar[Sequence[str] | None] = ContextVar("names", default=None)


@contextmanager
def columns_named(names: Sequence[str] | None) -> Iterator[None]:
    """Let fits without rows, from summaries of a frame, say the names of its columns."""
    token = _names.set(names)
    try:
        yield
    finally:
        _names.reset(token)


def columns_in(null: Floats, source: Source | None) -> str:
    """Return the names of the columns that directions (p, r) involve.

    Examples
    --------
    >>> columns_in(np.array([[0.6], [0.0], [-0.8]]), None)
    'column 0, column 2'
    """
    return listed(np.flatnonzero(np.abs(null).max(axis=1, initial=0.0) > 1e-6), source)


def listed(columns: NDArray[np.integer], source: Source | None) -> str:
    """Return the names of some columns, the first few if there are many."""
    known = _names.get()
    plain = [f"column {j}" if known is None else f"column {known[j]!r}" for j in columns[:SHOWN].tolist()]
    names = plain if source is None else [source.column(int(j)) for j in columns[:SHOWN]]
    return ", ".join(names) + (f" and {len(columns) - SHOWN} more" if len(columns) > SHOWN else "")


def warn_singular(message: str) -> None:
    """Issue a SingularWarning at the line that called fit. To be called from `_solve` or `_fit_wide`."""
    warnings.warn(message, SingularWarning, stacklevel=5)
